// SPDX-License-Identifier: GPL-2.0-or-later
/* progress.c - see progress.h. */
#include "ctl/base/progress.h"

#include <inttypes.h>
#include <unistd.h>

#include "ctl/base/duration.h"
#include "ctl/base/guard.h"
#include "ctl/base/now.h"

#define EVERY_MS	250
#define SOON_MS		1000	/* work that ends sooner is not shown */

struct progress_line progress_open(FILE *out, bool quiet, bool busy)
{
	const int fd = guard_fd(out);

	const bool is_terminal = fd >= 0 && isatty(fd);

	if (quiet || fd < 0 || (is_terminal && busy && isatty(STDOUT_FILENO)))
		return (struct progress_line){ .out = out };
	return (struct progress_line){ .out = out, .form = is_terminal ? PROGRESS_REWRITTEN : PROGRESS_ONCE };
}

/* Has this piece of work taken so long that the user may ask himself what is done? */
static bool lasts(struct progress_line *line, int64_t now)
{
	if (!line->began_ms)
		line->began_ms = now;
	return now - line->began_ms >= SOON_MS;
}

/* Where there is no terminal: say once what lasts. */
static void say_once(struct progress_line *line, const char *what)
{
	if (line->any || !lasts(line, now_ms()))
		return;
	fprintf(line->out, "ktrace: %s ...\n", what);
	fflush(line->out);
	line->any = true;
}

void progress_show(struct progress_line *line, int64_t began_ms, int64_t at_ms, int64_t for_ms, uint64_t hits,
		   uint64_t lost)
{
	const int64_t since = at_ms - (line->any ? line->at_ms : began_ms), left = began_ms + for_ms - at_ms;
	char all[DURATION_SIZE], rate[DURATION_SIZE], gone[DURATION_SIZE];

	if (line->form != PROGRESS_REWRITTEN || since < EVERY_MS)
		return;
	guard_put_own(line->out, OWN_ERASE_LINE);
	fprintf(line->out, "ktrace: %.1f s  ", (at_ms - began_ms) / 1e3);
	if (for_ms >= 0)
		fprintf(line->out, "%.1f s left  ", left > 0 ? left / 1e3 : 0);
	fprintf(line->out, "%s hits  %s/s  %s lost", count_text(hits, all),
		count_text((hits - line->hits) * 1000 / since, rate), count_text(lost, gone));
	fflush(line->out);
	line->any = true;
	line->hits = hits;
	line->at_ms = at_ms;
}

static void say_change(struct progress_line *line, const char *what, uint32_t of)
{
	char text[96], n[DURATION_SIZE];

	snprintf(text, sizeof(text), "%s tracepoints are being %s", count_text(of, n), what);
	say_once(line, text);
}

void progress_change(struct progress_line *line, const char *what, uint32_t done, uint32_t of)
{
	if (line->form == PROGRESS_NONE || !of)
		return;
	if (line->form == PROGRESS_ONCE) {
		say_change(line, what, of);
		return;
	}
	if (!line->any) {
		line->at_ms = now_ms();
		line->hits = done;
	}
	guard_put_own(line->out, OWN_ERASE_LINE);
	fprintf(line->out, "ktrace: %" PRIu32 " of %" PRIu32 " tracepoints %s", done, of, what);
	/* Each takes about the same time. */
	if (done > line->hits)
		fprintf(line->out, ", %" PRIu64 " s left",
			((now_ms() - line->at_ms) * (of - done) / (done - line->hits) + 999) / 1000);
	fflush(line->out);
	line->any = true;
}

/* Each part takes about the same time. */
static void expect_end(struct progress_line *line, uint64_t done, uint64_t of, int64_t now)
{
	if (done == line->done || !done)
		return;
	line->done = done;
	line->ends_ms = now + (int64_t)((double)(now - line->began_ms) * (of - done) / done);
}

void progress_part(struct progress_line *line, const char *what, uint64_t done, uint64_t of)
{
	const int64_t now = now_ms();

	if (line->form == PROGRESS_NONE || !of || done > of)
		return;
	if (line->form == PROGRESS_ONCE) {
		say_once(line, what);
		return;
	}
	if (!line->began_ms)
		*line = (struct progress_line){ .out = line->out, .form = line->form, .began_ms = now };
	expect_end(line, done, of, now);
	if (!lasts(line, now) || (line->any && now - line->at_ms < EVERY_MS))
		return;
	guard_put_own(line->out, OWN_ERASE_LINE);
	fprintf(line->out, "ktrace: %s: %d %%", what, (int)(100 * (double)done / of));
	if (line->ends_ms > now)
		fprintf(line->out, ", %" PRId64 " s left", (line->ends_ms - now + 999) / 1000);
	fflush(line->out);
	line->any = true;
	line->at_ms = now;
}

void progress_wait(struct progress_line *line, const char *what)
{
	if (line->form == PROGRESS_ONCE)
		say_once(line, what);
	if (line->form != PROGRESS_REWRITTEN || line->any || !lasts(line, now_ms()))
		return;
	guard_put_own(line->out, OWN_ERASE_LINE);
	fprintf(line->out, "ktrace: %s ...", what);
	fflush(line->out);
	line->any = true;
}

void progress_erase(FILE *out)
{
	const int fd = guard_fd(out);

	if (fd >= 0 && isatty(fd))
		guard_put_own(out, OWN_ERASE_LINE);
}

void progress_close(struct progress_line *line)
{
	if (line->any && line->form == PROGRESS_REWRITTEN)
		guard_put_own(line->out, OWN_ERASE_LINE);
	fflush(line->out);
	line->any = false;
	line->began_ms = 0;
}
