// SPDX-License-Identifier: GPL-2.0-or-later
/* progress.c - see progress.h. */
#include "ctl/base/progress.h"

#include <inttypes.h>
#include <unistd.h>

#include "ctl/base/duration.h"

#define EVERY_MS	250

struct progress_line progress_open(FILE *out, bool quiet, bool busy)
{
	const int fd = fileno(out);

	return (struct progress_line){
		.out = out, .shown = !quiet && fd >= 0 && isatty(fd) && !(busy && isatty(STDOUT_FILENO)),
	};
}

void progress_show(struct progress_line *line, int64_t began_ms, int64_t now_ms, uint64_t hits, uint64_t lost)
{
	const int64_t since = now_ms - (line->any ? line->at_ms : began_ms);
	char all[DURATION_SIZE], rate[DURATION_SIZE], gone[DURATION_SIZE];

	if (!line->shown || since < EVERY_MS)
		return;
	fprintf(line->out, "\r\033[Kktrace: %.1f s  %s hits  %s/s  %s lost", (now_ms - began_ms) / 1e3,
		count_text(hits, all), count_text((hits - line->hits) * 1000 / since, rate), count_text(lost, gone));
	fflush(line->out);
	line->any = true;
	line->hits = hits;
	line->at_ms = now_ms;
}

void progress_change(struct progress_line *line, const char *what, uint32_t done, uint32_t of)
{
	if (!line->shown || !of)
		return;
	fprintf(line->out, "\r\033[Kktrace: %" PRIu32 " of %" PRIu32 " tracepoints %s", done, of, what);
	fflush(line->out);
	line->any = true;
}

void progress_erase(FILE *out)
{
	const int fd = fileno(out);

	if (fd >= 0 && isatty(fd))
		fputs("\r\033[K", out);
}

void progress_close(struct progress_line *line)
{
	if (line->any)
		fputs("\r\033[K", line->out);
	fflush(line->out);
	line->any = false;
}
