// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_buffer.c - the size and mode of the rings. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ctl/base/memory.h"
#include "ctl/base/number.h"
#include "ctl/base/suggestion.h"
#include "ctl/cmd/command.h"
#include "ctl/show/status/status.h"

static const char *const modes[KT_NR_MODES] = {
	[KT_MODE_OVERWRITE] = "overwrite",
	[KT_MODE_DISCARD] = "discard",
};

/* -------------------------------------------------------------- arguments */

static bool take_mode(const char *word, struct kt_buffer *buf)
{
	for (uint32_t mode = 0; mode < KT_NR_MODES; mode++) {
		if (strcasecmp(word, modes[mode]))
			continue;
		buf->flags |= KT_BUFFER_MODE;
		buf->mode = mode;
		return true;
	}
	return false;
}

static bool no_size(const char *word, struct error *err)
{
	struct suggestions similar = { .word = word };
	char buf[64];

	for (uint32_t mode = 0; mode < KT_NR_MODES; mode++)
		suggestion_offer(&similar, modes[mode]);
	return error_set(err, STATUS_USAGE, "buffer %s: neither a size nor a mode: %s", word,
			 suggestion_say(similar.names, similar.n, "write a size such as 512K or 4M, or overwrite or discard", buf, sizeof(buf)));
}

static bool take_size(const char *word, struct kt_buffer *buf, struct error *err)
{
	uint64_t bytes;
	bool unit;

	if (!number_bytes(word, &bytes, &unit))
		return no_size(word, err);
	if (!unit)
		return error_set(err, STATUS_USAGE, "buffer %s: the unit is missing: write %sK, %sM or %sG",
				 word, word, word, word);
	if (bytes > KT_BUFFER_MAX || bytes < KT_BUFFER_MIN)
		return error_set(err, STATUS_USAGE,
				 "buffer %s: out of range: from 8K to 1G for each CPU", word);
	buf->flags |= KT_BUFFER_SIZE;
	buf->bytes = bytes;
	return true;
}

static bool take_words(const struct words *words, struct kt_buffer *buf, struct error *err)
{
	for (size_t i = 1; i < words->n; i++) {
		const uint32_t before = buf->flags;

		if (!take_mode(words->v[i], buf) && !take_size(words->v[i], buf, err))
			return false;
		if (buf->flags == before)
			return error_set(err, STATUS_USAGE,
					 "buffer: two sizes or two modes: give one of each");
	}
	return true;
}

static void buffer_show(struct session *s, const struct kt_buffer *buf)
{
	const struct kt_hello *hello = &s->dev.hello;
	AUTO_FREE char *text = status_buffer(hello);
	AUTO_SHEET struct sheet sheet = { .key = "buffer" };

	sheet_row(&sheet);
	cell_text(&sheet, NULL, "", text);
	cell_bytes(&sheet, "buffer_bytes", NULL, buf->bytes);
	cell_number(&sheet, "cpus", NULL, hello->nr_cpus);
	cell_boolean(&sheet, "overwrite", NULL, buf->mode == KT_MODE_OVERWRITE);
	cell_number(&sheet, "dropped", NULL, buf->dropped);
	sheet_write(&sheet, s->format, s->out, false);
}

bool cmd_buffer(struct session *s, const struct words *words, struct error *err)
{
	struct kt_buffer buf = { 0 };

	if (!take_words(words, &buf, err) || !command_provide(s, words, err) || !device_buffer(&s->dev, &buf, err))
		return false;
	if (s->format != PRINT_TEXT || words->n == 1 || !s->quiet)
		buffer_show(s, &buf);
	if (buf.dropped)
		session_note(s, "warning: %llu unprinted record%s did not fit in the smaller buffer: counted as lost",
			     buf.dropped, buf.dropped == 1 ? "" : "s");
	return true;
}
