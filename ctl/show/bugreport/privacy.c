// SPDX-License-Identifier: GPL-2.0-or-later
/* privacy.c - see privacy.h. */
#include "ctl/show/bugreport/privacy.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "ctl/base/below.h"
#include "ctl/base/memory.h"

#define DIGITS	"0123456789"
#define HEX	DIGITS "abcdefABCDEF"
#define LETTERS	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

#define FIRST_USER	1000	/* users with smaller numbers are the system's, the same everywhere */
#define LAST_USER	60000

/* -------------------------------------------------------------------- names */

static void add(struct privacy *privacy, const char *name, const char *instead)
{
	if (!name || !*name || !strcmp(name, "root") || !strcmp(name, "localhost") || !strcmp(name, "(none)"))
		return;
	privacy->names = MEM_MORE(privacy->names, privacy->nr_names);
	privacy->names[privacy->nr_names++] = (struct private_name){ mem_strdup(name), instead };
}

/* "box.example.org": the whole name, then its first part. */
static void add_host(struct privacy *privacy, char *name)
{
	add(privacy, name, "<host>");
	if (strchr(name, '.')) {
		add(privacy, strchr(name, '.') + 1, "<host>");
		name[strcspn(name, ".")] = '\0';
		add(privacy, name, "<host>");
	}
}

static void add_host_of(struct privacy *privacy, const char *root, const char *path)
{
	char line[256];

	if (line_below(root, path, line, sizeof(line)))
		add_host(privacy, line);
}

/* The full name is in the first part of the comment; each of its words counts. */
static void add_full_name(struct privacy *privacy, char *comment)
{
	char *rest = NULL;

	comment[strcspn(comment, ",")] = '\0';
	for (char *word = strtok_r(comment, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		if (strlen(word) > 2)
			add(privacy, word, "<user>");
}

/* "alice:x:1000:1000:Alice Miller,,,:/home/alice:/bin/bash" */
static void add_user(struct privacy *privacy, char *line)
{
	char *fields[5], *rest = line;
	unsigned long id;

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		fields[i] = strsep(&rest, ":");
		if (!fields[i])
			return;
	}
	id = strtoul(fields[2], NULL, 10);
	if (id < FIRST_USER || id >= LAST_USER)
		return;
	add(privacy, fields[0], "<user>");
	add_full_name(privacy, fields[4]);
}

static void add_users(struct privacy *privacy, const char *root)
{
	AUTO_CLOSE FILE *file = file_below(root, "/etc/passwd");
	AUTO_FREE char *line = NULL;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0)
		add_user(privacy, line);
}

void privacy_open(struct privacy *privacy, const char *root)
{
	static const char *const of_user[] = { "SUDO_USER", "USER", "LOGNAME" };
	char host[256] = "";

	*privacy = (struct privacy){ .names = NULL };
	gethostname(host, sizeof(host) - 1);
	add_host(privacy, host);
	add_host_of(privacy, root, "/etc/hostname");
	add_host_of(privacy, root, "/proc/sys/kernel/hostname");
	add_host_of(privacy, root, "/proc/sys/kernel/domainname");
	add_users(privacy, root);
	for (size_t i = 0; i < ARRAY_SIZE(of_user); i++)
		add(privacy, getenv(of_user[i]), "<user>");
}

void privacy_close(struct privacy *privacy)
{
	for (size_t i = 0; i < privacy->nr_names; i++)
		free(privacy->names[i].name);
	free(privacy->names);
}

/* -------------------------------------------------------------------- rules */

/* Each returns how many bytes at `at` are private, and what stands there instead; 0: none.  `begin` is that of the line. */
typedef size_t rule_fn(const struct privacy *privacy, const char *begin, const char *at, const char **instead);

static bool is_behind(const char *begin, const char *at, const char *set)
{
	return at > begin && strchr(set, at[-1]);
}

/* password=..., token: ...; all that follows on the line. */
static size_t find_secret(const struct privacy *privacy, const char *begin, const char *at, const char **instead)
{
	static const char *const words[] = { "password", "passwd", "passphrase", "secret", "token", "apikey", "api_key", "key", "-----BEGIN" };

	*instead = "<secret>";
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const size_t len = strlen(words[i]);

		if (!strncasecmp(at, words[i], len) && (at[len] == '=' || at[len] == ':' || *words[i] == '-'))
			return strlen(at);
	}
	return 0;
}

/* Paths that are the same on every machine. */
static bool is_common(const char *path)
{
	static const char *const prefixes[] = {
		"/boot/", "/dev/kmsg", "/dev/ktrace", "/etc/os-release", "/lib/modules/", "/proc/kallsyms", "/proc/kcore", "/proc/modules",
		"/proc/self/", "/proc/sys/", "/proc ", "/sys/", "/sys ", "/usr/lib/debug/", "/usr/src/", "/var/lib/dkms/", "/var/lib/shim-signed/",
	};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strncmp(path, prefixes[i], strlen(prefixes[i])))
			return !strstr(path, "..");
	return false;
}

