// SPDX-License-Identifier: GPL-2.0-or-later
/* test_plan.c - trace, delete and list against a module that keeps its sites in an array. */
#include "ctl/live/session/session_target.h"
#include "unit.h"

#include <stdlib.h>

#include "ctl/base/device/refusal.h"
#include "ctl/base/device/site.h"
#include "ctl/base/memory.h"
#include "fake_setup.h"

static void ok(const char *line)
{
	if (fake_run(fake, line) != STATUS_OK)
		fail_msg("%s: %s", line, fake_error());
}

static void refused(const char *line, enum exit_status status, const char *said)
{
	assert_int_equal(fake_run(fake, line), status);
	assert_contains(fake_error(), said);
	assert_one_line(fake_error());
}

static void test_live_bytes(void **state)
{
	static const uint8_t push_rbp = 0x55, mov[] = { 0x48, 0x89, 0xe5 };

	ok("trace vfs_write PID vfs_write+a");
	assert_int_equal(fake->nr_sites, 2);
	assert_int_equal(fake->sites[0].entry.addr, VFS_WRITE + VFS_WRITE_SKIP);
	assert_int_equal(fake->sites[0].entry.insn_len, 1);
	assert_memory_equal(fake->sites[0].entry.insn, &push_rbp, 1);
	assert_int_equal(fake->sites[1].entry.insn_len, 3);
	assert_memory_equal(fake->sites[1].entry.insn, mov, 3);
}

static void test_echo(void **state)
{
	ok("trace vfs_write PID vfs_write+a");
	assert_contains(fake->out, "vfs_write      breakpoint  push");
	assert_contains(fake->out, " %rbp\nvfs_write+0xa  breakpoint  mov");
	assert_string_equal(fake->messages, "");
	fake->session.quiet = true;
	ok("trace plain_fn");
	assert_string_equal(fake->out, "");
}

/* A branch is shown with its target. */
static void test_targets(void **state)
{
	static const uint8_t call[] = { 0xe8, 0xff, 0x0f, 0x00, 0x00 }, load[] = { 0x8b, 0x47, 0x10 };
	struct arch_insn insn;
	char said[INSN_SAID];

	assert_true(arch_native.decode(call, sizeof(call), VFS_WRITE, &insn));
	assert_string_equal(site_insn(fake->session.tab, &insn, said), "callq plain_fn+0x4");
	assert_string_equal(site_insn(NULL, &insn, said), "callq 0xffffffff81002004");
	assert_true(arch_native.decode(load, sizeof(load), VFS_WRITE, &insn));
	assert_string_equal(site_insn(fake->session.tab, &insn, said), "movl 0x10(%rdi), %eax");
}

static void test_update(void **state)
{
	ok("trace vfs_write+a PID");
	ok("trace vfs_write+a REG rdi");
	assert_string_equal(fake->messages,
			    "ktrace: Tracepoint at vfs_write+0xa already exists, updating\n");
	ok("list");
	assert_string_equal(fake->out, "vfs_write+0xa  REG rdi\n");
	assert_int_equal(fake->nr_sites, 1);
}

static void test_list_pasted_back(void **state)
{
	AUTO_FREE char *listed = NULL, *again = NULL;

	ok("trace vfs_write  PID   REG rdi dup_fn#2 cloned+3 STACK -8 ext4:dup_fn LOC jiffies+8");
	ok("list");
	assert_string_equal(fake->out, "vfs_write    PID REG rdi\n"
				       "dup_fn#2\n"
				       "cloned+0x3   STACK -8\n"
				       "ext4:dup_fn  LOC jiffies+8\n");
	listed = mem_strdup(fake->out);
	ok("delete *");
	assert_int_equal(fake->nr_sites, 0);
	again = mem_printf("trace %s", listed);
	for (char *p = again; *p; p++)
		if (*p == '\n')
			*p = ' ';
	ok(again);
	ok("list");
	assert_string_equal(fake->out, listed);
}

