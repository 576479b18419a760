// SPDX-License-Identifier: GPL-2.0-only
/* file.c - see file.h. */
#include <linux/dcache.h>
#include <linux/elf.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uprobes.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/arch.h"
#include "kmod/base/ksym.h"
#include "kmod/uprobe/file.h"
#include "uprobe_arch.h"

#define MAX_FILES	4096	/* at the same time */
#define MAX_HEADERS	128	/* program headers of one file */
#define MAX_PARTS	8	/* executable segments */

struct kt_user_file {
	struct list_head list;
	struct file *file;	/* opened by a client; keeps the file system mounted */
	struct inode *inode;
	u32 number;
	u32 users;		/* under files_lock */
	u32 nr_parts;
	struct { u64 from, to; } parts[MAX_PARTS];	/* executable segments: offsets in the file */
};

static DEFINE_MUTEX(files_lock);	/* protects the three variables below; innermost */
static LIST_HEAD(files);
static u32 nr_files, last_number;

/* ------------------------------------------------------------- its segments */

static int read_all(struct file *file, void *to, size_t size, loff_t at)
{
	const ssize_t got = kernel_read(file, to, size, &at);

	return got < 0 ? got : got == size ? 0 : -ENOEXEC;
}

static bool header_valid(const Elf64_Ehdr *header)
{
	return !memcmp(header->e_ident, ELFMAG, SELFMAG) && header->e_ident[EI_CLASS] == ELFCLASS64 &&
	       header->e_machine == kt_arch.elf_machine && (header->e_type == ET_EXEC || header->e_type == ET_DYN) &&
	       header->e_phentsize == sizeof(Elf64_Phdr) && header->e_phnum && header->e_phnum <= MAX_HEADERS;
}

static void add_part(struct kt_user_file *file, const Elf64_Phdr *segment)
{
	if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) || file->nr_parts == MAX_PARTS ||
	    segment->p_offset > S64_MAX || segment->p_filesz > S64_MAX)
		return;
	file->parts[file->nr_parts].from = segment->p_offset;
	file->parts[file->nr_parts++].to = segment->p_offset + segment->p_filesz;
}

static int find_parts(struct kt_user_file *file)
{
	Elf64_Phdr *segments;
	Elf64_Ehdr header;
	size_t size;
	int err, i;

	err = read_all(file->file, &header, sizeof(header), 0);
	if (err)
		return err;
	if (!header_valid(&header) || header.e_phoff > S64_MAX)
		return -ENOEXEC;
	size = header.e_phnum * sizeof(*segments);
	segments = kmalloc(size, GFP_KERNEL);
	if (!segments)
		return -ENOMEM;
	err = read_all(file->file, segments, size, header.e_phoff);
	for (i = 0; !err && i < header.e_phnum; i++)
		add_part(file, &segments[i]);
	kfree(segments);
	return err ?: file->nr_parts ? 0 : -ENOEXEC;
}

/* ------------------------------------------------------------------ numbers */

/* Nothing on such a mount or file system can be executed.  Only regular files can be mapped for that. */
static bool may_be_executed(const struct file *file, const struct inode *inode)
{
	return S_ISREG(inode->i_mode) && !(file->f_path.mnt->mnt_flags & MNT_NOEXEC) &&
	       !(inode->i_sb->s_iflags & SB_I_NOEXEC);
}

#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC	0x65735546
#endif

/*
 * A process of anybody may serve such a file system (FUSE), and answer never: then a read by the kernel does not end, and it
 * happens while a lock is held that all controllers need.
 */
static bool is_served_by_anybody(const struct inode *inode)
{
	return inode->i_sb->s_magic == FUSE_SUPER_MAGIC && inode->i_sb->s_type->fs_flags & FS_USERNS_MOUNT;
}

/* Takes over the reference to `from`, also if it fails. */
static struct kt_user_file *file_create(struct file *from)
{
	struct inode *inode = d_real_inode(from->f_path.dentry);
	struct kt_user_file *file = ERR_PTR(-EACCES);
	int err;

