#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: every item and expression against planted values, by breakpoint and jump, at the entry and inside
# long: 39 s
. /lab/lib.sh

ok modprobe ktruth
word=$(data ktruth_word) negative=$(data ktruth_negative) string=$(data ktruth_string) first=$(data ktruth_first)
percpu='*(s32*)&this_cpu(ktruth_percpu) - 1000'
data_symbols || percpu='$cpu'
address() {
	awk -v name="$1" '$3 == name { print $1; exit }' /proc/kallsyms
}
# Offsets in struct ktruth_node and ktruth_leaf.
next=0 leaf=8 id=0x10 colour=0x18 function=0x20 name=6

# armed: true if no jump is still to be armed
armed() {
	! ktrace list -v | grep -q soon
}

for method in breakpoint jump; do
	with="METHOD $method"
	# A chain of pointers, the numbers at its ends, and a string in the structure.
	ok ktrace -q trace ktruth_chain VAR "*(u64*)(\$@arg1@+$id)" VAR "*(s32*)*(u64*)(\$@arg1@+$leaf)" \
		VAR "*(s32*)(*(u64*)(*(u64*)(\$@arg1@+$next)+$leaf))" VAR "*(u64*)(*(u64*)\$@arg1@+$id)" \
		VAR "*(u32*)(\$@arg1@+$colour)" VAR "*(void**)(\$@arg1@+$function)" \
		STR "*(u64*)(\$@arg1@+$leaf)+$name" STR "*(u64*)(*(u64*)\$@arg1@+$leaf)+$name:4" \
		VAR "(char*)(*(u64*)(\$@arg1@+$leaf)+$name)" VAR '**(u64**)$@arg1@' $with
	wait_until 20 armed
	truth chain 1
	ok ktrace printclear
	expect_match "words $method" "$out" '  \*\(u64\*\)\(\$@arg1@\+0x10\)=659918  .*=-7  .*=42  '
	expect_match "chain $method" "$out" '  \*\(u64\*\)\(\*\(u64\*\)\$@arg1@\+0x10\)=2827  .*\)=5  '
	expect_match "function $method" "$out" '=[0-9a-f]{16} \(ktruth:ktruth_target\)  '
	expect_match "strings $method" "$out" '\+6="first leaf"  .*\+6="seco"\.\.\.  .*="first leaf"  '
	expect_match "the last pointer $method" "$out" '  \*\*\(u64\*\*\)\$@arg1@=0$'

	# Values inside a function; operators; a constant; a variable and a function by name.
	ok ktrace -q trace ktruth_five+@five3@ VAR '$@acc@ * 2 + 1' VAR '(s8)$@half1@ - 21' VAR '$@arg2@ == 3 && $@arg1@ > 19' \
		VAR "*(u64*)$word" VAR "*(u8*)($word+1)" VAR "*(s32*)$negative" \
		VAR "*(char**)$string" VAR "$percpu == \$cpu" \
		VAR "*(u64*)($first+0x20) == ktruth_target" VAR '-$@arg2@' VAR '~$@half1@' VAR '100/(s32)$@arg2@' \
		VAR '100%$@half2@' VAR '$@arg1@<<3|1' VAR "*(s32*)$negative / 2" $with
	wait_until 20 armed
	truth five 1
	ok ktrace printclear
	expect_match "middle $method" "$out" '  \$@acc@ \* 2 \+ 1=43  \(s8\)\$@half1@ - 21=-1  \$@arg2@ == 3 && \$@arg1@ > 19=1  '
	expect_match "variables $method" "$out" '=0x1122334455667788  \*\(u8\*\)\([^ ]*\+1\)=119  .*=-5  '
	expect_match "pointers $method" "$out" '  \*\(char\*\*\)[^ =]*="planted truth"  .*\$cpu=1  .*=1  '
	expect_match "operators $method" "$out" '  -\$@arg2@=0xfffffffffffffffd  ~\$@half1@=4294967275  '
	expect_match "division $method" "$out" '  100/\(s32\)\$@arg2@=33  100%\$@half2@=1  \$@arg1@<<3\|1=161  .*=-2$'

	# The task.
	ok ktrace -q trace ktruth_square PID TGID COMM UID CPU VAR '$pid == $tgid' VAR '*(u64*)current == 0 || 1' \
		VAR '$uid + $gid' $with
	wait_until 20 armed
	truth square 1
	ok ktrace printclear
	expect_match "task $method" "$out" "  pid +$pid *  tgid +$pid *  comm=\"sh\"  uid 0  cpu [0-9]+ *  \\\$pid == \\\$tgid=1  .*=1  .*=0\$"

	# A per-CPU variable by the number of its CPU.
	if data_symbols; then
		ok ktrace -q trace ktruth_square VAR '*(s32*)&per_cpu(ktruth_percpu, $cpu) - 1000 == $cpu' \
			VAR '*(s32*)&per_cpu(ktruth_percpu, 0)' VAR '*(s32*)&per_cpu(ktruth_percpu, $cpu + 5000)' $with
		truth square 1
		ok ktrace printclear
		expect_match "per CPU $method" "$out" '== \$cpu=1  .*, 0\)=1000  .*=\?$'
		run ktrace -q trace ktruth_square VAR '*(s32*)&per_cpu(ktruth_percpu, 5000)'
		expect_status 2
		expect_match "no such CPU $method" "$err" 'there is no such CPU: they are 0 to [0-9]+'
	fi

	# The shell itself makes the calls.
	renice -n -5 -p $$
	ok ktrace -q trace ktruth_square NICE VAR '$nice' VAR '$nice < 0' IF '$nice == -5' $with
	wait_until 20 armed
	truth square 2
	renice -n 5 -p $$
	truth square 1
	ok ktrace --json print
	expect_match "json nice $method" "$out" '"name":"nice","value":-5\},\{"name":"\$nice","value":-5\}'
	ok ktrace printclear
	expect_eq "nice $method: records" "$(count_matches "$out" '  nice -5  \$nice=-5  \$nice < 0=1$')" 2
	expect_eq "nice $method: all records" "$(count_matches "$out" '^ktruth:ktruth_square ')" 2

	# The caller: @return_item@ has it, too.
	ok ktrace -q trace ktruth_args6 @return_item@ BACKTRACE 4 $with ktruth_five+@five3@ BACKTRACE $with
	wait_until 20 armed
	truth args8 1
	truth five 1
	ok ktrace printclear
	caller=$(printf '%s\n' "$out" | sed -n 's/.* @return_shown@=[0-9a-f]* (\([^)]*\)).*/\1/p')
	expect_match "callers $method" "$(printf '%s\n' "$out" | tr + _)" "^    from $(echo "$caller" | tr + _) < "
	expect_match "callers $method" "$out" '^    from ktruth:(call_five|truth_write)[^<]* < .*(vfs_write|proc_reg_write)\+0x'
	ok ktrace -q -e 'delete *; clear'
