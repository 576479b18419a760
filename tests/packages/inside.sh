#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In a root that has all that the packages depend on: install version $1, upgrade to version $2, try it, purge it. A line of output
# for each test begins with ok or FAIL. tests/packages/check runs this; the working directory has the packages.
old=$1 new=$2

. ./report.sh

# VERSION KERNEL STATE of each module of ktrace that DKMS knows
dkms_states() {
	dkms status ktrace | sed -E 's|^ktrace[/ ]([^,]*), ([^,]*),.*: (.*)|\1 \2 \3|'
}

modules() {
	for dir in /lib/modules/*/; do
		find "$dir" -name 'ktrace*.ko*' | sort
	done
}

install() {
	# shellcheck disable=SC2046
	apt_install $(debs "$1")
}

files >/tmp/before
kernels=$(ls /lib/modules)

try install-old install "$old"
same built-old "$(for kernel in $kernels; do echo "$old $kernel installed"; done)" dkms_states
try upgrade install "$new"
same built "$(for kernel in $kernels; do echo "$new $kernel installed"; done)" dkms_states
same sources "ktrace-$new" sh -c 'ls /usr/src | grep ^ktrace'
same version "ktrace $new" ktrace --version
for module in $(modules); do
	same "version-${module##*/}" "$new" modinfo -F version "$module"
	same "kernel-${module##*/}" "$(echo "$module" | cut -d/ -f4)" sh -c "modinfo -F vermagic $module | cut -d' ' -f1"
done
[ -n "$(modules)" ]
result modules $? "there is no module in /lib/modules"

for package in ktrace ktrace-dkms libktrace1 libktrace-dev python3-ktrace; do
	try "copyright-$package" grep -q '^License: GPL-2' "/usr/share/doc/$package/copyright"
done
# What autopkgtest runs in a machine of its own.
try installed ./tests/installed
try library ./tests/library

try purge apt-get -q -y purge ktrace ktrace-dkms libktrace1 libktrace-dev python3-ktrace
files >/tmp/after
same left "" sh -c 'diff /tmp/before /tmp/after'
