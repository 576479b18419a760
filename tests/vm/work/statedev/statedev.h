/* SPDX-License-Identifier: GPL-2.0-or-later */
/* statedev.h - what the files of statedev share. */
#ifndef STATEDEV_H
#define STATEDEV_H

#include <stdbool.h>

#include "../device.h"

/* ------------------------------------------------------------------ the calls */

extern int device;
extern uint32_t room;			/* bytes that a call may fill */
extern uint64_t buf[KT_MAX_STATE_ROOM / 8];
extern const char *const kinds[KT_NR_STATES];

struct cost {
	uint64_t entries, calls, sum, longest;	/* ns */
};

/* each: call it for each entry; or NULL. */
struct cost read_kind(uint32_t kind, void (*each)(const void *entry));

/* ---------------------------------------------------------------------- texts */

extern void (*const prints[KT_NR_STATES])(const void *entry);

/* The columns of /proc/PID/maps. */
void write_map(char *to, size_t size, const struct kt_state_map *m);

struct set {
	uint64_t *v;
	size_t n;
};

void set_add(struct set *set, const char *text);
/* After the last set_add(), before the first set_has(). */
void set_sort(struct set *set);
bool set_has(const struct set *set, const char *text);

/* Make a text of what is so, and pass it to tell_to(). */
__attribute__((format(printf, 2, 3))) void tell(unsigned int kind, const char *format, ...);
extern void (*tell_to)(unsigned int kind, const char *text);

/* Names of a namespace, by KT_NS_*. */
extern const char *const namespaces[KT_NR_NS];

/* The flags of small numbers of files only: they cost four times as much as the name. */
#define FLAGS_BELOW 64

/* All but this process, whose files change while it looks. */
void look_at_proc(void (*to)(unsigned int kind, const char *text));

/* ------------------------------------------------------------------- commands */

int do_compare(void);
int do_bad(void);

#endif
