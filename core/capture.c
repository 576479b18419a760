// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* capture.c - verify capture programs.  See capture.h. */
#include "core/capture.h"

/*
 * The state before an instruction, joined over all paths that lead to it.  Jumps go forward only, so one pass
 * in order sees every path.
 */
struct state {
	bool reached;
	u8 written;		/* mask of registers that every path has written */
	u8 items;
	u8 mask;		/* bytes of the mask of unreadable items; 0: none so far */
	u16 bytes;
};

struct verifier {
	u32 len;
	u32 filter;		/* index of the first instruction behind the filter */
	bool all_regs;		/* see struct kt_verdict */
	u32 saved;		/* see struct kt_verdict */
	bool filter_saved, uses_call, varies;
	u32 links;		/* instructions that must still follow a KT_OP_EMITCHAIN or KT_OP_MATCH */
	u8 link;		/* the instruction that must follow: KT_OP_LINK or KT_OP_PATTERN */
	struct state now;
	struct state end;	/* state at the KT_OP_END instructions so far */
	struct state target[];	/* states that jumps bring to an instruction, and to the end: [len + 1] */
};

static bool same_output(const struct state *a, const struct state *b)
{
	return a->items == b->items && a->bytes == b->bytes && a->mask == b->mask;
}

/* Join another path into `to`: a register is written only if both paths wrote it. */
static bool state_join(struct state *to, const struct state *from)
{
	if (!from->reached)
		return true;
	if (!to->reached) {
		*to = *from;
		return true;
	}
	to->written &= from->written;
	return same_output(to, from);
}

static bool in_filter(const struct verifier *v, u32 at)
{
	return at < v->filter;
}

/* Replace dst of an instruction that emits by the number of its item. */
static bool emit(struct verifier *v, struct kt_insn *insn, u32 at, u32 bytes)
{
	struct state *now = &v->now;

	if (in_filter(v, at) || now->items == (now->mask ? 8 * now->mask : KT_MAX_ITEMS))
		return false;
	insn->dst = now->items++;
	now->bytes += bytes;
	return now->bytes <= KT_MAX_PAYLOAD;
}

/* A number of bytes that is a multiple of `unit`. */
static bool whole_units(s32 bytes, s32 unit, s32 most)
{
	return bytes >= unit && bytes <= most && bytes % unit == 0;
}

static bool jump(struct verifier *v, u32 at, s32 skip)
{
	u32 last = in_filter(v, at) ? v->filter : v->len - 1;

	if (skip < 0 || (u64)at + 1 + skip > last)
		return false;
	return state_join(&v->target[at + 1 + skip], &v->now);
}

/* A check function of the table below: is the instruction allowed here? */
typedef bool (*check_fn)(struct verifier *v, struct kt_insn *insn, u32 at);

static bool check_end(struct verifier *v, struct kt_insn *insn, u32 at)
{
	(void)insn;
	if (in_filter(v, at) || !state_join(&v->end, &v->now))
		return false;
	v->now.reached = false;
	return true;
}

static bool check_drop(struct verifier *v, struct kt_insn *insn, u32 at)
{
	(void)insn;
	(void)at;
	v->now.reached = false;
	return true;
}

static bool check_reg(struct verifier *v, struct kt_insn *insn, u32 at)
{
	int offset = insn->imm < 0 ? -EINVAL : kt_reg_offset(insn->imm);

	(void)at;
	insn->imm = offset;
	if (offset < 0)
		return false;
	v->all_regs |= !kt_reg_is_scratch(offset);
	return true;
}

static bool check_aux(struct verifier *v, struct kt_insn *insn, u32 at)
{
	static const u8 limits[KT_NR_OPS] = {
		[KT_OP_ALU] = KT_NR_ALUS,
		[KT_OP_ALUI] = KT_NR_ALUS,
		[KT_OP_LOAD] = KT_NR_SIZES,
		[KT_OP_EXT] = KT_NR_SIZES,
	};

	(void)v;
	(void)at;
	return insn->aux < limits[insn->op];
}

