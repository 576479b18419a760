/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * without.h - options that small kernels lack, with those that need them.  An option belongs here if code of the module, or a
 * header that it includes, depends on it, and the module can do without it.
 */
#undef CONFIG_SYSVIPC
#undef CONFIG_POSIX_MQUEUE
#undef CONFIG_NET
#undef CONFIG_UTS_NS
#undef CONFIG_IPC_NS
#undef CONFIG_NET_NS
#undef CONFIG_PID_NS
#undef CONFIG_TIME_NS
#undef CONFIG_USER_NS

#undef CONFIG_CGROUPS
#undef CONFIG_BLK_CGROUP
#undef CONFIG_CGROUP_BPF
#undef CONFIG_CGROUP_SCHED
#undef CONFIG_CGROUP_WRITEBACK
#undef CONFIG_CPUSETS
#undef CONFIG_MEMCG
#undef CONFIG_MEMCG_KMEM
#undef CONFIG_PSI

#undef CONFIG_HUGETLB_PAGE
#undef CONFIG_MEMFD_CREATE
#undef CONFIG_MMU_NOTIFIER
#undef CONFIG_PTE_MARKER
#undef CONFIG_PTE_MARKER_UFFD_WP
#undef CONFIG_SHMEM
#undef CONFIG_TMPFS
#undef CONFIG_TRANSPARENT_HUGEPAGE
#undef CONFIG_USERFAULTFD

#undef CONFIG_COMPAT
#undef CONFIG_IA32_EMULATION
#undef CONFIG_HAVE_HW_BREAKPOINT
#undef CONFIG_PERF_EVENTS
#undef CONFIG_STACKTRACE
#undef CONFIG_UPROBES

#undef CONFIG_AUDIT
#undef CONFIG_KALLSYMS_ALL
#undef CONFIG_PM
#undef CONFIG_PM_SLEEP
#undef CONFIG_SECCOMP
#undef CONFIG_SECURITY
