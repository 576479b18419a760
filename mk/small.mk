# SPDX-License-Identifier: GPL-2.0-or-later
# The module as it is compiled for a kernel with few options: see tests/vm/small.

SMALL_SRC := $(wildcard tests/vm/small/*)

$(OUT)/kmod/small-$(KERNEL).built: $(KMOD_SRC) $(SMALL_SRC) mk/kbuild mk/small.mk $(RESOLVED) | $(DEPS)/module.installed
	$(call say,KMOD,'ktrace.ko for $(KERNEL) with few options')
	+$(Q)$(call kbuild-lab,small,tests/vm/small/Kbuild,$(filter-out %/Kbuild,$(SMALL_SRC) $(KMOD_SRC)) kmod/Kbuild)
	@touch $@

##@ Test
check-configs: $(OUT)/kmod/small-$(KERNEL).built	## build the module for a kernel with few options

.PHONY: check-configs
