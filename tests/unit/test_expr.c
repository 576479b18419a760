// SPDX-License-Identifier: GPL-2.0-or-later
/* test_expr.c - expressions: their values, compared with the compiler's, and refusals. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "capture_machine.h"
#include "ctl/base/memory.h"
#include "ctl/lang/compile.h"
#include "ctl/expr/expr.h"
#include "ctl/lang/option.h"
#include "fake_kernel.h"

typedef __s8 s8;
typedef __s16 s16;

static struct fake_kernel *fake;
static struct machine m;

/*
 * Variables with the names of registers: the test writes an expression once, for the compiler and for ktrace.
 */
static u64 $rax = -5ULL, $rdx = 4096, $rcx = 7, $rsi = 0x123456789abcdef0, $r8 = 0x80000000, $r9 = 3;
static u32 $eax = -5U, $esi = 0x9abcdef0;
static u8 $al = -5, $sil = 0xf0;
static int $pid = 4127, $cpu = 2;
static unsigned int $uid = 4000000000;

static void set_machine(void)
{
	machine_reset(&m);
	m.regs.general[0] = $rax;
	m.regs.general[1] = $rdx;
	m.regs.general[2] = $rcx;
	m.regs.general[4] = $rsi;
	m.regs.general[8] = $r8;
	m.regs.general[9] = $r9;
	m.regs.general[5] = MACHINE_MEMORY;
	m.current[KT_CUR_PID] = $pid;
	m.current[KT_CUR_CPU] = $cpu;
	m.current[KT_CUR_UID] = $uid;
	m.current[KT_CUR_TASK] = MACHINE_MEMORY + 8;
	m.current[KT_CUR_PERCPU] = 0x100;
	machine_now = &m;
}

static int setup(void **state)
{
	fake = fake_create();
	set_machine();
	return 0;
}

static int teardown(void **state)
{
	fake_free(fake);
	return 0;
}

/* ------------------------------------------------------------------ values */

static struct expr *resolved(const char *text, struct error *err)
{
	const struct expr_names names = { .arch = &arch_native, .tab = fake->session.tab };
	size_t used;
	struct expr *e = expr_parse("VAR", text, &used, err);

	if (e && !text[used] && expr_resolve(e, "VAR", text, &names, err))
		return e;
	if (e && text[used])
		fail_msg("%s: ends at column %zu", text, used);
	expr_free(e);
	return NULL;
}

/* The recorded value; *bytes is the width of its type, 0 if it is unreadable. */
static u64 value_of(const char *text, u8 *bytes, bool *is_signed)
{
	struct desc *desc = mem_zalloc(1, sizeof(*desc));
	struct compiler c = { .arch = &arch_native, .desc = desc };
	struct error err = { .text = "" };
	AUTO_EXPR struct expr *e = resolved(text, &err);
	u64 value;
	u32 at;

	if (!e || !compile_value(&c, text, e, &err) || !compile_finish(&c, &err))
		fail_msg("%s", err.text);
	if (machine_run(&m, desc->prog, desc->prog_len) != MACHINE_RECORDED)
		fail_msg("%s: not recorded", text);
	at = desc->has_faults;
	*bytes = at && m.out[0] ? 0 : desc->fields[0].bytes;
	*is_signed = desc->fields[0].is_signed;
	value = m.out[at];
	if (m.payload - 4 * at == 8)
		value |= (u64)m.out[at + 1] << 32;
	else if (*is_signed)
		value = (u64)(s64)(s32)value;
	desc_free(desc);
	return value;
}

static void check(const char *text, u64 expected, size_t bytes, bool is_signed)
{
	bool got_signed;
	u8 got_bytes;
	u64 got = value_of(text, &got_bytes, &got_signed);

	if (got != expected || got_bytes != bytes || got_signed != is_signed)
		fail_msg("%s: 0x%llx of %u bytes, %ssigned; not 0x%llx of %zu, %ssigned", text, got, got_bytes,
			 got_signed ? "" : "un", expected, bytes, is_signed ? "" : "un");
}

#define IS_SIGNED(e)	((__typeof__(e))-1 < (__typeof__(e))1)
#define SAME(e)		check(#e, (u64)(e), sizeof(e), IS_SIGNED(e))

#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wbool-compare"
#pragma GCC diagnostic ignored "-Wint-in-bool-context"
#pragma GCC diagnostic ignored "-Wlogical-op"

