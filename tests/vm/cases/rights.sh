#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: containers, user namespaces, enforced signatures, disabled modules: one line each with the remedy, in doctor, too
# vm: --no-module
. /lab/lib.sh

sys_module=16 sys_admin=21 net_admin=12

# refused TEXT COMMAND...: status 3, and this one line
refused() {
	expected=$1
	shift
	run "$@"
	expect_status 3
	expect_eq "output of $*" "$out" ""
	expect_eq "$*" "$err" "ktrace: $expected"
}

# Before the module is loaded.
outside="load it as root outside: modprobe ktrace"
refused "the module cannot be loaded: CAP_SYS_MODULE is missing, as in a container: $outside" dropcaps $sys_module $sys_admin -- ktrace list
refused "the module cannot be loaded: in a user namespace, even root cannot load a module: $outside" unshare -r ktrace list
[ ! -e /sys/module/ktrace ] || fail "the module is loaded"
# Neither needs the right to load it when it is loaded, nor any other right.
ok ktrace list
ok dropcaps $sys_module $net_admin -- ktrace list

# The module is loaded.
refused "rights: no CAP_SYS_ADMIN: run ktrace outside this container, or give it CAP_SYS_ADMIN (--cap-add SYS_ADMIN)" \
	dropcaps $sys_admin -- ktrace list
inside="rights: in a user namespace, where even root has no power over the kernel: sudo ktrace, outside it"
refused "$inside" unshare -r ktrace list
refused "$inside" asuser nobody unshare -r ktrace trace vfs_write
refused "rights: no CAP_SYS_ADMIN: sudo ktrace" asuser nobody ktrace list
refused "no /dev/ktrace, though the module is loaded: run ktrace outside this container, or give it the device (--device /dev/ktrace)" \
	unshare -m sh -c 'mount -t tmpfs none /dev; exec ktrace list'
expect_eq "tracepoints" "$(ktdev count | sed 's/ .*//')" "sites=0"

# doctor: the same causes.
run dropcaps $sys_admin -- ktrace doctor
expect_status 1
expect_match "rights" "$out" "^missing +rights +no CAP_SYS_ADMIN\$"
expect_match "remedy" "$out" "^ +-> run ktrace outside this container, or give it CAP_SYS_ADMIN \\(--cap-add SYS_ADMIN\\)\$"
run unshare -r ktrace doctor
expect_status 1
expect_match "rights" "$out" "^missing +rights +in a user namespace, where even root has no power over the kernel\$"
expect_match "remedy" "$out" "^ +-> sudo ktrace, outside it\$"

# Only signed modules: the one of this guest is not.
ok rmmod ktrace
echo Y >/sys/module/module/parameters/sig_enforce
run ktrace list
expect_status 3
unsigned="only signed modules are accepted; ktrace's is not signed"
mend="install by DKMS, which signs; then sudo mokutil --import /var/lib/dkms/mok.pub and boot again"
expect_eq "sig_enforce" "$err" "ktrace: the module cannot be loaded: $unsigned: $mend"
run ktrace doctor
expect_status 1
expect_match "signing" "$out" "^missing +signing +no Secure Boot, lockdown none: $unsigned\$"
expect_match "remedy" "$out" "^ +-> $mend\$"

# No module at all.
echo 1 >/proc/sys/kernel/modules_disabled
run ktrace list
expect_status 3
disabled="no module can be loaded until the next boot (kernel.modules_disabled)"
expect_eq "modules_disabled" "$err" "ktrace: the module cannot be loaded: $disabled: boot again, with 'modprobe ktrace' before modules are disabled"
run ktrace doctor
expect_status 1
expect_match "module" "$out" "^missing +module +$(echo "$disabled" | sed 's/[()]/\\&/g')\$"
