// SPDX-License-Identifier: GPL-2.0-or-later
/* test_programs.c - tracepoints in a program: this one. */
#include "unit.h"

#include <complex.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "ctl/ask/resolve/programs.h"
#include "ctl/base/memory.h"
#include "ctl/live/session/lost.h"
#include "ctl/live/session/session_target.h"
#include "fake_kernel.h"
#include "symbols/query/program.h"

int planted_global = 5;

__attribute__((noinline)) long planted_sum(long first, const char *second)
{
	__asm__ volatile("" : "+r"(first) : "r"(second));
	return first + planted_global;
}

static struct fake_kernel *fake;
static char self[PATH_MAX];

static int setup(void **state)
{
	const ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = '\0';
	fake = fake_create();
	return planted_sum(1, "") == 6 ? 0 : -1;
}

static int teardown(void **state)
{
	fake_free(fake);
	return 0;
}

/* Run a line in which @ stands for the path of this program. */
static enum exit_status run(const char *line)
{
	AUTO_FREE char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	for (; *line; line++)
		*line == '@' ? fputs(self, out) : fputc(*line, out);
	fclose(out);
	return fake_run(fake, text);
}

static void ok(const char *line)
{
	if (run(line) != STATUS_OK)
		fail_msg("%s: %s", line, fake_error());
}

static void refused(const char *line, enum exit_status status, const char *said)
{
	assert_int_equal(run(line), status);
	assert_contains(fake_error(), said);
	assert_one_line(fake_error());
}

/* The offset of a function in the file, behind its branch target marker. */
static uint64_t offset_of(const char *name)
{
	const struct program_function *function;
	struct debug_error err;
	struct program *program = program_open(self, NULL, &err);
	uint64_t offset;
	uint8_t code[32];
	size_t n;

	assert_non_null(program);
	assert_int_equal(program_named(program, name, &function, 1, &err), 1);
	n = program_code(program, function->addr, code, sizeof(code));
	offset = function->offset + arch_native.prologue(code, n, function->addr);
	program_close(program);
	return offset;
}

static void test_site(void **state)
{
	const uint64_t offset = offset_of("planted_sum");
	AUTO_FREE char *name = mem_printf("%s:planted_sum  uprobe", self);

	ok("trace @:planted_sum PID");
	assert_int_equal(fake->nr_sites, 1);
	assert_int_equal(fake->last.addr, FAKE_FILE + offset);
	assert_int_equal(fake->last.flags, KT_SITE_USER);
	assert_int_equal(fake->last.process, 0);
	assert_true(fake->last.insn_len);
	assert_contains(fake->out, name);
	ok("list -v");
	assert_contains(fake->out, name);
	fake->session.format = PRINT_JSON;
	ok("list");
	assert_contains(fake->out, "\"method\":\"uprobe\"");
	assert_contains(fake->out, "\"in_32_bit_programs\":0");
}

static void test_delete(void **state)
{
	ok("trace @:planted_sum PID vfs_write");
	ok("delete /proc/self/exe:planted_sum");
	assert_int_equal(fake->nr_sites, 1);
	refused("delete @:planted_sum", STATUS_FAILURE, "no tracepoint at");
}

static void test_process(void **state)
{
	AUTO_FREE char *one = mem_printf("trace @:planted_sum ONLYTGID %d", getpid());
	AUTO_FREE char *two = mem_printf("trace @:planted_sum ONLYPID %d ONLYPID 1", getpid());

	ok(one);
	assert_int_equal(fake->last.process, getpid());
	ok(two);
	assert_int_equal(fake->last.process, 0);
}

/* Its variables, and memory that the kernel may put anywhere. */
static void test_variables(void **state)
{
	setenv("XDG_CACHE_HOME", "/dev/null", true);	/* no index is kept */
	fake->session.uses_debug = true;
	ok("trace @:planted_sum ARGS VAR planted_global VAR &planted_global STR second IF first > 2");
	ok("trace @:planted_sum VAR 'planted_sum == 0' BACKTRACE 4 FRAME 0 STACK 0");
	ok("trace @:test_programs.c:22 VAR first");
	refused("trace @:planted_sum VAR absent", STATUS_USAGE, "absent");
}

