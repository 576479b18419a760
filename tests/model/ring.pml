/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring.pml - the trace ring of core/ring.[ch], step for step: on one CPU, writers are interrupted by writers,
 * which are interrupted by writers; a reader runs on another CPU. Each step is one access to shared data, and
 * has the name of the function that makes it. Accesses that no other context can tell apart are one step.
 * tests/model/explore.py has the variants to explore, tests/model/mutants the mutants that the model must find.
 *
 * Memory is weaker than that of any machine. Stores of the writers' CPU become visible to others in any order;
 * only stores to one location, and stores on different sides of kt_smp_wmb(), keep their order. The reader
 * loads in any order between two kt_smp_rmb(). With -DTSO stores become visible in their order. Writers see the
 * stores of their own CPU at once.
 *
 * A sub-buffer has one unit for its header and CELLS units for events. An event takes two units (header,
 * payload), or three with an extended header (header, time, payload).
 *
 * The reader copies whole packets. But it is enough to follow one location, the `probe`, which is chosen at the
 * beginning: all locations are right in every copy if the probe is right for every choice. So among all stores,
 * only those to the probe, the word and one commit count matter.
 *
 * With -DMOVE the ring moves to another area of NR_THERE sub-buffers, while the reader reads the old area or
 * the new one. Then first_seq and generation matter, too.
 */

#ifndef PREFILL
#define PREFILL	3	/* at most this many events exist at the beginning */
#endif
#ifndef LEAST
#define LEAST	0	/* and at least this many */
#endif
#ifndef N0
#define N0	2	/* writes of the task */
#endif
#ifndef N1
#define N1	2	/* writes of interrupts */
#endif
#ifndef N2
#define N2	1	/* writes of NMIs */
#endif

#define NR		2	/* nr_subbufs */
#ifndef NR_THERE
#define NR_THERE	2	/* nr_subbufs of the area that the ring moves to */
#endif
#ifdef MOVE
#define MOVES	1
#else
#define MOVES	0
#endif
/* Packets before the new one that can be copied, and for which there is room. */
#define CARRIED	(NR < NR_THERE -> NR : NR_THERE - 1)
#ifndef CELLS
#define CELLS		4	/* two events in a packet */
#endif
#define UNITS		(CELLS + 1)
#define PACKETS		7	/* more than ever begin */
#define TS_LIMIT	4	/* 1 << KT_TS_BITS */

/* ctl->word: packet, next free unit behind the header, number of events. */
#define WORD(seq, off, n)	((seq) * 64 + (off) * 8 + (n))
#define W_SEQ(w)		((w) / 64)
#define W_OFF(w)		((w) / 8 % 8)
#define W_N(w)			((w) % 8)
#define CLOSED			7

#ifdef MOVE
byte area;			/* the area in use: 0 or 1 */
byte mapped;			/* the area that the reader has mapped */
byte moved;			/* the first packet of the other area, once it is announced */
bool hitting;			/* the task writes, with interrupts off */
byte generation;		/* ctl->generation */
byte there;			/* the value at the probe, in the first area */
#else
#define area	0
#define mapped	0
#endif

#define NR_OF(a)	((a) -> NR_THERE : NR)
#define SLOT(a, s)	((a) -> NR + (s) % NR_THERE : (s) % NR)
#define AT(s)		SLOT(area, s)			/* kt_ring_subbuf(), kt_ring_count() */
#define BASE_OF(a, s)	((s) / NR_OF(a) * UNITS)
#define BASE(s)		BASE_OF(area, s)		/* kt_ring_count_base() */

/* The state as the writers' CPU sees it. */
short word;			/* ctl->word */
byte seq_;			/* ctl->seq */
byte count;			/* ctl->count */
byte commit[NR + NR_THERE];
byte ring_sub, ring_count;	/* ring->sub, ring->count */
byte last_ts, clock, discarded;
byte seen_seq;			/* ctl->seen_seq: stored by the reader's side */
byte cur;			/* the running writer: 0 the task, 1 an interrupt, 2 an NMI */
byte working;			/* writers that are not done */

