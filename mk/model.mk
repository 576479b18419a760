# SPDX-License-Identifier: GPL-2.0-or-later
# Proof of the trace ring: a model, its mutants, and writers and readers under ThreadSanitizer.

PACKAGES_model := spin gcc libc6-dev libcmocka-dev python3
deps: build/deps/model.installed

##@ Test
model: | build/deps/model.installed	## explore every state of the model of the trace ring: [VARIANT=]
	$(Q)tests/model/check $(VARIANT)

check-model: | build/deps/model.installed	## the same, for variants that take seconds
	$(Q)tests/model/check --quick --results build/results/model.tsv

check-mutants: | build/deps/model.installed	## remove each barrier of the ring; a test must fail: [MUTANT=]
	$(Q)tests/model/mutants --results build/results/mutants.tsv $(MUTANT)

check-tsan: build/tsan/stress build/tsan/signals	## the ring under ThreadSanitizer: [ROUNDS=]
	$(Q)$(if $(ROUNDS),for program in $^; do $$program $(ROUNDS) || exit; done,tests/unit-run build/results/tsan $^)

build/tsan/stress: STRESS := -O1 -fsanitize=thread
build/tsan/signals: STRESS := -O2 -DSIGNALS
build/tsan/stress build/tsan/signals: tests/model/stress.c $(wildcard core/ring.[ch] core/*abi*.h) core/env.h \
		arch/$(ARCH)/user/local_ops.h $(UNIT_RULES) mk/model.mk | build/deps/build.installed
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CTL_CFLAGS) -g $(STRESS) -pthread -o $@ $<

# These tests interrupt the code at each instruction. Compile them as a release build does: -O2, no sanitizers.
$(patsubst %,build/asan/tests/unit/test_%_step.o,ring ring_move pair interval): UNIT_CFLAGS := -O2 -g -Itests/unit

.PHONY: model check-model check-mutants check-tsan
