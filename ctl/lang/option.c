// SPDX-License-Identifier: GPL-2.0-or-later
/* option.c - the options of a tracepoint.  See option.h. */
#include "ctl/lang/option.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/base/number.h"
#include "ctl/base/suggestion.h"
#include "ctl/device/property.h"
#include "ctl/device/site.h"
#include "ctl/lang/args.h"
#include "ctl/lang/expr.h"
#include "ctl/resolve/address.h"
#include "ctl/resolve/caller.h"
#include "ctl/resolve/vars.h"
#include "examples.h"

#define DEFAULT_DEPTH	16	/* callers of BACKTRACE, by default */

typedef const struct option_row row_t;

static bool too_large(row_t *row, const char *arg, const char *most, struct error *err)
{
	return error_set(err, STATUS_USAGE, "%s %s: number too large: %s", row->name, arg, most);
}

static bool bad_number(row_t *row, const char *arg, struct error *err)
{
	return error_set(err, STATUS_USAGE,
			 "%s %s: not a number: give a decimal number, or a hexadecimal one with 0x",
			 row->name, arg);
}

static bool count_of(row_t *row, const char *arg, uint64_t most, uint64_t *out, struct error *err)
{
	enum number_status status = number_count(arg, out);
	char limit[64];

	if (status == NUMBER_NONE)
		return bad_number(row, arg, err);
	if (status == NUMBER_OK && *out <= most)
		return true;
	snprintf(limit, sizeof(limit), "at most %" PRIu64, most);
	return too_large(row, arg, limit, err);
}

static bool encode_current(struct compiler *c, row_t *row, const char *arg,
			   const struct symtab *tab, struct error *err)
{
	return compile_current(c, property_numbered(row->flags), err);
}

static bool encode_comm(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab,
			struct error *err)
{
	return compile_comm(c, err);
}

static bool encode_psr(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab,
		       struct error *err)
{
	return compile_psr(c, err);
}

static bool encode_allregs(struct compiler *c, row_t *row, const char *arg,
			   const struct symtab *tab, struct error *err)
{
	return compile_allregs(c, err);
}

static bool encode_reg(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab,
		       struct error *err)
{
	const struct arch_reg *reg = arch_reg_by_name(c->arch, arg);
	struct suggestions similar = { .word = arg };
	char buf[256];

	if (reg)
		return compile_reg(c, reg, err);
	for (reg = c->arch->regs; reg->name; reg++)
		suggestion_offer(&similar, reg->name);
	return error_set(err, STATUS_USAGE, "%s %s: %s has no such register: %s", row->name, arg,
			 c->arch->name,
			 suggestion_say(similar.names, similar.n, "'help REG' shows an example", buf,
					sizeof(buf)));
}

static bool encode_const(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab,
			 struct error *err)
{
	bool negative = *arg == '-';
	uint64_t value;

	if (!count_of(row, arg + negative, negative ? INT64_MAX : UINT64_MAX, &value, err))
		return false;
	return compile_const(c, negative ? -value : value, err);
}

static bool offset_of(row_t *row, const char *arg, int32_t *out, struct error *err)
{
	int64_t offset = 0;
	enum number_status status = number_offset(arg, &offset);

	if (status == NUMBER_NONE)
		return error_set(err, STATUS_USAGE,
				 "%s %s: not an offset: give a hexadecimal number, such as 10 or -8",
				 row->name, arg);
	if (status == NUMBER_TOO_LARGE || offset < INT32_MIN || offset > INT32_MAX)
		return too_large(row, arg, "at most 0x7fffffff", err);
	*out = offset;
	return true;
}

static bool encode_stack(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab,
			 struct error *err)
{
	int32_t offset;

	return offset_of(row, arg, &offset, err) &&
	       compile_relative(c, "stack", c->arch->dwarf_sp, 0, offset, err);
}

static bool encode_frame(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab,
			 struct error *err)
{
	const struct probe_point *point = c->vars ? c->vars->point : NULL;
	const struct ix_cfa *cfa = c->vars && vars_open(c->vars) ?
				   dbindex_cfa_at(c->vars->info.ix, c->vars->info.offset) : NULL;
	int32_t offset;

