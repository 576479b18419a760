#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: every planted function of ktruth returns the right result, untraced
# vm: --no-module
. /lab/lib.sh

ok modprobe ktruth
for name in $(sed -n 's/^call \([a-z0-9_]*\) .*/\1/p' /proc/ktruth); do
	truth "$name" 2
done
expect_eq "wrong results" "$(grep -c '^call .* called 2 wrong 0$' /proc/ktruth)" "$(grep -c '^call ' /proc/ktruth)"
expect_match word "$(cat /proc/ktruth)" '^word 0x1122334455667788$'

# A wrong word is refused, and the module can be unloaded.
run sh -c 'echo call nosuch 1 >/proc/ktruth'
[ "$status" != 0 ] || fail "an unknown function was called"
ok rmmod ktruth
