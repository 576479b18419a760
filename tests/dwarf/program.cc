// SPDX-License-Identifier: GPL-2.0-or-later
// program.cc - a program of user space whose debug information is compared with gdb's answers: C++ of usual kinds.
#include <algorithm>
#include <iostream>
#include <map>
#include <string>
#include <vector>

namespace app {

class shape {
public:
	virtual ~shape() {}
	virtual double area() const = 0;
	int id = 1;
};

class square : public shape {
	double side;
public:
	square(double s) : side(s) {}
	double area() const override { return side * side; }
};

struct point {
	int x : 5;
	int y : 7;
	enum class colour { red, green } c;
};

template <class T> T total(const std::vector<T> &v)
{
	T sum{};

	for (auto &x : v)
		sum += x;
	return sum;
}

static int recurse(int n, point *p)
{
	int local = n * p->x;

	if (n > 3)
		return recurse(n - 1, p) + local;
	return local;
}

}

int main(int argc, char **argv)
{
	std::map<std::string, int> names;
	std::vector<double> v{1, 2, 3};
	app::square s(argc);
	app::point p{1, 2, app::point::colour::red};

	for (int i = 0; i < argc; i++)
		names[argv[i]] = i;
	auto add = [&](int by) {
		int z = by + argc;

		return z + p.x;
	};
	std::sort(v.begin(), v.end(), [](double a, double b) { return a > b; });
	std::cout << names.size() << app::total(v) << s.area() << app::recurse(argc, &p) << add(4) << "\n";
	return 0;
}