/* A name in a path may have blanks: it ends where the sentence goes on. */
static size_t path_length(const char *path)
{
	size_t n = 0;

	for (; path[n]; n++)
		if (strchr(",;:)\"'", path[n]) && (!path[n + 1] || path[n + 1] == ' '))
			break;
	return n;
}

static size_t find_path(const struct privacy *privacy, const char *begin, const char *at, const char **instead)
{
	*instead = "<path>";
	if ((*at != '/' && strncmp(at, "~/", 2)) || is_behind(begin, at, DIGITS LETTERS "_.>)"))
		return 0;
	if (at[1] == '\0' || at[1] == ' ' || is_common(at))
		return 0;
	return path_length(at);
}

/* box.example.org, alice@box */
static size_t find_mail(const struct privacy *privacy, const char *begin, const char *at, const char **instead)
{
	static const char set[] = LETTERS DIGITS "._%+-";
	const size_t user = is_behind(begin, at, set) ? 0 : strspn(at, set), host = user && at[user] == '@' ? strspn(at + user + 1, set) : 0;

	*instead = "<name>";
	return host ? user + 1 + host : 0;
}

/* 192.0.2.7 */
static size_t find_ip(const struct privacy *privacy, const char *begin, const char *at, const char **instead)
{
	size_t n = 0;

	*instead = "<address>";
	if (is_behind(begin, at, DIGITS "."))
		return 0;
	for (int i = 0; i < 4; i++) {
		const size_t digits = strspn(at + n, DIGITS);

		if (!digits || digits > 3 || (i < 3 && at[n + digits] != '.'))
			return 0;
		n += digits + (i < 3);
	}
	return n;
}

/* 02:00:5e:10:00:00, 2001:db8::1; a time of the day has fewer colons. */
static size_t find_colons(const struct privacy *privacy, const char *begin, const char *at, const char **instead)
{
	const size_t n = is_behind(begin, at, HEX ":") ? 0 : strspn(at, HEX ":");
	size_t colons = 0;
	bool two = false;

	*instead = "<address>";
	for (size_t i = 0; i < n; i++) {
		colons += at[i] == ':';
		two |= at[i] == ':' && i + 1 < n && at[i + 1] == ':';
	}
	return n > 3 && (colons >= 5 || two) ? n : 0;
}

/* Addresses of memory, checksums, build ids: 0x and five digits, or eight hexadecimal digits that are no word and no count. */
static size_t find_hex(const struct privacy *privacy, const char *begin, const char *at, const char **instead)
{
	const bool marked = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
	const size_t digits = strspn(at + 2 * marked, HEX), decimal = strspn(at, DIGITS);

	*instead = "<address>";
	if (is_behind(begin, at, HEX))
		return 0;
	if (marked)
		return digits >= 5 ? 2 + digits : 0;
	if (decimal == digits)
		return digits >= 16 ? digits : 0;
	return digits >= 12 || (digits >= 8 && strcspn(at, DIGITS) < digits) ? digits : 0;
}

/* Long words of letters of both cases with digits: keys, hashes, serial numbers. */
static size_t find_key(const struct privacy *privacy, const char *begin, const char *at, const char **instead)
{
	const size_t n = is_behind(begin, at, LETTERS DIGITS) ? 0 : strspn(at, LETTERS DIGITS "+/");
	bool upper = false, lower = false, digit = false;

	*instead = "<key>";
	for (size_t i = 0; i < n; i++) {
		upper |= isupper((unsigned char)at[i]) != 0;
		lower |= islower((unsigned char)at[i]) != 0;
		digit |= isdigit((unsigned char)at[i]) != 0;
	}
	return n >= 16 && upper && lower && digit ? n + strspn(at + n, "=") : 0;
}

static size_t find_name(const struct privacy *privacy, const char *begin, const char *at, const char **instead)
{
	if (is_behind(begin, at, LETTERS DIGITS))
		return 0;
	for (size_t i = 0; i < privacy->nr_names; i++) {
		const struct private_name *name = &privacy->names[i];
		const size_t len = strlen(name->name);

		if (strncasecmp(at, name->name, len) || isalnum((unsigned char)at[len]))
			continue;
		*instead = name->instead;
		return len;
	}
	return 0;
}

static rule_fn *const rules[] = {
	find_secret, find_path, find_mail, find_name, find_ip, find_colons, find_hex, find_key,
};

char *privacy_clean(const struct privacy *privacy, const char *line)
{
	char *text = NULL;
	size_t len, private;
	FILE *out = open_memstream(&text, &len);

	for (const char *at = line; out && *at;) {
		const char *instead = NULL;

		private = 0;
		for (size_t i = 0; !private && i < ARRAY_SIZE(rules); i++)
			private = rules[i](privacy, line, at, &instead);
		if (private)
			fputs(instead, out);
		else
			fputc(*at, out);
		at += private ? private : 1;
	}
	if (out)
		fclose(out);
	return text;
}
