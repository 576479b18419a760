// SPDX-License-Identifier: GPL-2.0-or-later
/* test_look.c - show and where, on the files of a kernel that is not there. */
#include "unit.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/base/device/memory_read.h"
#include "ctl/base/memory.h"
#include "fake_kernel.h"

#define RAM	UINT64_C(0xffff888000001000)
#define MAPPED	UINT64_C(0xffffc90000000000)
#define BYTES	0x3000

static char root[] = "/tmp/ktrace-look-XXXXXX";
static struct fake_kernel *fake;

static void write_file(const char *name, const void *bytes, size_t len)
{
	AUTO_FREE char *path = mem_printf("%s/proc/%s", root, name);
	AUTO_CLOSE FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
}

static void make_dir(const char *name)
{
	AUTO_FREE char *path = mem_printf("%s/proc%s", root, name);

	assert_int_equal(mkdir(path, 0755), 0);
}

/* Memory, and an area of vmalloc whose second page is mapped: kcore shows zeros for the others. */
static void write_core(void)
{
	static struct {
		Elf64_Ehdr elf;
		Elf64_Phdr heads[2];
		uint8_t ram[BYTES], mapped[BYTES];
	} core = {
		.elf = { .e_ident = ELFMAG, .e_phoff = sizeof(Elf64_Ehdr), .e_phnum = 2, .e_phentsize = sizeof(Elf64_Phdr) },
	};
	const uint64_t text = RAM + 0x40;

	core.heads[0] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_vaddr = RAM, .p_memsz = BYTES, .p_offset = (uint8_t *)core.ram - (uint8_t *)&core };
	core.heads[1] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_vaddr = MAPPED, .p_memsz = BYTES, .p_paddr = UINT64_MAX,
				      .p_offset = (uint8_t *)core.mapped - (uint8_t *)&core };
	for (size_t i = 0; i < BYTES; i++)
		core.ram[i] = i;
	memcpy(core.ram + 0x40, "a text", 7);
	memcpy(core.ram + 0x50, &text, 8);
	memset(core.mapped + 0x1000, 7, 0x1000);
	write_file("kcore", &core, sizeof(core));
}

static int setup(void **state)
{
	assert_non_null(mkdtemp(root));
	make_dir("");
	write_core();
	fake = fake_create();
	fake->session.root = root;
	return 0;
}

static int teardown(void **state)
{
	AUTO_FREE char *line = mem_printf("rm -r %s", root);

	fake_free(fake);
	return system(line);
}

static void shows(const char *line, const char *wanted)
{
	if (fake_run(fake, line) != STATUS_OK)
		fail_msg("%s: %s", line, fake_error());
	assert_string_equal(fake->out, wanted);
}

static void refused(const char *line, enum exit_status status, const char *why)
{
	assert_int_equal(fake_run(fake, line), status);
	assert_contains(fake_error(), why);
}

static void test_memory(void **state)
{
	struct error err;
	struct memory *memory = memory_open(root, &err);
	uint32_t v;

	assert_non_null(memory);
	assert_true(memory_read(memory, RAM + 4, &v, 4));
	assert_int_equal(v, 0x07060504);
	assert_true(memory_read(memory, RAM + BYTES - 4, &v, 4));
	assert_false(memory_read(memory, RAM + BYTES - 3, &v, 4));
	assert_false(memory_read(memory, RAM - 1, &v, 4));
	/* Not mapped, in part, mapped, in part. */
	assert_false(memory_read(memory, MAPPED, &v, 4));
	assert_false(memory_read(memory, MAPPED + 0xffe, &v, 4));
	assert_true(memory_read(memory, MAPPED + 0x1000, &v, 4));
	assert_int_equal(v, 0x07070707);
	assert_true(memory_read(memory, MAPPED + 0x1ffc, &v, 4));
	assert_false(memory_read(memory, MAPPED + 0x1ffe, &v, 4));
	assert_false(memory_read(memory, 0, &v, 4));
	memory_close(memory);
	assert_null(memory_open("/nonexistent", &err));
	assert_contains(err.text, "run as root");
}