/* The linker gives generic functions of Go names with the characters of a pattern. */
__asm__(".pushsection .text\n.globl \"planted[of.long]\"\n.type \"planted[of.long]\", %function\n"
	"\"planted[of.long]\":\nnop\nnop\nnop\nnop\nnop\nret\n.size \"planted[of.long]\", . - \"planted[of.long]\"\n.popsection\n");

static void test_generic(void **state)
{
	ok("trace @:planted[of.long] PID");
	assert_int_equal(fake->nr_sites, 1);
	assert_contains(fake->out, ":planted[of.long]  uprobe");
	ok("trace @:planted[of.long]+4 @:planted[of.long]%return");
	assert_int_equal(fake->nr_sites, 3);
	ok("delete @:planted[of.long]+4");
	/* A pattern still, for there is no such function. */
	ok("trace @:plante[d][[]of.long] PID");
	refused("trace @:planted[of.int] PID", STATUS_FAILURE, "matches no function");
}

/* Names as C++ has them, mangled in the symbol table. */
__attribute__((noinline)) int cxx_int(int a) __asm__("_ZN4test7plantedEi");
__attribute__((noinline)) int cxx_long(long a) __asm__("_ZN4test7plantedEl");

int cxx_int(int a)
{
	__asm__ volatile("" : "+r"(a));
	return a + 1;
}

int cxx_long(long a)
{
	__asm__ volatile("" : "+r"(a));
	return a + 2;
}

static void test_demangled(void **state)
{
	assert_int_equal(cxx_int(1) + cxx_long(1), 5);
	ok("trace @:test::planted PID");
	assert_int_equal(fake->nr_sites, 2);
	assert_contains(fake->out, "test_programs:test::planted(int)   uprobe");
	assert_contains(fake->out, "test_programs:test::planted(long)  uprobe");
	ok("delete @:test::planted");
	assert_int_equal(fake->nr_sites, 0);
	ok("trace '@:test::planted(long)' PID");
	assert_int_equal(fake->nr_sites, 1);
	assert_int_equal(fake->last.addr, FAKE_FILE + offset_of("_ZN4test7plantedEl"));
	ok("list");
	assert_contains(fake->out, "test::planted(long)");
	ok("trace @:test::plan*");
	assert_int_equal(fake->nr_sites, 2);
	refused("trace @:test::plante", STATUS_FAILURE, "no function 'test::plante'");
	refused("trace @:test::x*", STATUS_FAILURE, "matches no function");
	refused("trace @:test::planted+1", STATUS_FAILURE, "planted");
	ok("delete *");
}

/* An ifunc means the function that this CPU has chosen, as dlsym() gives it.  One may be in the vDSO. */
static void test_chosen(void **state)
{
	struct debug_error err;
	struct program *libc = program_open_word("libc.so.6", 0, &err);
	void *library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	void *chosen = dlsym(library, "memcpy");
	uint64_t offset;
	Dl_info info;

	assert_non_null(libc);
	assert_true(dladdr(chosen, &info));
	/* The first segment of a library is linked at 0. */
	assert_true(program_offset(libc, (uintptr_t)chosen - (uintptr_t)info.dli_fbase, &offset));
	ok("trace libc.so.6:memcpy+0 PID");
	assert_contains(fake->messages, "libc.so.6:memcpy is an ifunc: the CPU has chosen ");
	assert_int_equal(fake->last.addr, FAKE_FILE + offset);
	ok("trace libc.so.6:memcpy PID");
	assert_contains(fake->messages, "libc.so.6:memcpy is an ifunc: the CPU has chosen ");
	ok("delete *");
	if (program_chooses(libc, "time"))
		refused("trace libc.so.6:time", STATUS_FAILURE, "code of another file or of the kernel's vDSO");
	dlclose(library);
	program_close(libc);
}

