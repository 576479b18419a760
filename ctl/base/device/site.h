/* SPDX-License-Identifier: GPL-2.0-or-later */
/* site.h - the list of tracepoints, each with its descriptor. */
#ifndef KTRACE_CTL_SITE_H
#define KTRACE_CTL_SITE_H

#include <stdbool.h>
#include <stddef.h>

#include "arch/arch.h"
#include "ctl/base/device/desc.h"
#include "ctl/base/device/device.h"
#include "ctl/base/error.h"
#include "symbols/symtab/symbols.h"

struct sites {
	struct kt_list_entry *v;
	struct desc **descs;	/* NULL: the descriptor is gone meanwhile */
	size_t n;
	size_t *by_name, *by_addr;	/* their indexes in this order; NULL: nobody has asked yet */
};

bool sites_load(struct device *dev, struct sites *out, struct error *err);
void sites_free(struct sites *sites);

/* The name as printed; never NULL. */
const char *site_name(const struct sites *sites, size_t i);
/* Index of the first site with this printed name, or this address; n: there is none. */
size_t sites_by_name(struct sites *sites, const char *name);
size_t sites_by_addr(struct sites *sites, uint64_t addr);

const char *site_method(unsigned int method);
/* Why its hits have no machine code of their own (KT_NO_CODE_*), in a few words; "" for KT_NO_CODE_NONE. */
const char *site_no_code(unsigned int why);
/* Why a jump is not possible there (KT_NO_JUMP_*), in a few words; "" for KT_NO_JUMP_NONE. */
const char *site_no_jump(unsigned int why);

/* What windows (struct kt_status) do to a tracepoint in a function of theirs. */
#define SITE_WINDOWED	"off while a CPU starts or the machine sleeps"

#define INSN_SAID	320	/* bytes for what is said about an instruction */
/*
 * A tracepoint that has reached its LIMIT is disarmed.  A jump begins as a breakpoint, until the module has
 * decided that a jump is possible and no task is between the displaced instructions.  May use buf.
 */
const char *site_method_now(const struct kt_list_entry *entry, char buf[INSN_SAID]);

/* The text of an instruction; a branch target as a symbol, if it is known.  tab may be NULL.  Returns buf. */
#define RETURN_SAID	"return to the caller"	/* instead of an instruction */
const char *site_insn(const struct symtab *tab, const struct arch_insn *insn, char buf[INSN_SAID]);

#define AUTO_SITES __attribute__((cleanup(sites_free)))

#endif
