// SPDX-License-Identifier: GPL-2.0-or-later
/* fake_tracefs.c - see fake_tracefs.h. */
#include "fake_tracefs.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "ctl/events/systems.h"

static char tracefs[64];

void shell(const char *command)
{
	assert_int_equal(system(command), 0);
}

void make_tracefs(void)
{
	char command[512];

	strcpy(tracefs, "/tmp/ktrace-tracefs-XXXXXX");
	assert_non_null(mkdtemp(tracefs));
	snprintf(command, sizeof(command),
		 "cd %s && mkdir -p events/sched/sched_switch events/sched/sched_wakeup events/irq/irq_handler_entry && "
		 "touch events/enable events/sched/enable && echo 'name: x' >events/sched/sched_switch/format", tracefs);
	shell(command);
	systems_use(tracefs);
}

void make_call(void)
{
	char path[256];
	FILE *out;

	snprintf(path, sizeof(path), "mkdir -p %s/events/syscalls/sys_enter_openat", tracefs);
	shell(path);
	snprintf(path, sizeof(path), "%s/events/syscalls/sys_enter_openat/format", tracefs);
	out = fopen(path, "we");
	assert_non_null(out);
	fputs("name: sys_enter_openat\nID: 700\nformat:\n"
	      "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	      "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	      "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
	      "\tfield:int dfd;\toffset:16;\tsize:8;\tsigned:0;\n"
	      "\tfield:const char * filename;\toffset:24;\tsize:8;\tsigned:0;\n"
	      "\tfield:struct open_how * how;\toffset:32;\tsize:8;\tsigned:0;\n"
	      "\tfield:umode_t mode;\toffset:40;\tsize:8;\tsigned:0;\n"
	      "\tfield:__data_loc char[] __filename_val;\toffset:48;\tsize:4;\tsigned:0;\n\n"
	      "print fmt: \"dfd: 0x%08lx\"\n", out);
	fclose(out);
}

void drop_tracefs(void)
{
	char command[128];

	systems_use(NULL);
	snprintf(command, sizeof(command), "rm -rf %s", tracefs);
	shell(command);
}
