# SPDX-License-Identifier: GPL-2.0-or-later
# The modules as they are compiled for a kernel with few options: see tests/vm/small.

SMALL_SRC := $(wildcard tests/vm/small/*)

$(OUT)/kmod/small-$(KERNEL).built: $(KMOD_SRC) $(SMALL_SRC) mk/kbuild mk/small.mk $(RESOLVED) | $(DEPS)/module.installed
	$(call say,KMOD,'ktrace.ko and ktrace_user.ko for $(KERNEL) with few options')
	+$(Q)$(call kbuild-lab,small,tests/vm/small/Kbuild,$(filter-out %/Kbuild,$(SMALL_SRC) $(KMOD_SRC)) kmod/Kbuild)
	@touch $@

##@ Test
check-configs: $(OUT)/kmod/small-$(KERNEL).built	## build the modules for a kernel with few options

.PHONY: check-configs
