#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: a million calls, and each is counted
# vm: --smp 2
# No brake: the calls come without a pause, and each must be counted.
. /lab/lib.sh
modprobe ktruth

ok ktrace latency ktruth_run --json -- sh -c 'for i in 1 2 3 4; do echo time run 5 250000 >/proc/ktruth & done; wait'
expect_match count "$out" '"count":1000000,'
expect_match unpaired "$out" '"unpaired":0,"lost":0,'
well
