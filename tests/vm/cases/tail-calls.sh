#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: calls that end by a tail call: direct, by pointer, in a chain, into the kernel, never; exact counts and times
# long: 81 s
# vm: --icount --append tsc=reliable
# arch: x86: on others the kernel has frame pointers and no tail calls
. /lab/lib.sh
ok modprobe ktruth

# latency FUNCTION NAME ARGUMENT COUNT [OPTION...]: measure a planted function
latency() {
	function=$1 name=$2 argument=$3 count=$4
	shift 4
	ok ktrace latency "$function" "$@" --json -- sh -c "echo alone $name $argument $count >/proc/ktruth"
	balanced "$function"
}

# The report must account for every call that was entered.
balanced() {
	sum=$(($(field count) + $(field filtered) + $(field over_quota) + $(field open) + $(field abandoned) + $(field overflow)))
	expect_eq "$1: calls entered" "$(field entered)" $sum
}

# near WHAT TRUTH: compare the instructions of the corrected mean
near() {
	awk -v what="$1" -v truth="$2" -v mean="$(field mean_ns)" -v raw="$(field raw_mean_ns)" 'BEGIN {
		printf "%-28s truth %8.1f  measured %8.1f (%+.1f)  uncorrected %8.1f\n", what, truth, mean, mean - truth, raw
		off = mean > truth ? mean - truth : truth - mean
		exit !(off <= 6 || off <= truth / 50)
	}' || fail "$1: too far from the truth"
}

# The instructions around ktruth_run(): the jump to it, and its return.
for n in 48 4998; do
	latency ktruth_tail tail $n 20
	expect_eq "direct" "$(field count)" 20
	expect_match "how it ends" "$out" '"method":"kretprobe"'
	near "direct" $((4 + 2 * n + 2))
	latency ktruth_tail tail $n 20 METHOD breakpoint
	near "direct, by breakpoint" $((4 + 2 * n + 2))
	latency ktruth_tail_chain tail_chain $n 20
	near "in a chain" $((4 + 2 * n + 3))
	latency ktruth_tail_pointer tail_pointer $n 20
	expect_eq "through a pointer" "$(field count)" 20
	latency ktruth_tail_maybe tail_maybe $((n + 1)) 20
	near "where it jumps" $((4 + 2 * (n + 1) + 4))
done
latency ktruth_tail_maybe tail_maybe 48 20
near "where it returns" 3
latency ktruth_tail_kernel tail_kernel 144 20
expect_eq "into the kernel" "$(field count)" 20

# The target function has calls of its own: one more than the jumps to it.
latency ktruth_run tail 48 20
expect_eq "the callee" "$(field count)" 20
near "the callee" $((4 + 2 * 48))

# Options work as for any call.
ok ktrace latency ktruth_tail IF '$@arg1@ == 7' --json -- sh -c 'echo time tail 5 30 >/proc/ktruth; echo time tail 7 20 >/proc/ktruth'
balanced "IF"
expect_eq "let through, and not" "$(field count) $(field filtered)" "20 30"
ok ktrace latency ktruth_tail --count 10 --json -- sh -c 'echo time tail 5 30 >/proc/ktruth'
expect_eq "--count" "$(field count)" 10

# Functions that jump to each other: their calls share a stack and end at once; the outermost is timed.
latency ktruth_tail_ping tail_ping 10 20
expect_eq "entered there and back" "$(field entered)" 120
expect_eq "none is open" "$(field open)" 0
expect_eq "each end has a beginning" "$(field unmatched)" 0

