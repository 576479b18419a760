/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest's end of the channel to the host. */
#ifndef LAB_PORT_H
#define LAB_PORT_H

#include <stddef.h>
#include "protocol.h"

/* The largest content of a frame; the virtio driver takes as much at once. */
#define PORT_CHUNK 32768

/* Open the first virtio-serial port. Returns the descriptor, or -1 if there is none. */
int port_open(void);

/* Send a frame; wait until the host has room for it. */
void port_send(int port, enum frame_type type, const void *data, size_t length);

/* Send a word as a frame. */
void port_send_word(int port, enum frame_type type, uint32_t word);

/* Receive one frame of at most PORT_CHUNK bytes. Returns 0, or -1 if the host is gone. */
int port_receive(int port, struct frame *frame, void *data);

#endif