static void test_sizes(void **state)
{
	SAME(sizeof(u32)); SAME(sizeof(u16 *)); SAME(sizeof($al)); SAME(sizeof($al + 1)); SAME(sizeof(unsigned long) + 1);
	SAME(sizeof(s64) == 8 ? $rcx : 0); SAME(sizeof($rcx * 2)); SAME(sizeof(u8) * sizeof(short));
}

static void refused(const char *text, const char *said);

static void test_names(void **state)
{
	SAME(ENOENT); SAME(-EAGAIN); SAME($rcx == EDOM); SAME((s32)$eax == -EIO); SAME(SIGKILL); SAME(SIGCHLD + 1);
	SAME(O_CREAT | O_DIRECTORY); SAME(O_DIRECT); SAME(AT_FDCWD); SAME(MAP_PRIVATE); SAME(SEEK_END); SAME(CLONE_VM);
	check("-ERESTARTSYS", -512, 4, true);
	check("O_LARGEFILE", 0100000, 4, true);
	refused("ENOENTS", "ENOENTS");
	refused("SIGNONE", "SIGNONE");
	refused("E", "E");
}

/* Both values get one type; the other one is not evaluated. */
static void test_choice(void **state)
{
	SAME($rcx ? 1 : 2); SAME($rcx == 8 ? 1 : 2); SAME($rcx ? $al : $rsi); SAME($rcx > 9 ? $rsi : -1);
	SAME($rcx == 1 ? 10 : $rcx == 7 ? 20 : 30); SAME($rcx == 7 ? $r9 == 3 ? 5 : 6 : 7);
	SAME(1 ? $eax : $rsi); SAME(0 ? 5 : 6L); SAME(($rcx ? 2 : 3) + ($r9 ? 10 : 20)); SAME(1 + ($r9 > 3 ? 8 : 16) * 2);
	SAME((s32)$eax < 0 ? -1 : 1); SAME($rcx && $r9 ? $rcx : $r9); SAME($rcx ? (s8)$al : $al);
	/* One that cannot be read is no value, but only if it is chosen; nor is one behind such a condition. */
	check("$rcx ? 5 : *(u32*)8", 5, 4, false);
	check("!$rcx ? 5 : *(u32*)8", 0, 0, false);
	check("*(u32*)8 ? 5 : 6", 0, 0, true);
	check("*(u32*)8 == 1 ? 5 : 6", 0, 0, true);
}

/* Types, widths and signs as in C. */
static void test_as_in_c(void **state)
{
	SAME($rax); SAME($eax); SAME($al); SAME($rsi); SAME($esi); SAME($sil); SAME($pid); SAME($uid);
	SAME(5); SAME(0x7fffffff); SAME(0x80000000); SAME(2147483648); SAME(0xffffffffffffffff);
	SAME(0x8000000000000000); SAME(10UL); SAME(0xffffffff); SAME(0777); SAME(037777777777); SAME(00UL); SAME('x'); SAME('\n'); SAME('\0'); SAME('\'');
	SAME(-1); SAME(~0); SAME(-$rcx); SAME(-$eax); SAME(~$al); SAME(-$al); SAME(!$rax); SAME(!!$rax); SAME(!0);
	SAME($rax + 1); SAME($eax + 10); SAME($al + 10); SAME($al + $al); SAME($eax * $eax); SAME($rsi * $rcx);
	SAME($eax - $rcx); SAME($pid - 5000); SAME($pid - $uid); SAME((s32)$eax + 1); SAME((s8)$al + 1);
	SAME((s32)$rax); SAME((s16)$rsi); SAME((u16)$rsi); SAME((s8)$rsi); SAME((s64)$rax); SAME((u32)(s8)$al);
	SAME((u64)(s32)$eax); SAME((s64)(u32)$eax); SAME((int)$rsi); SAME((unsigned char)$rsi); SAME((unsigned)$rax);
	SAME((unsigned long)(s32)$r8); SAME((long)(int)$r8); SAME((u16)(s8)$al); SAME((u8)$rdx);
	SAME($rdx / $rcx); SAME($rdx % $rcx); SAME((s64)$rax / 2); SAME((s64)$rax % 3); SAME((s32)$eax / (s32)$r9);
	SAME($eax / 3); SAME((s32)$rax % (int)$rcx); SAME(-17 / 5); SAME(-17 % 5); SAME($rax / $rcx);
	SAME($rcx << 3); SAME($eax << 4); SAME($eax >> 4); SAME((s32)$eax >> 1); SAME($rsi >> 60); SAME((s64)$rax >> 1);
	SAME(1 << 20); SAME(1UL << 40); SAME($al << 8); SAME($rsi >> $rcx);
	SAME($rsi & 0xff); SAME($rsi | 1); SAME($rsi ^ -1); SAME($esi & 0xf0f0f0f0); SAME($rax & ~0xfff);
	SAME($rcx == 7); SAME($rcx != 7); SAME($rax > $rcx); SAME((s64)$rax > (s64)$rcx); SAME((s32)$eax < 0);
	SAME($eax >= 4294967291); SAME($al == 251); SAME((s8)$al == -5); SAME($pid <= 4127); SAME($uid > 5);
	SAME((s32)$eax < $rcx); SAME((s8)$al < (s16)$rcx); SAME($rax == -5); SAME($eax == -5); SAME((s32)$eax == -5);
	SAME($rcx == 7 && $rdx == 4096); SAME($rcx == 8 || $rdx == 4096); SAME($rcx && $rdx); SAME(!$rcx || !$rdx);
	SAME($rcx == 8 && $rdx); SAME($rcx == 7 || $rdx); SAME(($rcx & 1) && !($rdx & 1)); SAME(0 || $rcx);
	SAME(1 + 2 * 3 - 4 / 2 % 3); SAME((1 + 2) * 3); SAME(1 | 2 ^ 3 & 4 == 4); SAME(1 << 2 + 3); SAME(7 - 3 - 2);
	SAME(100 / 10 / 5); SAME($rcx - 3 - 2); SAME(- - 5); SAME(~-$rcx); SAME(-(s32)$rcx); SAME($rcx * -1 + 8);
	SAME($rcx < $rdx == 1); SAME($rcx + $rdx << 2 & 0xfff0 | 1); SAME($cpu == 2 && $pid > 4000 || $uid);
	SAME(($rax + $rdx) * ($rcx - ($rsi ^ ($r8 | ($r9 & ($rcx + 1))))));
	SAME(((($rcx)))); SAME((u64)$rcx);
}

