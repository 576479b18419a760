// SPDX-License-Identifier: GPL-2.0-or-later
/* rows.c - the events that ktrace records by name.  See arch/event_row.h for the columns. */
#include "ctl/ask/events/rows.h"

#include "ctl/base/memory.h"

#define ROW		EVENT_ROW
#define CORE		EVENT_CORE

/* The scheduler's priorities count from 0; those of a trace as LTTng's, from the lowest realtime priority. */
#define PRIO(task)	task "->prio - 100"
#define CPU_OF(task)	"(s32)" task "->thread_info.cpu or (s32)" task "->cpu"
#define JIFFIES		"*(u64*)&jiffies or *(u64*)&jiffies_64"

/*
 * The state in which a task leaves the CPU, as tracefs and LTTng show it: one of the bits of TASK_REPORT, or 0x80 for
 * an idle kernel thread (TASK_NOLOAD with TASK_UNINTERRUPTIBLE).  Sleepers of rtmutexes and of the freezer (0x9000)
 * count as not interruptible.  A preempted task is runnable: 0.
 */
#define STATE_BITS(state) \
	"(s32)(preempt ? 0 : " state " & 0x9400 ? " state " & 0x9000 ? 2 : " state " & 2 ? 0x80 : " \
	"(" state " | prev->exit_state) & 0x7f : (" state " | prev->exit_state) & 0x7f)"
#define SWITCH_STATE \
	STATE_BITS("prev_state") " or " STATE_BITS("prev->__state") " or " STATE_BITS("prev->state")

#define WAKEUP \
	"comm = p->comm; tid = p->pid; prio = " PRIO("p") "; target_cpu = " CPU_OF("p")
/* A task's own namespace of processes, the innermost, and its number there. */
#define OWN_NUMBER(task)	task "->thread_pid->numbers[" task "->thread_pid->level]"
#define TASK_OF(task) \
	"comm = " task "->comm; tid = " task "->pid; prio = " PRIO(task)

/* A signal without details has a small number in place of their address: 0 from a process, 1 from the kernel. */
#define SIGNAL_DETAILS \
	"errno = (u64)info <= 1 ? 0 : info->si_errno; " \
	"code = (u64)info == 0 ? 0 : (u64)info == 1 ? 0x80 : info->si_code"

/*
 * The operation and its flags as bits: 0 write, 1 discard, 2 read, 3 ahead, 5 sync, 6 meta, 7 secure, 8 flush, ...
 * Casts to an enum, whose name changed once, let its values be found at once.
 */
#define RWBS_OPERATION(op) \
	"(" op " == REQ_OP_WRITE ? 1 : " op " == REQ_OP_DISCARD ? 2 : " op " == REQ_OP_SECURE_ERASE ? 0x82 : " \
	op " == REQ_OP_FLUSH ? 0x100 : " op " == REQ_OP_READ ? 4 : 0)"
#define RWBS_FLAG(flags, flag, bit) \
	"(" flags " >> ((enum req_flag_bits)0 + " flag ") & 1) << " bit
#define RWBS_OF(flags, op) \
	RWBS_OPERATION("(enum " op ")(" flags " & 0xff)") " | " RWBS_FLAG(flags, "__REQ_RAHEAD", "3") " | " \
	RWBS_FLAG(flags, "__REQ_SYNC", "5") " | " RWBS_FLAG(flags, "__REQ_META", "6") " | " \
	RWBS_FLAG(flags, "__REQ_FUA", "9") " | " RWBS_FLAG(flags, "__REQ_PREFLUSH", "10")
#define RWBS(flags)	"rwbs = " RWBS_OF(flags, "req_op") " or " RWBS_OF(flags, "req_opf")

#define DISK(disk)	"(u32)(" disk "->major << 20 | " disk "->first_minor):dev"
#define REQUEST_DISK	"dev = " DISK("rq->q->disk") " or " DISK("rq->rq_disk") "; "
/*
 * An error as a negative errno.  Since 5.16 there is a blk_status_t, whose first 14 values have the same meaning on all kernels:
 * a byte of the two numbers for each, as blk_status_to_errno() translates them.  Others are shown as unknown: nothing can be
 * read at these addresses.
 */
#define REQUEST_ERROR \
	"error = error == 0 ? 0 : (s32)error < 0 ? (s32)error : error > 13 ? *(s32*)(u64)error : " \
	"-(s32)((error < 8 ? 0x3d3479431c6e5f00 : 0x100b4e050c54) >> (error & 7) * 8 & 0x7f); "
