/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * desc.h - a descriptor for the controllers: the command as typed, the recorded data and its format.  plan.c
 * builds it from the options.  The module stores it as JSON (docs/descriptor.md), and any later controller can
 * read it back.
 */
#ifndef KTRACE_DESC_H
#define KTRACE_DESC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/ktrace_abi.h"
#include "ctl/base/device/show.h"
#include "ctl/base/error.h"

enum field_kind {
	FIELD_NUMBER,		/* a property of the task (property.h): 4 bytes, decimal */
	FIELD_REG,		/* 8 bytes, hex and symbol; the name is that of the register */
	FIELD_WORD,		/* 8 bytes of memory, hex and symbol: STACK, FRAME, LOC */
	FIELD_PSR,		/* 8 bytes, hex and flag names */
	FIELD_ALLREGS,		/* 8 bytes for each of arch->all_regs */
	FIELD_CONST,		/* no bytes: the descriptor has the value */
	FIELD_INT,		/* a number: 8 bytes, 4 if `bytes` is less than 8, 2 if it is_half */
	FIELD_POINTER,		/* 8 bytes, hex and symbol */
	FIELD_STRING,		/* `length` bytes of text, 0 after its end; if it varies: see there */
	FIELD_BACKTRACE,	/* `length` times 8 bytes, code addresses, 0 after the last */
	FIELD_TEXT,		/* no bytes: the descriptor has a text in place of a value */
	FIELD_ELAPSED,		/* 8 bytes, ticks; shown as a duration */
	FIELD_FLOAT,		/* `bytes` bytes, 4 or 8: a binary floating-point number */
	FIELD_PACKET,		/* the headers of a packet (headers.h), at most `length` bytes; it varies */
	FIELD_NUMBERS,		/* a byte, how many, and so many numbers of 4 bytes, in all at most `length` bytes; it varies */
	FIELD_RAW,		/* 4 bytes of hex: from a descriptor that cannot be decoded; never stored */
	NR_FIELD_KINDS,
};

/* The name of a value: an enumerator, or that of a bool. */
struct field_name {
	int64_t value;
	char *name;
};

#define FIELD_NAMES	256	/* most names of one field */
#define DESC_FIELDS	(2 * KT_MAX_ITEMS)	/* most fields, with constants */
#define FIELD_MAX_BYTES	4096	/* most bytes of one field */

struct field {
	enum field_kind kind;
	char name[128];		/* as printed: "pid", "stack+0x10", "const" */
	uint64_t value;		/* FIELD_CONST */
	uint8_t bytes;		/* shown width: 8, or less for a sub-register */
	bool is_signed;		/* FIELD_INT, FIELD_NUMBER */
	uint16_t length;	/* FIELD_STRING, FIELD_BACKTRACE, FIELD_PACKET, FIELD_NUMBERS */
	bool is_half;		/* FIELD_INT: two bytes */
	bool varies;		/* it has only the bytes that it needs, at most `length`; FIELD_STRING: the text and its 0 */
	uint16_t most;		/* FIELD_STRING: characters of the array it comes from; else 0 */
	uint16_t limit;		/* FIELD_STRING: characters shown; one more in the record tells that there are more; 0: all */
	uint16_t elements;	/* SHOW_BYTES by the type, which is an array: its bytes, at most 65535; else 0 */
	/* FIELD_POINTER: address of the FIELD_STRING that follows; shown if that is unreadable */
	bool is_address;
	/* FIELD_INT, before an address: 1 if the string was unreadable at the entry, and was read at the return; not shown */
	bool is_late;
	/*
	 * FIELD_POINTER, of a program.  is_code: what it points at is shown by name.  is_linked: the address is that in the file, not
	 * in the process.  is_base: not shown; where the file's address 0 was in the process; only the last field is one.
	 */
	bool is_code, is_linked, is_base;
	/* length of the part of the name that names the composite this field belongs to; 0: none */
	uint16_t group;
	/*
	 * Only some objects have this part: those where the field so many before it has the value `when`, or one above it.  In
	 * others it is not there, which is another thing than unreadable.  0: all have it.
	 */
	uint8_t depends;
	bool when_above;
	int64_t when;
	char text[32];		/* FIELD_TEXT */
	/* FIELD_INT, FIELD_POINTER; of bytes: FIELD_STRING, whose first `most` bytes are all shown */
	enum show show;
	struct field_name *names;	/* FIELD_INT; freed with the descriptor */
	size_t nr_names;
	int8_t fault_bit;	/* its bit in the mask of unreadable items; -1: it cannot fault */
};

struct desc_aggregate;

#define DESC_BASE	(1U << 0)
#define DESC_ADJACENT	(1U << 1)

