// SPDX-License-Identifier: BSD-2-Clause

// The cases of micro.c, pingpong.c, scale.c and pagefault.c on goroutines; papers.go and echo.go have others.  It takes `PEER CASE SECONDS NAME` and answers as bench.h tells.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

var length time.Duration

func meanOf(n int, operations func(), length time.Duration) float64 {
	start := time.Now()
	count := 0
	for {
		operations()
		count += n
		if elapsed := time.Since(start); elapsed >= length {
			return float64(elapsed.Nanoseconds()) / float64(count)
		}
	}
}

func putNs(metric string, ns float64) { fmt.Printf("%s %.6g ns\n", metric, ns) }

func timeEach(n int, operations func()) {
	operations()
	putNs("-", meanOf(n, operations, length))
}

type thread chan int

func spawn(body func() int) thread {
	t := make(thread, 1)
	go func() { t <- body() }()
	return t
}

func nothing() int { return 0 }

func fib(n int) int {
	if n < 2 {
		return n
	}
	left := spawn(func() int { return fib(n - 1) })
	right := spawn(func() int { return fib(n - 2) })
	return <-left + <-right
}

// The number behind a name in a file of lines `NAME: VALUE kB`.
func kilobytes(path, name string) float64 {
	text, _ := os.ReadFile(path)
	for _, line := range strings.Split(string(text), "\n") {
		if rest, found := strings.CutPrefix(line, name); found {
			n, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return n
		}
	}
	return 0
}

func status(name string) float64 { return kilobytes("/proc/self/status", name) }

// A goroutine has 2 KB of stack at least.
func mustHold(n int) {
	if float64(n)*4 > kilobytes("/proc/meminfo", "MemAvailable:")*0.9 {
		fmt.Printf("note there is no memory left for %d threads at a time\n", n)
		os.Exit(77)
	}
}

func tree(depth int) {
	result, next := 0, 1
	for range depth {
		result, next = next, result+next
	}
	calls := 2*next - 1
	mustHold(calls)
	before := status("VmRSS:")
	os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // VmHWM begins again
	timeEach(calls, func() {
		if <-spawn(func() int { return fib(depth) }) != result {
			os.Exit(1)
		}
	})
	fmt.Printf("peak %.6g kB\n", status("VmHWM:")-before)
}

// Goroutines that all wait for one condition, and one more that is there before: see scale.c.
func scale(n int) {
	mustHold(n)
	var lock sync.Mutex
	told, allWait := sync.NewCond(&lock), sync.NewCond(&lock)
	waiting, expected, isGo := 0, 0, false
	wait := func() int {
		lock.Lock()
		if waiting++; waiting == expected {
			allWait.Signal()
		}
		for !isGo {
			told.Wait()
		}
		lock.Unlock()
		return 0
	}
	waitForAll := func(n int) {
		lock.Lock()
		for expected = n; waiting < n; {
			allWait.Wait()
		}
		lock.Unlock()
	}
	threads := make([]thread, n)
	for i := range threads {
		threads[i] = nil // so that it is resident
	}
	first := spawn(wait)
	waitForAll(1)
	resident, tables, start := status("VmRSS:"), status("VmPTE:"), time.Now()
	for i := range threads {
		threads[i] = spawn(wait)
	}
	waitForAll(n + 1)
	made, each := time.Since(start), float64(n)
	resident, tables = (status("VmRSS:")-resident)*1024/each, (status("VmPTE:")-tables)*1024/each
	start = time.Now()
	lock.Lock()
	isGo = true
	told.Broadcast()
	lock.Unlock()
	for _, t := range threads {
		<-t
	}
	woken := time.Since(start)
	<-first
	fmt.Printf("create %.6g ns\nresident %.6g bytes\npage-tables %.6g bytes\nmemory %.6g bytes\nwake-join %.6g ns\n",
		float64(made.Nanoseconds())/each, resident, tables, resident+tables, float64(woken.Nanoseconds())/each)
}

func batch() {
	var all [1000]thread
	for i := range all {
		all[i] = spawn(nothing)
	}
	for _, t := range all {
		<-t
	}
}

