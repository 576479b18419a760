// SPDX-License-Identifier: GPL-2.0-or-later
/* test_wrong_inputs.c - what ktrace answers to wrong input, word by word.  wrong-inputs.txt has the inputs and answers. */
#include "trace_script.h"

#include <elf.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wordexp.h>

#include "ctl/base/fit.h"
#include "ctl/cmd/script.h"
#include "ctl/ui/invocation.h"
#include "fake_kernel.h"
#include "own_index.h"
#include "symbols/index/dbindex.h"

#define FILE_NAME	"tests/unit/wrong-inputs.txt"
#define COLUMNS		80

#define AT_PROMPT	"(ktrace) "
#define AT_SHELL	"$ ktrace "

/* ----------------------------------------------------------------- planted */

struct kiocb {
	int ki_flags;
	long ki_pos;
};

struct task_struct {
	int pid, tgid;
	char comm[16];
	long cpus[4];
};

/* With a sanitizer, variables would be in other places. */
#define PLAIN __attribute__((noipa, no_sanitize("address", "undefined")))

PLAIN long vfs_write(struct kiocb *iocb, const char *buf, unsigned long count, struct task_struct *owner)
{
	return iocb->ki_pos + buf[count] + owner->pid;
}

static char index_path[] = "/tmp/ktrace-wrong-XXXXXX";
/* Where the kernel's text would begin, if our vfs_write were at VFS_WRITE. */
static uint64_t live_text;

/* What /sys tells of the kernel: that it is the build of the index. */
static void write_notes(const struct build_id *id)
{
	AUTO_FREE char *sys = mem_printf("%s/sys", base), *dir = mem_printf("%s/sys/kernel", base),
		       *path = mem_printf("%s/sys/kernel/notes", base);
	const Elf64_Nhdr note = { .n_namesz = 4, .n_descsz = id->len, .n_type = NT_GNU_BUILD_ID };
	FILE *out;

	mkdir(sys, 0700);
	mkdir(dir, 0700);
	out = fopen(path, "we");
	fwrite(&note, sizeof(note), 1, out);
	fwrite("GNU", 4, 1, out);
	fwrite(id->bytes, id->len, 1, out);
	fclose(out);
}

static int plant(void)
{
	struct debug_error why = { .text = "" };
	const struct ix_section *sections;
	const uint32_t *func;
	struct dbindex *ix;
	size_t nr;

	if (!own_index(__FILE__, index_path) || vfs_write(&(struct kiocb){ .ki_pos = 3 }, "abc", 1, &(struct task_struct){ .pid = 4 }) != 'b' + 7)
		return -1;
	ix = dbindex_open(index_path, &why);
	if (!ix || dbindex_funcs(ix, "vfs_write", &func) != 1)
		return -1;
	sections = dbindex_rows(ix, PART_SECTIONS, struct ix_section, &nr);
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(dbindex_string(ix, sections[i].name), ".text"))
			live_text = VFS_WRITE + sections[i].addr - dbindex_header(ix)->base - dbindex_func(ix, *func)->low;
	write_notes(&dbindex_header(ix)->id);
	dbindex_close(ix);
	return live_text ? 0 : -1;
}

/* A kernel with debug information of that function. */
static struct fake_kernel *known_kernel(void)
{
	struct fake_kernel *fake = fake_create();
	struct session *s = &fake->session;
	FILE *list = fopen(s->kallsyms, "ae");

	fprintf(list, "%016llx T _stext\n", (unsigned long long)live_text);
	fclose(list);
	s->vmlinux = index_path;
	s->uses_debug = true;
	s->root = base;
	session_retire(s);
	session_drop_old(s);
	return fake;
}

/* ------------------------------------------------------------------- input */

static enum exit_status run_shell_line(struct session *s, const char *line, struct error *why)
{
	struct invocation inv = { .colour = "auto" };
	wordexp_t words = { .we_offs = 0 };
	enum exit_status status = STATUS_OK;

