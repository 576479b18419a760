// SPDX-License-Identifier: GPL-2.0-or-later
// contents.cpp - strings, vectors and others of the standard library, as parameters: empty, short, long, and of each other.
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct point {
	int x, y;
};

template <class... Types> static void keep(const Types &...values)
{
	(..., ({ asm volatile("" : : "r"(&values) : "memory"); }));
}

__attribute__((noipa)) void texts(std::string own, const std::string &given, std::string *none, std::string_view view)
{
	keep(own, given, none, view);
}

__attribute__((noipa)) void vectors(const std::vector<int> *numbers, const std::vector<point> *points,
				       const std::vector<std::string> *names, const std::vector<int> *empty)
{
	keep(numbers, points, names, empty);
}

__attribute__((noipa)) void nested(const std::vector<std::vector<short>> *rows, const std::vector<std::optional<int>> *maybe)
{
	keep(rows, maybe);
}

__attribute__((noipa)) void optionals(const std::optional<int> *some, const std::optional<point> *none,
					 const std::optional<std::string> *text)
{
	keep(some, none, text);
}

__attribute__((noipa)) void pointers(const std::unique_ptr<point> *owner, const std::unique_ptr<point> *none, void (*call)(int))
{
	keep(owner, none, call);
}

// Variables of one name in several namespaces, and of other types.
namespace app {
int depth = 3;
struct counted {
	static long total;
};
long counted::total = 5;
inline namespace v1 {
short hidden = -9;
}
namespace inner {
int twice = 1;
}
enum class colour { red, green };
colour paint = colour::green;
thread_local int each = 1;
}
namespace other {
unsigned short depth = 60000;
namespace inner {
int twice = 2;
}
}
long depth = -4;

__attribute__((noipa)) void variables(int step)
{
	app::each += step;
	app::depth += step;
	keep(app::depth, app::counted::total, app::hidden, app::inner::twice, app::paint, app::each, other::depth, other::inner::twice, depth);
}

namespace app {
template <class T> __attribute__((noipa)) T doubled(T value)
{
	return value + value;
}
struct meter {
	__attribute__((noipa)) void step(int by) { keep(this, by); }
};
}

void callee(int)
{
}

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? std::atoi(argv[1]) : 1;
	const std::string whole = "viewed and more", longest(100, 'x');
	const std::vector<int> empty, numbers{ -1, 2, 3 }, many{ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
	const std::vector<point> points{ { 1, -2 }, { 3, 4 } };
	const std::vector<std::string> names{ "first", "a name that is too long to be in the object itself" };
	const std::vector<std::vector<short>> rows{ { 1, 2 }, {}, { -3 } };
	const std::vector<std::optional<int>> maybe{ 7, std::nullopt };
	const std::optional<point> nowhere;
	const std::optional<std::string> text = "inside";
	const auto owner = std::make_unique<point>(point{ 5, 6 });
	const std::unique_ptr<point> nobody;

	for (int i = 1; i <= rounds; i++) {
		const std::optional<int> some = i;

		texts("short", longest, nullptr, std::string_view(whole).substr(0, 6));
		texts("", whole, nullptr, std::string_view());
		vectors(&numbers, &points, &names, &empty);
		vectors(&many, &points, &names, &empty);
		nested(&rows, &maybe);
		optionals(&some, &nowhere, &text);
		variables(1);
		app::meter().step(app::doubled<int>(i));
		pointers(&owner, &nobody, callee);
	}
}