done

# A file name whose page ends before the name does: the part that can be read.
ok ktrace -q trace do_sys_openat2 STR '$@arg2@' STR '$@arg2@+3' STR '$@arg2@:4' VAR '(char*)($@arg2@+9)' ONLYCOMM pageend
ok pageend edgepage
ok ktrace print
expect_match "page end" "$out" '  \$@arg2@="edgepage"\.\.\.\?  \$@arg2@\+3="epage"\.\.\.\?  \$@arg2@="edge"\.\.\.  [^ ]*=0x[0-9a-f]+ \(unreadable\)$'
ok ktrace --json print
expect_match "json page end" "$out" '"value":"epage","cut":true,"unreadable":true\}'
ok ktrace printclear
ok ktrace delete do_sys_openat2

# Forms of what is in memory, by breakpoint and jump, and at the return of what it was at the entry.
leaf_name="(*(u64*)(\$@arg1@+$leaf)+$name)"
for method in breakpoint jump; do
	ok ktrace -q trace ktruth_chain VAR "((u8*)$leaf_name)[0..6]:bytes" VAR "mac = (u8*)$leaf_name:mac" VAR "text = $leaf_name:s" \
		VAR "few = ((u8*)$leaf_name)[1..3]:s" VAR "lost = (void*)8:uuid" VAR "f = *(u64*)(\$@arg1@+$function):p" \
		VAR "array = ((u8*)$leaf_name)[0..12]" VAR "part = ((u8*)$leaf_name)[1..3]" VAR "long = ((u8*)$leaf_name)[0..99]" \
		VAR "((u8*)$leaf_name)[1..2]:d" METHOD $method
	wait_until 20 armed
	truth chain 1
	ok ktrace print
	expect_match "bytes $method" "$out" '\[0\.\.6\]=66 69 72 73 74 20 6c \|first l\|  mac=66:69:72:73:74:20  text="first leaf"  few="irs"  lost=\?  f='
	expect_match "pointer $method" "$out" '  f=[0-9a-f]{16}( \(ktruth:[a-z0-9_]+\))?  '
	expect_match "array $method" "$out" '  array=66 69 72 73 74 20 6c 65 61 66 00 00 00 \|first leaf\|  part=69 72 73  long=66 69( [0-9a-f]{2}){62} \|first leaf\| \.\.\.  '
	expect_match "array in decimal $method" "$out" '\)=\{\[1\]=105, \[2\]=114\}$'
	ok ktrace --json print
	expect_match "json bytes $method" "$out" '"name":"mac","value":"first ","shown":"66:69:72:73:74:20"\}'
	expect_match "json array $method" "$out" '"name":"long","value":"first leaf[^}]*","cut":true,"shown":"66 69 [^"]* \|first leaf\|"\}'
	ok ktrace -q -e 'delete *; clear'
