#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: tracepoints in code that hits, wake-ups, log, scheduler, RCU and faults run: hits are counted, never nested
# long: 105 s
# vm: --smp 2 --timeout 800
# No brake: the test needs hits inside hits, and CPUs with very many hits.
. /lab/lib.sh

# Functions on the path of a record, of a fault in a capture, of the wake-up of a follower; of interrupts; of
# the log.
names="irq_work_queue irq_work_run irq_work_tick irq_work_single __irq_work_queue_local __wake_up __wake_up_common __wake_up_common_lock
 try_to_wake_up ttwu_do_activate ttwu_do_wakeup update_rq_clock __schedule schedule enqueue_task_fair dequeue_task_fair
 pick_next_task_fair put_prev_entity set_next_entity update_curr update_load_avg task_tick_fair scheduler_tick
 sched_clock sched_clock_cpu resched_curr finish_task_switch.isra.0 __switch_to switch_mm_irqs_off
 rcu_core rcu_core_si note_gp_changes rcu_note_context_switch rcu_sched_clock_irq rcu_segcblist_ready_cbs rcu_gp_kthread
 ktime_get ktime_get_mono_fast_ns ktime_get_update_offsets_now read_tsc clockevents_program_event hrtimer_interrupt
 __hrtimer_run_queues tick_sched_timer timerqueue_add timerqueue_del update_process_times run_timer_softirq
 vprintk vprintk_emit vprintk_store vprintk_default printk_sprint vsnprintf format_decode prb_reserve prb_commit prb_final_commit
 console_unlock console_trylock wake_up_klogd __down_trylock_console_sem down_trylock up
 copy_from_kernel_nofault copy_from_kernel_nofault_allowed copy_from_user_nofault nmi_uaccess_okay
 lookup_address lookup_address_in_pgd orc_find __orc_find get_stack_info in_task_stack fixup_exception search_exception_tables search_extable
 search_kernel_exception_table search_module_extables ex_handler_default kernelmode_fixup_or_oops do_user_addr_fault bad_area_nosemaphore
 is_prefetch.isra.0 spurious_kernel_fault sort_extable bsearch cmp_ex_search ex_get_fixup_type
 __do_softirq raise_softirq_irqoff irq_enter_rcu irq_exit_rcu __sysvec_irq_work __sysvec_apic_timer_interrupt
 __sysvec_reschedule_ipi __sysvec_call_function flush_smp_call_function_queue generic_exec_single
 native_apic_mem_write native_apic_mem_eoi_write x2apic_send_IPI_self default_send_IPI_self native_smp_send_reschedule
 _raw_spin_lock _raw_spin_lock_irqsave _raw_spin_unlock_irqrestore native_queued_spin_lock_slowpath mutex_lock mutex_unlock
 show_regs __show_regs show_opcodes show_trace_log_lvl unwind_next_frame __unwind_start unwind_get_return_address
 nmi_cpu_backtrace nmi_handle nmi_trigger_cpumask_backtrace exc_nmi default_do_nmi printk_get_next_message
 ftrace_ops_get_list_func perf_event_nmi_handler uprobe_notify_resume notify_die atomic_notifier_call_chain
 text_poke text_poke_bp_batch on_each_cpu_cond_mask smp_call_function_many_cond do_sync_core poke_int3_handler"

known() {
	awk '{ print $3 }' /proc/kallsyms | sort | uniq -u >/tmp/known
	for name in $names $(cat /lab/arch/entry-path); do
		echo "$name"
	done | grep -xFf /tmp/known
}

load() {
	while [ ! -e /tmp/stop ]; do
		syscalls -p 2 write 50
		syscalls nanosleep 20
		forkstorm 2 2
		netload udp 5
		echo "a line for the log" >/dev/kmsg
	done >/dev/null 2>&1
}

follow() {
	while [ ! -e /tmp/stop ]; do
		ktrace follow 2
	done >/dev/null 2>/tmp/follow.err
}

# Backtraces of all CPUs by NMI; the kernel shows none for an idle CPU.
backtraces() {
	for i in 1 2 3; do
		echo l >/proc/sysrq-trigger
		usleep 300000
	done
}