static void test_list_verbose(void **state)
{
	ok("list; list -v");
	assert_string_equal(fake->out, "");
	ok("trace vfs_write PID; list -v");
	assert_string_equal(fake->out,
			    "vfs_write  breakpoint  pushq %rbp\n"
			    "NAME       METHOD      HITS  MISSED  INSTRUCTION  OPTIONS\n"
			    "vfs_write  breakpoint  1234       5  pushq %rbp   PID\n");
	fake->session.format = PRINT_JSON;
	ok("list");
	assert_contains(fake->out,
			"{\"type\":\"tracepoint\",\"v\":3,\"name\":\"vfs_write\",\"addr\":\"0xffffffff81001009\","
			"\"typed\":\"vfs_write\",\"options\":\"PID\",\"method\":\"breakpoint\",\"planned\":\"breakpoint\",\"no_jump\":\"\",\"code_bytes\":0,\"no_code\":\"\","
			"\"hits\":1234,\"missed\":5,\"braked\":0,\"limit_reached\":false,\"off_by_brake\":false,"
			"\"off_in_windows\":false,\"off_by_window\":false,"
			"\"instruction\":\"push");
	refused("list -x", STATUS_USAGE, "list knows no '-x'");
	fake->session.format = PRINT_TEXT;
	fake->sites[0].entry.off = 1;
	ok("list -v");
	assert_contains(fake->out, "vfs_write  off: brake  1234       5  pushq %rbp   PID\n");
	fake->sites[0].entry.off = 0;
	fake->sites[0].entry.no_jump = KT_NO_JUMP_TARGET;
	ok("list -v");
	assert_contains(fake->out, "vfs_write  breakpoint (a branch may lead inside)  1234       5  pushq %rbp   PID\n");
	fake->sites[0].entry.windowed = 1;
	ok("list -v");
	assert_contains(fake->out, "breakpoint (a branch may lead inside; off while a CPU starts or the machine sleeps)  1234");
	fake->sites[0].entry.no_jump = KT_NO_JUMP_NONE;
	ok("list -v");
	assert_contains(fake->out, "vfs_write  breakpoint (off while a CPU starts or the machine sleeps)  1234");
	fake->sites[0].entry.windowed = 2;
	ok("list -v");
	assert_contains(fake->out, "vfs_write  off: window  1234       5  pushq %rbp   PID\n");
	for (unsigned int i = 1; i < KT_NR_NO_JUMPS; i++)
		assert_string_not_equal(site_no_jump(i), "another reason");
}

static void test_delete(void **state)
{
	ok("trace vfs_write vfs_write+a plain_fn cloned");
	assert_int_equal(fake->nr_sites, 5);
	refused("delete vfs_write plain_fn+1", STATUS_FAILURE, "no tracepoint at plain_fn+0x1");
	assert_int_equal(fake->nr_sites, 5);
	ok("delete vfs_write+0xa ffffffff81001000");
	assert_int_equal(fake->nr_sites, 3);
	ok("delete cloned");
	assert_int_equal(fake->nr_sites, 2);	/* the clone stays: the list names it separately */
	ok("delete *");
	assert_int_equal(fake->nr_sites, 0);
	ok("delete *");
	refused("delete vfs_write", STATUS_FAILURE, "no tracepoint at vfs_write");
}

static void test_all_or_none(void **state)
{
	refused("trace vfs_write PID vfs_wirte", STATUS_FAILURE, "did you mean vfs_write");
	refused("trace vfs_write%retrun PID", STATUS_USAGE, "'vfs_write%retrun': did you mean vfs_write%return?");
	refused("trace vfs_write PID plain_fn REG", STATUS_USAGE, "REG needs its NAME");
	fake->refuse_addr = FAKE_TEXT + 0x2000;
	fake->refusal = KT_REFUSE_JUMP_LABEL;
	fake->nearest = FAKE_TEXT + 0x2002;
	refused("trace vfs_write plain_fn", STATUS_FAILURE,
		"plain_fn: a jump label: the kernel patches this place itself: the nearest good address is plain_fn+0x2");
	fake->refusal = KT_REFUSE_METHOD;
	fake->no_jump = KT_NO_JUMP_KPROBE;
	refused("trace plain_fn METHOD jump", STATUS_FAILURE,
		"plain_fn: the requested method is not possible there (a kprobe is there): leave the choice to ktrace");
	assert_int_equal(fake->nr_sites, 0);
}

static void test_places_refused(void **state)
{
	refused("trace vfs_write+b", STATUS_FAILURE,
		"vfs_write+0xb: in the middle of an instruction: the nearest are vfs_write+0xa and vfs_write+0xd");
	refused("trace vfs_write+1", STATUS_FAILURE, "the nearest is vfs_write");
	refused("trace jiffies", STATUS_FAILURE, "jiffies: data, not code: record it at an instruction with LOC jiffies");
	refused("trace jiffies+4", STATUS_FAILURE, "LOC jiffies+0x4");
	refused("trace 1234", STATUS_FAILURE, "0x1234: an address of user space");
	refused("trace dup_fn", STATUS_FAILURE, "choose one of");
	refused("trace fffffffffffffffff", STATUS_USAGE, "number too large");
	assert_int_equal(fake->nr_sites, 0);
}

