/* SPDX-License-Identifier: MIT */
/* ktrace.hpp - KTRACE() for C++: the types come from overloads.  A part of ktrace.h: include that. */
#ifndef KTRACE_USER_HPP
#define KTRACE_USER_HPP

#pragma GCC system_header

#include <type_traits>
#include <utility>

namespace ktrace_detail {

/* Has it a text of its own, as std::string? */
template <class T, class = void> struct is_text : std::false_type { };
template <class T> struct is_text<T, std::void_t<decltype(std::declval<const T &>().c_str())>> : std::true_type { };

template <class T> constexpr bool is_chars = std::is_same_v<std::decay_t<T>, char *> ||
					     std::is_same_v<std::decay_t<T>, const char *>;

template <class T> constexpr unsigned char integer_type()
{
	constexpr bool is_signed = std::is_signed_v<T>;

	if constexpr (sizeof(T) == 1)
		return is_signed ? KTRACE_I8 : KTRACE_U8;
	else if constexpr (sizeof(T) == 2)
		return is_signed ? KTRACE_I16 : KTRACE_U16;
	else if constexpr (sizeof(T) == 4)
		return is_signed ? KTRACE_I32 : KTRACE_U32;
	else
		return is_signed ? KTRACE_I64 : KTRACE_U64;
}

template <class T> constexpr unsigned char type_of()
{
	if constexpr (is_chars<T> || is_text<T>::value)
		return KTRACE_STRING;
	else if constexpr (std::is_same_v<T, struct ktrace_bytes>)
		return KTRACE_BYTES;
	else if constexpr (std::is_same_v<T, bool>)
		return KTRACE_BOOL;
	else if constexpr (std::is_enum_v<T>)
		return integer_type<std::underlying_type_t<T>>();
	else if constexpr (std::is_integral_v<T>)
		return integer_type<T>();
	else if constexpr (std::is_same_v<T, float>)
		return KTRACE_F32;
	else if constexpr (std::is_same_v<T, double>)
		return KTRACE_F64;
	else
		return KTRACE_POINTER;
}

constexpr unsigned int words_of(unsigned char type)
{
	return type == KTRACE_STRING || type == KTRACE_BYTES			       ? KTRACE_TEXT_WORDS :
	       type == KTRACE_I64 || type == KTRACE_U64 || type == KTRACE_F64 || type == KTRACE_POINTER ? 2 : 1;
}

constexpr bool has_bytes(unsigned char type)
{
	return type == KTRACE_STRING || type == KTRACE_BYTES;
}

/* Of a text without its 0, or of an array of bytes. */
template <class T> inline struct ktrace_bytes bytes_of(const T &value)
{
	if constexpr (is_text<T>::value)
		return { value.c_str(), strlen(value.c_str()) };
	else if constexpr (type_of<std::decay_t<T>>() == KTRACE_STRING)
		return ktrace_text(value);
	else
		return value;
}

template <class T> inline unsigned int *put(unsigned int *at, const T &value)
{
	constexpr unsigned char type = type_of<std::decay_t<T>>();

	if constexpr (has_bytes(type))
		return ktrace_put_bytes(at, bytes_of(value));
	else if constexpr (type == KTRACE_F32)
		return ktrace_put_float(at, value);
	else if constexpr (type == KTRACE_F64)
		return ktrace_put_double(at, value);
	else if constexpr (type == KTRACE_POINTER)
		return ktrace_put_pointer(at, value);
	else if constexpr (words_of(type) == 2)
		return ktrace_put_ulong(at, static_cast<unsigned long long>(value));
	else
		return ktrace_put_word(at, static_cast<unsigned int>(value));
}

template <class... A> struct types {
	static constexpr unsigned char list[] = { type_of<std::decay_t<A>>()..., KTRACE_END };
	static constexpr unsigned int words = (0 + ... + words_of(type_of<std::decay_t<A>>()));
};

/* Only its type is used: the arguments are not evaluated. */
template <class... A> types<A...> types_of(const A &...);

/* A module of one site, known to the runtime while its program or library is loaded. */
struct entry {
	struct ktrace_site *site;
	struct ktrace_module module;

	explicit entry(struct ktrace_site *of) : site(of), module{ &site, &site + 1, nullptr, nullptr, nullptr }
	{
		ktrace_register(&module);
	}

	~entry()
	{
		ktrace_unregister(&module);
	}
};

/* One site for each Text, a type that only this tracepoint has. */
template <class Text, class Types> struct site {
	static inline struct ktrace_site it = {
		0, sizeof(Types::list) - 1, 0, 0, 0, Text::line(), Text::text(), Types::list
	};
	static inline entry registered{ &it };
};

/* The last argument ends the event. */
template <class T> inline void put_all(ktrace_site *site, ktrace_parts *parts, unsigned int *at, const T &last)
{
	if constexpr (has_bytes(type_of<std::decay_t<T>>()))
		ktrace_end_bytes(site, parts, at, bytes_of(last));
	else
		ktrace_end(site, parts, put(at, last));
}

template <class T, class... A>
inline void put_all(ktrace_site *site, ktrace_parts *parts, unsigned int *at, const T &first, const A &...rest)
{
	put_all(site, parts, put(at, first), rest...);
}

template <class Site, class Types, class... A> inline void record(const A &...args)
{
	struct {
		ktrace_parts parts;
		unsigned int words[Types::words + 1];
	} event;

	(void)&Site::registered;
	if constexpr (sizeof...(A) == 0)
		ktrace_write(&Site::it, event.words, 0);
	else
		put_all(&Site::it, &event.parts, event.words, args...);
}

}

#define KTRACE(provider, name, ...) KTRACE_TEXT_(KTRACE_TEXT(provider, name, #__VA_ARGS__), __VA_ARGS__)

#define KTRACE_TEXT_(site_text, ...)									\
	do {												\
		struct ktrace_text_ {									\
			static constexpr const char *text() { return site_text; }			\
			static constexpr unsigned int line() { return __LINE__; }			\
		};											\
		using ktrace_types_ = decltype(ktrace_detail::types_of(__VA_ARGS__));			\
		using ktrace_site_ = ktrace_detail::site<ktrace_text_, ktrace_types_>;			\
		if (__builtin_expect(__atomic_load_n(&ktrace_site_::it.on, __ATOMIC_RELAXED), 0))	\
			ktrace_detail::record<ktrace_site_, ktrace_types_>(__VA_ARGS__);		\
	} while (0)

#endif
