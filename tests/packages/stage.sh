#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In a guest with systemd: what the kernel's command line names by lab=STAGE. At its end the guest switches itself off.
# tests/packages/boot runs this; a line of output for each test begins with ok or FAIL.
cd /lab || exit
export HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
. ./report.sh
stage=$(sed 's/.*lab=\([a-z]*\).*/\1/' /proc/cmdline)
node=/dev/ktrace-user

system() {
	same system "running" systemctl is-system-running --wait
	systemctl --failed --no-legend
}

# The examples of the README, as they stand. Somebody writes meanwhile: nothing else is at work here.
examples() {
	number=0
	while sleep 0.2; do date >/tmp/written; done &
	writer=$!
	while read -r command; do
		number=$((number + 1))
		try "readme-$number" sh -c "$command" </dev/null
	done <commands
	kill $writer
	sudo ktrace -q -e 'delete *; clear'
}

# module_is PATTERN: the module that is loaded is a file of this place
module_is() {
	same module "$1" sh -c "modinfo -n ktrace | grep -o '$1'"
	same module-loaded "$(modinfo -F srcversion ktrace)" cat /sys/module/ktrace/srcversion
}

# Two users run a program with tracepoints; one of them is in the group, and its program is found and recorded.
members() {
	useradd -m -G tracing member
	useradd -m other
	try module-user modprobe ktrace_user
	udevadm settle
	same node "660 root:tracing" stat -c '%a %U:%G' $node
	same node-control "600 root:root" stat -c '%a %U:%G' $node-control
	for user in member other; do
		setpriv --reuid "$user" --regid "$user" --init-groups ./traced &
		eval "$user=$!"
	done
	sleep 3
	same registered "traced ($member)" sh -c "ktrace events 'user:*' | grep -o 'traced ([0-9]*)'"
	try record ktrace record -o /tmp/trace --events 'user:packages:*' --for 3s
	try recorded sh -c "ktrace -i /tmp/trace print | grep '^packages:request .*id=[0-9]'"
	kill "$member" "$other"
	wait "$member" "$other"
	userdel -r member
	userdel -r other
	rm -rf /tmp/trace
}

prebuilt() {
	files >/tmp/before
	same compilers "" sh -c 'command -v gcc cc dkms'
	try install apt_install ./old/*.deb
	old=$(dpkg-query -W -f '${Version}' ktrace)
	examples
	module_is /updates/ktrace.ko
	members
	# The tracepoints stay while the packages are upgraded, and the new program finds them.
	try set ktrace -q trace vfs_write COUNT
	try upgrade apt_install ./new/*.deb
	new=$(dpkg-query -W -f '${Version}' ktrace)
	same upgraded "ktrace $new" ktrace --version
	same module-before "$old" cat /sys/module/ktrace/version
	same kept "vfs_write  COUNT" ktrace list
	try counted sh -c "ktrace print | grep -E '[1-9]'"
	try reload sh -c "ktrace -q -e 'delete *' && modprobe -r ktrace_user ktrace && ktrace -q trace vfs_write COUNT"
	same module-after "$new" cat /sys/module/ktrace/version
	try purge apt-get -q -y purge "ktrace-modules-$(uname -r)" libktrace1 python3-ktrace ktrace
	same unloaded "" sh -c 'ls /sys/module | grep ^ktrace'
	same group "tracing" sh -c "getent group tracing | cut -d: -f1"
	files >/tmp/after
	same left "" diff /tmp/before /tmp/after
}

dkms() {
	module_is /updates/dkms/ktrace.ko
	examples
	try set ktrace -q trace vfs_write COUNT
	# The node is there since the boot, and the first program that opens it loads the module.
	same node "660 root:tracing" stat -c '%a %U:%G' $node
	useradd -m -G tracing member
	setpriv --reuid member --regid member --init-groups ./traced &
	sleep 3
	same registered "traced ($!)" sh -c "ktrace events 'user:*' | grep -o 'traced ([0-9]*)'"
	kill $!
	# For the next boot.
	dpkg-query -W ktrace ktrace-dkms >/lab/installed
}

upgraded() {
	same installed "$(cat /lab/installed)" dpkg-query -W ktrace ktrace-dkms
	same no-tracepoints "" ktrace list
	examples
	module_is /updates/dkms/ktrace.ko
	same kernel "$(uname -r)" sh -c "modinfo -F vermagic ktrace | cut -d' ' -f1"
	try purge apt-get -q -y purge ktrace ktrace-dkms
	same left "" sh -c "find / -xdev -path /lab -prune -o -path /var/cache -prune -o -path /var/log -prune -o -name '*ktrace*' -print"
}

# Until somebody makes a file.
fleet() {
	useradd -m deploy
	while [ ! -e /lab/done ]; do
		sleep 2
	done
}

system
"$stage"
sync
(sleep 1 && systemctl poweroff) >/dev/null 2>&1 </dev/null &
