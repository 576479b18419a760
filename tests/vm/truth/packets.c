// SPDX-License-Identifier: GPL-2.0-only
/* Packets as drivers, protocols and mistakes leave them. */
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <linux/string.h>
#include <linux/tcp.h>

#include "truth.h"

#define MORE_FRAGMENTS	0x2000
#define DEVICE	ETH_HLEN	/* bytes of the device's header */

/* A whole packet of IPv4 and TCP, from 10.0.0.1, port 7, to 10.0.0.2, port 8. */
static const struct {
	struct iphdr network;
	struct tcphdr transport;
} whole = {
	.network = {
		.version = 4, .ihl = 5, .protocol = IPPROTO_TCP, .saddr = cpu_to_be32(0x0a000001), .daddr = cpu_to_be32(0x0a000002),
	},
	.transport = {
		.source = cpu_to_be16(7), .dest = cpu_to_be16(8), .seq = cpu_to_be32(0x01020304), .ack_seq = cpu_to_be32(0xfffefdfc),
		.syn = 1,
	},
};

static u8 bytes[256];
static struct sk_buff packet;

TRUTH long ktruth_packet(struct sk_buff *skb)
{
	barrier();
	return skb ? 1 : 0;
}

/* The packet as it arrives: the device's header is known, those behind it are not yet.  Returns its network header. */
static struct iphdr *received(void)
{
	packet = (struct sk_buff){ .head = bytes, .data = bytes + DEVICE, .tail = DEVICE + sizeof(whole), .protocol = cpu_to_be16(ETH_P_IP) };
	packet.transport_header = (typeof(packet.transport_header))~0U;
	memset(bytes, 0, sizeof(bytes));
	memcpy(bytes + DEVICE, &whole, sizeof(whole));
	return (struct iphdr *)(bytes + DEVICE);
}

/* The packet with its headers set, ending `less` bytes before it does. */
static struct iphdr *set(u32 less)
{
	struct iphdr *header = received();

	packet.network_header = DEVICE;
	packet.tail -= less;
	return header;
}

static long call(struct sk_buff *skb)
{
	return ktruth_packet(skb);
}

/* The case record-packets has what each of them is. */
long ktruth_packets(void)
{
	long n = 0;

	received();
	n += call(&packet);
	received();		/* one that is sent: the data begins with the device's header, which nobody has set */
	packet.mac_header = (typeof(packet.mac_header))~0U;
	n += call(&packet);
	set(0);
	n += call(&packet);
	set(sizeof(whole.transport));
	n += call(&packet);
	set(sizeof(whole.transport) + 1);
	n += call(&packet);
	set(0)->frag_off = cpu_to_be16(1);	/* a later fragment */
	n += call(&packet);
	set(0)->frag_off = cpu_to_be16(MORE_FRAGMENTS);	/* the first one */
	n += call(&packet);
	set(0)->ihl = 15;
	n += call(&packet);
	set(0)->ihl = 4;
	n += call(&packet);
	set(0)->version = 6;
	n += call(&packet);
	set(0);
	packet.protocol = cpu_to_be16(ETH_P_8021Q);
	n += call(&packet);
	set(0);
	packet.head = ktruth_unmapped;
	n += call(&packet);
	return n + call(ktruth_unmapped) + call(NULL);
}
