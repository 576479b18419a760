// SPDX-License-Identifier: GPL-2.0-only
/* /proc/ktruth: call the planted functions and check their results. */
#include <linux/kprobes.h>
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "truth.h"
#include "truth_arch.h"

struct truth {
	const char *name;
	long (*call)(void);	/* call it with its known arguments */
	long expected;		/* the right result */
	atomic_long_t called, wrong;
};

static long call_args6(void)
{
	return ktruth_args6(1, 2, 3, 4, 5, 6);
}

static long call_args8(void)
{
	return ktruth_args8(1, 2, 3, 4, 5, 6, 7, 8);
}

static long call_mixed(void)
{
	return ktruth_mixed(true, 200, -300, 70000, "text");
}

static long call_square(void)
{
	return ktruth_square(12);
}

static long call_fails(void)
{
	return ktruth_fails(ENOENT);
}

static long call_pointer(void)
{
	return ktruth_pointer() == &ktruth_word;
}

static long call_chain(void)
{
	return ktruth_chain(&ktruth_first);
}

static long call_text(void)
{
	return ktruth_text(ktruth_string);
}

static long call_indirect(void)
{
	return ktruth_indirect(READ_ONCE(ktruth_first.function), 40);
}

static long call_fill(void)
{
	char bytes[61];

	return ktruth_fill(bytes, sizeof(bytes));
}

static long call_register(void)
{
	return ktruth_call_register(ktruth_target, 40);
}

static long call_recurse(void)
{
	return ktruth_recurse(5);
}

static long call_inlines(void)
{
	return ktruth_inlines(1);
}

static long call_twin(void)
{
	return ktruth_other_twin(1);
}

static long call_delay(void)
{
	return ktruth_delay(100);
}

static long call_sleeper(void)
{
	return ktruth_sleeper(2000);
}

static long call_spin(void)
{
	return ktruth_spin(500);
}

/* The assembler code has no landing pad, so it cannot be called through a pointer. */
static long call_registers(void)
{
	return ktruth_registers();
}

static long call_five(void)
{
	return ktruth_five(20, 3);
}

static long call_kinds(void)
{
	long scratch[8];

	return ktruth_kinds(scratch);
}

static struct truth truths[] = {
	{ "args6", call_args6, 91 },
	{ "args8", call_args8, 204 },
	{ "mixed", call_mixed, 1 + 200 - 300 + 70000 + 't' },
	{ "square", call_square, 144 },
	{ "fails", call_fails, -ENOENT },
	{ "pointer", call_pointer, 1 },
	{ "chain", call_chain, 42 },
	{ "text", call_text, 13 },
	{ "fill", call_fill, 7 },
	{ "indirect", call_indirect, 42 },
	{ "register", call_register, 41 },
	{ "recurse", call_recurse, 5 },
	{ "inlines", call_inlines, 20 },
	{ "twin", call_twin, 3 },
	{ "event", ktruth_call_event, 7 },
	{ "delay", call_delay, 100 },
	{ "sleeper", call_sleeper, 2000 },
	{ "timer", ktruth_timer, 0 },
	{ "irq_work", ktruth_irq_work, 0 },
	{ "spin", call_spin, 500 },
	{ "five", call_five, 41 },
	{ "kinds", call_kinds, 0 },
	{ "registers", call_registers, 0 },
	{ "look", ktruth_look_everywhere, 0 },
	{ "values", ktruth_values, -977 },
	{ "packets", ktruth_packets, 13 },
	TRUTH_ARCH_CALLS
};

static struct truth *find(const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(truths); i++) {
		if (strcmp(truths[i].name, name) == 0)
			return &truths[i];
	}
	return NULL;
}

