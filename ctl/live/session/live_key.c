// SPDX-License-Identifier: GPL-2.0-or-later
/* live_key.c - see live_key.h. */
#include "ctl/live/session/live_key.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "symbols/base/hash.h"

static void add_number(struct digest *digest, uint64_t v)
{
	digest_add(digest, &v, sizeof(v));
}

/* Adds the beginning of a file as one read gives it.  Returns its length, or -1. */
static ssize_t add_beginning(struct digest *digest, const char *path, char *out, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, out, size - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return -1;
	out[n] = '\0';
	digest_add(digest, out, n);
	return n;
}

static bool add_boot(struct digest *digest)
{
	char id[64];

	return add_beginning(digest, "/proc/sys/kernel/random/boot_id", id, sizeof(id)) > 0;
}

/* Where the kernel hides its addresses (kernel.kptr_restrict), nothing that is kept may tell them. */
static bool add_addresses(struct digest *digest)
{
	char text[4096];
	ssize_t n = add_beginning(digest, "/proc/kallsyms", text, sizeof(text));

	for (const char *line = text; n > 0 && line && *line; line = strchr(line, '\n'), line += line ? 1 : 0)
		if (strspn(line, "0") < strspn(line, "0123456789abcdef"))
			return true;
	return false;
}

static uint64_t inode_of(const char *module)
{
	char path[160];
	struct stat st;

	snprintf(path, sizeof(path), "/sys/module/%s", module);
	return stat(path, &st) ? 0 : st.st_ino;
}

bool live_modules(const char *list, bool (*fn)(void *arg, const struct live_module *module), void *arg)
{
	FILE *file = fopen(list, "re");
	char line[4096], name[128], size[32], state[32], address[32];
	bool ok = file || errno == ENOENT;	/* a kernel without modules has no such file */

	while (ok && file && fgets(line, sizeof(line), file))
		ok = sscanf(line, "%127s %31s %*s %*s %31s %31s", name, size, state, address) == 4 &&
		     fn(arg, &(struct live_module){ name, size, address, inode_of(name), !strcmp(state, "Live") });
	if (file)
		fclose(file);
	return ok;
}

static bool add_module(void *arg, const struct live_module *module)
{
	struct digest *digest = arg;

	digest_add_text(digest, module->name);
	digest_add_text(digest, module->size);
	digest_add_text(digest, module->address);
	add_number(digest, module->inode);
	return module->is_live && module->inode;
}

static bool add_modules(struct digest *digest)
{
	return live_modules("/proc/modules", add_module, digest);
}

/*
 * The kernel lists the code of BPF programs and what it makes to call them, too.  Their numbers are never used again
 * before 2^31 of them were (bpf(2), BPF_PROG_GET_NEXT_ID).
 */
static bool hash_numbers(enum bpf_cmd next, uint64_t *hash)
{
	union bpf_attr attr;
	uint32_t id = 0;

	for (;;) {
		memset(&attr, 0, sizeof(attr));
		attr.start_id = id;
		if (syscall(SYS_bpf, next, &attr, sizeof(attr)))
			break;
		id = attr.next_id;
		*hash = hash_number(*hash, id);
	}
	*hash = hash_number(*hash, next);
	/* EINVAL: the kernel has no such command. */
	return errno == ENOENT || errno == ENOSYS || errno == EINVAL;
}

bool live_bpf(uint64_t *hash)
{
	return hash_numbers(BPF_PROG_GET_NEXT_ID, hash) && hash_numbers(BPF_LINK_GET_NEXT_ID, hash);
}

static bool add_bpf(struct digest *digest)
{
	uint64_t hash = HASH_START;
	const bool ok = live_bpf(&hash);

	add_number(digest, hash);
	return ok;
}

/* The files contain C structs of this program.  Another build may have other structs, so it gets another key. */
static bool add_program(struct digest *digest)
{
	struct stat st;

	if (stat("/proc/self/exe", &st))
		return false;
	add_number(digest, st.st_dev);
	add_number(digest, st.st_ino);
	add_number(digest, st.st_size);
	add_number(digest, st.st_mtim.tv_sec);
	add_number(digest, st.st_mtim.tv_nsec);
	return true;
}

/* Without root the kernel hides its addresses. */
static bool begin(struct digest *digest)
{
	digest_begin(digest);
	return !geteuid() && add_program(digest) && add_boot(digest) && add_addresses(digest);
}

bool live_key(char key[KEPT_KEY])
{
	struct digest digest;

	if (!begin(&digest) || !add_modules(&digest) || !add_bpf(&digest))
		return false;
	digest_end(&digest, key);
	return true;
}

bool live_key_of_types(const char *module, char key[KEPT_KEY])
{
	struct digest digest;

	if (*module)
		return live_key(key);
	if (!begin(&digest))
		return false;
	digest_end(&digest, key);
	return true;
}
