# SPDX-License-Identifier: GPL-2.0-or-later
# Fuzzers in user space: tests/fuzz/TARGET.c. tests/fuzz/corpus-TARGET has their first inputs and all that they found.
# `make fuzz-TARGET` searches for more with clang's libFuzzer. `make check` replays the corpus and small changes of
# it; this needs no clang.

FUZZERS := capture reader elf user unwind
# FUZZ_MORE_TARGET: sources besides TARGET.c. FUZZ_LONGEST_TARGET: the longest input in bytes.
FUZZ_MORE_elf := elf_image elf_index elf_program elf_rest
FUZZ_LONGEST_elf := 32768
FUZZ_LONGEST_unwind := 16384
PACKAGES_fuzz := clang libclang-rt-14-dev
deps: build/deps/fuzz.installed

# -w: the normal build shows the warnings. PATIENCE is small: a damaged ring has no writer to wait for.
FUZZ_SANITIZE := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
FUZZ_LIB := $(filter-out ctl/main.c,$(CTL_SRC))
FUZZ_OBJ := $(FUZZ_LIB:%.c=build/fuzz/%.o)

build/fuzz/%.o: %.c $(UNIT_RULES) mk/fuzz.mk | build/deps/build.installed build/deps/fuzz.installed
	$(call say,CLANG,$<)
	@mkdir -p $(@D)
	$(Q)clang $(CTL_CFLAGS) -w -DPATIENCE=20 -O1 -g $(FUZZ_SANITIZE) -MMD -MP -c -o $@ $<

# The objects of a target, below build/fuzz or build/asan.
fuzz-objects = $(patsubst %,build/$(1)/tests/fuzz/%.o,$(2) $(FUZZ_MORE_$(2)))

.SECONDEXPANSION:
$(FUZZERS:%=build/fuzz/fuzz-%): build/fuzz/fuzz-%: $$(call fuzz-objects,fuzz,%) $(FUZZ_OBJ)
	$(call say,LD,$@)
	$(Q)clang -fsanitize=fuzzer,address,undefined -o $@ $^ $(LIB_LDLIBS)

$(FUZZERS:%=build/asan/fuzz-%): build/asan/fuzz-%: $$(call fuzz-objects,asan,%) build/asan/tests/fuzz/replay.o \
		$(FUZZ_LIB:%.c=build/asan/%.o)
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZE) -o $@ $^ $(LIB_LDLIBS)

-include $(FUZZ_OBJ:.o=.d) build/asan/tests/fuzz/replay.d \
	$(foreach t,$(FUZZERS),$(patsubst %.o,%.d,$(call fuzz-objects,fuzz,$(t)) $(call fuzz-objects,asan,$(t))))

##@ Test
# The programs of the long tests are built here, too: an interface that outgrew them shows at once.
check-fuzz: $(FUZZERS:%=build/asan/fuzz-%) $(OUT)/sweep/sweep $(OUT)/sweep/fuzz-ioctl	## replay the inputs that fuzzers found
	$(Q)tests/unit-run build/results/fuzz $(filter build/asan/%,$^)

# New inputs go to build/fuzz. An input that crashes goes to tests/fuzz/corpus-TARGET and stays there as a test.
fuzz-capture:	## fuzz verifier and interpreter of capture programs: [SECONDS=600 SEED=]
fuzz-reader:	## fuzz the reader of traces: [SECONDS=600 SEED=]
fuzz-user:	## fuzz the reader of the files of processes: [SECONDS=600 SEED=]
fuzz-unwind:	## fuzz the walk of programs' stacks by their tables: [SECONDS=600 SEED=]
fuzz-elf:	## fuzz the readers of ELF, DWARF, indexes, BTF, symbols and programs: [SECONDS=600 SEED=]
$(FUZZERS:%=fuzz-%): fuzz-%: build/fuzz/fuzz-%
	@mkdir -p build/fuzz/corpus-$*
	$(Q)ASAN_OPTIONS=quarantine_size_mb=16 build/fuzz/fuzz-$* -max_total_time=$(or $(SECONDS),600) \
		$(if $(SEED),-seed=$(SEED)) -timeout=20 -rss_limit_mb=2048 -max_len=$(or $(FUZZ_LONGEST_$*),4096) -print_final_stats=1 \
		-artifact_prefix=tests/fuzz/corpus-$*/ build/fuzz/corpus-$* tests/fuzz/corpus-$*

.PHONY: check-fuzz $(FUZZERS:%=fuzz-%)
