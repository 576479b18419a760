#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: strings, vectors, slices and optional values of C++, Rust and Go are shown by what they hold
# long: 60 s
# vm: --built vm/languages/contents-cpp --built vm/languages/contents-rust --built vm/languages/contents-go
. /lab/lib.sh

# shown WHAT VALUES PROGRAM:FUNCTION OPTIONS...: run it traced so, and check what is printed behind the difference
shown() {
	what=$1 values=$2 place=$3
	shift 3
	ok ktrace -q trace "$place" "$@"
	ok "${place%%:*}"
	ok ktrace printclear
	expect_eq "$what" "$(printf '%s\n' "$out" | sed -n 's/^.*[0-9]  ([- .0-9]*)  //p')" "$values"
	ok ktrace delete '*'
}

x64=$(printf '%064d' 0 | tr 0 x) y64=$(printf '%064d' 0 | tr 0 y)
long="a name that is too long to be in the object itself"

# C++: inside the object and outside, cut, at no address, without an end of its own.
shown "strings" "own=\"short\"  given=\"$x64\"...  none=0x0 (unreadable)  view=\"viewed\"
own=\"\"  given=\"viewed and more\"  none=0x0 (unreadable)  view=\"\"" contents-cpp:texts ARGS
shown "limits" 'own="sho"...  given="xxxxx"...  view="viewed"
own=""  given="viewe"...  view=""' contents-cpp:texts STR own:3 STR given:5 STR view:6
pairs='*points={size=2, [0].x=1, [0].y=-2, [1].x=3, [1].y=4}'
shown "vectors" "*numbers={size=3, [0]=-1, [1]=2, [2]=3}  $pairs
*numbers={size=10, [0]=1, [1]=2, [2]=3, [3]=4, [4]=5, [5]=6, [6]=7, [7]=8, [8]=...}  $pairs" contents-cpp:vectors VAR '*numbers' VAR '*points'
names="*names={size=2, [0]=\"first\", [1]=\"$long\"}  *empty={size=0}"
shown "vectors of strings" "$names
$names" contents-cpp:vectors VAR '*names' VAR '*empty'
shown "within each other" '*maybe={size=2, [0].has_value=true, [0].value=7, [1].has_value=false}' contents-cpp:nested VAR '*maybe'
shown "no room for all" '*rows={size=3, [0].size=2, [0][0]=1, [0][1]=2, [1]=...}' contents-cpp:nested VAR '*rows'
shown "optional" '*some={has_value=true, value=1}  *none={has_value=false}  *text={has_value=true, value="inside"}' \
	contents-cpp:optionals VAR '*some' VAR '*none' VAR '*text'
# Variables by their names in the sources; those of other namespaces are others.
shown "variables of namespaces" 'app::depth=3  other::depth=60000  depth=-4  app::hidden=-9  app::v1::hidden=-9' \
	contents-cpp:variables VAR app::depth VAR other::depth VAR depth VAR app::hidden VAR app::v1::hidden
shown "members, hex, an address" 'counted::total=5  app::depth=0x3  *&app::depth=3  app::paint=green' \
	contents-cpp:variables VAR counted::total VAR app::depth:x VAR '*&app::depth' VAR app::paint
for colour in green red; do
	ok ktrace -q trace contents-cpp:variables IF "app::depth == 4 && app::paint == app::colour::$colour"
	ok contents-cpp 3
	ok ktrace printclear
	echo "$colour $(printf '%s\n' "$out" | grep -c '^contents-cpp:variables(int) ')"
	ok ktrace delete '*'