static bool check_cur(struct verifier *v, struct kt_insn *insn, u32 at)
{
	(void)v;
	(void)at;
	if (insn->imm < 0 || insn->imm >= KT_NR_CURS)
		return false;
	insn->imm = kt_current_offset(insn->imm);
	return true;
}

static bool check_arg(struct verifier *v, struct kt_insn *insn, u32 at)
{
	(void)v;
	(void)at;
	return insn->imm >= 0 && insn->imm < KT_SYSCALL_ARGS;
}

static bool check_emitarg(struct verifier *v, struct kt_insn *insn, u32 at)
{
	return check_arg(v, insn, at) && (insn->aux == 2 || insn->aux == 4 || insn->aux == 8) && emit(v, insn, at, insn->aux);
}

static bool check_cmp(struct verifier *v, struct kt_insn *insn, u32 at)
{
	if (insn->aux >= KT_NR_CMPS || !jump(v, at, insn->imm))
		return false;
	if (insn->aux == KT_CMP_ALWAYS)
		v->now.reached = false;
	return true;
}

/* src is the distance of the jump. */
static bool check_cmpi(struct verifier *v, struct kt_insn *insn, u32 at)
{
	return insn->aux < KT_NR_CMPS && insn->aux != KT_CMP_ALWAYS && jump(v, at, insn->src);
}

static bool check_set(struct verifier *v, struct kt_insn *insn, u32 at)
{
	(void)v;
	(void)at;
	return insn->aux < KT_NR_CMPS && insn->aux != KT_CMP_ALWAYS;
}

static bool check_emit(struct verifier *v, struct kt_insn *insn, u32 at)
{
	return (insn->aux == 4 || insn->aux == 8) && emit(v, insn, at, insn->aux);
}

static bool check_emitcur(struct verifier *v, struct kt_insn *insn, u32 at)
{
	/* Only words of the task can be emitted. */
	return check_cur(v, insn, at) && insn->imm >= 0 && emit(v, insn, at, 4);
}

static bool check_emitreg(struct verifier *v, struct kt_insn *insn, u32 at)
{
	return check_reg(v, insn, at) && emit(v, insn, at, 8);
}

static bool check_emitregs(struct verifier *v, struct kt_insn *insn, u32 at)
{
	return emit(v, insn, at, KT_NR_GENERAL * 8);
}

/* aux of these has no meaning before kt_capture_confine(). */
static bool check_emitstr(struct verifier *v, struct kt_insn *insn, u32 at)
{
	insn->aux = 0;
	return whole_units(insn->imm, 4, KT_MAX_STR) && emit(v, insn, at, insn->imm);
}

static bool check_emitpart(struct verifier *v, struct kt_insn *insn, u32 at)
{
	return insn->aux < KT_NR_REGS && v->now.written & 1 << insn->aux && whole_units(insn->imm, 4, KT_MAX_STR) &&
	       emit(v, insn, at, insn->imm);
}

static bool check_emit2(struct verifier *v, struct kt_insn *insn, u32 at)
{
	return emit(v, insn, at, 2);
}

static bool check_emitbytes(struct verifier *v, struct kt_insn *insn, u32 at)
{
	insn->aux = 0;
	return whole_units(insn->imm, 2, KT_MAX_STR) && emit(v, insn, at, insn->imm);
}

static bool check_emittext(struct verifier *v, struct kt_insn *insn, u32 at)
{
	v->varies = true;
	return check_emitbytes(v, insn, at);
}

static bool check_emitobject(struct verifier *v, struct kt_insn *insn, u32 at)
{
	static const u8 bytes[KT_NR_OBJECTS] = { [KT_OBJECT_PACKET] = KT_PACKET_BYTES, [KT_OBJECT_PIDS] = KT_PIDS_BYTES };

	v->varies = true;
	return insn->aux < KT_NR_OBJECTS && insn->imm == bytes[insn->aux] && emit(v, insn, at, insn->imm);
}