/* The facts, for the assertions. */
byte attempts, taken;
byte newest_ts;			/* of the last event that got its room */
byte begin_ts;			/* of the newest packet */
byte before[PACKETS];		/* events before packet n */
byte filled[PACKETS];		/* units of packet n, once it is closed */

/* ------------------------------------------------------------------- probe */

/* Locations in packet p_seq: a cell, or one of these. */
#define P_HEAD		CELLS		/* what packet_open() fills in */
#define P_TAIL		(CELLS + 1)	/* what packet_close() fills in */
/* Locations in struct kt_ring_ctl. */
#define P_SEQ		(CELLS + 2)
#define P_COUNT		(CELLS + 3)

byte p_seq, p_place;
byte right;	/* the right value there: the event's number among the attempts, or the packet's number + 1 */

/* ------------------------------------------------------------- other CPUs */

/* Targets of stores that are not yet visible. */
#define TO_WORD		0
#define TO_COMMIT	1	/* the commit count of the sub-buffer of packet p_seq */
#define TO_PROBE	2
#define TO_FIRST	3
#define TO_GENERATION	4

#ifdef MOVE
#define PLACES	5
#define DEPTH	12
#else
#define PLACES	3
#define DEPTH	8
#endif

#define NOTHING	(-1000)

/* Values that the reader has loaded so far. */
short committed, first, again, copy;
bool copied;
#ifdef MOVE
short oldest, newer;	/* first_seq, generation */
#endif

short mem[PLACES];
byte b_nr;
byte b_to[DEPTH];
short b_value[DEPTH];
bool b_fence[DEPTH];	/* a barrier precedes this store */
bool fence;		/* a barrier precedes the next store */
byte phase;		/* of the reader: 0 not begun, 1 at work, 2 done */
byte i_, k_;
bool more;

/* The k-th store becomes visible. */
inline retire(k) {
	mem[b_to[k]] = b_value[k];
	if
	:: k + 1 < b_nr -> b_fence[k + 1] = b_fence[k + 1] || b_fence[k]
	:: else -> fence = fence || b_fence[k]
	fi;
	b_nr--;
	i_ = k;
	do
	:: i_ < b_nr ->
		b_to[i_] = b_to[i_ + 1];
		b_value[i_] = b_value[i_ + 1];
		b_fence[i_] = b_fence[i_ + 1];
		i_++
	:: else -> break
	od;
	b_to[b_nr] = 0;
	b_value[b_nr] = 0;
	b_fence[b_nr] = false;
	b_fence[0] = false;
	fence = fence && b_nr;
	i_ = 0
}

/* Will the reader load from this location again? */
#ifdef MOVE
#define WANTED_MOVE(to)	(((to) == TO_FIRST && oldest == NOTHING) || (to) == TO_GENERATION)
#else
#define WANTED_MOVE(to)	false
#endif
#define WANTED(to)	(phase == 1 && \
			 ((to) == TO_WORD || ((to) == TO_COMMIT && committed == NOTHING) || \
			  ((to) == TO_PROBE && !copied) || WANTED_MOVE(to)))

inline store(to, value) {
	if
	:: phase == 0 -> mem[to] = value
	:: phase > 0 && !WANTED(to)
	:: WANTED(to) ->
		if
		:: b_nr == DEPTH -> retire(0)
		:: else
		fi;
		b_to[b_nr] = to;
		b_value[b_nr] = value;
#ifdef TSO
		b_fence[b_nr] = b_nr > 0;
#else
		b_fence[b_nr] = fence && b_nr > 0;
#endif
		fence = false;
		b_nr++
	fi
}

/* Stores are kept only if their location is observed. */
inline store_word(value) {
	word = value;
	store(TO_WORD, word)
}

inline store_commit(sub, value) {
	commit[sub] = value;
	if
	:: (sub) == SLOT(mapped, p_seq) -> store(TO_COMMIT, commit[sub])
	:: else
	fi
}