	if (!offset_of(row, arg, &offset, err))
		return false;
	/* After the return, the frame begins at the caller's stack pointer. */
	if (point && point->is_return)
		return compile_relative(c, "frame", c->arch->dwarf_sp, 0, offset, err);
	if (cfa && cfa->reg != CFA_UNKNOWN)
		return compile_relative(c, "frame", cfa->reg, cfa->offset, offset, err);
	c->uses_frame = true;
	return compile_relative(c, "frame", c->arch->dwarf_fp, 0, offset, err);
}

static bool encode_loc(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab,
		       struct error *err)
{
	struct address address;
	char name[64];

	if (!address_parse(tab, arg, ADDRESS_ANY, &address, err))
		return false;
	if (!(address.value >> 63))
		return error_set(err, STATUS_FAILURE,
				 "%s %s: 0x%" PRIx64 " is not an address of the kernel: give a global variable",
				 row->name, arg, address.value);
	if (address.sym)
		snprintf(name, sizeof(name), "%s", arg);
	else
		snprintf(name, sizeof(name), "0x%" PRIx64, address.value);
	return compile_fixed(c, name, address.value, err);
}

static bool encode_control(struct compiler *c, row_t *row, const char *arg,
			   const struct symtab *tab, struct error *err)
{
	c->desc->control |= row->flags;
	return true;
}

static bool encode_late(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab,
			struct error *err)
{
	c->desc->control |= row->flags;
	return count_of(row, arg, INT64_MAX, &c->desc->late, err);
}

/* Parse a count that is at least 1. */
static bool positive(row_t *row, const char *arg, uint64_t most, uint64_t *out, struct error *err)
{
	if (!count_of(row, arg, most, out, err))
		return false;
	return *out || error_set(err, STATUS_USAGE, "%s %s: at least 1 is needed", row->name, arg);
}

static bool encode_every(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab,
			 struct error *err)
{
	return positive(row, arg, INT64_MAX, &c->desc->every, err);
}

static bool encode_limit(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab,
			 struct error *err)
{
	return positive(row, arg, INT64_MAX, &c->desc->limit, err);
}

static bool encode_only(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab,
			struct error *err)
{
	const bool is_user = row->flags == ONLY_UID || row->flags == ONLY_GID;
	uint64_t value[2] = { 0 };

	if (!count_of(row, arg, is_user ? UINT32_MAX : INT_MAX, &value[0], err))
		return false;
	compile_only(c, row->flags, value);
	return true;
}

static bool encode_only_comm(struct compiler *c, row_t *row, const char *arg,
			     const struct symtab *tab, struct error *err)
{
	uint64_t value[2] = { 0 };

	if (strlen(arg) >= KT_COMM_BYTES)
		return error_set(err, STATUS_USAGE, "%s %s: the name is too long: task names have at most %d characters",
				 row->name, arg, KT_COMM_BYTES - 1);
	memcpy(value, arg, strlen(arg));
	compile_only(c, row->flags, value);
	return true;
}

/* ------------------------------------------------------------- expressions */

static struct expr *resolved(struct compiler *c, row_t *row, const char *arg,
			     const struct symtab *tab, size_t *used, struct error *err)
{
	const struct expr_names names = { .arch = c->arch, .tab = tab, .vars = c->vars };
	struct expr *e = expr_parse(row->name, arg, used, err);

	if (e && expr_resolve(e, row->name, arg, &names, err))
		return e;
	expr_free(e);
	return NULL;
}

/* Copy text without blanks at its end. */
static char *trimmed(const char *text, size_t len)
{
	while (len && text[len - 1] == ' ')
		len--;
	return mem_strndup(text, len);
}

static bool encode_var(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab,
		       struct error *err)
{
	const size_t label = expr_label(arg);
	AUTO_FREE char *name = mem_strndup(arg, label);
	size_t used;
	AUTO_EXPR struct expr *e = resolved(c, row, expr_labelled(arg, label), tab, &used, err);

	if (!e || !label)
		return e && compile_value(c, arg, e, err);
	return compile_labelled(c, name, e, err);
}

static bool string_bytes(row_t *row, const char *arg, const char *text, uint16_t *out,
			 struct error *err)
{
	uint64_t bytes = COMPILE_STR_BYTES;

	if (*text == ':' && (!count_of(row, text + 1, KT_MAX_STR, &bytes, err) || !bytes))
		return error_set(err, STATUS_USAGE, "%s %s: the length of the string must be from 1 to %d, not '%s'",
				 row->name, arg, KT_MAX_STR, text + 1);
	*out = (bytes + 3) / 4 * 4;
	return true;
}

