# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel modules, one directory a kernel: build/kmod/RELEASE/ktrace.ko, and ktruth.ko for the lab.

KMOD_SRC := $(wildcard kmod/Kbuild kmod/*.[chS] kmod/*/*.[chS] arch/*/kmod/*.[chS] arch/*/*.h)
TRUTH_SRC := $(wildcard tests/vm/truth/*)
# Written when the archive's newest kernel was asked for.
RESOLVED = $(wildcard build/kernels/$(KERNEL)-$(DEB_ARCH)/resolved)

module: build/kmod/ktrace-$(KERNEL).built	## the module alone, build/kmod/RELEASE/ktrace.ko
truth: build/kmod/ktruth-$(KERNEL).built	## the lab's test module, build/kmod/RELEASE/ktruth/ktruth.ko

build/kmod/ktrace-$(KERNEL).built: $(KMOD_SRC) mk/kbuild mk/module.mk $(RESOLVED)
	$(call say,KMOD,ktrace.ko)
	+$(Q)V=$(V) mk/kbuild $(KERNEL) $(DEB_ARCH) . kmod/Kbuild $(filter kmod/% arch/%,$(filter-out %/Kbuild,$^))
	@touch $@

build/kmod/ktruth-$(KERNEL).built: $(TRUTH_SRC) mk/kbuild mk/module.mk $(RESOLVED)
	$(call say,KMOD,ktruth.ko)
	+$(Q)V=$(V) mk/kbuild $(KERNEL) $(DEB_ARCH) ktruth tests/vm/truth/Kbuild $(filter-out %/Kbuild,$(TRUTH_SRC))
	@touch $@

.PHONY: module truth
