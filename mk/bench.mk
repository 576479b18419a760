# SPDX-License-Identifier: GPL-2.0-or-later
# Measurements: `make bench-NAME` runs the program tests/bench/NAME. A file with a suffix belongs to one of them.

PACKAGES_benchuser := gcc libc6-dev liblttng-ust-dev lttng-tools
deps: $(DEPS)/benchuser.installed

##@ Measure
BENCHES := $(patsubst tests/bench/%,%,$(foreach file,$(wildcard tests/bench/*),$(if $(suffix $(file)),,$(file))))
# On another architecture only `hit` works: the others measure this machine.
BENCHES := $(if $(CROSS),hit,$(BENCHES))

# Run one at a time: parallel measurements would disturb each other.
bench: all truth lab user | $(DEPS)/benchuser.installed	## run all measurements; bench-NAME runs one, such as bench-hit
	$(Q)for name in $(BENCHES); do echo "== $$name"; tests/bench/$$name --kernel $(KERNEL) || exit; done

# Programs of this machine; no guest.
bench-user: user | $(DEPS)/benchuser.installed	## tracepoints in programs, beside LTTng-UST: [OPTIONS=]
	$(Q)tests/bench/user $(OPTIONS)

# Likewise: generated code of the module, with what the unit tests have around it.
$(OUT)/bench/native: tests/bench/native.c $(wildcard tests/unit/*.h tests/unit/$(ARCH)/*.h) $(GENERATOR_SRC:%.c=$(OUT)/bench/%.o) \
		$(patsubst %.c,$(OUT)/obj/%.o,$(filter-out ctl/main.c,$(CTL_SRC))) mk/bench.mk | $(DEPS)/unit.installed
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CTL_CFLAGS) $(CFLAGS) -Itests/unit -Itests/unit/$(ARCH) $(GENERATOR_CFLAGS) -Wno-unused-function -o $@ $< $(filter %.o,$^) $(LIB_LDLIBS) -lcmocka

$(OUT)/bench/%.o: %.c mk/bench.mk
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CTL_CFLAGS) $(CFLAGS) $(GENERATOR_CFLAGS) -include tests/unit/$(ARCH)/generator.h -MMD -MP -c -o $@ $<

bench: $(OUT)/bench/native
bench-native: $(OUT)/bench/native	## the time of a hit on this machine's processor
	$(Q)tests/bench/native

bench bench-dwarf: | $(DEPS)/dwarf.installed

$(filter-out bench-user bench-native,$(BENCHES:%=bench-%)): bench-%: all truth lab
	$(Q)tests/bench/$* --kernel $(KERNEL)

# What they measure is the same in every run.
check-docs: all truth lab	## compare figures in the documents with what bench-hit measures
	$(Q)tests/bench/hit --docs --kernel $(KERNEL)

.PHONY: check-docs bench $(BENCHES:%=bench-%)
