// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_index.c - index: index the debug information of a kernel. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ctl/ask/resolve/debuginfo.h"
#include "ctl/base/escape.h"
#include "ctl/base/interrupt.h"
#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"
#include "ctl/base/now.h"
#include "ctl/base/paths.h"
#include "ctl/cmd/command.h"
#include "ctl/live/session/fetch.h"
#include "ctl/live/session/session_target.h"
#include "symbols/query/beside.h"
#include "symbols/query/debug_cache.h"
#include "symbols/query/index_job.h"

struct order {
	const char *vmlinux, *out;
	struct dbindex_choice choice;
	const char **files;
};

static bool set_only(struct session *s, void *to, const struct flag *flag, const char *arg, struct error *err)
{
	struct order *order = to;

	order->files[order->choice.nr_files++] = arg;
	return true;
}

static const struct flag rows[] = {
	{ "-o", "FILE", 1, flag_set_text, offsetof(struct order, out), .summary = "write the index to FILE", .values = FLAG_FILES },
	{ "--only", "SOURCE-FILE", 1, set_only, 0, .summary = "index only this source file (may be repeated)" },
	{ .name = NULL },
};

const struct flags index_flags = { rows, 1 };

static bool take_word(void *to, const char *word, struct error *err)
{
	struct order *order = to;

	if (*word == '-' || order->vmlinux)
		return error_set(err, STATUS_USAGE, "index: unexpected '%s': see 'help index'", word);
	order->vmlinux = word;
	return true;
}

static bool parse(struct session *s, struct order *order, const struct words *words, struct error *err)
{
	order->files = mem_zalloc(words->n, sizeof(*order->files));
	order->choice.files = order->files;
	if (!flags_parse(s, words, &index_flags, order, take_word, NULL, err))
		return false;
	if (!order->vmlinux)
		return error_set(err, STATUS_USAGE, "index: give the vmlinux with debug information: see 'help index'");
	if (order->choice.nr_files && !order->out)
		return error_set(err, STATUS_USAGE, "index: --only needs -o FILE: the index kept for this user must be complete");
	return true;
}

/* The path where the index of the kernel, a module or a program is searched. */
static char *kept_path(const struct image *image, struct error *err)
{
	const struct debug_key key = image_is_kernel(image) ? debug_key_of_kernel(image) : debug_key_of_program(image, false);
	AUTO_FREE char *dir = path_of("XDG_CACHE_HOME", ".cache", "index");
	char path[PATH_MAX];

	if (!dir || !debug_cache_path(dir, &key, path, sizeof(path))) {
		error_set(err, STATUS_FAILURE, dir ? "%s has no build id, so its index cannot be kept: give -o FILE"
						   : "there is no home directory for the index of %s: give -o FILE",
			  image->path);
		return NULL;
	}
	path_make(path);
	return mem_strdup(path);
}

static bool stops_waiting(void *arg)
{
	return interrupt_pending();
}

static uint64_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_size;
}

static void report(struct session *s, const char *path, double seconds)
{
	if (s->format == PRINT_JSON) {
		struct json j = json_typed(s->out, "index");

		json_text(&j, "file", path);
		json_number(&j, "bytes", size_of(path));
		json_real(&j, "seconds", seconds);
		json_end(&j);
	} else if (!s->quiet) {
		fprintf(s->out, "%s  %.1f MiB  %.1f s\n", escape_shown(path), size_of(path) / 1048576.0, seconds);
	}
}

static bool build_kept(struct session *s, const struct image *image, const char *path, struct debug_error *err)
{
	const struct index_job job = { .image = image, .path = path, .watch = session_watch(s), .stops = stops_waiting };

	return index_job_here(&job, err) == JOB_MADE;
}

static bool build(struct session *s, const struct order *order, const struct image *image, struct error *err)
{
	AUTO_FREE char *path = order->out ? mem_strdup(order->out) : kept_path(image, err);
	const struct dbindex_choice *choice = order->choice.nr_files ? &order->choice : NULL;
	const struct dbindex_watch watch = session_watch(s);
	const int64_t began = now_ms();
	struct debug_error why;

	if (!path)
		return false;
	if (!(order->out ? dbindex_build_file(image, choice, 0, path, &watch, &why) : build_kept(s, image, path, &why)))
		return debuginfo_failed(&why, err);
	report(s, path, (now_ms() - began) / 1e3);
	return true;
}

bool cmd_index(struct session *s, const struct words *words, struct error *err)
{
	const struct debug_fetch fetch = session_fetch(s);
	struct order order = { 0 };
	struct debug_error why;
	struct image *image;
	bool ok = parse(s, &order, words, err);

	if (ok) {
		image = image_open(order.vmlinux, &why);
		ok = image && beside_find(image, "", order.vmlinux, &fetch, &why) ? build(s, &order, image, err) :
										    debuginfo_failed(&why, err);
		image_close(image);
	}
	free(order.files);
	return ok;
}