static void plant(u32 at, u64 value, u32 bytes)
{
	memcpy(m.memory + at, &value, bytes);
}

/* rdi points at the start of the memory. */
static void test_memory(void **state)
{
	set_machine();
	plant(0, MACHINE_MEMORY + 0x10, 8);
	plant(8, 0x8899aabbccddeeff, 8);
	plant(0x10, MACHINE_MEMORY + 0x20, 8);
	plant(0x18, 0xfffffff0, 4);
	plant(0x20, MACHINE_MEMORY + 8, 8);
	plant(0x30, 0x0807060504030201, 8);
	check("*(u64*)$rdi", MACHINE_MEMORY + 0x10, 8, false);
	check("*(u64*)($rdi+8)", 0x8899aabbccddeeff, 8, false);
	check("*(u64 *)( $rdi + 8 )", 0x8899aabbccddeeff, 8, false);
	check("*(u32*)($rdi+8)", 0xccddeeff, 4, false);
	check("*(s32*)($rdi+8)", (u64)(s32)0xccddeeff, 4, true);
	check("*(u8*)($rdi+9)", 0xee, 1, false);
	check("*(s8*)($rdi+9)", (u64)-18, 1, true);
	check("*(unsigned short *)($rdi+14)", 0x8899, 2, false);
	check("*(s16*)($rdi+14)", (u64)(s16)0x8899, 2, true);
	check("*(int*)($rdi+0x18)", (u64)-16, 4, true);
	check("*(u64*)(*(u64*)$rdi)", MACHINE_MEMORY + 0x20, 8, false);
	check("**(u64**)$rdi", MACHINE_MEMORY + 0x20, 8, false);
	check("***(u64***)$rdi", MACHINE_MEMORY + 8, 8, false);
	check("****(u64****)$rdi", 0x8899aabbccddeeff, 8, false);
	check("****(u16****)$rdi", 0xeeff, 2, false);
	check("*(u64*)(*(u64*)(*(u64*)($rdi+0x10)+0)-0x18+0x18)", 0x8899aabbccddeeff, 8, false);
	check("*(u32*)(*(u64*)(*(u64*)($rdi)+0x10)+4)", 0x8899aabb, 4, false);
	/* arrays, and pointers as C computes with them */
	check("((u8*)$rdi)[0x31]", 2, 1, false);
	check("((u8*)$rdi)[0x30 + 3]", 4, 1, false);
	check("((u64*)$rdi)[1]", 0x8899aabbccddeeff, 8, false);
	check("((u16*)$rdi)[$rcx]", 0x8899, 2, false);
	check("*((u64*)$rdi + 1)", 0x8899aabbccddeeff, 8, false);
	check("*(1 + (u64*)$rdi)", 0x8899aabbccddeeff, 8, false);
	check("((u64**)$rdi)[0][0]", MACHINE_MEMORY + 0x20, 8, false);
	check("((u32*)($rdi + 12))[-1]", 0xccddeeff, 4, false);
	check("((u32*)$rdi)[(s32)$rcx - 5]", 0xccddeeff, 4, false);
	check("*(u64*)((void*)$rdi + 8)", 0x8899aabbccddeeff, 8, false);
	check("(u64)((u32*)$rdi + 3) - $rdi", 12, 8, false);
	check("&*(u64*)($rdi+8) == $rdi + 8", 1, 4, true);
	check("*(u64*)current", 0x8899aabbccddeeff, 8, false);
	check("current", MACHINE_MEMORY + 8, 8, false);
	check("&((u64*)$rdi)[2]", MACHINE_MEMORY + 0x10, 8, false);
	check("&((u64*)$rdi)[2] - (u64*)$rdi", 2, 8, true);
	check("(u32*)$rdi - &((u32*)$rdi)[5]", (u64)-5, 8, true);
	check("(void*)$rdi - (void*)($rdi - 5)", 5, 8, true);
	/* values computed from memory */
	check("*(u32*)($rdi+8) & 0xff", 0xff, 4, false);
	check("*(u32*)($rdi+8) + 0x33221101", 0, 4, false);
	check("*(s32*)($rdi+0x18) < 0 && *(u8*)($rdi+0x30) == 1", 1, 4, true);
	check("*(u8*)($rdi+0x30) + *(u8*)($rdi+0x31) * *(u8*)($rdi+0x32)", 7, 4, true);
	check("-*(u8*)($rdi+0x30)", (u64)-1, 4, true);
	check("!*(u8*)($rdi+0x30)", 0, 4, true);
	/* symbols: the name of a function is its address; a variable has an address */
	check("plain_fn", FAKE_TEXT + 0x2000, 8, false);
	check("(u64)plain_fn + 4", FAKE_TEXT + 0x2004, 8, false);
	check("plain_fn == 0xffffffff81002000", 1, 4, true);
}

