#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: parameters, members, per-CPU variables and results from BTF, without debug package; the limits of BTF
# long: 25 s
# vm: --modprobe nf_conntrack
. /lab/lib.sh

[ -e /sys/kernel/btf/vmlinux ] || skip "this kernel has no BTF"
[ ! -d /usr/lib/debug ] || fail "there is a debug package"

ok ktrace status
expect_match status "$out" '^debug info +/sys/kernel/btf/vmlinux'

percpu='this_cpu(runqueues).cpu'
if ! data_symbols; then
	percpu='$cpu'
elif ! grep -q runqueues /sys/kernel/btf/vmlinux; then
	# This kernel's BTF has only types.
	run ktrace trace vfs_write VAR "$percpu"
	expect_status 2
	expect_match "a variable" "$err" 'the type of runqueues is unknown without debug information: write .*&this_cpu\(runqueues\)'
	percpu='((struct rq *)&this_cpu(runqueues))->cpu'
fi
# At the entry: values that user space knows.
ok ktrace -q trace vfs_write ARGS VAR 'file->f_pos' VAR 'file->f_path.dentry->d_inode->i_mode & 0x1ff' \
	STR 'file->f_path.dentry->d_name.name' VAR 'current->tgid == $tgid' VAR "$percpu == \$cpu" \
	VAR '*pos' IF 'count > 4096 && count < 5001'
printf 'head' >/tmp/a-file
chmod 0640 /tmp/a-file
ok dd if=/dev/zero of=/tmp/a-file bs=4096 seek=3 count=1 conv=notrunc
ok dd if=/dev/zero of=/tmp/a-file bs=5000 seek=3 count=1 conv=notrunc
ok ktrace printclear
expect_eq "hits" "$(count_matches "$out" '^vfs_write ')" 1
expect_match "parameters" "$out" ' file=[0-9a-f]{16}  buf=.*  count=5000  pos=[0-9a-f]{16}  '
expect_match "members" "$out" '  file->f_pos=15000  .* & 0x1ff=416  .*d_name.name="a-file"  '
expect_match "task, CPU, pointer" "$out" '  current->tgid == \$tgid=1  [^=]* == \$cpu=1  \*pos=15000$'
ok ktrace delete vfs_write

# At the return: the values that dd gets.
ok ktrace -q trace vfs_write%return RETVAL IF 'RETVAL == 5000'
ok dd if=/dev/zero of=/tmp/a-file bs=5000 count=2
ok ktrace printclear
expect_eq "results" "$(count_matches "$out" '  retval=5000$')" 2
ok ktrace -e 'delete vfs_write%return; clear'

# Types whose numbers have a form.
ok ktrace -q trace vfs_mknod VAR mode VAR dev VAR dev:d VAR 'mode & 0777' VAR 'dir->i_mode'
ok mknod /tmp/a-node b 8 1
ok ktrace printclear
expect_match "forms of types" "$out" '  mode=brw-r[w-]-r[w-]-  dev=8:1  dev=8388609  mode & 0777=[0-9]+  dir->i_mode=d[rwxt-]{9}$'
ok ktrace delete vfs_mknod

# Arguments of the kernel's static tracepoints.
ok ktrace -q trace event:sched_process_exec ARGS VAR old_pid VAR 'p == current' STR 'bprm->filename' IF 'old_pid == p->pid'
ok /bin/true
ok ktrace printclear
expect_match "event" "$out" '^event:sched_process_exec .*  filename="/bin/true"  tid=[0-9]+  old_tid=[0-9]+  old_pid=[0-9]+  p == current=1  bprm->filename="/bin/true"'
ok ktrace delete event:sched_process_exec

# A module's own BTF.
if [ -e /sys/kernel/btf/nf_conntrack ]; then
	ok ktrace explain nf_conntrack_in
	expect_match "module" "$out" '^skb +struct sk_buff \* +parameter +%@arg1@ at'
	expect_match "module" "$out" '^state +const struct nf_hook_state \* +parameter +%@arg2@ at'
else
	run ktrace trace nf_conntrack_in ARGS
	expect_status 1
	expect_match "a module without" "$err" 'nf_conntrack(\.ko)? has no debug information|no debug information of module nf_conntrack'
fi

# In the middle of a function, BTF does not tell where parameters are.
ok ktrace explain vfs_write
inside=vfs_write$(printf '%s\n' "$out" | awk '$2 ~ /jump|breakpoint/ { print $1 }' | sed -n 4p)
run ktrace trace "$inside" VAR count
expect_status 1
expect_match "$inside" "$err" "'count' is known only at the entry of vfs_write: BTF does not know .*: .*$(uname -r | cut -d+ -f1)"
expect_eq "lines" "$(printf '%s\n' "$err" | wc -l)" 1
run ktrace trace "$inside" ARGS
expect_status 1
expect_match "$inside ARGS" "$err" "ARGS: parameters are known at the entry of vfs_write only"
# But members can be read through a register that holds the pointer.
ok ktrace -q -n trace "$inside" VAR '((struct file*)$@arg1@)->f_pos'

# Names that BTF does not have.
run ktrace trace vfs_write VAR nosuchname
expect_status 2
expect_match "local" "$err" "no parameter or symbol 'nosuchname', and BTF has no local variables: "
for address in fs/read_write.c:590 vfs_write:10 inline:fsnotify_modify; do
	run ktrace trace "$address"
	expect_status 1
	expect_match "$address" "$err" 'no debug information of kernel .*, which would give source lines'
done
run ktrace trace vfs_write count
expect_match "a forgotten VAR" "$err" "'count' (is|was) .*: to record (it|the variable of vfs_write) write VAR count$"
ok ktrace delete '*'
run ktrace trace vfs_write VAR 'file->nosuchmember'
expect_status 2
expect_match "member" "$err" "struct file has no member 'nosuchmember'"

# A module that was built without BTF.
ok modprobe ktruth
run ktrace trace ktruth_chain ARGS
expect_status 1
expect_match "no BTF" "$err" 'ktruth(\.ko)? has no debug information|no debug information of module ktruth'
well

# A pointer that stands for an error.
run ktrace -q run 'trace do_filp_open%return RETVAL' -- cat /nonexistent
expect_match "ERR_PTR" "$out" ' retval=-ENOENT$'
run ktrace -q run 'trace do_filp_open%return RETVAL' -- cat /proc/uptime
expect_match "a pointer" "$out" ' retval=ffff[0-9a-f]{12}$'