static int call(struct truth *truth, unsigned long count)
{
	int error = 0;
	long result;

	while (count--) {
		result = truth->call();
		atomic_long_inc(&truth->called);
		if (result != truth->expected) {
			atomic_long_inc(&truth->wrong);
			pr_err("ktruth: %s gave %ld instead of %ld\n", truth->name, result, truth->expected);
			error = -EIO;
		}
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return error;
}

DEFINE_PER_CPU(u64, ktruth_hits);

/* A hit and its count must be on the same CPU. */
static int hit(unsigned long count)
{
	while (count--) {
		preempt_disable();
		ktruth_hit(count);
		this_cpu_inc(ktruth_hits);
		preempt_enable();
		if (count & 1023)
			continue;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

static int quiet(struct kprobe *probe, struct pt_regs *regs)
{
	return 0;
}

static char probed[32];
static struct kprobe probe = { .symbol_name = probed, .pre_handler = quiet };
static bool probing;

/* Set a kprobe as a module does: tracefs refuses functions that ftrace does not know. */
static int set_kprobe(const char *name)
{
	int error;

	if (probing)
		unregister_kprobe(&probe);
	probing = false;
	if (!*name)
		return 0;
	strscpy(probed, name, sizeof(probed));
	probe.addr = NULL;
	probe.flags = 0;
	error = register_kprobe(&probe);
	probing = !error;
	return error;
}

static ssize_t truth_write(struct file *file, const char __user *from, size_t length, loff_t *at)
{
	char text[64], name[32] = "";
	struct truth *truth;
	unsigned long count;
	long argument;
	int error;

	if (length >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, from, length))
		return -EFAULT;
	text[length] = '\0';
	if (!strncmp(text, "kprobe", 6)) {
		sscanf(text, "kprobe %31s", name);
		return set_kprobe(name) ?: length;
	}
	if (!strncmp(text, "bare", 4))
		return ktruth_bare() ?: length;
	if (sscanf(text, "hit %lu", &count) == 1)
		return hit(count) ?: length;
	if (sscanf(text, "time %31s %ld %lu", name, &argument, &count) == 3)
		return ktruth_time(name, argument, count, false) ?: length;
	if (sscanf(text, "alone %31s %ld %lu", name, &argument, &count) == 3)
		return ktruth_time(name, argument, count, true) ?: length;
	if (sscanf(text, "call %31s %lu", name, &count) != 2)
		return -EINVAL;
	truth = find(name);
	if (!truth)
		return -ENOENT;
	error = call(truth, count);
	return error ?: length;
}

/* Print addresses of data, for kernels that list no symbols of data. */
static void show_data(struct seq_file *out)
{
	static const struct {
		const char *name;
		const void *at;
	} data[] = {
		{ "ktruth_word", &ktruth_word },
		{ "ktruth_negative", &ktruth_negative },
		{ "ktruth_string", &ktruth_string },
		{ "ktruth_unmapped", &ktruth_unmapped },
		{ "ktruth_first", &ktruth_first },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(data); i++)
		seq_printf(out, "data %s 0x%lx\n", data[i].name, (unsigned long)data[i].at);
}

static int truth_show(struct seq_file *out, void *unused)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(truths); i++)
		seq_printf(out, "call %s expected %ld called %ld wrong %ld\n", truths[i].name, truths[i].expected,
			   atomic_long_read(&truths[i].called), atomic_long_read(&truths[i].wrong));
	for_each_possible_cpu(i)
		seq_printf(out, "cpu %d hits %llu nmis %llu\n", i, per_cpu(ktruth_hits, i),
			   per_cpu(ktruth_nmis, i));
	seq_printf(out, "word 0x%llx\nfive", ktruth_word);
	for (i = 0; i < ARRAY_SIZE(ktruth_five_offsets); i++)
		seq_printf(out, " 0x%x", ktruth_five_offsets[i]);
	seq_putc(out, '\n');
	show_data(out);
	ktruth_show_places(out);
	ktruth_show_durations(out);
	return 0;
}

static int truth_open(struct inode *inode, struct file *file)
{
	return single_open(file, truth_show, NULL);
}

static const struct proc_ops truth_ops = {
	.proc_open = truth_open,
	.proc_read = seq_read,
	.proc_lseek = seq_lseek,
	.proc_write = truth_write,
	.proc_release = single_release,
};

static int __init truth_init(void)
{
	int error = ktruth_contexts_init();

	if (error)
		return error;
	error = ktruth_places_init(truth_init);
	if (error) {
		ktruth_contexts_exit();
		return error;
	}
	error = ktruth_durations_init();
	if (error) {
		ktruth_places_exit();
		ktruth_contexts_exit();
		return error;
	}
	ktruth_fill_percpu();
	if (!proc_create("ktruth", 0600, NULL, &truth_ops)) {
		ktruth_durations_exit();
		ktruth_places_exit();
		ktruth_contexts_exit();
		return -ENOMEM;
	}
	return 0;
}

static void __exit truth_exit(void)
{
	remove_proc_entry("ktruth", NULL);
	set_kprobe("");
	ktruth_bare_exit();
	ktruth_durations_exit();
	ktruth_places_exit();
	ktruth_contexts_exit();
}

module_init(truth_init);
module_exit(truth_exit);
MODULE_DESCRIPTION("Functions and data with known truth, for the tests of ktrace");
MODULE_LICENSE("GPL");
