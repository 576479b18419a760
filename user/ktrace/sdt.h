/* SPDX-License-Identifier: MIT */
/*
 * sdt.h - the names of <sys/sdt.h> for tracepoints of ktrace.h: the same program text, recompiled with this header in
 * place of that one, has tracepoints without a trap.
 */
#ifndef KTRACE_USER_SDT_H
#define KTRACE_USER_SDT_H

#include <ktrace/ktrace.h>

#define STAP_PROBEV(provider, name, ...)	KTRACE(provider, name __VA_OPT__(,) __VA_ARGS__)
#define STAP_PROBE(p, n)			KTRACE(p, n)
#define STAP_PROBE1(p, n, a)			KTRACE(p, n, a)
#define STAP_PROBE2(p, n, a, b)			KTRACE(p, n, a, b)
#define STAP_PROBE3(p, n, a, b, c)		KTRACE(p, n, a, b, c)
#define STAP_PROBE4(p, n, a, b, c, d)		KTRACE(p, n, a, b, c, d)
#define STAP_PROBE5(p, n, a, b, c, d, e)	KTRACE(p, n, a, b, c, d, e)
#define STAP_PROBE6(p, n, a, b, c, d, e, f)	KTRACE(p, n, a, b, c, d, e, f)
#define STAP_PROBE7(p, n, a, b, c, d, e, f, g)	KTRACE(p, n, a, b, c, d, e, f, g)
#define STAP_PROBE8(p, n, a, b, c, d, e, f, g, h)		KTRACE(p, n, a, b, c, d, e, f, g, h)
#define STAP_PROBE9(p, n, a, b, c, d, e, f, g, h, i)		KTRACE(p, n, a, b, c, d, e, f, g, h, i)
#define STAP_PROBE10(p, n, a, b, c, d, e, f, g, h, i, j)	KTRACE(p, n, a, b, c, d, e, f, g, h, i, j)
#define STAP_PROBE11(p, n, a, b, c, d, e, f, g, h, i, j, k)	KTRACE(p, n, a, b, c, d, e, f, g, h, i, j, k)
#define STAP_PROBE12(p, n, a, b, c, d, e, f, g, h, i, j, k, l)	KTRACE(p, n, a, b, c, d, e, f, g, h, i, j, k, l)

#define DTRACE_PROBE	STAP_PROBE
#define DTRACE_PROBE1	STAP_PROBE1
#define DTRACE_PROBE2	STAP_PROBE2
#define DTRACE_PROBE3	STAP_PROBE3
#define DTRACE_PROBE4	STAP_PROBE4
#define DTRACE_PROBE5	STAP_PROBE5
#define DTRACE_PROBE6	STAP_PROBE6
#define DTRACE_PROBE7	STAP_PROBE7
#define DTRACE_PROBE8	STAP_PROBE8
#define DTRACE_PROBE9	STAP_PROBE9
#define DTRACE_PROBE10	STAP_PROBE10
#define DTRACE_PROBE11	STAP_PROBE11
#define DTRACE_PROBE12	STAP_PROBE12

#endif
