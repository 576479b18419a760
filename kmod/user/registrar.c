// SPDX-License-Identifier: GPL-2.0-only
/* registrar.c - see registrar.h. */
#include <linux/bitmap.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kmod/base/ktrace.h"
#include "kmod/user/registrar.h"
#include "kmod/user/switches.h"
#include "kmod/user/watch.h"

static unsigned int user_processes = 1024;
module_param(user_processes, uint, 0644);
MODULE_PARM_DESC(user_processes, "processes with libktrace that one user may have registered (default 1024; 0: none)");

static unsigned int user_sites = 65536;
module_param(user_sites, uint, 0644);
MODULE_PARM_DESC(user_sites, "tracepoints that all registered processes of one user may have (default 65536)");

static unsigned int user_pages = 16384;
module_param(user_pages, uint, 0644);
MODULE_PARM_DESC(user_pages, "pages of memory with such tracepoints for one user, huge ones as a whole; they cannot be swapped out (default 16384)");

struct registration {
	struct list_head link;
	u64 id;
	struct kt_watch *watch;		/* whose owner this is; NULL: the process has ended */
	struct pid *pid, *parent;
	kuid_t uid;
	char comm[TASK_COMM_LEN];
	struct file *memory;
	struct list_head parts;		/* struct kt_switches */
	u32 nr_sites, nr_pages;		/* also of calls that have not ended */
	u32 changes;			/* of parts */
	const struct file *owner;	/* the controller that has switched it; NULL: none */
	unsigned long *wanted;		/* ids that are on; NULL: all are off */
};

/* Protects all of this.  Nobody waits for a process while it is held, and no other lock of ours is taken. */
static DEFINE_MUTEX(lock);
static LIST_HEAD(registrations);	/* by rising id */
static u64 last_id, refused;

/* ------------------------------------------------------------------ one registration */

static void drop(struct registration *reg)
{
	fput(reg->memory);
	put_pid(reg->pid);
	put_pid(reg->parent);
	bitmap_free(reg->wanted);
	kfree(reg);
}

static void set_switches(const struct registration *reg)
{
	struct kt_switches *part;

	list_for_each_entry(part, &reg->parts, link)
		kt_switches_set(part, reg->wanted);
}

/* Takes over `wanted`. */
static void change_wanted(struct registration *reg, unsigned long *wanted)
{
	unsigned long *before = reg->wanted;

	reg->wanted = wanted;
	set_switches(reg);
	bitmap_free(before);
}

static void remove_part(struct registration *reg, struct kt_switches *part)
{
	list_del(&part->link);
	reg->nr_sites -= part->nr;
	reg->nr_pages -= part->nr_kept;
	reg->changes++;
	kt_switches_free(part);
}

static void forget(struct registration *reg)
{
	list_del(&reg->link);
	drop(reg);
}

/* The process has ended, or the module does.  The file is kept for the controller that has switched it on. */
static void end(struct registration *reg)
{
	struct kt_switches *part, *next;

	change_wanted(reg, NULL);
	reg->watch = NULL;
	list_for_each_entry_safe(part, next, &reg->parts, link)
		remove_part(reg, part);
	if (!reg->owner)
		forget(reg);
}

/* A file of memfd_create(): the module never calls into a file system that a user provides. */
static struct file *get_memory(int fd)
{
	struct file *file = fget(fd);
	bool ok;

	if (!file)
		return ERR_PTR(-EBADF);
	ok = file_inode(file)->i_sb->s_magic == TMPFS_MAGIC && S_ISREG(file_inode(file)->i_mode) &&
	     file->f_path.mnt->mnt_flags & MNT_INTERNAL && file->f_mode & FMODE_READ && i_size_read(file_inode(file)) > 0;
	if (ok)
		return file;
	fput(file);
	return ERR_PTR(-EINVAL);
}

/* Of a child: has room for what it inherits. */
static struct registration *new_registration(int fd, bool is_child)
{
	struct file *memory = get_memory(fd);
	struct registration *reg;

