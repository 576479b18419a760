#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: a recording has the headers of each packet that a packet socket sees, and the numbers of tasks in all their namespaces
# vm: --smp 2 --module-args brake=0
. /lab/lib.sh

[ -e /sys/kernel/btf/vmlinux ] || skip "this kernel has no BTF"
ok ifconfig lo 127.0.0.1 up
cd /tmp || fail "no /tmp"

# Every packet leaves once, and arrives once: its headers are those that the packet socket has seen.
ok ktrace -q record -o net --events net -- sh -c 'packets >seen'
expect_eq "packets of both protocols" "$(cut -d ' ' -f 1 seen | sort -u | tr '\n' ' ')" "ipv4 ipv6 "
for what in 'tcp 5501 > 4401 ' 'tcp 4402 > 5502 ' 'udp 5503 > 4403 len=41$' 'udp 5504 > 4404 ' ' > 4405 len=10$' 'icmp type=8 code=0$' 'protocol=253$'; do
	grep -q "$what" seen || fail "no packet: $what"
done
ok ktrace -i net print
# Others send, too: IPv6 asks for its neighbours.
printf '%s\n' "$out" >all
grep -v ' protocol=' seen | sort >wanted
for event in net_dev_queue net_if_rx net_if_receive_skb; do
	sed -n "s/^$event .*name=\"lo\" .*  network_header=//p" all | grep -v ' protocol=' | sort >found
	diff wanted found >difference || fail "$event: $(cat difference)"
done
expect_match "another protocol" "$out" '^net_if_receive_skb .*network_header=ipv4 127\.0\.0\.1 > 127\.0\.0\.1 protocol=253$'
expect_no_match "all can be read" "$out" 'network_header=\?'

# As JSON, and chosen by what is shown.
ok ktrace -i net print IF 'len == 75 && network_header =~ "* udp 5503 > 4403 *"'
expect_match "one packet" "$out" '^net_dev_queue .*  network_header=ipv4 127\.0\.0\.1 > 127\.0\.0\.1 udp 5503 > 4403 len=41$'
expect_eq "one packet" "$(printf '%s\n' "$out" | grep -c network_header)" 1
ok ktrace --json -i net print IF 'network_header =~ "* udp 5504 > 4404 *"'
expect_match "as an object" "$out" '"network_header","value":\{"type":"ipv6","version":6,.*"saddr":"::1","daddr":"::1","transport_header":\{"type":"udp","source_port":5504,"dest_port":4404,"len":41,"check":[0-9]+\}\}'
ok ktrace report net

# At a function's entry: ip_rcv() has a packet, too.
ok ktrace -q record -o entry --events net_dev_queue --trace 'ip_rcv VAR skb:packet' -- packets
ok ktrace -i entry print IF name == ip_rcv
expect_match "a function's packet" "$out" '^ip_rcv .*  skb=ipv4 127\.0\.0\.1 > 127\.0\.0\.1 tcp 5501 > 4401 seq=[0-9]+ ack=0 flags=SYN$'

# Packets as a driver, a protocol or a mistake leaves them: packets.c of the test module says why.
modprobe ktruth || fail "no test module"
ok ktrace -q record -o planted --events net_dev_queue --trace 'ktruth_packet VAR skb = ((struct sk_buff *)$@arg1@):packet' -- sh -c 'echo call packets 1 >/proc/ktruth'
ok ktrace -i planted print
from='ipv4 10.0.0.1 > 10.0.0.2'
printf '%s\n' "$from tcp 7 > 8 seq=16909060 ack=4294901244 flags=SYN" unknown "$from tcp 7 > 8 seq=16909060 ack=4294901244 flags=SYN" \
	"$from protocol=6" unknown "$from protocol=6" "$from tcp 7 > 8 seq=16909060 ack=4294901244 flags=SYN" "$from protocol=6" \
	"$from protocol=6" unknown unknown unknown unknown unknown >wanted
printf '%s\n' "$out" | sed -n 's/^ktruth:ktruth_packet .*  skb=//p' >found
diff wanted found >difference || fail "planted packets: $(cat difference)"

# The numbers of a process in two namespaces inside each other, and in the first one.
mkfifo gate
ktrace -q record -o forks --events sched_process_fork -- unshare -fp unshare -fp tail -n 1 gate &
recorder=$!
numbers() {
	sed -n 's/^NSpid:[[:space:]]*//p' /proc/"$(pidof tail)"/status 2>/dev/null
}
in_three() {
	[ "$(numbers | wc -w)" -eq 3 ]
}
wait_until 30 in_three
expected=$(numbers | sed 's/[[:space:]][[:space:]]*/, /g')
echo >gate
wait $recorder || fail "the recording failed"
ok ktrace -i forks print
echo "$out"
expect_match "three namespaces" "$expected" ', 1$'
expect_match "the numbers" "$out" "  child_vtid=1  vtids=\\[$expected\\]\$"
ok ktrace --json -i forks print
expect_match "as an array" "$out" "\"name\":\"vtids\",\"value\":\\[$(echo "$expected" | tr -d ' ')\\]"

# What is no such object, or has no room.
run ktrace trace ip_rcv VAR skb:packet
expect_status 2
expect_match "no room" "$err" 'only a recording has room for it'
run ktrace -q record -o wrong --trace 'ip_rcv VAR dev:packet' -- true
expect_status 2
expect_match "another object" "$err" 'it needs a struct sk_buff \*, and this is a struct net_device \*'
run ktrace -q record -o wrong --trace 'ip_rcv VAR skb:pids' -- true
expect_status 2
ok ktrace -q trace event:net_dev_queue ARGS
ok packets
ok ktrace -q printclear
expect_match "without the headers" "$out" '^event:net_dev_queue .*  protocol=2048$'
run ktrace trace event:net_dev_queue IF 'network_header == 1'
expect_status 2
ok ktrace -q delete '*'
