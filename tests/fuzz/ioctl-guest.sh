#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest: run the fuzzer with the given arguments beside some load, then count the memory that the kernel
# keeps.
for knob in panic_on_warn softlockup_panic hung_task_panic panic_on_rcu_stall; do
	[ ! -e /proc/sys/kernel/$knob ] || echo 1 >/proc/sys/kernel/$knob
done
updates=/lib/modules/$(uname -r)/updates

load() {
	insmod "$updates/ktrace.ko" && insmod "$updates/ktrace_user.ko"
}

unload() {
	rmmod ktrace && rmmod ktrace_user
}

# Free the memory that can be freed, and print the rest in KiB.
kept() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
	sleep 2
	awk '/^(SUnreclaim|KernelStack|PageTables|Percpu|VmallocUsed):/ { sum += $2 } END { print sum }' /proc/meminfo
}

# A first round does not count: caches and pools of the kernel grow in it.
load && fuzz-ioctl --count 1000 >/dev/null && unload || exit 1
before=$(kept)
load || exit 1
mixload -d /tmp 0 >/dev/null 2>/tmp/load.err &
load=$!
# Tracepoints in the middle of an instruction may kill it; nobody else.
[ ! -e /proc/sys/debug/exception-trace ] || echo 0 >/proc/sys/debug/exception-trace
(while :; do usertruth 50 >/dev/null 2>&1; done) &
victim=$!
fuzz-ioctl "$@"
status=$?
kill $load || {
	cat /tmp/load.err >&2
	status=1
}
kill $victim
wait
unload || exit 1
after=$(kept)
echo "kernel memory: $before KiB before, $after KiB after"
if [ $((after - before)) -gt 4096 ]; then
	echo "FAILED: $((after - before)) KiB are not given back" >&2
	exit 1
fi
if grep -q ktrace /proc/vmallocinfo /proc/modules; then
	echo "FAILED: the module is gone, but not what it had: $(grep ktrace /proc/vmallocinfo /proc/modules | head -3)" >&2
	exit 1
fi
exit $status