static bool encode_str(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab,
		       struct error *err)
{
	const size_t label = expr_label(arg);
	const char *text = expr_labelled(arg, label);
	size_t used;
	AUTO_EXPR struct expr *e = resolved(c, row, text, tab, &used, err);
	AUTO_FREE char *name = !e ? NULL : label ? mem_strndup(arg, label) : trimmed(text, used);
	uint16_t bytes = 0;

	if (!e || !string_bytes(row, arg, text + used, &bytes, err))
		return false;
	if (e->type.shape == SHAPE_ARRAY && !e->type.stars && e->kind == EXPR_LOAD)
		return compile_chars(c, name, e->a, bytes, err);
	if (expr_bytes(e->type) != 8)
		return error_set(err, STATUS_USAGE, "%s %s: the expression is not a pointer: a string needs one",
				 row->name, arg);
	return label ? compile_chars(c, name, e, bytes, err) : compile_string(c, name, e, bytes, err);
}

static bool encode_args(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab,
			struct error *err)
{
	return args_compile(c, row->name, tab, err);
}

static bool encode_retval(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab,
			  struct error *err)
{
	size_t used;
	AUTO_EXPR struct expr *e = NULL;

	/*
	 * If the function ends with a tail jump here, the value is known at the returns of the function jumped
	 * to.
	 */
	if (c->vars && c->vars->insn && c->vars->insn->is_jump && !c->vars->insn->is_return)
		return compile_absent(c, "retval", "?", err);
	e = resolved(c, row, row->name, tab, &used, err);
	return e && compile_value(c, "retval", e, err);
}

static bool encode_if(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab,
		      struct error *err)
{
	size_t used;
	AUTO_EXPR struct expr *e = resolved(c, row, arg, tab, &used, err);

	return e && compile_if(c, e, err);
}

static bool only_at_return(const struct option_row *row, struct error *err)
{
	return error_set(err, STATUS_USAGE, "%s: known only where a function returns: trace vfs_write%%return %s",
			 row->name, row->arg == ARG_NONE ? row->name : "ENTRY count");
}

static bool encode_elapsed(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab,
			   struct error *err)
{
	return c->closes ? compile_elapsed(c, err) : only_at_return(row, err);
}

/* compile_entry() uses the items that were resolved at the entry. */
static bool encode_entry(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab,
			 struct error *err)
{
	return c->entry ? compile_entry(c, err) : only_at_return(row, err);
}

bool option_is_entry(const struct option_row *option)
{
	return option->encode == encode_entry;
}

bool option_needs_entry(const struct option_row *option, const char *arg)
{
	return option->encode == encode_entry || option->encode == encode_elapsed ||
	       (option->encode == encode_if && strstr(arg, "ELAPSED"));
}

/* `STR $REGISTER:100`: a length may follow the expression. */
bool option_expression_length(const struct option_row *option, const char *text, size_t *used,
			      struct error *err)
{
	const bool has_label = option->encode == encode_var || option->encode == encode_str || option->encode == encode_entry;
	const char *start = expr_labelled(text, has_label ? expr_label(text) : 0);
	AUTO_EXPR struct expr *e = expr_parse(option->name, start, used, err);

	if (!e)
		return false;
	*used += start - text;
	if (option->encode == encode_str && text[*used] == ':')
		*used += 1 + strspn(text + *used + 1, "0123456789");
	return true;
}

static bool encode_backtrace(struct compiler *c, row_t *row, const char *arg,
			     const struct symtab *tab, struct error *err)
{
	uint64_t depth = DEFAULT_DEPTH;

	if (arg && !positive(row, arg, KT_MAX_DEPTH, &depth, err))
		return false;
	return compile_stack(c, row->flags, row->flags == KT_OP_EMITSTACK ? "backtrace" : "ustack", depth, err);
}

/* The process that the filters before this option name. */
static int chosen_process(const struct compiler *c)
{
	for (size_t i = 0; i < c->nr_onlies; i++)
		if (c->onlies[i].kind == ONLY_TGID || c->onlies[i].kind == ONLY_PID)
			return (int)c->onlies[i].value[0];
	return 0;
}

static bool encode_caller(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab, struct error *err)
{
	struct caller caller;

	if (!caller_parse(arg, chosen_process(c), &caller, err))
		return false;
	return caller.is_range ? compile_caller_in(c, caller.from, caller.to, err) : compile_caller(c, caller.depth, err);
}

