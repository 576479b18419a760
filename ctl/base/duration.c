// SPDX-License-Identifier: GPL-2.0-or-later
/* duration.c - see duration.h. */
#include "ctl/base/duration.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"

static const struct unit {
	const char *name;
	double ns;
} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };

static bool take_unit(const char *text, size_t len, struct quantity *out)
{
	out->unit = "";
	out->ns = out->value;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strlen(units[i].name) != len || strncmp(text, units[i].name, len))
			continue;
		out->unit = units[i].name;
		out->ns = out->value * units[i].ns;
		return true;
	}
	return !len;
}

bool quantity_parse(const char *text, const char *until, struct quantity *out, const char **end)
{
	char *unit;
	size_t len;

	/* Refuse what strtod() would accept: a sign, "inf", a hexadecimal number. */
	if (!strchr("0123456789.", *text) || !*text || (text[0] == '0' && (text[1] | 32) == 'x'))
		return false;
	out->value = strtod(text, &unit);
	if (unit == text || !isfinite(out->value))
		return false;
	len = strcspn(unit, until);
	*end = unit + len;
	return take_unit(unit, len, out);
}

bool duration_parse(const char *text, double *ms)
{
	struct quantity q;
	const char *end;

	if (!quantity_parse(text, "", &q, &end))
		return false;
	*ms = (*q.unit ? q.ns / 1e9 : q.value) * 1e3;
	return true;
}

const char *duration_text(double ns, char buf[DURATION_SIZE])
{
	const struct unit *unit = units;
	int digits;

	if (!ns) {
		snprintf(buf, DURATION_SIZE, "0");
		return buf;
	}
	/* From here on three digits would print 1000 of the smaller unit. */
	while (unit + 1 < units + ARRAY_SIZE(units) && fabs(ns) / unit->ns >= 999.5)
		unit++;
	ns /= unit->ns;
	digits = fabs(ns) >= 99.95 ? 0 : fabs(ns) >= 9.995 ? 1 : 2;
	snprintf(buf, DURATION_SIZE, "%.*f %s", digits, ns, unit->name);
	return buf;
}

const char *count_text(unsigned long long n, char buf[DURATION_SIZE])
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%llu", n), at = 0;

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			buf[at++] = ',';
		buf[at++] = digits[i];
	}
	buf[at] = '\0';
	return buf;
}

const char *bytes_text(double bytes, const char *unit, char buf[DURATION_SIZE])
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
	int power = -1;

	for (; bytes >= 1024 && power + 1 < (int)(sizeof(units) / sizeof(*units)); power++)
		bytes /= 1024;
	if (power < 0)
		snprintf(buf, DURATION_SIZE, "%.0f %s", bytes, unit);
	else
		snprintf(buf, DURATION_SIZE, "%.1f %s", bytes, units[power]);
	return buf;
}
