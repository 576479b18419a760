#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: loads of generated code that fault, at tracepoints in the code that handles such a fault, also in NMIs: counted, never nested
# long: 75 s
# vm: --smp 2
# No brake: the test needs hits with a fault each.
. /lab/lib.sh

# An address between the RAM and the end of its mapping: loads there fault.
base=$(awk '$3 == "page_offset_base" { print $1 }' /proc/kallsyms)
if [ -z "$base" ]; then
	echo "this kernel maps its RAM at a fixed address"
	bad='*(u64*)8'
else
	bad="*(u64*)(*(u64*)0x$base+0x2f0000000000)"
fi
[ "$(cat /sys/module/ktrace/parameters/codegen)" = Y ] || fail "no generated code"

names="search_exception_tables search_extable search_kernel_exception_table search_module_extables fixup_exception
 ex_get_fixup_type kernelmode_fixup_or_oops bad_area_nosemaphore __bad_area_nosemaphore do_user_addr_fault do_kern_addr_fault
 spurious_kernel_fault bsearch cmp_ex_search nmi_handle default_do_nmi nmi_cpu_backtrace ksys_write"

# Each one with a call of its own: at most 16 in one call have code.
set_all() {
	for name in $names; do
		ktrace -q trace "$name" "$@" 2>/dev/null || continue
		echo "$name"
	done >/tmp/set
	expect_eq "a place that is hit" "$(grep -c '^ksys_write$' /tmp/set)" 1
	ok sites jumps 60
}

calls() {
	syscalls write 300
	for _ in 1 2 3; do
		echo l >/proc/sysrq-trigger
		syscalls write 50
	done
}

# round OPTIONS...: a call of write(2) meets one of them, and each fault there the others
round() {
	ktrace clear
	set_all "$@"
	calls
	ok ktrace list -v
	echo "$out"
	ok sites hits
	[ "$out" -ge 450 ] || fail "$out hits"
	well
}

dmesg -n 1
round VAR "$bad" PID
[ "$(ktrace print | grep -c 'ksys_write.*=?')" -ge 450 ] || fail "few records: $(ktrace print | head -5)"
ktrace status | grep -i recurs
# None of the hundreds of such faults makes a record.  fixup_exception() is called for faults in kernel code that has an entry in
# the exception table; other faults than those of hits are rare: copies to user memory with faults forbidden.
hits=$(ktrace list -v | awk '$1 == "fixup_exception" { print $3 }')
[ "${hits:-0}" -ge 450 ] || fail "fixup_exception has ${hits:-no} hits"
inside=$(ktrace print | grep -c '^fixup_exception ')
[ "$inside" -lt 45 ] || fail "$inside records of a fault in a hit"
ok ktrace -q delete '*'
# No comparison with a value that cannot be read is true.
round IF "$bad == 1 || \$@sp@ == 1" PID
expect_eq "records" "$(ktrace print | grep -c ksys_write)" 0
ok ktrace -q delete '*'
round IF "$bad != 1 || \$@sp@ != 1" VAR "$bad" VAR '*(u8*)$@sp@'
[ "$(ktrace print | grep -c 'ksys_write.*=?')" -ge 450 ] || fail "few records: $(ktrace print | head -5)"
ok ktrace -q delete '*'
well