# turn OF CAPTURE [METHOD]: set a capture that faults on every ninth tracepoint, each time through a dozen of
# the others. More at once would give a slow machine an RCU stall. The functions that print the kernel's list of
# symbols are called half a million times for each list: only printers() gives them such a capture.
turn() {
	rm -f /tmp/stop
	awk -v turn="$1" -v fault="$2" -v method="${3:+METHOD $3}" '{
		print $1, NR % 9 == turn && $1 !~ /^(vsnprintf|format_decode)$/ ? fault : "PID", method
	}' /tmp/traced >/tmp/options
	echo "trace $(tr '\n' ' ' </tmp/options)" >/tmp/script
	ktrace clear
	base=$(sites base)
	ok ktrace -q -f /tmp/script
	load &
	follow &
	backtraces
	touch /tmp/stop
	wait
	ok sites sums $base
	echo "$*: $out; $(sites count jump) jumps, at $(cut -d' ' -f1 /proc/uptime) s"
	[ "$(echo "$out" | sed 's/.* \([0-9]*\) recursed.*/\1/')" -ge $met ] || fail "nothing was met on the way of a hit"
	in_nmi=$(ktrace list -v | awk '$1 == "@backtrace@" { for (i = 2; i <= NF; i++) if ($i ~ /^[0-9]+$/) { print $i; exit } }')
	[ "$in_nmi" -ge 2 ] || fail "@backtrace@ was reached $in_nmi times: no backtraces?"
	ok sites drain 60
	expect_eq "followers" "$(grep -v 'traces lost' /tmp/follow.err)" ""
	well
}

# printers CAPTURE [METHOD]: only those two, while nobody reads the list
printers() {
	rm -f /tmp/stop
	echo "trace vsnprintf $1 ${2:+METHOD $2} format_decode $1 ${2:+METHOD $2}" >/tmp/script
	ktrace clear
	base=$(sites base)
	ok ktrace -q -f /tmp/script
	load &
	backtraces
	touch /tmp/stop
	wait
	ok sites sums $base
	echo "printers $*: $out"
	ok sites hits
	[ "$out" -ge 1000 ] || fail "what prints was met $out times"
	ok sites drain 60
	well
}

# round CAPTURE [METHOD]: set it on a third of the tracepoints, in turns, and print
round() {
	for of in 0 3 6; do
		turn $of "$@"
	done
	printers "$@"
}

# For the first jump the module reads all text to map the branch targets: do that before there is a fault at
# each step.
map_branches() {
	ok ktrace -q trace vfs_write
	ok sites jumps 60
	ok sites drain
}

# The system's clock is slower and runs through more code than the CPU's clock.
other_clock() {
	clock=/sys/devices/system/clocksource/clocksource0
	other=$(tr ' ' '\n' <$clock/available_clocksource | grep -E 'hpet|acpi_pm' | head -1)
	[ -n "$other" ] || return 1
	rmmod ktrace
	echo "$other" >$clock/current_clocksource
	modprobe ktrace brake=0
	ktrace status | grep -q '^clock  *mono'
}

dmesg -n 1
met=@met@
map_branches
accepted $(known) >/tmp/traced
[ "$(wc -l </tmp/traced)" -ge 60 ] || fail "only $(wc -l </tmp/traced) of these functions can be traced"
# An address that faults; one that the page tables know to be unmapped; a user's address, and the stack.
unmapped="LOC 0xffffffff80001000"
round "ALLREGS $unmapped" breakpoint
round "VAR *(u64*)0xffffc8ffdead0000 PID $unmapped"
# All code of captures: chains, strings, callers, and a filter that reads unmapped memory.
round "VAR *(u64*)(*(u64*)(\$@arg1@+8)+16) STR \$@arg2@:64 BACKTRACE 8 IF *(u64*)0xffffc8ffdead0000 == 1 || \$@sp@ != 0"
if other_clock; then
	map_branches
	round "STR (u64)0x10000 BACKTRACE 4"
fi
ok rmmod ktrace
well
