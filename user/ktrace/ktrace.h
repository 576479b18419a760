/* SPDX-License-Identifier: MIT */
/*
 * ktrace.h - tracepoints in programs, in C (C11) and C++ (C++17).  See ktrace-user(3).
 *
 *	KTRACE(server, request, id, path, ktrace_bytes(key, key_len));
 *
 * records an event server:request with its arguments, whose types and names come from the expressions.  While it is off
 * it costs a load and a branch, and the arguments are not evaluated.  At most 12 arguments.
 */
#ifndef KTRACE_USER_H
#define KTRACE_USER_H

#pragma GCC system_header

#include <stddef.h>
#include <string.h>

#include <ktrace/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* One tracepoint in the program. */
struct ktrace_site {
	unsigned char on;		/* recorded now */
	unsigned char nr_args;
	unsigned char reserved;
	unsigned char short_id;		/* its id, if that fits in a short header; else 0.  The fourth byte: see section.S */
	unsigned int id;		/* in the records; 0: none yet */
	unsigned int line;
	const char *text;		/* provider, name, arguments and file, each ends with a 0 */
	const unsigned char *types;	/* [nr_args] */
};

/* The names of an enum's values: see KTRACE_ENUM(). */
struct ktrace_name {
	long long value;
	const char *name;
};

struct ktrace_enum {
	const char *name;
	const struct ktrace_name *names;
	unsigned int nr_names;
};

/* What one source file or instance of a template has. */
struct ktrace_module {
	struct ktrace_site *const *sites, *const *sites_end;
	const struct ktrace_enum *const *enums, *const *enums_end;
	struct ktrace_module *next;
};

/* An array of bytes as an argument. */
struct ktrace_bytes {
	const void *bytes;
	size_t length;
};

static inline struct ktrace_bytes ktrace_bytes(const void *bytes, size_t length)
{
	struct ktrace_bytes out = { bytes, length };

	return out;
}

/* KTRACE() calls these.  Async-signal-safe.  Record an event whose arguments are `words` words of four bytes. */
void ktrace_write(struct ktrace_site *site, const void *payload, unsigned int words);
/* One whose arguments are one word. */
void ktrace_write_word(struct ktrace_site *site, unsigned int word);

/*
 * An event whose last argument is a text or an array.  Its bytes are not copied to the other words first, but directly into the
 * ring.
 */
struct ktrace_parts {
	const void *bytes;		/* [length] */
	/*
	 * The length, at least 1, in the upper half; in the lower one the words of the event, where 0 fills up the bytes to a
	 * word.  One store, since one load reads it.
	 */
	unsigned long long sizes;
	unsigned int nr;		/* words before, at least 1; they follow this structure */
};

void ktrace_write_parts(struct ktrace_site *site, const struct ktrace_parts *parts);
/* The program's constructors and destructors call these. */
void ktrace_register(struct ktrace_module *module);
void ktrace_unregister(struct ktrace_module *module);

/* Why nothing is recorded although KTRACE_FILE is set.  NULL: all is well.  The text lives for ever. */
const char *ktrace_error(void);
/* Is this process recorded? */
int ktrace_recording(void);

/* Events of this process so far: written, whether or not newer ones have replaced them; and lost. */
struct ktrace_counts {
	unsigned long long recorded, lost;
};

