#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: doctor without root, without the module, with everything: names what is missing and the remedy, changes nothing
# vm: --no-module
. /lab/lib.sh

# expect_row RESULT NAME PATTERN: the row of a check in the last run()
expect_row() {
	expect_match "$2" "$out" "^$1 +$2 +.*$3"
}

[ -e /sys/kernel/tracing/events ] || mount -t tracefs nodev /sys/kernel/tracing || fail "tracefs"
release=$(uname -r)

# Without root and without the module.
run asuser nobody ktrace doctor
expect_status 1
expect_row ok kernel "Linux $release on "
expect_row ok kprobes "in the kernel"
expect_row missing rights "no CAP_SYS_ADMIN"
expect_match "remedy" "$out" '^ +-> sudo ktrace$'
expect_row ok module "installed, not loaded: "
expect_row warning programs "/dev/ktrace-user is made at the next boot"
expect_row ok signing "unsigned modules are accepted"
expect_row warning symbols "hides the addresses"
expect_row ok types "/sys/kernel/btf/vmlinux"
expect_row unknown events "only root sees"
expect_row unknown calibration "not loaded"
expect_eq "error" "$err" "ktrace: tracing does not work here yet (rights): install or change what is missing"
run asuser nobody ktrace --json doctor
expect_status 1
expect_match "JSON" "$out" '"type":"doctor","v":3,"works":false,"checks":\[.*"name":"kernel","result":"ok",'

# As root, before the module is loaded; no check loads it.
ok ktrace doctor
expect_row ok rights "CAP_SYS_ADMIN"
expect_row warning programs "ktrace_user is installed, "
expect_match "remedy" "$out" '^ +-> sudo modprobe ktrace_user$'
if data_symbols; then
	expect_row ok symbols "/proc/kallsyms, [0-9]+ of them"
else
	expect_row warning symbols "functions only"
fi
expect_row ok headers "none, and not needed"
expect_row ok events "all static tracepoints on the breakpoint entry path are off"
expect_match "conclusion" "$out" "^ktrace can trace here"
[ ! -e /sys/module/ktrace ] || fail "doctor loads the module"

ok modprobe ktrace_user
ok ktrace doctor
expect_row ok programs "ktrace_user [0-9.]+ is loaded"
ok modprobe -r ktrace_user

# Without the module, and without what is needed to build it.
ko=$(find /lib/modules -name 'ktrace.ko*')
mv "$ko" /tmp/ktrace.ko
run ktrace doctor
expect_status 1
expect_row missing module "neither loaded nor installed"
expect_row missing headers "/lib/modules/$release/build"
expect_eq "error" "$err" "ktrace: tracing does not work here yet (module, headers): install or change what is missing"

# With these events enabled the module refuses to load: doctor predicts that.
for event in notifier/notifier_run rcu/rcu_watching rcu/rcu_dyntick; do
	enable=/sys/kernel/tracing/events/$event/enable
	[ -e "$enable" ] || continue
	echo 1 >"$enable"
	run ktrace doctor
	if insmod /tmp/ktrace.ko 2>/dev/null; then
		expect_row ok events "all static tracepoints on the breakpoint entry path are off"
		rmmod ktrace
	else
		expect_row missing events "${event#*/} is on"
	fi
	echo 0 >"$enable"
	echo "looked at with $event"
done

# Everything is there.
mv /tmp/ktrace.ko "$ko"
ok ktrace list
ok ktrace doctor
expect_row ok module "ktrace [0-9.]+ is loaded, control ABI [0-9]+"
expect_row ok clock ", resolution [0-9.]+ ns"
expect_row ok calibration "a measured call costs [0-9.]+ [nu]s by "
ok ktrace --json doctor
expect_match "JSON" "$out" '"type":"doctor","v":3,"works":true,'
ok ktrace list
expect_eq "nothing stays set" "$out" ""
run asuser nobody ktrace doctor
expect_status 1
expect_row ok module "is loaded, this program is .*; root sees more"
expect_row unknown calibration "not open to this user"

# Addresses are hidden from root, too.
echo 2 >/proc/sys/kernel/kptr_restrict
ok ktrace doctor
expect_row warning symbols "hides the addresses"
expect_match "remedy" "$out" '^ +-> sudo sysctl kernel.kptr_restrict=1$'