// A semaphore is a channel, as is the custom.
func semaphore() {
	ping, pong := make(chan struct{}), make(chan struct{})
	go func() {
		for range ping {
			pong <- struct{}{}
		}
	}()
	timeEach(64, func() {
		for i := 0; i < 64; i++ {
			ping <- struct{}{}
			<-pong
		}
	})
	close(ping)
}

func createJoin() {
	for i := 0; i < 16; i++ {
		<-spawn(nothing)
	}
}

func yields() {
	for i := 0; i < 64; i++ {
		runtime.Gosched()
	}
}

func yieldsForEver() {
	for {
		runtime.Gosched()
	}
}

// What 64 turns of two that take them by conditions are, for one of them.
func turns() func() {
	var lock sync.Mutex
	ours := [2]*sync.Cond{sync.NewCond(&lock), sync.NewCond(&lock)}
	turn := 0
	take := func(me int) {
		lock.Lock()
		for turn != me {
			ours[me].Wait()
		}
		turn = 1 - me
		ours[1-me].Signal()
		lock.Unlock()
	}
	go func() {
		for {
			take(1)
		}
	}()
	return func() {
		for i := 0; i < 64; i++ {
			take(0)
		}
	}
}

func locks() func() {
	var lock sync.Mutex
	return func() {
		for i := 0; i < 1024; i++ {
			lock.Lock()
			lock.Unlock()
		}
	}
}

// Letter boxes: see micro.c.
type box struct {
	lock     sync.Mutex
	filled   *sync.Cond
	isFilled bool
	_        [128]byte
}

func (b *box) throw() {
	b.lock.Lock()
	b.isFilled = true
	b.filled.Signal()
	b.lock.Unlock()
}

func (b *box) catch() {
	b.lock.Lock()
	for !b.isFilled {
		b.filled.Wait()
	}
	b.isFilled = false
	b.lock.Unlock()
}

func matches(n int) {
	var ended sync.WaitGroup
	var rounds atomic.Uint64
	start := time.Now()
	ended.Add(2 * n)
	for i := 0; i < n; i++ {
		boxes, isOver := new([2]box), false
		for side := range boxes {
			boxes[side].filled = sync.NewCond(&boxes[side].lock)
		}
		go func() {
			defer ended.Done()
			for time.Since(start) < length {
				for i := 0; i < 64; i++ {
					boxes[1].throw()
					boxes[0].catch()
				}
				rounds.Add(64)
			}
			isOver = true
			boxes[1].throw()
		}()
		go func() {
			defer ended.Done()
			for {
				boxes[1].catch()
				if isOver {
					return
				}
				boxes[0].throw()
			}
		}()
	}
	ended.Wait()
	fmt.Printf("- %.6g ns\n", float64(time.Since(start).Nanoseconds())/float64(rounds.Load()))
}

// The compiler leaves such loops as they are.
//
//go:noinline
func spin(n int) {
	for i := 0; i < n; i++ {
	}
}

func spinsIn100ns() int {
	const trials, spins = 20, 100000
	best := time.Hour
	for i := 0; i < trials; i++ {
		start := time.Now()
		spin(spins)
		best = min(best, time.Since(start))
	}
	return int(100 * spins / best.Nanoseconds())
}

func contended() {
	const contenders = 64
	var lock sync.Mutex
	var guarded [4]uint64
	var by [contenders]struct {
		operations uint64
		_          [120]byte
	}
	var isOver atomic.Bool
	var ended sync.WaitGroup
	if length < time.Second {
		length = time.Second // fairness is judged over a second
	}
	begin, spins := make(chan struct{}), spinsIn100ns()
	ended.Add(contenders)
	for i := range by {
		go func() {
			defer ended.Done()
			<-begin
			n := uint64(0)
			for ; !isOver.Load(); n++ {
				lock.Lock()
				for j := range guarded {
					guarded[j]++
				}
				lock.Unlock()
				spin(spins)
			}
			by[i].operations = n
		}()
	}
	start := time.Now()
	close(begin)
	time.Sleep(length)
	isOver.Store(true)
	ended.Wait()
	elapsed, sum, least := time.Since(start), uint64(0), ^uint64(0)
	for i := range by {
		sum += by[i].operations
		least = min(least, by[i].operations)
	}
	if guarded[0] != sum {
		must(fmt.Errorf("the lock let two goroutines in"))
	}
	fmt.Printf("- %.6g Mop/s\nleast %.6g of-mean\n", float64(sum)*1e3/float64(elapsed.Nanoseconds()),
		float64(least)*contenders/float64(sum))
}