static void test_clones(void **state)
{
	ok("trace cloned PID");
	assert_contains(fake->out, "cloned.constprop.0  breakpoint");
	assert_contains(fake->messages, "ktrace: these pieces of the function are not traced: cloned.cold, cloned.part.0");
	assert_int_equal(fake->nr_sites, 2);
}

static void test_dry_run(void **state)
{
	fake->session.dry_run = true;
	ok("trace vfs_write");
	assert_int_equal(fake->flags, KT_TRACE_DRYRUN);
	assert_contains(fake->out, "not set: dry run");
}

/* Of the functions of a pattern that are left out, -q reports only those for which slots or memory ran out. */
static void test_left_out(void **state)
{
	fake->refuse_addr = VFS_WRITE + VFS_WRITE_SKIP;
	fake->refusal = KT_REFUSE_FTRACE;
	ok("trace vfs_*");
	assert_contains(fake->messages, "ktrace: 1 not traced (for example vfs_write): ftrace patches");
	fake->session.quiet = true;
	ok("trace vfs_*");
	assert_string_equal(fake->messages, "");
	fake->refusal = KT_REFUSE_NOSLOT;
	ok("trace vfs_*");
	assert_string_equal(fake->messages,
			    "ktrace: 1 not traced (for example vfs_write): no room for more tracepoints\n");
}

static void test_frame_is_explained_once(void **state)
{
	ok("trace vfs_write FRAME 8");	/* by the convention of calls */
	assert_null(strstr(fake->messages, "FRAME"));
	ok("trace vfs_write+d FRAME 8");
	assert_contains(fake->messages, "FRAME uses the frame pointer (rbp)");
	ok("trace vfs_write+f FRAME 8");
	assert_null(strstr(fake->messages, "FRAME"));
}

/* The frame pointer is not the function's before it has set it up. */
static void test_frame_is_refused(void **state)
{
	static const char *const lines[] = { "trace vfs_write+a FRAME 8", "trace plain_fn+4 FRAME 8" };

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		refused(lines[i], STATUS_FAILURE, "the function has not set up its frame pointer there: use STACK, or REG rbp");
}

static void test_sentences(void **state)
{
	struct error err;

	for (unsigned int i = 1; i < KT_NR_REFUSALS; i++) {
		refusal_set(&err, i, "f", NULL);
		assert_null(strstr(err.text, "(null)"));
		assert_null(strstr(err.text, "does not know"));
	}
	/* Another address is suggested only if the address itself is the problem. */
	refusal_set(&err, KT_REFUSE_BUG, "f", "vfs_write");
	assert_contains(err.text, ": the nearest good address is vfs_write");
	refusal_set(&err, KT_REFUSE_FULL, "f", "vfs_write");
	assert_null(strstr(err.text, "vfs_write"));
	refusal_set(&err, 250, "f", NULL);
	assert_contains(err.text, "update ktrace");
}

static void test_abi_mismatch(void **state)
{
	struct error err;
	char said[160];

	fake->abi = KT_ABI_VERSION + 1;
	assert_false(device_open(&fake->session.dev, &err));
	assert_int_equal(err.status, STATUS_NO_ACCESS);
	snprintf(said, sizeof(said), "the module has control ABI %d, this ktrace %d: reload the module (rmmod ktrace; modprobe ktrace) or update ktrace",
		 KT_ABI_VERSION + 1, KT_ABI_VERSION);
	assert_string_equal(err.text, said);
}

/* The entry opens, the returns close; only the returns are shown. */
static void test_entry(void **state)
{
	const struct fake_site *site = fake->sites;

	ok("trace vfs_write%return ENTRY $rdi ENTRY *(u32*)($rsi+8) ELAPSED REG rax");
	assert_int_equal(fake->nr_sites, 2);
	assert_int_equal(site[0].entry.addr, VFS_WRITE + VFS_WRITE_SKIP);
	assert_int_equal(site[0].role.what, KT_ROLE_BEGIN | KT_ROLE_SILENT | KT_ROLE_HIDDEN);
	assert_int_equal(site[0].role.saved, 4 + 8 + 4);
	assert_int_equal(site[1].entry.addr, VFS_WRITE + 0x14);
	assert_int_equal(site[1].role.what, KT_ROLE_END);
	assert_int_equal(site[1].role.measure, site[0].role.measure);
	assert_int_equal(fake->measure.flags, KT_MEASURE_SHARED);
	assert_int_equal(fake->measure.saved, 16);
	assert_true(fake->runs);
	assert_null(strstr(fake->out, "pushq"));
	ok("list");
	assert_string_equal(fake->out, "vfs_write%return  ENTRY $rdi ENTRY *(u32*)($rsi+8) ELAPSED REG rax\n");
}