done >/tmp/found
expect_eq "filters" "$(cat /tmp/found)" "green 1
red 0"
# Functions without their namespace are suggested, also those of a template, and what is suggested can be pasted.
for name in doubled 'doubled<int>' 'doubled<int>(int)' step 'step(int)'; do
	run ktrace trace "contents-cpp:$name"
	expect_status 1
	meant=${err##*did you mean } && meant=${meant%\?}
	ok ktrace -n trace "contents-cpp:$meant"
	echo "$name: $meant"
done >/tmp/found
expect_eq "suggested" "$(cat /tmp/found)" "doubled: app::doubled<int>(int)
doubled<int>: app::doubled<int>(int)
doubled<int>(int): app::doubled<int>(int)
step: app::meter::step(int)
step(int): app::meter::step(int)"
ok ktrace -n trace "contents-cpp:int app::doubled<int>(int)"
run ktrace trace contents-cpp:variables VAR inner::twice
expect_status 2
expect_match "several" "$err" "2 variables are called 'inner::twice': write the outer namespaces, too"
run ktrace trace contents-cpp:variables VAR app::nothing
expect_status 2
expect_match "none" "$err" "there is no variable 'app::nothing': 'nm -C .*contents-cpp' shows all names"
run ktrace trace contents-cpp:variables VAR app::each
expect_status 2
expect_match "thread-local" "$err" "'app::each' is thread-local"
run ktrace trace vfs_write VAR app::depth
expect_status 2
expect_match "the kernel" "$err" "names with :: are those of C.. and Rust programs"
# Parts that an object does not have are in no format; the first member that it points at is.
ok ktrace -q trace contents-cpp:pointers VAR '*owner' VAR '*none' VAR 'call'
ok contents-cpp
ok ktrace printclear
expect_match "pointers" "$out" '  \*owner=[0-9a-f]{16}  \*none=0{16}  call=[0-9a-f]{16} \(contents-cpp:callee\(int\)\)$'
ok ktrace delete '*'
# What it was called with, at its return; the function of a pattern.
ok ktrace -q trace contents-cpp:pointers%return ENTRY call
ok ktrace -q trace 'contents-cpp:*optional*' COUNT
ok contents-cpp 3
ok ktrace print
expect_match "a function at the return" "$out" '  call=[0-9a-f]{16} \(contents-cpp:callee\(int\)\)$'
expect_match "the function of a pattern" "$out" '^ *contents-cpp:optionals(\(.*\))? +3( |$)'
ok ktrace --format json print
expect_match "in JSON" "$out" '"name":"call","value":"0x[0-9a-f]+","symbol":"contents-cpp:callee\(int\)"\}\]'
ok ktrace delete '*'
ok ktrace clear
ok ktrace -q trace contents-cpp:optionals VAR '*none' VAR '*some'
ok contents-cpp
ok ktrace --format json print
expect_match "JSON" "$out" '"data":\[\{"name":"\*none\.has_value","value":0,"enum":"false"\},\{"name":"\*some\.has_value","value":1,"enum":"true"\},\{"name":"\*some\.value","value":1\}\]'
ok ktrace --format csv print
expect_match "CSV" "$out" ',false,,,true,1$'
ok ktrace clear
ok ktrace delete '*'

# On a terminal the parameters of a function leave room for values, also for those of others.
ok ktrace -q trace contents-cpp:optionals VAR '*none' contents-cpp:vectors PID
ok contents-cpp
ok ktrace print
expect_match "whole" "$out" '^contents-cpp:optionals\(std::optional<int> const\*, .*\) +[0-9:.]+ +\(.*\)  \*none=\{has_value=false\}$'
on_terminal 80 'ktrace print'
expect_match "short" "$(cat /tmp/seen)" '^contents-cpp:optionals +[0-9:.]+ +\(.*\)  \*none=\{has_value='
expect_match "another one" "$(cat /tmp/seen)" '^contents-cpp:vectors +[0-9:.]+ +\(.*\)  [0-9]+$'
ok ktrace list
expect_match "list" "$out" "^'contents-cpp:optionals\\(std::optional<int> const\\*, .*\\)' +VAR \\*none$"
on_terminal 80 'ktrace list; ktrace list -v'
expect_match "list on a terminal" "$(cat /tmp/seen)" '^contents-cpp:optionals +VAR \*none$'
expect_match "list -v" "$(cat /tmp/seen)" '^contents-cpp:vectors +uprobe '
ok ktrace -e 'delete *; clear'
# Tables have a whole name where it fits, and everywhere else than on a terminal.
on_terminal 80 "ktrace -q trace 'contents-cpp:*optionals' COUNT; contents-cpp 3; ktrace print"
expect_match "counts" "$(cat /tmp/seen)" '^contents-cpp:optionals +3$'
ok ktrace -e 'delete *; clear'
on_terminal 80 "ktrace latency 'contents-cpp:*optionals' -- contents-cpp 3"
expect_match "latency of a pattern" "$(cat /tmp/seen)" '^contents-cpp:optionals +3 '
ok ktrace latency 'contents-cpp:*optionals' -- contents-cpp 3
expect_match "whole names" "$out" '^contents-cpp:optionals\(std::optional<int> const\*, .*\) +3 '
ok ktrace latency 'contents-cpp:*optionals' --json -- contents-cpp 3
expect_match "in JSON" "$out" '"name":"contents-cpp:optionals\(std::optional<int> const\*, .*"count":3,'

# Go: in registers; 64 of 70 characters.
shown "Go: strings" "part=\"taken\"  whole=\"$y64\"...  empty=\"\"" contents-go:main.texts ARGS
shown "Go: slices" 'numbers={len=3, [0]=-1, [1]=2, [2]=3}  pairs={len=2, [0].x=1, [0].y=-2, [1].x=3, [1].y=4}' \
	contents-go:main.slices VAR numbers VAR pairs
shown "Go: slices of strings" 'names={len=2, [0]="first", [1]="second"}  empty={len=0}' contents-go:main.slices VAR names VAR empty

# Debian's Rust cannot be installed beside another architecture's.
[ -x "$(which contents-rust)" ] || exit 0
shown "Rust: variables" 'app::COUNT=7  deep::COUNT=-8' contents-rust:variables VAR app::COUNT VAR deep::COUNT
shown "Rust: strings" 'part="taken"  own="owned"  empty=""' contents-rust:texts ARGS
shown "Rust: vectors" '*numbers={len=3, [0]=-1, [1]=2, [2]=3}  *points={len=1, [0].x=1, [0].y=-2}' contents-rust:vectors VAR '*numbers' VAR '*points'
shown "Rust: vectors of strings" '*names={len=2, [0]="first", [1]="second"}  *empty={len=0}' contents-rust:vectors VAR '*names' VAR '*empty'
shown "Rust: slices" 'part={len=2, [0]=2, [1]=-3}  words={len=2, [0]="one", [1]="two"}' contents-rust:slices VAR part VAR words
shown "Rust: a slice in a box" '*boxed={len=1, [0].x=5, [0].y=6}' contents-rust:slices VAR '*boxed'
shown "Rust: options" '*some={variant=Some, Some.__0="here"}  *none={variant=None}  *failed={variant=Err, Err.__0="wrong"}' \
	contents-rust:options VAR '*some' VAR '*none' VAR '*failed'
