#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: f%return of random functions with tail calls, compared with BPF programs at their exit: equal counts and values
# vm: --disk --mem 2G --modprobe overlay --timeout 1200
# long: 60 s
# arch: x86: only there does the kernel have BPF programs at the exit of functions
#
# COUNT=N functions (`make check-returns`: 200); SEED=N repeats a choice. Both tools are armed while the process
# is held, so both see the same calls. Each counts the calls that it misses: the kernel does not report a call
# to a kretprobe if an interrupt makes it while another kretprobe works on that CPU.
. /lab/lib.sh

COUNT=${COUNT:-20}
SEED=${SEED:-$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')}
# The functions that most tail calls of Debian's 6.1 kernel jump to, from 687 callers down.
COMMONEST="kfree trace_handle_return mutex_unlock _raw_spin_unlock __rcu_read_unlock _raw_spin_unlock_irqrestore
	refcount_warn_saturate _printk bpf_trace_run2 kmem_cache_free queue_work_on bpf_trace_run3 bpf_trace_run1
	_raw_spin_unlock_bh call_rcu _raw_spin_unlock_irq __wake_up up_write put_device bpf_trace_run4"
CALLS=100	# ignore functions that the load calls less often
ACTIONS=$((200 + 6 * COUNT))
echo "# COUNT=$COUNT SEED=$SEED"

# An overlay over ext4, so that the load also runs code of a module.
mkdir /mnt/upper /mnt/work /tmp/lower /tmp/over
mount -t overlay -o lowerdir=/tmp/lower,upperdir=/mnt/upper,workdir=/mnt/work over /tmp/over || skip "no overlay"
load="mixload -s $SEED -d /tmp/over -n $ACTIONS"

# ---------------------------------------------------------------- which functions there are

# Print the tail calls of the functions in a list: NAME TARGET, with * for a target in a register.
tail_callees() {
	sed 's/^/explain /' "$1" >/tmp/explain.kt
	ktrace -f /tmp/explain.kt 2>/dev/null |
		awk '/^[^ ]/ { name = $1 }
			/# a tail call/ { sub(/ *#.*/, ""); print name, $NF ~ /^\*|^__x86_indirect_thunk_/ ? "*" : $NF }' | sort -u
}

# ------------------------------------------------------------------------------ the draw

# Print a list in the random order of the seed.
shuffled() {
	awk -v seed="$SEED" 'BEGIN { srand(seed) } { printf "%.9f %s\n", rand(), $0 }' "$1" | sort | cut -d ' ' -f 2
}

# drawn: choose COUNT functions of /tmp/shuffled: NAME KIND. Try to get a number of each kind, as far as the
# callees in /tmp/callees show the kind.
drawn() {
	awk -v count="$COUNT" -v commonest="$(echo $COMMONEST)" '
		function quota(kind) { return kind == "module" ? int((count + 19) / 20) : int((count + 9) / 10) }
		BEGIN { for (n = split(commonest, c, " "); n; n--) common[c[n]] = 1 }
		FILENAME != "/tmp/shuffled" { if ($2 == "*") is["indirect", $1] = 1; if ($2 in common) is["common", $1] = 1; next }
		{ name[++nr] = $1; if ($1 ~ /:/) is["module", $1] = 1 }
		END {
			for (n = split("indirect common module", kinds, " "); n; n--)
				for (i = 1; i <= nr && has[kinds[n]] < quota(kinds[n]); i++)
					if ((kinds[n], name[i]) in is && !(name[i] in of)) {
						of[name[i]] = kinds[n]
						has[kinds[n]]++
						taken++
					}
			for (i = 1; i <= nr && taken < count; i++)
				if (!(name[i] in of)) {
					of[name[i]] = "any"
					taken++
				}
			for (i = 1; i <= nr; i++)
				if (name[i] in of)
					print name[i], of[name[i]]
		}' /tmp/callees /tmp/shuffled
}

# It takes long to find the callees of all functions: begin at the top of the list, until there are enough of
# each kind.
draw() {
	shuffled /tmp/tails >/tmp/shuffled
	: >/tmp/callees
	looked=0
	all=$(wc -l </tmp/shuffled)
	until [ $looked -ge "$all" ] || {
		[ $looked -gt 0 ] && [ "$(drawn | grep -c indirect)" -ge $((COUNT / 10)) ] && [ "$(drawn | grep -c common)" -ge $((COUNT / 10)) ]
	}; do
		sed -n "$((looked + 1)),$((looked + COUNT))p" /tmp/shuffled >/tmp/look
		looked=$((looked + COUNT))
		tail_callees /tmp/look >>/tmp/callees
	done
	drawn
}

called_often $CALLS $load >/tmp/often
fexit can /tmp/often >/tmp/can || skip "no BPF programs at the exit of functions"
sed -n 's/^can \([^ ]*\) .*/\1/p' /tmp/can >/tmp/fit
with_tail_calls /tmp/fit >/tmp/tails
echo "# the load calls $(wc -l </tmp/often) functions $CALLS times or more; no BPF program at the exit of:"
awk '$1 == "cannot" { n[$3]++ } END { for (why in n) print "#   " n[why], why }' /tmp/can
echo "# the return refused by ktrace:"
sed 's/^/#   /' /tmp/refused
echo "# of the others $(wc -l </tmp/tails) have tail calls"
draw >/tmp/drawn
cut -d ' ' -f 1 /tmp/drawn >/tmp/names
expect_eq "drawn" "$(wc -l </tmp/names)" "$COUNT"
cut -d ' ' -f 2 /tmp/drawn | sort | uniq -c | sed 's/^ */# drawn: /'

# ----------------------------------------------------------------------- both look at once

# For functions with a value: the whole register, and the value that ktrace takes from it.
awk 'NR == FNR { bytes[$2] = $3; next }
	{ print $1 "%return REG @acc@", bytes[$1] ? "VAR (u64)RETVAL:x" : "", "ONLYTGID PID" }' /tmp/can /tmp/names >/tmp/what
cat >/tmp/arm <<'END'
#!/bin/sh
ktrace -q buffer 128M discard || exit
exec ktrace -q trace $(cat /tmp/what | sed "s/PID/$1/")
END
chmod +x /tmp/arm
ok fexit values /tmp/names /tmp/arm $load
mv /tmp/out /tmp/fexit
ktrace --json -e 'status; list; status' >/tmp/state
grep '"type":"tracepoint"' /tmp/state >/tmp/list
ok ktrace --csv print
mv /tmp/out /tmp/ktrace

# NAME VALUE CALLS as both tools saw them; a value has the last digits, in the width of the returned type
seen_by_ktrace() {
	awk 'function digits(cell) {
			sub(/^0x/, "", cell)
			sub(/\(.*/, "", cell)
			return cell
		}
		function cut(hex, n) {
			return substr("0000000000000000" hex, length(hex) + 17 - 2 * n)
		}
		NR == FNR { if ($1 == "can") bytes[$2] = $3; next }
		FNR == 1 { n_columns = split($0, heading, ","); next }
		{
			split($0, cell, ",")
			for (i = 1; i <= n_columns; i++)
				of[heading[i]] = cell[i]
			name = of["name"]
			gsub(/"|%return"?$/, "", name)
			value = "-"
			if (bytes[name]) {
				value = cut(digits(of["(u64)RETVAL"]), bytes[name])
				register = cut(digits(of["@acc@"]), bytes[name])
				if (value != register)
					value = value "?" register
			}
			n[name " " value]++
		}
		END { for (line in n) print line, n[line] }' /tmp/can /tmp/ktrace | sort
}

seen_by_fexit() {
	awk 'NR == FNR { if ($1 == "can") bytes[$2] = $3; next }
		$1 == "value" { print $2, bytes[$2] ? substr($3, 17 - 2 * bytes[$2]) : "-", $4 }' /tmp/can /tmp/fexit | sort
}

# Print the result for each function: NAME SEEN-BY-FEXIT SEEN-BY-KTRACE MORE LESS UNSEEN MISSED. MORE and LESS
# count calls whose value ktrace saw more, or less, often. The kernel could not report UNSEEN returns to ktrace,
# nor MISSED returns to BPF, in any process.
verdicts() {
	sed 's/.*"name":"\([^"]*\)%return".*"unseen":\([0-9]*\).*/unseen \1 \2/' /tmp/list >/tmp/unseen
	awk 'FILENAME ~ /names$/ { order[++nr] = $1; next }
		$1 == "unseen" { unseen[$2] = $3; next }
		$1 == "missed" { missed[$2] = $3; next }
		$1 == "value" { next }
		{ key[$1 " " $2] = $1; if (FILENAME ~ /by-ktrace$/) ktrace[$1 " " $2] = $3; else fexit[$1 " " $2] = $3 }
		END {
			for (k in key) {
				f = key[k]
				by_ktrace[f] += ktrace[k]
				by_fexit[f] += fexit[k]
				d = ktrace[k] - fexit[k]
				if (d > 0)
					more[f] += d
				else
					less[f] -= d
			}
			for (i = 1; i <= nr; i++) {
				f = order[i]
				print f, by_fexit[f] + 0, by_ktrace[f] + 0, more[f] + 0, less[f] + 0, unseen[f] + 0, missed[f] + 0
			}
		}' /tmp/names /tmp/unseen /tmp/fexit /tmp/by-ktrace /tmp/by-fexit
}

# total COLUMN: the sum of a column of the results
total() {
	awk -v n="$1" '{ sum += $n } END { print sum + 0 }' /tmp/verdicts
}

seen_by_ktrace >/tmp/by-ktrace
seen_by_fexit >/tmp/by-fexit
verdicts >/tmp/verdicts
hits=$(sed 's/.*"hits":\([0-9]*\).*/\1/' /tmp/list | awk '{ n += $1 } END { print n }')
out=$(head -n 1 /tmp/state)
least=$(($(field recorded) + $(field filtered) + $(total 6)))
out=$(tail -n 1 /tmp/state)
most=$(($(field recorded) + $(field filtered) + $(total 6)))
[ "$least" -le "$hits" ] && [ "$hits" -le "$most" ] ||
	fail "hits are recorded, filtered or unseen: $hits, where they are from $least to $most"
expect_eq "lost, discarded, in ktrace's own code" "$(field lost) $(field discarded) $(field recursed)" "0 0 0"
expect_eq "records" "$(total 3)" "$(field recorded)"
echo "# $(total 2) calls of $COUNT functions, $(wc -l </tmp/by-fexit) different values: seen by ktrace $(total 3)"
echo "# unseen by the kernel's kretprobes $(total 6), missed by BPF $(total 7), of all processes' calls"
awk '$4 || $5 { print "# " $1 ": fexit " $2 ", ktrace " $3 " (" $6 " unseen; fexit missed " $7 ")" }' /tmp/verdicts
awk '$2 < 1 { print "# not called this time: " $1 }' /tmp/verdicts
wrong=$(awk '$4 > $7 || $5 > $6' /tmp/verdicts)
[ -z "$wrong" ] || {
	for name in $(echo "$wrong" | cut -d ' ' -f 1); do
		grep "^$name " /tmp/by-fexit | head -20 | sed 's/^/fexit  /' >&2
		grep "^$name " /tmp/by-ktrace | head -20 | sed 's/^/ktrace /' >&2
	done
	fail "calls or values differ: NAME FEXIT KTRACE MORE LESS UNSEEN MISSED
$wrong"
}
well