	if (!inode || !may_be_executed(from, inode))
		goto put;
	if (is_served_by_anybody(inode)) {
		file = ERR_PTR(-EREMOTE);
		goto put;
	}
	file = kzalloc(sizeof(*file), GFP_KERNEL);
	if (!file) {
		file = ERR_PTR(-ENOMEM);
		goto put;
	}
	file->file = from;
	file->inode = inode;
	ihold(inode);
	err = find_parts(file);
	if (!err)
		return file;
	iput(inode);
	kfree(file);
	file = ERR_PTR(err);
put:
	fput(from);
	return file;
}

static void file_free(struct kt_user_file *file)
{
	iput(file->inode);
	fput(file->file);
	kfree(file);
}

static struct kt_user_file *with_number(u32 number)
{
	struct kt_user_file *at;

	list_for_each_entry(at, &files, list)
		if (at->number == number)
			return at;
	return NULL;
}

static struct kt_user_file *with_inode(const struct inode *inode)
{
	struct kt_user_file *at;

	list_for_each_entry(at, &files, list)
		if (at->inode == inode)
			return at;
	return NULL;
}

/* Numbers rise, so that an old record does not seem to be about another file. */
static void publish(struct kt_user_file *file)
{
	do {
		last_number = (last_number + 1) & KT_MAX_FILE_NUMBER;
	} while (with_number(last_number));
	file->number = last_number;
	list_add(&file->list, &files);
	nr_files++;
}

/* Returns the file with the same inode, with a reference, if it has a number already; else `file` with its new number. */
static struct kt_user_file *file_join(struct kt_user_file *file)
{
	struct kt_user_file *known;

	mutex_lock(&files_lock);
	known = with_inode(file->inode);
	if (!known && nr_files == MAX_FILES)
		known = ERR_PTR(-ENFILE);
	if (!known) {
		known = file;
		publish(file);
	}
	if (!IS_ERR(known))
		known->users++;
	mutex_unlock(&files_lock);
	if (known != file)
		file_free(file);
	return known;
}

struct kt_user_file *kt_file_get(u64 addr)
{
	struct kt_user_file *file;

	mutex_lock(&files_lock);
	file = KT_FILE_HAS(addr) ? with_number(KT_FILE_NUMBER(addr)) : NULL;
	if (file)
		file->users++;
	mutex_unlock(&files_lock);
	return file;
}

void kt_file_put(struct kt_user_file *file)
{
	bool last;

	if (!file)
		return;
	mutex_lock(&files_lock);
	last = !--file->users;
	if (last) {
		list_del(&file->list);
		nr_files--;
	}
	mutex_unlock(&files_lock);
	if (last)
		file_free(file);
}

struct inode *kt_file_inode(const struct kt_user_file *file)
{
	return file->inode;
}

/* --------------------------------------------------------------- the clients */

struct kt_named_file {
	struct kt_named_file *next;
	struct kt_user_file *file;
};

static bool set_has(const struct kt_file_set *set, const struct kt_user_file *file)
{
	const struct kt_named_file *at;

	for (at = set->first; at; at = at->next)
		if (at->file == file)
			return true;
	return false;
}

/* Takes over the reference. */
static int set_add(struct kt_file_set *set, struct kt_user_file *file)
{
	struct kt_named_file *named = set_has(set, file) ? NULL : kmalloc(sizeof(*named), GFP_KERNEL);

	if (named) {
		named->file = file;
		named->next = set->first;
		set->first = named;
		return 0;
	}
	kt_file_put(file);
	return set_has(set, file) ? 0 : -ENOMEM;
}