static bool encode_method(struct compiler *c, row_t *row, const char *arg,
			  const struct symtab *tab, struct error *err)
{
	for (c->method = KT_METHOD_BREAKPOINT; c->method <= KT_METHOD_JUMP; c->method++)
		if (!strcmp(arg, site_method(c->method)))
			return true;
	return error_set(err, STATUS_USAGE, "%s %s: no such method: give breakpoint or jump",
			 row->name, arg);
}

static bool encode_timing(struct compiler *c, row_t *row, const char *arg,
			  const struct symtab *tab, struct error *err)
{
	c->desc->timing |= row->flags;
	if (c->desc->timing != (DESC_BASE | DESC_ADJACENT))
		return true;
	return error_set(err, STATUS_USAGE,
			 "BASE and ADJACENT contradict each other: give one of them");
}

#define NUMBER(OPTION, name, sign, columns, summary, help, example) \
	{ #OPTION, ARG_NONE, NULL, summary, help, example, encode_current, KT_CUR_##OPTION, AT_ENTRY },
#define TEXT(OPTION, name, summary, help, example) \
	{ #OPTION, ARG_NONE, NULL, summary, help, example, encode_comm, 0, AT_ENTRY },
#define VARIABLE(...)

const struct option_row option_rows[] = {
#include "ctl/device/property_list.h"
	{ "REG", ARG_REGISTER, "NAME", "record a register",
	  "In hexadecimal and, where it points at a symbol, as (symbol+0xoffset).\n"
	  "Parts of registers have their own names: " EX_PART_NAMES ".",
	  "trace vfs_write REG " EX_ARG1 " REG " EX_ARG3, encode_reg, 0, AT_ENTRY },
	{ "ALLREGS", ARG_NONE, NULL, "record all general registers",
	  NULL,
	  "trace vfs_write ALLREGS", encode_allregs, 0, AT_ENTRY },
	{ "PSR", ARG_NONE, NULL, "record the processor status, its flags by name",
	  NULL,
	  "trace vfs_write+50 PSR", encode_psr, 0, AT_ENTRY },
	{ "STACK", ARG_OFFSET, "OFFSET", "record the word at stack pointer + OFFSET",
	  "OFFSET is hexadecimal.  " EX_RETURN,
	  "trace vfs_write STACK 0", encode_stack, 0, AT_ENTRY },
	{ "FRAME", ARG_OFFSET, "OFFSET", "record the word at frame base + OFFSET",
	  "OFFSET is hexadecimal and may be negative.  The frame base is the CFA of the\n"
	  "debug information: " EX_FRAME_RETURN "  Without it, it is the\n"
	  "frame-pointer register (" EX_FRAME_REG "), which the function must have set up.",
	  "trace vfs_write+50 FRAME -8", encode_frame, 0, AT_ENTRY },
	{ "LOC", ARG_ADDRESS, "ADDRESS", "record the word at a fixed address",
	  "A global variable by name, or a sum as in 'help address'.",
	  "trace vfs_write LOC jiffies", encode_loc, 0, AT_ENTRY },
	{ "VAR", ARG_EXPRESSION, "EXPRESSION", "record the value of a C expression",
	  "Over variables and members of the source (file->f_pos), registers ($" EX_ARG1 ") and\n"
	  "memory (*(u32*)($" EX_ARG1 "+0x44)); see 'help expressions'.  Its type decides how it\n"
	  "is shown: a number, an enum by name, a pointer as symbol, char* as text, a\n"
	  "struct as its members.  A value that cannot be read is shown as ?.",
	  "trace vfs_write VAR file->f_path.dentry->d_name.name VAR count PID", encode_var, 0, AT_ENTRY },
	{ "ARGS", ARG_NONE, NULL, "record all parameters of the function",
	  "By name, shown by type; needs debug information or BTF.  At a source line or\n"
	  "inline:FUNCTION: the parameters of the copy inlined there, if it has any.\n"
	  "Inside the function a parameter that no longer exists is shown as ?.  At a\n"
	  "static tracepoint with a set in 'events': the fields that 'events -v' shows;\n"
	  "at others its parameters.  At syscall:NAME: the arguments of the call.",
	  "trace vfs_write ARGS", encode_args, 0, AT_ENTRY },
	{ "RETVAL", ARG_NONE, NULL, "record what the function returns",
	  "Where it returns: at FUNCTION%return, where it may also be used in IF.",
	  "trace vfs_write%return RETVAL IF RETVAL < 0", encode_retval, 0, AT_RETURN },
	{ "ENTRY", ARG_EXPRESSION, "EXPRESSION", "record the value of an expression at the entry",
	  "At FUNCTION%return: the value that VAR would have recorded at the entry; ? for\n"
	  "a call that began before.  The entry itself cannot be traced meanwhile.",
	  "trace vfs_write%return ENTRY count RETVAL", encode_entry, 0, AT_ENTRY },
	{ "ELAPSED", ARG_NONE, NULL, "record how long the call took",
	  "At FUNCTION%return; IF may compare it with a time in ns, us, ms or s.  For a\n"
	  "call that began before it is ?, and IF is false.  It includes the cost of the\n"
	  "tracepoints.  The entry itself cannot be traced meanwhile.",
	  "trace vfs_write%return ELAPSED RETVAL IF ELAPSED > 50us", encode_elapsed, 0, AT_RETURN },
	{ "STR", ARG_EXPRESSION, "EXPRESSION", "record the string that a pointer points to",
	  "In kernel or user memory.  64 bytes, or the number after a colon:\n"
	  "STR $" EX_ARG2 ":200, at most 512.  A string that is cut ends in ..., one whose\n"
	  "rest cannot be read in ...?",
	  "trace do_sys_openat2 STR $" EX_ARG2 ":200 COMM", encode_str, 0, AT_ENTRY },
	{ "BACKTRACE", ARG_DEPTH, "[DEPTH]", "record the callers, up to 16 or DEPTH",
	  "The nearest caller comes first.  DEPTH is decimal, at most 64.",
	  "trace vfs_write BACKTRACE 8", encode_backtrace, KT_OP_EMITSTACK, AT_RETURN },
	{ "USTACK", ARG_DEPTH, "[DEPTH]", "record the callers in the user's program",
	  "First where it called the kernel, then the callers there: up to 16 or DEPTH\n"
	  "code addresses, as far as frame pointers lead.  Code that was compiled without\n"
	  "them is left out, or ends the list.  Of a 32-bit program only the first one.",
	  "trace event:sys_enter USTACK 8", encode_backtrace, KT_OP_EMITUSTACK, AT_RETURN },
	{ "CALLER", ARG_CALLER, "depth N|in RANGE", "record one code address of the program",
	  "'depth 0' is where it called the kernel, 'depth 1' the function that called\n"
	  "this one, and so on; 'in 0x401000-0x402000' is the first one in that range,\n"
	  "'in FILE' the first one in that program or library, behind ONLYTGID or\n"
	  "ONLYPID: so the application's line is seen, not that of its libraries.  As\n"
	  "USTACK, it needs frame pointers.  ? if there is none.",
	  "trace event:sys_enter CALLER depth 1 PID", encode_caller, 0, AT_RETURN },
	{ "CONST", ARG_CONST, "VALUE", "record a constant, to tell records apart",
	  "VALUE is decimal and may be negative, or hexadecimal with 0x.",
	  "trace vfs_write CONST 7", encode_const, 0, AT_ENTRY },
	{ "IF", ARG_EXPRESSION, "EXPRESSION", "record only where a C expression is true",
	  "As in VAR, with == != < <= > >= && || ! & | ^ ~ << >> + - * / %.  It needs no\n"
	  "quotes.  If memory cannot be read it is false, and so is its opposite.\n"
	  "Hits that are left out are counted as filtered.",
	  "trace vfs_write IF $" EX_ARG3 " > 4096 && *(u32*)($" EX_ARG1 "+0x44) & 2 PID", encode_if, 0, FILTERS_ENTRY },
	{ "ONLYPID", ARG_PID, "PID", "record only in that thread or process",
	  "Given more than once: in any of them.  PID is decimal.  Where several kinds of\n"
	  "ONLY... and IF are given, all of them must be met.",
	  "trace vfs_write ONLYPID 4127 PID", encode_only, ONLY_PID, FILTERS_BOTH },
	{ "ONLYTGID", ARG_PID, "TGID", "record only in the threads of that process",
	  "Given more than once: in any of them.",
	  "trace vfs_write ONLYTGID 4127 PID", encode_only, ONLY_TGID, FILTERS_BOTH },
	{ "ONLYPGRP", ARG_PID, "PGRP", "record only in that process group",
	  "A shell gives each job a group of its own.  More than once: in any of them.",
	  "trace vfs_write ONLYPGRP 4127 PID", encode_only, ONLY_PGRP, FILTERS_BOTH },
	{ "ONLYUID", ARG_COUNT, "UID", "record only in tasks of that real user id",
	  "Decimal, as the initial user namespace has it.  More than once: any of them.",
	  "trace vfs_write ONLYUID 1000 COMM", encode_only, ONLY_UID, FILTERS_BOTH },
	{ "ONLYGID", ARG_COUNT, "GID", "record only in tasks of that real group id",
	  "Decimal, as the initial user namespace has it.  More than once: any of them.",
	  "trace vfs_write ONLYGID 1000 COMM", encode_only, ONLY_GID, FILTERS_BOTH },
	{ "ONLYCPU", ARG_COUNT, "CPU", "record only on that CPU",
	  "Given more than once: on any of them.",
	  "trace schedule ONLYCPU 0 PID", encode_only, ONLY_CPU, FILTERS_ENTRY },
	{ "ONLYCOMM", ARG_WORD, "NAME", "record only in tasks of that name",
	  "The whole name, which has at most 15 characters.  More than once: any of them.",
	  "trace vfs_write ONLYCOMM bash PID", encode_only_comm, ONLY_COMM, FILTERS_ENTRY },
	{ "EVERY", ARG_COUNT, "COUNT", "record the first of each COUNT hits",
	  "Counts hits that pass IF and ONLY..., on all CPUs together.  Others\n"
	  "are counted as filtered.",
	  "trace vfs_write EVERY 100 PID", encode_every, 0, NOT_MEASURED },
	{ "LIMIT", ARG_COUNT, "COUNT", "disarm the tracepoint after COUNT records",
	  "It costs nothing from then on, and 'list -v' says so.  Tracing it again arms\n"
	  "it again, with a new count.",
	  "trace vfs_write LIMIT 10 PID", encode_limit, 0, NOT_MEASURED },
	{ "FREEZE", ARG_NONE, NULL, "halt all recording after this record",
	  "This record is kept.  'unfreeze' or an UNFREEZE tracepoint restarts it.",
	  "trace vfs_write FREEZE", encode_control, KT_DESC_FREEZE, NOT_MEASURED },
	{ "LATEFREEZE", ARG_COUNT, "COUNT", "halt all recording after COUNT more records",
	  "COUNT is decimal.  The first hit starts the count, later ones do not\n"
	  "start it anew.  An UNFREEZE tracepoint cancels it while it is pending.",
	  "trace vfs_write LATEFREEZE 100", encode_late, KT_DESC_LATEFREEZE, NOT_MEASURED },
	{ "UNFREEZE", ARG_NONE, NULL, "restart recording at this record",
	  "This record is kept.  A pending LATEFREEZE is cancelled.",
	  "trace ksys_write UNFREEZE vfs_write ksys_write+40 FREEZE", encode_control,
	  KT_DESC_UNFREEZE, NOT_MEASURED },
	{ "BASE", ARG_NONE, NULL, "later records show the time since this record",
	  NULL,
	  "trace ksys_write BASE vfs_write", encode_timing, DESC_BASE, NOT_MEASURED },
	{ "ADJACENT", ARG_NONE, NULL, "cancel BASE: differences to the record before",
	  NULL,
	  "trace ksys_write BASE vfs_write ADJACENT", encode_timing, DESC_ADJACENT, NOT_MEASURED },
	{ "METHOD", ARG_METHOD, "METHOD", "choose how hits are caught: breakpoint or jump",
	  "Default: a jump, which is cheaper, where it is safe, else a breakpoint.\n"
	  "'METHOD jump' is an error where a jump is not safe.",
	  "trace vfs_write PID METHOD breakpoint", encode_method, 0, FILTERS_BOTH },
	{ .name = NULL },
};

row_t *option_find(const char *name)
{
	for (row_t *row = option_rows; row->name; row++)
		if (!strcmp(row->name, name))
			return row;
	return NULL;
}

bool option_looks_like(const char *word)
{
	uint64_t value;

	return *word && strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == strlen(word) &&
	       number_hex(word, strlen(word), &value) == NUMBER_NONE;
}

bool option_unknown(const char *word, struct error *err)
{
	struct suggestions similar = { .word = word };
	char buf[256];

	for (row_t *row = option_rows; row->name; row++)
		suggestion_offer(&similar, row->name);
	return error_set(err, STATUS_USAGE, "unknown option %s: %s", word,
			 suggestion_say(similar.names, similar.n, "'help' lists the options", buf,
					sizeof(buf)));
}
