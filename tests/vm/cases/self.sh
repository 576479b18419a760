#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: hits in ktrace itself and in the holder of its terminal are left out; SELF records them
# long: 80 s
# vm: --smp 2 --timeout 600
. /lab/lib.sh

export NO_COLOR=1

# script COMMANDS...: run them in one ktrace, a line each; $own is its process id
script() {
	printf '%s\n' "$@" status >/tmp/script.kt
	ok ktrace -q -f /tmp/script.kt
	own=$(sed -n 's/^left out *ktrace (\([0-9]*\)).*/\1/p' /tmp/out)
}
# of_own: how many records in $out are of ktrace's process
of_own() {
	count_matches "$out" "  pid[ =]$own\$"
}

# Its own hits, by each method; another process is recorded.
for place in '@sys@_ioctl PID' '@sys@_ioctl PID METHOD breakpoint' 'event:sys_enter PID' '@sys@_ioctl%return PID' \
	'@sys@_ioctl%return ELAPSED PID'; do
	for self in '' SELF; do
		script "trace $place $self" '!usleep 500000; ktrace list -v' clear list 'list -v' '!stty </dev/null 2>&1 || :' print 'delete *' clear
		[ "$(count_matches "$out" '  pid[ =][0-9]+$')" -gt "$(of_own)" ] || fail "$place $self: nothing of stty in $out"
		if [ "$self" ]; then
			[ "$(of_own)" -ge 4 ] || fail "$place SELF: nothing of ktrace in $out"
		else
			expect_eq "$place: of ktrace" "$(of_own)" 0
		fi
	done
done
[ "$(counted filtered)" -ge 20 ] || fail "what is left out is not counted"

# Another ktrace is left out from when it has opened the device; and a filter counts as well.
for self in '' SELF; do
	ok ktrace -q -e "trace vfs_read COMM IF file->f_path.dentry->d_name.name == \"kallsyms\" $self" -e clear
	ok ktrace status
	head -n 1 /proc/kallsyms >/dev/null
	ok ktrace print
	[ "$(count_matches "$out" '"head"')" -ge 1 ] || fail "nothing of head in $out"
	expect_eq "another ktrace, $self" "$(($(count_matches "$out" '"ktrace"') > 0))" "$([ "$self" ] && echo 1 || echo 0)"
	ok ktrace -q -e 'delete *' -e clear
done

# Commands that ktrace starts are other processes.
script 'trace @sys@_getppid COMM' '!syscalls getppid 3' print 'delete *' clear
expect_eq "of a child" "$(count_matches "$out" '"syscalls"$')" 3

# What is left out counts neither for FREEZE nor for LIMIT, EVERY and tables; where SELF is given, it does.
# tried OPTION...: ktrace calls ioctl under these options
tried() {
	ok ktrace -q --json -e "trace @sys@_ioctl $*" -e list -e list -e status -e print -e 'delete *' -e unfreeze -e clear
}
tried FREEZE
expect_match "FREEZE" "$out" '"frozen":false'
tried FREEZE SELF
expect_match "FREEZE SELF" "$out" '"frozen":true'
tried LIMIT 1
expect_no_match "LIMIT" "$out" '"limit_reached":true'
tried LIMIT 1 SELF
expect_match "LIMIT SELF" "$out" '"limit_reached":true'
tried COUNT BY COMM
expect_no_match "COUNT" "$out" '"value":"ktrace"'
tried COUNT BY COMM SELF
expect_match "COUNT SELF" "$out" '"value":"ktrace"'

# The listing is a script that sets the same again.
ok ktrace -q trace @sys@_ioctl COMM SELF vfs_write COMM
ok ktrace list
listed=$out
ok ktrace list -o /tmp/list.kt
ok ktrace -q -e 'delete *' -e 'source /tmp/list.kt'
ok ktrace list
expect_eq "the listing" "$out" "$listed"
expect_match "SELF is listed" "$listed" 'ioctl.* SELF'
expect_eq "only where it was given" "$(count_matches "$listed" SELF)" 1
ok ktrace -q -e 'delete *' -e clear

# Calls of a function that are measured.
ok ktrace --json latency @sys@_ioctl SELF --for 500ms
[ "$(field count)" -ge 1 ] || fail "latency SELF has no call"
expect_eq "latency SELF: filtered" "$(field filtered_by_task)" 0
run ktrace --json latency @sys@_ioctl --for 500ms
[ "$(field filtered_by_task)" -ge 2 ] || fail "latency: nothing is filtered in $out"
expect_eq "latency" "$(field count)" 0

# An interrupt that comes while ktrace runs is not ktrace's own.
script 'trace event:hrtimer_expire_entry COUNT BY COMM' \
	status status status status status status status status status status status status print 'delete *'
expect_match "interrupts" "$out" '^ktrace +[0-9]'

# The holder of the terminal: ptyrun reads what ktrace writes there.
cat >/tmp/held.sh <<'END'
for self in '' SELF; do
	ktrace -q -e "trace vfs_read COMM $self" -e status -e '!usleep 300000' -e 'delete *'
	ktrace print >/tmp/held$self
	ktrace clear
done
ktrace status
ktrace --json status
END
ok ptyrun nothing -- sh /tmp/held.sh
expect_match "the end" "$out" '\[status 0\]'
expect_match "status" "$out" \
	'^left out +ktrace \([0-9]+\) and ptyrun \([0-9]+\) at the other end of its terminal;'
expect_match "status as JSON" "$out" \
	'"left_out":\[\{"pid":[0-9]+,"name":"ktrace"\},\{"pid":[0-9]+,"name":"ptyrun"\}\],"terminal_known":true'
expect_eq "of the holder" "$(grep -c '"ptyrun"' /tmp/held)" 0
[ "$(grep -c '"ptyrun"' /tmp/heldSELF)" -ge 1 ] || fail "SELF: no record of the holder: $(cat /tmp/heldSELF)"
ok ktrace status
expect_match "no terminal" "$out" '^left out +ktrace \([0-9]+\); SELF records them$'