#define add_commit(sub, units)	store_commit(sub, commit[sub] + (units))

inline store_packet(sub, place, value) {
	if
	:: (sub) == SLOT(mapped, p_seq) && (place) == p_place -> store(TO_PROBE, value)
	:: else
	fi;
#ifdef MOVE
	if
	:: mapped && (sub) == p_seq % NR && (place) == p_place -> there = value
	:: else
	fi
#endif
}

inline store_ctl(place, value) {
	if
	:: p_place == place -> store(TO_PROBE, value)
	:: else
	fi
}

#define wmb()	fence = b_nr > 0

/*
 * Is a store to this location not yet visible? Then k_ is the first store that must become visible before it;
 * else k_ is b_nr.
 */
inline look_for(to, answer) {
	answer = false;
	k_ = b_nr;
	i_ = 0;
	do
	:: i_ < b_nr && b_to[i_] != to -> i_++
	:: else -> break
	od;
	answer = i_ < b_nr;
	if
	:: answer ->
		k_ = i_;
		do
		:: i_ > 0 && !b_fence[i_] -> i_--
		:: else -> break
		od;
		/* A barrier precedes it: older stores become visible first. */
		if
		:: i_ > 0 -> k_ = 0
		:: else
		fi
	:: else
	fi;
	i_ = 0
}

/* Stores to this location no longer matter, but their barriers do. */
inline forget(to) {
	mem[to] = 0;
	do
	:: look_for(to, more);
		if
		:: more ->
			i_ = b_nr;
			do
			:: b_to[i_ - 1] != to -> i_--
			:: else -> break
			od;
			k_ = i_ - 1;
			retire(k_);
			mem[to] = 0
		:: else -> break
		fi
	od;
	more = false;
	k_ = 0
}

/*
 * The reader loads the visible value, or a store becomes visible first, together with all stores that a barrier
 * orders before it.
 */
inline load(to, var) {
	do
	:: break
	:: look_for(to, more);
		if
		:: more -> retire(k_)
		:: else -> break
		fi
	od;
	var = mem[to];
	more = false;
	k_ = 0
}

/* ----------------------------------------------------------------- writers */

/* Only the running writer executes steps on that CPU. */
#define STEP	atomic { cur == me ->
#define DONE	}

/*
 * kt_clock_read(): never returns the same value twice. Without EXTENDED, the time is the number of events that
 * have their room by then; that is enough. With -DFAR all events are far apart.
 */
#ifdef EXTENDED
inline read_clock(to) {
	if
#ifndef FAR
	:: clock = clock + 1
#endif
	:: clock = clock + TS_LIMIT
	fi;
	to = clock
}
#define LATER(ts)	(newest_ts < (ts))
#ifdef TRUSTING_TIME
#define NEAR(ts)	((ts) - begin_ts < 2 * TS_LIMIT)
#else
#define NEAR(ts)	((ts) >= last_ts && (ts) - last_ts < TS_LIMIT)
#endif
#else
inline read_clock(to) {
	to = taken
}
#define LATER(ts)	(taken == (ts))
#define NEAR(ts)	true
#endif

/* kt_ring_take(): with the exchange of the word, the event gets its place in the order. */
inline take() {
	assert(LATER(ts));			/* misordered */
#ifdef EXTENDED
	/* A reader can compute its time. */
	assert(!compact || (W_N(old) -> ts - newest_ts : ts - begin_ts) < TS_LIMIT);
	newest_ts = ts;
#endif
	taken++;
	if
	:: W_SEQ(old) == p_seq && W_OFF(old) <= p_place && p_place < W_OFF(old) + units &&
	   p_place < CELLS -> right = id
	:: else
	fi;
	store_word(old + units * 8 + 1);
	assert(W_OFF(word) <= CELLS);
	assert(count + W_N(word) == taken)	/* lost, or counted twice */
}

