# SPDX-License-Identifier: GPL-2.0-or-later
# The proof of the trace ring: a model of it, its mutants, and writers and readers under ThreadSanitizer.

PACKAGES_model := spin gcc libc6-dev libcmocka-dev python3
deps: build/deps/model.installed

##@ Test
model: | build/deps/model.installed	## every state of the trace ring's model: [VARIANT=]
	$(Q)tests/model/check $(VARIANT)

check-model: | build/deps/model.installed	## those of its variants that take some seconds
	$(Q)tests/model/check --quick --results build/results/model.tsv

check-mutants: | build/deps/model.installed	## a test misses each barrier of the ring: [MUTANT=]
	$(Q)tests/model/mutants --results build/results/mutants.tsv $(MUTANT)

check-tsan: build/tsan/stress build/tsan/signals	## writers and readers of the ring under ThreadSanitizer: [ROUNDS=]
	$(Q)$(if $(ROUNDS),for program in $^; do $$program $(ROUNDS) || exit; done,tests/unit-run build/results/tsan $^)

build/tsan/stress: STRESS := -O1 -fsanitize=thread
build/tsan/signals: STRESS := -O2 -DSIGNALS
build/tsan/stress build/tsan/signals: tests/model/stress.c $(wildcard core/ring.[ch] core/*abi*.h) core/env.h \
		arch/$(ARCH)/user/local_ops.h $(UNIT_RULES) mk/model.mk | build/deps/build.installed
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CTL_CFLAGS) -g $(STRESS) -pthread -o $@ $<

# These tests go instruction by instruction: through those that the compiler makes of the source in earnest.
$(patsubst %,build/asan/tests/unit/test_%_step.o,ring ring_move pair): UNIT_CFLAGS := -O2 -g -Itests/unit

.PHONY: model check-model check-mutants check-tsan
