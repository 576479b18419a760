/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hit_scene.h - what the code of a hit has changed, and work that comes between two of its instructions. */
#ifndef HIT_SCENE_H
#define HIT_SCENE_H

#include <signal.h>

#include "hit_machine.h"

/* Everything that a hit may change. */
struct scene {
	struct hit_cpu cpu;
	struct kt_ring_ctl ctl;
	u64 commit[HIT_SUBS];
	u8 data[sizeof(hit_data)];
};

static struct scene *scene_take(void)
{
	struct scene *scene = malloc(sizeof(*scene));

	*scene = (struct scene){ .cpu = hit_cpu, .ctl = hit_ctl };
	memcpy(scene->commit, hit_commit, sizeof(hit_commit));
	memcpy(scene->data, hit_data, sizeof(hit_data));
	return scene;
}

static void assert_scene(struct scene *scene)
{
	scene->cpu.last_ticks = hit_cpu.last_ticks;
	assert_memory_equal(&scene->cpu, &hit_cpu, sizeof(hit_cpu));
	assert_memory_equal(&scene->ctl, &hit_ctl, sizeof(hit_ctl));
	assert_memory_equal(scene->commit, hit_commit, sizeof(hit_commit));
	assert_memory_equal(scene->data, hit_data, sizeof(hit_data));
	free(scene);
}

static struct {
	u32 *at, was;
	bool met;
	void (*work)(void);
} trap;

/* One instruction of the code was a breakpoint: do what interrupts it, then go on with the instruction. */
static __attribute__((unused)) void on_trap(int signal)
{
	trap.work();
	code_protect(PROT_READ | PROT_WRITE);
	*trap.at = trap.was;
	code_protect(PROT_READ | PROT_EXEC);
	__builtin___clear_cache((char *)trap.at, (char *)(trap.at + 1));
	trap.met = true;
}

/* Interrupt the code at instruction n. */
static __attribute__((unused)) void plant(u32 n)
{
	trap.at = (u32 *)(uintptr_t)code_memory + n;
	trap.was = *trap.at;
	trap.met = false;
	code_protect(PROT_READ | PROT_WRITE);
	*trap.at = KT_BRK(1);
	code_protect(PROT_READ | PROT_EXEC);
	__builtin___clear_cache((char *)trap.at, (char *)(trap.at + 1));
}

#endif
