# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel modules, one directory for each kernel: build/kmod/RELEASE/ktrace.ko and ktrace_user.ko, and
# ktruth.ko for tests in guests.

KMOD_SRC := $(wildcard kmod/Kbuild core/*.[ch] kmod/*.[chS] kmod/*/*.[chS] arch/*/kmod/*.[chS] arch/*/*.h)
HUNT_SRC := $(wildcard tests/vm/hunt/Kbuild tests/vm/hunt/*.c)
TRUTH_SRC := $(wildcard tests/vm/truth/Kbuild tests/vm/truth/*.[ch] tests/vm/truth/*/*)
# The lab writes this file when it asks the archive for the newest release.
RESOLVED = $(wildcard $(or $(KTRACE_KERNELS),build/kernels)/$(KERNEL)-$(DEB_ARCH)/resolved)

# $(call kbuild-lab,SUBDIRECTORY,KBUILD,SOURCES) builds a module for KERNEL of the lab. Warnings are errors.
lab-kernel = tests/vm/kernel $(1) $(KERNEL) $(DEB_ARCH)
kbuild-lab = headers=$$($(call lab-kernel,headers)) && release=$$($(call lab-kernel,release)) && \
	tools=$$($(call lab-kernel,tools)) && \
	V=$(V) TOOLS=$$tools CROSS_COMPILE=$(CROSS:%=$(TRIPLE)-) KCFLAGS=-Werror \
	mk/kbuild "$$headers" "$$release" $(1) $(2) $(3)

##@ Build
module: $(OUT)/kmod/ktrace-$(KERNEL).built	## only the modules, build/kmod/RELEASE/ktrace.ko and ktrace_user.ko
hunt: $(OUT)/kmod/hunt-$(KERNEL).built	## modules with mistakes to hunt, build/kmod/RELEASE/hunt/
truth: $(OUT)/kmod/ktruth-$(KERNEL).built	## the test module of known values, build/kmod/RELEASE/ktruth/ktruth.ko

$(OUT)/kmod/ktrace-$(KERNEL).built: $(KMOD_SRC) mk/kbuild mk/module.mk $(RESOLVED) | $(DEPS)/module.installed
	$(call say,KMOD,'ktrace.ko and ktrace_user.ko for $(KERNEL)')
	+$(Q)$(call kbuild-lab,.,kmod/Kbuild,$(filter-out %/Kbuild,$(KMOD_SRC)))
	$(Q)tests/hit-symbols "$(OUT)/kmod/$$($(call lab-kernel,release))"
	@touch $@

$(OUT)/kmod/ktruth-$(KERNEL).built: $(TRUTH_SRC) mk/kbuild mk/module.mk $(RESOLVED) | $(DEPS)/module.installed
	$(call say,KMOD,'ktruth.ko for $(KERNEL)')
	+$(Q)$(call kbuild-lab,ktruth,tests/vm/truth/Kbuild,$(filter-out %/Kbuild,$(TRUTH_SRC)))
	@touch $@

$(OUT)/kmod/hunt-$(KERNEL).built: $(HUNT_SRC) mk/kbuild mk/module.mk $(RESOLVED) | $(DEPS)/module.installed
	$(call say,KMOD,'the modules of docs/hunting.md for $(KERNEL)')
	+$(Q)$(call kbuild-lab,hunt,tests/vm/hunt/Kbuild,$(filter-out %/Kbuild,$(HUNT_SRC)))
	@touch $@

##@ Other
module-size: module	## what each part of the modules takes: text, data, lines
	$(Q)tests/module-size $(OUT)/kmod/$$($(call lab-kernel,release))

.PHONY: module truth hunt module-size