struct desc {
	uint32_t id;		/* the module's number; 0 until it is set */
	uint64_t addr;
	uint64_t born;
	char *name;		/* as printed in records: "vfs_write+0x50" */
	char *typed;		/* the address as it was typed; `list` prints it */
	char *options;		/* the options as typed, with normalised spacing */
	char *line;		/* source line of an instruction inside a function: "sess.c:39"; NULL: not known, or not needed */
	struct field *fields;	/* in the order of the options */
	size_t nr_fields;
	size_t nr_fixed;	/* so many of the first fields have the same length in each record, */
	size_t fixed_bytes;	/* together; 0, 0: that is not known */
	bool has_faults;	/* the payload begins with the mask of unreadable items: desc_mask() bytes */
	bool is_packed;		/* a small payload, for wide rings: the mask has two bytes */
	uint32_t control;	/* KT_DESC_* */
	uint64_t late;		/* LATEFREEZE count */
	uint64_t every;		/* EVERY count, or 0 */
	uint64_t limit;		/* LIMIT count, or 0 */
	uint32_t timing;	/* DESC_BASE, DESC_ADJACENT */
	bool takes_self;	/* SELF: hits in ktrace's own processes, too; not kept by the module */
	bool is_hidden;		/* the records belong to a measurement and are not printed */
	bool is_state;		/* ktrace wrote the records, about the state of the system: there is no program */
	bool is_user;		/* a process wrote the records (ktrace-user(3)): there is no program */
	struct desc_aggregate *aggregate;	/* its hits count in a table; NULL: they write records */
	struct kt_insn *prog;
	size_t prog_len;
	/*
	 * A hit of this one could not read a text when a system call began: the records have it as it was when the call returned
	 * (reader_late.c).  NULL: it is an ordinary descriptor.
	 */
	const struct desc *late_of;
	void *blob;		/* the descriptor as the module stores it, if it was read from there; else NULL */
	size_t blob_len;
};

/* The name of the module's own descriptor of texts that were read when the system call returned. */
#define LATE_NAME	"read_at_return"

/* The name of the field of CALLER, and of that of --caller: an address in a program. */
#define CALLER_FIELD	"caller"

void desc_free(struct desc *desc);
/* Do its records have such a field, and only one? */
bool desc_has_caller(const struct desc *desc);
/* Do both have the same blob?  Then records of both look the same. */
bool desc_is_same(const struct desc *a, const struct desc *b);

/* Encode for KT_IOC_TRACE.  The caller frees *out. */
bool desc_encode(const struct desc *desc, void **out, size_t *len, struct error *err);
/* The same in less time, if it differs only by its name from one that is encoded, into its blob; like NULL: there is none. */
bool desc_encode_like(const struct desc *desc, const struct desc *like, void **out, size_t *len, struct error *err);
/* Decode the result of KT_IOC_DESC.  NULL: it is malformed, err is set. */
struct desc *desc_decode(const void *blob, size_t len, struct error *err);
/*
 * Decode only the length, where desc_decode() failed, for example because a newer controller wrote the
 * descriptor: its records print as raw words.  NULL: not even the length is known, err is set.
 */
struct desc *desc_decode_raw(const void *blob, size_t len, uint64_t addr, struct error *err);
/*
 * A descriptor that is not yet decoded: it has a copy of the blob, addr, is_state, is_user and is_hidden, and nothing else.
 * NULL: neither desc_decode() nor desc_decode_raw() could decode it, err is set.
 */
struct desc *desc_bare(const void *blob, size_t len, uint64_t addr, struct error *err);
/* Decode what desc_bare() has left out; nothing happens if that is already done. */
void desc_complete(struct desc *desc);
/* Of that, at least name, typed and line, at a hundredth of the cost.  desc_complete() replaces these texts. */
void desc_complete_names(struct desc *desc);
/* False: the meta data of the blob does not have this text. */
bool desc_mentions(const struct desc *desc, const char *text);
/* As desc_complete(), but copy it from the descriptor from which the blob was encoded. */
void desc_complete_from(struct desc *desc, const struct desc *from);

/*
 * The layout of a field in the payload: `count` elements of `bytes` each; none for FIELD_CONST.  A reader needs
 * nothing else to decode a record.
 */
enum field_form { FORM_DECIMAL, FORM_HEX, FORM_ADDRESS, FORM_TEXT, FORM_FLOAT, FORM_OBJECT };

struct field_layout {
	enum field_form form;
	uint8_t bytes;
	bool is_signed;
	uint16_t count;
};

struct field_layout field_layout(const struct field *field);

/* Does it only help to show another field? */
static inline bool field_is_hidden(const struct field *field)
{
	return field->is_address || field->is_late || field->is_base;
}

/* Bytes of payload of one field, and of a whole record; where fields vary, the most that it can be. */
size_t field_payload(const struct field *field);
size_t desc_payload(const struct desc *desc);
/* Bytes of the mask of unreadable items at the start of the payload. */
size_t desc_mask(const struct desc *desc);
/* Find nr_fixed and fixed_bytes. */
void desc_find_fixed(struct desc *desc);
/* Bytes that the field at `at` takes, and that the record takes.  0, false: more than the `room` that is there. */
size_t field_length(const struct field *field, const uint8_t *at, size_t room);
bool desc_length(const struct desc *desc, const uint8_t *payload, size_t room, size_t *len);

#endif
