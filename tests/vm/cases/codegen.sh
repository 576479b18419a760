#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: generated code of jumps, also of the prompt, static tracepoints and system calls records what the interpreter records: memory of every kind
# long: 33 s
# vm: --smp 1
. /lab/lib.sh

# recorded DIR: the same workload each time; /tmp/DIR.text gets what was recorded, without times
recorded() {
	truth args6
	ok ktrace record -o "/tmp/$1" --events ipc \
		--trace "ktruth_look VAR \$@arg2@ VAR (s64)*(u64*)\$@arg1@ VAR *(u8*)\$@arg1@ VAR *(s16*)\$@arg1@ VAR **(u64**)\$@arg1@" \
		--trace "ktruth_args6 VAR \$@arg1@ VAR \$@arg2@*3+\$@arg3@ VAR \$@arg1@<<2 VAR \$@arg2@>\$@arg3@ VAR (s8)(\$@arg1@+200) VAR \$@sp@&7" \
		--trace "ktruth_chain VAR *(u64*)\$@arg1@&0" \
		-- sh -c 'sites jumps 60 >/dev/null; for call in "look 3" "args6 50" "chain 20"; do echo "call $call" >/proc/ktruth; done'
	# Freed memory may belong to somebody else now.
	ktrace -i "/tmp/$1" print | grep '^ktruth' | grep -v -F "$(sed -n 's/^place \([0-9]*\) .*freed.*/ $@arg2@=\1 /p' /proc/ktruth)" | sed 's/  [0-9][0-9]:[^)]*)//' >"/tmp/$1.text"
	ok ktrace record -o "/tmp/$1-calls" --events syscalls -- dd if=/dev/zero of=/tmp/file bs=77 count=100
	ktrace -i "/tmp/$1-calls" print | grep -E '^syscall_(entry|exit)_(read|write|dup2|close|lseek) ' |
		grep -E 'count=77|ret=77|whence' | sed 's/  [0-9][0-9]:[^)]*)//;s/buf=[0-9a-f]*//' >>"/tmp/$1.text"
	# The fields of static tracepoints: names, numbers, a conditional value; info may be a small number instead of an address.
	ok ktrace record -o "/tmp/$1-events" --events ipc --trace "signal:signal_generate ARGS" --trace "sched:sched_process_exec ARGS" \
		-- sh -c 'trap : USR1; for n in 1 2 3; do kill -USR1 $$; /bin/true; done'
	ktrace -i "/tmp/$1-events" print | grep -E 'signal_generate.*sig=10|exec.*true' | sed 's/  [0-9][0-9]:[^)]*)//;s/\(pid\|tid\)=[0-9]*//g' >>"/tmp/$1.text"
}

