#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: the kernel hides its addresses: one message with the remedy; numbers work, known names stay
. /lab/lib.sh

hidden="ktrace: /proc/kallsyms hides the addresses: run as root with CAP_SYSLOG or 'sysctl kernel.kptr_restrict=1'"
ok modprobe ktruth
five=$(sed -n 's/^\([0-9a-f]*\) . ktruth_five\t.*/\1/p' /proc/kallsyms)
ok ktrace -q trace ktruth_args6 PID REG @pc@
truth args6 1
echo 2 >/proc/sys/kernel/kptr_restrict

run ktrace trace ktruth_five PID
expect_status 1
expect_match "remedy" "$err" "^$hidden"
expect_match "name" "$err" "^ktrace: 'ktruth_five' cannot be looked up, there are no symbols: give a number"
ok ktrace -e "trace $five PID" -e "trace 0x$five+@five2@ REG @acc@ CONST 1"
expect_eq "said once" "$err" "$hidden"
expect_match "echo" "$out" "^0x$five  [a-z]+  @five1_text@"
run ktrace trace "$five+1"
expect_status 1
expect_match "middle" "$err" "^ktrace: 0x[0-9a-f]+: in the middle of an instruction"
truth five 1

# Known names stay: in list, in records, for delete.
ok ktrace print
expect_eq "said" "$err" "$hidden"
expect_match "old" "$out" "^ktruth:ktruth_args6 .*  pid [0-9]+ +@pc@=[0-9a-f]{16}\$"
expect_match "new" "$out" "^0x$five .*  pid $pid\$"
ok ktrace status
expect_match status "$out" "^symbols      none: /proc/kallsyms hides the addresses: .*kptr_restrict=1'\$"
ok ktrace delete ktruth:ktruth_args6 "$five"
expect_eq "what is listed needs no symbols" "$err" ""
ok ktrace list
expect_match list "$out" '^0x[0-9a-f]+  REG @acc@ CONST 1$'

# Records without addresses need no symbols.
ok ktrace clear
ok ktrace -q trace "$five" PID
ok ktrace clear
offset=0x@five2@
ok ktrace -q delete "$(printf '0x%x' $((0x$five + offset)))"
truth five 1
ok ktrace print
echo 0 >/proc/sys/kernel/kptr_restrict
ok ktrace -e 'delete *; trace ktruth_five'
expect_eq "no hint any more" "$err" ""
