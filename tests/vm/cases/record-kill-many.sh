#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: a recorder killed a hundred times, at any moment: each time what is on disk has no gap, and nothing is left set
# rare: 15 to 40 min
# vm: --smp 2 --timeout 7200
. /lab/lib.sh

kill_recorders 100 @arg1@
well
rmmod ktruth
ok rmmod ktrace