done
ok ktrace -q trace ktruth_chain VAR "six = ((u8*)$leaf_name)[0..15]:ip" VAR "((u8*)$leaf_name):ip6"
truth chain 1
ok ktrace printclear
expect_match "an address of IPv6" "$out" '  six=6669:7273:7420:6c65:6166:[0-9a-f:]+  .*=6669:7273:7420:6c65:6166:[0-9a-f:]+$'
ok ktrace -q delete '*'
ok ktrace -q trace ktruth_chain%return ENTRY "mac = (u8*)$leaf_name:mac"
truth chain 1
ok ktrace printclear
expect_match "bytes at the entry" "$out" '  mac=66:69:72:73:74:20$'
ok ktrace -q delete '*'

# Flags, by the names that the kernel has; the form of the type, and those that are asked for.
if data_symbols; then
	ok ktrace -q trace vfs_write VAR 'gfp = (u32)0xcc0:flags(gfp_t)' VAR 'vm = (u64)0x40000003:flags(vm_flags_t)' \
		VAR 'page = (u64)9:flags(pageflags)' ONLYCOMM counts
	ok counts 2 1
	ok ktrace print 1
	expect_match "flags" "$out" '  gfp=GFP_KERNEL  vm=read\|write\|[a-z0-9x|]+  page=locked\|[a-z]+$'
	ok ktrace -q trace vfs_write VAR 'zero = __GFP_ZERO' VAR 'kernel = GFP_KERNEL' VAR 'vm = VM_DONTEXPAND | VM_READ' \
		IF '!($@arg3@ & __GFP_ZERO)' ONLYCOMM counts
	ok ktrace clear
	ok counts 2 1
	ok ktrace print 1
	expect_match "by name" "$out" '  zero=256  kernel=3264  vm=262145$'
	run ktrace trace vfs_write IF '$@arg3@ & __GFP_NOTHING'
	expect_match "no such flag" "$err" "'__GFP_NOTHING' is no flag that this kernel's table of gfp_t has"
	ok ktrace -q -e 'delete *; clear'
