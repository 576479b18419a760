/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine.h - the address space that the code under test sees.
 *
 *   00014000       desk: the number of the landing pad that was reached
 *   00016000       hit: what trampolines call, and copies of the module's entry.S
 *   00024000       text 0: where instructions stand in place
 *   0004c000       slots 0: where they are executed displaced
 *   0006c000       window: the one writable memory (see window.h), guard pages around it
 *   00084000       pads: landing pads
 *   40a34000       text 1
 *   50654000       slots 1
 *   7ff04000       pads
 *   7ffa4000       window: the same memory
 *   7ffc4000       slots 2
 *   7ffe4000       text 2
 *   9010c000       pads
 *   elsewhere below 4 GiB: land, every byte an int3
 *   123456784000   window: the same memory, reached by 64-bit addresses only
 *   234567894000   pads
 *
 * A return address is pushed as a sign-extended 32-bit immediate: in the
 * kernel that reaches the top 2 GiB, in user space the lowest.
 */
#ifndef FIDELITY_MACHINE_H
#define FIDELITY_MACHINE_H

#include <linux/types.h>

#define MACHINE_PAGE	4096ul

#define MACHINE_DESK	0x14000ul
#define MACHINE_HIT	0x16000ul
#define MACHINE_LAND	0x20000ul
#define MACHINE_END	0x100000000ul

#define NR_TEXTS	3
#define NR_SLOTS	3
#define NR_WINDOWS	3
#define NR_LOW_WINDOWS	2	/* the first two are below 2 GiB */
#define TEXT_BYTES	(4 * MACHINE_PAGE)

#define PAD_BYTES	18

/*
 * The pads of a trial: behind the instructions, at their branch target, and at the end of what is executed
 * first.
 */
enum pad { PAD_NONE, PAD_BEHIND, PAD_TARGET, PAD_BEGIN, PAD_FIXED };

extern const u64 machine_text[NR_TEXTS], machine_slots[NR_SLOTS], machine_window[NR_WINDOWS];

/* Call once in each process. Returns NULL, or the error. window_fd: the memory to map as the window. */
const char *machine_init(int window_fd, size_t window_bytes);

/* Write code to a text or slot region; every other byte is an int3. */
void machine_write(u64 at, const void *bytes, size_t n);
void machine_erase(u64 at, size_t n);

/* Write a pad at `at` in a text region; the pad changes nothing in the state. */
void machine_pad(u64 at, enum pad pad);
u64 machine_fixed_pad(u32 number);
bool machine_is_text(u64 at, size_t n);
bool machine_is_land(u64 at);
bool machine_is_pad(u64 at);	/* a fixed one */

/*
 * kt_x86_jump_special of the module: a right copy, and two with a fault: it pushes two registers in the wrong order, or leaves
 * eight bytes on the stack.
 */
enum { SPECIAL_RIGHT, SPECIAL_SWAPPED, SPECIAL_LEFT, NR_SPECIALS };
u64 machine_special(unsigned int copy);

/* kt_x86_direct_enter, which direct trampolines call, and kt_x86_direct_slow, in the right copy. */
u64 machine_direct_enter(void), machine_direct_slow(void);

void machine_forget_pad(void);
bool machine_pad_reached(u64 *at);

#endif