	if (IS_ERR(memory))
		return ERR_CAST(memory);
	reg = kzalloc(sizeof(*reg), GFP_KERNEL_ACCOUNT);
	if (!reg) {
		fput(memory);
		return ERR_PTR(-ENOMEM);
	}
	INIT_LIST_HEAD(&reg->parts);
	reg->memory = memory;
	reg->uid = current_euid();
	reg->pid = get_pid(task_tgid(current));
	rcu_read_lock();
	reg->parent = get_pid(task_tgid(rcu_dereference(current->real_parent)));
	rcu_read_unlock();
	get_task_comm(reg->comm, current);
	if (is_child)
		reg->wanted = bitmap_alloc(KT_USER_MAX_SITES + 1, GFP_KERNEL_ACCOUNT);
	if (!is_child || reg->wanted)
		return reg;
	drop(reg);
	return ERR_PTR(-ENOMEM);
}

/* ------------------------------------------------------------------ the end of a process */

static void memory_gone(struct kt_watch *watch)
{
	struct registration *reg;

	mutex_lock(&lock);
	reg = watch->owner;
	watch->owner = NULL;
	if (reg) {
		end(reg);
		kt_watch_remove_later(watch);
	}
	mutex_unlock(&lock);
}

/* ------------------------------------------------------------------ quotas */

static int refuse(kuid_t uid, unsigned int most, const char *parameter)
{
	refused++;
	pr_info_ratelimited("the tracepoints of process %d, user %u, cannot be registered: the module parameter %s allows %u for each user\n",
			    task_tgid_nr(current), from_kuid(&init_user_ns, uid), parameter, most);
	return -EDQUOT;
}

static int check_quota(kuid_t uid, u64 processes, u64 sites, u64 pages)
{
	struct registration *reg;

	list_for_each_entry(reg, &registrations, link) {
		if (!uid_eq(reg->uid, uid))
			continue;
		processes++;
		sites += reg->nr_sites;
		pages += reg->nr_pages;
	}
	if (processes > READ_ONCE(user_processes))
		return refuse(uid, user_processes, "user_processes");
	if (sites > READ_ONCE(user_sites))
		return refuse(uid, user_sites, "user_sites");
	return pages > READ_ONCE(user_pages) ? refuse(uid, user_pages, "user_pages") : 0;
}

/* ------------------------------------------------------------------ calls of a process */

static struct registration *find_current(void)
{
	struct registration *reg;

	list_for_each_entry(reg, &registrations, link)
		if (reg->watch && kt_watch_is_current(reg->watch))
			return reg;
	return NULL;
}

/* A forked child of a process that is switched on is switched on, too, by the same controller. */
static void inherit(struct registration *child)
{
	struct registration *reg;

	list_for_each_entry(reg, &registrations, link) {
		if (!reg->watch || reg->pid != child->parent || !reg->wanted)
			continue;
		bitmap_copy(child->wanted, reg->wanted, KT_USER_MAX_SITES + 1);
		child->owner = reg->owner;
		return;
	}
	bitmap_free(child->wanted);
	child->wanted = NULL;
}

static int may_register(kuid_t uid)
{
	return find_current() ? -EEXIST : check_quota(uid, 1, 0, 0);
}

static int add(struct registration *reg, struct kt_watch *watch)
{
	const int err = may_register(reg->uid);

	if (err)
		return err;
	if (reg->wanted)
		inherit(reg);
	reg->id = ++last_id;
	reg->watch = watch;
	watch->owner = reg;
	list_add_tail(&reg->link, &registrations);
	return 0;
}

/* To watch a large memory is dear, so first ask whether there is a need to. */
int kt_registrar_register(const struct kt_user_register *arg)
{
	struct registration *reg;
	struct kt_watch *watch;
	int err;

	if (arg->flags & ~KT_USER_CHILD)
		return -EOPNOTSUPP;
	if (arg->reserved)
		return -EINVAL;
	mutex_lock(&lock);
	err = may_register(current_euid());
	mutex_unlock(&lock);
	if (err)
		return err;
	reg = new_registration(arg->memory, arg->flags & KT_USER_CHILD);
	if (IS_ERR(reg))
		return PTR_ERR(reg);
	watch = kt_watch_new(memory_gone);
	if (IS_ERR(watch)) {
		drop(reg);
		return PTR_ERR(watch);
	}
	mutex_lock(&lock);
	err = add(reg, watch);
	mutex_unlock(&lock);
	if (err) {
		drop(reg);
		kt_watch_remove(watch);
	}
	return err;
}