static void unreadable(const char *text)
{
	bool is_signed;
	u8 bytes;

	value_of(text, &bytes, &is_signed);
	if (bytes)
		fail_msg("%s: can be read", text);
}

static void test_unreadable(void **state)
{
	set_machine();
	unreadable("*(u64*)0");
	unreadable("*(u64*)$rax");
	unreadable("**(u64**)$rdi");
	unreadable("*(u8*)$rcx");
	unreadable("*(u32*)$rcx == 5");
	unreadable("!*(u32*)$rcx");
	unreadable("-*(u32*)$rcx + 1");
	unreadable("(s8)*(u32*)$rcx");
	unreadable("5 / ($rcx - 7)");
	unreadable("5 % *(u32*)($rdi + 4)");
	unreadable("*(u32*)$rcx && $rdx");
	unreadable("$rdx && *(u32*)$rcx");
	unreadable("!$rdx || *(u32*)$rcx");
	/* The result is known without reading the memory. */
	check("!$rdx && *(u32*)$rcx", 0, 4, true);
	check("$rdx || *(u32*)$rcx", 1, 4, true);
}

/* ----------------------------------------------------------------- filters */

static bool wanted(const char *text)
{
	struct desc *desc = mem_zalloc(1, sizeof(*desc));
	struct compiler c = { .arch = &arch_native, .desc = desc };
	struct error err = { .text = "" };
	AUTO_EXPR struct expr *e = resolved(text, &err);
	enum machine_end end;
	struct machine other = m;

	if (!e || !compile_if(&c, e, &err) || !compile_finish(&c, &err))
		fail_msg("%s", err.text);
	end = machine_run(&m, desc->prog, desc->prog_len);
	if (end == MACHINE_REFUSED || end != machine_evaluate(&other, desc->prog, desc->prog_len))
		fail_msg("%s: refused, or not as the second interpreter has it", text);
	desc_free(desc);
	return end == MACHINE_RECORDED;
}