#ifdef BLIND_EXCHANGE
#define EXCHANGED	true
#else
#define EXCHANGED	(word == old)
#endif
#ifdef NO_CLOSE
#define CLOSE		skip
#else
#define CLOSE		store_word(WORD(W_SEQ(old), CLOSED, W_N(old)))
#endif

/* Closed packet `old`, and the count of events before the new packet. */
inline packet_close() {
	assert(before[seq] + W_N(old) == taken);	/* lost, or counted twice */
	filled[seq] = W_OFF(old);
	store_packet(AT(seq), P_TAIL, seq + 1);
#ifndef NO_WMB_CLOSE
	wmb();
#endif
	add_commit(AT(seq), CELLS - W_OFF(old));
	count = count + W_N(old);
	store_ctl(P_COUNT, count)
}

inline packet_open() {
	before[seq + 1] = taken;
#ifdef EXTENDED
	begin_ts = ts;
	last_ts = ts;
#endif
	store_packet(AT(seq + 1), P_HEAD, seq + 2);
	seq_ = seq + 1;
	store_ctl(P_SEQ, seq_);
	ring_sub = AT(seq + 1);
	ring_count = AT(seq + 1);
	add_commit(AT(seq + 1), 1);
#if !defined(NO_WMB_OPEN) && !defined(NO_WMB_OPEN_MOVED)
	wmb();
#endif
	store_word(WORD(seq + 1, 0, 0))
}

proctype writer(byte me; byte n)
{
	byte below, id, ts, s, c, units, seq;
	short old;
	bool compact, room;

	do
	:: n == 0 -> break
	:: atomic {
		n > 0 && (cur < me || (me == 0 && cur == 0)) ->
		below = cur;
		cur = me;
		attempts++;
		id = attempts;
		n--;
#ifdef MOVE
		hitting = hitting || me == 0;
#endif
		units = 2;
		compact = true
	};
		/* kt_ring_reserve() */
#ifdef CLOCK_EARLY
		STEP read_clock(ts) DONE;
#endif
		STEP old = word DONE;
		STEP
			s = ring_sub;
			c = ring_count;
#ifndef CLOCK_EARLY
			read_clock(ts)
#endif
		DONE;
		/* kt_ring_take() */
		STEP
			if
			:: !NEAR(ts) || W_OFF(old) + units > CELLS || !EXCHANGED -> goto slow
			:: else -> take()
			fi
		DONE;
		goto had;

slow:		/* kt_ring_reserve_slow() */
		STEP old = word DONE;
		/* reserve_once() */
		STEP read_clock(ts) DONE;
		STEP
			compact = NEAR(ts);
			units = (compact -> 2 : 3);
			if
			:: W_OFF(old) + units > CELLS -> goto crowded
			:: W_OFF(old) + units <= CELLS && !EXCHANGED -> goto slow
			:: else ->
				take();
				s = AT(W_SEQ(old));
				c = s
			fi
		DONE;

had:		/* kt_ring_take() */
#ifdef EXTENDED
		STEP last_ts = ts DONE;
#endif
#ifdef COMMIT_EARLY
		STEP add_commit(c, units) DONE;
#endif
		/* kt_ring_reserve(), reserve_once(): the header */
		STEP store_packet(s, W_OFF(old), id) DONE;
		if
		:: atomic { compact -> skip }
		:: else ->
			STEP store_packet(s, W_OFF(old) + 1, id) DONE;
#ifndef COMMIT_EARLY
			STEP add_commit(c, 1) DONE
#endif
		fi;
		/* kt_capture_run() */
		STEP store_packet(s, W_OFF(old) + units - 1, id) DONE;
		/* kt_ring_commit() */
#ifndef NO_WMB_COMMIT
		STEP wmb() DONE;
#endif
#ifndef COMMIT_EARLY
		STEP add_commit(c, 2) DONE;
#endif
		goto next;

crowded:	/* next_packet() */
		STEP
			if
			:: W_OFF(old) == CLOSED -> goto drop
			:: else
			fi
		DONE;
		STEP seq = seq_ DONE;
		/* packet_free() */
#ifdef NO_LAP_CHECK
		room = true;
#else
		STEP room = commit[AT(seq + 1)] == BASE(seq + 1) DONE;
#endif
#ifdef DISCARD
		STEP room = room && seq + 1 - seen_seq < NR DONE;
#endif
		/* next_packet() */
		STEP
			if
			:: room
#ifndef NO_SECOND_LOOK
			:: !room && word != old -> goto slow
			:: !room && word == old ->
#else
			:: !room ->
#endif
				assert(word == old);	/* dropped though there was room */
				goto drop
			fi
		DONE;
		STEP
			if
			:: word == old -> CLOSE
			:: else -> goto slow
			fi
		DONE;
		/*
		 * From here until the packet is open, all other writers are refused, in any context. Stores of
		 * this writer become visible at any time later.
		 */
		STEP skip DONE;
		STEP
			read_clock(ts);
			packet_close();
#ifndef ANNOUNCE_LATE
			store_word(WORD(seq + 1, CLOSED, 0));
#endif
#ifndef NO_WMB_ANNOUNCE
			wmb();
#endif
#ifdef DISCARD
			assert(seq + 1 - seen_seq < NR);	/* lost */
#endif
			packet_open()
		DONE;
		goto slow;

drop:		/* kt_ring_reserve_slow() */
		STEP discarded++ DONE;

next:		STEP
			cur = below;
#ifdef MOVE
			hitting = hitting && me > 0;
#endif
			below = 0;
			id = 0;
			ts = 0;
			s = 0;
			c = 0;
			seq = 0;
			old = 0;
			room = false
		DONE
	od;
	working--
}

