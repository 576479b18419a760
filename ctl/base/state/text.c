// SPDX-License-Identifier: GPL-2.0-or-later
/* text.c - parse files of /proc and /sys.  See text.h. */
#include "ctl/base/state/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"

#define MAX_CPUS	65536
#define MINOR_BITS	20
#define MAJOR_BITS	12

/* ------------------------------------------------------------------- words */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Remove blanks at both ends. */
static char *trim(char *text)
{
	size_t len;

	while (is_blank(*text))
		text++;
	len = strlen(text);
	while (len && is_blank(text[len - 1]))
		len--;
	text[len] = '\0';
	return text;
}

/* Cut off the first word; *text becomes what is behind it.  "": there is none. */
static char *next_word(char **text)
{
	char *word = *text, *end;

	while (is_blank(*word))
		word++;
	end = word + strcspn(word, " \t");
	*text = *end ? end + 1 : end;
	*end = '\0';
	return word;
}

/* ----------------------------------------------------------------- modules */

/* "name bytes users a,b, Live 0xffffffffc0000000 (OE)" */
static bool parse_module(char *line, struct state_module *out)
{
	char *name = next_word(&line), *bytes = next_word(&line), *end;

	*out = (struct state_module){ .name = name, .bytes = strtoull(bytes, &end, 10) };
	if (!*name || !isdigit((unsigned char)*bytes) || *end)
		return false;
	next_word(&line);		/* how many use it */
	next_word(&line);		/* which modules do */
	out->status = next_word(&line);
	out->address = strtoull(next_word(&line), NULL, 16);
	return true;
}

size_t state_parse_modules(char *text, struct state_module **out)
{
	struct state_module module;
	char *line;
	size_t n = 0;

	*out = NULL;
	while ((line = strsep(&text, "\n"))) {
		if (!parse_module(line, &module))
			continue;
		*out = MEM_MORE(*out, n);
		(*out)[n++] = module;
	}
	return n;
}

/* -------------------------------------------------------------- interrupts */

struct interrupts {
	struct state_interrupt *v;
	size_t n;
};

static void add_interrupt(struct interrupts *to, const struct state_interrupt *one, char *action)
{
	to->v = MEM_MORE(to->v, to->n);
	to->v[to->n] = *one;
	to->v[to->n++].action = trim(action);
}

/* The header: "           CPU0       CPU1". */
static size_t count_cpus(char *header)
{
	size_t n = 0;

	while (*next_word(&header))
		n++;
	return n;
}

/* Add up the counts, at most one for each CPU, and let *text point behind them. */
static uint64_t sum_counts(char **text, size_t cpus)
{
	uint64_t sum = 0, count;
	char *end;

	for (size_t i = 0; i < cpus; i++) {
		*text += strspn(*text, " \t");
		if (!isdigit((unsigned char)**text))
			break;
		count = strtoull(*text, &end, 10);
		if (*end && !is_blank(*end))
			break;
		sum += count;
		*text = end;
	}
	return sum;
}

/* "2", "2-edge" or "-edge": the number of the interrupt at its chip, and the name of its handling. */
static bool is_line_number(const char *word, size_t len)
{
	const size_t digits = strspn(word, "0123456789");

	return len && (digits == len || (word[digits] == '-' && len > digits + 1));
}

static bool is_trigger(const char *word, size_t len)
{
	return (len == 5 && !memcmp(word, "Level", 5)) || (len == 4 && !memcmp(word, "Edge", 4));
}

/*
 * Find the word that follows the name of the chip, which may have several words; *len is its length.  NULL: there is
 * none.
 */
static char *find_line_number(char *text, size_t *len)
{
	char *word = text + strspn(text, " \t");

	word += strcspn(word, " \t");
	while (*(word += strspn(word, " \t"))) {
		*len = strcspn(word, " \t");
		if (is_line_number(word, *len))
			return word;
		word += *len;
	}
	return NULL;
}

/* Cut off the name of the chip, and what describes the line there; return the handlers. */
static char *cut_chip(char *text, const char **chip)
{
	size_t len = 0;
	char *line = find_line_number(text, &len);

	if (!line) {
		*chip = next_word(&text);
		return text;
	}
	line[-1] = '\0';
	*chip = trim(text);
	text = line + len;
	text += strspn(text, " \t");
	len = strcspn(text, " \t");
	return is_trigger(text, len) ? text + len : text;
}

static int parse_number(const char *label)
{
	char *end;
	const long number = strtol(label, &end, 10);

	return isdigit((unsigned char)*label) && !*end && number <= INT32_MAX ? (int)number : -1;
}

/* " 24:   17   0   PCI-MSI 65536-edge      virtio0-config, other" */
static void parse_interrupt(char *line, size_t cpus, struct interrupts *to)
{
	char *colon = strchr(line, ':'), *actions, *next;
	struct state_interrupt one = { .chip = "" };

	if (!colon)
		return;
	*colon = '\0';
	one.label = trim(line);
	one.number = parse_number(one.label);
	actions = colon + 1;
	one.count = sum_counts(&actions, cpus);
	if (one.number < 0) {
		add_interrupt(to, &one, actions);
		return;
	}
	actions = cut_chip(actions, &one.chip);
	for (; actions; actions = next) {
		next = strstr(actions, ", ");
		if (next) {
			*next = '\0';
			next += 2;
		}
		add_interrupt(to, &one, actions);
	}
}

size_t state_parse_interrupts(char *text, struct state_interrupt **out)
{
	struct interrupts all = { 0 };
	char *line = strsep(&text, "\n");
	const size_t cpus = line ? count_cpus(line) : 0;

	while ((line = strsep(&text, "\n")))
		parse_interrupt(line, cpus, &all);
	*out = all.v;
	return all.n;
}

/* ----------------------------------------------------------------- numbers */

/* "3" or "0-3"; *text moves behind it. */
static bool parse_range(const char **text, unsigned long *first, unsigned long *last)
{
	char *end;

	if (!isdigit((unsigned char)**text))
		return false;
	*first = *last = strtoul(*text, &end, 10);
	if (*end == '-' && isdigit((unsigned char)end[1]))
		*last = strtoul(end + 1, &end, 10);
	*text = end;
	return *first <= *last && *last < MAX_CPUS;
}

/* The list up to its end; false: it has another form. */
static bool parse_ranges(const char *text, uint32_t **out, size_t *n)
{
	unsigned long first, last;

	do {
		if (!parse_range(&text, &first, &last))
			return false;
		for (; first <= last; first++) {
			*out = MEM_MORE(*out, *n);
			(*out)[(*n)++] = first;
		}
	} while (*text++ == ',');
	return !text[-1] || text[-1] == '\n';
}

size_t state_parse_cpus(const char *text, uint32_t **out)
{
	size_t n = 0;

	*out = NULL;
	if (parse_ranges(text, out, &n))
		return n;
	free(*out);
	*out = NULL;
	return 0;
}

bool state_parse_dev(const char *text, uint32_t *dev)
{
	unsigned long major, minor;
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	major = strtoul(text, &end, 10);
	if (*end != ':' || !isdigit((unsigned char)end[1]))
		return false;
	minor = strtoul(end + 1, &end, 10);
	if ((*end && *end != '\n') || major >> MAJOR_BITS || minor >> MINOR_BITS)
		return false;
	*dev = major << MINOR_BITS | minor;
	return true;
}
