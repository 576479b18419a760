/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * generate_calls.S - what generated code calls.  See emit_program.c for its registers.
 *
 * A load takes an address in rax and returns the value there in rax, extended by zeros; it may change r11.  It reads the
 * direct map, the current stack and the kernel's image, as kt_load() does (load.c), and no other memory.  The carry flag
 * is set if the value could be read.
 */
#include <linux/linkage.h>
#ifdef CONFIG_X86_KERNEL_IBT
#include <linux/objtool.h>
#endif
#include <asm/alternative.h>
#include <asm/asm.h>
#include <asm/cpufeatures.h>
#include <asm/page_types.h>
#include <asm/percpu.h>
#include <asm/pgtable_64_types.h>
#include <asm/smap.h>
#include <asm/thread_info.h>

#include "frame.h"
#include "arch/x86/kmod/return.h"
#include "checked.h"

/* Nothing calls these functions indirectly; objtool cannot know that. */
.macro BEGIN name
SYM_FUNC_START(\name)
#ifdef CONFIG_X86_KERNEL_IBT
	ANNOTATE_NOENDBR
#endif
.endm

	.text
/* The load is at 1, where the carry flag is set; behind this macro is label 3, for an address that it must not read. */
.macro LOAD_OR_FAIL insn
	movq	kt_direct_shift(%rip), %r11
	addq	%rax, %r11
	cmpq	kt_direct_size(%rip), %r11
	jae	2f
1:	\insn
	RET
2:	movq	%rsp, %r11
	xorq	%rax, %r11
	cmpq	$THREAD_SIZE, %r11
	jb	1b
	cmpq	$__START_KERNEL_map, %rax
	jb	3f
	cmpq	$(MODULES_END - 7), %rax
	jb	1b
.endm

.macro LOAD name insn
BEGIN \name
	LOAD_OR_FAIL "\insn"
3:	clc
	RET
	_ASM_EXTABLE(1b, 3b)
	_ASM_NOKPROBE(\name)
SYM_FUNC_END(\name)
.endm

LOAD kt_x86_code_load8	"movzbl (%rax), %eax"
LOAD kt_x86_code_load16	"movzwl (%rax), %eax"
LOAD kt_x86_code_load32	"movl (%rax), %eax"
LOAD kt_x86_code_load64	"movq (%rax), %rax"

/* The same for hits: see calls.h. */
.macro FAILED
3:	movb	$1, PER_CPU_VAR(kt_cpus + KT_CPU_FAILED)
	xorl	%eax, %eax
	xorl	%r11d, %r11d
	RET
.endm

.macro HIT_LOAD bits insn
BEGIN kt_x86_hit_load\bits
	LOAD_OR_FAIL "\insn"
	FAILED
	_ASM_EXTABLE(1b, 3b)
	_ASM_NOKPROBE(kt_x86_hit_load\bits)
SYM_FUNC_END(kt_x86_hit_load\bits)

BEGIN kt_x86_hit_checked\bits
1:	\insn
	RET
	FAILED
	_ASM_EXTABLE(1b, 3b)
	_ASM_NOKPROBE(kt_x86_hit_checked\bits)
SYM_FUNC_END(kt_x86_hit_checked\bits)
.endm

HIT_LOAD 8	"movzbl (%rax), %eax"
HIT_LOAD 16	"movzwl (%rax), %eax"
HIT_LOAD 32	"movl (%rax), %eax"
HIT_LOAD 64	"movq (%rax), %rax"

/*
 * In an event of a system call most addresses are those of the program, whose memory is there: see kt_x86_call_text.  A page fault must
 * not be allowed.
 */
.macro CALL_LOAD bits insn
BEGIN kt_x86_call_load\bits
	leaq	7(%rax), %r11
	orq	%rax, %r11
	shrq	$47, %r11
	jnz	kt_x86_hit_load\bits
	ASM_STAC
	ALTERNATIVE "", "lfence", X86_FEATURE_LFENCE_RDTSC
1:	\insn
	ASM_CLAC
	RET
2:	ASM_CLAC
	FAILED
	_ASM_EXTABLE(1b, 2b)
	_ASM_NOKPROBE(kt_x86_call_load\bits)
SYM_FUNC_END(kt_x86_call_load\bits)
.endm

