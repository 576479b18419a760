/* SPDX-License-Identifier: MIT */
/*
 * section.S - this architecture has no restartable sequences yet: every event goes to the ring of a slot, which
 * ktrace_write_slow() knows.
 */
	.text

	.globl	ktrace_write
	.type	ktrace_write, %function
	.p2align 4
ktrace_write:
	.cfi_startproc
	hint	#34
	b	ktrace_write_slow
	.cfi_endproc
	.size	ktrace_write, . - ktrace_write

	.globl	ktrace_commit
	.hidden	ktrace_commit
	.type	ktrace_commit, %function
	.p2align 4
/* Never done. */
ktrace_commit:
	.cfi_startproc
	hint	#34
	mov	w0, #1
	ret
	.cfi_endproc
	.size	ktrace_commit, . - ktrace_commit

	.globl	ktrace_probe
	.hidden	ktrace_probe
	.type	ktrace_probe, %function
	.p2align 4
/* Never restarted. */
ktrace_probe:
	.cfi_startproc
	hint	#34
	mov	w0, #1
	ret
	.cfi_endproc
	.size	ktrace_probe, . - ktrace_probe

/*
 * pid_t vfork(void): as on x86.  The kernel leaves all registers but x0 as they are, so the return address stays in x30 for
 * child and parent.
 */
	.globl	vfork
	.type	vfork, %function
	.p2align 4
vfork:
	.cfi_startproc
	hint	#34
	stp	x29, x30, [sp, #-16]!
	.cfi_adjust_cfa_offset 16
	bl	ktrace_vfork_begin
	ldp	x29, x30, [sp], #16
	.cfi_adjust_cfa_offset -16
	/* clone(CLONE_VM | CLONE_VFORK | SIGCHLD, 0) */
	mov	x0, #0x4111
	mov	x1, #0
	mov	x8, #220
	svc	#0
	cbz	x0, .Lchild
	b	ktrace_vfork_end
.Lchild:
	ret
	.cfi_endproc
	.size	vfork, . - vfork

	.section .note.GNU-stack, "", %progbits
