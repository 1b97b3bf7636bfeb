// SPDX-License-Identifier: BSD-2-Clause

// The cases of micro.c on goroutines.  It takes `PEER CASE SECONDS NAME` and answers as bench.h tells.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"
)

var length time.Duration

func timeEach(n int, operations func()) {
	operations()
	start := time.Now()
	count := 0
	for {
		operations()
		count += n
		if elapsed := time.Since(start); elapsed >= length {
			fmt.Printf("- %.6g ns\n", float64(elapsed.Nanoseconds())/float64(count))
			return
		}
	}
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

func condition() {
	var lock sync.Mutex
	ours := [2]*sync.Cond{sync.NewCond(&lock), sync.NewCond(&lock)}
	turn, over := 0, false
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
		for !over {
			take(1)
		}
	}()
	timeEach(64, func() {
		for i := 0; i < 64; i++ {
			take(0)
		}
	})
}

func measure(name string) bool {
	switch name {
	case "create-join":
		timeEach(16, func() {
			for i := 0; i < 16; i++ {
				<-spawn(nothing)
			}
		})
	case "batch":
		timeEach(1000, batch)
	case "yield":
		go func() {
			for {
				runtime.Gosched()
			}
		}()
		timeEach(2*64, func() {
			for i := 0; i < 64; i++ {
				runtime.Gosched()
			}
		})
	case "semaphore":
		semaphore()
	case "condition":
		condition()
	case "lock":
		var lock sync.Mutex
		timeEach(1024, func() {
			for i := 0; i < 1024; i++ {
				lock.Lock()
				lock.Unlock()
			}
		})
	case "spawn-tree":
		timeEach(21891, func() {
			if <-spawn(func() int { return fib(20) }) != 6765 {
				os.Exit(1)
			}
		})
	default:
		return false
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
