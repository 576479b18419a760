/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * address.h - typed addresses: a sum of terms.
 *
 *   address = term { ("+" | "-") term }
 *   term    = [ module ":" ] name [ "#" n ]  |  [ "0x" ] hexadecimal
 *
 * A term is looked up as a symbol first, and read as a hexadecimal number if there is no such symbol.  8134d3d0
 * is short for ffffffff8134d3d0 where all kernel code has the same upper half.  "vmlinux:" names the kernel
 * itself, "syscall:" the function of a system call; so does "sys_", if no symbol has that name.  If several symbols
 * have the name, the term is refused with the list of them; `name#2` is the second in address order.
 */
#ifndef KTRACE_ADDRESS_H
#define KTRACE_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/base/error.h"
#include "symbols/symtab/symbols.h"

#define ADDRESS_SYSCALL	"syscall:"
#define ADDRESS_SYS	"sys_"

/* Which symbols of an ambiguous name are candidates. */
enum address_want {
	ADDRESS_CODE,		/* text symbols, if the name has any */
	ADDRESS_ANY,
};

struct address {
	uint64_t value;
	const struct sym *sym;	/* the first symbol in the sum; NULL: none */
	bool bare;		/* the text is that symbol and nothing else */
};

/* Parse an address.  tab may be NULL: then there are only numbers. */
bool address_parse(const struct symtab *tab, const char *text, enum address_want want,
		   struct address *out, struct error *err);

/* Could text be an address?  True if its first term is a symbol or a number. */
bool address_is_known(const struct symtab *tab, const char *text);

/*
 * Write the spelling of a symbol that address_parse() reads back as this symbol: `name`, `module:name`,
 * `name#2`.  It writes at most size bytes to buf.  Returns buf.
 */
const char *address_spell(const struct symtab *tab, const struct sym *sym, char *buf, size_t size);

#endif
