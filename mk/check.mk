# SPDX-License-Identifier: GPL-2.0-or-later
# All tests. Each part writes build/results/PART.tsv and can be run alone, as check-PART.

# What fits into ten minutes, and the rest.
CHECK_PARTS := $(if $(CROSS),vm,style unit fuzz model tsan vm)
REST_PARTS := $(if $(CROSS),,dwarf-sample browser) vm-long samples
KERNELS := $(shell awk '$$2 == "$(DEB_ARCH)" { print $$1 }' tests/vm/kernels)
VM_CHOICE := $(VM_SAMPLE:%=--sample %) $(SEED:%=--seed %)
# 6.1-rt is 6.1 with another configuration: a sample of the cases will do.
FLAVOUR_SAMPLE := 20
vm-choice = $(if $(findstring -,$(1)),--sample $(or $(VM_SAMPLE),$(FLAVOUR_SAMPLE)) $(SEED:%=--seed %),$(VM_CHOICE))

##@ Test
check: | $(DEPS)/unit.installed	## the tests that fit into ten minutes; the last line is `N passed, N failed`
	+$(Q)tests/check $(CHECK_PARTS)

check-rest: | $(DEPS)/unit.installed	## all others
	+$(Q)tests/check $(REST_PARTS)

check-all: | $(DEPS)/unit.installed	## both
	+$(Q)tests/check $(CHECK_PARTS) $(REST_PARTS)

# The tests that boot a kernel.
VM_CHECK = tests/vm/check --kernel $(KERNEL)

check-vm: all truth fault-module lab $(CROSS:%=native)	## the short tests that boot a kernel, or VM_SAMPLE=N of all; `tests/vm/check NAME...` runs some
	$(Q)$(VM_CHECK) $(if $(VM_SAMPLE),,--short) $(VM_CHOICE)

check-vm-long: all truth fault-module lab $(CROSS:%=native)	## the long ones
	$(Q)$(VM_CHECK) --long $(VM_CHOICE) --results $(OUT)/results/vm-long.tsv

# The controller of this machine, which some cases run beside the guest.
native:
	+$(Q)env -u ARCH -u OUT -u MAKEFLAGS -u MFLAGS $(MAKE) -s controller

check-kernels: | $(DEPS)/unit.installed	## those on every kernel of tests/vm/kernels, on 6.1-rt a sample; one of them: check-vm-6.12
	+$(Q)tests/check $(KERNELS:%=vm-%)

$(KERNELS:%=check-vm-%): check-vm-%: controller lab $(CROSS:%=native)
	+$(Q)$(MAKE) -s module truth fault-module KERNEL=$*
	$(Q)tests/vm/check --kernel $* $(call vm-choice,$*) --results $(OUT)/results/vm-$*.tsv

.PHONY: check check-rest check-all check-vm check-vm-long native check-kernels $(KERNELS:%=check-vm-%)
