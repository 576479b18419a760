/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * address.h - what may be typed for an address: a sum of terms.
 *
 *   address = term { ("+" | "-") term }
 *   term    = [ module ":" ] name [ "#" n ]  |  [ "0x" ] hexadecimal
 *
 * A term is looked up as a symbol first and read as a hexadecimal number
 * where there is none; 8134d3d0 is short for ffffffff8134d3d0 where all kernel
 * code has the same upper half.  "vmlinux:" names the kernel itself.  A name that
 * several symbols bear is refused with the list of them; `name#2` is the
 * second in address order.
 */
#ifndef KTRACE_ADDRESS_H
#define KTRACE_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/base/error.h"
#include "symbols/symtab/symbols.h"

/* Which of the symbols of a name are meant, where it has several. */
enum address_want {
	ADDRESS_CODE,		/* text symbols, where there are any */
	ADDRESS_ANY,
};

struct address {
	uint64_t value;
	const struct sym *sym;	/* the first symbol in the sum, NULL without any */
	bool bare;		/* nothing but that symbol was typed */
};

/* tab may be NULL: then there are only numbers. */
bool address_parse(const struct symtab *tab, const char *text, enum address_want want,
		   struct address *out, struct error *err);

/* Could text be an address: is its first term a symbol or a number? */
bool address_is_known(const struct symtab *tab, const char *text);

/*
 * The spelling of a symbol that address_parse() reads back as that one:
 * `name`, `module:name`, `name#2`.  At most size bytes go to buf.
 */
const char *address_spell(const struct symtab *tab, const struct sym *sym, char *buf, size_t size);

#endif
