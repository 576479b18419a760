# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What the scripts of this folder print, and compare. A line of output for each test begins with ok or FAIL.

result() {
	if [ "$2" = 0 ]; then
		echo "ok    $1"
	else
		echo "FAIL  $1  $3"
	fi
}

# try NAME COMMAND...: the command succeeds; says how long it took
try() {
	name=$1 began=$(date +%s)
	shift
	"$@" >/tmp/output 2>&1
	status=$?
	cat /tmp/output
	[ $status != 0 ] || name="$name  $(($(date +%s) - began)) s"
	result "$name" $status "$* ends with status $status: $(tail -1 /tmp/output)"
}

# same NAME WANTED COMMAND...: the command prints this
same() {
	name=$1 wanted=$2
	shift 2
	found=$("$@" 2>&1)
	[ "$found" = "$wanted" ]
	result "$name" $? "$* prints '$found', not '$wanted'"
}

debs() {
	find "./$1" -name '*.deb' ! -name '*-dbgsym_*'
}

# The names of all files, but for what dpkg, apt, man, DKMS, systemd and useradd keep for themselves: logs, caches, the state before
# the last change, the key with which DKMS signs the modules of all packages.
files() {
	find / -xdev \( -path /proc -o -path /dev -o -path /sys -o -path /tmp -o -path /var/cache -o -path /var/log \
		-o -path /var/lib/apt -o -path /var/lib/systemd -o -path /lab \) -prune -o -print |
		grep -v -e '^/var/lib/dpkg/.*-old$' -e '^/var/lib/dkms/mok\.' -e '^/etc/[a-z]*-$' | sort
}

apt_install() {
	apt-get -q -y --no-install-recommends install "$@"
}