static void check_filter(const char *text, bool expected)
{
	if (wanted(text) != expected)
		fail_msg("IF %s: is not %s", text, expected ? "true" : "false");
}

#define TRUTH(e)	check_filter(#e, e)

static void test_filters(void **state)
{
	set_machine();
	TRUTH($rcx); TRUTH(!$rcx); TRUTH($rcx == 7); TRUTH($rcx != 7); TRUTH(7 == $rcx); TRUTH($rcx > 6);
	TRUTH($rcx >= 7); TRUTH($rcx < 7); TRUTH($rcx <= 7); TRUTH($rax > 5); TRUTH((s64)$rax > 5);
	TRUTH((s32)$eax < 0); TRUTH((s32)$eax >= 0); TRUTH($rdx & 4096); TRUTH($rdx & 1); TRUTH(!($rdx & 1));
	TRUTH($rcx == 7 && $rdx == 4096); TRUTH($rcx == 7 && $rdx == 1); TRUTH($rcx == 1 && $rdx == 4096);
	TRUTH($rcx == 7 || $rdx == 1); TRUTH($rcx == 1 || $rdx == 4096); TRUTH($rcx == 1 || $rdx == 1);
	TRUTH(!($rcx == 7 && $rdx == 4096)); TRUTH(!($rcx == 1 || $rdx == 1)); TRUTH(!($rcx == 7) || $rdx == 4096);
	TRUTH(($rcx == 1 || $rdx == 4096) && ($r9 == 3 || $r9 == 4)); TRUTH(($rcx == 1 || $rdx == 4096) && $r9 == 4);
	TRUTH($rcx == 1 && $rdx == 2 || $r9 == 3); TRUTH(!(!($rcx == 7) || !($rdx == 4096 && $r9 == 3)));
	TRUTH(!($rcx == 1 && ($rdx == 1 || $r9 == 3)) && $pid == 4127 && $cpu == 2 && $uid > 3000000000);
	TRUTH(($rcx == 1 || $rcx == 2 || $rcx == 3 || $rcx == 7) && !($rdx == 1 || $rdx == 2));
	TRUTH($rsi == 0x123456789abcdef0); TRUTH($rsi > 0x123456789abcdef0); TRUTH($rax == -5); TRUTH($rcx + $r9 == 10);
	TRUTH(($rcx && $rdx) == 1); TRUTH(($rcx == 7) + ($rdx == 4096) == 2); TRUTH(~$rax == 4);
}

/*
 * If memory cannot be read, neither a condition nor its opposite holds, unless the result does not depend on
 * it.
 */
static void test_unknown_filters(void **state)
{
	set_machine();
	plant(0, 5, 8);
	check_filter("*(u64*)$rdi == 5", true);
	check_filter("*(u64*)$rcx == 5", false);
	check_filter("*(u64*)$rcx != 5", false);
	check_filter("!(*(u64*)$rcx == 5)", false);
	check_filter("!*(u64*)$rcx", false);
	check_filter("*(u64*)$rcx", false);
	check_filter("*(u64*)$rcx == 5 || $rcx == 7", true);
	check_filter("$rcx == 7 || *(u64*)$rcx == 5", true);
	check_filter("*(u64*)$rcx == 5 && $rcx == 7", false);
	check_filter("!(*(u64*)$rcx == 5 && $rcx == 8)", true);
	check_filter("!(*(u64*)$rcx == 5 && $rcx == 7)", false);
	check_filter("!(*(u64*)$rcx == 5 || $rcx == 8)", false);
	check_filter("$rcx != 7 || 1 / ($rcx - 7) == 1", false);
	check_filter("!$rcx && *(u64*)$rcx || *(u8*)$rdi == 5", true);
}

/* -------------------------------------------------------------------- texts */

#define TEXT	"(char *)$rdi "

static void set_text(const char *text)
{
	set_machine();
	memset(m.memory, 'x', sizeof(m.memory));
	memcpy(m.memory, text, strlen(text) + (strlen(text) < sizeof(m.memory)));
}

static void check_text(const char *text, const char *comparison, bool expected)
{
	AUTO_FREE char *whole = mem_printf(TEXT "%s", comparison);

	set_text(text);
	check(whole, expected, 4, true);
	check_filter(whole, expected);
}