CALL_LOAD 8	"movzbl (%rax), %eax"
CALL_LOAD 16	"movzwl (%rax), %eax"
CALL_LOAD 32	"movl (%rax), %eax"
CALL_LOAD 64	"movq (%rax), %rax"

BEGIN kt_x86_hit_checked128
1:	movq	8(%rax), %r11
2:	movq	(%rax), %rax
	RET
	FAILED
	_ASM_EXTABLE(1b, 3b)
	_ASM_EXTABLE(2b, 3b)
	_ASM_NOKPROBE(kt_x86_hit_checked128)
SYM_FUNC_END(kt_x86_hit_checked128)

/* The same for direct jumps, which have no register free but rax.  The subtraction sets the carry flag. */
.macro DIRECT_LOAD bits insn
BEGIN kt_x86_direct_load\bits
	addq	kt_direct_shift(%rip), %rax
	cmpq	kt_direct_size(%rip), %rax
	jae	2f
	subq	kt_direct_shift(%rip), %rax
1:	\insn
	RET
2:	subq	kt_direct_shift(%rip), %rax
	STACK_OR_IMAGE
	jb	1b
3:	clc
	RET
	_ASM_EXTABLE(1b, 3b)
	_ASM_NOKPROBE(kt_x86_direct_load\bits)
SYM_FUNC_END(kt_x86_direct_load\bits)
.endm

/* The carry flag is set if rax is on the current stack or in the kernel's image. */
.macro STACK_OR_IMAGE
	pushq	%rcx
	movq	%rsp, %rcx
	xorq	%rax, %rcx
	cmpq	$THREAD_SIZE, %rcx
	popq	%rcx
	jb	4f
	cmpq	$__START_KERNEL_map, %rax
	cmc
	jae	4f
	cmpq	$(MODULES_END - 7), %rax
4:
.endm

DIRECT_LOAD 8	"movzbl (%rax), %eax"
DIRECT_LOAD 16	"movzwl (%rax), %eax"
DIRECT_LOAD 32	"movl (%rax), %eax"
DIRECT_LOAD 64	"movq (%rax), %rax"

/* One pointer of a chain: its number.  rax is an address less the end of the direct map, before it is a value. */
.macro FOLLOW n
	addq	(8 * \n)(%rcx), %rax
	jns	2\n\()f
1\n:	movq	(%rax, %rdi), %rax
	_ASM_EXTABLE(1\n\()b, 3f)
.endm

.macro FOLLOW_FAR n
2\n:	addq	%rdi, %rax
	STACK_OR_IMAGE
	jae	3f
	subq	%rdi, %rax
	jmp	1\n\()b
.endm

.macro CHAIN n
BEGIN kt_x86_direct_chain\n
	FOLLOW 0
.if \n > 1
	FOLLOW 1
.endif
.if \n > 2
	FOLLOW 2
.endif
.if \n > 3
	FOLLOW 3
.endif
	RET
	FOLLOW_FAR 0
.if \n > 1
	FOLLOW_FAR 1
.endif
.if \n > 2
	FOLLOW_FAR 2
.endif
.if \n > 3
	FOLLOW_FAR 3
.endif
3:	movq	-8(%rcx), %rcx			/* return to where the code gives up */
	movq	%rcx, (%rsp)
	RET
	_ASM_NOKPROBE(kt_x86_direct_chain\n)
SYM_FUNC_END(kt_x86_direct_chain\n)
.endm

CHAIN 1
CHAIN 2
CHAIN 3
CHAIN 4

/* The carry flag is set if rax, and KT_X86_CHECKED bytes behind it, are in the kernel's image or a module. */
BEGIN kt_x86_hit_image
	cmpq	$__START_KERNEL_map, %rax
	jb	1f
	cmpq	$(MODULES_END - KT_X86_CHECKED), %rax
	RET
1:	clc
	RET
	_ASM_NOKPROBE(kt_x86_hit_image)
SYM_FUNC_END(kt_x86_hit_image)

/* The carry flag is set if rax is on the current stack. */
BEGIN kt_x86_hit_stack
	movq	%rsp, %r11
	xorq	%rax, %r11
	cmpq	$THREAD_SIZE, %r11
	RET
	_ASM_NOKPROBE(kt_x86_hit_stack)
SYM_FUNC_END(kt_x86_hit_stack)

