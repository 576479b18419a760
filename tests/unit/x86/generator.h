/* SPDX-License-Identifier: GPL-2.0-or-later */
/* generator.h - the compiler includes it first where it compiles the generator (kmod/code) for tests: see capture_code.h. */
#define kt_capture_rest	code_gives_up

/* Not each test has what the code of hits calls. */
#pragma weak kt_code_layout
#pragma weak kt_x86_calls_plainly
#pragma weak kt_x86_thunk_of
#pragma weak kt_x86_event_slow
#pragma weak kt_x86_event_again
#pragma weak kt_x86_event_rest
#pragma weak kt_x86_event_jump
#pragma weak kt_x86_event_wake
#pragma weak kt_x86_event_direct_slow
#pragma weak kt_x86_event_direct_wake
#pragma weak kt_x86_direct_slow
#pragma weak kt_x86_direct_wake
#pragma weak kt_x86_direct_rest
#pragma weak kt_x86_jump_again
#pragma weak kt_x86_jump_rest
#pragma weak kt_x86_hit_image
#pragma weak kt_x86_hit_stack
#pragma weak kt_direct_checked
