/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own_ring.h - a second copy of core/ring.c, under other names, with a clock that the test sets and with
 * KT_STEP() if the test defines it.
 */
#ifndef OWN_RING_H
#define OWN_RING_H

#define KT_CLOCK_READ
#define kt_ring_init		own_ring_init
#define kt_ring_read		own_ring_read
#define kt_ring_position	own_ring_position
#define kt_ring_try_position	own_ring_try_position
#define kt_ring_reserve_slow	own_ring_reserve_slow
#define kt_ring_attach		own_ring_attach
#define kt_ring_close		own_ring_close
#define kt_ring_open		own_ring_open
#define kt_ring_replay_begin	own_ring_replay_begin
#define kt_ring_replay		own_ring_replay
#define kt_ring_adopt		own_ring_adopt
#define kt_event_header		own_event_header

#include "core/env.h"

#ifdef OWN_CLOCK_IS_RAW
#undef kt_clock_is_raw
#define kt_clock_is_raw()	OWN_CLOCK_IS_RAW
#endif

#include "core/ring.c"

#endif
