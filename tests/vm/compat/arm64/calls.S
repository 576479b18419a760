/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls of a 32-bit program for ARM (EABI): those of the i386 program, in the same order. */
	.syntax unified
	.arch armv7-a
	.arm
	.text
	.global _start

.macro call number, a=0, b=0, c=0, d=0, e=0, f=0
	ldr	r0, =\a
	ldr	r1, =\b
	ldr	r2, =\c
	ldr	r3, =\d
	ldr	r4, =\e
	ldr	r5, =\f
	ldr	r7, =\number
	svc	#0
.endm

_start:
	@ Have the page with the name in memory: a tracepoint waits for none.
	ldr	r0, =name
	ldrb	r0, [r0]
	ldr	r1, =buf
	str	r0, [r1]

.rept 3
	call	6, 77				@ close
	call	20				@ getpid
.endr
	call	5, name, 02000001		@ open
	call	19, 77, 0xfffffffb, 2		@ lseek
	call	180, 77, buf, 3, 0, 0x11, 0x22	@ pread64: a value of 64 bits begins at an even register
	call	192, 0, 4096, 1, 0x22, 0xffffffff, 9	@ mmap2
	call	212, name, 12, 34		@ chown32
	call	403, 1, time			@ clock_gettime64
	call	162				@ nanosleep
	call	777, 1, 2, 3, 4, 5, 6		@ there is none
	call	1				@ exit
	.ltorg

name:	.asciz	"/no-such-file-of-32-bits"

	.bss
	.balign	8
time:	.space	16
buf:	.space	8
