# SPDX-License-Identifier: GPL-2.0-or-later
# Functions for the cases in tests/vm/cases. A case runs in a guest and begins with `. /lab/lib.sh`.

# If the case has names such as @arg1@, replace them by those of tests/vm/arch for this architecture, and run
# that.
if [ -z "${NAMED:-}" ] && grep -q '@[a-z0-9_]*@' "$0"; then
	sed -f /lab/names.sed "$0" >/tmp/case.sh
	! grep '@[a-z0-9_]*@' /tmp/case.sh >&2 || exit 1
	NAMED=1 exec sh /tmp/case.sh "$@"
fi

# fail MESSAGE: end this case as failed
fail() {
	echo "failed: $*" >&2
	exit 1
}

# skip REASON: end this case as not possible here
skip() {
	echo "skip: $*"
	exit 77
}

# run COMMAND...: run a command. Afterwards $status has its exit status, and $out and $err have its output;
# /tmp/out and /tmp/err have the same bytes.
run() {
	status=0
	"$@" >/tmp/out 2>/tmp/err </dev/null || status=$?
	out=$(cat /tmp/out)
	# What lasts longer than a second is said: on a slow machine that may be anything.
	err=$(grep -v '^ktrace: .* \.\.\.$' /tmp/err) || :
}

# last_run: print the command, status and output of the last run(), for the message of a failure
last_run() {
	printf 'status %s\n--- standard output ---\n%s\n--- standard error ---\n%s\n' "$status" "$out" "$err" >&2
}

# expect_status STATUS: the last run() must have ended with it
expect_status() {
	[ "$status" = "$1" ] || {
		last_run
		fail "status $status where $1 is expected"
	}
}

# ok COMMAND...: run() the command; it must succeed
ok() {
	run "$@"
	[ "$status" = 0 ] || {
		last_run
		fail "$*: status $status"
	}
}

# expect_eq WHAT GOT EXPECTED: both must be equal
expect_eq() {
	[ "$2" = "$3" ] || fail "$1: got '$2' where '$3' is expected"
}

# expect_match WHAT TEXT PATTERN: some line of the text must match the extended regular expression
expect_match() {
	printf '%s\n' "$2" | grep -Eq -e "$3" || fail "$1: nothing matches '$3' in:
$2"
}

# expect_no_match WHAT TEXT PATTERN: no line may match
expect_no_match() {
	! printf '%s\n' "$2" | grep -Eq -e "$3" || fail "$1: something matches '$3' in:
$2"
}

# count_matches TEXT PATTERN: print how many lines match
count_matches() {
	printf '%s\n' "$1" | grep -Ec -e "$2"
}

# wait_until SECONDS COMMAND...: repeat the command until it succeeds; fail if the time is over. A busy machine gets at least
# three times as long.
wait_until() {
	wait_tries=$(($1 * 60))
	shift
	until "$@"; do
		wait_tries=$((wait_tries - 1))
		[ $wait_tries -gt 0 ] || fail "waited in vain for: $*"
		usleep 50000
	done
}

# processes PATTERN: the ids of processes whose command line matches; write [a]bc, so that grep does not match
# itself
processes() {
	grep -l -e "$1" /proc/[0-9]*/cmdline 2>/dev/null | cut -d/ -f3
}

# kill_processes PATTERN: kill them by SIGKILL, if there are any
kill_processes() {
	# The ids are separate words.
	# shellcheck disable=SC2046
	no_process "$1" || kill -9 $(processes "$1")
}

# no_process PATTERN: true if no process matches
no_process() {
	[ -z "$(processes "$1")" ]
}

# truth NAME [COUNT]: call a planted function in a child process; $pid has its id
truth() {
	[ -e /proc/ktruth ] || modprobe ktruth
	sh -c 'echo $$ >/tmp/truth-pid; echo "call $0 $1" >/proc/ktruth' "$1" "${2:-1}" || fail "ktruth: $1 went wrong"
	pid=$(cat /tmp/truth-pid)
}

# static_node: do what systemd does when a machine starts that has ktrace_user.ko: the node is there, and to open it loads the
# module
static_node() {
	modprobe -r ktrace_user 2>/dev/null
	echo /bin/modprobe >/proc/sys/kernel/modprobe
	# Its mode is that of mk/70-ktrace-user.rules.
	[ -e /dev/ktrace-user ] || mknod -m 660 /dev/ktrace-user c 10 247
}

