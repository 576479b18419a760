// SPDX-License-Identifier: GPL-2.0-or-later

// A program of Go whose goroutines move between threads and whose stacks grow, and which tells the truth about its calls:
//
//	moves COUNT [MICROSECONDS [GOROUTINES]]
//
// Eight goroutines, or as many as it is told, call each function below COUNT times; a call that returns takes that long.
// For each function it prints
//
//	truth NAME CALLS ARGUMENTS RETURNS VALUES NANOSECONDS
//
// how many calls began, the sum of their first argument, how many returned, the sum of what they returned, and how long
// those took in all; for a variable
//
//	local FILE:LINE VARIABLE TIMES SUM
//
// and how many calls of hop() ended on another thread, and how many calls of grow() ended on another stack:
//
//	moved HOPS GROWTHS
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

type told struct {
	name                                           string
	calls, arguments, returns, values, nanoseconds int64
}

var (
	hops     = told{name: "main.hop"}
	grows    = told{name: "main.grow"}
	walks    = told{name: "main.walk"}
	takes    = told{name: "main.take"}
	throughs = told{name: "main.through"}
	guardeds = told{name: "main.guarded"}
	leaves   = told{name: "main.leave"}
	gets     = told{name: "main.(*pool).get"}

	length                  time.Duration
	localTimes, localSum    int64
	localLine               int64
	otherThread, otherStack int64
	yields                  = make(chan int)
)

type pool struct {
	id     int
	name   string
	weight float64
	share  float32
}

func began(t *told, argument int) time.Time {
	atomic.AddInt64(&t.calls, 1)
	atomic.AddInt64(&t.arguments, int64(argument))
	return time.Now()
}

func ended(t *told, at time.Time, value int) int {
	atomic.AddInt64(&t.nanoseconds, int64(time.Since(at)))
	atomic.AddInt64(&t.returns, 1)
	atomic.AddInt64(&t.values, int64(value))
	return value
}

func spin() {
	for at := time.Now(); time.Since(at) < length; {
	}
}

// It gives up its thread until it is on another one, or has tried 20 times.
//
//go:noinline
func hop(n int) int {
	at := began(&hops, n)
	thread := syscall.Gettid()
	for i := 0; i < 20 && syscall.Gettid() == thread; i++ {
		yields <- n
		runtime.Gosched()
	}
	if syscall.Gettid() != thread {
		atomic.AddInt64(&otherThread, 1)
	}
	spin()
	return ended(&hops, at, n+1)
}

// Calls itself until the stack has grown several times; each call has much on the stack.
//
//go:noinline
func walk(n, depth int) int {
	at := began(&walks, n)
	var much [64]int
	much[depth%64] = n
	below := 0
	if depth > 0 {
		below = walk(n, depth-1)
	}
	return ended(&walks, at, below+much[depth%64])
}

// While this call is open its stack grows, so it ends on another one.
//
//go:noinline
func grow(n int) int {
	at := began(&grows, n)
	here := 0
	before := uintptr(unsafe.Pointer(&here))
	below := walk(n, 40)
	if uintptr(unsafe.Pointer(&here)) != before {
		atomic.AddInt64(&otherStack, 1)
	}
	spin()
	return ended(&grows, at, below)
}

// Every third call panics.
//
//go:noinline
func take(n int, what *pool) int {
	at := began(&takes, n)
	local := n*7 + what.id
	_, _, line, _ := runtime.Caller(0)
	atomic.AddInt64(&localSum, int64(local))
	atomic.StoreInt64(&localLine, int64(line+1))
	atomic.AddInt64(&localTimes, 1)
	if n%3 == 0 {
		panic(n)
	}
	spin()
	return ended(&takes, at, 2*n+1)
}

// A panic passes through.
//
//go:noinline
func through(n int) int {
	at := began(&throughs, n)
	defer atomic.AddInt64(&otherStack, 0)
	return ended(&throughs, at, take(n, &pool{5, "planted pool", 0.1, -2.5})+n)
}

// It recovers, and so returns each time.
//
//go:noinline
func guarded(n int) (value int) {
	at := began(&guardeds, n)
	defer func() {
		if recover() != nil {
			value = -n
		}
		ended(&guardeds, at, value)
	}()
	return through(n)
}

// The end of the goroutine ends every second call.
//
//go:noinline
func leave(n int) int {
	at := began(&leaves, n)
	if n%2 == 0 {
		runtime.Goexit()
	}
	spin()
	return ended(&leaves, at, n+3)
}

// A method, with a text.
//
//go:noinline
func (p *pool) get(n int, text string) int {
	at := began(&gets, n)
	spin()
	return ended(&gets, at, n+p.id+len(text))
}

// Each runs on a goroutine, and so on a small stack, of its own.
func alone(f func()) {
	done := make(chan bool)
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

func work(count int) {
	for n := 1; n <= count; n++ {
		hop(n)
		alone(func() { grow(n) })
		guarded(n)
		alone(func() { leave(n) })
		(&pool{40, "planted pool", 1e300, 0.1}).get(n, "planted")
	}
}

func number(i, other int) int {
	if i < len(os.Args) {
		if n, err := strconv.Atoi(os.Args[i]); err == nil {
			return n
		}
	}
	return other
}

func main() {
	count := number(1, 1)
	length = time.Duration(number(2, 0)) * time.Microsecond
	goroutines := number(3, 8)
	runtime.GOMAXPROCS(4)
	go func() {
		for range yields {
			runtime.Gosched()
		}
	}()
	var all sync.WaitGroup
	for i := 0; i < goroutines; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			work(count)
		}()
	}
	all.Wait()
	for _, t := range []*told{&hops, &grows, &walks, &takes, &throughs, &guardeds, &leaves, &gets} {
		fmt.Println("truth", t.name, t.calls, t.arguments, t.returns, t.values, t.nanoseconds)
	}
	fmt.Printf("local moves.go:%d local %d %d\n", localLine, localTimes, localSum)
	fmt.Println("moved", otherThread, otherStack)
}