#ifdef MOVE
/* ---------------------------------------------------------------- the move */

#ifdef MOVE_BLIND
#define CLOSABLE	true
#else
#define CLOSABLE	(word == old)
#endif
#ifdef MOVE_UNCLOSED
#define CLOSED_FOR_MOVE	skip
#else
#define CLOSED_FOR_MOVE	store_word(WORD(W_SEQ(old), CLOSED, W_N(old)))
#endif

inline store_first() {
	store(TO_FIRST, first_seq)
}

inline raise_generation() {
	generation++;
	store(TO_GENERATION, generation)
}

/*
 * move_ring() of kmod/records/resize.c, in an interrupt: no hit is in progress, but NMIs may come at any time.
 */
proctype mover(byte me)
{
	byte seq, next, first_seq, ts;
	short old;

	atomic { cur == 0 && !hitting -> cur = me };
	/* kt_ring_close() */
again_:	STEP old = word DONE;
	STEP
		if
		:: CLOSABLE -> CLOSED_FOR_MOVE
		:: else -> goto again_
		fi
	DONE;
	STEP seq = seq_ DONE;
	STEP
		read_clock(ts);
		packet_close();
		moved = seq + 1;
		store_word(WORD(seq + 1, CLOSED, 0))
	DONE;
	/* carry_all(): copy the last packets, or none; a packet before them may have been copied earlier */
	STEP
		select(first_seq : (seq + 1 < CARRIED -> 0 : seq + 1 - CARRIED) .. seq + 1);
		next = first_seq;
		do
		:: next <= seq ->
			assert(commit[AT(next)] == BASE(next) + UNITS);	/* a hit was in progress */
			if
			:: next == p_seq && mapped -> store(TO_PROBE, there)
			:: else
			fi;
			next++
		:: else -> break
		od
	DONE;
	/* kt_ring_open() */
	STEP
		area = 1;
		next = seq + 1;
		do
		:: next <= seq + NR_THERE -> store_commit(AT(next), BASE(next)); next++
		:: else -> break
		od
	DONE;
	STEP
		read_clock(ts);
#ifndef FIRST_LATE
		store_first();
#endif
#ifndef GENERATION_LATE
		raise_generation();
#endif
		packet_open();
#ifdef FIRST_LATE
		store_first();
#endif
#ifdef GENERATION_LATE
		raise_generation();
#endif
	DONE;
	STEP
		cur = 0;
		seq = 0;
		next = 0;
		first_seq = 0;
		ts = 0;
		old = 0
	DONE;
	working--
}
#endif