static void test_texts(void **state)
{
	check_text("dd", "== \"dd\"", true);
	check_text("dd", "== \"d\"", false);
	check_text("dd", "== \"ddd\"", false);
	check_text("dd", "!= \"dd\"", false);
	check_text("dd", "!= \"d\"", true);
	check_text("", "== \"\"", true);
	check_text("d", "== \"\"", false);
	check_text("a*b", "== \"a*b\"", true);
	check_text("axb", "== \"a*b\"", false);
	check_text("a?\\\"", "== \"a?\\\\\\\"\"", true);
	check_text("fifteen_bytes_x", "== \"fifteen_bytes_x\"", true);
	check_text("seven_b", "!= \"seven_b\"", false);
	check_text("eight_by", "== \"eight_by\"", true);
	check_text("dd", "== \"dd\" && $rcx == 7", true);
	check_text("dd", "== \"cp\" || $rcx == 7", true);
}

static void test_patterns(void **state)
{
	check_text("dd", "=~ \"d*\"", true);
	check_text("dd", "=~ \"dd*\"", true);
	check_text("dd", "=~ \"ddd*\"", false);
	check_text("dd", "=~ \"*\"", true);
	check_text("", "=~ \"*\"", true);
	check_text("", "=~ \"\"", true);
	check_text("", "=~ \"?\"", false);
	check_text("dd", "=~ \"?d\"", true);
	check_text("dd", "=~ \"?\"", false);
	check_text("dd", "!~ \"?\"", true);
	check_text("kworker/0:1", "=~ \"k*/0*\"", true);
	check_text("kworker/1:0", "=~ \"k*/0*\"", false);
	check_text("file.log", "=~ \"*.log\"", true);
	check_text("file.logs", "=~ \"*.log\"", false);
	check_text("aaaaaaaab", "=~ \"*a*a*a*a*b\"", true);
	check_text("aaaaaaaac", "=~ \"*a*a*a*a*b\"", false);
	check_text("a*b", "=~ \"a\\*b\"", true);
	check_text("axb", "=~ \"a\\*b\"", false);
	/* Memory ends before the string does: the begin may be enough. */
	check_text("xx", "=~ \"xx*\"", true);
	set_text("no end");
	m.memory[6] = 'x';
	check(TEXT "== \"no\"", 0, 4, true);
	check(TEXT "=~ \"no*\"", 1, 4, true);
	check(TEXT "=~ \"*no\"", 0, 0, true);
	check_filter(TEXT "=~ \"*no\"", false);
	check_filter(TEXT "!~ \"*no\"", false);
	check_filter("(char *)16 == \"no\"", false);
	check_filter("(char *)16 != \"no\"", false);
}

/* ----------------------------------------------------------------- NOT... */

static bool passes(enum compile_only kind, bool is_not, const uint64_t value[2], u64 other)
{
	struct desc *desc = mem_zalloc(1, sizeof(*desc));
	struct compiler c = { .arch = &arch_native, .desc = desc };
	struct error err = { .text = "" };
	enum machine_end end;

	compile_only(&c, kind, is_not, value);
	compile_only(&c, kind, is_not, (uint64_t[2]){ other });
	assert_true(compile_finish(&c, &err));
	end = machine_run(&m, desc->prog, desc->prog_len);
	assert_int_not_equal(end, MACHINE_REFUSED);
	desc_free(desc);
	return end == MACHINE_RECORDED;
}

static void check_only(enum compile_only kind, u64 low, u64 high, u64 other, bool expected)
{
	const uint64_t value[2] = { low, high };

	assert_int_equal(passes(kind, false, value, other), expected);
	assert_int_equal(passes(kind, true, value, other), !expected);
}

/* Each value lets pass what its opposite leaves out. */
static void test_nots(void **state)
{
	const u64 low = 0x6b726f776b, high = 0x7878787878787878;

	set_machine();
	m.current[KT_CUR_TGID] = 77;
	check_only(ONLY_PID, $pid, 0, 5, true);
	check_only(ONLY_PID, 77, 0, 5, true);
	check_only(ONLY_PID, 5, 0, 77, true);
	check_only(ONLY_PID, 5, 0, 6, false);
	check_only(ONLY_TGID, $pid, 0, 5, false);
	check_only(ONLY_TGID, 5, 0, 77, true);
	check_only(ONLY_UID, $uid, 0, 5, true);
	check_only(ONLY_UID, 5, 0, 6, false);
	check_only(ONLY_CPU, $cpu, 0, 5, true);
	m.current[KT_CUR_COMM_LOW] = low;
	m.current[KT_CUR_COMM_HIGH] = high;
	check_only(ONLY_COMM, low, high, 5, true);
	check_only(ONLY_COMM, low, 5, 5, false);
	check_only(ONLY_COMM, 5, high, 5, false);
	m.current[KT_CUR_COMM_LOW] = 5;
	m.current[KT_CUR_COMM_HIGH] = 0;
	check_only(ONLY_COMM, low, high, 5, true);
	check_only(ONLY_COMM, low, high, 6, false);
}