// Of pagefault.c.
const (
	readers     = 16
	unitSteps   = 10000
	pageWords   = 1024
	pages       = 49152
	mappedPages = "bench-mapped-pages"
)

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func mapPages() []uint32 {
	file, err := os.OpenFile(mappedPages, os.O_RDWR|os.O_CREATE, 0600)
	must(err)
	if st, err := file.Stat(); err == nil && st.Size() != pages*pageWords*4 {
		var page [pageWords]uint32
		for i := range pages {
			for j := range page {
				page[j] = uint32(i)
			}
			_, err = file.WriteAt(unsafe.Slice((*byte)(unsafe.Pointer(&page)), pageWords*4), int64(i)*pageWords*4)
			must(err)
		}
		must(file.Sync())
	}
	const dontNeed = 4
	syscall.Syscall6(syscall.SYS_FADVISE64, file.Fd(), 0, 0, dontNeed, 0, 0)
	data, err := syscall.Mmap(int(file.Fd()), 0, pages*pageWords*4, syscall.PROT_READ, syscall.MAP_SHARED)
	must(err)
	must(syscall.Madvise(data, syscall.MADV_RANDOM))
	return unsafe.Slice((*uint32)(unsafe.Pointer(&data[0])), pages*pageWords)
}

type counts struct {
	pages, units, seed uint64
	_                  [104]byte
}

func step(x uint64) uint64 { return x*6364136223846793005 + 1442695040888963407 }

func (c *counts) computeUnit() {
	x := c.seed
	for range unitSteps {
		x = step(x)
	}
	c.seed = x
	c.units++
}

func (c *counts) readPage(words []uint32) {
	c.seed = step(c.seed)
	at := uint32((c.seed >> 33) % pages)
	sum := uint32(0)
	for _, word := range words[at*pageWords : (at+1)*pageWords] {
		sum += word
	}
	if sum != at*pageWords {
		must(fmt.Errorf("page %d has the wrong contents", at))
	}
	c.pages++
}

