// SPDX-License-Identifier: GPL-2.0-only
/*
 * object.c - what capture programs emit of the kernel's objects (KT_OP_EMITOBJECT).
 *
 * Nothing says that the address of a program is that of such an object, or that the object stays: each load may fail, and
 * no value leads beyond the bytes that the ABI allows.  Most objects are in the direct map, where loads of words are fast.
 */
#include <linux/build_bug.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/kprobes.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/skbuff.h>
#include <uapi/linux/icmp.h>
#include <uapi/linux/ip.h>
#include <uapi/linux/ipv6.h>
#include <uapi/linux/tcp.h>
#include <uapi/linux/udp.h>

#include "kmod/base/ktrace.h"
#include "kmod/records/capture_env.h"

static __always_inline bool load_word(u64 *to, u64 addr)
{
	const bool good = kt_load_word(to, addr);

	if (unlikely(!good))
		kt_load_failed();
	return good;
}

/* Eight bytes or more; the last word may overlap the one before it. */
static __always_inline bool load(u8 *to, u64 addr, u32 bytes)
{
	u32 at, next;
	u64 word;

	for (at = 0; at < bytes; at += 8) {
		next = min(at, bytes - 8);
		if (!load_word(&word, addr + next))
			return false;
		__builtin_memcpy(to + next, &word, 8);
	}
	return true;
}

/* Members lie in one aligned word, if that is the address of an object. */
static __always_inline bool load_member(u64 *to, u64 addr, u32 bytes)
{
	if (!load_word(to, addr & ~7ULL))
		return false;
	*to >>= 8 * (addr & 7);
	if (bytes < 8)
		*to &= (1ULL << 8 * bytes) - 1;
	return true;
}

/* A member of the object of this type at an address. */
#define LOAD_MEMBER(to, addr, type, member)	load_member(to, (addr) + offsetof(type, member), sizeof(((type *)NULL)->member))

/* --------------------------------------------------------------------- packets */

/* The first part of a packet; the others are in pages of their own, and have no headers. */
struct packet {
	u64 head;
	u64 tail;		/* bytes of it */
	u64 network;		/* where the header is in it */
	u64 protocol;		/* of that header, as it is in memory */
};

/*
 * A packet that a driver has received has no network header yet.  Then it is where the data begins, if the header of the
 * device is before that.
 */
static bool find_network(u64 skb, struct packet *packet)
{
	u64 mac, data;

	if (!LOAD_MEMBER(&packet->network, skb, struct sk_buff, network_header))
		return false;
	if (packet->network)
		return true;
	if (!LOAD_MEMBER(&mac, skb, struct sk_buff, mac_header) || !LOAD_MEMBER(&data, skb, struct sk_buff, data))
		return false;
	packet->network = data - packet->head;
	return mac != (u16)~0U && packet->network > mac && packet->network < packet->tail;
}
NOKPROBE_SYMBOL(find_network);

static bool find_packet(u64 skb, struct packet *packet)
{
	if (!LOAD_MEMBER(&packet->head, skb, struct sk_buff, head) || !LOAD_MEMBER(&packet->tail, skb, struct sk_buff, tail) ||
	    !LOAD_MEMBER(&packet->protocol, skb, struct sk_buff, protocol))
		return false;
#ifndef NET_SKBUFF_DATA_USES_OFFSET
	packet->tail -= packet->head;
#endif
	return find_network(skb, packet);
}
NOKPROBE_SYMBOL(find_packet);

static __always_inline bool load_header(u8 *to, const struct packet *packet, u64 at, u32 bytes)
{
	return at <= packet->tail && bytes <= packet->tail - at && load(to, packet->head + at, bytes);
}

static u32 put_transport(u8 *to, const struct packet *packet, u8 protocol, u64 at)
{
	static const struct { u8 protocol, bytes; } rows[KT_NR_TRANSPORTS] = {
		[KT_TRANSPORT_TCP] = { IPPROTO_TCP, sizeof(struct tcphdr) },
		[KT_TRANSPORT_UDP] = { IPPROTO_UDP, sizeof(struct udphdr) },
		[KT_TRANSPORT_ICMP] = { IPPROTO_ICMP, sizeof(struct icmphdr) },
	};
	u32 type;

	*to = KT_TRANSPORT_UNKNOWN;
	for (type = KT_TRANSPORT_UNKNOWN + 1; type < KT_NR_TRANSPORTS; type++) {
		if (rows[type].protocol != protocol)
			continue;
		if (!load_header(to + 1, packet, at, rows[type].bytes))
			break;
		*to = type;
		return 1 + rows[type].bytes;
	}
	return 1;
}
NOKPROBE_SYMBOL(put_transport);

/* Only the first fragment has a transport header. */
static u32 put_behind_ipv4(u8 *to, const struct packet *packet, const struct iphdr *header)
{
	const bool has = header->ihl >= 5 && !(header->frag_off & htons(0x1fff));

	return put_transport(to, packet, has ? header->protocol : IPPROTO_RAW, packet->network + 4 * header->ihl);
}
NOKPROBE_SYMBOL(put_behind_ipv4);

static u32 put_packet(u8 *to, u64 skb)
{
	const struct iphdr *const v4 = (const void *)(to + 1);
	const struct ipv6hdr *const v6 = (const void *)(to + 1);
	struct packet packet;

	BUILD_BUG_ON(1 + sizeof(*v6) + 1 + sizeof(struct tcphdr) != KT_PACKET_BYTES);
	if (!skb || !find_packet(skb, &packet)) {
		packet.protocol = 0;
	} else if (packet.protocol == htons(ETH_P_IP) && load_header(to + 1, &packet, packet.network, sizeof(*v4)) && to[1] >> 4 == 4) {
		*to = KT_NETWORK_IPV4;
		return 1 + sizeof(*v4) + put_behind_ipv4(to + 1 + sizeof(*v4), &packet, v4);
	} else if (packet.protocol == htons(ETH_P_IPV6) && load_header(to + 1, &packet, packet.network, sizeof(*v6)) && to[1] >> 4 == 6) {
		*to = KT_NETWORK_IPV6;
		return 1 + sizeof(*v6) + put_transport(to + 1 + sizeof(*v6), &packet, v6->nexthdr, packet.network + sizeof(*v6));
	}
	*to = KT_NETWORK_UNKNOWN;
	return 1;
}
NOKPROBE_SYMBOL(put_packet);

/* ----------------------------------------------------------------------- tasks */

static u32 put_pids(u8 *to, u64 task)
{
	u64 pid, level, i, number;

	BUILD_BUG_ON(MAX_PID_NS_LEVEL + 1 != KT_MAX_PIDS);
	*to = 0;
	if (!task || !LOAD_MEMBER(&pid, task, struct task_struct, thread_pid) || !LOAD_MEMBER(&level, pid, struct pid, level) ||
	    level > MAX_PID_NS_LEVEL)
		return 1;
	for (i = 0; i <= level; i++) {
		if (!LOAD_MEMBER(&number, pid + i * sizeof(struct upid), struct pid, numbers[0].nr))
			return 1;
		__builtin_memcpy(to + 1 + 4 * i, &number, 4);
	}
	*to = i;
	return 1 + 4 * i;
}
NOKPROBE_SYMBOL(put_pids);

u32 kt_emit_object(u8 *to, u32 what, u64 object)
{
	return what == KT_OBJECT_PACKET ? put_packet(to, object) : put_pids(to, object);
}
NOKPROBE_SYMBOL(kt_emit_object);
