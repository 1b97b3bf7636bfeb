// SPDX-License-Identifier: BSD-2-Clause

// What goroutines have of myth.c, dgux.c and psyche.c: see papers.h.
package main

import (
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// The least of some slices of the time counts, as there.
func leastOf(n int, operations func()) float64 {
	const slices = 7
	operations()
	least := meanOf(n, operations, length/slices)
	for range slices - 1 {
		least = min(least, meanOf(n, operations, length/slices))
	}
	return least
}

func nullSyscalls() {
	for range 256 {
		syscall.RawSyscall(syscall.SYS_GETPPID, 0, 0, 0)
	}
}

// A stroke of ping-pong is a turn by locks.
func timeStrokes() float64 {
	const strokes = 2000
	least := time.Hour
	for start := time.Now(); time.Since(start) < length; {
		_, play, _ := tournament(1, strokes)
		least = min(least, play)
	}
	return float64(least.Nanoseconds()) / (2 * strokes)
}

// What creation takes of the creator alone.
func timeCreation() float64 {
	var all [256]thread
	elapsed, count := time.Duration(0), 0
	for start := time.Now(); time.Since(start) < length; count += len(all) {
		t := time.Now()
		for i := range all {
			all[i] = spawn(nothing)
		}
		elapsed += time.Since(t)
		for _, t := range all {
			<-t
		}
	}
	return float64(elapsed.Nanoseconds()) / float64(count)
}

// With another one that yields, for ever.
func timeYields() float64 {
	go yieldsForEver()
	return leastOf(2*64, yields)
}

func myth(table string) bool {
	switch table {
	case "table-1":
		putNs("lock", leastOf(1024, locks()))
	case "table-3":
		putNs("thread", leastOf(16, createJoin))
	case "table-4":
		putNs("yield", timeYields())
	default:
		return false
	}
	return true
}

func dgux(table string) bool {
	putRow := putNs
	switch table {
	case "table-3":
		null := leastOf(256, nullSyscalls)
		putRow = func(metric string, ns float64) {
			putNs(metric, ns)
			fmt.Printf("%s/syscall %.6g x\n", metric, ns/null)
		}
		putRow("yield-alone", leastOf(64, yields))
		putRow("mutex", timeStrokes())
		putRow("condition", leastOf(2*64, turns()))
		putRow("create-exit-join", leastOf(16, createJoin))
		putRow("yield", timeYields())
	case "table-4":
		putRow("thread", leastOf(16, createJoin))
	case "table-5":
		putRow("condition", leastOf(2*64, turns()))
	case "table-6":
		putRow("create", timeCreation())
		putRow("mutex", timeStrokes())
		putRow("condition", leastOf(2*64, turns()))
	default:
		return false
	}
	return true
}

// The programs of psyche.c: see steps.h.
const (
	size     = 512
	elements = 4608
	branches = 4
)

var (
	matrix  [size][size + 1]float64 // the last column is the right-hand side
	numbers [elements]int
)

type barrier struct {
	lock       sync.Mutex
	isFull     *sync.Cond
	here, turn int
	size       int
}

func newBarrier(size int) *barrier {
	b := &barrier{size: size}
	b.isFull = sync.NewCond(&b.lock)
	return b
}

func (b *barrier) wait() {
	b.lock.Lock()
	turn := b.turn
	if b.here++; b.here == b.size {
		b.here = 0
		b.turn++
		b.isFull.Broadcast()
	}
	for b.turn == turn {
		b.isFull.Wait()
	}
	b.lock.Unlock()
}

// A tree barrier.
type node struct {
	lock           sync.Mutex
	isFull, isTold *sync.Cond
	arrived, told  int
	_              [128]byte
}

type nodes []node

func newNodes(n int) nodes {
	all := make(nodes, n)
	for i := range all {
		all[i].isFull, all[i].isTold = sync.NewCond(&all[i].lock), sync.NewCond(&all[i].lock)
	}
	return all
}

func (all nodes) childrenOf(me int) int {
	return max(0, min(branches, len(all)-me*branches-1))
}

func (n *node) arrive(siblings int) {
	n.lock.Lock()
	if n.arrived++; n.arrived == siblings {
		n.isFull.Signal()
	}
	n.lock.Unlock()
}

func (n *node) tell() {
	n.lock.Lock()
	n.told++
	n.isTold.Signal()
	n.lock.Unlock()
}

// The turn-th barrier, counted from 1.
func (all nodes) wait(me, turn int) {
	n, children, parent := &all[me], all.childrenOf(me), (me-1)/branches
	n.lock.Lock()
	for n.arrived < children {
		n.isFull.Wait()
	}
	n.arrived = 0
	n.lock.Unlock()
	if me > 0 {
		all[parent].arrive(all.childrenOf(parent))
		n.lock.Lock()
		for n.told < turn {
			n.isTold.Wait()
		}
		n.lock.Unlock()
	}
	for i := range children {
		all[me*branches+1+i].tell()
	}
}

// The time from when all are there until all are done.
func timeAll(n int, body func(me int)) time.Duration {
	begin := newBarrier(n + 1)
	for me := range n {
		go func() {
			begin.wait()
			begin.wait()
			body(me)
			begin.wait()
		}()
	}
	begin.wait()
	start := time.Now()
	begin.wait() // before they may go on, as in steps.h
	begin.wait()
	return time.Since(start)
}

func fillMatrix() {
	for i := range matrix {
		row := &matrix[i]
		row[size] = 0
		for j := range size {
			row[j] = float64((i*7+j*13)%17) / 17
			if i == j {
				row[j] = size
			}
			row[size] += row[j] * float64(j+1)
		}
	}
}

func eliminate(me, n, pivot int) {
	pivotal := matrix[pivot][pivot:]
	first := pivot + 1
	for row := first + (me+n-first%n)%n; row < size; row += n {
		ours := matrix[row][pivot:]
		factor := ours[0] / pivotal[0]
		for j := range ours {
			ours[j] -= factor * pivotal[j]
		}
	}
}

func checkSolution() {
	var solution [size]float64
	for i := size - 1; i >= 0; i-- {
		sum := matrix[i][size]
		for j := i + 1; j < size; j++ {
			sum -= matrix[i][j] * solution[j]
		}
		solution[i] = sum / matrix[i][i]
		if !(math.Abs(solution[i]-float64(i+1)) < 1e-6) {
			must(fmt.Errorf("element %d of the solution is %g", i, solution[i]))
		}
	}
}

func onceGauss(n int) time.Duration {
	fillMatrix()
	tree := newNodes(n)
	elapsed := timeAll(n, func(me int) {
		for pivot := range size {
			eliminate(me, n, pivot)
			tree.wait(me, pivot+1)
		}
	})
	checkSolution()
	return elapsed
}

// Nobody to wait for.
func onceAlone(n int) time.Duration {
	fillMatrix()
	start := time.Now()
	for pivot := range size {
		eliminate(0, 1, pivot)
	}
	elapsed := time.Since(start)
	checkSolution()
	return elapsed
}

func exchange(me, n, phase int) {
	for pair := elements / 2 * me / n; pair < elements/2*(me+1)/n; pair++ {
		i := 2*pair + phase%2
		if i+1 < elements && numbers[i] > numbers[i+1] {
			numbers[i], numbers[i+1] = numbers[i+1], numbers[i]
		}
	}
}

func onceSort(n int) time.Duration {
	for i := range numbers {
		numbers[i] = i * 2897 % elements
	}
	central := newBarrier(n)
	elapsed := timeAll(n, func(me int) {
		for phase := range elements {
			exchange(me, n, phase)
			central.wait()
		}
	})
	for i := range numbers {
		if numbers[i] != i {
			must(fmt.Errorf("%d is in the place of %d", numbers[i], i))
		}
	}
	return elapsed
}

func meanNs(n int, once func(n int) time.Duration) float64 {
	sum, count := time.Duration(0), 0
	for count == 0 || sum < length {
		sum += once(n)
		count++
	}
	return float64(sum.Nanoseconds()) / float64(count)
}

func psyche(name string) bool {
	const threads = 128
	switch name {
	case "gauss":
		fmt.Printf("- %.6g ms\n", meanNs(threads, onceGauss)/1e6)
		return true
	case "sort":
		fmt.Printf("- %.6g ms\n", meanNs(threads, onceSort)/1e6)
		return true
	}
	number, isShare := strings.CutPrefix(name, "gauss-")
	perCPU, err := strconv.Atoi(number)
	if !isShare || err != nil || perCPU < 1 {
		return false
	}
	cpus := runtime.NumCPU()
	alone := meanNs(1, onceAlone)
	fmt.Printf("- %.6g %%\n", 100*alone/meanNs(perCPU*cpus, onceGauss)/float64(cpus))
	return true
}

// A case of these has its benchmark's name before its own.
func ofPapers(name string) bool {
	bench, of, _ := strings.Cut(name, "/")
	switch bench {
	case "myth":
		return myth(of)
	case "dgux":
		return dgux(of)
	case "psyche":
		return psyche(of)
	}
	return false
}
