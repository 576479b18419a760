// SPDX-License-Identifier: GPL-2.0-or-later
/* test_signature.c - short forms of demangled names. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/base/signature.h"
#include "ctl/base/signatures.h"

static void is_form(const char *name, enum signature_form form, const char *wanted)
{
	AUTO_FREE char *text = signature_form(name, form);

	assert_string_equal(text, wanted);
}

static void is_short(const char *name, const char *wanted)
{
	is_form(name, SIGNATURE_SHORT, wanted);
	is_form(name, SIGNATURE_FULL, name);
	is_form(wanted, SIGNATURE_SHORT, wanted);
}

static void stays(const char *name)
{
	is_short(name, name);
}

static void test_parameters(void **state)
{
	is_short("f()", "f");
	is_short("pool::take(long, pool::item const&)", "pool::take");
	is_short("pool::holder::get(long) const", "pool::holder::get");
	is_short("a::f(int) const &", "a::f");
	is_short("a::f(int) &&", "a::f");
	is_short("str[abi:cxx11](int)", "str");
	is_short("takes(int (*)(char), void (A::*)(int))", "takes");
	is_short("va(char const*, ...)", "va");
	is_short("A::~A()", "A::~A");
	is_short("(anonymous namespace)::f(int)", "(anonymous namespace)::f");
	is_short("(anonymous namespace)::L::m(std::function<void (int)>)", "(anonymous namespace)::L::m");
	is_short("non-virtual thunk to D::w(int)", "non-virtual thunk to D::w");
	is_short("f(int) [clone .isra.0]", "f [clone .isra.0]");
}

static void test_types(void **state)
{
	is_short("int twice<int>(int)", "twice<int>");
	is_short("unsigned long a::twice<unsigned long>(unsigned long) const", "a::twice<unsigned long>");
	is_short("std::vector<int, std::allocator<int> > twice<std::vector<int, std::allocator<int> > >(std::vector<int, std::allocator<int> >)",
		 "twice<...>");
	is_short("std::enable_if<((sizeof (long))>(4)), long>::type en<long>(long)", "en<long>");
	is_short("decltype(auto) dauto<int>(int)", "dauto<int>");
	is_short("decltype ({parm#1}+{parm#2}) add<int, long>(int, long)", "add<int, long>");
	is_short("decltype (::new ((void*)(0)) char((declval<char const&>)())) std::construct_at<char, char const&>(char*, char const&)",
		 "std::construct_at<char, char const&>");
	is_short("int (*retfp<int>(int))(char)", "retfp<int>");
	is_short("int (&refarr<int>(int)) [5]", "refarr<int>");
	is_short("int (A::*memfn<int>(int))(char) const", "memfn<int>");
	is_short("int (*(*two<int>(int))(char))(long)", "two<int>");
	is_short("f()::{lambda(int)#3} const& std::_Any_data::_M_access<f()::{lambda(int)#3}>() const",
		 "std::_Any_data::_M_access<f()::{lambda(int)#3}>");
}

static void test_arguments(void **state)
{
	is_short("f<std::vector<int, std::allocator<int>>>", "f<...>");
	is_short("std::vector<int, std::allocator<int> >::push_back(int const&)", "std::vector<...>::push_back");
	is_short("void tf<&(operator>(A const&, A const&))>()", "tf<...>");
	is_short("void tm<&(A::operator<(A const&) const)>()", "tm<...>");
	is_short("void tm<(a<b), 1>()", "tm<(a<b), 1>");
}

static void test_operators(void **state)
{
	is_short("A::operator()(int) const &", "A::operator()");
	is_short("A::operator<(A const&) const", "A::operator<");
	is_short("A::operator<<(int)", "A::operator<<");
	is_short("A::operator<=>(A const&) const", "A::operator<=>");
	is_short("A::operator->()", "A::operator->");
	is_short("A::operator->*(int)", "A::operator->*");
	is_short("A::operator[](int)", "A::operator[]");
	is_short("A::operator,(int)", "A::operator,");
	is_short("operator>(A const&, A const&)", "operator>");
	is_short("bool A::operator< <int>(int) const", "A::operator< <int>");
	is_short("bool A::operator><int>(int) const", "A::operator><int>");
	is_short("void A::operator<< <long>(long)", "A::operator<< <long>");
	is_short("void A::operator()<long>(long)", "A::operator()<long>");
	is_short("operator new(unsigned long)", "operator new");
	is_short("A::operator new[](unsigned long)", "A::operator new[]");
	is_short("operator delete(void*, unsigned long)", "operator delete");
	is_short("operator\"\" _km(long double)", "operator\"\" _km");
	is_short("A::operator int() const", "A::operator int");
	is_short("operator int() const", "operator int");
	is_short("A::operator newtype()", "A::operator newtype");
	is_short("A::operator void (*)(int)()", "A::operator void (*)(int)");
	is_short("A::operator char*<char>()", "A::operator char*<char>");
	is_short("A::operator std::function<void ()>() const", "A::operator std::function<void ()>");
	is_short("A::operator std::vector<int, std::allocator<int> >()", "A::operator std::vector<...>");
	is_short("my_operator(int)", "my_operator");
	is_short("operators::f(int)", "operators::f");
}

static void test_within_functions(void **state)
{
	is_short("f()::{lambda(int)#1}::operator()(int) const", "f::{lambda(int)#1}::operator()");
	is_short("a::f(int) const::{lambda()#1}::operator()() const", "a::f::{lambda()#1}::operator()");
	is_short("auto f()::{lambda(auto:1)#1}::operator()<int>(int) const", "f::{lambda(auto:1)#1}::operator()<int>");
	is_short("f()::Loc::meth(int)", "f::Loc::meth");
	is_short("f()::{lambda(std::vector<int, std::allocator<int> >&)#1}::operator()(std::vector<int, std::allocator<int> >&) const",
		 "f::{lambda(...)#1}::operator()");
	is_short("guard variable for f(int)::a", "guard variable for f::a");
}

static void test_rust(void **state)
{
	stays("panics::pool::take");
	stays("zoo::main::{{closure}}");
	stays("zoo::entry::{closure#0}");
	stays("<zoo::Cat<u8> as zoo::Tr>::g");
	stays("<zoo::Cat<u8>>::own");
	stays("core::fmt::num::<impl core::fmt::Display for i32>::fmt");
	stays("<fn(i32) -> i32 as zoo::Tr>::g");
	stays("zoo::gen::<i32>");
	stays("<[T] as zoo::Tr>::g");
	stays("<zoo::entry::{closure#0} as core::ops::function::FnOnce<(i32,)>>::call_once");
	is_short("<alloc::vec::Vec<core::option::Option<alloc::string::String>> as zoo::Tr>::g", "<alloc::vec::Vec<...> as zoo::Tr>::g");
	is_short("core::ptr::drop_in_place::<alloc::vec::Vec<alloc::string::String>>", "core::ptr::drop_in_place::<...>");
	is_short("core::ptr::drop_in_place<alloc::vec::Vec<alloc::string::String>>", "core::ptr::drop_in_place<...>");
}

static void test_others(void **state)
{
	stays("");
	stays("vfs_write");
	stays("main.f[go.shape.int]");
	stays("main.(*T).Method");
	stays("main.(*List[go.shape.struct { X int; Y main.very_long_name }]).Add");
	stays("server:main.(*T).Method-fm");
	stays("main.Map[...]");
	stays("inline:fdget_pos in ksys_write");
	stays("<module>");
	/* Not balanced. */
	stays("a<b");
	stays("f(");
	stays(")]}>");
	stays("operator");
}

