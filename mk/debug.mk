# SPDX-License-Identifier: GPL-2.0-or-later
# Kernels that the lab builds (tests/vm/lab/configured.py): those of tests/vm/debug look for bugs, those of tests/vm/configs are configured
# as other distributions do. `make check-vm-6.1+NAME` runs all cases on one; here are their lists.

PACKAGES_kernelbuild := $(COMPILER) make bc bison flex cpio dwarves kmod libelf-dev libssl-dev xz-utils python3 debian-archive-keyring

DEBUG_KERNELS := $(addprefix 6.1+,$(notdir $(shell grep -LE '^# arch: $(filter-out $(DEB_ARCH),amd64 arm64)$$' tests/vm/debug/*)))
PLANTED_SRC := $(wildcard tests/vm/planted/*)

$(OUT)/kmod/planted-$(KERNEL).built: $(PLANTED_SRC) mk/kbuild mk/debug.mk $(RESOLVED) | $(DEPS)/module.installed
	$(call say,KMOD,'ktplanted.ko for $(KERNEL)')
	+$(Q)$(call kbuild-lab,planted,tests/vm/planted/Kbuild,$(filter-out %/Kbuild,$(PLANTED_SRC)))
	@touch $@

planted: $(OUT)/kmod/planted-$(KERNEL).built

##@ Test
check-debug: | $(DEPS)/unit.installed $(DEPS)/kernelbuild.installed	## all cases in guests, on kernels that look for bugs (hours)
	+$(Q)tests/check $(DEBUG_KERNELS:%=debug-%)

$(DEBUG_KERNELS:%=check-debug-%): check-debug-%: controller lab languages $(CROSS:%=native) | $(DEPS)/kernelbuild.installed
	+$(Q)$(MAKE) -s module truth hunt fault-module planted KERNEL=$*
	$(Q)tests/vm/check --kernel $* planted --results $(OUT)/results/planted-$*.tsv
	$(Q)tests/vm/check --kernel $* $(VM_CHOICE) --results $(OUT)/results/debug-$*.tsv

.PHONY: planted check-debug $(DEBUG_KERNELS:%=check-debug-%)