/* A function with two returns, one that ends by a jump, one that may, and one without a size. */
#if defined(__x86_64__)
#define JUMP(to)	"jmp " to "\n"
#define JUMP_IF(to)	"test %edi, %edi\nje " to "\n"
#else
#define JUMP(to)	"b " to "\n"
#define JUMP_IF(to)	"cbz w0, " to "\n"
#endif
#define FUNCTION(name, body)	".type " name ", %function\n" name ":\n" body ".size " name ", . - " name "\n"

__asm__(".text\n.balign 16\n"
	FUNCTION("planted_two", JUMP_IF("1f") "ret\n1: nop\nret\n")
	FUNCTION("planted_tail", JUMP("planted_two"))
	FUNCTION("planted_maybe", JUMP_IF("planted_two") "ret\n")
	".type planted_endless, %function\nplanted_endless: ret\n"
	/* Two functions of one name in a real program: this piece is not the first one's. */
	FUNCTION("planted_two.cold", "ret\n"));

static void test_return(void **state)
{
	const uint64_t begin = offset_of("planted_two");

	ok("trace @:planted_two%return PID");
	assert_int_equal(fake->nr_sites, 2);
	assert_int_equal(fake->last.flags, KT_SITE_USER);
	assert_true(fake->last.addr > FAKE_FILE + begin && fake->last.addr <= FAKE_FILE + begin + 12);
	ok("list");
	assert_contains(fake->out, "planted_two%return  PID");
	ok("delete @:planted_two%return");
	assert_int_equal(fake->nr_sites, 0);
	refused("trace @:planted_tail%return", STATUS_FAILURE, "may end by the jump at planted_tail+0x0");
	refused("trace @:planted_maybe%return", STATUS_FAILURE, "may end by the jump at planted_maybe+0x");
	refused("trace @:planted_endless%return", STATUS_FAILURE, "has no size");
	refused("trace @:test::planted%return", STATUS_FAILURE, "2 functions have that name: give its parameters");
	refused("trace @:test::absent%return", STATUS_FAILURE, "no function 'test::absent'");
	assert_int_equal(fake->nr_sites, 0);
}

/* A C++ function: its part .cold is not another function of that name. */
__asm__(FUNCTION("_ZN4test6whole_El", JUMP_IF("_ZN4test6whole_El.cold") "ret\n")
	FUNCTION("_ZN4test6whole_El.cold", "ret\n")
	FUNCTION("_Z7outsidev", "ret\n"));

static void test_demangled_return(void **state)
{
	ok("trace @:test::whole_%return PID");
	assert_int_equal(fake->nr_sites, 2);
	ok("list");
	assert_contains(fake->out, "test::whole_%return  PID");
	ok("delete @:test::whole_%return");
	ok("trace '@:test::whole_(long)%return' PID @:outside%return PID");
	assert_int_equal(fake->nr_sites, 3);
	ok("list");
	assert_contains(fake->out, "test::whole_(long)%return'  PID");
	ok("delete *");
	ok("trace @:test::whole_ PID");
	assert_int_equal(fake->nr_sites, 1);
	ok("list");
	assert_contains(fake->out, "test::whole_(long)'  PID");
	ok("delete *");
}

/* Floating-point numbers in memory; those that a function returns are in registers that are not recorded. */
struct planted_pair {
	float first, second;
};

struct planted_mixed {
	float first;
	int second;
};

struct planted_nested {
	struct {
		double inner[1];
	} only;
};

double planted_double = -2.5;
float planted_floats[3] = { 0.5F, 1.5F, 2.5F };
float _Complex planted_complex;

__attribute__((noinline)) double returns_double(double x)
{
	__asm__ volatile("" : : "m"(x));
	return x * planted_double;
}

__attribute__((noinline)) struct planted_pair returns_pair(int x)
{
	return (struct planted_pair){ (float)x, planted_floats[0] };
}

__attribute__((noinline)) struct planted_mixed returns_mixed(int x)
{
	return (struct planted_mixed){ planted_floats[1], x };
}

__attribute__((noinline)) struct planted_nested returns_nested(int x)
{
	return (struct planted_nested){ { { planted_double + x } } };
}

__attribute__((noinline)) float _Complex returns_complex(void)
{
	return planted_complex;
}

