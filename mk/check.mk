# SPDX-License-Identifier: GPL-2.0-or-later
# All tests. Each part writes build/results/PART.tsv and can be run alone, as check-PART.

CHECK_PARTS := $(if $(CROSS),vm samples,unit fuzz model tsan dwarf-sample browser vm samples style)
KERNELS := $(shell awk '$$2 == "$(DEB_ARCH)" { print $$1 }' tests/vm/kernels)
VM_CHOICE := $(VM_SAMPLE:%=--sample %) $(SEED:%=--seed %)
# 6.1-rt is 6.1 with another configuration: a sample of the cases will do.
FLAVOUR_SAMPLE := 20
vm-choice = $(if $(findstring -,$(1)),--sample $(or $(VM_SAMPLE),$(FLAVOUR_SAMPLE)) $(SEED:%=--seed %),$(VM_CHOICE))

##@ Test
check: | $(DEPS)/unit.installed	## all tests, for another ARCH those in its guests; the last line is `N passed, N failed`
	+$(Q)tests/check $(CHECK_PARTS)

check-vm: all truth fault-module lab $(CROSS:%=native)	## the tests that boot a kernel, VM_SAMPLE=N of them; `tests/vm/check NAME...` runs some
	$(Q)tests/vm/check --kernel $(KERNEL) $(VM_CHOICE)

# The controller of this machine, which some cases run beside the guest.
native:
	+$(Q)env -u ARCH -u OUT -u MAKEFLAGS -u MFLAGS $(MAKE) -s controller

check-kernels: | $(DEPS)/unit.installed	## those on every kernel of tests/vm/kernels, on 6.1-rt a sample; one of them: check-vm-6.12
	+$(Q)tests/check $(KERNELS:%=vm-%)

$(KERNELS:%=check-vm-%): check-vm-%: controller lab $(CROSS:%=native)
	+$(Q)$(MAKE) -s module truth fault-module KERNEL=$*
	$(Q)tests/vm/check --kernel $* $(call vm-choice,$*) --results $(OUT)/results/vm-$*.tsv

.PHONY: check check-vm native check-kernels $(KERNELS:%=check-vm-%)
