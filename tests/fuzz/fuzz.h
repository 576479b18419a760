/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz.h - the functions of a fuzz target, and those that it may call. libFuzzer provides the latter; so does
 * replay.c, which needs no clang.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Run one input; abort if anything is wrong. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Change data into another input of at most `room` bytes; returns its size. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned int seed);

/* How many changed inputs replay.c makes of each file, if the target defines it. */
extern const unsigned int fuzz_mutants __attribute__((weak));

/* The generic mutator of the fuzzer. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);

#endif