/* Requests that a driver sends for itself (operations 32 to 35), and those without data, are at no place of the disk. */
#define REQUEST_SECTORS \
	"sector = (rq->cmd_flags & 0xff) - 32 < 4 || rq->__sector + 1 == 0 ? 0 : rq->__sector; " \
	"nr_sector = (rq->cmd_flags & 0xff) - 32 < 4 ? 0 : rq->__data_len >> 9; "
#define REQUEST \
	REQUEST_DISK REQUEST_SECTORS "bytes = rq->__data_len; tid = $pid; " RWBS("(u32)rq->cmd_flags") \
	"; comm = current->comm"
#define BIO_DISK \
	"dev = bio->bi_bdev->bd_dev or " DISK("bio->bi_disk") "; sector = bio->bi_iter.bi_sector; " \
	"nr_sector = bio->bi_iter.bi_size >> 9; "
#define BIO		BIO_DISK "tid = $pid; " RWBS("(u32)bio->bi_opf") "; comm = current->comm"

#define PACKET \
	"skbaddr = (u64)skb; len = skb->len; name = skb->dev->name; " \
	"protocol = (skb->protocol & 0xff) << 8 | skb->protocol >> 8; network_header = skb:packet"

#define SOCKET_OF(sk) \
	"family = " sk "->__sk_common.skc_family; protocol = " sk "->sk_protocol; type = " sk "->sk_type; "

#define PAGE(page)	"page = (u64)" page

