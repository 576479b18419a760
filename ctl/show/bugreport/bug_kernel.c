// SPDX-License-Identifier: GPL-2.0-or-later
/* bug_kernel.c - parts of a report: the kernel and how it was built and booted, its log.  See bugreport.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "ctl/base/below.h"
#include "ctl/base/memory.h"
#include "ctl/show/bugreport/bugreport.h"
#include "symbols/image/image.h"

/* ------------------------------------------------------------------- options */

/* What decides how ktrace patches, reads and measures; none has a text as value. */
static const char *const options[] = {
	"MODULES", "MODULE_SIG", "MODULE_SIG_FORCE", "MODVERSIONS", "KPROBES", "OPTPROBES", "KPROBES_ON_FTRACE", "KALLSYMS", "KALLSYMS_ALL", "UPROBES",
	"FTRACE", "FUNCTION_TRACER", "DYNAMIC_FTRACE", "FPROBE", "LIVEPATCH", "JUMP_LABEL", "HAVE_STATIC_CALL", "BPF_SYSCALL", "BPF_JIT",
	"DEBUG_INFO_BTF", "DEBUG_INFO_BTF_MODULES", "UNWINDER_ORC", "UNWINDER_FRAME_POINTER", "PREEMPT", "PREEMPT_DYNAMIC", "PREEMPT_RT",
	"PREEMPT_VOLUNTARY", "PREEMPT_NONE", "STRICT_KERNEL_RWX", "STRICT_MODULE_RWX", "RANDOMIZE_BASE", "CFI_CLANG", "CC_IS_CLANG", "LTO_CLANG",
	"KASAN", "KCSAN", "LOCKDEP", "DEBUG_PREEMPT", "SECURITY_LOCKDOWN_LSM", "TRACEPOINTS", "MMU_NOTIFIER", "NR_CPUS", "HZ", "PAGE_SIZE_4KB",
	"PARAVIRT", "XEN", "HYPERVISOR_GUEST",
};

/* "CONFIG_HZ=250" or "# CONFIG_KASAN is not set"; a value is a number, or y, m. */
static void take_option(const char *line, FILE *out)
{
	static const char prefix[] = "CONFIG_";
	const char *name = strstr(line, prefix);
	size_t len;

	if (!name || (name != line && strncmp(line, "# ", 2)))
		return;
	len = strcspn(name + strlen(prefix), "= ");
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		const char *value = name + strlen(prefix) + len + 1;

		if (strlen(options[i]) != len || strncmp(options[i], name + strlen(prefix), len))
			continue;
		if (name == line && value[strspn(value, "0123456789ynm")] == '\n')
			bug_row(out, options[i], "%.*s", (int)strcspn(value, "\n"), value);
		else if (name != line)
			bug_row(out, options[i], "n");
	}
}

static FILE *open_config(const struct session *s, const char *release)
{
	AUTO_FREE char *boot = mem_printf("/boot/config-%s", release), *modules = mem_printf("/lib/modules/%s/config", release);
	AUTO_FREE char *packed = path_below(s->root, "/proc/config.gz");
	FILE *file = file_below(s->root, boot);
	int fd;

	if (!file)
		file = file_below(s->root, modules);
	if (file)
		return file;
	fd = open(packed, O_RDONLY | O_CLOEXEC);
	fd = fd < 0 ? fd : image_unpack(fd, packed, NULL);
	file = fd < 0 ? NULL : fdopen(fd, "r");
	if (file)
		rewind(file);
	return file;
}

static void bug_options(const struct session *s, const char *release, FILE *out)
{
	AUTO_CLOSE FILE *file = open_config(s, release);
	AUTO_FREE char *line = NULL;
	size_t room = 0;

	if (!file)
		bug_row(out, "options", "not known: there is no file with them");
	while (file && getline(&line, &room, file) > 0)
		take_option(line, out);
}

/* ------------------------------------------------------------------- release */

/* Of the command line only these, with values of letters and digits. */
static const char *const boot_words[] = {
	"mitigations", "lockdown", "preempt", "nokaslr", "nosmt", "ibt", "cfi", "isolcpus", "nohz_full", "rcu_nocbs", "idle", "clocksource",
	"tsc", "maxcpus", "noexec", "ftrace", "module.sig_enforce", "kasan", "nopti", "retbleed", "spectre_v2",
};

