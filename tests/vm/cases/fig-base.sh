#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: BASE: differences count from that record, until ADJACENT
. /lab/lib.sh

ok modprobe ktruth
ok ktrace -q trace ktruth_args6 BASE ktruth_square ktruth_target ADJACENT
truth square 2
truth args6 1
truth square 3
truth args6 1
truth square 2
truth indirect 1
truth square 2
ok ktrace print

# Compute every difference again from the times.
printf '%s\n' "$out" | sed 's/[():]/ /g' | awk '
	/ ADJACENT$/ { based = 0 }
	{
		name = $2; now = ($3 * 60 + $4) * 60 + $5; shown = $6
		if (NR > 1) {
			off = now - (based ? base : last) - shown
			if (off < -43200) off += 86400	# midnight
			if (off > 2e-6 || off < -2e-6) { print "line " NR ": " off; wrong = 1 }
		}
		last = now
	}
	/ BASE$/ { base = now; based = 1 }
	END { exit wrong || NR != 12 }' || fail "differences:
$out"
expect_eq flags "$(printf '%s\n' "$out" | sed -n 's/.*)  \([A-Z]*\)$/\1/p' | tr '\n' ' ')" "BASE BASE ADJACENT "

# The differences of calls after a BASE grow; JSON has the same in nanoseconds.
ok ktrace --json print
expect_eq "JSON" "$(printf '%s\n' "$out" | grep -c '"flags":\["BASE"\]')" 2
printf '%s\n' "$out" | sed -n '4,6s/.*"delta_ns":\([0-9]*\),.*/\1/p' | sort -n -c || fail "they do not grow"
