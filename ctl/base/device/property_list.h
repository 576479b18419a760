/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * property_list.h - the properties of the current task, one row each.  It contains only rows, and is included several
 * times.
 *
 * Each row defines the option (`trace vfs_write UID`), the variable ($uid), the key of `latency --by`, and the
 * format in records.  The number in the ABI is KT_CUR_ with the name of the option.
 *
 *   NUMBER(OPTION, variable, sign, columns, summary, help, example)
 *				a decimal number of four bytes, printed with at least that many columns
 *   VARIABLE(OPTION, variable, sign)	the same without an option
 *   TEXT(OPTION, key, summary, help, example)	the name of the task: neither a variable nor a KT_CUR_
 */
NUMBER(PID, pid, SIGNED, 5, "record the id of the current thread",
       NULL,
       "trace vfs_write PID")
NUMBER(TGID, tgid, SIGNED, 5, "record the id of the current process",
       "All threads of a process have the same TGID; PID identifies the thread.",
       "trace vfs_write TGID PID")
TEXT(COMM, comm, "record the name of the current task",
     NULL,
     "trace vfs_write COMM PID")
NUMBER(UID, uid, UNSIGNED, 1, "record the real user id of the current task",
       "In the initial user namespace.",
       "trace vfs_write UID COMM")
NUMBER(CPU, cpu, SIGNED, 1, "record the number of the CPU",
       NULL,
       "trace schedule CPU PID")
NUMBER(NICE, nice, SIGNED, 1, "record the nice value of the current task",
       "From -20 (highest priority) to 19.",
       "trace vfs_write NICE COMM")
NUMBER(SYSCALL, syscall, SIGNED, 1, "record the number of the task's system call",
       "-1: the task is in none, or in one of a 32-bit program.  $sysarg0 to $sysarg5\n"
       "are the arguments of the call, of 32-bit programs, too.",
       "trace vfs_write SYSCALL VAR $sysarg0")
VARIABLE(PGRP, pgrp, SIGNED)
VARIABLE(GID, gid, UNSIGNED)
