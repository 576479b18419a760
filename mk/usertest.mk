# SPDX-License-Identifier: GPL-2.0-or-later
# Tests of libktrace: each tests/user/test_*.c is a cmocka program, linked with the library and the controller.
# tests/user/$(ARCH) has what depends on the architecture.  The case user-sequences runs some of them in a guest.

USER_TEST_OBJ := $(USER_OUT)/obj
USER_TESTS := $(patsubst tests/user/%.c,$(USER_OUT)/%,$(wildcard tests/user/test_*.c))
USER_TEST_CFLAGS = $(CTL_CFLAGS) -Iuser -Iuser/$(ARCH) -O2 -g
USER_TEST_HEADERS := $(USER_HEADERS) $(wildcard tests/user/*.h)
USER_TEST_MORE := $(USER_TEST_OBJ)/recorded.o
USER_MORE_values := values_cxx values_sdt values_strict
USER_MORE_process := process_modes
USER_MORE_section := simulator sim_reader sim_events pending machine decode code
USER_MORE_break := stop decode code
user-more = $(patsubst %,$(USER_TEST_OBJ)/%.o,$(USER_MORE_$(1)))
PACKAGES_user := g++ babeltrace2 $(if $(CROSS),,musl-tools)
deps: build/deps/user.installed

$(USER_TEST_OBJ)/%.o: tests/user/%.c $(USER_TEST_HEADERS) mk/usertest.mk | $(DEPS)/build.installed $(DEPS)/unit.installed
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(USER_TEST_CFLAGS) -MMD -MP -c -o $@ $<

$(USER_TEST_OBJ)/%.o: tests/user/$(ARCH)/%.c $(USER_TEST_HEADERS) mk/usertest.mk | $(DEPS)/build.installed $(DEPS)/unit.installed
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(USER_TEST_CFLAGS) -MMD -MP -c -o $@ $<

$(USER_TEST_OBJ)/%.o: tests/user/%.cc $(USER_HEADERS) mk/user.mk | build/deps/user.installed
	$(call say,CXX,$<)
	@mkdir -p $(@D)
	$(Q)$(CXX) -std=c++17 -Wall -Wextra -Werror -Iuser -O2 -g -MMD -MP -c -o $@ $<

# Programs that include the header may have more warnings switched on than we.
$(USER_TEST_OBJ)/values_strict.o: USER_TEST_CFLAGS += -Wpedantic -Wconversion -Wsign-conversion -Wstringop-overread

# Only test_values has C++.
.SECONDEXPANSION:
$(USER_TESTS): $(USER_OUT)/test_%: $(USER_TEST_OBJ)/test_%.o $(USER_TEST_MORE) \
		$$(call user-more,%) $(USER_OUT)/libktrace.a $(filter-out %/ctl/main.o,$(CTL_OBJ))
	$(call say,LD,$@)
	$(Q)$(if $(filter %/values_cxx.o,$^),$(CXX),$(CC)) -rdynamic -o $@ $(filter-out %.so,$^) $(LIB_LDLIBS) \
		$(if $(filter %/decode.o,$^),-lcapstone) -lcmocka -ldl

# Its libktrace is that of the program that loads it.
$(USER_OUT)/library.so: tests/user/library.c $(USER_HEADERS) mk/usertest.mk
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(USER_TEST_CFLAGS) -fPIC -shared -o $@ $<

$(USER_OUT)/test_process $(USER_OUT)/test_offer: $(USER_OUT)/library.so

-include $(wildcard $(USER_TEST_OBJ)/*.d)

##@ Test
ifeq ($(CROSS),)
# EACH: test_break stops at one instruction in five.
check-user: $(USER_TESTS) user controller	## tests of libktrace
	$(Q)EACH=5 tests/unit-run build/results/user $(USER_TESTS) tests/user/python tests/user/rust tests/user/linked

check-user-whole: $(USER_OUT)/test_break	## stop a thread at every instruction of the sequences that write events
	$(Q)tests/unit-run build/results/user-whole $^

check-user-long: $(USER_TESTS) build/asan/fuzz-user	## the same for hours: 10^5 kills, 10^4 forks, 10^7 events a thread, 10^7 schedules, 10^6 damaged files
	$(Q)for test in $(USER_TESTS); do EVENTS=10000000 KILLS=50000 SCHEDULES=10000000 FORKS=10000 $$test || exit; done
	$(Q)MUTANTS=200000 build/asan/fuzz-user
endif

.PHONY: check-user check-user-whole check-user-long