static void test_floats(void **state)
{
	setenv("XDG_CACHE_HOME", "/dev/null", true);
	fake->session.uses_debug = true;
	assert_true(returns_double(1) < 0 && returns_pair(1).first > 0 && returns_mixed(1).second == 1 && returns_nested(1).only.inner[0] < 0 &&
		    crealf(returns_complex()) == 0);
	ok("trace @:planted_sum VAR planted_double VAR planted_floats VAR planted_floats[1..2] VAR &planted_double");
	ok("trace @:planted_sum VAR planted_double:x VAR planted_floats[1..2]:b VAR planted_complex");
	ok("trace @:planted_sum VAR '*(double *)&planted_double'");
	ok("trace @:returns_mixed%return RETVAL");
	refused("trace @:returns_double%return RETVAL", STATUS_USAGE, "in a register of the floating-point unit");
	refused("trace @:returns_pair%return RETVAL", STATUS_USAGE, "in a register of the floating-point unit");
	refused("trace @:returns_nested%return RETVAL", STATUS_USAGE, "in a register of the floating-point unit");
	refused("trace @:returns_complex%return RETVAL", STATUS_USAGE, "does not fit in a register");
	refused("trace @:planted_sum IF planted_double", STATUS_USAGE, "IF planted_double: this is a floating-point number, which can be recorded");
	refused("trace @:planted_sum IF 'planted_double > 3'", STATUS_USAGE, "which can be recorded by VAR, but not computed with or compared");
	refused("trace @:planted_sum IF 'planted_double > 0.5'", STATUS_USAGE, "a number with a fraction or exponent needs a unit of time");
	refused("trace @:planted_sum STR planted_double", STATUS_USAGE, "the expression is not a pointer");
	refused("trace @:planted_sum VAR planted_double:p", STATUS_USAGE, "a pointer has 8 bytes");
	refused("trace @:planted_sum VAR planted_double:s", STATUS_USAGE, "this is no text");
	refused("trace @:planted_sum VAR planted_double:d", STATUS_USAGE, "only the bits have another form: :x, :o or :b");
	refused("trace @:planted_sum VAR planted_floats[0..1]:t", STATUS_USAGE, "only the bits have another form");
	refused("trace @:planted_sum SUM planted_double", STATUS_USAGE, "floating-point numbers are not added or compared");
	refused("trace @:planted_sum HIST planted_floats[0]", STATUS_USAGE, "floating-point numbers are not added or compared");
	ok("delete *");
}

/* Each thread has its own. */
__thread int planted_each = 1;
static __thread struct planted_mixed planted_own;

__attribute__((noinline)) int uses_each(int x)
{
	static __thread int inner;

	inner += x;
	planted_own.second += inner;
	return planted_each += planted_own.second;
}

static void test_thread_local(void **state)
{
	static const char *const names[] = { "planted_each", "&planted_each", "planted_own.second", "planted_each+1", "*&planted_each" };

	setenv("XDG_CACHE_HOME", "/dev/null", true);
	assert_int_equal(uses_each(1), 2);
	/* By the debug information, and by the symbols. */
	for (int uses_debug = 1; uses_debug >= 0; uses_debug--) {
		if (!uses_debug) {
			teardown(NULL);
			setup(NULL);
		}
		fake->session.uses_debug = uses_debug;
		for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
			AUTO_FREE char *line = mem_printf("trace @:uses_each VAR '%s'", names[i]);

			refused(line, STATUS_USAGE, "is thread-local: each thread has its own");
		}
		refused("trace @:uses_each IF 'planted_each > 3'", STATUS_USAGE, "'planted_each' is thread-local");
		refused("trace @:uses_each STR planted_each", STATUS_USAGE, "'planted_each' is thread-local");
		refused("trace libc.so.6:malloc VAR errno", STATUS_USAGE, "'errno' is thread-local");
	}
}

static void test_static_thread_local(void **state)
{
	setenv("XDG_CACHE_HOME", "/dev/null", true);
	fake->session.uses_debug = true;
	refused("trace @:uses_each VAR inner", STATUS_FAILURE, "it is thread-local: each thread has its own");
}

