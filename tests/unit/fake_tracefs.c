// SPDX-License-Identifier: GPL-2.0-or-later
/* fake_tracefs.c - see fake_tracefs.h. */
#include "fake_tracefs.h"
#include "unit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "ctl/ask/events/systems.h"
#include "ctl/base/memory.h"

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

void make_call(const char *name, ...)
{
	AUTO_FREE char *dir = mem_printf("%s/events/syscalls/sys_enter_%s", tracefs, name), *path = mem_printf("%s/format", dir);
	AUTO_FREE char *command = mem_printf("mkdir -p %s", dir);
	const char *field;
	va_list fields;
	FILE *out;

	shell(command);
	out = fopen(path, "we");
	assert_non_null(out);
	fprintf(out, "name: sys_enter_%s\nID: 700\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n", name);
	va_start(fields, name);
	for (int offset = 16; (field = va_arg(fields, const char *)); offset += 8)
		fprintf(out, "\tfield:%s;\toffset:%d;\tsize:8;\tsigned:0;\n", field, offset);
	va_end(fields);
	fputs("\nprint fmt: \"...\"\n", out);
	fclose(out);
}

void make_openat(void)
{
	make_call("openat", "int dfd", "const char * filename", "struct open_how * how", "umode_t mode",
		  "__data_loc char[] __filename_val", NULL);
}

void drop_tracefs(void)
{
	char command[128];

	systems_use(NULL);
	snprintf(command, sizeof(command), "rm -rf %s", tracefs);
	shell(command);
}
