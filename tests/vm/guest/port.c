// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames over a virtio-serial port. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <string.h>
#include <unistd.h>

#include "port.h"

int port_open(void)
{
	glob_t found;
	int port = -1;

	/* The port appears a moment after its driver is loaded. */
	for (int tries = 0; tries < 2000 && port < 0; tries++) {
		if (glob("/dev/vport*", 0, NULL, &found) == 0) {
			port = open(found.gl_pathv[0], O_RDWR | O_CLOEXEC);
			globfree(&found);
		}
		if (port < 0)
			usleep(5000);
	}
	return port;
}

static int write_all(int port, const char *data, size_t length)
{
	while (length) {
		ssize_t done = write(port, data, length);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return -1;
		data += done;
		length -= done;
	}
	return 0;
}

void port_send(int port, enum frame_type type, const void *data, size_t length)
{
	/* One buffer and one write, because each write is an exit to the host. */
	static char buffer[sizeof(struct frame) + PORT_CHUNK];
	struct frame frame = { .type = type, .length = length };

	memcpy(buffer, &frame, sizeof(frame));
	memcpy(buffer + sizeof(frame), data, length);
	write_all(port, buffer, sizeof(frame) + length);
}

void port_send_word(int port, enum frame_type type, uint32_t word)
{
	port_send(port, type, &word, sizeof(word));
}

static int read_all(int port, char *data, size_t length)
{
	while (length) {
		ssize_t done = read(port, data, length);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return -1;
		data += done;
		length -= done;
	}
	return 0;
}

int port_receive(int port, struct frame *frame, void *data)
{
	if (read_all(port, (char *)frame, sizeof(*frame)) < 0 || frame->length > PORT_CHUNK)
		return -1;
	return read_all(port, data, frame->length);
}
