# SPDX-License-Identifier: GPL-2.0-or-later
# The unit tests of generated code.  For another architecture QEMU's user-mode emulation runs it.

EMULATED_TESTS := $(patsubst tests/unit/$(ARCH)/%.c,%,$(wildcard tests/unit/$(ARCH)/test_*.c))
GENERATE_TESTS := $(if $(CROSS),$(addprefix $(OUT)/unit/,$(EMULATED_TESTS) test_generate),build/asan/test_generate)

##@ Test
check-generate: $(GENERATE_TESTS)	## unit tests of generated code; for another architecture they are emulated
	$(Q)EMULATOR='$(GENERATE_EMULATOR)' tests/unit-run $(OUT)/results/generate $^

ifneq ($(CROSS),)
PACKAGES_generate := qemu-user-static
deps: $(DEPS)/generate.installed

GENERATE_CFLAGS = -std=gnu11 -D_GNU_SOURCE $(WARNINGS) -I. -Iarch/$(ARCH)/user -Itests/unit -Itests/unit/$(ARCH) $(GENERATOR_CFLAGS)
GENERATE_OBJ := $(GENERATOR_SRC:%.c=$(OUT)/unit/%.o)
# Name the emulator: binfmt_misc may not be configured.
GENERATE_EMULATOR := qemu-$(patsubst %-linux-gnu,%,$(TRIPLE))-static -cpu max -L $(SYSROOT)

GENERATE_PARTS := $(wildcard core/*.[ch] tests/unit/*.h tests/unit/$(ARCH)/*.h arch/$(ARCH)/kmod/*.h kmod/code/*.h arch/$(ARCH)/user/*.h)

$(GENERATE_OBJ): $(OUT)/unit/%.o: %.c $(GENERATE_PARTS) mk/generate.mk | $(DEPS)/build.installed
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(GENERATE_CFLAGS) $(CFLAGS) -include tests/unit/$(ARCH)/generator.h -c -o $@ $<

define compile_generate_test
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(GENERATE_CFLAGS) $(CFLAGS) -o $@ $< $(GENERATE_OBJ) core/capture.c $(1) -lcmocka
endef

$(OUT)/unit/test_generate: tests/unit/test_generate.c $(GENERATE_OBJ) $(GENERATE_PARTS) mk/generate.mk | $(DEPS)/build.installed $(DEPS)/generate.installed
	$(call compile_generate_test)
$(EMULATED_TESTS:%=$(OUT)/unit/%): $(OUT)/unit/%: tests/unit/$(ARCH)/%.c $(GENERATE_OBJ) $(GENERATE_PARTS) mk/generate.mk | $(DEPS)/build.installed $(DEPS)/generate.installed
	$(call compile_generate_test,core/ring.c ctl/base/memory.c)
endif

.PHONY: check-generate