# hold COMMAND...: start the command, but stop it before it runs; $pid has its process id, which stays the same
hold() {
	rm -f /tmp/gate
	mkfifo /tmp/gate || fail "no fifo"
	sh -c 'read -r go </tmp/gate; exec "$@"' hold "$@" >/tmp/held 2>&1 &
	pid=$!
}

# let_go: let the held command run to its end; it must succeed
let_go() {
	echo go >/tmp/gate
	wait "$pid" || fail "the held command failed: $(cat /tmp/held)"
}

# return_to FUNCTION COMMAND...: run the command; $place gets the return address of its first call of FUNCTION
return_to() {
	return_of=$1
	shift
	ok ktrace -q trace "$return_of" @return_item@
	ok "$@"
	ok ktrace print
	place=$(printf '%s\n' "$out" | sed -n "s/^[^ ]*$return_of .* @return_shown@=[0-9a-f]* (\([^)]*\)).*/\1/p;T;q")
	[ -n "$place" ] || fail "where $return_of returns to is not in:
$out"
	ok ktrace -e "delete $return_of; clear"
}

# data_symbols: does the kernel list symbols of data? Only with CONFIG_KALLSYMS_ALL.
data_symbols() {
	grep -q ' [dbB] ' /proc/kallsyms
}

# data NAME: the address of planted data for an expression: its name, or a number if the kernel lists no data
data() {
	if data_symbols; then
		echo "&$1"
	else
		sed -n "s/^data $1 //p" /proc/ktruth
	fi
}

# final_clock: wait until differences between records are final. The kernel measures the rate of its counter once more after
# boot, and the module may be loaded before (5.10 takes some seconds).
final_clock() {
	wait_until 60 sh -c '! grep -q early /sys/devices/system/clocksource/clocksource0/current_clocksource'
}

# counted NAME: print a count of `ktrace status`, over all CPUs
counted() {
	ktrace --json status | sed "s/.*\"all\":{[^}]*\"$1\":\([0-9]*\).*/\1/"
}

# field NAME: print the first value of this name in $out, a measurement as JSON
field() {
	printf '%s\n' "$out" | grep -o "\"$1\":[0-9.]*" | head -n 1 | sed 's/.*://'
}

# places FUNCTION: print the addresses that can be traced, in order, beginning behind ftrace's own nop
places() {
	ktrace explain "$1" 2>/dev/null |
		awk -v name="$1" '$1 ~ /^\+0x/ && behind && $2 != "no" { print name $1 } /ftrace patches/ { behind = 1 }'
}

# traceable: read the output of `ktrace explain`, and print the first address that can be traced, if any
traceable() {
	grep -m 1 -E '^ +\+0x[0-9a-f]+ +(jump|breakpoint) ' /tmp/out || :
}

