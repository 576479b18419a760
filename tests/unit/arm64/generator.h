/* SPDX-License-Identifier: GPL-2.0-or-later */
/* generator.h - the compiler includes it first where it compiles the generator (kmod/code) for tests: see capture_code.h. */
#define kt_capture_rest	code_gives_up

/* In place of load_arch.h: the memory of capture_machine.h. */
#define KT_DIRECT_START	0xffff888000001000ULL
#define KT_DIRECT_BYTES	64

/* Not each test has what the code of hits calls. */
#pragma weak kt_code_layout
#pragma weak kt_arm64_event_end
#pragma weak kt_arm64_event_again
#pragma weak kt_arm64_event_wake
#pragma weak kt_arm64_jump_end
#pragma weak kt_arm64_jump_again
#pragma weak kt_arm64_jump_wake