const struct event_row event_rows[] = {
	ROW(SCHED, CORE, "sched", "sched_switch", "sched_switch",
	    "prev_comm = prev->comm; prev_tid = prev->pid; prev_prio = " PRIO("prev") "; prev_state = " SWITCH_STATE "; "
	    "next_comm = next->comm; next_tid = next->pid; next_prio = " PRIO("next") "; prev_iowait = prev->in_iowait"),
	/* What the task waited in; the other wake-ups come when it is runnable. */
	ROW(SCHED, 0, "sched", "sched_waking", "sched_waking", WAKEUP "; state = p->__state or (u32)p->state"),
	ROW(SCHED, 0, "sched", "sched_wakeup", "sched_wakeup", WAKEUP),
	ROW(SCHED, 0, "sched", "sched_wakeup_new", "sched_wakeup_new", WAKEUP),
	ROW(SCHED, 0, "sched", "sched_migrate_task", "sched_migrate_task",
	    TASK_OF("p") "; orig_cpu = " CPU_OF("p") "; dest_cpu = dest_cpu"),
	/* Without a waiter the task gets its own priority back; a higher priority is a smaller number. */
	ROW(SCHED, 0, "sched", "sched_pi_setprio", "sched_pi_setprio",
	    "comm = tsk->comm; tid = tsk->pid; oldprio = " PRIO("tsk") "; newprio = (pi_task == 0 ? tsk->normal_prio : "
	    "pi_task->prio < tsk->normal_prio ? pi_task->prio : tsk->normal_prio) - 100"),

	ROW(IRQ, CORE, "irq", "irq_handler_entry", "irq_handler_entry", "irq = irq; name = action->name :32"),
	ROW(IRQ, CORE, "irq", "irq_handler_exit", "irq_handler_exit", "irq = irq; ret = ret"),
	ROW(SOFTIRQ, CORE, "irq", "softirq_entry", "irq_softirq_entry", "vec = vec_nr"),
	ROW(SOFTIRQ, CORE, "irq", "softirq_exit", "irq_softirq_exit", "vec = vec_nr"),
	ROW(SOFTIRQ, 0, "irq", "softirq_raise", "irq_softirq_raise", "vec = vec_nr"),

	ROW(TIMERS, 0, "timer", "timer_start", "timer_start",
	    "timer = (u64)timer; function = timer->function; expires = expires or timer->expires; now = " JIFFIES
	    "; flags = flags or timer->flags"),
	ROW(TIMERS, CORE, "timer", "timer_expire_entry", "timer_expire_entry",
	    "timer = (u64)timer; now = " JIFFIES "; function = timer->function; baseclk = baseclk"),
	ROW(TIMERS, CORE, "timer", "timer_expire_exit", "timer_expire_exit", "timer = (u64)timer"),
	ROW(TIMERS, 0, "timer", "timer_cancel", "timer_cancel", "timer = (u64)timer"),
	ROW(TIMERS, 0, "timer", "hrtimer_init or hrtimer_setup", "timer_hrtimer_init",
	    "hrtimer = (u64)hrtimer; clockid = clockid; mode = mode"),
	ROW(TIMERS, 0, "timer", "hrtimer_start", "timer_hrtimer_start",
	    "hrtimer = (u64)hrtimer; function = hrtimer->function; expires = hrtimer->node.expires; "
	    "softexpires = hrtimer->_softexpires; mode = mode"),
	ROW(TIMERS, CORE, "timer", "hrtimer_expire_entry", "timer_hrtimer_expire_entry",
	    "hrtimer = (u64)hrtimer; now = *now or now; function = hrtimer->function"),
	ROW(TIMERS, CORE, "timer", "hrtimer_expire_exit", "timer_hrtimer_expire_exit", "hrtimer = (u64)hrtimer"),
	ROW(TIMERS, 0, "timer", "hrtimer_cancel", "timer_hrtimer_cancel", "hrtimer = (u64)hrtimer"),
	ROW(TIMERS, 0, "timer", "itimer_state", "timer_itimer_state",
	    "which = which; expires = expires; value_sec = value->it_value.tv_sec; value_nsec = value->it_value.tv_nsec; "
	    "interval_sec = value->it_interval.tv_sec; interval_nsec = value->it_interval.tv_nsec"),
	ROW(TIMERS, 0, "timer", "itimer_expire", "timer_itimer_expire",
	    "which = which; pid = pid->numbers[0].nr; now = now"),

	ROW(WORKQUEUE, 0, "workqueue", "workqueue_queue_work", "workqueue_queue_work",
	    "work = (u64)work; function = work->func; req_cpu = req_cpu"),
	ROW(WORKQUEUE, 0, "workqueue", "workqueue_activate_work", "workqueue_activate_work", "work = (u64)work"),
	ROW(WORKQUEUE, CORE, "workqueue", "workqueue_execute_start", "workqueue_execute_start",
	    "work = (u64)work; function = work->func"),
	ROW(WORKQUEUE, CORE, "workqueue", "workqueue_execute_end", "workqueue_execute_end", "work = (u64)work"),

	ROW(PROCESS, 0, "sched", "sched_process_fork", "sched_process_fork",
	    "parent_comm = parent->comm; parent_tid = parent->pid; parent_pid = parent->tgid; "
	    "child_comm = child->comm; child_tid = child->pid; child_pid = child->tgid; "
	    "parent_ns_inum = " OWN_NUMBER("parent") ".ns->ns.inum; child_ns_inum = " OWN_NUMBER("child") ".ns->ns.inum; "
	    "child_vtid = " OWN_NUMBER("child") ".nr; vtids = child:pids"),
	ROW(PROCESS, 0, "sched", "sched_process_exec", "sched_process_exec",
	    "filename = bprm->filename :128; tid = p->pid; old_tid = old_pid"),
	ROW(PROCESS, 0, "sched", "sched_process_exit", "sched_process_exit", TASK_OF("p")),
	ROW(PROCESS, 0, "sched", "sched_process_free", "sched_process_free", TASK_OF("p")),
	ROW(PROCESS, 0, "sched", "sched_process_wait", "sched_process_wait",
	    "comm = current->comm; tid = pid == 0 ? 0 : pid->numbers[0].nr; prio = " PRIO("current")),
	ROW(PROCESS, 0, "task", "task_newtask", "task_newtask",
	    "tid = task->pid; comm = task->comm; clone_flags = clone_flags"),
	ROW(PROCESS, 0, "task", "task_rename", "task_rename",
	    "tid = task->pid; oldcomm = task->comm; newcomm = comm :16"),
	/* The new thread itself is here, before it calls its function. */
	ROW(PROCESS, 0, NULL, "kthread", "kthread_start",
	    "tid = $pid; function = ((struct kthread_create_info *)_create)->threadfn"),
	ROW(PROCESS, 0, "sched", "sched_kthread_stop", "sched_kthread_stop", "comm = t->comm; tid = t->pid"),
	ROW(PROCESS, 0, "sched", "sched_kthread_stop_ret", "sched_kthread_stop_ret", "ret = ret"),

	ROW(SIGNALS, 0, "signal", "signal_generate", "signal_generate",
	    "sig = sig; " SIGNAL_DETAILS "; comm = task->comm; pid = task->pid; group = group; result = result"),
	ROW(SIGNALS, 0, "signal", "signal_deliver", "signal_deliver",
	    "sig = sig; " SIGNAL_DETAILS "; sa_handler = (u64)ka->sa.sa_handler; sa_flags = ka->sa.sa_flags"),

	ROW(FAULTS, CORE, NULL, "handle_mm_fault%return", "mm_fault_exit", "ret = RETVAL"),

	/* The name is already in the kernel's memory. */
	ROW(FS, 0, NULL, "do_filp_open or do_file_open", "file_open", "filename = pathname->name :128; flags = op->open_flag"),
	ROW(FS, 0, NULL, "__wait_on_buffer", "buffer_wait_start",
	    "dev = bh->b_bdev->bd_dev; block = bh->b_blocknr; size = bh->b_size"),
	ROW(FS, 0, NULL, "__wait_on_buffer%return", "buffer_wait_end", "tid = $pid"),

	ROW(BLOCK, 0, "block", "block_rq_insert", "block_rq_insert", REQUEST),
	ROW(BLOCK, 0, "block", "block_rq_issue", "block_rq_issue", REQUEST),
	ROW(BLOCK, 0, "block", "block_rq_merge", "block_rq_merge", REQUEST),
	ROW(BLOCK, 0, "block", "block_rq_requeue", "block_rq_requeue",
	    REQUEST_DISK REQUEST_SECTORS RWBS("(u32)rq->cmd_flags")),
	ROW(BLOCK, 0, "block", "block_rq_complete", "block_rq_complete",
	    REQUEST_DISK "sector = rq->__sector; nr_sector = nr_bytes >> 9; " REQUEST_ERROR RWBS("(u32)rq->cmd_flags")),
	ROW(BLOCK, 0, "block", "block_bio_queue", "block_bio_queue", BIO),
	ROW(BLOCK, 0, "block", "block_bio_backmerge", "block_bio_backmerge", BIO),
	ROW(BLOCK, 0, "block", "block_bio_frontmerge", "block_bio_frontmerge", BIO),

	ROW(MM, 0, "kmem", "mm_page_alloc", "kmem_mm_page_alloc",
	    PAGE("page") "; order = order; gfp_flags = gfp_flags; migratetype = migratetype"),
	ROW(MM, 0, "kmem", "mm_page_free", "kmem_mm_page_free", PAGE("page") "; order = order"),
	ROW(MM, 0, NULL, "folio_wait_bit_common or wait_on_page_bit_common or wait_on_page_bit", "page_wait_start",
	    PAGE("folio") " or (u64)page; index = folio->index or page->index; bit = bit_nr"),
	ROW(MM, 0, NULL, "folio_wait_bit_common%return or wait_on_page_bit_common%return or wait_on_page_bit%return", "page_wait_end",
	    "ret = RETVAL"),

	ROW(SWAP, 0, NULL, "swap_read_folio or swap_readpage", "swap_in",
	    PAGE("folio") " or (u64)page; entry = folio->swap.val or folio->page.private or page->private"),
	ROW(SWAP, 0, NULL, "swap_writeout or swap_writepage", "swap_out",
	    PAGE("folio") " or (u64)page; entry = folio->swap.val or folio->page.private or page->private"),

	ROW(NET, 0, "net", "net_dev_queue", "net_dev_queue", PACKET),
	ROW(NET, 0, "net", "net_dev_xmit", "net_dev_xmit",
	    "skbaddr = (u64)skb; rc = rc; len = skb_len; name = dev->name"),
	ROW(NET, 0, "net", "netif_receive_skb", "net_if_receive_skb", PACKET),
	ROW(NET, 0, "net", "netif_rx", "net_if_rx", PACKET),
	ROW(NET, 0, NULL, "__sys_socket%return", "socket_create", "ret = RETVAL"),
	/* Every way to send and to receive passes these; their callers in net/socket.c are often inlined. */
	ROW(NET, 0, NULL, "security_socket_sendmsg or sock_sendmsg", "socket_send",
	    SOCKET_OF("sock->sk") "size = msg->msg_iter.count"),
	ROW(NET, 0, NULL, "security_socket_recvmsg or sock_recvmsg", "socket_receive",
	    SOCKET_OF("sock->sk") "size = msg->msg_iter.count"),

	ROW(IPC, 0, NULL, "newque", "ipc_msg_create", "key = params->key; flags = params->flg"),
	ROW(IPC, 0, NULL, "newque%return", "ipc_msg_created", "id = RETVAL"),
	ROW(IPC, 0, NULL, "newary", "ipc_sem_create", "key = params->key; flags = params->flg; nsems = params->u.nsems"),
	ROW(IPC, 0, NULL, "newary%return", "ipc_sem_created", "id = RETVAL"),
	ROW(IPC, 0, NULL, "newseg", "ipc_shm_create", "key = params->key; flags = params->flg; size = params->u.size"),
	ROW(IPC, 0, NULL, "newseg%return", "ipc_shm_created", "id = RETVAL"),

	ROW(POWER, 0, "power", "cpu_frequency", "power_cpu_frequency", "state = frequency; cpu_id = cpu_id"),
	ROW(POWER, 0, "power", "cpu_idle", "power_cpu_idle", "state = state; cpu_id = cpu_id"),
	{ .name = NULL },
};

const struct event_row *const event_rows_end = &event_rows[ARRAY_SIZE(event_rows) - 1];
