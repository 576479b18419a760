#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: load, trace under load, unload, again and again: nothing stays; an open device holds the module
# long: 50 s
# vm: --smp 2 --disk --no-module --timeout 3000
# ROUNDS=N (`make check-robust`: 100)
. /lab/lib.sh

ROUNDS=${ROUNDS:-12}
module=/lib/modules/$(uname -r)/updates/ktrace.ko

# Functions that are always busy: some in interrupts, some with tasks asleep in them.
addresses=$(sed -n 's/^\([0-9a-f]*\) [tT] \(vfs_write\|vfs_read\|schedule\|try_to_wake_up\|kmem_cache_alloc\|kmem_cache_free\|hrtimer_interrupt\|tcp_sendmsg\|udp_sendmsg\|ip_rcv\|do_exit\|kernel_clone\|do_nanosleep\|ext4_file_write_iter\|submit_bio\|handle_mm_fault\|do_wait\|__alloc_pages\|finish_task_switch.*\|pipe_read\)$/\1/p' /proc/kallsyms)
echo "$(echo "$addresses" | wc -l) places"

kept() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
	awk '/^(SUnreclaim|Percpu|VmallocUsed):/ { sum += $2 } END { print sum }' /proc/meminfo
}

# With a low priority: on a slow CPU the kernel's own threads would have to wait for it.
again() {
	while [ ! -e /tmp/stop ]; do
		sh -c 'renice -n 19 -p $$ >/dev/null; exec "$@"' sh "$@" >/dev/null || touch /tmp/failed
	done
}

again syscalls -p 2 write 500 &
again forkstorm 10 4 &
again netload tcp 50 &
again netload udp 50 1000 &
again sh -c 'cd /mnt && exec syscalls fsync 5' &

gone() {
	! grep -q '^ktrace ' /proc/modules && [ ! -e /dev/ktrace ] && ! grep -q ktrace /proc/vmallocinfo
}

hits=0
round=0
while [ $round -lt "$ROUNDS" ]; do
	ok insmod "$module" ring_kb=256
	ok ktdev trace $addresses
	usleep $((RANDOM * 20))
	recorded=$(ktdev count | sed 's/.*recorded=//')
	hits=$((hits + recorded))
	[ "$recorded" -gt 0 ] || fail "round $round: nothing was recorded"
	# In some rounds the tracepoints are removed before, in others unloading removes them.
	[ $((round % 3)) != 0 ] || ok ktdev delete
	ok rmmod ktrace
	gone || fail "round $round: something is left: $(grep ktrace /proc/modules /proc/vmallocinfo)"
	round=$((round + 1))
	[ $round != 4 ] || before=$(kept)
done
after=$(kept)

# An open device holds the module, whether something is set or not.
ok insmod "$module"
ktdev hold >/tmp/held &
holder=$!
wait_until 20 grep -q open /tmp/held
run rmmod ktrace
[ "$status" != 0 ] || fail "the module was unloaded under an open device"
ok ktdev trace $addresses
run rmmod ktrace
[ "$status" != 0 ] || fail "the module was unloaded under an open device"
ok ktdev count
kill $holder
wait $holder
ok rmmod ktrace
gone || fail "something is left"

touch /tmp/stop
wait
[ ! -e /tmp/failed ] || fail "the load went wrong"
echo "$round rounds, $hits hits, kernel memory $before KiB after four of them, $after KiB at the end"
[ $((after - before)) -lt 4096 ] || fail "$((after - before)) KiB are not given back"