# By the exit: by the jump or by the return, each with its calls and their time.
# exit_near PATTERN COUNT TRUTH: the row of an exit in the CSV of $out
exit_near() {
	printf '%s\n' "$out" | grep -E "^group,\"$1\"" | tr -d '"' | awk -F, -v what="$1" -v count="$2" -v truth="$3" '{
		printf "%-60s %d calls, truth %8.1f  measured %8.1f\n", $2, $3, truth, $6
		off = $6 > truth ? $6 - truth : truth - $6
		good += $3 == count && (!truth || off <= 6 || off <= truth / 50)
	}
	END { exit good != 1 }' || fail "exit $1: not $2 calls of $3: $out"
}
for method in "" "METHOD breakpoint"; do
	ok ktrace latency ktruth_tail_maybe $method --by EXIT --csv -- \
		sh -c 'echo alone tail_maybe 499 20 >/proc/ktruth; echo alone tail_maybe 48 30 >/proc/ktruth'
	exit_near 'tail call of ktruth:ktruth_run at ktruth:ktruth_tail_maybe\+0x[0-9a-f]+' 20 $((4 + 2 * 499 + 4))
	exit_near 'return at ktruth:ktruth_tail_maybe\+0x[0-9a-f]+' 30 3
	expect_eq "exits that were taken" "$(count_matches "$out" '^group')" 2
done
ok ktrace latency ktruth_tail_pointer --by EXIT --csv -- sh -c 'echo alone tail_pointer 48 20 >/proc/ktruth'
exit_near 'tail call of .* at ktruth:ktruth_tail_pointer\+0x[0-9a-f]+' 20 0
# Of calls that share a stack the first is timed, and its exit is the jump.
ok ktrace latency ktruth_tail_ping --by EXIT --csv -- \
	sh -c 'echo alone tail_ping 10 20 >/proc/ktruth; echo alone tail_ping 1 7 >/proc/ktruth'
exit_near 'tail call of ktruth:ktruth_tail_pong at .*' 20 0
exit_near 'return at .*' 7 0

# A thread that ends in the call: the call never returns, and is not timed.
run ktrace latency ktruth_tail_gone --json -- sh -c 'echo time tail_gone 47 3 >/proc/ktruth; echo time tail_gone 48 5 >/proc/ktruth'
expect_status 5
expect_eq "in threads of others" "$(field entered)" 0
ktrace latency ktruth_tail_gone --for 60s --json >/tmp/out 2>/tmp/err &
wait_until 60 sh -c 'ktrace list | grep -q ktruth_tail_gone%return'
usleep 3000000
echo time tail_gone 47 3 >/proc/ktruth
echo time tail_gone 48 5 >/proc/ktruth
kill -INT $!
wait $!
out=$(cat /tmp/out)
balanced "threads that end"
expect_eq "entered, counted, end not seen" "$(field entered) $(field count) $(field abandoned)" "8 5 3"

# %return: the value of the function that was jumped to, with the type of the named function.
ok ktrace trace ktruth_tail_maybe%return REG @acc@ ELAPSED ENTRY '$@arg1@' PID
expect_match "the echo" "$out" '^ktruth:ktruth_tail_maybe%return +kretprobe +return to the caller$'
echo alone tail_maybe 48 2 >/proc/ktruth
echo alone tail_maybe 49 3 >/proc/ktruth
ok ktrace print
expect_eq "records" "$(printf '%s\n' "$out" | grep -c '^ktruth:ktruth_tail_maybe%return ')" 5
expect_eq "its value" "$(count_matches "$out" '@acc@=0*30 .*\$@arg1@=48 ')" 2
expect_eq "the other's value" "$(count_matches "$out" '@acc@=0*31 .*\$@arg1@=49 ')" 3
expect_match "what list says" "$(ktrace list -v)" '^ktruth:ktruth_tail_maybe%return +kretprobe +5 +0 +return to the caller +REG @acc@ ELAPSED'
ok ktrace delete ktruth_tail_maybe%return
expect_eq "nothing is left" "$(ktrace list | wc -l)" 0

# The frame's variables are gone, or their location is unknown; the message suggests ENTRY, or debug
# information.
run ktrace trace vfs_open%return VAR file
expect_status 1
expect_match "why, and what to do" "$err" \
	"^ktrace: .*('file' no longer exists.*ENTRY file|'file' is known only at the entry of vfs_open: .*install)"

# Functions of the kernel itself.
ok ktrace latency vfs_open --json -- cat /etc/passwd
[ "$(field count)" -gt 0 ] || fail "vfs_open was not counted"
well
