#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: the state of the system from the module: all that /proc shows before and after; odd processes; bad calls; killed
# long: 30 s
# vm: --smp 2
. /lab/lib.sh

# columns NAME PATTERN: of each line of $out that matches, print the word behind NAME
columns() {
	printf '%s\n' "$out" | grep -E -e "$2" | sed "s/.* $1 \([^ ]*\).*/\1/"
}

ok statedev bad
expect_eq "bad calls" "$out" "bad: ok"

mkdir -p /sys/fs/cgroup
mount -t cgroup2 none /sys/fs/cgroup || fail "no cgroups"
mkdir /sys/fs/cgroup/lab

statework odd >/tmp/ready 2>&1 &
odd=$!
unshare -p -f unshare -p -f sh -c ': >/tmp/nested; sleep 1000; :' &
wait_until 60 test -e /tmp/nested
wait_until 60 grep -q . /tmp/ready
expect_eq "the odd processes" "$(cat /tmp/ready)" ready
# The last ones have said that they are ready, and now stop or end their first thread.
sleep 1
echo $odd >/sys/fs/cgroup/lab/cgroup.procs
ok statedev compare
echo "$out"
expect_match "tasks" "$out" '^tasks: [0-9]{3,}, missing 0$'
expect_match "numbers in pid namespaces" "$out" '^pids: [0-9]{3,}, missing 0$'
expect_match "files" "$out" '^files: [0-9]{3,}, missing 0$'
expect_match "maps" "$out" '^maps: [0-9]{4,}, missing 0$'
# The same in the smallest parts.
ok statedev compare 8192
expect_eq "missing" "$(count_matches "$out" ', missing 0$')" 4

ok statedev tasks
tasks=$out
expect_match "this shell" "$tasks" "^$$ tgid $$ .* state S .* name "
expect_match "a zombie" "$tasks" 'status 4 state Z .* name statework$'
expect_match "a stopped process" "$tasks" 'status 0 state T .* name statework$'
expect_match "a sleeping one" "$tasks" 'status 5 state S flags 0 .* name statework$'
expect_match "an odd name" "$tasks" 'name a\) \(b\\012\\ c$'
expect_match "user and group" "$tasks" 'uid 12345 gid 54321 .* name statework$'
expect_match "a kernel thread" "$tasks" '^2 tgid 2 ppid 0 .* flags 1 .* memory 0 name kthreadd$'
expect_match "the reader itself" "$tasks" 'status 2 state R flags 2 .* name statedev$'
expect_eq "its control group" "$(columns cgroup "^$odd ")" "$(stat -c %i /sys/fs/cgroup/lab)"
# Who shares a table, and who has one of its own.
table=$(columns files 'name own files$')
expect_eq "users of the own table" "$(columns files ' tgid ' | grep -c "^$table\$")" 1
pid=$(columns tgid 'name own files$')
expect_eq "threads with one table" "$(columns files "^[0-9]+ tgid $pid " | sort | uniq -c | awk '{ print $1 }' | sort | tr '\n' ' ')" "1 3 "

# A shell in a namespace inside a namespace: the parent of the first task of a namespace is outside of it.
ok statedev pids
inner=$(printf '%s\n' "$out" | sed -n 's/^\([0-9]*\) level 2 .* vtid 1 .*/\1/p')
outer=$(sed -n 's/^PPid:\t//p' "/proc/$inner/status")
levels=$(printf '%s\n' "$out" | sed -n "s/^$inner level \([0-2]\) ns \([0-9]*\) /\1 /p")
expect_eq "nested" "$levels" "2 vtid 1 vpid 1 vppid 0
1 vtid 2 vpid 2 vppid 1
0 vtid $inner vpid $inner vppid $outer"
expect_eq "its namespace" "$(readlink "/proc/$inner/ns/pid")" "pid:[$(columns ns "^$inner level 2 ")]"

ok statedev files
expect_eq "files of the thread with its own" \
	"$(count_matches "$out" " table $table fd ([3-9]|[0-9]{2,}) .* name /dev/null\$")" 75
expect_match "a far file" "$out" ' fd 299999 flags '
expect_match "a far file, closed on exec" "$out" ' fd 65536 flags 2[0-9]{6} '
expect_match "a deleted file" "$out" ' name /tmp/a \(deleted\)\\012 b\) \(deleted\)$'
# A table appears once in each process.
expect_eq "no file twice" "$(printf '%s\n' "$out" | sed 's/^[0-9]* //; s/ flags .*//' | sort | uniq -d | head -3)" ""

ok statedev maps
expect_match "a map of a deleted file" "$out" ' r--s 00001000 [0-9a-f:]* [0-9]+ /tmp/a \(deleted\)\\012 b\) \(deleted\)$'
expect_match "a stack" "$out" ' rw-p 00000000 00:00 0 \[stack\]$'
expect_no_match "none was locked" "$out" ' 00000000-00000000 '
kill -KILL "$inner"
kill $odd
wait

# The end: every CPU has switched; one on which a task with real-time priority stays is named.
ok statedev end
expect_eq "CPUs" "$(columns cpu . | wc -l)" "$(nproc)"
expect_no_match "no CPU is busy" "$out" ' busy 1'

# Beside processes that come and go, and a reader that is killed again and again.
forkstorm 100000 >/dev/null &
storm=$!
for _ in 1 2 3; do
	run statedev compare
	echo "$out" | tail -3
	expect_status 0
done
i=0
while [ $i -lt 10 ]; do
	statedev loop >/tmp/loop &
	reader=$!
	wait_until 20 grep -q began /tmp/loop
	usleep $((RANDOM * 10))
	kill -9 $reader
	wait $reader
	: >/tmp/loop
	i=$((i + 1))
done
kill $storm
wait
ok statedev time
echo "$out"

# Nothing is left: processes end, file systems can be unmounted, the module can be unloaded.
mount -t tmpfs none /mnt
(cd /mnt && exec sleep 1000) &
sleeper=$!
ok statedev time
kill $sleeper
wait
ok umount /mnt
ok rmmod ktrace
well