/* r10 = the registers of the current task's system call.  The carry flag is set if there is one. */
BEGIN kt_x86_code_call
	pushq	%rdi
	pushq	%rsi
	pushq	%rdx
	call	kt_syscall_regs
	popq	%rdx
	popq	%rsi
	popq	%rdi
	movq	%rax, %r10
	negq	%rax
	RET
	_ASM_NOKPROBE(kt_x86_code_call)
SYM_FUNC_END(kt_x86_code_call)

/*
 * Emit the text at rax with its 0, at most ecx bytes, to rsi, which moves behind it.  The carry flag is set if it is
 * readable, and shorter than that.  It keeps all other registers but rax and rcx.
 */
BEGIN kt_x86_code_text
	pushq	%rdi
	pushq	%rsi
	pushq	%rdx
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	subq	$8, %rsp
	movq	%rsi, %rdi
	movq	%rax, %rsi
	leal	-1(%rcx), %edx
	movq	%rsp, %rcx
	call	kt_load_text
	movl	(%rsp), %ecx
	addq	$8, %rsp
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rdx
	popq	%rsi
	popq	%rdi
	movb	$0, (%rsi,%rcx)
	leaq	1(%rsi,%rcx), %rsi
	cmpl	$1, %eax			/* KT_TEXT_ENDS is 0 */
	RET
	_ASM_NOKPROBE(kt_x86_code_text)
SYM_FUNC_END(kt_x86_code_text)

/*
 * For hits: emit the text at rsi with its 0, of at most edx bytes before that, to r12, which moves behind it, unless the result
 * in eax is KT_TEXT_GOES_ON: then it is not known whether the text can be read.  It keeps the registers that functions keep.
 * The second one is for texts of a program, in its system call, where a page fault must not be allowed (preempt_count()).  It has r10
 * in place of r12, and keeps rdi and r11, too.
 */
BEGIN kt_x86_hit_text
	subq	$8, %rsp
	movq	%r12, %rdi
	movq	%rsp, %rcx
	call	kt_load_text
	movl	(%rsp), %ecx
	addq	$8, %rsp
	movb	$0, (%r12,%rcx)
	leaq	1(%r12,%rcx), %r12
	cmpl	$1, %eax
	RET
	_ASM_NOKPROBE(kt_x86_hit_text)
SYM_FUNC_END(kt_x86_hit_text)

/* As load_call_text() in load.c; see text_ends() there for the two constants. */
BEGIN kt_x86_call_text
	leaq	8(%rsi,%rdx), %rax
	orq	%rsi, %rax
	shrq	$47, %rax
	jnz	6f				/* it may be no address of a program */
	ASM_STAC
	ALTERNATIVE "", "lfence", X86_FEATURE_LFENCE_RDTSC	/* where a wrong guess goes on in spite of the jump */
	movabsq	$-0x0101010101010101, %r8
	movabsq	$0x8080808080808080, %r9
1:	movq	(%rsi), %rax
	movq	%rax, (%r10)
	leaq	(%rax,%r8), %rcx
	andq	%r9, %rcx
	jz	3f
	notq	%rax
	andq	%rax, %rcx
	jz	3f
	ASM_CLAC
	bsfq	%rcx, %rcx
	shrl	$3, %ecx			/* of 8 n + 7: it sets the carry flag */
	leaq	1(%r10,%rcx), %r10
	RET
3:	addq	$8, %rsi
	addq	$8, %r10
	subl	$8, %edx
	jns	1b
	ASM_CLAC
6:	movl	$1, %eax			/* KT_TEXT_GOES_ON */
	testl	%eax, %eax
	RET
	/* The C path notes what it cannot read, to read it later.  In the first page of all there is never anything to read. */
4:	ASM_CLAC
	shrq	$PAGE_SHIFT, %rsi
	jnz	6b
	movw	$0x3f, (%r10)			/* KT_NO_TEXT, and its 0 */
	leaq	2(%r10), %r10
	movl	$2, %eax			/* KT_TEXT_UNREADABLE */
	testl	%eax, %eax
	RET
	_ASM_EXTABLE(1b, 4b)
	_ASM_NOKPROBE(kt_x86_call_text)
SYM_FUNC_END(kt_x86_call_text)

BEGIN kt_x86_code_end
	RET
	_ASM_NOKPROBE(kt_x86_code_end)
SYM_FUNC_END(kt_x86_code_end)