/* With the program before it, and what stands behind it. */
static void test_places(void **state)
{
	is_short("server:pool::take(long)", "server:pool::take");
	is_short("libstdc++.so.6:std::f(int)+0x10", "libstdc++.so.6:std::f+0x10");
	is_short("server:int twice<int>(int)%return", "server:twice<int>%return");
	is_short("my server:int twice<int>(int)", "my server:twice<int>");
	is_short("'server:pool::take(long) const'", "'server:pool::take'");
	is_short("inline:(anonymous namespace)::f(int)", "inline:(anonymous namespace)::f");
}

static void test_longer(void **state)
{
	const char *const name = "server:void a::f<std::vector<int, std::allocator<int> > >(std::vector<int, std::allocator<int> >&, int) const";

	is_form(name, SIGNATURE_SHORT, "server:a::f<...>");
	is_form(name, SIGNATURE_ARGUMENTS, "server:a::f<std::vector<int, std::allocator<int> > >");
	is_form(name, SIGNATURE_PARAMETERS, "server:a::f<...>(std::vector<...>&, int) const");
}

static void fits(size_t size, const char *wanted)
{
	char out[80] = "";

	signature_fit("int twice<std::vector<int, std::allocator<int> > >(long, long)+0x10", out, size);
	assert_string_equal(out, wanted);
}

