// SPDX-License-Identifier: GPL-2.0-or-later
/* notify.c - tell the service manager.  See notify.h. */
#include "ctl/base/notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void notify_ready(void)
{
	static const char ready[] = "READY=1";
	const char *name = getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const size_t len = name ? strlen(name) : 0;
	int fd;

	if (!len || len >= sizeof(address.sun_path) || (*name != '/' && *name != '@'))
		return;
	memcpy(address.sun_path, name, len);
	/* An abstract name begins with 0. */
	if (*name == '@')
		address.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	sendto(fd, ready, sizeof(ready) - 1, MSG_NOSIGNAL, (struct sockaddr *)&address,
	       offsetof(struct sockaddr_un, sun_path) + len);
	close(fd);
}
