// SPDX-License-Identifier: GPL-2.0-or-later
// contents.go - strings and slices as parameters: empty, short, long, and of each other.
package main

import "strings"

type pair struct {
	x, y int32
}

//go:noinline
func texts(part string, whole *string, empty string) int {
	return len(part) + len(*whole) + len(empty)
}

//go:noinline
func slices(numbers []int, pairs []pair, names []string, empty []byte) int {
	return len(numbers) + len(pairs) + len(names) + len(empty)
}

func main() {
	whole := strings.Repeat("y", 70)
	println(texts("taken apart"[:5], &whole, "") +
		slices([]int{-1, 2, 3}, []pair{{1, -2}, {3, 4}}, []string{"first", "second"}, nil))
}
