#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: latency beside other tracepoints at the same addresses, and where others were: corrected as if it were alone
# long: 80 s
# vm: --icount --append tsc=reliable
. /lab/lib.sh
modprobe ktruth

# near WHAT TRUTH: the corrected mean must be within 2 % or 3 instructions
near() {
	awk -v what="$1" -v truth="$2" -v mean="$(field mean_ns)" -v raw="$(field raw_mean_ns)" 'BEGIN {
		printf "%-50s truth %7.1f  measured %7.1f (%+.1f)  uncorrected %7.1f\n", what, truth, mean, mean - truth, raw
		off = mean > truth ? mean - truth : truth - mean
		exit !(off <= 3 || off <= truth / 50)
	}' || fail "$1: too far from the truth"
}

run=100 around=@nest_around@
nest=$((6 + 2 * 48 + 2 * (around + 2 * 48)))

# measured WHAT [OPTION...]: the two functions, of known length
measured() {
	what=$1
	shift
	ok ktrace latency ktruth_run "$@" --json -- sh -c 'echo alone run 48 50 >/proc/ktruth'
	expect_eq "calls, $what $*" "$(field count)" 50
	near "$what, run $*" $run
	ok ktrace latency ktruth_nest "$@" --json -- sh -c 'echo alone nest 48 20 >/proc/ktruth'
	expect_eq "calls of calls, $what $*" "$(field count)" 100
	near "$what, recursion $*" $nest
}

everywhere() {
	for options in "" "METHOD plain" "METHOD breakpoint"; do
		# shellcheck disable=SC2086
		measured "$1" $options
		# What a breakpoint of the measurement took away comes back a little later; until then nothing is corrected.
		ok sites jumps 60
	done
	ok ktrace latency ktruth_run IF '$@arg1@ > 1' --json -- sh -c 'echo alone run 48 50 >/proc/ktruth'
	near "$1, run IF" $run
}

measured alone
# Others at both ends: with machine code of their own, without, and by breakpoints; then at the entry alone, and at the return alone.
for method in jump plain breakpoint; do
	ok ktrace -q trace ktruth_run PID METHOD $method ktruth_run%return PID METHOD $method \
		ktruth_nest PID METHOD $method ktruth_nest%return PID METHOD $method
	ok sites jumps 60
	if [ $method = jump ]; then
		everywhere "beside $method"
	else
		measured "beside $method"
	fi
	ok ktrace -q -e 'delete *'
done
for end in "" %return; do
	ok ktrace -q trace "ktruth_run$end" PID "ktruth_nest$end" PID
	ok sites jumps 60
	measured "beside one at${end:- the entry}"
	ok ktrace -q -e 'delete *'
done

# mixed WHAT COMMAND: they come or go meanwhile, so the figure is not known
mixed() {
	ok ktrace latency ktruth_run --json -- sh -c "$2; echo alone run 48 50 >/proc/ktruth"
	expect_match "$1" "$out" '"is_mixed":true'
}

for method in jump plain; do
	ok ktrace -q trace ktruth_run PID METHOD $method ktruth_run%return PID METHOD $method
	ok sites jumps 60
	mixed "others go" 'ktrace -q -e "delete *"'
	mixed "others come" "ktrace -q trace ktruth_run PID METHOD $method"
	ok ktrace latency ktruth_run -- sh -c 'ktrace -q -e "delete *"; echo alone run 48 50 >/proc/ktruth'
	expect_match "the report" "$out" 'set or removed at the same addresses meanwhile'
	measured "alone again"
	expect_match "nothing came" "$out" '"is_mixed":false'
done

# Two measurements of one function: each hit costs the one as much as there is to do for the other.
ktrace latency ktruth_run --count 1000000 --json -- sh -c 'touch /tmp/first; until [ -e /tmp/second ]; do sleep 0.1; done' >/tmp/one 2>&1 &
wait_until 60 test -e /tmp/first
ok ktrace latency ktruth_run --json -- sh -c 'echo alone run 48 50 >/proc/ktruth'
expect_match "beside another" "$out" '"applied":false,"why_not":"other measurements at the same address change the cost"'
expect_eq "uncorrected" "$(field mean_ns)" "$(field raw_mean_ns)"
touch /tmp/second
wait $!

# Somebody's kprobe sits on a jump that was made for another tracepoint, so the jump stays as it is, in whichever form.
events=/sys/kernel/tracing forms=@jump_forms@
ok ktrace -q trace vfs_write PID METHOD jump
ok sites jumps 60
echo "p:lab $(places vfs_write | head -n 1)" >>$events/kprobe_events && echo 1 >$events/events/kprobes/lab/enable || fail "no kprobe on a jump"
ok ktrace latency vfs_write --json -- syscalls write 20
if [ $forms -gt 1 ]; then
	expect_match "beside a kprobe" "$out" '"applied":false,"why_not":"other tracepoints there change the cost"'
else
	expect_match "beside a kprobe" "$out" '"applied":true'
fi
echo 0 >$events/events/kprobes/lab/enable
echo '-:lab' >>$events/kprobe_events
ok ktrace latency vfs_write --json -- syscalls write 20
expect_match "without it" "$out" '"applied":true'
well