	assert_int_equal(wordexp(line, &words, WRDE_NOCMD | WRDE_UNDEF), 0);
	optind = 0;
	if (!invocation_parse(s, &inv, (int)words.we_wordc, words.we_wordv, why) || !invocation_run(s, &inv, why))
		status = why->status;
	invocation_free(&inv);
	wordfree(&words);
	return status;
}

static enum exit_status run_prompt_line(struct session *s, const char *line, struct error *why)
{
	s->interactive = true;
	return script_text(s, line, why) ? STATUS_OK : why->status;
}

/* What a terminal of 80 columns shows, and the exit status. */
static char *answer(const char *line)
{
	struct fake_kernel *fake = known_kernel();
	struct session *s = &fake->session;
	struct error why = { .text = "" };
	enum exit_status status;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	status = !strncmp(line, AT_SHELL, strlen(AT_SHELL)) ? run_shell_line(s, line + strlen("$ "), &why)
							    : run_prompt_line(s, line + strlen(AT_PROMPT), &why);
	if (*why.text)
		session_complain(s, NULL, &why);
	fflush(s->out);
	fflush(s->messages);
	fit_text(fake->out, COLUMNS, out);
	fit_text(fake->messages, COLUMNS, out);
	fprintf(out, "[%d]\n", status);
	fclose(out);
	fake_free(fake);
	return text;
}

/* ---------------------------------------------------------------- directories */

/* Symbols of the recorded kernel, as `record` writes them. */
static void name_symbols(void)
{
	FILE *symbols = fopen("build/ktrace/symbols", "we");

	assert_non_null(symbols);
	fputs("ffffffff81000000 T _text\n", symbols);
	fclose(symbols);
}

/* The inputs: opened before the directory changes. */
static int file;

/* In the directory where the inputs run: `build` is a recording, `notes.txt` a file, `empty` a directory. */
static int make_place(void **state)
{
	FILE *notes;

	file = open(FILE_NAME, O_RDONLY | O_CLOEXEC);
	if (file < 0 || begin(state) || plant())
		return -1;
	write_trace(*state, dd);
	if (chdir(base) || rename("trace", "build") || mkdir("empty", 0700) || !(notes = fopen("notes.txt", "we")))
		return -1;
	fputs("buy milk\n", notes);
	fclose(notes);
	name_symbols();
	/* Questions at the prompt are not answered. */
	if (!freopen("/dev/null", "r", stdin))
		return -1;
	return 0;
}

static int remove_place(void **state)
{
	return finish(state) || unlink(index_path);
}

/* -------------------------------------------------------------------- answers */

/* The next case: its input, and all lines up to an empty one.  False: there is none. */
static bool next_case(FILE *in, char **input, char **expected)
{
	AUTO_FREE char *line = NULL;
	size_t room = 0, len;
	FILE *out;

	*input = *expected = NULL;
	while (!*input && getline(&line, &room, in) > 0)
		if (!strncmp(line, AT_PROMPT, strlen(AT_PROMPT)) || !strncmp(line, AT_SHELL, strlen(AT_SHELL)))
			*input = mem_strndup(line, strcspn(line, "\n"));
	if (!*input)
		return false;
	out = open_memstream(expected, &len);
	while (getline(&line, &room, in) > 0 && *line != '\n')
		fputs(line, out);
	fclose(out);
	return true;
}

static void test_answers(void **state)
{
	AUTO_CLOSE FILE *in = fdopen(file, "r");
	unsigned int nr = 0, wrong = 0;
	char *input, *expected;

	while (next_case(in, &input, &expected)) {
		AUTO_FREE char *got = answer(input);

		if (strcmp(got, expected) || strstr(got, "[0]\n")) {
			print_message("%s\n%s\n%s has:\n%s\n", input, got, FILE_NAME, expected);
			wrong++;
		}
		free(input);
		free(expected);
		nr++;
	}
	print_message("%u inputs\n", nr);
	assert_int_equal(wrong, 0);
	assert_true(nr >= 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test_setup_teardown(test_answers, make_place, remove_place) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
