# SPDX-License-Identifier: GPL-2.0-or-later
# Tests of libktrace: each tests/user/test_*.c is a cmocka program, linked with the library and the controller.
USER_TESTS := $(patsubst tests/user/%.c,build/user/%,$(wildcard tests/user/test_*.c)) \
	$(patsubst tests/user/$(ARCH)/%.c,build/user/%,$(wildcard tests/user/$(ARCH)/test_*.c))
USER_TEST_CFLAGS = $(CTL_CFLAGS) -Iuser -Iuser/$(ARCH) -O2 -g
USER_TEST_MORE := build/user/tests/recorded.o
USER_MORE_values := values_cxx values_sdt
USER_MORE_section := machine
USER_MORE_break := machine
user-more = $(patsubst %,build/user/tests/%.o,$(USER_MORE_$(1)))
PACKAGES_user := g++ babeltrace2
deps: build/deps/user.installed

build/user/tests/%.o: tests/user/%.c $(USER_HEADERS) $(wildcard tests/user/*.h) mk/usertest.mk | build/deps/unit.installed
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(USER_TEST_CFLAGS) -MMD -MP -c -o $@ $<

build/user/tests/%.o: tests/user/$(ARCH)/%.c $(USER_HEADERS) $(wildcard tests/user/*.h tests/user/$(ARCH)/*.h) mk/usertest.mk | build/deps/unit.installed
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(USER_TEST_CFLAGS) -MMD -MP -c -o $@ $<

build/user/tests/%.o: tests/user/%.cc $(USER_HEADERS) mk/user.mk | build/deps/user.installed
	$(call say,CXX,$<)
	@mkdir -p $(@D)
	$(Q)$(CXX) -std=c++17 -Wall -Wextra -Werror -Iuser -O2 -g -MMD -MP -c -o $@ $<

.SECONDEXPANSION:
$(USER_TESTS): build/user/test_%: build/user/tests/test_%.o $(USER_TEST_MORE) \
		$$(call user-more,%) $(USER_OUT)/libktrace.a $(filter-out %/ctl/main.o,$(CTL_OBJ))
	$(call say,LD,$@)
	$(Q)$(CXX) -rdynamic -o $@ $(filter-out %.so,$^) $(LIB_LDLIBS) -lcmocka -ldl

# Its libktrace is that of the program that loads it.
build/user/library.so: tests/user/library.c $(USER_HEADERS) mk/usertest.mk
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(USER_TEST_CFLAGS) -fPIC -shared -o $@ $<

build/user/test_process build/user/test_offer: build/user/library.so

-include $(wildcard build/user/tests/*.d)

##@ Test
check-user: $(USER_TESTS) user controller	## tests of libktrace
	$(Q)tests/unit-run build/results/user $(USER_TESTS) tests/user/python

check-user-long: $(USER_TESTS) build/asan/fuzz-user	## the same for hours: 10^5 kills, 10^7 events a thread, 10^7 schedules, 10^6 damaged files
	$(Q)for test in $(USER_TESTS); do EVENTS=10000000 KILLS=50000 SCHEDULES=10000000 $$test || exit; done
	$(Q)MUTANTS=200000 build/asan/fuzz-user

.PHONY: check-user check-user-long
