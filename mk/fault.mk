# SPDX-License-Identifier: GPL-2.0-or-later
# A test build of the modules that can be told to fail at each step that may fail: see tests/vm/fault.

FAULT_SRC := $(wildcard tests/vm/fault/*)

##@ Build
fault-module: $(OUT)/kmod/fault-$(KERNEL).built	## the modules with fault injection

$(OUT)/kmod/fault-$(KERNEL).built: $(KMOD_SRC) $(FAULT_SRC) mk/kbuild mk/fault.mk $(RESOLVED) | $(DEPS)/module.installed
	$(call say,KMOD,'ktrace_fault.ko and ktrace_user_fault.ko for $(KERNEL)')
	+$(Q)$(call kbuild-lab,fault,tests/vm/fault/Kbuild,$(filter-out %/Kbuild,$(FAULT_SRC) $(KMOD_SRC)) kmod/Kbuild)
	@touch $@

.PHONY: fault-module
