/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What passes over the virtio-serial port between a guest and tests/vm/lab/guest.py.
 *
 * Frames: a type, the number of bytes that follow, both little-endian 32-bit words, and those bytes.
 * The host sends input only when asked for it: both ends writing at once would wait for each other for ever.
 * The guest's last frame is FRAME_STATUS, so all output has arrived when the status has.
 */
#ifndef LAB_PROTOCOL_H
#define LAB_PROTOCOL_H

#include <stdint.h>

enum frame_type {
	/* guest to host */
	FRAME_HELLO = 'H',	/* the command is about to start */
	FRAME_OUT = 'O',	/* standard output */
	FRAME_ERR = 'E',	/* standard error */
	FRAME_FILE = 'F',	/* a file fetched from the guest begins (empty: it cannot be read) */
	FRAME_DATA = 'D',	/* the next bytes of that file */
	FRAME_LOG = 'L',	/* the kernel log */
	FRAME_FAIL = 'X',	/* the surroundings could not be made; the reason */
	FRAME_WANT = 'R',	/* the command can take one more frame of input */
	FRAME_STATUS = 'S',	/* exit status as a shell has it, a 32-bit word */
	/* host to guest */
	FRAME_IN = 'I',		/* standard input; empty: end of file */
	FRAME_SIZE = 'W',	/* rows and columns of the terminal, 32-bit words */
};

struct frame {
	uint32_t type;
	uint32_t length;
};

#endif