/* Without debug information the message names the register of the return value, and that works. */
static void test_untyped_result(void **state)
{
	const char *reg = arch_reg_name(&arch_native, arch_native.dwarf_result);
	AUTO_FREE char *instead = mem_printf("write $%s instead", reg);
	AUTO_FREE char *variable = mem_printf("write VAR $%s instead", reg);
	AUTO_FREE char *works = mem_printf("trace @:planted_two%%return STR $%s VAR $%s IF $%s > 0", reg, reg, reg);

	refused("trace @:planted_two%return STR RETVAL", STATUS_USAGE, instead);
	refused("trace @:planted_two%return VAR RETVAL", STATUS_USAGE, instead);
	refused("trace @:planted_two%return IF 'RETVAL > 0'", STATUS_USAGE, instead);
	refused("trace @:planted_two%return RETVAL", STATUS_USAGE, variable);
	refused("trace @:planted_two STR RETVAL", STATUS_USAGE, "the value is there where the function returns: trace FUNCTION%return");
	ok(works);
	assert_int_equal(fake->nr_sites, 2);
	ok("delete *");
}

static void test_refused(void **state)
{
	refused("trace @:planted_su", STATUS_FAILURE, "test_programs: unknown symbol 'planted_su'");
	refused("trace @:foo:bar", STATUS_FAILURE, "'foo:bar': there is no 'foo' here: a ':' stands in FILE:LINE");
	refused("trace @:planted_sum IF foo:bar == 1", STATUS_USAGE, "'foo:bar': there is no 'foo' here");
	refused("trace @:planted_sum IF GFP_KERNEL", STATUS_USAGE, "unknown symbol 'GFP_KERNEL'");
	refused("trace @:syscall:read", STATUS_FAILURE, "'syscall:read' is the kernel's: leave out the program");
	refused("trace @:event:sched_switch", STATUS_FAILURE, "'event:sched_switch' is the kernel's: leave out the program");
	refused("trace @:0x1", STATUS_FAILURE, "no function of the file covers it");
	refused("trace @:planted_sum VAR current->pid", STATUS_USAGE, "cannot be read at an instruction of a program");
	refused("trace @:planted_sum VAR this_cpu(jiffies)", STATUS_USAGE, "cannot be read at an instruction of a program");
	refused("trace @:planted_sum LOC planted_global", STATUS_USAGE, "write VAR planted_global");
	refused("trace @:planted_sum METHOD jump", STATUS_USAGE, "a uprobe is the only method");
	refused("trace ./nosuch:planted_sum", STATUS_FAILURE, "nosuch");
	refused("trace /etc/passwd:root", STATUS_FAILURE, "passwd");
	refused("latency @:planted_sum --off-cpu", STATUS_USAGE, "--off-cpu");
	refused("latency @:planted_sum --by EXIT", STATUS_USAGE, "EXIT");
	assert_int_equal(fake->nr_sites, 0);
}

/* Every error of the module has a sentence. */
/* An upgrade renames another file over that of a program with tracepoints: said once, in each list, and at the end. */
static void test_replaced(void **state)
{
	char dir[] = "/tmp/ktrace-replaced-XXXXXX";
	AUTO_FREE char *path = NULL, *copy = NULL, *upgrade = NULL, *away = NULL, *trace = NULL, *one = NULL, *said = NULL;

	assert_non_null(mkdtemp(dir));
	path = mem_printf("%s/prog", dir);
	copy = mem_printf("cp %s %s", self, path);
	upgrade = mem_printf("cp %s %s.new && mv -f %s.new %s", self, path, path, path);
	away = mem_printf("rm -r %s", dir);
	trace = mem_printf("trace %s:planted_sum %s:planted_sum PID", path, self);
	one = mem_printf("delete %s:planted_sum", path);
	said = mem_printf("warning: %s was replaced or removed: %s:planted_sum see only processes that run the old file", path, path);
	assert_int_equal(system(copy), 0);
	ok(trace);
	lost_tell(&fake->session, true);
	ok("list");
	assert_string_equal(fake->messages, "");
	assert_int_equal(system(upgrade), 0);
	ok("!true");
	lost_tell(&fake->session, false);
	fflush(fake->session.messages);
	assert_contains(fake->messages, said);
	assert_string_equal(strchr(fake->messages, '\n'), "\n");
	ok("!true");
	lost_tell(&fake->session, false);
	fflush(fake->session.messages);
	assert_string_equal(fake->messages, "");
	ok("list");
	assert_contains(fake->messages, said);
	/* What was deleted is not lost. */
	ok(one);
	assert_string_equal(fake->messages, "");
	assert_int_equal(fake->nr_sites, 1);	/* in a file that stays */
	ok("list");
	assert_string_equal(fake->messages, "");
	/* The new file. */
	ok(trace);
	ok("list");
	assert_string_equal(fake->messages, "");
	assert_int_equal(system(away), 0);
	ok("delete *");
	assert_contains(fake->messages, said);
	ok("list");
	assert_string_equal(fake->messages, "");
}

