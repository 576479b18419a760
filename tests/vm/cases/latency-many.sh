#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: latency over a pattern: each function's calls and times are as planted; what cannot be measured is named
# long: 40 s
# vm: --icount --append tsc=reliable
. /lab/lib.sh
modprobe ktruth

# of FUNCTION KEY: a figure of one function
of() {
	printf '%s\n' "$out" | grep "\"name\":\"ktruth:$1\"" | grep -o "\"$2\":[0-9.]*" | head -n 1 | sed 's/.*://'
}

# near FUNCTION TRUTH: the corrected mean must be within 2 % or 3 instructions
near() {
	awk -v mean="$(of $1 mean_ns)" -v truth="$2" -v what="$1" 'BEGIN {
		printf "%-20s truth %8.1f  measured %8.1f\n", what, truth, mean
		off = mean > truth ? mean - truth : truth - mean
		exit !(mean != "" && (off <= 3 || off <= truth / 50))
	}' || fail "$1: too far from the truth"
}

command="for one in run_498_50 spin_4998_30 nest_48_20; do echo alone \$(echo \$one | tr _ ' ') >/proc/ktruth; done
echo call fails 10 >/proc/ktruth"
ok ktrace latency 'ktruth:ktruth_*' --json -- sh -c "$command"
expect_eq "calls of run" "$(of ktruth_run count)" 50
expect_eq "calls of spin" "$(of ktruth_spin count)" 30
expect_eq "calls of nest" "$(of ktruth_nest count)" 100
expect_eq "calls of fails" "$(of ktruth_fails count)" 10
expect_eq "calls of square" "$(of ktruth_square count)" 0
near ktruth_run $((4 + 2 * 498))
near ktruth_spin $((1 + 2 * 4998))
around=@nest_around@
near ktruth_nest $((6 + 2 * 48 + 2 * (around + 2 * 48)))
together=$(of ktruth_time mean_ns)
expect_match 'what cannot be measured' "$err" '^ktrace: [0-9]+ of [0-9]+ functions are not measured: .*ktruth:ktruth_registers'
ok ktrace latency 'ktruth:ktruth_*' -- sh -c "$command"
printf '%s\n' "$out"
expect_match 'as text' "$out" '^ktruth:ktruth_nest +100 '
expect_match 'as text' "$out" '^[0-9]+ of [0-9]+ functions had no call$'

# A call that contains other measured calls takes as long as when it is measured alone.
ok ktrace latency ktruth:ktruth_time --json -- sh -c "$command"
near ktruth_time "$together"
ok ktrace list
expect_eq "nothing is left" "$out" ""
well
