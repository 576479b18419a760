/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vector.h - an XSAVE area (SDM volume 1, chapter 13), standard format: the
 * legacy region, the header, then AVX and the three AVX-512 components.
 */
#ifndef FIDELITY_VECTOR_H
#define FIDELITY_VECTOR_H

#include "rng.h"

#define VECTOR_FCW		0
#define VECTOR_FSW		2
#define VECTOR_FTW		4
#define VECTOR_FOP		6
#define VECTOR_FIP		8	/* address of the last x87 instruction */
#define VECTOR_FDP		16
#define VECTOR_MXCSR		24
#define VECTOR_MXCSR_MASK	28
#define VECTOR_ST		32
#define VECTOR_XMM		160
#define VECTOR_RESERVED		416	/* to the end of the legacy region: for the kernel's use */
#define VECTOR_BITMAP		512	/* XSTATE_BV */
#define VECTOR_EXTENDED		576

struct vector_part {
	u8 bit;			/* of XCR0 */
	const char *name;
	u32 at, size;
};

/* The components of this CPU that the harness loads and compares. */
extern struct vector_part vector_parts[];
extern unsigned int vector_nr_parts;
extern u32 vector_size;

/* The XCR0 bits that the harness uses; 0: the CPU lacks XSAVE. */
u64 vector_init(void);

/* Make a random area to load. */
void vector_random(struct rng *rng, u8 *area);

/* Write out components that the header marks as initial, so that equal states have equal bytes. */
void vector_settle(u8 *area);

/* The first byte that differs; -1: none. */
int vector_compare(const u8 *a, const u8 *b);
/* The address of the last x87 instruction. */
u64 vector_fip(const u8 *area);
void vector_set_fip(u8 *area, u64 fip);

/* Make a settled area loadable again. */
const u8 *vector_reload(u8 *to, const u8 *settled);

/* The name of the field at an offset, for messages. */
void vector_name(int offset, char *text, size_t size);

#endif