# accepted ADDRESS...: print the addresses (name+0x10) that can be traced, and whose function name belongs to
# one symbol only, or has a number (name#2+0x10)
accepted() {
	only=$(printf '%s\n' "$@" |
		awk 'NR == FNR { n[$3]++; next } { split($1, a, "+") } a[1] ~ /#/ || n[a[1]] == 1' /proc/kallsyms -)
	# The controller refuses some addresses, then the module refuses some of the others.
	while [ "$only" ] && ! ktrace -q -n trace $only 2>/tmp/refused; do
		before=$only
		only=$(printf '%s\n' $only |
			awk 'NR == FNR { sub(/^ktrace: /, ""); sub(/: .*/, ""); sub(/^.*:/, ""); no[$1] = 1; next }
				!($1 in no)' /tmp/refused -)
		[ "$only" != "$before" ] || fail "$(head -3 /tmp/refused)"
	done
	printf '%s\n' $only
}

# called_often LEAST COMMAND...: print the functions that the command's process calls at least LEAST times, as
# NAME or MODULE:NAME. Leave out names that several symbols share.
called_often() {
	called_least=$1
	shift
	ok called "$@"
	awk -v least="$called_least" 'NR == FNR { if ($1 >= least) often[$2] = 1; next }
		{ nr[$3]++ }
		$1 in often { gsub(/[][]/, "", $4); name[$3] = ($4 ? $4 ":" : "") $3 }
		END { for (n in name) if (nr[n] == 1 && n !~ /\./) print name[n] }' /tmp/out /proc/kallsyms | sort
}

# with_tail_calls FILE: print the functions of the file that have tail calls, so that a kretprobe catches their
# end. /tmp/refused says why others are refused.
with_tail_calls() {
	sed 's/$/%return/' "$1" >/tmp/returns
	: >/tmp/refused
	# shellcheck disable=SC2046
	until ktrace -n trace $(cat /tmp/returns) >/tmp/resolved 2>/tmp/why; do
		before=$(wc -l </tmp/returns)
		sed -n 's/^ktrace: \([^ +%]*\)[+%].*/\1%return/p' /tmp/why >/tmp/no
		grep -vxF -f /tmp/no /tmp/returns >/tmp/rest
		mv /tmp/rest /tmp/returns
		cat /tmp/why >>/tmp/refused
		[ "$(wc -l </tmp/returns)" -lt "$before" ] || fail "$(head -3 /tmp/why)"
	done
	awk '$2 == "kretprobe" { sub(/%return$/, "", $1); print $1 }' /tmp/resolved
}

# inside FUNCTION [STEP]: print addresses in it (NAME or NAME#2), one in STEP bytes; it knows the modules of its first call
inside() {
	[ -e /tmp/functions ] || grep ' [tTwW] ' /proc/kallsyms | sort >/tmp/functions
	inside_size=$(awk -v name="${1%#*}" -v nth="${1#*#}" '
		from && $1 != from { print "0x" $1 " - 0x" from; exit }
		$3 == name && ++seen == (nth + 0 ? nth : 1) { from = $1 }' /tmp/functions)
	for inside_at in $(seq 1 "${2:-1}" $((${inside_size:-1} - 1))); do
		printf '%s+0x%x\n' "$1" "$inside_at"
	done
}

# text_restored: the kernel's text must be the same as at `rawtext save /tmp/text`
text_restored() {
	run rawtext compare /tmp/text
	[ "$out" ] || return 0
	sed 's/^0x//' /tmp/out | sort - /proc/kallsyms | awk '/: was / { print at, $0 } / [tT] / { at = $3 }' >&2
	fail "text that is not restored"
}

# on_terminal COLUMNS COMMAND: run the command on a terminal of 80x24 or 200x50; no line may be wider. Its lines, without
# colours, are in /tmp/seen, and all that were seen so far in /tmp/seen-COLUMNS; the last line of /tmp/out is its status.
on_terminal() {
	[ "$1" = 80 ] && rows=24 || rows=50
	printf 'export TERM=xterm PAGER=\nstty cols %s rows %s\n%s\n' "$1" $rows "$2" >/tmp/on-terminal
	ok ptyrun 'never shown' -- sh /tmp/on-terminal
	sed "s/$(printf '\033')\[[?0-9;]*[A-Za-z]//g; s/\r\$//; s/.*\r//" /tmp/out >/tmp/seen
	# Characters of several bytes take one column.
	long=$(sed 's/[\x80-\xbf]//g' /tmp/seen | awk -v most="$1" 'length($0) > most')
	[ -z "$long" ] || fail "wider than $1 columns: $2:
$long"
	cat /tmp/seen >>"/tmp/seen-$1"
}

# well: the kernel log must have no unexpected line; tests/vm/lab/console.py lists harmless lines
well() {
	expect_no_match "kernel log" \
		"$(dmesg | grep -v "WARNING: \(See https://\|can't access iret registers at asm_exc_invalid_op+\)")" \
		'BUG|WARNING|Oops|(^|[^a-z_])(stall|lockup)|LOCKUP|INFO: task'
}

# look_at DIR: count the records of a trace in $in_trace, and those that it says are lost in $lost. No number may be
# missing between the first and the last record of a CPU.
look_at() {
	ktrace --json -i "$1" print >/tmp/json || fail "$1 cannot be read"
	sed -n 's/.*"type":"record".*"cpu":\([0-9]*\),"number":\([0-9]*\),.*/\1 \2/p' /tmp/json >/tmp/numbers
	awk '$1 in last && $2 != last[$1] + 1 { exit 1 } { last[$1] = $2 }' /tmp/numbers || fail "$1: a gap"
	in_trace=$(wc -l </tmp/numbers)
	lost=$(sed -n 's/.*"lost":\([0-9]*\),"reason".*/\1/p' /tmp/json | awk '{ sum += $1 } END { print sum + 0 }')
}

# kill_recorders COUNT REGISTER [OPTION]: kill as many recorders by SIGKILL, one after the other, each after another time.
# Twenty calls of ktruth_run have one argument, which is in that register, the next twenty the next number. A trace has all
# calls up to its last one, but for those that it says are lost. OPTION is one of `record`.
kill_recorders() {
	modprobe ktruth
	ok ktrace status
	kill_round=0
	while [ "$kill_round" -lt "$1" ]; do
		kill_round=$((kill_round + 1))
		rm -rf /tmp/killed
		ktrace record -o /tmp/killed --buffer 64K --trace "ktruth_run REG $2" ${3:+"$3"} 2>/tmp/killed.err &
		killed_pid=$!
		wait_until 60 test -s /tmp/killed/metadata
		# On one CPU: a packet of another could be written before an earlier one of this.
		# shellcheck disable=SC2016
		taskset 2 sh -c 'while [ ! -e /tmp/killed.end ]; do i=$((i + 1)); echo time run $i 20 >/proc/ktruth; done' &
		calling_pid=$!
		wait_until 60 sh -c 'cat /tmp/killed/cpu* 2>/dev/null | grep -q .'
		usleep $((kill_round * 7919 % 50000))
		kill -9 $killed_pid
		echo >/tmp/killed.end
		wait $calling_pid
		rm /tmp/killed.end
		wait_until 20 sh -c '[ -z "$(ktdev recordings)" ]'
		wait_until 20 sh -c 'ktdev count | grep -q "sites=0 "'
		look_at /tmp/killed
		[ "$in_trace" -gt 0 ] || fail "round $kill_round: no records"
		sed -n 's/.*"type":"record".*"value":"0*x*\([^"]*\)".*/\1/p' /tmp/json >/tmp/values
		killed_last=$(tail -n 1 /tmp/values)
		whole=$(awk -v last="$killed_last" '$1 != last { n++ } END { print n + 0 }' /tmp/values)
		missing=$((20 * (0x$killed_last - 0x$(head -n 1 /tmp/values)) - whole))
		echo "round $kill_round: in the trace $in_trace, lost $lost, missing before the last call $missing"
		[ "$missing" -ge 0 ] && [ "$missing" -le "$lost" ] || fail "round $kill_round: $missing missing, $lost lost"
	done
}

# told NAME: what the program whose output is in /tmp/truth tells about its function: $calls, $arguments, $returns, $values,
# $nanoseconds. tests/vm/languages/throws.cpp describes them.
told() {
	# shellcheck disable=SC2046
	set -- $(awk -v name="$1" '$1 == "truth" && substr($0, 7, length(name) + 1) == name " " { print substr($0, 8 + length(name)) }' /tmp/truth) "$1"
	[ $# = 6 ] || fail "the program tells nothing about $1"
	calls=$1 arguments=$2 returns=$3 values=$4 nanoseconds=$5
}

# summed NAME: print how many items of that name the records in /tmp/out have, and their sum
summed() {
	grep -o "\"name\":\"$1\",\"value\":-*[0-9]*" /tmp/out | awk -F : '{ n++; sum += $NF } END { printf "%d %d\n", n, sum }'
}

# records_true PROGRAM FUNCTION VARIABLE NAME COUNT...: records of the function's entries and returns must be those that the
# program tells about NAME, with the sums of VARIABLE, its first argument, and of its values. The program gets COUNT...
records_true() {
	true_function=$1:$2 true_program=$1 true_variable=$3 true_name=$4
	shift 4
	ok ktrace -q trace "$true_function" VAR "$true_variable" "$true_function%return" RETVAL
	ok "$true_program" "$@"
	cp /tmp/out /tmp/truth
	told "$true_name"
	ok ktrace --json printclear
	expect_eq "$true_function: calls and the sum of $true_variable" "$(summed "$true_variable")" "$calls $arguments"
	expect_eq "$true_function: returns and the sum of the values" "$(summed retval)" "$returns $values"
	expect_no_match "$true_function: lost" "$out" '"lost":'
	ok ktrace delete '*'
	echo "$true_function: $calls calls, $returns returns"
}

# calls_true FILE FUNCTION NAME COUNT...: `latency` must measure the calls that return, and count the others; with TIMES
# set, their mean must be that which the program tells, within 2 % or the error of the correction. If the file is a library,
# PROGRAM is a program that calls it.
calls_true() {
	true_function=$1:$2 true_program=${PROGRAM:-$1} true_name=$3
	shift 3
	ok ktrace latency "$true_function" --json -- "$true_program" "$@"
	printf '%s\n' "$out" | grep -v '^{' >/tmp/truth
	told "$true_name"
	expect_eq "$true_function: calls that return" "$(field count)" "$returns"
	expect_eq "$true_function: calls that end in another way" $(($(field open) + $(field abandoned))) $((calls - returns))
	for true_count in unmatched braked overflow lost filtered; do
		expect_eq "$true_function: $true_count" "$(field $true_count)" 0
	done
	[ -z "${TIMES:-}" ] || near "$true_function" $((nanoseconds / returns))
}

# near WHAT TRUTH: the corrected mean must be within 2 %, or as many instructions as the correction may be wrong by on this
# architecture; prints the uncorrected mean, too
near() {
	awk -v least="$(grep -v "^#" /lab/arch/uprobe-error)" -v what="$1" -v truth="$2" -v mean="$(field mean_ns)" -v raw="$(field raw_mean_ns)" -v count="$(field count)" 'BEGIN {
		printf "%-34s truth %10.1f  measured %10.1f (%+.1f)  uncorrected %10.1f (%+.1f)  calls %d\n", what, truth,
			mean, mean - truth, raw, raw - truth, count
		off = mean > truth ? mean - truth : truth - mean
		exit !(off <= least || off <= truth / 50)
	}' || fail "$1: too far from the truth"
}

# locals_true PROGRAM COUNT...: records of the variable of the program's `local` line must be as many as it tells, with their sum
locals_true() {
	true_program=$1
	shift
	ok "$true_program" "$@"
	# shellcheck disable=SC2046
	set -- $(grep '^local ' /tmp/out) "$@"
	true_place=$true_program:$2 true_variable=$3
	shift 5
	ok ktrace -q trace "$true_place" VAR "$true_variable"
	ok "$true_program" "$@"
	true_sum=$(sed -n 's/^local [^ ]* [^ ]* //p' /tmp/out)
	ok ktrace --json printclear
	expect_eq "$true_place: values of $true_variable" "$(summed "$true_variable")" "$true_sum"
	ok ktrace delete '*'
	echo "$true_place: $true_variable: $true_sum"
}

# cpu_down CPU, cpu_up CPU: take it offline, bring it back
cpu_down() {
	echo 0 >/sys/devices/system/cpu/cpu"$1"/online
}
cpu_up() {
	echo 1 >/sys/devices/system/cpu/cpu"$1"/online
}

# test_of NAME VARIABLE=VALUE...: run that program of unit tests; none of its tests may fail or be skipped
test_of() {
	tested=$1
	shift
	ok env CMOCKA_MESSAGE_OUTPUT=TAP "$@" "$tested"
	expect_no_match "$tested" "$out" '^not ok|# SKIP'
	expect_match "$tested" "$out" '^ok 1 '
	printf '%s\n' "$out" | grep '^# '
}

# Processes `userevents serve` have letters: $fd_LETTER is where such a process reads, /tmp/LETTER.out has its answers.
# ask LETTER WORDS...: a line for that process
ask() {
	eval "shift; echo \"\$*\" >&\$fd_$1"
}

# answered LETTER PATTERN: its last answer matches
answered() {
	tail -n 1 "/tmp/$1.out" | grep -Eq -e "$2"
}

# says LETTER WORDS PATTERN: ask the process; true if its answer matches
says() {
	said=$(wc -l <"/tmp/$1.out")
	ask "$1" "$2"
	for _ in $(seq 1000); do
		[ "$(wc -l <"/tmp/$1.out")" = "$said" ] || break
		usleep 10000
	done
	answered "$1" "$3"
}

# begin_record DIR OPTIONS...: record in the background; $recorder has its process id
begin_record() {
	record_to=$1
	shift
	ktrace --json record -o "$record_to" "$@" >"$record_to.out" 2>"$record_to.err" &
	recorder=$!
}

# end_record: end that, which must succeed; $events and $lost are what it read
end_record() {
	kill -INT $recorder
	wait $recorder || fail "record: $(cat "$record_to.err")"
	events=$(sed -n 's/.*"events":\([0-9]*\).*/\1/p' "$record_to.out")
	lost=$(sed -n 's/.*"lost":\([0-9]*\).*/\1/p' "$record_to.out")
}
