/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keymap.h - hash tables of the analysis: numbers to numbers, and texts to numbers. */
#ifndef KTRACE_KEYMAP_H
#define KTRACE_KEYMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An empty map is { 0 }. */
struct keymap {
	uint64_t *keys;
	uint32_t *values;	/* 0: the place is free */
	uint32_t nr, room;
};

/* 0: the key is not in the map. */
uint32_t keymap_find(const struct keymap *map, uint64_t key);
/* Add the key, or change its value.  value must not be 0. */
void keymap_set(struct keymap *map, uint64_t key, uint32_t value);
void keymap_remove(struct keymap *map, uint64_t key);
void keymap_free(struct keymap *map);

/* Each different text once, numbered from 1.  Without texts it is { 0 }. */
struct names {
	char **text;		/* [nr + 1]; text[0] is not used */
	uint32_t nr;
	uint32_t *slots;	/* hash table of numbers; 0: free */
	uint32_t room;
	uint32_t *spare;	/* [nr_spare] numbers of removed texts, which are given again */
	uint32_t nr_spare;
};

/* The number of a text, which is added if it is new.  The text may contain any byte but 0. */
uint32_t names_add(struct names *names, const void *text, size_t len);
/* NULL for number 0.  Valid until names_keep() removes it, or names_free(). */
const char *names_text(const struct names *names, uint32_t number);
/* Remove the texts that are not used: used[nr + 1], by number.  The others keep their numbers. */
void names_keep(struct names *names, const bool *used);
void names_free(struct names *names);

#endif
