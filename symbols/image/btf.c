// SPDX-License-Identifier: GPL-2.0-or-later
/* btf.c - read BTF (Documentation/bpf/btf.rst); offsets that lead out of it are refused.  See btf.h. */
#include "symbols/image/btf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define MAGIC		0xeb9f
#define HEADER		24
#define LARGEST		(256UL << 20)	/* BTF of a large kernel has 10 MB */
#define DEEPEST		64		/* nesting of names; a deeper one is damaged */

/* The bytes behind the head of a type: once, and for each of its n elements. */
static const struct {
	uint8_t once, each;
} behind[NR_BTF_KINDS] = {
	[BTF_INT] = { 4, 0 }, [BTF_ARRAY] = { 12, 0 }, [BTF_STRUCT] = { 0, 12 }, [BTF_UNION] = { 0, 12 },
	[BTF_ENUM] = { 0, 8 }, [BTF_PROTO] = { 0, 8 }, [BTF_VAR] = { 4, 0 }, [BTF_SECTION] = { 0, 12 },
	[BTF_DECL_TAG] = { 4, 0 }, [BTF_ENUM64] = { 0, 12 },
};

static bool take_type(struct cursor *c, struct btf_type *out)
{
	uint32_t name = cursor_uint(c, 4), info = cursor_uint(c, 4), kind = info >> 24 & 0x1f;
	uint64_t len;

	*out = (struct btf_type){ .kind = kind, .name = name, .n = info & 0xffff, .flag = info >> 31 };
	out->value = cursor_uint(c, 4);
	out->rest = *c;
	if (!kind || kind >= NR_BTF_KINDS)
		return false;
	len = behind[kind].once + (uint64_t)behind[kind].each * out->n;
	cursor_take(c, len);
	out->rest.end = c->at;
	return !c->bad;
}

/* ------------------------------------------------------------------- parse */

static bool find_types(struct btf *btf)
{
	struct cursor c = cursor_of(btf->types, btf->types_len);
	struct btf_type type;
	uint32_t n = 0;

	/* The head of each type takes twelve bytes. */
	btf->starts = malloc((btf->types_len / 12 + 1) * sizeof(*btf->starts));
	while (btf->starts && cursor_left(&c)) {
		btf->starts[n++] = c.at - btf->types;
		if (!take_type(&c, &type))
			return false;
	}
	btf->nr = btf->first + n;
	return btf->starts;
}

static bool take_part(struct cursor from, uint64_t offset, uint64_t len, const uint8_t **out, size_t *out_len)
{
	cursor_take(&from, offset);
	*out = cursor_take(&from, len);
	*out_len = len;
	return *out;
}

/* Offsets of the parts count from the end of the header, which may be longer in newer versions. */
static bool take_header(struct btf *btf, const uint8_t *data, size_t len)
{
	struct cursor c = cursor_of(data, len), body = c;
	uint64_t magic = cursor_uint(&c, 2), version = cursor_uint(&c, 1), header, at[4];
	const uint8_t *strings;

	cursor_uint(&c, 1);
	header = cursor_uint(&c, 4);
	for (size_t i = 0; i < 4; i++)
		at[i] = cursor_uint(&c, 4);
	if (c.bad || magic != MAGIC || version != 1 || header < HEADER || !cursor_take(&body, header) ||
	    !take_part(body, at[0], at[1], &btf->types, &btf->types_len) ||
	    !take_part(body, at[2], at[3], &strings, &btf->strings_len))
		return false;
	btf->strings = (const char *)strings;
	return !btf->strings_len || !btf->strings[btf->strings_len - 1];
}

bool btf_parse(const uint8_t *data, size_t len, const struct btf *base, const char *what, struct btf *out,
	       struct debug_error *err)
{
	*out = (struct btf){
		.base = base, .first = base ? base->nr : 1,
		.first_string = base ? base->first_string + base->strings_len : 0,
	};
	if (len <= LARGEST && take_header(out, data, len) && find_types(out))
		return true;
	btf_free(out);
	return debug_fail(err, "%s: damaged, or from a kernel that is too new: its types are not used", what);
}

/* Files below /sys need not report their length. */
static bool slurp(int fd, uint8_t **out, size_t *len)
{
	size_t room = 0;
	ssize_t n = 1;

	for (*out = NULL, *len = 0; n > 0 && *len <= LARGEST; *len += n > 0 ? n : 0) {
		if (*len == room) {
			uint8_t *more = realloc(*out, room = 2 * room + (1 << 20));

			if (!more)
				return false;
			*out = more;
		}
		n = read(fd, *out + *len, room - *len);
	}
	return !n;
}

bool btf_read(const char *path, const struct btf *base, struct btf *out, struct debug_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint8_t *data = NULL;
	size_t len;
	bool ok;

	*out = (struct btf){ 0 };
	if (fd < 0)
		return debug_fail(err, "%s: %s: types are not taken from there", path, strerror(errno));
	ok = slurp(fd, &data, &len) ? btf_parse(data, len, base, path, out, err)
				    : debug_fail(err, "%s: it cannot be read: its types are not used", path);
	close(fd);
	if (ok)
		out->own = data;
	else
		free(data);
	return ok;
}

void btf_free(struct btf *btf)
{
	free(btf->starts);
	free(btf->own);
	*btf = (struct btf){ 0 };
}

/* ------------------------------------------------------------------- types */

const char *btf_string(const struct btf *btf, uint32_t string)
{
	while (btf && string < btf->first_string)
		btf = btf->base;
	if (!btf || string - btf->first_string >= btf->strings_len)
		return "";
	return btf->strings + (string - btf->first_string);
}

bool btf_type(const struct btf *btf, uint32_t number, struct btf_type *out)
{
	struct cursor c;

	while (btf && number < btf->first)
		btf = btf->base;
	if (!btf || number >= btf->nr)
		return false;
	c = cursor_at(btf->types, btf->types_len, btf->starts[number - btf->first]);
	return take_type(&c, out);
}

uint32_t btf_untagged(const struct btf *btf, uint32_t number)
{
	struct btf_type type;

	for (unsigned int depth = 0; depth < DEEPEST; depth++) {
		if (!btf_type(btf, number, &type) || type.kind != BTF_TYPE_TAG)
			return number;
		number = type.value;
	}
	return 0;
}

static bool is_other_name(enum btf_kind kind)
{
	return kind == BTF_TYPEDEF || kind == BTF_CONST || kind == BTF_VOLATILE || kind == BTF_RESTRICT ||
	       kind == BTF_TYPE_TAG;
}

bool btf_resolve(const struct btf *btf, uint32_t number, struct btf_type *out)
{
	for (unsigned int depth = 0; depth < DEEPEST; depth++) {
		if (!btf_type(btf, number, out))
			return false;
		if (!is_other_name(out->kind))
			return true;
		number = out->value;
	}
	return false;
}
