#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: the restartable sequences of libktrace, simulated and on this kernel: abort points, threads with signals, kills
# vm: --smp 2 --timeout 3000 --no-module --built user/test_section --built user/test_break --built user/test_stress --built user/test_kill
# long: 700 s
. /lab/lib.sh

test_of test_stress "EVENTS=${EVENTS:-60000}"
test_of test_kill "KILLS=${KILLS:-20}"
test_of test_break "EACH=${EACH:-5}"
test_of test_section "SCHEDULES=${SCHEDULES:-2000}"