/* The check at the end, when all writers are done. */
proctype balance()
{
	atomic {
		working == 0 && phase == 2 ->
		assert(taken + discarded == attempts);
		assert(W_OFF(word) != CLOSED && count + W_N(word) == taken);
		assert(seq_ == W_SEQ(word));
		assert(commit[AT(seq_)] == BASE(seq_) + W_OFF(word) + 1);
		assert(seq_ == 0 || commit[AT(seq_ - 1)] == BASE(seq_ - 1) + UNITS)
	}
}

/* ------------------------------------------------------------------ reader */

/* Packet p_seq is gone, or is being overwritten. */
#define GONE(w)		(W_SEQ(w) >= p_seq + NR_OF(mapped))
#define NOT_NOW(w)	(W_SEQ(w) < p_seq || (W_SEQ(w) == p_seq && W_OFF(w) == CLOSED))
/* The end of the packet's content, in units of its sub-buffer; and the number of units to be committed then. */
#define END(w)		(W_SEQ(w) == p_seq -> W_OFF(w) : filled[p_seq])
#define WHOLE(w)	(W_SEQ(w) == p_seq -> W_OFF(w) + 1 : UNITS)

/* Is the copy of the packet right? Cells behind its end do not matter. */
inline check() {
	if
	:: p_place == P_TAIL && W_SEQ(first) == p_seq
	:: p_place < CELLS && p_place >= END(first)
	:: else -> assert(copy == right)	/* torn, misplaced or not even written */
	fi
}

#ifdef MOVE
/* Does this word show that the ring is open in the other area? Before that, no reader can have mapped it. */
#define OPENED(w)	(moved && (W_SEQ(w) > moved || (W_SEQ(w) == moved && W_OFF(w) != CLOSED)))
#define UNMAPPED(w)	(mapped && !OPENED(w))
#else
#define UNMAPPED(w)	false
#endif

/* The loaded values show that nothing can be read. */
#define HOPELESS	(first != NOTHING && (GONE(first) || NOT_NOW(first) || UNMAPPED(first) || \
			 (committed != NOTHING && committed != WHOLE(first))))

/* Loads between two kt_smp_rmb() may happen in any order. Without one of them, this order is not enforced. */
#ifdef NO_RMB_COMMIT
#define WORD_MAY	true
#else
#define WORD_MAY	(committed != NOTHING)
#endif
#ifdef NO_RMB_WORD
#define COPY_MAY	(committed != NOTHING)
#else
#define COPY_MAY	(committed != NOTHING && first != NOTHING)
#endif
#ifdef NO_RMB_COPY
#define AGAIN_MAY	(first != NOTHING)
#else
#define AGAIN_MAY	copied
#endif

#ifdef NO_RECHECK
#define LAPPED		false
#else
#define LAPPED		GONE(again)
#endif
#if defined(MOVE) && !defined(NO_FIRST_CHECK)
#define LEFT_BEHIND	(p_seq < oldest)
#else
#define LEFT_BEHIND	false
#endif

#ifdef MOVE
#define READ_ALL	(again != NOTHING && copied && oldest != NOTHING)
#else
#define READ_ALL	(again != NOTHING && copied)
#endif

