// SPDX-License-Identifier: GPL-2.0-only
/* main.c - load and unload the module. */
#include <linux/module.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/arch.h"
#include "kmod/base/clock.h"
#include "kmod/base/ksym.h"
#include "kmod/base/load.h"
#include "kmod/text/entry_path.h"
#include "kmod/dev.h"
#include "kmod/hit/hit.h"
#include "kmod/hit/late.h"
#include "kmod/measure/own.h"
#include "kmod/records/buffer.h"
#include "kmod/records/desc.h"
#include "kmod/records/own_desc.h"
#include "kmod/table/brake.h"
#include "kmod/table/table.h"
#include "kmod/table/window.h"
#include "kmod/text/blacklist.h"
#include "kmod/text/jump_label.h"
#include "kmod/text/safety.h"
#include "kmod/text/slot.h"

static unsigned int ring_kb = 1024;
module_param(ring_kb, uint, 0444);
MODULE_PARM_DESC(ring_kb, "size of the trace ring of each CPU in KiB, 8 to 1048576, rounded up to a power of two (default 1024)");

static bool ring_discard;
module_param(ring_discard, bool, 0444);
MODULE_PARM_DESC(ring_discard, "when a ring is full, discard new records (default: overwrite the oldest ones)");

static int __init ktrace_init(void)
{
	int err;

	err = kt_ksym_init();
	if (err)
		return err;
	kt_safety_init();
	kt_jump_labels_init();
	kt_blacklist_init();
	kt_clock_init();
	kt_load_init();
	kt_hit_init(kt_table_disarm);
	err = kt_buffer_init((u64)ring_kb << 10,
			     ring_discard ? KT_MODE_DISCARD : KT_MODE_OVERWRITE);
	if (err)
		goto exit_clock;
	err = kt_entry_path_init();
	if (err)
		goto exit_buffer;
	err = kt_arch.init();
	if (err)
		goto exit_entry_path;
	err = kt_brake_init();
	if (err)
		goto exit_arch;
	err = kt_window_init();
	if (err)
		goto exit_brake;
	err = kt_table_init();
	if (err)
		goto exit_window;
	err = kt_dev_init();
	if (err)
		goto exit_table;
	return 0;

exit_table:
	kt_table_exit();
exit_window:
	kt_window_exit();
exit_brake:
	kt_brake_exit();
exit_arch:
	kt_arch.exit();
	kt_slot_exit();
exit_entry_path:
	kt_entry_path_exit();
exit_buffer:
	kt_buffer_exit();
exit_clock:
	kt_clock_exit();
	kt_blacklist_exit();
	kt_jump_labels_exit();
	return err;
}

/* No controller has the device open.  Everything that hits need is released after the last hit. */
static void __exit ktrace_exit(void)
{
	kt_dev_exit();
	kt_own_exit();
	kt_table_exit();
	kt_window_exit();
	kt_brake_exit();
	kt_arch.exit();
	kt_entry_path_exit();
	kt_hit_exit();
	kt_late_exit();
	kt_table_disarm_exit();
	kt_desc_exit();
	kt_own_desc_exit();
	kt_slot_exit();
	kt_buffer_exit();
	kt_clock_exit();
	kt_blacklist_exit();
	kt_jump_labels_exit();
}

module_init(ktrace_init);
module_exit(ktrace_exit);

MODULE_DESCRIPTION("Trace nearly any instruction of the running kernel; the controller is ktrace(1)");
MODULE_AUTHOR("The ktrace developers");
MODULE_VERSION(KT_VERSION);
MODULE_LICENSE("GPL");
