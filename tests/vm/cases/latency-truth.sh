#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: corrected durations of functions of known length: short, long, recursive, preempted, asleep; from A to B
# long: 75 s
# vm: --icount --append tsc=reliable
. /lab/lib.sh
modprobe ktruth

# measured NAME: the instructions of each call, as the function measured itself
measured() {
	sed -n "s/^time $1 calls \([0-9]*\) ticks \([0-9]*\)$/\1 \2/p" /proc/ktruth
}

# near WHAT TRUTH: the corrected mean must be within 2 % or 3 instructions; prints the uncorrected mean, too
near() {
	awk -v what="$1" -v truth="$2" -v mean="$(field mean_ns)" -v raw="$(field raw_mean_ns)" -v count="$(field count)" 'BEGIN {
		printf "%-34s truth %10.1f  measured %10.1f (%+.1f)  uncorrected %10.1f (%+.1f)  calls %d\n", what, truth,
			mean, mean - truth, raw, raw - truth, count
		off = mean > truth ? mean - truth : truth - mean
		exit !(off <= 3 || off <= truth / 50)
	}' || fail "$1: too far from the truth"
}

# latency FUNCTION HOW NAME ARGUMENT COUNT [OPTION...]: measure a planted function
latency() {
	latency_of=$1 how=$2 name=$3 argument=$4 count=$5
	shift 5
	ok ktrace latency $latency_of "$@" --json -- sh -c "echo $how $name $argument $count >/proc/ktruth"
}

for n in 3 48 498 4998 49998; do
	for method in jump breakpoint; do
		latency ktruth_run alone run $n 50 METHOD $method
		expect_eq count "$(field count)" 50
		near "run, $method" $((4 + 2 * n))
	done
	latency ktruth_spin alone spin $n 50
	near "spin" $((1 + 2 * n))
	latency ktruth_run alone run $n 50 IF '$@arg1@ > 1'
	near "run, IF" $((4 + 2 * n))
	latency ktruth_run alone run $n 50 --by comm
	near "run, by comm" $((4 + 2 * n))
	latency ktruth_run alone run $n 50 REG @saved@ BACKTRACE --top 5
	near "run, the slowest recorded" $((4 + 2 * n))
	# The mean over depths 0 to 4: each contains its inner calls, and a number of instructions around them.
	around=@nest_around@
	for method in jump breakpoint; do
		latency ktruth_nest alone nest $n 20 METHOD $method
		expect_eq "calls of calls" "$(field count)" 100
		near "recursion, $method" $((6 + 2 * n + 2 * (around + 2 * n)))
	done
done

# A jump without code of its own; a quota, which such code counts down.
latency ktruth_run alone run 48 50 METHOD plain
near "run, plain" 100
latency ktruth_nest alone nest 48 20 METHOD plain
near "recursion, plain" $((6 + 2 * 48 + 2 * (around + 2 * 48)))
latency ktruth_run alone run 48 50 --count 40
expect_eq "the quota" "$(field count)" 40
near "run, --count" 100

# Another thread in between; asleep: compare with their own measurement, minus the instructions around it.
for name in preempted slept; do
	[ $name = slept ] && n=400 || n=60000
	set -- $(measured $name)
	latency ktruth_$name time $name $n 40
	set -- "$1" "$2" $(measured $name)
	near "$name" $((($4 - $2) / ($3 - $1)))
done

# From A to B: from the traced instruction of A to the one before that of B.
for method in jump breakpoint; do
	for n in 3 48 498 4998 49998; do
		[ $n = 48 ] && across=--across || across=
		for across in "" $across; do
			ok ktrace latency ktruth_half METHOD $method ktruth_other_half METHOD $method $across --json -- \
				sh -c "echo alone halves $n 40 >/proc/ktruth"
			expect_eq count "$(field count)" 40
			near "A to B, $method $across" $((5 + 2 * n))
		done
	done
done

# --raw is not corrected, and shows the correction that it leaves out.
latency ktruth_run alone run 48 50 --raw
[ "$(field mean_ns)" != "100.000" ] || fail "--raw is corrected"
expect_eq "raw mean" "$(field mean_ns)" "$(field raw_mean_ns)"
well