int kt_file_name(struct kt_file_set *set, struct kt_file *arg)
{
	struct kt_user_file *file;
	struct file *from;

	arg->base = 0;
	if (arg->flags)
		return -EOPNOTSUPP;
	if (arg->reserved)
		return -EINVAL;
	from = fget(arg->fd);
	if (!from)
		return -EBADF;
	if (!(from->f_mode & FMODE_READ)) {
		fput(from);
		return -EBADF;
	}
	file = file_create(from);
	if (!IS_ERR(file))
		file = file_join(file);
	if (IS_ERR(file))
		return PTR_ERR(file);
	arg->base = KT_FILE_BASE | (u64)file->number << KT_FILE_SHIFT;
	return set_add(set, file);
}

void kt_file_set_free(struct kt_file_set *set)
{
	while (set->first) {
		struct kt_named_file *named = set->first;

		set->first = named->next;
		kt_file_put(named->file);
		kfree(named);
	}
}

/* ---------------------------------------------------------- the instructions */

static bool in_part(const struct kt_user_file *file, u64 offset, u32 len)
{
	u32 i;

	for (i = 0; i < file->nr_parts; i++)
		if (offset >= file->parts[i].from && offset + len <= file->parts[i].to)
			return true;
	return false;
}

/* The bytes of the file, as many as there are up to KT_MAX_INSN. */
static enum kt_refusal read_insn(const struct kt_user_file *file, u64 offset, u8 *to)
{
	loff_t at = offset;

	memset(to, 0, KT_MAX_INSN);
	return kernel_read(file->file, to, KT_MAX_INSN, &at) > 0 ? KT_REFUSE_NONE : KT_REFUSE_FILESYSTEM;
}

#ifdef CONFIG_UPROBES
/*
 * Ask the kernel now.  Its uprobe_register() does not decode the instruction unless a process maps the file, and later
 * it reports no error to anybody.
 */
static bool analyse(struct arch_uprobe *probe, const u8 *insn, u64 offset)
{
	memset(probe, 0, sizeof(*probe));
	memcpy(&probe->insn, insn, min_t(size_t, sizeof(probe->insn), KT_MAX_INSN));
	return !kt_arch_uprobe_analyze_insn(probe, current->mm, offset);
}

static bool kernel_accepts(const u8 *insn, u64 offset)
{
	static const uprobe_opcode_t breakpoint = UPROBE_SWBP_INSN;
	struct arch_uprobe probe;

	if (!kt_have(arch_uprobe_analyze_insn) || !memcmp(insn, &breakpoint, UPROBE_SWBP_INSN_SIZE))
		return false;
	return analyse(&probe, insn, offset);
}

bool kt_file_is_stepped(const struct kt_site_req *req)
{
	static const u8 known[KT_MAX_INSN] = KT_STEPPED_INSN;
	struct arch_uprobe probe, stepped;

	return !analyse(&probe, req->insn, KT_FILE_OFFSET(req->addr)) || !analyse(&stepped, known, 0) ||
	       kt_uprobe_is_alike(&probe, &stepped);
}
#else
bool kt_file_is_stepped(const struct kt_site_req *req)
{
	return true;
}

static bool kernel_accepts(const u8 *insn, u64 offset)
{
	return false;
}
#endif

static enum kt_refusal check_insn(const struct kt_user_file *file, const struct kt_site_req *req)
{
	const u64 offset = KT_FILE_OFFSET(req->addr);
	u8 insn[KT_MAX_INSN];

	if (!in_part(file, offset, req->insn_len))
		return KT_REFUSE_NOT_CODE;
	if (read_insn(file, offset, insn))
		return KT_REFUSE_FILESYSTEM;
	if (memcmp(insn, req->insn, req->insn_len))
		return KT_REFUSE_CHANGED;
	return kernel_accepts(insn, offset) ? KT_REFUSE_NONE : KT_REFUSE_NO_UPROBE;
}

enum kt_refusal kt_file_check(const struct kt_site_req *req)
{
	struct kt_user_file *file = kt_file_get(req->addr);
	enum kt_refusal refusal;

	if (!file)
		return KT_REFUSE_NO_FILE;
	refusal = check_insn(file, req);
	kt_file_put(file);
	return refusal;
}
