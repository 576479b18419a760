/* SPDX-License-Identifier: GPL-2.0-only */
/* each_cpu.h - walk over the CPUs, in loops that run for each tracepoint. */
#ifndef KTRACE_EACH_CPU_H
#define KTRACE_EACH_CPU_H

#include <linux/cpumask.h>

/* As for_each_possible_cpu(), which calls a function of the kernel for each CPU, and ktrace itself may trace that function. */
#define kt_each_cpu(cpu)						\
	for ((cpu) = 0; (cpu) < nr_cpu_ids; (cpu)++)			\
		if (!cpu_possible(cpu)) {				\
		} else

#endif