else
	run ktrace trace vfs_write VAR 'gfp = (u32)0xcc0:flags(gfp_t)'
	expect_status 1
	expect_match "flags" "$err" 'names of the flags of gfp_t are unknown, because .* \(CONFIG_KALLSYMS_ALL\): show them in hex, by :x$'
fi
ok ktrace -q trace vfs_write VAR 'enum = (u64)9:flags(enum pageflags)' VAR 'size = count:flags(ONE,TWO,,EIGHT)' \
	VAR 'file->f_mode & 2' VAR 'file->f_mode' ONLYCOMM counts
ok counts 2 1
ok ktrace print 1
expect_match "flags" "$out" '  enum=PG_locked\|PG_[a-z]+  size=ONE  .*  file->f_mode=FMODE_WRITE\|'
ok ktrace --json print 1
expect_match "flags" "$out" '\{"name":"size","value":1,"shown":"ONE"\}'
ok ktrace list
expect_match "flags" "$out" ':flags\(ONE,TWO,,EIGHT\) '
ok ktrace -q -e 'delete *; clear'

# The same in the other formats.
ok ktrace -q trace ktruth_chain VAR '*(s32*)*(u64*)($@arg1@+8)' VAR '*(u64*)($@arg1@+0x10)' STR '*(u64*)($@arg1@+8)+6' \
	VAR '*(u64*)8' STR '(u64)8' COMM UID BACKTRACE 2 VAR '(void*)ktruth_chain' VAR "*(s64*)$word"
truth chain 1
ok ktrace --json print
expect_match json "$out" '"data":\[\{"name":"\*\(s32\*\)\*\(u64\*\)\(\$@arg1@\+8\)","value":-7\},'
expect_match "json word" "$out" '\{"name":"\*\(u64\*\)\(\$@arg1@\+0x10\)","value":659918\}'
expect_match "json string" "$out" '"value":"first leaf"\},\{"name":"\*\(u64\*\)8","value":null\},'
expect_match "json no string" "$out" ',\{"name":"\(u64\)8","value":null,"address":"0x8"\},'
expect_match "json task" "$out" '\{"name":"comm","value":"sh"\},\{"name":"uid","value":0\}'
callers='"name":"backtrace","value":\[\{"addr":"0x@kernel_address@","symbol":"ktruth:[a-z_]+[^"]*"\},\{"addr":'
expect_match "json callers" "$out" "$callers"
expect_match "json pointer" "$out" '"value":"0x@kernel_address@","symbol":"ktruth:ktruth_chain(\+0x[0-9a-f]+)?"\}'
expect_match "json signed" "$out" '"value":"1234605616436508552"\}'
ok ktrace --csv print
expect_match csv "$out" ',-7,.*,first leaf,\?,0x8\(unreadable\),'
expect_match "csv task" "$out" ',sh,0,ktruth:[a-z_]+'
ok ktrace clear

# Pasted back, and updated while it is set, it stays the same.
ok ktrace list
listed=$out
ok ktrace -q -e "delete *"
printf 'trace %s\n' "$listed" >/tmp/pasted
ok ktrace -q -f /tmp/pasted
ok ktrace list
expect_eq "pasted back" "$out" "$listed"
ok ktrace -q trace ktruth_chain VAR '*(s32*)(*(u64*)(*(u64*)$@arg1@+8))'
truth chain 1
ok ktrace -e 'printclear; delete *'
expect_match updated "$(printf '%s\n' "$out" | tail -1)" '=42$'

# In scripts and at a prompt, an error is one line that names the address.
run ktrace trace ktruth_chain VAR '*(u65*)$@arg1@'
expect_status 2
expect_eq "error" "$err" "ktrace: VAR *(u65*)\$@arg1@: at column 3: no type 'u65' is known: did you mean u64?"
well
