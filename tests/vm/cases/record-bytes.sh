#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: a record with PID takes at most 12 bytes in the ring, measured over a million hits
# vm: --smp 1
# No brake: a million hits without a pause must be recorded.
. /lab/lib.sh

modprobe ktruth
ok ktrace -q -e 'buffer 16M; trace ktruth_hit PID'
echo hit 1000000 >/proc/ktruth
ok ktrace -q save /tmp/t
ok ctfcount /tmp/t 1
printf '%s\n' "$out" | awk '{
	printf "%d records, %d bytes with all headers: %.3f a record\n", $4, $10, $10 / $4
	exit !($4 == 1000000 && $6 == 0 && $10 <= 12 * $4)
}' || fail "$out"
