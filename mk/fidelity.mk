# SPDX-License-Identifier: GPL-2.0-or-later
# Compare displaced instructions with the same instructions in place, in user space. Both architectures test the
# unchanged code of arch/*/kmod.
# x86: on the CPU of this machine, with the kernel's own decoder and with instructions from the kernel's text.
# arm64: only relocate.c, on an arm64 machine or under QEMU's user-mode emulation.

PACKAGES_fidelity := gcc libc6-dev libcapstone-dev python3 debian-archive-keyring gawk lz4 xz-utils zstd
deps: build/deps/fidelity.installed

FIDELITY := build/fidelity/$(KERNEL)
FIDELITY_SRC := $(filter-out %/harvest.c,$(wildcard tests/fidelity/*.[cS]))
FIDELITY_UNDER_TEST := arch/x86/kmod/relocate.c arch/x86/kmod/trampoline.c
FIDELITY_OBJ := $(patsubst %,$(FIDELITY)/%.o,$(FIDELITY_SRC) $(FIDELITY_UNDER_TEST) decoder/insn.c decoder/inat.c)
FIDELITY_CFLAGS := -std=gnu11 -D_GNU_SOURCE $(WARNINGS) -Wno-missing-field-initializers -Itests/fidelity/shim \
	-iquote tests/fidelity/shim -iquote tests/fidelity -iquote . -iquote arch/x86/kmod \
	-I$(FIDELITY)/source/arch/x86/include -I$(FIDELITY)
# Undefined behaviour in the code under test ends the run.
$(patsubst %,$(FIDELITY)/%.o,$(FIDELITY_UNDER_TEST)): FIDELITY_EXTRA := -fsanitize=undefined \
	-fsanitize-undefined-trap-on-error

FIDELITY_COUNT = $(or $(COUNT),10000000)
FIDELITY_RESULTS := build/results/fidelity.tsv
FIDELITY_RUN = $(FIDELITY)/fidelity --corpus $(FIDELITY)/corpus --results $(FIDELITY_RESULTS) \
	$(if $(SEED),--seed $(SEED))
FIDELITY_HOW := $(if $(filter x86,$(ARCH)),run,$(ARCH))

##@ Test
check-fidelity: fidelity-$(FIDELITY_HOW)	## displaced instructions compared with those in place [SEED= COUNT=]

# For another architecture, name the emulator: binfmt_misc may not be configured.
FIDELITY_EMULATOR := $(if $(CROSS),qemu-aarch64-static -cpu max)
PACKAGES_fidelity += $(if $(CROSS),qemu-user-static)

fidelity-arm64: $(OUT)/fidelity/relocate
	$(call say,RUN,$<)
	$(Q)$(FIDELITY_EMULATOR) $< $(if $(SEED),--seed $(SEED)) --count $(or $(COUNT),200000)

$(OUT)/fidelity/relocate: tests/fidelity/arm64/main.c $(wildcard arch/arm64/kmod/*.[ch]) mk/fidelity.mk | $(DEPS)/build.installed
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE $(WARNINGS) -Itests/fidelity/shim -iquote . \
		-iquote arch/arm64/kmod $(CFLAGS) -static -o $@ $(filter %main.c,$^) arch/arm64/kmod/relocate.c

# Status 77: this machine lacks something. The program has printed what; it is no failure.
fidelity-run: $(FIDELITY)/fidelity $(FIDELITY)/corpus
	@mkdir -p build/results && rm -f $(FIDELITY_RESULTS)
	$(Q)$(FIDELITY_RUN) --self-test || [ $$? = 77 ]
	$(Q)$(FIDELITY_RUN) --count $(FIDELITY_COUNT) || [ $$? = 77 ]

$(FIDELITY)/fidelity: $(FIDELITY_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) -pie $(LDFLAGS) -o $@ $^ -lcapstone

$(FIDELITY)/harvest: $(patsubst %,$(FIDELITY)/%.o,tests/fidelity/harvest.c decoder/insn.c decoder/inat.c)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) -pie $(LDFLAGS) -o $@ $^

$(FIDELITY)/corpus: $(FIDELITY)/harvest tests/fidelity/unpack $(RESOLVED)
	$(call say,HARVEST,$@)
	$(Q)tests/fidelity/unpack "$$(tests/vm/kernel image $(KERNEL) $(DEB_ARCH))" $@.vmlinux
	$(Q)$(FIDELITY)/harvest $@.vmlinux $@.new
	$(Q)rm $@.vmlinux && mv $@.new $@

# The source of the kernel's decoder, and the tables that its own script generates from the opcode map.
$(FIDELITY)/source.fetched: tests/fidelity/decoder $(RESOLVED) | build/deps/fidelity.installed
	$(call say,FETCH,$(FIDELITY)/source)
	@mkdir -p $(FIDELITY)
	$(Q)source=$$(tests/fidelity/decoder $(KERNEL) $(DEB_ARCH)) && ln -sfn "$$source" $(FIDELITY)/source
	$(Q)cd $(FIDELITY) && awk -f source/arch/x86/tools/gen-insn-attr-x86.awk \
		source/arch/x86/lib/x86-opcode-map.txt > inat-tables.c
	@touch $@

# This is the kernel's code: ignore the compiler's warnings.
$(FIDELITY)/decoder/%.c.o: $(FIDELITY)/source.fetched mk/fidelity.mk
	$(call say,CC,$*.c)
	@mkdir -p $(@D)
	$(Q)$(CC) $(FIDELITY_CFLAGS) -w -include tests/fidelity/shim/linux/kernel.h $(CFLAGS) $(HARDENING) \
		-c -o $@ $(FIDELITY)/source/arch/x86/lib/$*.c

$(FIDELITY)/%.o: % mk/base.mk mk/fidelity.mk $(FIDELITY)/source.fetched | build/deps/fidelity.installed
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(FIDELITY_CFLAGS) $(FIDELITY_EXTRA) $(CFLAGS) $(HARDENING) -MMD -MP -c -o $@ $<

-include $(FIDELITY_OBJ:.o=.d)

.PHONY: check-fidelity fidelity-run fidelity-arm64