/* *out stays until the call has ended, since its memory does, and the node is open. */
static int reserve(const struct kt_switches *part, struct registration **out)
{
	struct registration *reg = find_current();
	int err = reg ? check_quota(reg->uid, 0, part->nr, part->nr_kept) : -ENOENT;

	/* Ids have a limit, switches that share one would not. */
	if (!err && reg->nr_sites + part->nr > KT_USER_MAX_SITES)
		err = -EINVAL;
	if (err)
		return err;
	reg->nr_sites += part->nr;
	reg->nr_pages += part->nr_kept;
	*out = reg;
	return 0;
}

static int reserve_more(void *arg, struct kt_switches *part, u32 nr)
{
	struct registration *reg = arg;
	int err;

	mutex_lock(&lock);
	err = check_quota(reg->uid, 0, 0, nr);
	if (!err) {
		reg->nr_pages += nr;
		part->nr_kept += nr;
	}
	mutex_unlock(&lock);
	return err;
}

/* Ends what reserve() has begun. */
static void add_part(struct registration *reg, struct kt_switches *part, int err)
{
	list_add_tail(&part->link, &reg->parts);
	if (err) {
		remove_part(reg, part);
		return;
	}
	reg->changes++;
	kt_switches_set(part, reg->wanted);
}

/* The quota comes first: pages that are pinned cannot be swapped out, and to pin one may take as long as the process likes. */
int kt_registrar_sites(const struct kt_user_sites *arg)
{
	struct kt_switches *part = kt_switches_read(arg);
	struct registration *reg;
	int err;

	if (IS_ERR(part))
		return PTR_ERR(part);
	mutex_lock(&lock);
	err = reserve(part, &reg);
	mutex_unlock(&lock);
	if (err) {
		kt_switches_free(part);
		return err;
	}
	err = kt_switches_pin(part, reserve_more, reg);
	mutex_lock(&lock);
	add_part(reg, part, err);
	mutex_unlock(&lock);
	return err;
}

int kt_registrar_forget(const struct kt_user_forget *arg)
{
	struct kt_switches *part, *next;
	struct registration *reg;
	int err = -ENOENT;

	if (arg->reserved)
		return -EINVAL;
	mutex_lock(&lock);
	reg = find_current();
	if (reg) {
		list_for_each_entry_safe(part, next, &reg->parts, link) {
			if (part->part != arg->part)
				continue;
			remove_part(reg, part);
			err = 0;
		}
	}
	mutex_unlock(&lock);
	return err;
}

/* ------------------------------------------------------------------ calls of a controller */

static struct registration *find(u64 id)
{
	struct registration *reg;

	list_for_each_entry(reg, &registrations, link)
		if (reg->id == id)
			return reg;
	return NULL;
}

static void describe(const struct registration *reg, const struct file *controller, struct kt_user_entry *to)
{
	*to = (struct kt_user_entry){
		.id = reg->id, .pid = pid_vnr(reg->pid), .parent = pid_vnr(reg->parent),
		.uid = from_kuid(&init_user_ns, reg->uid), .nr_sites = reg->nr_sites,
		.flags = (reg->wanted ? KT_USER_ON : 0) | (reg->owner == controller ? KT_USER_OWN : 0) |
			 (reg->watch ? 0 : KT_USER_ENDED),
		.changes = reg->changes,
	};
	memcpy(to->comm, reg->comm, sizeof(to->comm));
}

