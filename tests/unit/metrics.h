/* SPDX-License-Identifier: GPL-2.0-or-later */
/* metrics.h - give OpenMetrics to a reader that others wrote. */
#ifndef METRICS_H
#define METRICS_H

#include <stdio.h>
#include <sys/wait.h>

#include "unit.h"

/* Does Prometheus' own reader (Debian: python3-prometheus-client) take it?  Returns its status; 77: it is not there. */
static inline int read_metrics(const char *text)
{
	FILE *reader = popen("/usr/bin/python3 -c 'import sys\n"
			     "try: from prometheus_client.openmetrics.parser import text_string_to_metric_families as read\n"
			     "except ImportError: sys.exit(77)\n"
			     "sys.exit(not list(read(sys.stdin.read())))'", "w");

	assert_non_null(reader);
	fputs(text, reader);
	return WEXITSTATUS(pclose(reader));
}

#endif