static void test_fit(void **state)
{
	fits(80, "int twice<std::vector<int, std::allocator<int> > >(long, long)+0x10");
	fits(60, "twice<std::vector<int, std::allocator<int> > >+0x10");
	fits(52, "twice<std::vector<int, std::allocator<int> > >+0x10");
	fits(51, "twice<...>+0x10");
	fits(16, "twice<...>+0x10");
	fits(15, "...e<...>+0x10");
	fits(4, "...");
}

static void test_list(void **state)
{
	static const char *const names[][2] = {
		{ "f(int)", "f(int)" }, { "f(long) const", "f(long) const" }, { "g(int)", "g" }, { "vfs_write", "vfs_write" },
		{ "h", "h" }, { "h(int)", "h(int)" },
		{ "o(int)", "o(int)" }, { "o(long)+0x10", "o(long)+0x10" }, { "p(int)", "p" }, { "p(int)+0x10", "p+0x10" }, { "p(int)%return", "p%return" },
		{ "void k<std::vector<int, std::allocator<int> > >()", "k<std::vector<int, std::allocator<int> > >" },
		{ "void k<std::vector<long, std::allocator<long> > >()", "k<std::vector<long, std::allocator<long> > >" },
		{ "void k<int>()", "k<int>" },
		{ "int m<int>(std::vector<int, std::allocator<int> >)", "m<int>(std::vector<...>)" },
		{ "int m<int>(long)", "m<int>(long)" },
		{ "n(std::vector<int, std::allocator<int> >)", "n(std::vector<int, std::allocator<int> >)" },
		{ "n(std::vector<long, std::allocator<long> >)", "n(std::vector<long, std::allocator<long> >)" },
	};
	struct signatures *all = signatures_create();

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		signatures_add(all, names[i][0]);
	signatures_add(all, "g(int)");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_string_equal(signatures_find(all, names[i][0]), names[i][1]);
	assert_string_equal(signatures_find(all, "unknown(int)"), "unknown(int)");
	signatures_add(all, "g(long)");
	assert_string_equal(signatures_find(all, "g(int)"), "g(int)");
	signatures_free(all);
	signatures_free(NULL);
}

/* No form of any name is longer than the name, or reads beyond its end. */
static void test_any(void **state)
{
	static const char *const parts[] = {
		"(", ")", "<", ">", "[", "]", "{", "}", "::", ":", " ", "operator", "*", "&", "f", "A", "->", "()", "decltype", " const", "[abi:", "\"\"",
		"(anonymous namespace)", "::*", " as ", "<impl ", ",", "\xc3",
	};

	srand(1);
	for (size_t round = 0; round < 100000; round++) {
		char text[300] = "", fitted[20];
		AUTO_FREE char *name = NULL;

		for (int n = rand() % 12; n >= 0; n--)
			strcat(text, parts[rand() % ARRAY_SIZE(parts)]);
		name = mem_strdup(text);
		for (enum signature_form form = SIGNATURE_SHORT; form <= SIGNATURE_FULL; form++) {
			AUTO_FREE char *made = signature_form(name, form);

			assert_true(strlen(made) <= strlen(name));
		}
		signature_fit(name, fitted, sizeof(fitted));
		assert_true(strlen(fitted) < sizeof(fitted));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parameters), cmocka_unit_test(test_types), cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_operators), cmocka_unit_test(test_within_functions), cmocka_unit_test(test_rust),
		cmocka_unit_test(test_others), cmocka_unit_test(test_places), cmocka_unit_test(test_longer),
		cmocka_unit_test(test_fit), cmocka_unit_test(test_list), cmocka_unit_test(test_any),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
