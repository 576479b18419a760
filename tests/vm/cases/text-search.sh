#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: trace the kernel's search for symbols and functions for which the kernel searches in one call: nobody waits for it
# long: 40 s
# vm: --smp 2 --module-args brake=0
# Before Linux 6.2 the kernel compares the names of all its symbols in order to say whether a function with a suffix (.part.0) may have a
# probe. A breakpoint in that search is hit a million times by each.
. /lab/lib.sh

search=$(awk '$3 ~ /^kallsyms_expand_symbol/ { print $3 }' /proc/kallsyms)
suffixed=$(awk '$2 == "t" && NF == 3 && $3 ~ /\.(part|constprop|isra)\.[0-9]+$/ { print $3 }' /proc/kallsyms | sort | uniq -u | head -300)
names=$(accepted $(for name in $search; do awk -v name="$name" 'BEGIN { while (++i < 128) printf "%s+%#x\n", name, i }'; done) $suffixed)
n=$(echo "$names" | wc -l)
[ "$n" -ge 200 ] || fail "only $n can be traced"

flip 1000 >/tmp/flips &
flipping=$!
began=$(cut -d. -f1 /proc/uptime)
echo "trace $(printf '%s METHOD breakpoint ' $names)" >/tmp/script
ok ktrace -q -f /tmp/script
took=$(($(cut -d. -f1 /proc/uptime) - began))
kill "$flipping"
wait "$flipping" || fail "the static key could not be switched"
read -r flips waited </tmp/flips
echo "$n set in $took s; $flips times a static key was switched meanwhile, the longest took $waited ms"
[ "$waited" -le 1500 ] || fail "a static key waited $waited ms"
[ "$took" -le 60 ] || fail "$n took $took s"
ok sites drain 60
well
