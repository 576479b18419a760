#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest: the jobs of record-jobs.sh, each alone and with one recorder at a time. A line for each:
#
#	RECORDER JOB INSTRUCTIONS REST EVENTS LOST BYTES
#
# INSTRUCTIONS is what the CPU did while the job ran, REST what it did from there until the recorder had ended.
# A value that is not known is "-". Recorders write into memory, so that no disk is waited for.
set -u

traces=/traces
job_names=${2:-compile archive compress desktop tcc pack calls forks}
recorders=${1:-"alone ktrace-core ktrace-same ktrace-lttng ktrace-all lttng-core lttng-all trace-cmd perf-record perf-trace
	alone ktrace-core ktrace-same lttng-core trace-cmd alone ktrace-core ktrace-same lttng-core trace-cmd"}

# ----------------------------------------------------------------------- recorders

bytes_in() {
	find "$1" -type f -exec stat -c %s {} + | awk '{ sum += $1 } END { print sum + 0 }'
}

# measured RECORDER JOB: run the job by the function of the recorder, and print the line. The function runs
# `sh /tmp/job /tmp/$job`, leaves its files in $dir, writes the end into /tmp/end, and sets events and lost.
measured() {
	recorder=$1 job=$2 dir=$traces/$1-$2 events=- lost=-
	rm -rf "$dir" && mkdir -p "$dir"
	case $recorder in
	ktrace-*) with_ktrace "${recorder#ktrace-}" ;;
	*) "with_$(echo "$recorder" | tr - _)" ;;
	esac >&2 || {
		echo "bench: $recorder, $job: failed" >&2
		rm -rf "$dir"
		return
	}
	rest=$(($(cat /tmp/end) - $(cat /tmp/middle)))
	[ $rest -gt 0 ] || rest=0
	echo "$recorder $job $(cat /tmp/ticks) $rest $events $lost $(bytes_in "$dir")"
	rm -rf "$dir"
}

# The job, as a recorder's command or alone. /tmp/middle has the time at its end. What others have written goes to the disk
# before it begins. Compaction empties the CPU's lists of free pages and joins those that lie side by side. Otherwise what
# the job pays for its pages depends on what was freed before. The kernel ends what it does in the background while the
# script sleeps. With `timed=''` the job is not measured.
cat >/tmp/job <<'END'
#!/bin/sh
[ ! -e "$1.before" ] || "$1.before" || exit
sync
echo 1 >/proc/sys/vm/compact_memory
sleep 10
${timed-took /tmp/ticks} "$1" </dev/null >/dev/null
status=$?
took now >/tmp/middle
exit $status
END

with_alone() {
	sh /tmp/job "/tmp/$job" && took now >/tmp/end
}

# What of `core` the others do not record: they have no end of a page fault, and not these.
same='core,-mm_fault_exit,-trap_entry,-x86_irq_vectors_*'

# with_ktrace SETS: the job begins when the module has replaced breakpoints by jumps. Once for each recording it analyses
# the kernel's text for that, in the background. To sleep meanwhile makes no events.
with_ktrace() {
	rmdir "$dir"
	case $1 in
	same) events=$same ;;
	lttng) events="$same,-timer_*" ;;	# it has no probes of timers here
	*) events=$1 ;;
	esac
	ktrace record -o "$dir" --events "$events" -- sh -c "sleep 10; sites jumps 60 >/dev/null && sh /tmp/job /tmp/$job" 2>/tmp/said || { cat /tmp/said; return 1; }
	took now >/tmp/end
	cat /tmp/said
	events=$(sed -n 's/^ktrace: [^ ]*: \([0-9,]*\) events in .*/\1/p' /tmp/said | tr -d ,)
	lost=$(sed -n 's/.* events in .*, \([0-9,]*\|none\) lost.*/\1/p' /tmp/said | sed 's/none/0/;s/,//g')
}

# The tracepoints of core, as tracefs has them.
tracefs_events="sched:sched_switch irq:irq_handler_entry irq:irq_handler_exit irq:softirq_entry irq:softirq_exit
timer:timer_expire_entry timer:timer_expire_exit timer:hrtimer_expire_entry timer:hrtimer_expire_exit
workqueue:workqueue_execute_start workqueue:workqueue_execute_end raw_syscalls:sys_enter raw_syscalls:sys_exit
exceptions:page_fault_user exceptions:page_fault_kernel"
# The same for LTTng, with its own names; system calls come with --syscall.
lttng_events=sched_switch,irq_handler_entry,irq_handler_exit,irq_softirq_entry,irq_softirq_exit
lttng_events=$lttng_events,timer_expire_entry,timer_expire_exit,timer_hrtimer_expire_entry,timer_hrtimer_expire_exit
lttng_events=$lttng_events,workqueue_execute_start,workqueue_execute_end
lttng_events=$lttng_events,x86_exceptions_page_fault_user,x86_exceptions_page_fault_kernel

