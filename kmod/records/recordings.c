// SPDX-License-Identifier: GPL-2.0-only
/* recordings.c - see recordings.h. */
#include <linux/ctype.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "kmod/base/ktrace.h"
#include "kmod/measure/client.h"
#include "kmod/records/buffer.h"
#include "kmod/records/desc.h"
#include "kmod/records/recordings.h"

struct recording {
	struct list_head list;
	struct kt_rings *rings;		/* a reference */
	struct pid *pid;		/* of the process that made it; a reference */
	u64 began;			/* CLOCK_REALTIME, in ns */
	bool stopped;
	char name[KT_MAX_NAME];
};

static DEFINE_MUTEX(recordings_lock);	/* the list, and `stopped` of each; inside client->lock */
static LIST_HEAD(recordings);

static struct recording *find(const char *name)
{
	struct recording *at;

	list_for_each_entry(at, &recordings, list)
		if (!strcmp(at->name, name))
			return at;
	return NULL;
}

/* A name that a terminal can show: printable, not empty, terminated. */
static bool name_valid(const char *name)
{
	const size_t n = strnlen(name, KT_MAX_NAME);
	size_t i;

	for (i = 0; i < n; i++)
		if (!isascii(name[i]) || !isprint(name[i]))
			return false;
	return n && n < KT_MAX_NAME;
}

static void recording_free(struct recording *recording)
{
	kt_rings_put(recording->rings);
	put_pid(recording->pid);
	kfree(recording);
}

static struct recording *recording_alloc(const struct kt_rings_req *arg)
{
	struct recording *recording = kzalloc(sizeof(*recording), GFP_KERNEL);
	struct kt_rings *rings;

	if (!recording)
		return ERR_PTR(-ENOMEM);
	rings = kt_rings_create(arg->bytes, arg->mode, arg->flags & KT_RINGS_WIDE);
	if (IS_ERR(rings)) {
		kfree(recording);
		return ERR_CAST(rings);
	}
	recording->rings = rings;
	recording->pid = get_pid(task_tgid(current));
	recording->began = ktime_get_real_ns();
	strscpy(recording->name, arg->name, sizeof(recording->name));
	return recording;
}

static int publish(struct kt_client *client, struct recording *recording)
{
	int err = 0;

	mutex_lock(&client->lock);
	mutex_lock(&recordings_lock);
	if (client->recording || READ_ONCE(client->has_sites))
		err = -EBUSY;
	else if (find(recording->name))
		err = -EEXIST;
	else
		list_add_tail(&recording->list, &recordings);
	mutex_unlock(&recordings_lock);
	if (!err)
		/* Its fields before the pointer: pairs with the acquire of kt_client_rings(). */
		smp_store_release(&client->recording, recording);
	mutex_unlock(&client->lock);
	return err;
}

int kt_recording_create(struct kt_client *client, const struct kt_rings_req *arg)
{
	struct recording *recording;
	int err;

	if (arg->flags & ~KT_RINGS_WIDE)
		return -EOPNOTSUPP;
	if (arg->reserved || !name_valid(arg->name))
		return -EINVAL;
	recording = recording_alloc(arg);
	if (IS_ERR(recording))
		return PTR_ERR(recording);
	err = publish(client, recording);
	if (err)
		recording_free(recording);
	return err;
}

void kt_recording_end(struct kt_client *client)
{
	struct recording *recording = client->recording;

	if (!recording)
		return;
	mutex_lock(&recordings_lock);
	list_del(&recording->list);
	mutex_unlock(&recordings_lock);
	WRITE_ONCE(recording->rings->closed, true);
	kt_desc_collect();
	recording_free(recording);
}

struct kt_rings *kt_client_rings(const struct kt_client *client)
{
	const struct recording *recording = client ? smp_load_acquire(&client->recording) : NULL;

	return recording ? recording->rings : &kt_prompt_rings;
}

bool kt_recording_stopped(const struct kt_client *client)
{
	const struct recording *recording = smp_load_acquire(&client->recording);

	return recording && READ_ONCE(recording->stopped);
}

static void describe(const struct recording *recording, struct kt_recording_entry *out)
{
	struct kt_buffer buffer = { 0 };

	*out = (struct kt_recording_entry){ .pid = pid_vnr(recording->pid), .began = recording->began };
	strscpy(out->name, recording->name, sizeof(out->name));
	kt_buffer_change(recording->rings, &buffer);
	out->mode = buffer.mode;
	out->bytes = buffer.bytes;
	out->frozen = atomic64_read(&recording->rings->recording) < 0;
	kt_buffer_sums(recording->rings, &out->recorded, &out->discarded);
}

/* A copy, so that user memory is not touched under the lock. */
static struct kt_recording_entry *copy_all(u32 room, u32 *nr, u32 *total)
{
	struct kt_recording_entry *entries;
	struct recording *at;

	*nr = *total = 0;
	entries = kvcalloc(max(room, 1U), sizeof(*entries), GFP_KERNEL);
	if (!entries)
		return NULL;
	mutex_lock(&recordings_lock);
	list_for_each_entry(at, &recordings, list) {
		if (*nr < room)
			describe(at, &entries[(*nr)++]);
		(*total)++;
	}
	mutex_unlock(&recordings_lock);
	return entries;
}

int kt_recordings_list(struct kt_recordings *arg)
{
	struct kt_recording_entry *entries = copy_all(min_t(u32, arg->nr, KT_MAX_RECORDINGS), &arg->nr, &arg->total);
	int err = 0;

	if (!entries)
		return -ENOMEM;
	if (copy_to_user(u64_to_user_ptr(arg->entries), entries, arg->nr * sizeof(*entries)))
		err = -EFAULT;
	kvfree(entries);
	return err;
}

int kt_recording_stop(const struct kt_stop *arg)
{
	struct recording *recording;

	if (arg->flags)
		return -EOPNOTSUPP;
	if (!name_valid(arg->name))
		return -ENOENT;
	mutex_lock(&recordings_lock);
	recording = find(arg->name);
	if (recording)
		WRITE_ONCE(recording->stopped, true);
	mutex_unlock(&recordings_lock);
	return recording ? 0 : -ENOENT;
}
