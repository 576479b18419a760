// SPDX-License-Identifier: GPL-2.0-or-later
/* option.c - the options of a tracepoint.  See option.h. */
#include "ctl/ask/lang/option_encode.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "ctl/ask/lang/aggregate.h"
#include "ctl/ask/resolve/address.h"
#include "ctl/ask/resolve/caller.h"
#include "ctl/ask/resolve/orc.h"
#include "ctl/ask/resolve/vars.h"
#include "ctl/base/device/property.h"
#include "ctl/base/device/site.h"
#include "ctl/base/memory.h"
#include "ctl/base/number.h"
#include "ctl/base/suggestion.h"
#include "examples.h"

#define DEFAULT_DEPTH	16	/* callers of BACKTRACE, by default */

static bool too_large(row_t *row, const char *arg, const char *most, struct error *err)
{
	return error_set(err, STATUS_USAGE, "%s %s: number too large: %s", row->name, arg, most);
}

static bool bad_number(row_t *row, const char *arg, struct error *err)
{
	if (row->arg == ARG_PID)
		return error_set(err, STATUS_USAGE, "%s %s: not an id: give a number; %sCOMM takes a name", row->name, arg,
				 strncmp(row->name, "NOT", 3) ? "ONLY" : "NOT");
	return error_set(err, STATUS_USAGE, "%s %s: not a number: give a decimal number, or one with 0x", row->name, arg);
}

static bool in_program(const struct compiler *c)
{
	return c->vars && c->vars->target->program;
}

bool option_count(row_t *row, const char *arg, uint64_t most, uint64_t *out, struct error *err)
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

	if (!option_count(row, arg + negative, negative ? INT64_MAX : UINT64_MAX, &value, err))
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

/* Is it the function's first instruction of its own? */
static bool is_entry(const struct target *target, const struct probe_point *point)
{
	uint8_t code[32];
	size_t n, at;

	if (!point->sym || point->addr < point->sym->addr || point->addr - point->sym->addr >= sizeof(code))
		return false;
	at = point->addr - point->sym->addr;
	n = target->program ? 0 : device_text(target->dev, point->sym->addr, code, sizeof(code));
	return !at || (n >= at && target->arch->prologue(code, n, point->sym->addr) >= at);
}

/* Has the function at the probe point set up its frame pointer? */
static bool has_frame_pointer(const struct target *target, const struct probe_point *point)
{
	const size_t n = point->sym && point->addr > point->sym->addr ? point->addr - point->sym->addr : 0;
	AUTO_FREE uint8_t *code = mem_zalloc(1, n + 1);

	return n && device_text(target->dev, point->sym->addr, code, n) == n && target->arch->frame_is_set(code, n);
}

/*
 * Without debug information: by the tables of the kernel's unwinder; at a function's entry, by the convention of calls; else by
 * the frame pointer, if the function has set it up.
 */
static bool frame_without(struct compiler *c, row_t *row, const char *arg, int32_t offset, struct error *err)
{
	const struct target *target = c->vars->target;
	const struct probe_point *point = c->vars->point;
	const char *why = "";
	enum orc_answer answer = ORC_ABSENT;
	uint16_t reg;
	int32_t base;

	if (!target->program)
		answer = orc_base(target, point->addr, &reg, &base, &why);
	if (answer == ORC_BASE)
		return compile_relative(c, "frame", reg, base, offset, err);
	if (answer != ORC_UNKNOWN && is_entry(target, point))
		return compile_relative(c, "frame", c->arch->dwarf_sp, c->arch->call_pushes, offset, err);
	if (answer == ORC_ABSENT && !target->program && has_frame_pointer(target, point)) {
		c->uses_frame = true;
		return compile_relative(c, "frame", c->arch->dwarf_fp, 0, offset, err);
	}
	if (target->program)
		why = "there is no debug information for it";
	else if (answer == ORC_ABSENT)
		why = "the function has not set up its frame pointer there";
	return error_set(err, STATUS_FAILURE, "%s %s: the frame base is not known at %s: %s: use STACK, or REG %s", row->name, arg,
			 point->name, why, arch_reg_name(c->arch, c->arch->dwarf_fp));
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
	return frame_without(c, row, arg, offset, err);
}

