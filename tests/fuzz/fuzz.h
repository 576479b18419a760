/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz.h - what a fuzz target has, and what it may call.  libFuzzer has the other side of it,
 * and so has replay.c, which needs no clang.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Abort where anything is wrong. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Make of data another input of at most `room` bytes; returns its size. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned int seed);

/* The fuzzer's own idea of that. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);

#endif