/* ---------------------------------------------------------------- refusals */

static void refused(const char *text, const char *said)
{
	struct error err = { .text = "" };
	struct expr *e = resolved(text, &err);

	if (e)
		fail_msg("%s is not refused", text);
	assert_contains(err.text, said);
	assert_one_line(err.text);
	assert_int_equal(err.status, STATUS_USAGE);
	/* The message names the column. */
	assert_contains(err.text, ": at column ");
}

static void test_refused(void **state)
{
	refused("", "at column 1: something is missing at the end");
	refused("$rdi +", "at column 7: something is missing at the end");
	refused("$rdi == )", "at column 9: a value is expected, not ')'");
	refused("($rdi", "a ) is missing at the end");
	refused("($rdi $rsi)", "at column 7: an operator or a ) is expected, not '$rsi)'");
	refused("$rdj", "x86-64 has no register 'rdj': did you mean");
	refused("$", "a register's name is missing");
	refused("rdi", "there is no symbol 'rdi': the register is $rdi");
	refused("PID == 5", "there is no symbol 'PID': the property of the task is $pid");
	refused("jiffeis", "did you mean jiffies");
	refused("jiffies", "the type of jiffies is unknown without debug information: write *(u64*)&jiffies");
	refused("this_cpu(jiffies)", "*(u64*)&this_cpu(jiffies)");
	refused("*(u65*)$rdi", "at column 3: no type 'u65' is known: did you mean u64");
	refused("*(struct file*)$rdi", "at column 3: 'struct file' needs debug information");
	refused("((u64*)$rdi)->f_path", "at column 13: the left side has no members");
	refused("*$rdi", "at column 1: this is not a pointer");
	refused("*(void*)$rdi", "a void pointer has no target type");
	refused("(void)$rdi", "a cast to void");
	refused("$rdi[3]", "this is not a pointer");
	refused("((u64*)$rdi)[3", "a ] is missing");
	refused("&$rdi", "only a variable");
	refused("(u64*)$rdi * 2", "pointers can be compared");
	refused("(u64*)$rdi - (u32*)$rsi", "pointers to different types have no difference");
	refused("~(u64*)$rdi", "cast it to u64");
	refused("$rax < 0", "unsigned and never below 0: cast it, as in (s32)$rax < 0");
	refused("$rax >= 0", "unsigned and never below 0");
	refused("$rax / 0", "a division by 0");
	refused("12abc", "'12abc' is not a number");
	refused("$rax > 0.5", "at column 8: a number with a fraction or exponent needs a unit of time");
	refused("$rax == 1e-3", "a number with a fraction or exponent needs a unit of time");
	refused("*(double *)$rdi + 1", "this is a floating-point number, which can be recorded by VAR");
	refused("(double)$rax", "a cast cannot convert");
	refused("0789", "'0789' is not a number");
	refused("99999999999999999999", "too large");
	refused("'x", "a character needs a closing quote");
	refused("*(u64*($rdi)", "a ) is missing behind the type");
	refused("this_cpu()", "a value is expected");
	refused("per_cpu(jiffies)", "at column 16: a , is missing");
	refused("per_cpu(jiffies, )", "a value is expected");
	refused("per_cpu(jiffies, 1)", "this kernel does not list __per_cpu_offset");
	refused("sizeof()", "a value is expected");
	refused("\"a\"", "at column 1: a text is only compared");
	refused("\"a\" == \"b\"", "these are two texts");
	refused("\"a\" == (char *)$rdi", "the text stands on the right side");
	refused("(char *)$rdi =~ $rsi", "a pattern in quotes is expected");
	refused("(char *)$rdi < \"a\"", "at column 14: a text is compared by ==, != or");
	refused("(char *)$rdi + \"a\"", "a text is compared by ==, != or");
	refused("$rdi == \"a\"", "at column 1: this is no text in memory");
	refused("(u32 *)$rdi == \"a\"", "this is no text in memory");
	refused("(char *)$rdi == \"a", "at column 17: a text needs a closing quote");
	refused("(char *)$rdi == dd", "at column 17: 'dd' is not known: a text is in quotes: \"dd\"");
	refused("(char *)$rdi == \"a text that is longer than the 64 bytes that a capture program can compare\"",
		"the text is too long: at most 64 bytes");
	refused("sizeof(u32", "a ) is missing");
	refused("sizeof(u65)", "no type 'u65' is known: did you mean u64");
	refused("offsetof(u32)", "a , is missing");
	refused("offsetof(u32, )", "a value is expected");
	refused("offsetof(u32, x)", "the left side has no members");
	refused("container_of($rdi, u32)", "a , is missing");
	refused("container_of($rdi)", "a , is missing");
}

