// SPDX-License-Identifier: GPL-2.0-or-later
/* corpus.c - see corpus.h. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "corpus.h"

const struct corpus_record *corpus_open(const char *path, size_t *nr)
{
	const struct corpus_record *records = NULL;
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &status) && status.st_size)
		records = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (!records || records == MAP_FAILED)
		return NULL;
	*nr = status.st_size / sizeof(*records);
	return records;
}
