#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: wrong input: one line that says what is wrong and what to do, and the right exit status
# long: 30 s
. /lab/lib.sh

# refused STATUS MESSAGE ARGUMENT...: one line, this status, no other output, and nothing is set
refused() {
	want=$1
	message=$2
	shift 2
	run ktrace "$@"
	expect_status "$want"
	expect_eq "standard output of $*" "$out" ""
	expect_eq "lines of $*" "$(printf '%s\n' "$err" | wc -l)" 1
	expect_match "message of $*" "$err" "^ktrace: $message"
}

ok modprobe ktruth
own=$(sed -n 's/.* t \(kt_[a-z_]*\)\t\[ktrace\]$/\1/p' /proc/kallsyms | sort | uniq -u | head -1)
word=$(sed -n 's/^\([0-9a-f]*\) . ktruth_word.*/\1/p' /proc/kallsyms)
refused 1 "unknown symbol 'vfs_wirte': did you mean vfs_write.*\?" trace vfs_wirte
refused 1 "unknown symbol 'nothing_like_it_there': 'help address' tells" trace nothing_like_it_there
refused 1 "several symbols have the name 'ktruth_twin': choose one of ktruth:ktruth_twin#1 \(ktruth, [0-9a-f]+(, behind ktruth_[a-z_]+)?\), ktruth:ktruth_twin#2" trace ktruth_twin
refused 1 "there is no 'ktruth_twin#3': 'ktruth_twin' has 2 candidates" trace ktruth_twin#3
refused 1 "no module 'nfs' is loaded: load it first" trace nfs:nfs_read
if data_symbols; then
	refused 1 "ktruth:ktruth_word: data, not code: record it at an instruction with LOC" trace ktruth_word
	refused 1 "ktruth:ktruth_word\+0x4: data, not code" trace "$word+4"
else
	refused 1 "unknown symbol 'ktruth_word': .* \(this kernel lists no data symbols, CONFIG_KALLSYMS_ALL is off: .*\)" trace ktruth_word
fi
refused 1 "ktruth:ktruth_five\+0x1: in the middle of an instruction: the nearest are ktruth:ktruth_five and ktruth:ktruth_five\+0x@five2@" trace ktruth_five+1
refused 1 "0x401000: an address of user space: give an address of the kernel" trace 401000
refused 1 "ktrace:$own: in the ktrace module itself" trace "ktrace:$own"
refused 1 "start_kernel: init code, gone since the kernel started" trace start_kernel
refused 1 "@trap_handler@: the kernel forbids probes there" trace @trap_handler@
refused 1 "vfs_write\+0x1: in the middle of an instruction: the nearest is vfs_write" trace vfs_write+1
refused 2 "'10000000000000000': number too large: addresses have 64 bits" trace 10000000000000000
refused 2 "'vfs_write\+' is not an address: write a sum without blanks" trace vfs_write+
refused 2 "unknown option PIDD: did you mean PID" trace vfs_write PIDD
refused 2 "REG needs its NAME: e.g. 'trace vfs_write REG" trace vfs_write REG
refused 2 "REG needs its NAME" trace vfs_write REG PID
refused 2 "REG @no_register@: @arch@ has no such register: did you mean" trace vfs_write REG @no_register@
refused 2 "CONST x: not a number: give a decimal number" trace vfs_write CONST x
refused 2 "CONST 18446744073709551616: number too large" trace vfs_write CONST 18446744073709551616
refused 2 "ONLYPID 3000000000: number too large" trace vfs_write ONLYPID 3000000000
refused 2 "STACK z: not an offset" trace vfs_write STACK z
refused 2 "PID stands before any address" trace PID vfs_write
refused 2 "BASE and ADJACENT contradict each other" trace vfs_write BASE ADJACENT
refused 2 "too many items: a tracepoint records at most 32: leave some out" trace vfs_write $(for i in $(seq 33); do echo PID; done)
refused 1 "vfs_write: named twice in one command: give each address once" trace vfs_write PID vfs_write CPU
refused 1 "no tracepoint at vfs_write, nothing deleted: 'list' shows them" delete vfs_write
refused 2 "trace: too few arguments: trace ADDRESS" trace
refused 2 "print x: not understood" print x
refused 2 "print IF count >: at column 8: a value is expected" print IF count '>'
refused 2 "list knows no '-x'" list -x
refused 2 "follow later: not a time" follow later
refused 2 "unknown command 'tarce': did you mean trace" tarce vfs_write
refused 2 "'f' is short for several commands: choose one of follow, freeze" f
refused 2 "no help on 'nonsense'" help nonsense
refused 2 "unknown option --frobnicate: see ktrace --help" --frobnicate
refused 2 "-e needs its COMMANDS" -e
refused 2 "--color pink: choose auto, always or never" --color=pink list
refused 2 "--format=xml: unknown format: text, json, csv or openmetrics" --format=xml list
refused 2 "'list' cannot be combined with -e or -f" -e list list
refused 1 "/nonexistent: No such file or directory" -f /nonexistent
ok ktrace list
expect_eq "nothing is set" "$out" ""

# Several addresses: all or none; each refusal has its own line.
run ktrace trace vfs_write PID start_kernel @trap_handler@ CPU
expect_status 1
expect_eq "lines" "$(printf '%s\n' "$err" | wc -l)" 2
ok ktrace list
expect_eq "none" "$out" ""

# A suggested nearest address can be traced.
near=$(ktrace trace vfs_write+1 2>&1 | sed -n 's/.*the nearest is //p')
ok ktrace trace "$near"
ok ktrace delete '*'

# Some functions of the module have names of kernel functions: the kernel's are used.
for name in do_wait dev_open; do
	grep -q "^[0-9a-f]* [tT] $name.\[ktrace\]$" /proc/kallsyms || fail "the module has no $name any more: take another name"
	[ "$(grep -c "^[0-9a-f]* [tT] $name$" /proc/kallsyms)" = 1 ] || continue
	ok ktrace -n trace "$name"
done