int kt_registrar_list(struct kt_user_list *arg, const struct file *controller)
{
	const u32 room = min_t(u32, arg->nr, KT_USER_MAX_LIST);
	struct kt_user_entry *entries = kvcalloc(max_t(u32, room, 1), sizeof(*entries), GFP_KERNEL);
	struct registration *reg;
	int err = 0;

	arg->nr = 0;
	if (!entries)
		return -ENOMEM;
	mutex_lock(&lock);
	list_for_each_entry(reg, &registrations, link)
		if (reg->id > arg->after && arg->nr < room)
			describe(reg, controller, &entries[arg->nr++]);
	arg->refused = refused;
	mutex_unlock(&lock);
	if (copy_to_user(u64_to_user_ptr(arg->entries), entries, arg->nr * sizeof(*entries)))
		err = -EFAULT;
	kvfree(entries);
	return err;
}

int kt_registrar_open(struct kt_user_open *arg)
{
	struct registration *reg;
	struct file *memory = NULL;
	int fd;

	arg->fd = -1;
	mutex_lock(&lock);
	reg = find(arg->id);
	if (reg)
		memory = get_file(reg->memory);
	mutex_unlock(&lock);
	if (!memory)
		return -ENOENT;
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0) {
		fput(memory);
		return fd;
	}
	fd_install(fd, memory);
	arg->fd = fd;
	return 0;
}

/* *out is NULL if none is wanted. */
static int read_wanted(const struct kt_user_switch *arg, unsigned long **out)
{
	const u32 __user *from = u64_to_user_ptr(arg->ids);
	unsigned long *wanted;
	int err = 0;
	u32 i, id;

	*out = NULL;
	if (!arg->nr)
		return 0;
	if (arg->nr > KT_USER_MAX_SITES + 1)
		return -EINVAL;
	wanted = bitmap_zalloc(KT_USER_MAX_SITES + 1, GFP_KERNEL_ACCOUNT);
	if (!wanted)
		return -ENOMEM;
	for (i = 0; !err && i < arg->nr; i++) {
		if (get_user(id, &from[i]))
			err = -EFAULT;
		else if (id > KT_USER_MAX_SITES)
			err = -EINVAL;
		else
			__set_bit(id, wanted);
	}
	if (err)
		bitmap_free(wanted);
	else
		*out = wanted;
	return err;
}

/* Takes over `wanted`.  A process that has ended has no switches any more. */
static void switch_one(struct registration *reg, const struct file *owner, unsigned long *wanted)
{
	reg->owner = owner;
	if (reg->watch) {
		change_wanted(reg, wanted);
		return;
	}
	bitmap_free(wanted);
	if (!owner)
		forget(reg);
}

int kt_registrar_switch(const struct kt_user_switch *arg, const struct file *controller)
{
	const bool release = arg->flags & KT_USER_RELEASE;
	struct registration *reg;
	unsigned long *wanted;
	int err;

	if (arg->flags & ~KT_USER_RELEASE)
		return -EOPNOTSUPP;
	if (arg->reserved || (release && arg->nr))
		return -EINVAL;
	err = read_wanted(arg, &wanted);
	if (err)
		return err;
	mutex_lock(&lock);
	reg = find(arg->id);
	if (!reg)
		err = -ENOENT;
	else if (reg->owner && reg->owner != controller)
		err = -EBUSY;
	else
		switch_one(reg, release ? NULL : controller, wanted);
	mutex_unlock(&lock);
	if (err)
		bitmap_free(wanted);
	return err;
}

void kt_registrar_control_closed(const struct file *controller)
{
	struct registration *reg, *next;

	mutex_lock(&lock);
	list_for_each_entry_safe(reg, next, &registrations, link)
		if (reg->owner == controller)
			switch_one(reg, NULL, NULL);
	mutex_unlock(&lock);
}

/* ------------------------------------------------------------------ exit */

/* Ends one registration.  The memory may go at the same time: then it finds that there is none any more. */
static bool end_one(void)
{
	struct registration *reg;
	struct kt_watch *watch;

	mutex_lock(&lock);
	reg = list_first_entry_or_null(&registrations, struct registration, link);
	watch = reg ? reg->watch : NULL;
	if (reg) {
		watch->owner = NULL;
		end(reg);
	}
	mutex_unlock(&lock);
	if (watch)
		kt_watch_remove(watch);
	return watch;
}

/* Nothing is kept for an owner: no controller has its node open. */
void kt_registrar_exit(void)
{
	while (end_one())
		;
}