/* At any depth: an error, or a program that the module accepts. */
static void test_depth(void **state)
{
	char text[2000] = "";
	struct error err;
	size_t used;

	memset(text, '(', 1000);
	assert_null(expr_parse("VAR", text, &used, &err));
	assert_contains(err.text, "too much is nested");
	memset(text, '-', 1000);
	assert_null(expr_parse("VAR", text, &used, &err));
	strcpy(text, "($rcx+($rcx+($rcx+($rcx+($rcx+($rcx+($rcx+($rcx+($rcx+$rcx)))))))))");

	struct desc *desc = mem_zalloc(1, sizeof(*desc));
	struct compiler c = { .arch = &arch_native, .desc = desc };
	AUTO_EXPR struct expr *e = resolved(text, &err);

	assert_non_null(e);
	assert_false(compile_value(&c, "x", e, &err));
	assert_contains(err.text, "too complex: split it");
	compile_drop(&c);
	desc_free(desc);
}

/* Any bytes: an error in one line, or a program that the module accepts. */
static void test_any_text(void **state)
{
	static const char *const parts[] = {
		"$rdi", "$eax", "5", "0x10", "(", ")", "*", "&", "(u64*)", "(s8)", "(u32 **)", "+", "-", "==", "&&",
		"||", "!", "~", "<<", ">>", "[", "]", "<", "/", "%", "^", "|", "current", "plain_fn", "jiffies", " ",
		"$pid", "'x'", "this_cpu(", "per_cpu(", "sizeof(", "offsetof(", "container_of(", "->", ".", "struct ", "1", "\xff", "\"",
		"=~", "(char *)$rdi", "\"d*\"",
	};
	u32 good = 0;

	set_machine();
	const struct expr_names names = { .arch = &arch_native, .tab = fake->session.tab };

	srand(5);
	for (u32 i = 0; i < 60000; i++) {
		char text[200] = "";
		struct error err = { .text = "" };
		struct expr *e;
		size_t used;

		for (u32 n = 1 + dice(9); n; n--)
			strcat(text, parts[dice(ARRAY_SIZE(parts))]);
		e = expr_parse("IF", text, &used, &err);
		assert_true(!e || used <= strlen(text));
		if (e && expr_resolve(e, "IF", text, &names, &err)) {
			struct desc *desc = mem_zalloc(1, sizeof(*desc));
			struct compiler c = { .arch = &arch_native, .desc = desc };
			bool ok = (e->kind == EXPR_NUMBER || compile_if(&c, e, &err)) &&
				  compile_value(&c, text, e, &err) && compile_finish(&c, &err);
			struct machine expected = m;
			enum machine_end end = MACHINE_REFUSED;

			if (ok)
				end = machine_run(&m, desc->prog, desc->prog_len);
			if (ok && end == MACHINE_REFUSED)
				fail_msg("%s: the module refuses the program", text);
			if (ok) {
				assert_int_equal(machine_evaluate(&expected, desc->prog, desc->prog_len), end);
				assert_true(end == MACHINE_FILTERED ||
					    !memcmp(m.out, expected.out, m.payload));
			}
			good += ok;
			compile_drop(&c);
			desc_free(desc);
		} else {
			assert_one_line(err.text);
		}
		expr_free(e);
	}
	assert_true(good > 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_in_c), cmocka_unit_test(test_sizes), cmocka_unit_test(test_names),
		cmocka_unit_test(test_choice), cmocka_unit_test(test_memory),
		cmocka_unit_test(test_unreadable), cmocka_unit_test(test_filters),
		cmocka_unit_test(test_unknown_filters), cmocka_unit_test(test_texts), cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_nots), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_depth), cmocka_unit_test(test_any_text),
	};

	return cmocka_run_group_tests_name("expr", tests, setup, teardown);
}
