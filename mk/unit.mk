# SPDX-License-Identifier: GPL-2.0-or-later
# Unit tests: each tests/unit/test_*.c is a cmocka program, linked with the whole controller except its main().

SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
UNIT_SRC := $(wildcard tests/unit/test_*.c)
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=build/asan/%)
UNIT_SHARED := $(filter-out $(UNIT_SRC),$(wildcard tests/unit/*.c))
UNIT_OBJ := $(patsubst %.c,build/asan/%.o,$(filter-out ctl/main.c,$(CTL_SRC)) $(UNIT_SHARED))
UNIT_CFLAGS := -O1 -g -Itests/unit -Itests/unit/$(ARCH) $(SANITIZE)

unit-arch = $(patsubst %.c,build/asan/%.o,$(wildcard arch/*.c arch/*/elf.c arch/$(1)/user/*.c))

.SECONDEXPANSION:
build/asan/test_%: build/asan/tests/unit/test_%.o $(UNIT_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZE) -o $@ $^ $(LIB_LDLIBS) $(UNIT_LIBS_$*) -lcmocka

# The generator of the module: see mk/base.mk.
GENERATOR_OBJ := $(patsubst %.c,build/asan/%.o,$(GENERATOR_SRC))
$(GENERATOR_OBJ): UNIT_CFLAGS += $(GENERATOR_CFLAGS) -include tests/unit/$(ARCH)/generator.h
$(filter build/asan/test_generate%,$(UNIT_BIN)): $(GENERATOR_OBJ)
$(filter build/asan/tests/unit/test_generate%,$(UNIT_SRC:%.c=build/asan/%.o)): UNIT_CFLAGS += $(GENERATOR_CFLAGS)

# It walks the stacks of other programs beside ours.
UNIT_LIBS_unwind := -lunwind-ptrace -lunwind-generic -lunwind

# The tests of an architecture's user side link only that architecture, which is plain C and runs on any machine.
$(filter build/asan/test_arch_%,$(UNIT_BIN)): build/asan/test_arch_%: build/asan/tests/unit/test_arch_%.o $$(call unit-arch,%)
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZE) -o $@ $^ $(LIB_LDLIBS) -lcmocka

# The program itself, for cases that run it in a guest: `# vm: --built asan/ktrace`.
build/asan/ktrace: build/asan/ctl/main.o $(filter-out build/asan/tests/%,$(UNIT_OBJ))
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZE) -o $@ $^ $(LIB_LDLIBS)

UNIT_RULES := Makefile mk/base.mk mk/controller.mk mk/unit.mk

build/asan/%.o: %.c $(UNIT_RULES) | build/deps/build.installed build/deps/unit.installed
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CTL_CFLAGS) $(UNIT_CFLAGS) -MMD -MP -c -o $@ $<

.SECONDARY:

-include $(UNIT_OBJ:.o=.d) build/asan/ctl/main.d $(patsubst %.c,build/asan/%.d,$(wildcard arch/*/user/*.c)) $(UNIT_SRC:%.c=build/asan/%.d) $(GENERATOR_OBJ:.o=.d)

##@ Test
check-unit: $(UNIT_BIN)	## unit tests with address and undefined-behaviour sanitizers
	$(Q)tests/unit-run build/results/unit $(UNIT_BIN)

# In `make check` these programs run only a part of their rounds: see unit.h.
UNIT_WHOLE := $(patsubst tests/unit/%.c,build/asan/%,$(shell grep -lE 'unit_(rounds|takes)' $(UNIT_SRC)))

check-unit-whole: $(UNIT_WHOLE)	## all rounds of the unit tests of which check-unit runs a part
	$(Q)WHOLE=1 tests/unit-run build/results/unit-whole $(UNIT_WHOLE)

check-events: build/asan/test_events_kernel	## what each kernel of tests/vm/kernels has of the events that ktrace knows by name
	$(Q)tests/vm/btf build/btf
	$(Q)KTRACE_BTF=build/btf build/asan/test_events_kernel

.PHONY: check-unit check-unit-whole check-events
