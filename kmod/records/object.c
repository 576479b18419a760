// SPDX-License-Identifier: GPL-2.0-only
/*
 * object.c - what capture programs emit of the kernel's objects (KT_OP_EMITOBJECT).
 *
 * Nothing says that the address of a program is that of such an object, or that the object stays: each load may fail, and
 * no value leads beyond the bytes that the ABI allows.
 */
#include <linux/build_bug.h>
#include <linux/icmp.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/kprobes.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <linux/udp.h>

#include "kmod/base/ktrace.h"
#include "kmod/records/capture_env.h"

static bool load(void *to, u64 addr, u32 bytes)
{
	u32 at, part;

	for (at = 0; at < bytes; at += part) {
		part = bytes - at >= 8 ? 8 : bytes - at >= 4 ? 4 : bytes - at >= 2 ? 2 : 1;
		if (!kt_load((u8 *)to + at, addr + at, part)) {
			kt_load_failed();
			return false;
		}
	}
	return true;
}
NOKPROBE_SYMBOL(load);

/* A member of the object of this type at an address. */
#define LOAD_MEMBER(to, addr, type, member)	load(to, (addr) + offsetof(type, member), sizeof(((type *)NULL)->member))

/* --------------------------------------------------------------------- packets */

/* The first part of a packet; the others are in pages of their own, and have no headers. */
struct packet {
	u64 head;
	u32 tail;		/* bytes of it */
	u32 network;		/* where the header is in it */
	__be16 protocol;	/* of that header */
};

/*
 * A packet that a driver has received has no network header yet.  Then it is where the data begins, if the header of the
 * device is before that.
 */
static bool find_network(u64 skb, struct packet *packet)
{
	u16 network, mac;
	u64 data;

	if (!LOAD_MEMBER(&network, skb, struct sk_buff, network_header) || !LOAD_MEMBER(&mac, skb, struct sk_buff, mac_header) ||
	    !LOAD_MEMBER(&data, skb, struct sk_buff, data))
		return false;
	packet->network = network;
	if (network)
		return true;
	packet->network = data - packet->head;
	return mac != (u16)~0U && data > packet->head + mac && data - packet->head < packet->tail;
}
NOKPROBE_SYMBOL(find_network);

static bool find_packet(u64 skb, struct packet *packet)
{
	sk_buff_data_t tail;

	if (!LOAD_MEMBER(&packet->head, skb, struct sk_buff, head) || !LOAD_MEMBER(&tail, skb, struct sk_buff, tail) ||
	    !LOAD_MEMBER(&packet->protocol, skb, struct sk_buff, protocol))
		return false;
#ifdef NET_SKBUFF_DATA_USES_OFFSET
	packet->tail = tail;
#else
	packet->tail = (unsigned long)tail - packet->head;
#endif
	return find_network(skb, packet);
}
NOKPROBE_SYMBOL(find_packet);

static bool load_header(u8 *to, const struct packet *packet, u32 at, u32 bytes)
{
	return at <= packet->tail && bytes <= packet->tail - at && load(to, packet->head + at, bytes);
}
NOKPROBE_SYMBOL(load_header);

static u32 put_transport(u8 *to, const struct packet *packet, u8 protocol, u32 at)
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

static u32 put_behind_ipv6(u8 *to, const struct packet *packet, const struct ipv6hdr *header)
{
	return put_transport(to, packet, header->nexthdr, packet->network + sizeof(*header));
}
NOKPROBE_SYMBOL(put_behind_ipv6);

static u32 put_packet(u8 *to, u64 skb)
{
	struct packet packet;
	struct iphdr v4;
	struct ipv6hdr v6;

	BUILD_BUG_ON(1 + sizeof(v6) + 1 + sizeof(struct tcphdr) != KT_PACKET_BYTES);
	if (!skb || !find_packet(skb, &packet)) {
		packet.protocol = 0;
	} else if (packet.protocol == htons(ETH_P_IP) && load_header((u8 *)&v4, &packet, packet.network, sizeof(v4)) && v4.version == 4) {
		*to = KT_NETWORK_IPV4;
		memcpy(to + 1, &v4, sizeof(v4));
		return 1 + sizeof(v4) + put_behind_ipv4(to + 1 + sizeof(v4), &packet, &v4);
	} else if (packet.protocol == htons(ETH_P_IPV6) && load_header((u8 *)&v6, &packet, packet.network, sizeof(v6)) && v6.version == 6) {
		*to = KT_NETWORK_IPV6;
		memcpy(to + 1, &v6, sizeof(v6));
		return 1 + sizeof(v6) + put_behind_ipv6(to + 1 + sizeof(v6), &packet, &v6);
	}
	*to = KT_NETWORK_UNKNOWN;
	return 1;
}
NOKPROBE_SYMBOL(put_packet);

/* ----------------------------------------------------------------------- tasks */

static u32 put_pids(u8 *to, u64 task)
{
	const struct pid *pid;
	u32 level, i;

	BUILD_BUG_ON(MAX_PID_NS_LEVEL + 1 != KT_MAX_PIDS || sizeof(pid->level) != sizeof(level));
	*to = 0;
	if (!task || !LOAD_MEMBER(&pid, task, struct task_struct, thread_pid) ||
	    !LOAD_MEMBER(&level, (unsigned long)pid, struct pid, level) || level > MAX_PID_NS_LEVEL)
		return 1;
	for (i = 0; i <= level; i++)
		if (!load(to + 1 + 4 * i, (unsigned long)&pid->numbers[i].nr, sizeof(pid->numbers[i].nr)))
			return 1;
	*to = i;
	return 1 + 4 * i;
}
NOKPROBE_SYMBOL(put_pids);

u32 kt_emit_object(u8 *to, u32 what, u64 object)
{
	return what == KT_OBJECT_PACKET ? put_packet(to, object) : put_pids(to, object);
}
NOKPROBE_SYMBOL(kt_emit_object);