static bool check_emitcomm(struct verifier *v, struct kt_insn *insn, u32 at)
{
	return emit(v, insn, at, KT_COMM_BYTES);
}

static bool check_emitstack(struct verifier *v, struct kt_insn *insn, u32 at)
{
	return insn->imm > 0 && insn->imm <= KT_MAX_DEPTH && emit(v, insn, at, 8 * insn->imm);
}

static bool check_caller(struct verifier *v, struct kt_insn *insn, u32 at)
{
	(void)v;
	(void)at;
	return insn->imm >= 0 && insn->imm < KT_MAX_DEPTH;
}

/* The next n instructions belong to this one. */
static bool expect(struct verifier *v, enum kt_op link, u32 n, u32 most)
{
	v->link = link;
	v->links = n;
	return n && n <= most;
}

static bool check_match(struct verifier *v, struct kt_insn *insn, u32 at)
{
	(void)at;
	return insn->imm > 0 && insn->imm <= KT_MAX_MATCH &&
	       expect(v, KT_OP_PATTERN, insn->aux & ~KT_MATCH_ENDS, KT_MAX_PATTERN / 4);
}

/* src is the number of links. */
static bool check_emitchain(struct verifier *v, struct kt_insn *insn, u32 at)
{
	return expect(v, KT_OP_LINK, insn->src, KT_MAX_LINKS) && insn->aux < KT_NR_SIZES &&
	       check_reg(v, insn, at) && emit(v, insn, at, insn->aux == KT_SIZE_U64 ? 8 : 4);
}

/* The instruction reads data of the call, up to byte `end` of what was saved. */
static bool asks_call(struct verifier *v, u32 at, u64 end)
{
	v->uses_call = true;
	v->filter_saved |= in_filter(v, at);
	v->saved = end > v->saved ? end : v->saved;
	return end <= KT_MAX_SAVED;
}

static bool check_elapsed(struct verifier *v, struct kt_insn *insn, u32 at)
{
	(void)insn;
	return asks_call(v, at, 0);
}

static u32 saved_bytes(u8 size)
{
	return size == KT_SIZE_U64 ? 8 : 4;
}

static bool check_saved(struct verifier *v, struct kt_insn *insn, u32 at)
{
	return insn->aux < KT_NR_SIZES && insn->src <= 32 && insn->imm >= 0 && insn->imm < KT_MAX_SAVED &&
	       asks_call(v, at, (u64)insn->imm + saved_bytes(insn->aux));
}

static bool check_emitsaved(struct verifier *v, struct kt_insn *insn, u32 at)
{
	const u32 bytes = insn->aux * 4;

	return bytes && insn->src <= 32 && insn->imm >= 0 && insn->imm < KT_MAX_SAVED &&
	       asks_call(v, at, (u64)insn->imm + bytes) && emit(v, insn, at, bytes);
}

/* A mask with a bit for each item. */
static bool check_mask(struct verifier *v, u32 at, u32 bytes)
{
	if (in_filter(v, at) || v->now.bytes)
		return false;
	v->now.mask = bytes;
	v->now.bytes = bytes;
	return true;
}

static bool check_faults(struct verifier *v, struct kt_insn *insn, u32 at)
{
	(void)insn;
	return check_mask(v, at, 4);
}

static bool check_faults2(struct verifier *v, struct kt_insn *insn, u32 at)
{
	(void)insn;
	return check_mask(v, at, 2);
}

#define READS_SRC	1
#define READS_DST	2
#define WRITES_DST	4
#define SRC_IS_NUMBER	8
/* reads registers of the CPU and names none (check_reg() handles those that name one) */
#define ALL_REGS	16

