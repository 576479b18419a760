// SPDX-License-Identifier: GPL-2.0-or-later
/* refusal.c - the reason for a refusal, as a sentence.  See refusal.h. */
#include "ctl/base/device/refusal.h"

#include <stddef.h>

#include "ctl/base/memory.h"
#include "examples.h"

#define TRY_NEARBY	"choose an instruction near it"
#define AROUND		"trace the function that calls it"

static const struct {
	const char *reason;
	const char *remedy;		/* where no other address can be suggested */
	bool try_nearby;		/* another address is a remedy */
} rows[KT_NR_REFUSALS] = {
	[KT_REFUSE_NONE] = { "not refused", "try again" },
	[KT_REFUSE_USER] = { "an address of user space", "give an address of the kernel" },
	[KT_REFUSE_NOT_TEXT] = { "not kernel code", "give the address of an instruction" },
	[KT_REFUSE_SELF] = { "in the ktrace module itself", "it cannot trace itself" },
	[KT_REFUSE_INIT] = { "init code, gone since the kernel started", "it cannot run again" },
	[KT_REFUSE_MODULE] = { "its module is being loaded or unloaded", "try again when that is done" },
	[KT_REFUSE_NO_SYMBOL] = { "no symbol covers it, so instruction boundaries are unknown",
				  "give an address inside a function" },
	[KT_REFUSE_BOUNDARY] = { "in the middle of an instruction", "give the start of one", true },
	[KT_REFUSE_UNDECODABLE] = { "the bytes there or before it are not instructions", TRY_NEARBY, true },
	[KT_REFUSE_BLACKLIST] = { "the kernel forbids probes there (noinstr, entry or NOKPROBE code)", AROUND },
	[KT_REFUSE_IDLE] = { "in the idle loop, where RCU does not watch", AROUND },
	[KT_REFUSE_FTRACE] = { "ftrace patches this place itself", "give the function's name, or the instruction behind it", true },
	[KT_REFUSE_JUMP_LABEL] = { "a jump label: the kernel patches this place itself", TRY_NEARBY, true },
	[KT_REFUSE_STATIC_CALL] = { "a static call: the kernel patches this place itself", TRY_NEARBY, true },
	[KT_REFUSE_ALTERNATIVE] = { "an alternative: the kernel patches this place itself", TRY_NEARBY, true },
	[KT_REFUSE_BUG] = { "a BUG() or WARN() instruction", TRY_NEARBY, true },
	[KT_REFUSE_EXTABLE] = { "it may fault, and its exception-table entry is valid only at this address", TRY_NEARBY, true },
	[KT_REFUSE_BREAKPOINT] = { "another tool's breakpoint is there (kprobe, kgdb)", "remove that one first", true },
	[KT_REFUSE_TRAP] = { "an instruction that raises an exception by itself", TRY_NEARBY, true },
	[KT_REFUSE_SYSTEM] = { "an instruction that changes the CPU's mode", TRY_NEARBY, true },
	[KT_REFUSE_SHADOW] = { "an instruction that holds back interrupts for the next one", TRY_NEARBY, true },
	[KT_REFUSE_RANGE] = { "its operand is out of reach from the copy that would be executed", TRY_NEARBY, true },
	[KT_REFUSE_UNKNOWN_INSN] = { "an instruction that is not known to work at another address", TRY_NEARBY, true },
	[KT_REFUSE_CHANGED] = { "the kernel changed the code there during each attempt", "try again" },
	[KT_REFUSE_PADDING] = { "padding in front of a function", "give the function's name", true },
	[KT_REFUSE_METHOD] = { "the requested method is not possible there", "leave the choice to ktrace" },
	[KT_REFUSE_PROGRAM] = { "the module refuses the options as they were compiled", "update the module and ktrace to the same version" },
	[KT_REFUSE_DESC] = { "the module refuses the description of the tracepoint", "update the module and ktrace to the same version" },
	[KT_REFUSE_NOMEM] = { "the kernel is out of memory", "set fewer tracepoints" },
	[KT_REFUSE_NOSLOT] = { "no room for more tracepoints", "delete some first" },
	[KT_REFUSE_TWICE] = { "named twice in one command", "give each address once" },
	[KT_REFUSE_FULL] = { "the maximum number of tracepoints is set", "delete some first" },
	[KT_REFUSE_ENDBR] = { "the landing pad of indirect branches (" EX_ENDBR ")", "give the function's name, or the instruction behind it", true },
	[KT_REFUSE_NO_TRAPS] = { "it runs where no breakpoint can be handled (CPU start, resume, kexec, copied text)", AROUND },
	[KT_REFUSE_EXCLUSIVE] = { "between an exclusive load and its store: with a tracepoint there the store never succeeds", "trace the instruction in front of the load or behind the store", true },
	[KT_REFUSE_NO_EVENT] = { "not a static tracepoint", "press Tab behind event: to see their names" },
	[KT_REFUSE_TAKEN] = { "another ktrace calibrates just now", "try again" },
	[KT_REFUSE_ROLE] = { "the module refuses its role in the measurement", "update the module and ktrace to the same version" },
	[KT_REFUSE_CROWDED] = { "the address has the maximum number of tracepoints", "delete one of them, or wait until a measurement ends" },
	[KT_REFUSE_NO_FUNCTION] = { "no function begins there", "name one" },
	[KT_REFUSE_NO_KRETPROBE] = { "the function ends by a tail call, and the kernel refuses the kretprobe that would see its end", "trace it at its entry" },
	[KT_REFUSE_NO_FILE] = { "the module has forgotten the file", "try again" },
	[KT_REFUSE_NOT_CODE] = { "not in the code of the file", "name a function" },
	[KT_REFUSE_NO_UPROBE] = { "the kernel accepts no uprobe at this instruction", TRY_NEARBY },
	[KT_REFUSE_FILESYSTEM] = { "the kernel accepts no uprobes in files of this file system", "copy the program to another one" },
	[KT_REFUSE_NO_PROCESS] = { "no process has the id that ONLYPID or ONLYTGID gives", "give that of a running process" },
	[KT_REFUSE_INTERRUPTED] = { "ktrace was interrupted before it examined the address", "try again" },
	[KT_REFUSE_ENTRY_PATH] = { "part of the breakpoint entry path: every breakpoint runs it", AROUND },
};

static bool is_known(unsigned int refusal)
{
	return refusal < ARRAY_SIZE(rows) && rows[refusal].reason;
}

const char *refusal_reason(unsigned int refusal)
{
	return is_known(refusal) ? rows[refusal].reason
				 : "refused for a reason that this ktrace does not know";
}

bool refusal_is_shortage(unsigned int refusal)
{
	return refusal == KT_REFUSE_NOMEM || refusal == KT_REFUSE_NOSLOT || refusal == KT_REFUSE_FULL ||
	       refusal == KT_REFUSE_INTERRUPTED;
}

bool refusal_set(struct error *err, unsigned int refusal, const char *name, const char *nearest)
{
	const char *remedy = is_known(refusal) ? rows[refusal].remedy : "update ktrace";

	if (nearest && (!is_known(refusal) || rows[refusal].try_nearby))
		return error_set(err, STATUS_FAILURE, "%s: %s: the nearest good address is %s",
				 name, refusal_reason(refusal), nearest);
	return error_set(err, STATUS_FAILURE, "%s: %s: %s", name, refusal_reason(refusal), remedy);
}