# with_lttng EVENTS: its buffers have the size of ktrace's.  With --all, system calls are among the events.
with_lttng() {
	lttng create bench --output="$dir" && lttng enable-channel -k ch --subbuf-size=1M --num-subbuf=4 &&
		lttng enable-event -k -c ch "$1" && { [ "$1" = --all ] || lttng enable-event -k -c ch --syscall --all; } &&
		lttng start && sh /tmp/job "/tmp/$job" && lttng stop >/tmp/said 2>&1 || {
		cat /tmp/said
		lttng destroy bench
		return 1
	}
	took now >/tmp/end
	cat /tmp/said
	lttng list bench -c ch >/tmp/said
	lost=$(sed -n 's/.*Discarded events: *\([0-9]*\).*/\1/p' /tmp/said | awk '{ sum += $1 } END { print sum + 0 }')
	lttng destroy bench
}

with_lttng_core() {
	with_lttng "$lttng_events"
}

with_lttng_all() {
	with_lttng --all
}

with_trace_cmd() {
	trace-cmd record -q -b 4096 -o "$dir/trace.dat" $(printf ' -e %s' $tracefs_events) \
		/bin/sh /tmp/job "/tmp/$job" >/tmp/said 2>&1 || { cat /tmp/said; return 1; }
	took now >/tmp/end
	cat /tmp/said
	lost=$(sed -n 's/.*overrun: *\([0-9]*\).*/\1/p;s/.* \([0-9]*\) events lost.*/\1/p' /tmp/said |
		awk '{ sum += $1 } END { print sum + 0 }')
	events=$(trace-cmd report "$dir/trace.dat" 2>/dev/null | grep -c ': ')
}

with_perf_record() {
	perf record -a -q -B -N -m 1024 -o "$dir/perf.data" $(printf ' -e %s' $tracefs_events) \
		-- /bin/sh /tmp/job "/tmp/$job" >/tmp/said 2>&1 || { cat /tmp/said; return 1; }
	took now >/tmp/end
	cat /tmp/said
	perf report --stats -i "$dir/perf.data" >/tmp/said 2>/dev/null
	events=$(awk '/^ *SAMPLE events:/ { print $3; exit }' /tmp/said)
	lost=$(awk '/^ *LOST events:/ { lost = $3 } END { print lost + 0 }' /tmp/said)
}

# perf trace writes text.
with_perf_trace() {
	perf trace -a -m 1024 -o "$dir/text" $(printf ' --event %s' $(printf '%s\n' $tracefs_events | grep -v raw_syscalls)) \
		-- /bin/sh /tmp/job "/tmp/$job" >/tmp/said 2>&1 || { cat /tmp/said; return 1; }
	took now >/tmp/end
	cat /tmp/said
	events=$(wc -l <"$dir/text")
	lost=$(sed -n 's/.*LOST \([0-9]*\) events.*/\1/p' "$dir/text" | awk '{ sum += $1 } END { print sum + 0 }')
}

# The lab's disk answers when the host has read or written, so a job that waits for it would wait at other places each time.
# A disk in memory that answers by the guest's clock, after 50 microseconds, gets its contents and its place.
place_disk() {
	ours=nullb1	# some kernels name the disk like its directory, others by its number: 0 is the module's own
	null=/sys/kernel/config/nullb/$ours
	disk=$(awk '$2 == "/mnt" { print $1 }' /proc/mounts)
	mount -t configfs none /sys/kernel/config && mkdir $null || return
	echo $(($(cat "/sys/class/block/${disk##*/}/size") / 2048)) >$null/size	# MiB
	echo 512 >$null/blocksize
	echo 1 >$null/memory_backed
	echo 2 >$null/irqmode	# by a timer
	echo 50000 >$null/completion_nsec
	echo 1 >$null/power || return
	[ -e /dev/$ours ] || mknod /dev/$ours b $(tr : ' ' </sys/class/block/$ours/dev) || return
	umount /mnt && dd if="$disk" of=/dev/$ours bs=1M 2>/dev/null && mount -t ext4 /dev/$ours /mnt
}

mkdir -p $traces /var/run
place_disk || exit
mount -t tmpfs -o size=60% traces $traces
# Its libraries are those of this machine's distribution, which ktrace uses, too.
tar xf /tmp/recorders.tar -C / && rm /tmp/recorders.tar
sh /tmp/jobs && chmod +x /tmp/job || exit
# It works at times that depend on all that was before.
echo 4000000000 >/sys/kernel/mm/transparent_hugepage/khugepaged/scan_sleep_millisecs
case " $recorders " in
*lttng*) lttng-sessiond --daemonize >&2 || exit ;;
esac
for job_name in $job_names; do
	# The first run fills caches of the software. The second one still pays less for its pages and blocks than those after it.
	for _ in 1 2; do
		timed='' sh /tmp/job "/tmp/$job_name" || exit
	done
	for recorder_name in $recorders; do
		measured "$recorder_name" "$job_name"
	done
done
# For --functions.
cp /proc/kallsyms /tmp/kallsyms