static const struct op {
	u8 uses;
	check_fn check;		/* NULL: nothing more to check */
} ops[KT_NR_OPS] = {
	[KT_OP_END]	 = { 0, check_end },
	[KT_OP_DROP]	 = { 0, check_drop },
	[KT_OP_REG]	 = { WRITES_DST, check_reg },
	[KT_OP_PSR]	 = { WRITES_DST | ALL_REGS, NULL },
	[KT_OP_IMM]	 = { WRITES_DST, NULL },
	[KT_OP_IMMHI]	 = { READS_DST | WRITES_DST, NULL },
	[KT_OP_CUR]	 = { WRITES_DST, check_cur },
	[KT_OP_ALU]	 = { READS_SRC | READS_DST | WRITES_DST, check_aux },
	[KT_OP_ADDI]	 = { READS_DST | WRITES_DST, NULL },
	[KT_OP_LOAD]	 = { READS_SRC | WRITES_DST, check_aux },
	[KT_OP_CMP]	 = { READS_SRC | READS_DST, check_cmp },
	[KT_OP_EMIT]	 = { READS_SRC, check_emit },
	[KT_OP_EMITCUR]	 = { 0, check_emitcur },
	[KT_OP_EMITREG]	 = { 0, check_emitreg },
	[KT_OP_EMITREGS] = { ALL_REGS, check_emitregs },
	[KT_OP_FAULTS]	 = { 0, check_faults },
	[KT_OP_ALUI]	 = { READS_DST | WRITES_DST, check_aux },
	[KT_OP_CMPI]	 = { READS_DST | SRC_IS_NUMBER, check_cmpi },
	[KT_OP_SET]	 = { READS_SRC | READS_DST | WRITES_DST, check_set },
	[KT_OP_EXT]	 = { READS_DST | WRITES_DST, check_aux },
	[KT_OP_EMITSTR]	 = { READS_SRC, check_emitstr },
	[KT_OP_EMITCOMM] = { 0, check_emitcomm },
	[KT_OP_EMITSTACK] = { ALL_REGS, check_emitstack },
	[KT_OP_EMITCHAIN] = { SRC_IS_NUMBER, check_emitchain },
	[KT_OP_LINK]	 = { 0, NULL },
	[KT_OP_ELAPSED]	 = { WRITES_DST, check_elapsed },
	[KT_OP_SAVED]	 = { WRITES_DST | SRC_IS_NUMBER, check_saved },
	[KT_OP_EMITSAVED] = { SRC_IS_NUMBER, check_emitsaved },
	[KT_OP_FAULTS2]	 = { 0, check_faults2 },
	[KT_OP_EMIT2]	 = { READS_SRC, check_emit2 },
	[KT_OP_EMITBYTES] = { READS_SRC, check_emitbytes },
	[KT_OP_EMITTEXT] = { READS_SRC, check_emittext },
	[KT_OP_ARG]	 = { WRITES_DST, check_arg },
	[KT_OP_EMITARG]	 = { 0, check_emitarg },
	[KT_OP_EMITUSTACK] = { 0, check_emitstack },
	[KT_OP_CALLER]	 = { WRITES_DST, check_caller },
	[KT_OP_CALLERIN] = { READS_SRC | READS_DST | WRITES_DST, NULL },
	[KT_OP_MATCH]	 = { READS_SRC | WRITES_DST, check_match },
	[KT_OP_PATTERN]	 = { 0, NULL },
	[KT_OP_EMITPART] = { READS_SRC, check_emitpart },
	[KT_OP_EMITOBJECT] = { READS_SRC, check_emitobject },
};

static bool check_registers(const struct state *now, const struct kt_insn *insn, u8 uses)
{
	if (insn->dst >= KT_NR_REGS || (insn->src >= KT_NR_REGS && !(uses & SRC_IS_NUMBER)))
		return false;
	if ((uses & READS_SRC) && !(now->written & 1 << insn->src))
		return false;
	return !(uses & READS_DST) || now->written & 1 << insn->dst;
}