static void test_module_refuses(void **state)
{
	static const struct { int no; const char *said; } cases[] = {
		{ EACCES, "noexec" }, { ENOEXEC, "not a 64-bit program" }, { ENFILE, "too many files" }, { EIO, "cannot be traced" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		fake->no_file = cases[i].no;
		refused("trace @:planted_sum", STATUS_FAILURE, cases[i].said);
	}
	fake->no_file = 0;
	fake->refuse_addr = FAKE_FILE + offset_of("planted_sum");
	for (unsigned int refusal = KT_REFUSE_NO_FILE; refusal <= KT_REFUSE_NO_PROCESS; refusal++) {
		fake->refusal = refusal;
		refused("trace @:planted_sum", STATUS_FAILURE, "planted_sum: ");
	}
}

/* Which addresses are the kernel's? */
static void test_whose(void **state)
{
	static const char *const kernels[] = {
		"vfs_write", "ext4:ext4_sync_fs", "event:sched_switch", "sched:sched_switch", "syscall:openat", "inline:f", "vmlinux:f",
		"vfs_write:12", "fs/read_write.c:582", "nosuch:f", "sh:", ":main", "sh:12",
	};
	static const char *const programs[] = { "sh:main", "/bin/sh:main", "libc.so.6:malloc" };
	const struct target kernel = session_target(&fake->session), *home = NULL;
	const char *place = NULL;
	struct error err;

	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++)
		if (programs_find(&kernel, kernels[i], 0, &home, &place, &err) != PROGRAMS_NONE || home)
			fail_msg("%s: taken as a program", kernels[i]);
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		if (programs_find(&kernel, programs[i], 0, &home, &place, &err) != PROGRAMS_FOUND)
			fail_msg("%s: not taken as a program", programs[i]);
		assert_non_null(home->program);
		assert_string_equal(place, strchr(programs[i], ':') + 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_site, setup, teardown),
		cmocka_unit_test_setup_teardown(test_delete, setup, teardown),
		cmocka_unit_test_setup_teardown(test_process, setup, teardown),
		cmocka_unit_test_setup_teardown(test_variables, setup, teardown),
		cmocka_unit_test_setup_teardown(test_generic, setup, teardown),
		cmocka_unit_test_setup_teardown(test_demangled, setup, teardown),
		cmocka_unit_test_setup_teardown(test_chosen, setup, teardown),
		cmocka_unit_test_setup_teardown(test_return, setup, teardown),
		cmocka_unit_test_setup_teardown(test_demangled_return, setup, teardown),
		cmocka_unit_test_setup_teardown(test_floats, setup, teardown),
		cmocka_unit_test_setup_teardown(test_thread_local, setup, teardown),
		cmocka_unit_test_setup_teardown(test_static_thread_local, setup, teardown),
		cmocka_unit_test_setup_teardown(test_untyped_result, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_replaced, setup, teardown),
		cmocka_unit_test_setup_teardown(test_module_refuses, setup, teardown),
		cmocka_unit_test_setup_teardown(test_whose, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