/* All ends of a function are one line; pasted behind trace it sets them all. */
static void test_list_ends(void **state)
{
	AUTO_FREE char *pasted = NULL;

	fake->session.interactive = true;
	ok("trace plain_fn PID vfs_writev%return REG rax ELAPSED vfs_write%return PID");
	assert_int_equal(fake->nr_sites, 5);
	ok("list");
	assert_string_equal(fake->out, "plain_fn           PID\nvfs_writev%return  REG rax ELAPSED\nvfs_write%return   PID\n");
	pasted = mem_printf("delete *; trace %s", fake->out);
	ok(pasted);
	assert_int_equal(fake->nr_sites, 5);
	ok("list -v");
	assert_contains(fake->out, "\nvfs_writev+0x4 ");
	assert_contains(fake->out, "\nvfs_writev+0x8 ");
	fake->session.format = PRINT_JSON;
	ok("list");
	assert_contains(fake->out, "\"name\":\"vfs_writev+0x8\",\"addr\":\"0xffffffff81001108\",\"typed\":\"vfs_writev%return\",");
	ok("delete vfs_writev%return");
}

/* A jump to the code that returns go through is a return; a jump next to it, or to another function, is not. */
static void test_return_thunk(void **state)
{
	static const struct {
		uint64_t to;
		bool is_return;
	} rows[] = { { FAKE_TEXT + 0x2f00, true }, { FAKE_TEXT + 0x2f01, false }, { VFS_WRITE, false } };
	uint8_t jump[5] = { 0xe9 };
	struct target target;
	struct arch_insn insn;

	ok("trace vfs_write");
	target = session_target(&fake->session);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const int32_t offset = rows[i].to - (VFS_WRITE + 0x20 + sizeof(jump));

		memcpy(jump + 1, &offset, sizeof(offset));
		assert_true(probe_point_decode(&target, jump, sizeof(jump), VFS_WRITE + 0x20, &insn));
		assert_true(insn.is_jump);
		assert_int_equal(insn.is_return, rows[i].is_return);
	}
	assert_true(probe_point_decode(&target, (const uint8_t *)"\xc3", 1, VFS_WRITE, &insn));
	assert_true(insn.is_return);
}

/* The program reads each value at its place, in the typed order; a time is in ticks, 2 ticks are a ns. */
static void test_entry_program(void **state)
{
	struct error err;
	const struct kt_insn *at;
	struct desc *desc;

	ok("trace vfs_write%return ENTRY $rdi ENTRY *(u32*)($rsi+8) IF ELAPSED > 1.5us");
	desc = desc_decode(fake->sites[1].blob, fake->sites[1].len, &err);
	assert_non_null(desc);
	at = desc->prog;
	assert_int_equal(at[0].op, KT_OP_ELAPSED);
	assert_int_equal(at[1].op, KT_OP_CMPI);
	assert_int_equal(at[1].imm, 3000);
	assert_int_equal(at[2].op, KT_OP_DROP);
	assert_int_equal(at[3].op, KT_OP_FAULTS);
	assert_true(at[4].op == KT_OP_EMITSAVED && at[4].imm == 4 && at[4].aux == 2 && !at[4].src);
	assert_true(at[5].op == KT_OP_EMITSAVED && at[5].imm == 12 && at[5].aux == 1 && at[5].src == 2);
	assert_int_equal(desc->nr_fields, 2);
	desc_free(desc);
}

