// SPDX-License-Identifier: GPL-2.0-only
/* Data with known values. */
#include <linux/percpu.h>

#include "truth.h"

struct ktruth_leaf ktruth_second_leaf = {
	.number = 42, .low = 5, .middle = 100, .signed_bits = -3, .name = "second leaf",
};

struct ktruth_leaf ktruth_first_leaf = {
	.number = -7, .low = 2, .middle = 1, .signed_bits = 3, .name = "first leaf",
};

struct ktruth_node ktruth_second = {
	.leaf = &ktruth_second_leaf, .id = 0xb0b, .colour = KTRUTH_BLUE, .function = ktruth_square,
};

struct ktruth_node ktruth_first = {
	.next = &ktruth_second, .leaf = &ktruth_first_leaf, .id = 0xa11ce, .colour = KTRUTH_GREEN,
	.function = ktruth_target,
};

u64 ktruth_word = 0x1122334455667788;
int ktruth_negative = -5;
const char *ktruth_string = "planted truth";
void *ktruth_unmapped = (void *)0xffffc8ffdead0000;
DEFINE_PER_CPU(int, ktruth_percpu);

void ktruth_fill_percpu(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(ktruth_percpu, cpu) = 1000 + cpu;
}
