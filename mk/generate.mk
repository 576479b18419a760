# SPDX-License-Identifier: GPL-2.0-or-later
# The unit test of generated code.  For another architecture QEMU's user-mode emulation runs it.

GENERATE_TEST := $(if $(CROSS),$(OUT)/unit/test_generate,build/asan/test_generate)

##@ Test
check-generate: $(GENERATE_TEST)	## the unit test of generated code; for another architecture it is emulated
	$(Q)EMULATOR='$(GENERATE_EMULATOR)' tests/unit-run $(OUT)/results/generate $<

ifneq ($(CROSS),)
PACKAGES_generate := qemu-user-static
deps: $(DEPS)/generate.installed

GENERATE_CFLAGS = -std=gnu11 -D_GNU_SOURCE $(WARNINGS) -I. -Iarch/$(ARCH)/user -Itests/unit -Itests/unit/$(ARCH)
# Name the emulator: binfmt_misc may not be configured.
GENERATE_EMULATOR := qemu-$(patsubst %-linux-gnu,%,$(TRIPLE))-static -cpu max -L $(SYSROOT)

$(GENERATE_TEST): tests/unit/test_generate.c $(wildcard core/*.[ch] tests/unit/*.h tests/unit/$(ARCH)/*.h \
		arch/$(ARCH)/kmod/*.[ch] arch/$(ARCH)/user/*.h) mk/generate.mk | $(DEPS)/build.installed $(DEPS)/generate.installed
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(GENERATE_CFLAGS) $(CFLAGS) -o $@ $< core/capture.c -lcmocka
endif

.PHONY: check-generate
