#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: floating-point numbers in the memory of a program: as text, JSON and CSV, and what is refused
# long: 45 s
. /lab/lib.sh

# values NAME: print the values of that name in the text that was printed last
values() {
	printf '%s\n' "$out" | sed -n "s/.*  $1=\([^ ]*\).*/\1/p" | tr '\n' ' '
}

wide="-2.5 0.1 nan inf 1e+300 -0 5e-324 "
narrow="-2.5 0.1 nan -inf 1e+30 1000000 1e-40 "

ok ktrace -q trace userfloats:user_weigh VAR 's->wide' VAR 's->narrow' VAR 's->pairs' VAR 's->pairs[1]' VAR '*s->pointer' \
	VAR user_double VAR user_float VAR 'bits=s->wide:x' VAR 'at=(double *)s'
ok userfloats
place=userfloats.c:$(printf '%s\n' "$out" | sed -n 's/^line //p')
ok ktrace print
expect_eq "of 8 bytes" "$(values 's->wide')" "$wide"
expect_eq "of 4 bytes" "$(values 's->narrow')" "$narrow"
expect_eq "bits" "$(values bits)" "0xc004000000000000 0x3fb999999999999a 0x7ff8000000000000 0x7ff0000000000000 0x7e37e43c8800759c 0x8000000000000000 0x1 "
expect_match "parts, a pointer and globals" "$out" \
	's->pairs=\{\[0\]\.first=0\.5, \[0\]\.second=1, \[1\]\.first=16777216, \[1\]\.second=0\.1\}  s->pairs\[1\]=\{first=16777216, second=0\.1\}  \*s->pointer=0\.3333333333333333  user_double=0\.3333333333333333  user_float=0\.33333334  bits=0xc004000000000000  at='
expect_match "no number behind NULL" "$out" '  \*s->pointer=\?  user_double='
ok ktrace --json print
expect_match "JSON" "$out" '"name":"s->wide","value":-2.5\},\{"name":"s->narrow","value":-2.5\}'
expect_match "JSON: no number" "$out" '"name":"s->wide","value":"nan"\},\{"name":"s->narrow","value":"nan"\}'
expect_match "JSON: infinite" "$out" '"name":"s->wide","value":"inf"\},\{"name":"s->narrow","value":"-inf"\}'
expect_match "JSON: large" "$out" '"name":"s->wide","value":1e\+300\},\{"name":"s->narrow","value":1e\+30\}'
ok ktrace --csv print
expect_match "CSV" "$out" ',-2.5,-2.5,0.5,1,16777216,0.1,'
ok ktrace print IF 's->wide == 0.1 && s->narrow == 0.1 || s->wide > 1e299 && s->narrow > 0'
expect_eq "chosen" "$(values 's->wide')" "0.1 1e+300 "
ok ktrace save /tmp/saved
ok ktrace clear
ok ktrace delete '*'
ok ktrace -i /tmp/saved print
expect_eq "saved, of 8 bytes" "$(values 's->wide')" "$wide"
expect_eq "saved, of 4 bytes" "$(values 's->narrow')" "$narrow"

# A variable on the stack.
ok ktrace -q trace "userfloats:$place" VAR kept
ok userfloats
ok ktrace printclear
expect_eq "on the stack" "$(values kept)" "-5 0.2 nan inf 2e+300 -0 1e-323 "
ok ktrace delete '*'

# As keys of counts, and of times.
ok ktrace -q trace userfloats:user_weigh COUNT BY 's->narrow'
ok userfloats
ok ktrace print
expect_eq "keys" "$(printf '%s\n' "$out" | sed -n 's/^ *\([-+0-9a-z.]*\) *1$/\1/p' | sort | tr '\n' ' ')" \
	"$(printf '%s' "$narrow" | tr ' ' '\n' | sort | tr '\n' ' ')"
ok ktrace --json print
expect_match "keys as JSON" "$out" '"key":\[\{"name":"s->narrow","value":-2.5\}\]'
ok ktrace -e 'delete *'
ok ktrace latency userfloats:user_weigh --by "VAR s->wide" --json -- userfloats
expect_match "times by a number" "$out" '"1e\+300"'

# A recording, whose records are small.
ok ktrace record -o /tmp/floats --events ipc --trace "userfloats:user_weigh VAR s->wide VAR s->narrow" -- userfloats
out=$(ktrace -i /tmp/floats print | grep '^userfloats')
expect_eq "recorded, of 8 bytes" "$(values 's->wide')" "$wide"
expect_eq "recorded, of 4 bytes" "$(values 's->narrow')" "$narrow"

# What is in a register of the floating-point unit has no value; the module computes with whole numbers only.
ok ktrace -q trace userfloats:user_weigh ARGS
ok userfloats
ok ktrace printclear
expect_match "in a register" "$out" '  s=[0-9a-f]{16}.*  factor=\?$'
ok ktrace delete '*'
refused() {
	run ktrace -q trace "$@"
	expect_status "$want"
	expect_match "$*" "$err" "$sentence"
	[ "$(printf '%s\n' "$err" | wc -l)" = 1 ] || fail "more than one line: $err"
}
want=2
sentence="it is in register [0-9]+, which is not recorded" refused userfloats:user_weigh VAR factor
sentence="a floating-point number, which can be recorded by VAR, but not computed with or compared" refused userfloats:user_weigh IF 's->wide > 1'
sentence="a number with a fraction or exponent needs a unit of time" refused userfloats:user_weigh IF 's->wide > 0.5'
sentence="a floating-point number, which can be recorded by VAR, but not compared" refused userfloats:user_weigh IF 's->wide'
sentence="a cast cannot convert from or to this floating-point number" refused userfloats:user_weigh VAR '(u64)s->wide'
sentence="floating-point numbers are not added or compared" refused userfloats:user_weigh SUM 's->wide'
sentence="in a register of the floating-point unit" refused userfloats:user_mean%return RETVAL
sentence="in a register of the floating-point unit" refused userfloats:user_swap%return RETVAL
expect_eq "nothing is set" "$(ktrace list)" ""
