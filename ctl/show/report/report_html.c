// SPDX-License-Identifier: GPL-2.0-or-later
/* report_html.c - a measurement as an HTML page without external parts. */
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "ctl/base/duration.h"
#include "ctl/base/escape.h"
#include "ctl/base/memory.h"
#include "ctl/show/report/chart.h"
#include "ctl/show/report/report_int.h"

static const char style[] =
	":root{color-scheme:light dark;--bg:#fcfcfb;--card:#fff;--fg:#1c2330;--dim:#5d6675;--rule:#dfe3e9;--main:#2b6cb0;--other:#90b4d8;--mark:#dce9f6;--faint:#f1f5f9}\n"
	"@media(prefers-color-scheme:dark){:root{--bg:#14171c;--card:#1b1f26;--fg:#e4e8ee;--dim:#98a2b3;--rule:#2e3540;--main:#63a4e8;--other:#35628f;--mark:#22384f;--faint:#20262e}}\n"
	"*{box-sizing:border-box}\n"
	"body{margin:0;background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif}\n"
	"main{max-width:1000px;margin:0 auto;padding:24px 20px 60px}\n"
	"h1{font:600 21px/1.3 ui-monospace,monospace;margin:0 0 4px;overflow-wrap:anywhere}\n"
	"h2{font-size:16px;margin:0 0 10px}\n"
	"p{margin:4px 0}.dim{color:var(--dim)}\n"
	"section{background:var(--card);border:1px solid var(--rule);border-radius:8px;padding:16px 18px;margin:18px 0;overflow-x:auto}\n"
	"dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(125px,1fr));gap:12px;margin:0}\n"
	"dt{color:var(--dim);font-size:13px}dd{margin:0;font:600 18px/1.3 ui-monospace,monospace;white-space:nowrap}\n"
	"dl.small{margin-top:14px;gap:4px 12px}dl.small dt,dl.small dd{display:inline;color:var(--dim);font:400 12px/1.3 system-ui,sans-serif}dl.small dt{margin-right:6px}\n"
	"svg{display:block;width:100%;height:auto}svg text{fill:var(--dim);font:12px system-ui,sans-serif}\n"
	".grid{stroke:var(--rule)}.axis{stroke:var(--dim)}.bar,.part0{fill:var(--main)}.part1{fill:var(--other)}\n"
	"pre{margin:0;font:13px/1.5 ui-monospace,monospace}code{font:13px ui-monospace,monospace;overflow-wrap:anywhere}\n"
	".curve{fill:none;stroke:var(--main);stroke-width:2.2;stroke-linejoin:round}.last{stroke-dasharray:4 4}\n"
	"table{border-collapse:collapse;width:100%;font-size:14px}th{color:var(--dim);font-weight:500;text-align:right;padding:3px 10px}\n"
	"td{text-align:right;padding:2px 10px;font-family:ui-monospace,monospace;white-space:nowrap}\n"
	"tr+tr td{border-top:1px solid var(--rule)}td.l,th.l{text-align:left}td.src{white-space:pre;tab-size:4;text-align:left}\n"
	"td.share{min-width:110px;background:linear-gradient(90deg,var(--mark) var(--s),transparent var(--s))}\n"
	"td.rest{background:linear-gradient(90deg,var(--faint) var(--s),transparent var(--s))}\n"
	"details{margin-top:8px}summary{color:var(--dim);font-size:14px;cursor:pointer}\n";

static void section(FILE *out, const char *title)
{
	fprintf(out, "<section>\n<h2>%s</h2>\n", title);
}

static void end_section(FILE *out)
{
	fputs("</section>\n", out);
}

/* -------------------------------------------------------------------- head */

static void print_when(const struct measurement *m, FILE *out)
{
	const time_t seconds = (time_t)m->began_at;
	char when[64], took[DURATION_SIZE];
	struct tm tm;

	strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S UTC", gmtime_r(&seconds, &tm));
	fprintf(out, "<p class=\"dim\">%s, for %s, clock %s</p>\n", when,
		duration_text(measure_ns(m, m->ended - m->began), took), m->clock);
}

/* Where it was measured. */
static void print_host(FILE *out)
{
	struct utsname name;

	if (uname(&name))
		return;
	fputs("<p class=\"dim\" id=\"host\">", out);
	escape_html(out, name.nodename);
	fputs(", Linux ", out);
	escape_html(out, name.release);
	fputs("</p>\n", out);
}

void html_typed(const char *typed, FILE *out)
{
	if (!typed)
		return;
	fputs("<p class=\"dim\"><code id=\"command\">ktrace ", out);
	escape_html(out, typed);
	fputs("</code></p>\n", out);
}

