#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: bugreport on a real kernel: what it holds, that no planted secret is in it, and that it changes nothing
# vm: --no-module
. /lab/lib.sh

for fs in tracefs:tracing debugfs:debug; do
	grep -q " /sys/kernel/${fs#*:} " /proc/mounts || mount -t "${fs%:*}" nodev "/sys/kernel/${fs#*:}" || fail "$fs"
done
release=$(uname -r)

# Without the module, which stays unloaded; without a terminal it must be asked for.
run ktrace bugreport /tmp/bug
expect_status 1
expect_match "the list comes first" "$err" '^  kernel log +its lines'
expect_match "no terminal" "$err" '^ktrace: nothing written: there is no terminal to ask at: give --yes$'
[ ! -e /tmp/bug ] || fail "it is written without consent"
ok ktrace bugreport --yes /tmp/bug
[ ! -e /sys/module/ktrace ] || fail "the module was loaded"
expect_match "counts" "$(cat /tmp/bug)" '^none: the module is not loaded$'
expect_eq "mode" "$(stat -c %a /tmp/bug)" 600

# Secrets in each place that it reads, or might read.
hostname swordfish
echo swordfish.example.org >/etc/hostname
echo 'alice:x:1000:1000:Alice Liddell,,,:/home/alice:/bin/sh' >>/etc/passwd
mkdir -p /home/alice/wonderland
cp "$(command -v ktrace)" /home/alice/wonderland/vmlinux
mkdir -p /boot
printf 'CONFIG_KPROBES=y\nCONFIG_LOCALVERSION="-swordfish"\n# CONFIG_KASAN is not set\n' >"/boot/config-$release"
ok ktrace -q trace vfs_write PID COMM
secrets="on swordfish by alice at ffffffffabcd1234 and 0xffff888012345678 from 192.168.1.77 2001:db8::17 02:00:5e:10:00:af \
AKiaIOSFODNN7EXAMPLE9 /home/alice/wonderland password=hunter2"
echo "ktrace: $secrets" >/dev/kmsg
echo "other: jabberwock" >/dev/kmsg
echo 'p:jabberwock vfs_read' >/sys/kernel/tracing/kprobe_events
ktrace record -o /tmp/looking-glass --for 60s >/dev/null 2>&1 &
recorder=$!
wait_until 20 sh -c 'ktrace status | grep -q looking-glass'
AWS_SECRET=jabberwock ktrace --vmlinux /home/alice/wonderland/vmlinux bugreport --yes /tmp/bug2 || fail "bugreport"
cat /tmp/bug2
for secret in swordfish alice liddell abcd1234 12345678 192.168 db8 5e:10 AKia hunter2 wonderland looking-glass jabberwock /home /tmp; do
	if grep -qi "$secret" /tmp/bug2; then fail "the report holds $secret"; fi
done
has() {
	expect_match "$1" "$(cat /tmp/bug2)" "^$1 +$2\$"
}
has release "$release"
has KPROBES y
has KASAN n
has tracepoints '[1-9][0-9]*, slots .*'
has recordings '[1-9]'
has recorded '[0-9]+'
has ring_kb '[0-9]+'
has 'kprobe events' 1
has 'BPF programs' '[0-9]+'
expect_match "the log" "$(cat /tmp/bug2)" '^[0-9.]+ ktrace: on <host> by <user> at <address> and <address> from <address> '
expect_match "doctor" "$(cat /tmp/bug2)" '^ok +module +ktrace [0-9.]+ is loaded'

# What is set stays, and nothing is replaced.
expect_match "the tracepoint" "$(ktrace list)" '^vfs_write'
run ktrace bugreport --yes /tmp/bug2
expect_status 1
expect_match "it exists" "$err" '/tmp/bug2 exists: choose another name, or remove it$'
kill -INT $recorder
wait $recorder
echo >/sys/kernel/tracing/kprobe_events

# A user without rights gets what there is.
chmod 1777 /tmp
ok asuser nobody ktrace bugreport --yes /tmp/bug3
expect_match "rights" "$(cat /tmp/bug3)" '^missing +rights'
