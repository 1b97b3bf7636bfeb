// SPDX-License-Identifier: BSD-2-Clause

// Goroutines that call into C, where threads are made and joined; and, as a shared library, Go that
// is called by the threads of another program.
package main

/*
#include <pthread.h>
#include <unistd.h>

static void *sleeper(void *arg)
{
	usleep(1000);
	return arg;
}

static long with_threads(long n)
{
	pthread_t threads[64];
	void *value;
	long sum = 0;

	for (long i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, sleeper, (void *)i);
	for (long i = 0; i < n; i++) {
		pthread_join(threads[i], &value);
		sum += (long)value;
	}
	return sum;
}
*/
import "C"

import (
	"fmt"
	"net"
	"os/exec"
	"sync"
	"time"
)

// Long enough to be preempted, by a signal, amid it.
func compute(n int) int {
	x := 0
	for i := 0; i < n; i++ {
		x += i % 7
	}
	return x
}

//export Work
func Work(n int) int {
	var all sync.WaitGroup
	var lock sync.Mutex
	sum := 0

	for i := 0; i < n; i++ {
		all.Add(1)
		go func(i int) {
			defer all.Done()
			time.Sleep(time.Millisecond)
			x := compute(2000000)
			lock.Lock()
			sum += x/x*i + int(C.with_threads(8))
			lock.Unlock()
		}(i)
	}
	all.Wait()
	return sum
}

func main() {
	fmt.Println("goroutines and threads", Work(40))
	addresses, err := net.LookupHost("localhost")
	fmt.Println("localhost", len(addresses) > 0, err)
	said, err := exec.Command("echo", "a child").Output()
	fmt.Print(string(said), err, "\n")
}