static void bug_boot_words(const struct session *s, FILE *out)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789,-_";
	char line[4096], *rest = NULL;

	if (!line_below(s->root, "/proc/cmdline", line, sizeof(line)))
		return;
	for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		const size_t len = strcspn(word, "=");
		const char *value = word[len] ? word + len + 1 : "";

		for (size_t i = 0; i < ARRAY_SIZE(boot_words); i++)
			if (strlen(boot_words[i]) == len && !strncmp(boot_words[i], word, len) && !value[strspn(value, plain)])
				bug_row(out, "booted with", "%s", word);
	}
}

static void bug_distribution(const struct session *s, FILE *out)
{
	AUTO_CLOSE FILE *file = file_below(s->root, "/etc/os-release");
	char line[256];

	while (file && fgets(line, sizeof(line), file)) {
		char *value = strchr(line, '=');

		if (!value || (strncmp(line, "ID=", 3) && strncmp(line, "VERSION_ID=", 11)))
			continue;
		value += 1 + (value[1] == '"');
		bug_row(out, "distribution", "%.*s", (int)strcspn(value, "\"\n"), value);
	}
}

void bug_kernel(struct session *s, FILE *out)
{
	struct utsname name;

	if (uname(&name))
		return;
	bug_row(out, "release", "%s", name.release);
	bug_row(out, "version", "%s", name.version);
	bug_row(out, "machine", "%s", name.machine);
	bug_distribution(s, out);
	bug_file(s, out, "taint", "/proc/sys/kernel/tainted");
	bug_file(s, out, "lockdown", "/sys/kernel/security/lockdown");
	bug_file(s, out, "kptr_restrict", "/proc/sys/kernel/kptr_restrict");
	bug_file(s, out, "ftrace_enabled", "/proc/sys/kernel/ftrace_enabled");
	bug_boot_words(s, out);
	bug_options(s, name.release, out);
}

/* ----------------------------------------------------------------------- log */

#define MOST_LINES	200
#define LOG_RECORD	16384	/* /dev/kmsg gives one record for each read, which must have room */

/* Lines that the modules have written, and those of a stack that lie in them. */
static bool is_ours(const char *text)
{
	static const char *const begins[] = { "ktrace: ", "ktrace_user: " }, *const parts[] = { "[ktrace]", "[ktrace_user]" };

	for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
		if (!strncmp(text, begins[i], strlen(begins[i])) || strstr(text, parts[i]))
			return true;
	return false;
}

struct lines {
	char *v[MOST_LINES];
	size_t n;	/* so far; the last ones are kept */
};

static void keep_line(struct lines *lines, const char *time, const char *text)
{
	char **to = &lines->v[lines->n++ % MOST_LINES];

	free(*to);
	*to = mem_printf("%.6f %s", strtod(time, NULL) / 1e6, text);
}

/* "6,339,5140900,-;ktrace: ..."; lines behind it that begin with a blank are properties of the record. */
static void take_record(char *record, struct lines *lines)
{
	char *rest = record, *line;

	while ((line = strsep(&rest, "\n"))) {
		char *text = strchr(line, ';'), *time = strchr(line, ',');

		time = time ? strchr(time + 1, ',') : NULL;
		if (*line != ' ' && text && time && time < text && is_ours(text + 1))
			keep_line(lines, time + 1, text + 1);
	}
}

static bool read_log(const struct session *s, struct lines *lines)
{
	AUTO_FREE char *path = path_below(s->root, "/dev/kmsg"), *record = mem_zalloc(1, LOG_RECORD + 1);
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	/* EPIPE: records were overwritten meanwhile. */
	while ((n = read(fd, record, LOG_RECORD)) > 0 || (n < 0 && errno == EPIPE)) {
		record[n > 0 ? n : 0] = '\0';
		take_record(record, lines);
	}
	close(fd);
	return true;
}

void bug_log(struct session *s, FILE *out)
{
	struct lines lines = { .n = 0 };

	if (!read_log(s, &lines))
		fprintf(out, "not readable: %s\n", strerror(errno));
	for (size_t i = lines.n > MOST_LINES ? lines.n - MOST_LINES : 0; i < lines.n; i++)
		fprintf(out, "%s\n", lines.v[i % MOST_LINES]);
	for (size_t i = 0; i < MOST_LINES; i++)
		free(lines.v[i]);
}
