// SPDX-License-Identifier: BSD-2-Clause

package main

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"syscall"
)

func serve(connection net.Conn) {
	defer connection.Close()
	var buffer [4096]byte
	for {
		n, err := connection.Read(buffer[:])
		if err != nil {
			return
		}
		if _, err = connection.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// The server of echo.sh, a goroutine for each connection, until it is ended.
func echo(name string) bool {
	number, isOurs := strings.CutPrefix(name, "echo/")
	if n, err := strconv.Atoi(number); !isOurs || err != nil || n < 1 {
		return false
	}
	var limit syscall.Rlimit
	must(syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	limit.Cur = limit.Max
	must(syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit))
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	must(err)
	fmt.Printf("listening on %s\n", listener.Addr())
	for {
		connection, err := listener.Accept() // without Nagle's delay
		must(err)
		go serve(connection)
	}
}
