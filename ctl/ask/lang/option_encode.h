/* SPDX-License-Identifier: GPL-2.0-or-later */
/* option_encode.h - internals of option.c and option_expr.c: what the options do.  See option.h. */
#ifndef KTRACE_OPTION_ENCODE_H
#define KTRACE_OPTION_ENCODE_H

#include "ctl/ask/lang/option.h"

typedef const struct option_row row_t;

/* A count of at most `most`, decimal or with 0x.  False: err names the option. */
bool option_count(row_t *row, const char *arg, uint64_t most, uint64_t *out, struct error *err);

/* option_expr.c: the functions of rows, see struct option_row. */
bool encode_var(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab, struct error *err);
bool encode_str(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab, struct error *err);
bool encode_args(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab, struct error *err);
bool encode_retval(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab, struct error *err);
bool encode_if(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab, struct error *err);
bool encode_elapsed(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab, struct error *err);
bool encode_entry(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab, struct error *err);

#endif
