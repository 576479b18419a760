/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * desc.h - a descriptor as the controllers see it: what was typed, what is
 * recorded and how to print it.  Built by plan.c from the options, stored in
 * the module as JSON (docs/descriptor.md), read back by any later controller.
 */
#ifndef KTRACE_DESC_H
#define KTRACE_DESC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/ktrace_abi.h"
#include "ctl/base/error.h"

enum field_kind {
	FIELD_NUMBER,		/* a property of the task (property.h): 4 bytes, decimal */
	FIELD_REG,		/* 8 bytes, hex and symbol; name is the register's */
	FIELD_WORD,		/* 8 bytes of memory, hex and symbol: STACK, FRAME, LOC */
	FIELD_PSR,		/* 8 bytes, hex and flag names */
	FIELD_ALLREGS,		/* 8 bytes for each of arch->all_regs */
	FIELD_CONST,		/* no bytes: the value is in the descriptor */
	FIELD_INT,		/* a number: 8 bytes, or 4 where `bytes` is less than 8 */
	FIELD_POINTER,		/* 8 bytes, hex and symbol */
	FIELD_STRING,		/* `length` bytes of text, 0 behind its end where that is before */
	FIELD_BACKTRACE,	/* `length` times 8 bytes, code addresses, 0 behind the last */
	FIELD_TEXT,		/* no bytes: what stands for a value is in the descriptor */
	FIELD_ELAPSED,		/* 8 bytes, ticks: a time with its unit */
	FIELD_RAW,		/* 4 bytes of hex: of a descriptor that cannot be read, never stored */
	NR_FIELD_KINDS,
};

/* A value that has a name: of an enum, or a bool. */
struct field_name {
	int64_t value;
	char *name;
};

#define FIELD_NAMES	256	/* at most, of one field */

struct field {
	enum field_kind kind;
	char name[128];		/* as printed: "pid", "stack+0x10", "const" */
	uint64_t value;		/* FIELD_CONST */
	uint8_t bytes;		/* shown width: 8, or less for a sub-register */
	bool is_signed;		/* FIELD_INT, FIELD_NUMBER */
	uint16_t length;	/* FIELD_STRING, FIELD_BACKTRACE */
	uint16_t most;		/* FIELD_STRING: of an array of so many characters; else 0 */
	bool is_address;	/* FIELD_POINTER: of the FIELD_STRING that follows, shown where that cannot be read */
	uint16_t group;		/* so much of the name is that of a composite, of which this is a part; 0: none */
	char text[32];		/* FIELD_TEXT */
	struct field_name *names;	/* FIELD_INT, to be freed */
	size_t nr_names;
	int8_t fault_bit;	/* its bit in the mask of unreadable items, -1 if it cannot fault */
};

#define DESC_BASE	(1U << 0)
#define DESC_ADJACENT	(1U << 1)

struct desc {
	uint32_t id;		/* the module's; 0 until it is set */
	uint64_t addr;
	uint64_t born;
	char *name;		/* as printed in records: "vfs_write+0x50" */
	char *typed;		/* the address as it was typed: pasted back by list */
	char *options;		/* the options as they were typed, normalised spacing */
	struct field *fields;	/* in the order in which they were asked for */
	size_t nr_fields;
	bool has_faults;	/* the payload begins with the mask of unreadable items */
	uint32_t control;	/* KT_DESC_* */
	uint64_t late;		/* LATEFREEZE count */
	uint64_t every;		/* EVERY count, or 0 */
	uint64_t limit;		/* LIMIT count, or 0 */
	uint32_t timing;	/* DESC_BASE, DESC_ADJACENT */
	bool is_hidden;		/* its records are a measurement's own: they are not printed */
	struct kt_insn *prog;
	size_t prog_len;
	void *blob;		/* all of it as the module keeps it, where that was read; else NULL */
	size_t blob_len;
};

void desc_free(struct desc *desc);

/* The blob for KT_IOC_TRACE; *out is the caller's to free(). */
bool desc_encode(const struct desc *desc, void **out, size_t *len, struct error *err);
/* Back from the blob of KT_IOC_DESC; NULL with err set when it is malformed. */
struct desc *desc_decode(const void *blob, size_t len, struct error *err);
/*
 * The same where desc_decode() failed, as for one that a newer controller
 * wrote: its records print as raw words.  NULL with err set when not even
 * their length can be known.
 */
struct desc *desc_decode_raw(const void *blob, size_t len, uint64_t addr, struct error *err);

/*
 * What a field is in the payload: `count` elements of `bytes` each.  FIELD_CONST has none.  This is
 * all that a reader needs who knows nothing of the kinds.
 */
enum field_form { FORM_DECIMAL, FORM_HEX, FORM_ADDRESS, FORM_TEXT };

struct field_layout {
	enum field_form form;
	uint8_t bytes;
	bool is_signed;
	uint16_t count;
};

struct field_layout field_layout(const struct field *field);

/* Bytes of payload that one field, and a whole record of it, has. */
size_t field_payload(const struct field *field);
size_t desc_payload(const struct desc *desc);

#endif