inline kt_ring_read() {
	do
	:: atomic { HOPELESS || READ_ALL -> break }
	:: atomic { !HOPELESS && committed == NOTHING ->
		load(TO_COMMIT, committed);
		committed = committed - BASE_OF(mapped, p_seq);
		forget(TO_COMMIT)
	}
	:: atomic { !HOPELESS && first == NOTHING && WORD_MAY -> load(TO_WORD, first) }
	:: atomic { !HOPELESS && !copied && COPY_MAY ->
		load(TO_PROBE, copy);
		copied = true;
		forget(TO_PROBE)
	}
	:: atomic { !HOPELESS && again == NOTHING && AGAIN_MAY -> load(TO_WORD, again) }
#ifdef MOVE
	:: atomic { !HOPELESS && oldest == NOTHING && AGAIN_MAY ->
		load(TO_FIRST, oldest);
		forget(TO_FIRST)
	}
#ifdef NO_RMB_MOVED
	:: atomic { newer == NOTHING -> load(TO_GENERATION, newer) }
#endif
#endif
	od;
	atomic {
		if
		:: HOPELESS -> gone = GONE(first)
		:: !HOPELESS && (LAPPED || LEFT_BEHIND) -> gone = true
		:: else ->
			check();
			complete = W_SEQ(first) > p_seq
		fi
	}
}

#ifdef MOVE
/*
 * moved_on() of ctl/trace/reader/reader.c: a reader that sees a word of the other area notices that the ring moved.
 */
inline moved_on() {
	atomic {
		if
		:: newer == NOTHING -> load(TO_GENERATION, newer)
		:: else
		fi;
		assert(mapped || newer || !(OPENED(first) || OPENED(again)))
	}
}
#endif

#ifdef NO_RMB_POSITION_1
#define PROBE_MAY	true
#else
#define PROBE_MAY	(first != NOTHING)
#endif
#ifdef NO_RMB_POSITION_2
#define END_MAY		(first != NOTHING)
#else
#define END_MAY		copied
#endif

/* Load the word, the values of its packet, and the word again. */
inline kt_ring_position() {
	do
	:: atomic { first != NOTHING && W_OFF(first) == CLOSED || copied && again != NOTHING ->
		break
	}
	:: atomic { first == NOTHING -> load(TO_WORD, first) }
	:: atomic { !copied && PROBE_MAY -> load(TO_PROBE, copy); copied = true; forget(TO_PROBE) }
	:: atomic { again == NOTHING && END_MAY -> load(TO_WORD, again) }
	od;
	atomic {
		if
		:: W_OFF(first) == CLOSED || W_OFF(again) == CLOSED || W_SEQ(first) != W_SEQ(again)
		:: else ->
			assert(p_place != P_SEQ || copy == W_SEQ(first));
			assert(p_place != P_COUNT || copy == before[W_SEQ(first)]);
			/* The oldest packet is the one that is overwritten next. */
			assert(p_place != P_HEAD || W_SEQ(first) != p_seq + NR - 1 || copy == right)
		fi
	}
}

/*
 * The seen position: seen_move() of kmod/records/buffer.c stores the position, then its packet; run_begin() of
 * ctl/trace/reader/reader_copy.c loads them in the opposite order.
 */
#ifdef NO_RELEASE_SEEN
#define RELEASE		skip
#else
#define RELEASE		wmb()
#endif
#ifdef NO_RMB_SEEN
#define SEEN_MAY	true
#else
#define SEEN_MAY	(first != NOTHING)
#endif

proctype seen_move()
{
	byte n;

	do
	:: n == 2 -> break
	:: n < 2 ->
		n++;
		atomic { store(TO_PROBE, n) };
		atomic { RELEASE };
		atomic { store(TO_WORD, n) }
	od
}

inline run_begin() {
	do
	:: atomic { first != NOTHING && copied -> break }
	:: atomic { first == NOTHING -> load(TO_WORD, first) }
	:: atomic { !copied && SEEN_MAY -> load(TO_PROBE, copy); copied = true }
	od;
	assert(copy >= first)	/* the packet is not beyond the position */
}

/* skip_overwritten() of ctl/trace/reader/reader_copy.c: load the first packet, then the newest one. */
#ifdef NO_RMB_SKIP
#define NEWEST_MAY	true
#else
#define NEWEST_MAY	(oldest != NOTHING)
#endif

