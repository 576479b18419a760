#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: 4 CPUs hit, a reader saves: hits = saved + lost on each CPU, in both modes, with CPU hotplug, in NMIs
# long: 25 s
# vm: --smp 4 --parallel --timeout 900
# No brake: every CPU hits all the time.
# HITS=N: hits on each CPU in each run (`make check-account`: 2500000 on 4 CPUs).
. /lab/lib.sh

HITS=${HITS:-60000}
modprobe ktruth
dmesg -n 1	# backtraces by NMIs are long

# planted: print "CPU N" for each CPU: its hits and NMIs so far
planted() {
	awk '$1 == "cpu" { print $2, $4 + $6 }' /proc/ktruth
}

# since BEFORE AFTER: print the planted hits in between
since() {
	awk 'NR == FNR { before[$1] = $2; next } { print $1, $2 - before[$1] }' "$1" "$2"
}

hit_all() {
	for cpu in 0 1 2 3; do
		taskset $((1 << cpu)) sh -c "echo hit $HITS >/proc/ktruth" &
		hitters="$hitters $!"
	done
}

quiet() {
	:
}

# CPUs 1 to 3 go offline and online again; processes bound to them move to other CPUs.
hotplug() {
	for cpu in 1 2 3; do
		cpu_down $cpu || fail "CPU $cpu does not go off"
		usleep 100000
		cpu_up $cpu || fail "CPU $cpu does not come on"
	done
}

nmis() {
	echo l >/proc/sysrq-trigger
	usleep 20000
}

# while_hitting FUNCTION: repeat it while there are hits
while_hitting() {
	for hitter in $hitters; do
		while kill -0 "$hitter" 2>/dev/null; do
			"$1"
			[ "$1" != quiet ] || wait "$hitter"
		done
	done
	for hitter in $hitters; do
		wait "$hitter" || fail "a hitter: $?"
	done
}

# one MODE RING DISTURBANCE: one run
one() {
	hitters=
	ok ktrace buffer "$2" "$1"
	ok ktrace clear
	ktrace --json status >/tmp/status-before
	planted >/tmp/before
	rm -rf /tmp/f
	ktrace follow -o /tmp/f 2>/tmp/followed &
	reader=$!
	wait_until 20 test -d /tmp/f.part
	hit_all
	while_hitting "$3"
	planted >/tmp/after
	kill -INT $reader
	wait $reader || fail "follow: $(cat /tmp/followed)"
	ok ctfcount /tmp/f 1
	since /tmp/before /tmp/after >/tmp/planted
	printf '%s\n' "$out" | awk '{ print $2, $4 + $6 }' >/tmp/counted
	# A CPU without a hit has no file.
	awk '$2 > 0' /tmp/planted >/tmp/planted-some
	echo "$1 $2 $3: $(awk '{ n += $2 } END { print n }' /tmp/planted) hits; $(cat /tmp/followed | sed 's/^ktrace: //')"
	awk '{ printf "    cpu %s: %s hits\n", $1, $2 }' /tmp/planted
	printf '%s\n' "$out" | sed 's/^/    /'
	cmp /tmp/planted-some /tmp/counted || fail "$1 $2 $3: planted $(cat /tmp/planted), counted $out"
	expect_eq "$1 $2 $3: inside its own code" "$(counted recursed)" 0
	expect_eq "$1 $2 $3: still to be printed" "$(counted pending)" 0
}

ok ktrace -q trace ktruth_hit PID ktruth_in_nmi PID
wait_until 20 sh -c 'ktrace list -v | grep -q "^ktruth:ktruth_hit .*jump"'
while read -r mode ring disturbance; do
	one "$mode" "$ring" "$disturbance"
done <<-RUNS
	overwrite 8M quiet
	discard 8M quiet
	overwrite 16K quiet
	discard 16K quiet
	overwrite 64K hotplug
	discard 64K hotplug
	overwrite 64K nmis
	discard 64K nmis
RUNS
well
