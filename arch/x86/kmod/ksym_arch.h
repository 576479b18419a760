/* SPDX-License-Identifier: GPL-2.0-only */
/* ksym_arch.h - unexported x86 functions.  Rows as in kmod/base/ksym_list.h. */
KSYM_NEED(insn_decode, int, (void *insn, const void *kaddr, int len, int mode))
KSYM_NEED(text_poke, void *, (void *addr, const void *opcode, size_t len))
KSYM_NEED_AS(text_poke_sync, smp_text_poke_sync_each_cpu, void, (void))
KSYM_NEED(set_memory_ro, int, (unsigned long addr, int pages))
KSYM_NEED(set_memory_x, int, (unsigned long addr, int pages))
KSYM_MAY(alternatives_text_reserved, int, (void *start, void *end))
KSYM_MAY(recover_probed_instruction, unsigned long, (u8 *buf, unsigned long addr))
