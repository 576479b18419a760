#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: the output of list, pasted back behind trace, or written by list -o and sourced: the same list, the same records
. /lab/lib.sh

ok modprobe ktruth
word=$(data ktruth_word)
word=${word#&}
ok ktrace -q trace vfs_write PID ONLYPID 1 ktruth_args6 ALLREGS PSR CPU ktruth_five+@five2@ REG %@acc@ CONST -7 \
	ktruth_twin#2 STACK 8 FRAME -10 LOC $word BASE ktruth_square LATEFREEZE 5000 \
	ktruth_target UNFREEZE ADJACENT ktruth:ktruth_chain FREEZE
ok ktrace list
list=$out
expect_eq "the list" "$list" "vfs_write               PID ONLYPID 1
ktruth:ktruth_args6     ALLREGS PSR CPU
ktruth:ktruth_five+0x@five2@  REG %@acc@ CONST -7
ktruth:ktruth_twin#2    STACK 8 FRAME -10 LOC $word BASE
ktruth:ktruth_square    LATEFREEZE 5000
ktruth:ktruth_target    UNFREEZE ADJACENT
ktruth:ktruth_chain     FREEZE"

# Pasted as a whole, over existing tracepoints, and after they were deleted.
ok ktrace trace $list
expect_eq "updated" "$(count_matches "$err" 'already exists, updating$')" 7
ok ktrace list
expect_eq "over itself" "$out" "$list"
ok ktrace delete '*'
ok ktrace list
expect_eq "deleted" "$out" ""
ok ktrace trace $list
ok ktrace list
expect_eq "pasted" "$out" "$list"

# As a script.
ok ktrace -q -e "list -o /tmp/list.kt; delete *; source /tmp/list.kt"
ok ktrace list
expect_eq "script" "$out" "$list"
ok ktrace clear
truth five 1
truth twin 1
ok ktrace print
expect_match "record" "$out" '^ktruth:ktruth_five\+0x@five2@ .*  @acc@=0{14}14  const -7$'
expect_match "record" "$out" "^ktruth:ktruth_twin#2 .*  $word=1122334455667788( \(.*\))?  BASE\$"
