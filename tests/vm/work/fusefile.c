// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Serve a file system (FUSE) with one file: fusefile DIR FILE mounts it at DIR, where DIR/FILE's name has the bytes of FILE, prints
 * "ready", and answers until it is killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <linux/fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOT	1	/* ids of nodes */
#define ENTRY	2
#define FOREVER	1000000

static int device, file;
static struct stat of;
static const char *name;

static void answer(const struct fuse_in_header *in, int error, const void *data, size_t len)
{
	static char out[sizeof(struct fuse_out_header) + (1 << 17)];
	const struct fuse_out_header head = { .len = sizeof(head) + len, .error = -error, .unique = in->unique };

	memcpy(out, &head, sizeof(head));
	if (len)
		memcpy(out + sizeof(head), data, len);
	/* The one who asked may be gone. */
	(void)!write(device, out, head.len);
}

static struct fuse_attr attributes(uint64_t node)
{
	return (struct fuse_attr){
		.ino = node, .mode = node == ROOT ? S_IFDIR | 0755 : S_IFREG | 0755, .nlink = 1,
		.size = node == ROOT ? 0 : of.st_size, .blksize = 4096,
	};
}

static void look_up(const struct fuse_in_header *in, const char *which)
{
	const struct fuse_entry_out entry = {
		.nodeid = ENTRY, .entry_valid = FOREVER, .attr_valid = FOREVER, .attr = attributes(ENTRY),
	};

	if (in->nodeid == ROOT && !strcmp(which, name))
		answer(in, 0, &entry, sizeof(entry));
	else
		answer(in, ENOENT, NULL, 0);
}

static void read_file(const struct fuse_in_header *in, const struct fuse_read_in *what)
{
	static char data[1 << 17];
	const ssize_t n = pread(file, data, what->size < sizeof(data) ? what->size : sizeof(data), what->offset);

	answer(in, n < 0 ? EIO : 0, data, n < 0 ? 0 : n);
}

static void serve(const struct fuse_in_header *in)
{
	const struct fuse_init_out init = {
		.major = FUSE_KERNEL_VERSION, .minor = 26, .max_readahead = 1 << 16, .max_write = 1 << 16,
	};
	const struct fuse_attr_out attr = { .attr_valid = FOREVER, .attr = attributes(in->nodeid) };
	const struct fuse_open_out opened = { .open_flags = FOPEN_KEEP_CACHE };

	switch (in->opcode) {
	case FUSE_INIT: answer(in, 0, &init, sizeof(init)); break;
	case FUSE_LOOKUP: look_up(in, (const char *)(in + 1)); break;
	case FUSE_GETATTR: answer(in, 0, &attr, sizeof(attr)); break;
	case FUSE_OPEN: answer(in, 0, &opened, sizeof(opened)); break;
	case FUSE_READ: read_file(in, (const void *)(in + 1)); break;
	case FUSE_FLUSH: case FUSE_RELEASE: answer(in, 0, NULL, 0); break;
	case FUSE_FORGET: case FUSE_BATCH_FORGET: case FUSE_INTERRUPT: break;
	default: answer(in, ENOSYS, NULL, 0);
	}
}

static void must(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(1);
}

int main(int argc, char **argv)
{
	static char request[1 << 18] __attribute__((aligned(8)));
	char options[128];

	if (argc != 3) {
		fputs("usage: fusefile DIR FILE\n", stderr);
		return 2;
	}
	file = open(argv[2], O_RDONLY | O_CLOEXEC);
	must(file >= 0 && fstat(file, &of) == 0, argv[2]);
	name = basename(argv[2]);
	device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	must(device >= 0, "/dev/fuse");
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", device);
	must(mount("fusefile", argv[1], "fuse", 0, options) == 0, "mount");
	puts("ready");
	fflush(stdout);
	while (read(device, request, sizeof(request)) > 0)
		serve((const void *)request);
	return 0;
}