static void print_more(const char *text, FILE *out)
{
	if (!text)
		return;
	fputs(" \302\267 ", out);
	escape_html(out, text);
}

static void print_end(const char *label, const struct measure_end *end, FILE *out)
{
	if (!end->spec)
		return;
	fprintf(out, "<p class=\"dim\">%s ", label);
	escape_html(out, end->spec);
	print_more(end->where, out);
	print_more(end->method, out);
	fputs("</p>\n", out);
}

void html_begin(const char *title, FILE *out)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>ktrace ", out);
	escape_html(out, title);
	fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n<h1>ktrace ", style);
	escape_html(out, title);
	fputs("</h1>\n", out);
}

void html_end(FILE *out)
{
	fputs("<p class=\"dim\">ktrace " KTRACE_VERSION "</p>\n</main>\n</body>\n</html>\n", out);
}

static void print_head(const struct report *r, FILE *out)
{
	AUTO_FREE char *title = report_title(r);

	html_begin(title, out);
	print_when(r->m, out);
	print_host(out);
	html_typed(r->typed, out);
	print_end("from", &r->m->from, out);
	print_end("to", &r->m->to, out);
}

/* ----------------------------------------------------------------- figures */

/* What tells how good the figures are: of losses only that there was none. */
static bool is_small_print(const struct measurement *m, const struct measure_field *field)
{
	return !strcmp(field->name, "ci99") ||
	       ((!strcmp(field->name, "unpaired") || !strcmp(field->name, "lost")) && !field->get(m));
}

static void print_list(const struct measurement *m, bool small, FILE *out)
{
	char text[DURATION_SIZE];

	fprintf(out, "<dl%s>\n", small ? " class=\"small\"" : "");
	for (const struct measure_field *field = measure_fields; field->name; field++) {
		if (is_small_print(m, field) != small || (field->is_time && (!m->all.count || m->all.is_count)))
			continue;
		fprintf(out, "<div title=\"%s\"><dt>%s</dt><dd id=\"%s\">%s</dd></div>\n", field->meaning, field->name,
			field->key, measure_text(m, field, text));
	}
	fputs("</dl>\n", out);
}

static void print_figures(const struct measurement *m, FILE *out)
{
	section(out, measure_subject(m));
	print_list(m, false, out);
	print_list(m, true, out);
	end_section(out);
}

static void print_distribution(const struct measurement *m, FILE *out)
{
	if (!m->all.count || !m->all.buckets)
		return;
	section(out, "Histogram");
	chart_histogram(m, out);
	end_section(out);
	if (!measure_known(m, measure_field_find("p90")))
		return;
	section(out, "Percentiles");
	chart_percentiles(m, out);
	end_section(out);
}

static void print_course(const struct report *r, FILE *out)
{
	if (!r->timeline && r->m->kind != MEASURE_LINES)
		return;
	section(out, "Timeline");
	if (r->timeline)
		chart_timeline(r->m, r->timeline, out);
	else
		chart_call(r->m, out);
	end_section(out);
}

/* ------------------------------------------------------------------ tables */

static void print_table(struct sheet sheet, const char *title, const char *id, FILE *out)
{
	if (sheet_rows(&sheet)) {
		section(out, title);
		sheet_html(&sheet, id, NULL, out);
		end_section(out);
	}
	sheet_free(&sheet);
}

static void print_foot(const struct measurement *m, FILE *out)
{
	AUTO_FREE char *correction = correction_text(m);

	if (report_has_few(m))
		fprintf(out, "<p class=\"dim\">%s</p>\n", few_note);
	if (correction)
		fprintf(out, "<p class=\"dim\">%s</p>\n", correction);
	for (const struct unpaired_cause *cause = unpaired_causes; cause->key; cause++)
		if (cause->get(m))
			fprintf(out, "<p class=\"dim\">%llu %s</p>\n", (unsigned long long)cause->get(m), unpaired_text(cause, m));
	if (m->key && m->lost)
		fprintf(out, "<p class=\"dim\">%llu %s</p>\n", (unsigned long long)m->lost, lost_text(m));
	html_end(out);
}

void report_html(const struct report *r, FILE *out)
{
	print_head(r, out);
	print_figures(r->m, out);
	print_distribution(r->m, out);
	print_course(r, out);
	print_table(report_groups(r, true), "Groups", "groups", out);
	if (r->m->tables)
		fputs(r->m->tables, out);
	print_table(report_outliers(r->m), "The slowest", "outliers", out);
	print_table(report_listing(r), "Source", "listing", out);
	print_table(report_exits(r->m, false), "Where calls left it", NULL, out);
	print_table(report_exits(r->m, true), "Where the other calls left it", NULL, out);
	print_foot(r->m, out);
}