inline skip_overwritten() {
	do
	:: atomic { oldest != NOTHING && first != NOTHING -> break }
	:: atomic { oldest == NOTHING -> load(TO_FIRST, oldest); forget(TO_FIRST) }
	:: atomic { first == NOTHING && NEWEST_MAY -> load(TO_WORD, first) }
	od;
	/* Otherwise the reader would take the ring for a damaged one. */
	assert(W_OFF(first) == CLOSED || oldest <= W_SEQ(first))
}

proctype reader()
{
	bool gone, complete;

#if defined(SEEN)
	run_begin();
#elif defined(SKIP)
	skip_overwritten();
#elif defined(POSITION)
	kt_ring_position();
#elif defined(DISCARD)
	/* The packets before are read, or no such packet exists. */
	atomic {
		if
		:: W_SEQ(word) >= p_seq -> seen_seq = p_seq
		:: W_SEQ(word) < p_seq && working == 0
		fi
	};
#ifdef EARLY_SEEN
	seen_seq = p_seq + 1;
#endif
	kt_ring_read();
	assert(!gone);
	if
	:: complete -> seen_seq = p_seq + 1
	:: else
	fi;
#else
	kt_ring_read();
#endif
#if defined(MOVE) && !defined(SKIP)
	moved_on();
#endif
	atomic {
		gone = false;
		complete = false;
		committed = 0;
		first = 0;
		again = 0;
		copy = 0;
		copied = false;
		do
		:: b_nr -> retire(0)
		:: else -> break
		od;
		fence = false;
		mem[TO_WORD] = 0;
		mem[TO_COMMIT] = 0;
		mem[TO_PROBE] = 0;
#ifdef MOVE
		oldest = 0;
		newer = 0;
		mem[TO_FIRST] = 0;
		mem[TO_GENERATION] = 0;
#endif
		phase = 2
	}
}

/* ------------------------------------------------------------------- begin */

init {
	byte prefill;

	atomic {
#if defined(ALONE)
		p_place = 0;	/* no one observes it */
#elif defined(POSITION)
		if
		:: p_place = P_SEQ
		:: p_place = P_COUNT
		:: p_place = P_HEAD
		fi;
#elif defined(EXTENDED)
		select(p_place : 0 .. P_TAIL);
#else
		/* The header of an event is stored before its payload, under the same barriers. */
		if
		:: p_place = 1
		:: CELLS > 2 -> p_place = 3
		:: p_place = P_HEAD
		:: p_place = P_TAIL
		fi;
#endif
		select(prefill : LEAST .. PREFILL);
#ifndef ALONE
		select(p_seq : 0 .. (prefill + N0 + N1 + N2) / (CELLS / 2) + MOVES);
#endif
		right = (p_place >= CELLS -> p_seq + 1 : 0);
#ifdef MOVE
		select(mapped : 0 .. 1);
#endif
		/* The first packet is open. */
		commit[0] = 1;
		if
		:: SLOT(mapped, p_seq) == 0 ->
			mem[TO_COMMIT] = 1;
			mem[TO_PROBE] = (p_place == P_HEAD -> 1 : 0)
		:: else
		fi;
#ifdef MOVE
		there = (p_seq % NR == 0 && p_place == P_HEAD -> 1 : 0)
#endif
	};
#ifdef SEEN
	atomic {
		phase = 1;
		first = NOTHING;
		run seen_move();
		run reader()
	}
#else
	/* The events that exist at the beginning were written without concurrency. */
	working = 1;
	run writer(0, prefill);
	working == 0 ->
	atomic {
		phase = 1;
		committed = NOTHING;
		first = NOTHING;
		again = NOTHING;
		working = 3 + MOVES;
#ifdef MOVE
		oldest = NOTHING;
		newer = NOTHING;
		run mover(1);
#endif
		run writer(0, N0);
		run writer(1, N1);
		run writer(2, N2);
#ifdef ALONE
		phase = 2;
#else
		run reader();
#endif
		run balance()
	}
#endif
}