# prompt FILE: the same at the prompt, whose jumps have code of their own; it gets what was recorded, and what was counted
prompt() {
	truth args6
	ok ktrace -q trace ktruth_look VAR '$@arg2@' VAR '(s64)*(u64*)$@arg1@' VAR '*(u8*)$@arg1@' VAR '*(s16*)$@arg1@' VAR '**(u64**)$@arg1@' VAR '*(u32*)($@arg1@-4)'
	ok ktrace -q trace ktruth_args6 IF '$@arg2@ > 5 && $@arg1@ < 40' VAR '$@arg1@' VAR '$@arg2@*3+$@arg3@' VAR '$@arg1@<<2' VAR '(s8)($@arg1@+200)' VAR '$@sp@&7'
	ok ktrace -q trace ktruth_chain VAR '*(u64*)(*(u64*)(*(u64*)$@arg1@))' VAR '*(u64*)(*(u64*)(*(u64*)$@arg1@+8)+8)' VAR '*(s32*)(*(u64*)(*(u64*)(*(u64*)$@arg1@)))' VAR '*(u64*)$@arg1@&0'
	ok ktrace -q trace ktruth_square IF '*(u64*)$@arg1@ > 0' PID
	ok sites jumps 60
	for call in "look 3" "args6 50" "chain 20" "square 9"; do echo "call $call" >/proc/ktruth; done
	ktrace print | grep '^ktruth' >"$1"
	ktrace list -v | awk '$1 ~ /^ktruth/ { print $1, $2, $3, $4 }' >>"$1"
	ok ktrace -q -e 'delete *; clear'
	ok ktrace -q trace ktruth_look IF '*(u8*)$@arg1@ == 0x6b' VAR '$@arg2@' VAR '*(u64*)$@arg1@'
	ok ktrace -q trace ktruth_chain IF '**(u64**)$@arg1@ == 0' VAR '$@sp@&7'
	ok sites jumps 60
	for call in "look 3" "chain 20"; do echo "call $call" >/proc/ktruth; done
	ktrace print | grep '^ktruth' >>"$1"
	ktrace list -v | awk '$1 ~ /^ktruth/ { print $1, $2, $3, $4 }' >>"$1"
	ok ktrace -q -e 'delete *; clear'
	# The code finds a key that the table has; the C path adds it.
	ok ktrace -q trace ktruth_look COUNT BY '$@arg2@', '*(u8*)$@arg1@'
	ok ktrace -q trace ktruth_args6 SUM '$@arg1@-30' BY COMM, '$@arg2@&1', '(s32)$@sp@&7'
	ok ktrace -q trace ktruth_square HIST '$@arg1@-1'
	ok ktrace -q trace ktruth_chain COUNT
	ok sites jumps 60
	for call in "look 9" "args6 50" "square 9" "chain 20"; do echo "call $call" >/proc/ktruth; done
	ktrace --csv print | grep '^aggregate' | grep -v -E "[$]@arg2@=($(sed -n 's/^place \([0-9]*\) .*freed.*/\1/p' /proc/ktruth | paste -sd'|'))[;\"]" |
		sort >>"$1"
	ktrace list -v | awk '$1 ~ /^ktruth/ { print $1, $2, $3, $4 }' >>"$1"
	ok ktrace -q -e 'delete *; clear'
	# Static tracepoints: values of arguments and behind them, a filter, counts.  Only this process sends these signals.
	ok ktrace -q trace signal:signal_generate IF 'sig == 10' VAR sig VAR 'task->prio' VAR 'task->comm' VAR 'group' VAR '*(u64*)0&0'
	for _ in 1 2 3 4 5; do kill -USR1 $$; done
	ktrace print | grep '^event' >>"$1"
	ok ktrace -q -e 'delete *; clear'
	ok ktrace -q trace signal:signal_generate IF 'sig == 10' COUNT BY sig, 'task->prio' task:task_rename COUNT
	for _ in 1 2 3 4 5; do kill -USR1 $$; done
	/bin/true
	ktrace --csv print | grep '^aggregate' | sort >>"$1"
	ok ktrace -q -e 'delete *; clear'
	grep -v -F "$(sed -n 's/^place \([0-9]*\) .*freed.*/ $@arg2@=\1 /p' /proc/ktruth)" "$1" | sed 's/  [0-9][0-9]:[^)]*)//' >/tmp/some
	mv /tmp/some "$1"
}

modprobe ktruth
trap : USR1
grep -q "^place .*freed" /proc/ktruth || fail "no freed memory"
expect_eq "the default" "$(cat /sys/module/ktrace/parameters/codegen)" Y
recorded code
prompt /tmp/code.prompt

# A record of nothing but a name: its 16 bytes are the only load.  More records than a packet has room for.
ok ktrace -q trace sched:sched_switch VAR 'prev->comm'
ok tsc 3000 switch
[ "$(ktrace print | grep -c '^event:sched_switch .*"tsc"')" -ge 3000 ] || fail "few switches at the prompt"
ok ktrace -q -e 'delete *; clear'
ok ktrace record -o /tmp/names --events ipc --trace "sched:sched_switch VAR prev->comm" -- tsc 3000 switch
[ "$(ktrace -i /tmp/names print | grep -c '^event:sched_switch .*"tsc"')" -ge 3000 ] || fail "few switches in the recording"
ok rmmod ktrace
ok modprobe ktrace codegen=0 brake=0
expect_eq "without code" "$(cat /sys/module/ktrace/parameters/codegen)" N
recorded interpreter
prompt /tmp/interpreter.prompt
echo "$(wc -l </tmp/code.text) records"
[ "$(wc -l </tmp/code.text)" -ge 500 ] || fail "few records: $(head -5 /tmp/code.text)"
diff /tmp/code.text /tmp/interpreter.text >/tmp/diff || fail "they differ: $(head -6 /tmp/diff)"
diff /tmp/code.prompt /tmp/interpreter.prompt >/tmp/diff || fail "at the prompt they differ: $(head -6 /tmp/diff)"
[ "$(wc -l </tmp/code.prompt)" -ge 100 ] || fail "few records at the prompt: $(head -5 /tmp/code.prompt)"
[ "$(grep -c '=?' /tmp/code.prompt)" -ge 40 ] || fail "nothing was unreadable at the prompt"
[ "$(grep -c '=?' /tmp/code.text)" -ge 40 ] || fail "nothing was unreadable"
well