/*
 * Exactly the expected number of links follows a chain, and of pattern words a match; they are nowhere else, and no jump
 * leads to one.
 */
static bool check_links(struct verifier *v, const struct kt_insn *insn, u32 at)
{
	if (!v->links)
		return insn->op != KT_OP_LINK && insn->op != KT_OP_PATTERN;
	v->links--;
	return insn->op == v->link && !v->target[at].reached;
}

static bool verify_one(struct verifier *v, struct kt_insn *insn, u32 at)
{
	const struct op *op;

	if (insn->op >= KT_NR_OPS || !check_links(v, insn, at) ||
	    !state_join(&v->now, &v->target[at]) || !v->now.reached)
		return false;
	op = &ops[insn->op];
	/* An unconditional jump reads no registers. */
	if (insn->op == KT_OP_CMP && insn->aux == KT_CMP_ALWAYS)
		return check_cmp(v, insn, at);
	if (!check_registers(&v->now, insn, op->uses))
		return false;
	if (op->check && !op->check(v, insn, at))
		return false;
	if (op->uses & WRITES_DST)
		v->now.written |= 1 << insn->dst;
	v->all_regs |= !!(op->uses & ALL_REGS);
	return true;
}

static u32 filter_length(const struct kt_insn *insns, u32 len)
{
	while (len && insns[len - 1].op != KT_OP_DROP)
		len--;
	return len;
}

static int verify(struct verifier *v, struct kt_insn *insns, u32 len)
{
	u32 at;

	v->len = len;
	v->filter = filter_length(insns, len);
	if (v->filter == len)
		return -EINVAL;	/* the program never records */
	v->now.reached = true;
	for (at = 0; at < len; at++) {
		if (!verify_one(v, &insns[at], at))
			return -EINVAL;
		if (at + 1 == v->filter)
			v->target[at + 1].written = v->now.written = 0;
	}
	/* The last instruction must not fall through, and at least one path must record. */
	return v->now.reached || !v->end.reached ? -EINVAL : v->end.bytes;
}

int kt_capture_verify(struct kt_insn *insns, u32 len, struct kt_verdict *verdict)
{
	struct verifier *v;
	int payload;

	if (!len || len > KT_MAX_PROG)
		return -EINVAL;
	v = kt_zalloc(sizeof(*v) + (len + 1) * sizeof(*v->target));
	if (!v)
		return -ENOMEM;
	payload = verify(v, insns, len);
	verdict->filter = v->filter;
	verdict->all_regs = v->all_regs;
	verdict->saved = v->saved;
	verdict->uses_call = v->uses_call;
	verdict->filter_saved = v->filter_saved;
	verdict->varies = v->varies;
	kt_free(v);
	return payload;
}

static bool reads_memory(u8 op)
{
	return op == KT_OP_LOAD || op == KT_OP_EMITCHAIN || op == KT_OP_EMITSTR || op == KT_OP_EMITBYTES ||
	       op == KT_OP_EMITTEXT || op == KT_OP_MATCH || op == KT_OP_EMITPART;
}

/* The callers in the program: the interpreter reads nothing else for these. */
static bool reads_callers(u8 op)
{
	return op == KT_OP_EMITUSTACK || op == KT_OP_CALLER || op == KT_OP_CALLERIN;
}

int kt_capture_confine(struct kt_insn *insns, u32 len)
{
	int reads = 0;
	u32 i;

	for (i = 0; i < len; i++) {
		if (insns[i].op == KT_OP_EMITSTACK || insns[i].op == KT_OP_EMITOBJECT)
			return -EINVAL;
		if (reads_memory(insns[i].op))
			insns[i].aux |= KT_AUX_USER;
		reads |= reads_memory(insns[i].op) || reads_callers(insns[i].op);
	}
	return reads;
}
