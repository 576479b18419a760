#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest: run the arguments beside a mixed load that checks itself; exit status 1 if the load fails. Any
# complaint of the kernel ends the guest, so that the host knows the batch.
for knob in panic_on_warn softlockup_panic hung_task_panic panic_on_rcu_stall; do
	[ ! -e /proc/sys/kernel/$knob ] || echo 1 >/proc/sys/kernel/$knob
done

# The load's time limits assume a CPU for each process. Here processes share CPUs and wait for each other.
slower() {
	[ ! -w "$1" ] || echo $(($(cat "$1") * $(nproc))) >"$1"
}
slower /sys/module/rcupdate/parameters/rcu_cpu_stall_timeout
slower /proc/sys/kernel/hung_task_timeout_secs
slower /proc/sys/kernel/watchdog_thresh
modprobe ktruth 2>/dev/null
dd if=/dev/zero of=/mnt/load bs=64k count=32 2>/dev/null

# again NAME COMMAND...: repeat the command until it fails or the sweep ends
again() {
	name=$1
	shift
	while [ ! -e /tmp/stop ]; do
		"$@" >/dev/null 2>"/tmp/$name.err" || {
			echo "the load $name went wrong (status $?): $(cat "/tmp/$name.err")" >>/tmp/load.failed
			return
		}
	done
}

truths() {
	[ -e /proc/ktruth ] || sleep 1
	for truth in $(sed -n 's/^call \([a-z0-9_]*\) .*/\1/p' /proc/ktruth 2>/dev/null); do
		echo "call $truth 3" >/proc/ktruth || return 1
	done
}

# Users that patch text themselves: static keys, static calls, ftrace; and CPU hotplug, if there is a third CPU.
tracing=/sys/kernel/tracing
preempt=/sys/kernel/debug/sched/preempt
echo 'vfs_*' >$tracing/set_ftrace_filter

# flip FILE ONE OTHER [SECONDS]: write ONE, and after a while OTHER
flip() {
	echo "$2" >"$1" && sleep "${4:-1}" && echo "$3" >"$1" && sleep "${4:-1}"
}

# Begin only when the sweep has its copy of the original text.
"$@" &
swept=$!
while [ ! -e /tmp/known ] && kill -0 $swept 2>/dev/null; do
	sleep 0.2
done

again events flip $tracing/events/sched/sched_process_fork/enable 1 0 &
again ftrace flip $tracing/current_tracer function nop &
# "none voluntary (full)", or what this kernel offers: use the last two.
[ ! -w $preempt ] || again preempt flip $preempt $(tr -d '()' <$preempt | awk '{ print $NF, $(NF - 1) }') 20 &
[ ! -e /sys/devices/system/cpu/cpu2/online ] || again hotplug flip /sys/devices/system/cpu/cpu2/online 0 1 15 &

# Use a low priority and pauses: on a slow CPU, the kernel's own threads would otherwise hold locks for minutes.
busy() {
	name=$1
	shift
	again "$name" sh -c 'renice -n 19 -p $$ >/dev/null; sleep 0.3; exec "$@"' sh "$@"
}

busy mix-disk mixload -s 1 -d /mnt 2 &
busy mix-memory mixload -s 2 -d /tmp 2 &
busy mix-nobody asuser nobody mixload -s 3 -d /tmp 2 &
busy syscalls syscalls -p 2 write 300 &
busy timers syscalls nanosleep 50 &
busy tcp netload tcp 50 &
busy udp netload udp 50 1000 &
busy forks forkstorm 10 4 &
busy disk dd if=/dev/zero of=/mnt/load bs=64k count=32 conv=fsync &
busy reads dd if=/mnt/load of=/dev/null bs=4k &
again truths truths &

status=0
wait $swept || status=$?
touch /tmp/stop
wait
if [ -e /tmp/load.failed ]; then
	cat /tmp/load.failed >&2
	exit 1
fi
exit $status
