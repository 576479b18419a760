// SPDX-License-Identifier: GPL-2.0-or-later
// program.go - a Go program whose variables are compared with the answers of gdb.
package main

import "fmt"

type Thing struct {
	V    int
	Name string
}

//go:noinline
func (t *Thing) Add(by int) int {
	z := t.V + by
	t.V = z
	return z
}

//go:noinline
func sum(x int, bytes []byte) int {
	s := x
	for _, b := range bytes {
		s += int(b)
	}
	return s
}

func main() {
	t := &Thing{1, "abc"}
	fmt.Println(t.Add(2), sum(5, []byte(t.Name)))
}
