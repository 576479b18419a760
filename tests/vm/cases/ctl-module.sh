#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: ktrace loads its module; if that fails, it says what to do
# vm: --no-module
. /lab/lib.sh

[ ! -e /dev/ktrace ] || fail "the module is there already"
run asuser nobody ktrace list
expect_status 3
expect_eq "no root" "$err" "ktrace: rights: no CAP_SYS_ADMIN: sudo ktrace"

# Mistakes in the arguments are named without the module, also to a user who may not use it.
# wrong TEXT ARGUMENT...
wrong() {
	expected=$1
	shift
	run asuser nobody ktrace "$@"
	expect_status 2
	expect_eq "ktrace $*" "$err" "ktrace: $expected"
}
wrong "--mode fligt: did you mean flight?" record --mode fligt
wrong "run trace: put the command in quotes: run 'trace vfs_write PID' -- ls" run trace
wrong "PID stands before any address: give the address first, then its options" run 'trace PID' -- true
wrong "PID stands before any address: give the address first, then its options" trace PID
wrong "print x: not understood: neither a directory nor a number" print x
wrong "list: unknown option --why: 'help list' lists them" list --why
wrong "follow later: not a time: give seconds, such as 5 or 0.5" follow later
wrong "buffer 5: the unit is missing: write 5K, 5M or 5G" buffer 5
wrong "snapshot: unknown option --foo: 'help snapshot' lists them" snapshot --foo
wrong "unknown option --vresion: did you mean --version?" --vresion

# Commands that need no module load none.
ok ktrace -e 'help; help REG' -e '!true'
[ ! -e /dev/ktrace ] || fail "help loads the module"
ok ktrace list
[ -e /dev/ktrace ] || fail "the module was not loaded"
ok ktrace -q trace vfs_write PID
run asuser nobody ktrace list
expect_status 3
expect_eq "no permission" "$err" "ktrace: rights: no CAP_SYS_ADMIN: sudo ktrace"
expect_eq "mode" "$(stat -c %a /dev/ktrace)" 600
chmod 666 /dev/ktrace
run asuser nobody ktrace list
expect_status 3
expect_eq "no capability" "$err" "ktrace: rights: no CAP_SYS_ADMIN: sudo ktrace"

# The module can be unloaded while tracepoints are set.
ok rmmod ktrace
[ ! -e /dev/ktrace ] || fail "the device outlives the module"

# A module that cannot be loaded; no module; no modprobe.
ko=$(find /lib/modules -name 'ktrace.ko*')
mv "$ko" /tmp/ktrace.ko
run ktrace list
expect_status 3
expect_eq "gone" "$err" "ktrace: module: neither loaded nor installed for this kernel: sudo make install, in the directory of ktrace's \
sources (nothing to fetch, about 25.0 MiB to keep)"
echo broken >"$ko"
run ktrace list
expect_status 3
expect_match "broken" "$err" '^ktrace: the module cannot be loaded: .*: see dmesg$'
rm -f /sbin/modprobe /bin/modprobe /usr/sbin/modprobe
run ktrace list
expect_status 3
expect_eq "no modprobe" "$err" "ktrace: no /dev/ktrace and no module to load: install it ('make install') or 'insmod ktrace.ko'"
ok insmod /tmp/ktrace.ko
ok ktrace list
