/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btf.h - the kernel's own type information: its functions and their return types; and the bpf(2) system call.
 */
#ifndef WORK_BTF_H
#define WORK_BTF_H

#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The BTF of the kernel or of a module. A module's types and names continue those of the kernel. */
struct btf {
	const struct btf *base;
	char *data;
	const char *strings;
	uint32_t strings_from, nr_strings;	/* bytes */
	uint32_t types_from, nr_types;
	const struct btf_type **types;
};

static inline int bpf(enum bpf_cmd cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

/* Bytes that follow this struct btf_type. */
static inline size_t btf_rest(const struct btf_type *type)
{
	static const size_t fixed[] = {
		[BTF_KIND_INT] = 4, [BTF_KIND_ARRAY] = sizeof(struct btf_array), [BTF_KIND_VAR] = 4,
		[BTF_KIND_DECL_TAG] = 4,
	};
	static const size_t each[] = {
		[BTF_KIND_STRUCT] = sizeof(struct btf_member), [BTF_KIND_UNION] = sizeof(struct btf_member),
		[BTF_KIND_ENUM] = sizeof(struct btf_enum), [BTF_KIND_FUNC_PROTO] = sizeof(struct btf_param),
		[BTF_KIND_DATASEC] = sizeof(struct btf_var_secinfo), [BTF_KIND_ENUM64] = 12,
	};
	unsigned int kind = BTF_INFO_KIND(type->info);
	size_t n = 0;

	if (kind < sizeof(fixed) / sizeof(fixed[0]))
		n += fixed[kind];
	if (kind < sizeof(each) / sizeof(each[0]))
		n += each[kind] * BTF_INFO_VLEN(type->info);
	return n;
}

static inline bool btf_read_file(struct btf *btf, const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY);
	size_t room = 1 << 20;
	ssize_t n;

	*len = 0;
	if (fd < 0)
		return false;
	btf->data = malloc(room);
	while (btf->data && (n = read(fd, btf->data + *len, room - *len)) > 0) {
		*len += n;
		if (*len == room)
			btf->data = realloc(btf->data, room *= 2);
	}
	close(fd);
	return btf->data;
}

/* Read the BTF of "vmlinux", or of a module with the kernel's BTF as base; false: it does not exist. */
static inline bool btf_read(struct btf *btf, const char *name, const struct btf *base)
{
	const struct btf_header *head;
	char path[128];
	const char *at, *end;
	size_t len;

	*btf = (struct btf){ .base = base };
	snprintf(path, sizeof(path), "/sys/kernel/btf/%s", name);
	if (!btf_read_file(btf, path, &len))
		return false;
	head = (const void *)btf->data;
	if (len < sizeof(*head) || head->magic != BTF_MAGIC)
		return false;
	at = btf->data + head->hdr_len + head->type_off;
	end = at + head->type_len;
	btf->strings = btf->data + head->hdr_len + head->str_off;
	btf->nr_strings = head->str_len;
	btf->types_from = base ? base->types_from + base->nr_types : 1;
	btf->strings_from = base ? base->nr_strings : 0;
	btf->types = calloc(head->type_len / sizeof(struct btf_type) + 1, sizeof(*btf->types));
	while (btf->types && at < end) {
		const struct btf_type *type = (const void *)at;

		btf->types[btf->nr_types++] = type;
		at += sizeof(*type) + btf_rest(type);
	}
	return btf->types;
}

/* The type with this id; NULL: void. */
static inline const struct btf_type *btf_type(const struct btf *btf, uint32_t id)
{
	while (btf && id < btf->types_from)
		btf = btf->base;
	return btf && id - btf->types_from < btf->nr_types ? btf->types[id - btf->types_from] : NULL;
}

static inline const char *btf_string(const struct btf *btf, uint32_t offset)
{
	while (btf->base && offset < btf->strings_from)
		btf = btf->base;
	return btf->strings + (offset - btf->strings_from);
}

/* The type without typedefs and qualifiers. */
static inline const struct btf_type *btf_plain(const struct btf *btf, uint32_t id)
{
	const struct btf_type *type = btf_type(btf, id);

	while (type) {
		switch (BTF_INFO_KIND(type->info)) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			type = btf_type(btf, type->type);
			break;
		default:
			return type;
		}
	}
	return NULL;
}

/* The size in bytes of a scalar type: 0 for void, -1 for other types. */
static inline int btf_width(const struct btf *btf, uint32_t id)
{
	const struct btf_type *type = btf_plain(btf, id);

	if (!type)
		return 0;
	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_PTR:
		return 8;
	case BTF_KIND_INT:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return type->size <= 8 ? (int)type->size : -1;
	default:
		return -1;
	}
}

#endif