static bool encode_loc(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab,
		       struct error *err)
{
	struct address address;
	char name[64];

	if (!address_parse(tab, arg, ADDRESS_ANY, &address, err))
		return false;
	if (in_program(c))
		return error_set(err, STATUS_USAGE, "%s %s: it is for memory of the kernel: write VAR %s", row->name, arg, arg);
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

/* A hit that stops recording at once can neither start it nor let more records pass. */
static bool encode_control(struct compiler *c, row_t *row, const char *arg,
			   const struct symtab *tab, struct error *err)
{
	const char *other;

	c->desc->control |= row->flags;
	if (!(c->desc->control & KT_DESC_FREEZE) || !(c->desc->control & (KT_DESC_UNFREEZE | KT_DESC_LATEFREEZE)))
		return true;
	other = c->desc->control & KT_DESC_UNFREEZE ? "UNFREEZE" : "LATEFREEZE";
	return error_set(err, STATUS_USAGE, "FREEZE and %s contradict each other: give one of them", other);
}

static bool encode_late(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab,
			struct error *err)
{
	return encode_control(c, row, arg, tab, err) && option_count(row, arg, INT64_MAX, &c->desc->late, err);
}

static bool encode_self(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab,
			struct error *err)
{
	c->desc->takes_self = true;
	return true;
}

/* Parse a count that is at least 1. */
static bool positive(row_t *row, const char *arg, uint64_t most, uint64_t *out, struct error *err)
{
	if (!option_count(row, arg, most, out, err))
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

#define ONLY_NOT	0x100	/* in the flags of a row: it leaves out what ONLY... records */

static enum compile_only only_of(row_t *row)
{
	return row->flags & ~ONLY_NOT;
}

static bool only_number(row_t *row, const char *arg, uint64_t value[2], struct error *err)
{
	const bool is_user = only_of(row) == ONLY_UID || only_of(row) == ONLY_GID;

	return option_count(row, arg, is_user ? UINT32_MAX : INT_MAX, &value[0], err);
}

static bool only_name(row_t *row, const char *arg, uint64_t value[2], struct error *err)
{
	if (!*arg)
		return error_set(err, STATUS_USAGE, "%s: a name is empty: give them as in ONLYCOMM dd,cp", row->name);
	if (strlen(arg) >= KT_COMM_BYTES)
		return error_set(err, STATUS_USAGE, "%s %s: the name is too long: task names have at most %d characters",
				 row->name, arg, KT_COMM_BYTES - 1);
	memcpy(value, arg, strlen(arg));
	return true;
}

/* One value, or several with commas between them. */
static bool encode_only(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab,
			struct error *err)
{
	for (const char *end; arg; arg = *end ? end + 1 : NULL) {
		uint64_t value[2] = { 0 };

		end = arg + strcspn(arg, ",");

		AUTO_FREE char *one = mem_strndup(arg, end - arg);

		if (!(only_of(row) == ONLY_COMM ? only_name : only_number)(row, one, value, err))
			return false;
		compile_only(c, only_of(row), row->flags & ONLY_NOT, value);
	}
	return true;
}

static bool encode_backtrace(struct compiler *c, row_t *row, const char *arg,
			     const struct symtab *tab, struct error *err)
{
	uint64_t depth = DEFAULT_DEPTH;

	if (arg && !positive(row, arg, KT_MAX_DEPTH, &depth, err))
		return false;
	return compile_stack(c, in_program(c) ? KT_OP_EMITUSTACK : row->flags, row->flags == KT_OP_EMITSTACK ? "backtrace" : "ustack", depth, err);
}

/* The process that the filters before this option name. */
static int chosen_process(const struct compiler *c)
{
	for (size_t i = 0; i < c->nr_onlies; i++)
		if (!c->onlies[i].is_not && (c->onlies[i].kind == ONLY_TGID || c->onlies[i].kind == ONLY_PID))
			return (int)c->onlies[i].value[0];
	return 0;
}

static bool encode_caller(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab, struct error *err)
{
	const struct caller_option option = { row->name, "ONLYTGID before CALLER" };
	struct caller caller;

	if (!caller_parse(&option, arg, chosen_process(c), &caller, err))
		return false;
	return caller.is_range ? compile_caller_in(c, caller.from, caller.to, err) : compile_caller(c, caller.depth, err);
}

static bool encode_method(struct compiler *c, row_t *row, const char *arg,
			  const struct symtab *tab, struct error *err)
{
	if (in_program(c))
		return error_set(err, STATUS_USAGE, "%s %s: a uprobe is the only method in programs: leave METHOD out", row->name, arg);
	for (c->method = KT_METHOD_BREAKPOINT; c->method <= KT_METHOD_JUMP; c->method++)
		if (!strcmp(arg, site_method(c->method)))
			return true;
	if (strcmp(arg, "plain"))
		return error_set(err, STATUS_USAGE, "%s %s: no such method: give breakpoint, jump or plain", row->name, arg);
	c->method = KT_METHOD_JUMP;
	c->desc->control |= KT_DESC_PLAIN;
	return true;
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
#include "ctl/base/device/property_list.h"
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
	  "debug information, else that of the kernel's unwind tables (ORC):\n"
	  EX_FRAME_RETURN "  Without both, it is the frame pointer\n"
	  "(" EX_FRAME_REG "), where the function has set it up; elsewhere it is refused.",
	  "trace vfs_write+50 FRAME -8", encode_frame, 0, AT_ENTRY },
	{ "LOC", ARG_ADDRESS, "ADDRESS", "record the word at a fixed address",
	  "A global variable by name, or a sum as in 'help address'.",
	  "trace vfs_write LOC jiffies", encode_loc, 0, AT_ENTRY },
	{ "VAR", ARG_EXPRESSION, "EXPRESSION", "record the value of a C expression",
	  "Over variables and members of the source (file->f_pos), registers ($" EX_ARG1 ") and\n"
	  "memory (*(u32*)($" EX_ARG1 "+0x44)); see 'help expressions'.  Its type decides how it\n"
	  "is shown: a number, an enum by name, a pointer as symbol, char* as text, an\n"
	  "array of u8 as hex bytes (the first 64), and as text if it has one, a struct\n"
	  "as its members.  A form behind it shows it otherwise: :x hex,\n"
	  ":d decimal, :o octal, :b binary, :c character, :e error by name, :t time of so\n"
	  "many ns, :ip address (IPv6: of 16 bytes), :dev major:minor, :mode as ls,\n"
	  ":ret -errno, :p pointer, :flags(gfp_t) names of flags, also of vm_flags_t,\n"
	  "pageflags, fmode_t, of an enum, or given: :flags(READ,WRITE); of memory\n"
	  ":s text, :mac, :uuid, :ip6, :bytes; in recordings :packet the headers of a\n"
	  "struct sk_buff, :pids the numbers of a task_struct in its pid namespaces.\n"
	  "a[2..5] are elements 2 to 5.  A value that cannot be read is shown as ?.",
	  "trace vfs_write VAR file->f_path.dentry->d_name.name VAR count PID", encode_var, 0, AT_ENTRY },
	{ "ARGS", ARG_NONE, NULL, "record all parameters of the function",
	  "By name, shown by type; needs debug information or BTF.  At a source line or\n"
	  "inline:FUNCTION: the parameters of the copy inlined there, if it has any.\n"
	  "Inside the function a parameter that no longer exists is shown as ?.  At a\n"
	  "static tracepoint with a set in 'events': the fields that 'events -v' shows;\n"
	  "at others its parameters.  At syscall:NAME: the arguments of the call.",
	  "trace vfs_write ARGS", encode_args, 0, AT_ENTRY },
	{ "RETVAL", ARG_NONE, NULL, "record what the function returns",
	  "Where it returns: at FUNCTION%return, where it may also be used in IF.\n"
	  "In the kernel an error is shown by name, also as a pointer: retval=-ENOENT.",
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
	  "The nearest caller comes first.  DEPTH is decimal, at most 64.  In a program:\n"
	  "where it was hit, then its callers, by the tables of .eh_frame, which programs\n"
	  "have for exceptions.  ? stands where callers may be missing: at the end, or\n"
	  "before those that only frame pointers tell.",
	  "trace vfs_write BACKTRACE 8", encode_backtrace, KT_OP_EMITSTACK, AT_RETURN },
	{ "USTACK", ARG_DEPTH, "[DEPTH]", "record the callers in the user's program",
	  "First where it called the kernel, then the callers there: up to 16 or DEPTH\n"
	  "code addresses, as far as frame pointers lead.  Code that was compiled without\n"
	  "them is left out, or ends the list.  Of a 32-bit program only the first one.\n"
	  "At a tracepoint in a program it is BACKTRACE, which needs no frame pointers.",
	  "trace event:sys_enter USTACK 8", encode_backtrace, KT_OP_EMITUSTACK, AT_RETURN },
	{ "CALLER", ARG_CALLER, "depth N|in RANGE", "record one code address of the program",
	  "'depth 0' is where it called the kernel, 'depth 1' the function that called\n"
	  "this one, and so on; 'in 0x401000-0x402000' is the first one in that range,\n"
	  "'in FILE' the first one in that program or library: so the application's line\n"
	  "is seen, not that of its libraries.  FILE stands behind ONLYTGID or ONLYPID,\n"
	  "if it is no program at a fixed address.  As USTACK, it needs frame pointers.\n"
	  "In a program, 'depth 0' is the hit, and it needs none.  ? if there is none, or\n"
	  "callers before it may be missing.",
	  "trace event:sys_enter CALLER depth 1 PID", encode_caller, 0, AT_RETURN },
#include "ctl/ask/lang/aggregate_list.h"
	{ "CONST", ARG_CONST, "VALUE", "record a constant, to tell records apart",
	  "VALUE is decimal and may be negative, or hexadecimal with 0x.",
	  "trace vfs_write CONST 7", encode_const, 0, AT_ENTRY },
	{ "IF", ARG_EXPRESSION, "EXPRESSION", "record only where a C expression is true",
	  "As in VAR, with == != < <= > >= && || ! & | ^ ~ << >> + - * / %.  It needs no\n"
	  "quotes.  Texts: IF current->comm == \"dd\", and with a pattern =~ \"dd*\"; their\n"
	  "opposites are != and !~.  If memory cannot be read it is false, and so is its\n"
	  "opposite.  Hits that are left out are counted as filtered.",
	  "trace vfs_write IF $" EX_ARG3 " > 4096 && *(u32*)($" EX_ARG1 "+0x44) & 2 PID", encode_if, 0, FILTERS_ENTRY },
	{ "ONLYPID", ARG_PID, "PID", "record only in that thread or process",
	  "Several: ONLYPID 1,2,3, or ONLYPID more than once; any of them matches.\n"
	  "Where several kinds of ONLY..., NOT... and IF are given, all must be met.",
	  "trace vfs_write ONLYPID 4127 PID", encode_only, ONLY_PID, FILTERS_BOTH },
	{ "ONLYTGID", ARG_PID, "TGID", "record only in the threads of that process",
	  "Several: ONLYTGID 1,2,3; any of them.",
	  "trace vfs_write ONLYTGID 4127 PID", encode_only, ONLY_TGID, FILTERS_BOTH },
	{ "ONLYPGRP", ARG_PID, "PGRP", "record only in that process group",
	  "A shell gives each job a group of its own.  Several: ONLYPGRP 1,2,3.",
	  "trace vfs_write ONLYPGRP 4127 PID", encode_only, ONLY_PGRP, FILTERS_BOTH },
	{ "ONLYUID", ARG_COUNT, "UID", "record only in tasks of that real user id",
	  "Decimal, as the initial user namespace has it.  Several: ONLYUID 0,1000.",
	  "trace vfs_write ONLYUID 1000 COMM", encode_only, ONLY_UID, FILTERS_BOTH },
	{ "ONLYGID", ARG_COUNT, "GID", "record only in tasks of that real group id",
	  "Decimal, as the initial user namespace has it.  Several: ONLYGID 0,1000.",
	  "trace vfs_write ONLYGID 1000 COMM", encode_only, ONLY_GID, FILTERS_BOTH },
	{ "ONLYCPU", ARG_COUNT, "CPU", "record only on that CPU",
	  "Several: ONLYCPU 0,2.",
	  "trace schedule ONLYCPU 0 PID", encode_only, ONLY_CPU, FILTERS_ENTRY },
	{ "ONLYCOMM", ARG_WORD, "NAME", "record only in tasks of that name",
	  "The whole name, which has at most 15 characters.  Several: ONLYCOMM dd,cp.\n"
	  "A pattern, or a name with a comma: IF current->comm =~ \"dd*\".",
	  "trace vfs_write ONLYCOMM bash PID", encode_only, ONLY_COMM, FILTERS_ENTRY },
	{ "NOTPID", ARG_PID, "PID", "leave out that thread or process",
	  "Several: NOTPID 1,2,3.  Hits that are left out are counted as filtered.",
	  "trace vfs_write NOTPID 4127 PID", encode_only, ONLY_PID | ONLY_NOT, FILTERS_BOTH },
	{ "NOTTGID", ARG_PID, "TGID", "leave out the threads of that process",
	  "Several: NOTTGID 1,2,3.",
	  "trace vfs_write NOTTGID 4127 PID", encode_only, ONLY_TGID | ONLY_NOT, FILTERS_BOTH },
	{ "NOTPGRP", ARG_PID, "PGRP", "leave out that process group",
	  "Several: NOTPGRP 1,2,3.",
	  "trace vfs_write NOTPGRP 4127 PID", encode_only, ONLY_PGRP | ONLY_NOT, FILTERS_BOTH },
	{ "NOTUID", ARG_COUNT, "UID", "leave out tasks of that real user id",
	  "Several: NOTUID 0,1000.",
	  "trace vfs_write NOTUID 0 COMM", encode_only, ONLY_UID | ONLY_NOT, FILTERS_BOTH },
	{ "NOTGID", ARG_COUNT, "GID", "leave out tasks of that real group id",
	  "Several: NOTGID 0,1000.",
	  "trace vfs_write NOTGID 0 COMM", encode_only, ONLY_GID | ONLY_NOT, FILTERS_BOTH },
	{ "NOTCPU", ARG_COUNT, "CPU", "leave out that CPU",
	  "Several: NOTCPU 0,2.",
	  "trace schedule NOTCPU 0 PID", encode_only, ONLY_CPU | ONLY_NOT, FILTERS_ENTRY },
	{ "NOTCOMM", ARG_WORD, "NAME", "leave out tasks of that name",
	  "The whole name.  Several: NOTCOMM dd,cp.",
	  "trace vfs_write NOTCOMM bash,sshd COMM", encode_only, ONLY_COMM | ONLY_NOT, FILTERS_ENTRY },
	{ "SELF", ARG_NONE, NULL, "record hits in ktrace itself, too",
	  "By default hits in processes that have opened /dev/ktrace are left out, and\n"
	  "those in the process at the other end of ktrace's terminal: a terminal\n"
	  "emulator, sshd or the like; 'status' names them.  Interrupts that come\n"
	  "meanwhile are recorded, and so are commands that ktrace starts.  'record',\n"
	  "'pairs' and 'latency A B --across' leave out nothing.",
	  "trace vfs_write SELF COMM", encode_self, 0, FILTERS_BOTH },
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
	{ "METHOD", ARG_METHOD, "METHOD", "how hits are caught: breakpoint, jump or plain",
	  "Default: a jump, which is cheaper, where it is safe, else a breakpoint.\n"
	  "'METHOD jump' is an error where a jump is not safe.  'METHOD plain' is a jump\n"
	  "whose hits have no machine code of their own ('explain --code').",
	  "trace vfs_write PID METHOD breakpoint", encode_method, 0, FILTERS_BOTH },
	{ .name = NULL },
};

row_t *option_find(const char *name)
{
	for (row_t *row = option_rows; row->name; row++)
		if (*row->name == *name && !strcmp(row->name, name))
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
