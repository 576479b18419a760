#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: ELAPSED and ENTRY at %return: planted arguments and durations, recursion, unpaired calls, others at entry
# long: 45 s
# vm: --icount --append tsc=reliable
. /lab/lib.sh
ok modprobe ktruth

calls() {
	echo "alone $1 $2 $3" >/proc/ktruth
}

# values NAME: print this item of all records in the last run(), one a line
values() {
	grep '"type":"record"' /tmp/out | sed -n "s/.*{\"name\":\"$1\",\"value\":\"\{0,1\}\([^,\"}]*\)\"\{0,1\}[,}].*/\1/p"
}

printed() {
	ok ktrace --json print
	ktrace -q clear || fail "clear"
}

# The argument at entry; the duration is that of the loop plus the cost of the tracepoints.
ok ktrace trace ktruth_spin%return ELAPSED ENTRY '$@arg1@' REG @arg1@
ok ktrace list
expect_eq "listed as it was typed" "$out" "ktruth_spin%return  ELAPSED ENTRY \$@arg1@ REG @arg1@"
list=$out
ok ktrace trace $list
ok ktrace list
expect_eq "pasted back" "$out" "$list"
for n in 498 4998 49998; do
	calls spin $n 3
	printed
	expect_eq "argument $n" "$(values '$@arg1@' | sort -u)" $n
	expect_eq "records of $n" "$(values elapsed | wc -l)" 3
	values elapsed | awk -v truth=$((1 + 2 * n)) '{ print "spin: truth", truth, "shown", $1; bad += $1 < truth || $1 > truth + 1000 } END { exit bad > 0 }' ||
		fail "elapsed of $n"
done
calls spin 49998 1
ok ktrace print
expect_match "a time with its unit" "$out" 'elapsed=10[0-9](\.[0-9]+)? us  '
ok ktrace clear

# IF with every unit.
for limit in 50us 50000ns 0.05ms 0.00005s; do
	ok ktrace trace ktruth_spin%return ENTRY '$@arg1@' IF "ELAPSED > $limit"
	calls spin 4998 2
	calls spin 49998 2
	printed
	expect_eq "IF ELAPSED > $limit" "$(values '$@arg1@' | sort | uniq -c | tr -s ' ')" ' 2 49998'
done

# An inner call has its own argument, and takes less time.
ok ktrace trace ktruth_nest%return ELAPSED ENTRY '$@arg1@'
calls nest 200 40
printed
expect_eq "depths" "$(values '$@arg1@' | sort | uniq -c | tr -s ' ' | tr '\n' ';')" " 40 0; 40 1; 40 2; 40 3; 40 4;"
values elapsed | awk '{ if (NR % 5 != 1 && $1 <= last) bad++; last = $1 } END { exit bad > 0 || NR != 200 }' || fail "an inner call took longer"

# The entry may be traced, too: each consumer has its own tracepoint there, and is deleted separately.
ok ktrace trace ktruth_nest PID
calls nest 200 2
printed
expect_eq "at the return" "$(values elapsed | wc -l)" 10
expect_eq "at the entry" "$(values pid | wc -l)" 10
ok ktrace delete ktruth_nest
calls nest 200 2
printed
expect_eq "at the return alone" "$(values elapsed | sort -n | awk '$1 > 0' | wc -l)" 10
run ktrace delete ktruth_nest
expect_status 1
ok ktrace trace ktruth_nest PID
ok ktrace delete ktruth_nest%return
calls nest 200 2
printed
expect_eq "at the entry alone" "$(values elapsed | wc -l) $(values pid | wc -l)" "0 10"
ok ktrace trace ktruth_nest%return ELAPSED
ok ktrace trace ktruth_spin%return PID
ok ktrace trace ktruth_spin PID
ok ktrace delete '*'
expect_match "nothing is left" "$(ktrace --json status)" '"tracepoints": ?"?0'

# This call began before the tracepoint was set.
echo "time slept 400000 3" >/proc/ktruth &
sleep 0.1
ok ktrace trace ktruth_slept%return ELAPSED ENTRY '$@arg1@'
wait
ok ktrace print
expect_match "unpaired" "$out" 'elapsed=\?  \$@arg1@=\?'
ok ktrace delete '*'

# At other addresses they are refused, with one line.
for wrong in "ktruth_spin ELAPSED" "ktruth_spin ENTRY \$@arg1@" "ktruth_spin IF ELAPSED > 5us" \
	"ktruth_spin%return IF ELAPSED > 5" "ktruth_spin%return IF \$@arg1@ > 5us"; do
	run ktrace trace $wrong
	expect_status 2
	expect_eq "lines of the message" "$(printf '%s\n' "$err" | wc -l)" 1
	echo "$err"
done
expect_eq "nothing is set" "$(ktrace list | wc -l)" 0
# A function of which the compiler has left only a clone.
if grep -q ' copy_strings\.isra\.0$' /proc/kallsyms && ! grep -q ' copy_strings$' /proc/kallsyms; then
	ok ktrace -q -e 'trace copy_strings%return ELAPSED' -e '!ls / >/dev/null' -e printclear -e 'delete *'
	expect_match "its clone" "$out" '^copy_strings\.isra\.0.* elapsed=[0-9.]+ [num]?s'
fi