void ktrace_counts(struct ktrace_counts *out);
/* Is each event of this thread written by a restartable sequence?  0: by the fall-back, which costs more. */
int ktrace_is_restartable(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

/* ------------------------------------------------------------------------ values to words */

static inline unsigned int *ktrace_put_word(unsigned int *at, unsigned int word)
{
	*at = word;
	return at + 1;
}

static inline unsigned int *ktrace_put_int(unsigned int *at, int value)
{
	return ktrace_put_word(at, (unsigned int)value);
}

static inline unsigned int *ktrace_put_ulong(unsigned int *at, unsigned long long value)
{
	memcpy(at, &value, sizeof(value));
	return at + 2;
}

static inline unsigned int *ktrace_put_long(unsigned int *at, long long value)
{
	return ktrace_put_ulong(at, (unsigned long long)value);
}

static inline unsigned int *ktrace_put_float(unsigned int *at, float value)
{
	memcpy(at, &value, sizeof(value));
	return at + 1;
}

static inline unsigned int *ktrace_put_double(unsigned int *at, double value)
{
	memcpy(at, &value, sizeof(value));
	return at + 2;
}

static inline unsigned int *ktrace_put_pointer(unsigned int *at, const volatile void *value)
{
	return ktrace_put_ulong(at, (unsigned long long)(size_t)value);
}

static inline size_t ktrace_kept(struct ktrace_bytes from)
{
	return from.length < KTRACE_MAX_TEXT ? from.length : KTRACE_MAX_TEXT;
}

static inline unsigned int ktrace_length(struct ktrace_bytes from)
{
	return from.length < 0xffffffffU ? (unsigned int)from.length : 0xffffffffU;
}

/* The number of bytes, which may be more than follow; and the bytes, filled up to a word with 0. */
static inline unsigned int *ktrace_put_bytes(unsigned int *at, struct ktrace_bytes from)
{
	size_t kept = ktrace_kept(from);

	/* The compiler shall not know the limit: for a copy that is surely short it may choose an instruction that is slow. */
	__asm__("" : "+r"(kept));
	at[0] = ktrace_length(from);
	if (kept % 4)
		at[1 + kept / 4] = 0;
	if (kept)
		memcpy(at + 1, from.bytes, kept);
	return at + 1 + (kept + 3) / 4;
}

/* GCC takes the limit for the size of an array, which is smaller; the text ends before that. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstringop-overread"
#endif
/* A text is its bytes without the 0.  NULL is an empty text. */
static inline struct ktrace_bytes ktrace_text(const char *text)
{
	return ktrace_bytes(text, text ? strnlen(text, KTRACE_MAX_TEXT) : 0);
}
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11
#pragma GCC diagnostic pop
#endif

static inline unsigned int *ktrace_put_string(unsigned int *at, const char *text)
{
	return ktrace_put_bytes(at, ktrace_text(text));
}

/* ------------------------------------------------------------------------ the last argument, and the event */

/* `parts` is followed by the words, up to `end`. */
static inline void ktrace_end(struct ktrace_site *site, struct ktrace_parts *parts, const unsigned int *end)
{
	const unsigned int *words = (const unsigned int *)(parts + 1);

	if (end - words == 1)
		ktrace_write_word(site, words[0]);
	else
		ktrace_write(site, words, (unsigned int)(end - words));
}

#define KTRACE_END_OF(type, name)									\
	static inline void ktrace_end_##name(struct ktrace_site *site, struct ktrace_parts *parts,	\
					     unsigned int *at, type value)				\
	{												\
		ktrace_end(site, parts, ktrace_put_##name(at, value));					\
	}
KTRACE_END_OF(unsigned int, word)
KTRACE_END_OF(int, int)
KTRACE_END_OF(long long, long)
KTRACE_END_OF(unsigned long long, ulong)
KTRACE_END_OF(float, float)
KTRACE_END_OF(double, double)
KTRACE_END_OF(const volatile void *, pointer)
#undef KTRACE_END_OF

static inline void ktrace_end_bytes(struct ktrace_site *site, struct ktrace_parts *parts, unsigned int *at,
				    struct ktrace_bytes from)
{
	const size_t kept = ktrace_kept(from);

	*at++ = ktrace_length(from);
	if (!kept) {
		ktrace_end(site, parts, at);
		return;
	}
	parts->bytes = from.bytes;
	parts->nr = (unsigned int)(at - (unsigned int *)(parts + 1));
	parts->sizes = (unsigned long long)kept << 32 | (parts->nr + (kept + 3) / 4);
	ktrace_write_parts(site, parts);
}

static inline void ktrace_end_string(struct ktrace_site *site, struct ktrace_parts *parts, unsigned int *at, const char *text)
{
	ktrace_end_bytes(site, parts, at, ktrace_text(text));
}

/* ------------------------------------------------------------------------ enums */

#define KTRACE_JOIN_(a, b)	a##b
#define KTRACE_JOIN(a, b)	KTRACE_JOIN_(a, b)

/*
 * KTRACE_ENUM(colour, { RED, "red" }, { GREEN, "green" }); gives the values of an enum names, at the outermost level of
 * a file.  The argument ktrace_as(colour, value) of a tracepoint in the same program or library is then shown by name.
 */
#define KTRACE_ENUM(enum_name, ...)									\
	static const struct ktrace_name KTRACE_JOIN(ktrace_names_, enum_name)[] = { __VA_ARGS__ };	\
	static const struct ktrace_enum KTRACE_JOIN(ktrace_enum_, enum_name) = {			\
		#enum_name, KTRACE_JOIN(ktrace_names_, enum_name),					\
		sizeof(KTRACE_JOIN(ktrace_names_, enum_name)) / sizeof(struct ktrace_name),		\
	};												\
	static const struct ktrace_enum *const KTRACE_JOIN(ktrace_enum_entry_, enum_name)		\
		__attribute__((section("ktrace_enums"), used)) = &KTRACE_JOIN(ktrace_enum_, enum_name)

#define ktrace_as(enum_name, value)	(value)

/* ------------------------------------------------------------------------ each argument */

#define KTRACE_COUNT(...)	KTRACE_COUNT_(0 __VA_OPT__(,) __VA_ARGS__, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define KTRACE_COUNT_(z, a, b, c, d, e, f, g, h, i, j, k, l, n, ...)	n

#define KTRACE_EACH(f, ...)	KTRACE_JOIN(KTRACE_EACH_, KTRACE_COUNT(__VA_ARGS__))(f __VA_OPT__(,) __VA_ARGS__)
/* f(x) for each argument, but f##_LAST(x) for the last one.  Without arguments it is f##_NONE. */
#define KTRACE_EACH_0(f)		f##_NONE
#define KTRACE_EACH_1(f, x)		f##_LAST(x)
#define KTRACE_EACH_2(f, x, ...)	f(x) KTRACE_EACH_1(f, __VA_ARGS__)
#define KTRACE_EACH_3(f, x, ...)	f(x) KTRACE_EACH_2(f, __VA_ARGS__)
#define KTRACE_EACH_4(f, x, ...)	f(x) KTRACE_EACH_3(f, __VA_ARGS__)
#define KTRACE_EACH_5(f, x, ...)	f(x) KTRACE_EACH_4(f, __VA_ARGS__)
#define KTRACE_EACH_6(f, x, ...)	f(x) KTRACE_EACH_5(f, __VA_ARGS__)
#define KTRACE_EACH_7(f, x, ...)	f(x) KTRACE_EACH_6(f, __VA_ARGS__)
#define KTRACE_EACH_8(f, x, ...)	f(x) KTRACE_EACH_7(f, __VA_ARGS__)
#define KTRACE_EACH_9(f, x, ...)	f(x) KTRACE_EACH_8(f, __VA_ARGS__)
#define KTRACE_EACH_10(f, x, ...)	f(x) KTRACE_EACH_9(f, __VA_ARGS__)
#define KTRACE_EACH_11(f, x, ...)	f(x) KTRACE_EACH_10(f, __VA_ARGS__)
#define KTRACE_EACH_12(f, x, ...)	f(x) KTRACE_EACH_11(f, __VA_ARGS__)

/* Nobody may hide these: they delimit the list of sites in each program and library. */
extern struct ktrace_site *const __start_ktrace_sites[] __attribute__((weak, visibility("hidden")));
extern struct ktrace_site *const __stop_ktrace_sites[] __attribute__((weak, visibility("hidden")));
extern const struct ktrace_enum *const __start_ktrace_enums[] __attribute__((weak, visibility("hidden")));
extern const struct ktrace_enum *const __stop_ktrace_enums[] __attribute__((weak, visibility("hidden")));

static struct ktrace_module ktrace_module_;

static void __attribute__((constructor, used)) ktrace_module_begin_(void)
{
	ktrace_module_.sites = __start_ktrace_sites;
	ktrace_module_.sites_end = __stop_ktrace_sites;
	ktrace_module_.enums = __start_ktrace_enums;
	ktrace_module_.enums_end = __stop_ktrace_enums;
	ktrace_register(&ktrace_module_);
}

static void __attribute__((destructor, used)) ktrace_module_end_(void)
{
	ktrace_unregister(&ktrace_module_);
}

#define KTRACE_TEXT(provider, name, args)	#provider "\0" #name "\0" args "\0" __FILE__

#ifdef __cplusplus
#include <ktrace/ktrace.hpp>
#else

/*
 * By type: what it is, the words it takes at most, and the function that puts it.  All other types are pointers.  Machines
 * have 64 bits.
 */
#define KTRACE_BY_TYPE(x, i8, u8, i16, u16, i32, u32, i64, u64, boolean, f32, f64, string, bytes, pointer)		\
	_Generic((x), signed char: i8, unsigned char: u8, char: (char)-1 < 0 ? i8 : u8, short: i16,			\
		 unsigned short: u16, int: i32, unsigned int: u32, long: i64, unsigned long: u64,			\
		 long long: i64, unsigned long long: u64,			\
		 _Bool: boolean, float: f32, double: f64, char *: string, const char *: string,				\
		 struct ktrace_bytes: bytes, default: pointer)

#define KTRACE_TYPE_OF(x)										\
	KTRACE_BY_TYPE(x, KTRACE_I8, KTRACE_U8, KTRACE_I16, KTRACE_U16, KTRACE_I32, KTRACE_U32, KTRACE_I64,	\
		       KTRACE_U64, KTRACE_BOOL, KTRACE_F32, KTRACE_F64, KTRACE_STRING, KTRACE_BYTES, KTRACE_POINTER),
#define KTRACE_TYPE_OF_LAST		KTRACE_TYPE_OF
#define KTRACE_TYPE_OF_NONE
#define KTRACE_ROOM_OF(x)										\
	KTRACE_BY_TYPE(x, 1, 1, 1, 1, 1, 1, 2, 2, 1, 1, 2, KTRACE_TEXT_WORDS, KTRACE_TEXT_WORDS, 2) +
#define KTRACE_ROOM_OF_LAST		KTRACE_ROOM_OF
#define KTRACE_ROOM_OF_NONE
#define KTRACE_PUT(x)											\
	ktrace_at_ = KTRACE_BY_TYPE(x, ktrace_put_int, ktrace_put_int, ktrace_put_int, ktrace_put_int, ktrace_put_int,	\
				    ktrace_put_word, ktrace_put_long, ktrace_put_ulong, ktrace_put_int,		\
				    ktrace_put_float, ktrace_put_double, ktrace_put_string, ktrace_put_bytes,	\
				    ktrace_put_pointer)(ktrace_at_, x);
#define KTRACE_PUT_LAST(x)										\
	KTRACE_BY_TYPE(x, ktrace_end_int, ktrace_end_int, ktrace_end_int, ktrace_end_int, ktrace_end_int,	\
		       ktrace_end_word, ktrace_end_long, ktrace_end_ulong, ktrace_end_int, ktrace_end_float,		\
		       ktrace_end_double, ktrace_end_string, ktrace_end_bytes, ktrace_end_pointer)			\
	(&ktrace_site_, &ktrace_event_.parts, ktrace_at_, x);
#define KTRACE_PUT_NONE			ktrace_write(&ktrace_site_, ktrace_at_, 0);

#define KTRACE(provider, name, ...) KTRACE_TEXT_(KTRACE_TEXT(provider, name, #__VA_ARGS__), __VA_ARGS__)

#define KTRACE_TEXT_(site_text, ...)									\
	do {												\
		static const unsigned char ktrace_types_[] = { KTRACE_EACH(KTRACE_TYPE_OF, __VA_ARGS__) KTRACE_END };	\
		static struct ktrace_site ktrace_site_ = {						\
			.nr_args = sizeof(ktrace_types_) - 1, .line = __LINE__, .text = site_text,		\
			.types = ktrace_types_,								\
		};											\
		static struct ktrace_site *const ktrace_entry_						\
			__attribute__((section("ktrace_sites"), used)) = &ktrace_site_;			\
		if (__builtin_expect(__atomic_load_n(&ktrace_site_.on, __ATOMIC_RELAXED), 0)) {		\
			struct {									\
				struct ktrace_parts parts;						\
				unsigned int words[KTRACE_EACH(KTRACE_ROOM_OF, __VA_ARGS__) 1];		\
			} ktrace_event_;								\
			unsigned int *ktrace_at_ = ktrace_event_.words;					\
			KTRACE_EACH(KTRACE_PUT, __VA_ARGS__)						\
		}											\
	} while (0)

#endif
#endif
