#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: show and where: values, types and lists of the kernel, and where a thread waits, against /proc
# long: 60 s
. /lab/lib.sh

# Nothing here needs the module of ktrace.
data_symbols || {
	run ktrace show jiffies
	expect_status 2
	expect_match "no variables" "$err" "this kernel lists no data symbols"
	run ktrace show --pid 1 'current->pid'
	expect_status 1
	expect_match "no tasks" "$err" '^ktrace: show: this kernel does not list init_task, which leads to the tasks$'
	ok ktrace show struct list_head
	ok ktrace where 1
	skip "this kernel lists no variables"
}
ok ktrace show jiffies
first=${out#jiffies=}
ok ktrace show jiffies
[ "${out#jiffies=}" -ge "$first" ] || fail "jiffies: $first, then $out"
ok ktrace show init_task.pid
expect_eq "init_task" "$out" "init_task.pid=0"
ok ktrace show init_task.comm
expect_match "init_task" "$out" '^init_task\.comm="swapper'

# A task: its members are those that /proc shows; also those of a thread that is not the first of its process.
sleep 1000 &
sleeper=$!
wait_until 20 grep -q sleep /proc/$sleeper/comm
ok ktrace show --pid $sleeper 'current->comm'
expect_eq "comm" "$out" 'current->comm="sleep"'
ok ktrace show --pid $sleeper 'current->pid'
expect_eq "pid" "$out" "current->pid=$sleeper"
ok ktrace show --pid $sleeper 'current->mm->total_vm * 4'
expect_eq "total_vm" "${out##*=}" "$(sed -n 's/^VmSize: *\t* *\([0-9]*\) kB/\1/p' /proc/$sleeper/status)"
ok ktrace show 'current->comm'
expect_eq "itself" "$out" 'current->comm="ktrace"'
family threads 2 100000000 &
family=$!
wait_until 20 sh -c "[ \$(ls /proc/$family/task | wc -l) -gt 1 ]"
for task in /proc/$family/task/*; do
	thread=${task##*/}
	ok ktrace show --pid "$thread" 'current->pid'
	expect_eq "thread" "$out" "current->pid=$thread"
done
run ktrace show --pid 99999 'current->pid'
expect_status 1
expect_match "no thread" "$err" "^ktrace: show --pid 99999: no such thread"

# Types.
ok ktrace show struct list_head
expect_eq "list_head" "$out" "struct list_head  16 bytes, 2 members
offset  size  member  type
     0     8  next    struct list_head *
     8     8  prev    struct list_head *"
ok ktrace show loff_t
expect_match "loff_t" "$out" '^loff_t = long long int  8 bytes$'
ok ktrace show struct task_struct
expect_match "task_struct" "$out" '^ +[0-9]+ +4  pid +pid_t$'
run ktrace show struct nosuch
expect_status 1

# Bytes: an array, and one with a text.
ok ktrace show '((struct in6_addr *)&in6addr_loopback)->in6_u.u6_addr8'
expect_eq "bytes" "${out##*=}" "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01"
ok ktrace show '((u8 *)&linux_banner)[0..12]'
expect_eq "bytes with a text" "${out##*=}" "4c 69 6e 75 78 20 76 65 72 73 69 6f 6e |Linux version|"

# A value that cannot be read.
ok ktrace show '*(u64*)8'
expect_match "unreadable" "$out" '=\?$'
ok ktrace show '((struct task_struct *)16)->comm'
expect_match "unreadable" "$out" '\?|unreadable'

# Lists: a ring of objects, a list with a head, a bound.
ok ktrace show init_task tasks pid comm
expect_match "sleep" "$out" "  pid=$sleeper  comm=\"sleep\"\$"
expect_match "end" "$out" '^[0-9]+ elements: the list is back at its head$'
ok modprobe ktruth
ok ktrace show modules module.list name
expect_match "module" "$out" '  name="ktruth"$'
ok ktrace show --most 2 init_task tasks comm
expect_match "most" "$out" '^2 elements: there are more'
expect_eq "most" "$(printf '%s\n' "$out" | wc -l)" 3
ok ktrace --json show --most 1 init_task tasks comm
expect_match "json" "$out" '^\{"type":"list_end",.*"elements":1,"why":"most"\}$'
run ktrace show init_task comm pid
expect_status 2
expect_match "no link" "$err" "struct task_struct.comm does not lead to a next one"

# Where a thread waits; of one that runs it is not known.
ok ktrace where $sleeper
expect_match "head" "$out" "^sleep  $sleeper  sleeps\$"
expect_match "stack" "$out" '^    .*nanosleep'
sh -c 'while :; do :; done' &
busy=$!
ok ktrace where $busy
expect_eq "runs" "$out" "sh  $busy  runs, or waits for a CPU: its stack is not known while it runs"
run ktrace where 99999
expect_status 1
kill -9 $busy $sleeper $family
