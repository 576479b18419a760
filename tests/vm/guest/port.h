/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest's end of the channel to the host. */
#ifndef LAB_PORT_H
#define LAB_PORT_H

#include <stddef.h>
#include "protocol.h"

/* What one frame holds at most; also what the virtio driver takes at once. */
#define PORT_CHUNK 32768

/* Open the first virtio-serial port; the descriptor, or -1 when there is none. */
int port_open(void);

/* Send a frame; waits while the host does not take it. */
void port_send(int port, enum frame_type type, const void *data, size_t length);

/* Send a word as a frame. */
void port_send_word(int port, enum frame_type type, uint32_t word);

/* Receive one frame of at most PORT_CHUNK bytes. Returns 0, or -1 when the host has gone. */
int port_receive(int port, struct frame *frame, void *data);

#endif