func majorFaults() int64 {
	var usage syscall.Rusage
	must(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return usage.Majflt
}

func pagefault(isMixed bool) {
	var over atomic.Bool
	var all sync.WaitGroup
	words, n := mapPages(), readers
	if !isMixed {
		n += runtime.NumCPU()
	}
	threads := make([]counts, n)
	start, faults := time.Now(), majorFaults()
	for i := range threads {
		c := &threads[i]
		c.seed = uint64(i) + 1
		all.Add(1)
		go func() {
			defer all.Done()
			for !over.Load() {
				if isMixed || i < readers {
					c.readPage(words)
				}
				if isMixed || i >= readers {
					c.computeUnit()
				}
			}
		}()
	}
	time.Sleep(length)
	over.Store(true)
	all.Wait()
	s := time.Since(start).Seconds()
	var sum counts
	for i := range threads {
		sum.pages += threads[i].pages
		sum.units += threads[i].units
	}
	if faults = majorFaults() - faults; faults < int64(sum.pages/2) {
		fmt.Printf("note only %.0f %% of the pages were not in memory\n", 100*float64(faults)/float64(sum.pages))
		os.Exit(77)
	}
	fmt.Printf("pages %.6g pages/s\n", float64(sum.pages)/s)
	work := sum.pages
	if !isMixed {
		fmt.Printf("compute %.6g units/s\n", float64(sum.units)/s)
		work += sum.units
	}
	fmt.Printf("work %.6g 1/s\n", float64(work)/s)
}

// Ping-pong: see pingpong.c.  As there, a player's blocks have their lines, and so has the count.
type player struct {
	blocks [2]sync.Mutex
	_      [112]byte
}

type table struct {
	players [2]player
	strokes uint64
	_       [120]byte
}

func (t *table) play(me, strokes int) {
	ours, theirs := &t.players[me].blocks, &t.players[1-me].blocks
	for n := 0; n < strokes; n++ {
		ours[n%2].Lock()
		if t.strokes != uint64(2*n+1-me) {
			fmt.Fprintln(os.Stderr, "a player made a stroke that was its opponent's")
			os.Exit(1)
		}
		t.strokes++
		theirs[(n+me)%2].Lock()
		ours[n%2].Unlock()
		theirs[(n+me+1)%2].Unlock()
	}
}

func cpu() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Both players take their opponent's first block, and who serves the second one too, before anybody begins.
func tournament(games, strokes int) (start, play, used time.Duration) {
	var there, ended sync.WaitGroup
	tables, begin := make([]*table, games), make(chan struct{})
	for i := range tables {
		tables[i] = new(table) // alone, it is aligned to its lines
	}
	usedBefore, started := cpu(), time.Now()
	there.Add(2 * games)
	ended.Add(2 * games)
	for i := range tables {
		for me := 0; me < 2; me++ {
			go func(t *table, me int) {
				t.players[1-me].blocks[0].Lock()
				if me == 0 {
					t.players[1].blocks[1].Lock()
				}
				there.Done()
				<-begin
				if me == 0 {
					t.players[1].blocks[0].Unlock()
				}
				t.play(me, strokes)
				ended.Done()
			}(tables[i], me)
		}
	}
	there.Wait()
	begun := time.Now()
	close(begin)
	ended.Wait()
	return begun.Sub(started), time.Since(begun), cpu() - usedBefore
}

// Tests with bound threads, or locks that processes share, are not for goroutines.
func pingPong(name string) bool {
	const paper, trial = 1000000, 2000
	games, strokes, scale := 1, trial, 1.0
	switch name {
	case "baseline", "test-1", "test-2", "test-3":
	case "test-5", "test-6":
		games = 4
	case "test-8", "test-9":
		games, strokes = 5000, 100
	default:
		return false
	}
	if games < 5000 {
		_, play, _ := tournament(games, trial)
		if fit := int(trial * length.Seconds() / play.Seconds()); fit > paper {
			strokes = paper
		} else if fit > trial {
			strokes = fit
		}
		scale = float64(paper) / float64(strokes)
	}
	start, play, used := tournament(games, strokes)
	if games == 5000 {
		fmt.Printf("start %.6g ms\n", start.Seconds()*1e3)
	}
	fmt.Printf("play %.6g ms\ncpu %.6g ms\n", play.Seconds()*1e3*scale, used.Seconds()*1e3*scale)
	return true
}

func measure(name string) bool {
	switch name {
	case "create-join":
		timeEach(16, createJoin)
	case "batch":
		timeEach(1000, batch)
	case "yield":
		go yieldsForEver()
		timeEach(2*64, yields)
	case "semaphore":
		semaphore()
	case "condition":
		timeEach(64, turns())
	case "lock":
		timeEach(1024, locks())
	case "ping-pong-1":
		matches(1)
	case "ping-pong-4":
		matches(4)
	case "contended":
		contended()
	case "spawn-tree":
		tree(27)
	case "spawn-tree-20":
		tree(20)
	case "beside", "mixed":
		pagefault(name == "mixed")
	default:
		if n, err := strconv.Atoi(name); err == nil && n > 0 { // of scale
			scale(n)
			return true
		}
		return pingPong(name) || ofPapers(name) || echo(name)
	}
	return true
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: go CASE SECONDS NAME")
		os.Exit(2)
	}
	seconds, err := strconv.ParseFloat(os.Args[2], 64)
	if err != nil || seconds <= 0 {
		os.Exit(2)
	}
	length = time.Duration(seconds * 1e9)
	if !measure(os.Args[1]) {
		os.Exit(77)
	}
}
