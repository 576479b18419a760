# SPDX-License-Identifier: GPL-2.0-or-later
# The test build of the module, in which what can fail can be made to: tests/vm/fault.

FAULT_SRC := $(wildcard tests/vm/fault/*)

##@ Build
fault-module: $(OUT)/kmod/fault-$(KERNEL).built	## the module with failures to order, build/kmod/RELEASE/fault/ktrace_fault.ko

$(OUT)/kmod/fault-$(KERNEL).built: $(KMOD_SRC) $(FAULT_SRC) mk/kbuild mk/fault.mk $(RESOLVED) | $(DEPS)/module.installed
	$(call say,KMOD,'ktrace_fault.ko for $(KERNEL)')
	+$(Q)$(call kbuild-lab,fault,tests/vm/fault/Kbuild,$(filter-out %/Kbuild,$(FAULT_SRC) $(KMOD_SRC)) kmod/Kbuild)
	@touch $@

.PHONY: fault-module
