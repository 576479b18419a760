// SPDX-License-Identifier: GPL-2.0-or-later
/* values_cxx.cc - KTRACE() in C++. */
#include <ktrace/ktrace.h>

#include <cstdint>
#include <string>

enum class colour : std::uint8_t { red, green = 7 };

KTRACE_ENUM(colour, { 0, "red" }, { 7, "green" });

/* Each instance has a site of its own. */
template <class T> static void instance()
{
	KTRACE(values, instance, sizeof(T));
}

extern "C" int cxx_values(void)
{
	const std::int8_t i8 = -128;
	std::uint8_t u8 = 255;
	std::int16_t i16 = -32768;
	std::uint16_t u16 = 65535;
	std::int32_t i32 = INT32_MIN;
	std::uint32_t u32 = UINT32_MAX;
	std::int64_t i64 = INT64_MIN;
	std::uint64_t u64 = UINT64_MAX;
	const float f = 0.1f;
	double d = -1e300;
	bool yes = true;
	colour c = colour::green, e = c;

	KTRACE(values, integers, i8, u8, i16, u16, i32, u32, i64, u64);
	KTRACE(values, reals, f, d, yes, ktrace_as(colour, c), e);
	KTRACE(values, texts, std::string("own"), "literal", ktrace_bytes("\0\377z", 3));
	instance<char>();
	instance<double>();
	return 0;
}
