// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * System calls of i386, by int $0x80: from a 32-bit program, and compiled again from a 64-bit one, whose registers have other
 * bits above the 32 that count.  It needs no C library.
 */
#define EXIT		1
#define OPEN		5
#define CLOSE		6
#define LSEEK		19
#define GETPID		20
#define NANOSLEEP	162
#define PREAD64		180
#define MMAP2		192
#define CHOWN32		212
#define CLOCK_GETTIME64	403
#define NO_SUCH_CALL	777

#ifdef __x86_64__
#define SAVE_SIXTH	"push %%rbp; mov 8(%%rax), %%rbp; mov (%%rax), %%rax; int $0x80; pop %%rbp"
#define GARBAGE		0x5a5a5a5a00000000UL
#define CLOBBERS	"memory", "r8", "r9", "r10", "r11"
#else
#define SAVE_SIXTH	"push %%ebp; mov 4(%%eax), %%ebp; mov (%%eax), %%eax; int $0x80; pop %%ebp"
#define GARBAGE		0UL
#define CLOBBERS	"memory"
#endif

/* The compiler may keep ebp for itself, so eax leads to the number and to the sixth argument. */
static long call6(long number, unsigned long a, unsigned long b, unsigned long c, unsigned long d, unsigned long e, unsigned long f)
{
	const unsigned long memory[2] = { number, f | GARBAGE };
	long result = (long)memory;

	__asm__ volatile(SAVE_SIXTH
			 : "+a"(result)
			 : "b"(a | GARBAGE), "c"(b | GARBAGE), "d"(c | GARBAGE), "S"(d | GARBAGE), "D"(e | GARBAGE)
			 : CLOBBERS);
	return (int)result;
}

static long call3(long number, unsigned long a, unsigned long b, unsigned long c)
{
	return call6(number, a, b, c, 0, 0, 0);
}

static const char name[] = "/no-such-file-of-32-bits";

void _start(void)
{
	static char buf[8];
	static long long time[2];

	/* Have the page with the name in memory: a tracepoint waits for none. */
	buf[0] = *(const volatile char *)name;

	for (int i = 0; i < 3; i++) {
		call3(CLOSE, 77, 0, 0);
		call3(GETPID, 0, 0, 0);
	}
	call3(OPEN, (unsigned long)name, 02000001, 0);
	call3(LSEEK, 77, -5U, 2);
	call6(PREAD64, 77, (unsigned long)buf, 3, 0x11, 0x22, 0);
	call6(MMAP2, 0, 4096, 1, 0x22, -1U, 9);
	call3(CHOWN32, (unsigned long)name, 12, 34);
	call3(CLOCK_GETTIME64, 1, (unsigned long)time, 0);
	call3(NANOSLEEP, 0, 0, 0);
	call6(NO_SUCH_CALL, 1, 2, 3, 4, 5, 6);
	call3(EXIT, 0, 0, 0);
	__builtin_unreachable();
}