static void test_values(void **state)
{
	shows("show *(u32*)0xffff888000001004", "*(u32*)0xffff888000001004=117835012\n");
	shows("show *(u32*)0xffff888000001004:x", "*(u32*)0xffff888000001004=0x7060504\n");
	shows("show word=*(u16*)(0xffff888000001000 + 2)", "word=770\n");
	shows("show *(char **)0xffff888000001050", "*(char **)0xffff888000001050=\"a text\"\n");
	shows("show *(u32*)0xffffc90000000000", "*(u32*)0xffffc90000000000=?\n");
	shows("show *(u32*)8 + 1", "*(u32*)8 + 1=?\n");
	shows("show 3 * 4 + 2", "3 * 4 + 2=14\n");
	shows("show (u64)&jiffies:x", "(u64)&jiffies=0xffffffff82000000\n");
	fake->session.format = PRINT_JSON;
	assert_int_equal(fake_run(fake, "show *(u16*)0xffff888000001002"), STATUS_OK);
	assert_contains(fake->out, "{\"type\":\"value\"");
	assert_contains(fake->out, "\"data\":[{\"name\":\"*(u16*)0xffff888000001002\",\"value\":770}]}");
	fake->session.format = PRINT_TEXT;
}

static void test_refused(void **state)
{
	refused("show", STATUS_USAGE, "too few arguments");
	refused("show --pid x jiffies", STATUS_USAGE, "not a number");
	refused("show $pid", STATUS_USAGE, "current->pid is a member");
	refused("show *(u64*)&this_cpu(jiffies)", STATUS_USAGE, "per_cpu(name, 0) names one");
	refused("show *(u64*)0xffff888000001000 )", STATUS_USAGE, "the expression ends here");
	refused("show nosuch_thing", STATUS_USAGE, "nosuch_thing");
	refused("show struct nosuch", STATUS_FAILURE, "debug information");
	fake->session.root = "/nonexistent";
	refused("show 1", STATUS_FAILURE, "/proc/kcore: No such file");
	fake->session.root = root;
}

static void write_thread(const char *state, const char *stack)
{
	AUTO_FREE char *status = mem_printf("Name:\tdd\nState:\t%s\nvoluntary_ctxt_switches:\t5\nnonvoluntary_ctxt_switches:\t1\n", state);

	write_file("77/status", status, strlen(status));
	write_file("77/stack", stack, strlen(stack));
}

static void test_where(void **state)
{
	make_dir("/77");
	write_thread("S (sleeping)", "[<0>] vfs_write+0x12/0x90\n[<0>] ext4_sync_fs+0x20/0x40 [ext4]\n");
	shows("where 77", "dd  77  sleeps\n    vfs_write+0x12\n    ext4:ext4_sync_fs+0x20\n");
	fake->session.format = PRINT_JSON;
	assert_int_equal(fake_run(fake, "where 77"), STATUS_OK);
	assert_contains(fake->out, "\"pid\":77,\"comm\":\"dd\",\"state\":\"S\",\"frames\":[{\"symbol\":\"vfs_write+0x12\",\"line\":null},");
	fake->session.format = PRINT_TEXT;
	write_thread("R (running)", "[<0>] vfs_write+0x12/0x90\n");
	shows("where 77", "dd  77  runs, or waits for a CPU: its stack is not known while it runs\n");
	write_thread("Z (zombie)", "");
	shows("where 77", "dd  77  has ended: it has none any more\n");
	write_thread("S (sleeping)", "");
	shows("where 77", "dd  77  sleeps: its stack changes too often to be read: try again\n");
	refused("where 78", STATUS_FAILURE, "no such thread");
	refused("where x", STATUS_USAGE, "not the id of a thread");
	refused("where 0", STATUS_USAGE, "not the id of a thread");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory), cmocka_unit_test(test_values), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_where),
	};

	return cmocka_run_group_tests_name("look", tests, setup, teardown);
}