static void test_entry_refused(void **state)
{
	static const char here[] = "known only where a function returns", unit[] = "ELAPSED is compared with a time that has a unit";

	refused("trace vfs_write ELAPSED", STATUS_USAGE, here);
	refused("trace vfs_write+a ENTRY $rdi", STATUS_USAGE, here);
	refused("trace vfs_write+a IF ELAPSED > 5us", STATUS_USAGE, "trace it at %return");
	refused("trace vfs_write%return IF ELAPSED > 5", STATUS_USAGE, unit);
	refused("trace vfs_write%return IF ELAPSED / 2 > 5us", STATUS_USAGE, unit);
	refused("trace vfs_write%return IF $rax > 5us", STATUS_USAGE, unit);
	refused("trace vfs_write%return VAR ELAPSED", STATUS_USAGE, "an option of its own");
	fake->refuse_addr = VFS_WRITE + VFS_WRITE_SKIP;
	fake->refusal = KT_REFUSE_CROWDED;
	refused("trace vfs_write%return ELAPSED", STATUS_FAILURE, "vfs_write: the address has the maximum number of tracepoints");
	assert_int_equal(fake->nr_sites, 0);
}

/* If one command sets many, the module has not chosen all methods when it answers. */
static void test_methods_of_many(void **state)
{
	AUTO_FREE char *line = mem_strdup("trace");

	for (int i = 0; i <= KT_ANALYSE_DRY; i++) {
		char *more = mem_printf("%s plain_fn+%x", line, i);

		free(line);
		line = more;
	}
	fake->session.dry_run = true;
	ok(line);
	assert_contains(fake->out, "plain_fn+0x40  jump or breakpoint  nop");
	assert_null(strstr(fake->out, "  breakpoint"));
	fake->session.format = PRINT_JSON;
	ok(line);
	assert_contains(fake->out, "\"method\":\"auto\"");
	*strrchr(line, ' ') = '\0';
	fake->session.format = PRINT_TEXT;
	ok(line);
	assert_contains(fake->out, "plain_fn+0x3f  breakpoint  nop");
}

static void test_lower_case(void **state)
{
	refused("trace vfs_write pid", STATUS_FAILURE, "'pid' is not an address: options are written in upper case: PID");
	refused("trace pid", STATUS_FAILURE, "unknown symbol 'pid'");
}

/* The module gets the code in which returns were found, not the code around an address. */
static void test_scans(void **state)
{
	ok("trace vfs_write%return");
	assert_int_equal(fake->nr_scans, 1);
	assert_int_equal(fake->scan.addr, VFS_WRITE);
	assert_int_equal(fake->scan.sum, VFS_WRITE);
	assert_true(fake->scan.len >= 0x15);
	ok("trace vfs_write+a");
	assert_int_equal(fake->nr_scans, 0);
}

/* If the code has changed, everything is planned again, three times. */
static void test_changed(void **state)
{
	fake->nr_changes = 3;
	ok("trace vfs_write%return");
	assert_int_equal(fake->nr_trace, 4);
	assert_int_equal(fake->nr_sites, 1);
	assert_string_equal(fake->messages, "");
	fake->nr_changes = 4;
	fake->nr_trace = 0;
	refused("trace vfs_write%return PID", STATUS_FAILURE,
		"vfs_write+0x14: the kernel changed the code there during each attempt: try again");
	assert_int_equal(fake->nr_trace, 4);
	assert_int_equal(fake->nr_changes, 0);
}

static void test_undecodable(void **state)
{
	fake->bad_addr = VFS_WRITE + 0x18;
	refused("trace vfs_write%return", STATUS_FAILURE, "vfs_write+0x18: the instruction there cannot be decoded");
	refused("explain vfs_write", STATUS_FAILURE, "vfs_write: the bytes at +0x18 (0x");
	ok("explain vfs_write+a");
	fake->bad_addr = VFS_WRITE + 0xa;
	refused("explain vfs_write+0xd", STATUS_FAILURE, "vfs_write+0xd: the bytes at +0xa (0x");
	assert_int_equal(fake->nr_sites, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_live_bytes),	     TEST(test_echo),
		TEST(test_return_thunk),
		TEST(test_targets),	     TEST(test_update),
		TEST(test_list_pasted_back), TEST(test_list_verbose),
		TEST(test_delete),
		TEST(test_all_or_none),	     TEST(test_places_refused),
		TEST(test_clones),	     TEST(test_dry_run),
		TEST(test_frame_is_explained_once), TEST(test_frame_is_refused), TEST(test_scans), TEST(test_changed),
		TEST(test_undecodable), TEST(test_left_out),
		TEST(test_entry), TEST(test_list_ends),	     TEST(test_entry_program),
		TEST(test_entry_refused), TEST(test_lower_case), TEST(test_methods_of_many),
		TEST(test_sentences),	     TEST(test_abi_mismatch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
