/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The protocol on the virtio-serial port between a guest and tests/vm/lab/guest.py.
 *
 * A frame has a type, the number of bytes that follow, both little-endian 32-bit words, and these bytes. The
 * host sends input only when the guest asks for it: if both sides wrote at once, they would wait for each other
 * forever. The guest's last frame is FRAME_STATUS: all output has arrived before it.
 */
#ifndef LAB_PROTOCOL_H
#define LAB_PROTOCOL_H

#include <stdint.h>

enum frame_type {
	/* guest to host */
	FRAME_HELLO = 'H',	/* the command is about to start */
	FRAME_OUT = 'O',	/* standard output */
	FRAME_ERR = 'E',	/* standard error */
	FRAME_FILE = 'F',	/* begin of a file fetched from the guest (empty: it cannot be read) */
	FRAME_DATA = 'D',	/* the next bytes of that file */
	FRAME_LOG = 'L',	/* the kernel log */
	FRAME_FAIL = 'X',	/* the guest could not be set up; the reason */
	FRAME_WANT = 'R',	/* the command can read one more frame of input */
	FRAME_STATUS = 'S',	/* exit status as in a shell, a 32-bit word */
	/* host to guest */
	FRAME_IN = 'I',		/* standard input; empty: end of file */
	FRAME_SIZE = 'W',	/* rows and columns of the terminal, 32-bit words */
};

struct frame {
	uint32_t type;
	uint32_t length;
};

#endif
