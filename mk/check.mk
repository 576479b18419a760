# SPDX-License-Identifier: GPL-2.0-or-later
# All tests. Each part writes build/results/PART.tsv; `make check-PART` runs one part.

# What can be recorded of the whole system differs by kernel: see it on the oldest, the newest, and another preemption.
RECORD_CASES := record record-kinds
RECORD_ALL := 5.10 7.2 6.1-rt
# A sample of the cases always has these.
ALWAYS_CASES := $(RECORD_CASES) $(if $(CROSS),,secure-boot)
# ONE_KERNEL=1, for CI: of the kernels beside that of the other tests only one, chosen by the seed.
one-of = $(word $(shell echo $$(($(or $(SEED),0) % $(words $(1)) + 1))),$(1))
RECORD_KERNELS := $(if $(ONE_KERNEL),$(call one-of,$(RECORD_ALL)),$(RECORD_ALL))
# CHECK_PARTS are what to run before each commit; REST_PARTS are all others.
CHECK_PARTS := $(if $(CROSS),generate modules vm,style unit traces fuzz model tsan user vm)
REST_PARTS := $(if $(CROSS),,unit-whole user-whole dwarf-sample entry browser dist) vm-long $(if $(CROSS),,modules $(RECORD_KERNELS:%=record-%)) samples
KERNELS := $(shell awk '$$2 == "$(DEB_ARCH)" { print $$1 }' tests/vm/kernels)
MODULE_KERNELS := $(if $(ONE_KERNEL),$(sort $(KERNEL) $(call one-of,$(KERNELS)) $(if $(CROSS),,$(RECORD_KERNELS))),$(KERNELS))
VM_CHOICE := $(VM_SAMPLE:%=--sample % $(ALWAYS_CASES:%=--also %)) $(SEED:%=--seed %)
# A kernel with a dash, such as 6.1-rt, is another configuration of 6.1: a sample of the cases is enough.
FLAVOUR_SAMPLE := 20
vm-choice = $(if $(findstring -,$(1)),--sample $(or $(VM_SAMPLE),$(FLAVOUR_SAMPLE)) $(RECORD_CASES:%=--also %) $(SEED:%=--seed %),$(VM_CHOICE))

##@ Test
check: | $(DEPS)/unit.installed	## tests to run before each commit; the last line is `N passed, N failed`
	+$(Q)tests/check $(CHECK_PARTS)

check-rest: | $(DEPS)/unit.installed	## run all other tests
	+$(Q)tests/check $(REST_PARTS)

check-all: | $(DEPS)/unit.installed	## run check and check-rest
	+$(Q)tests/check $(CHECK_PARTS) $(REST_PARTS)

# tests/hit-symbols looks into each: which functions hits call depends on the kernel's configuration.
check-modules: | $(DEPS)/module.installed	## build the module for all kernels, and with few options
	@rm -f $(OUT)/results/modules.tsv
	+$(Q)status=0; $(foreach name,$(MODULE_KERNELS),tests/sample $(OUT)/results/modules.tsv module-$(name) $(MAKE) -s module KERNEL=$(name) || \
		status=1;) \
	tests/sample $(OUT)/results/modules.tsv module-small $(MAKE) -s check-configs || status=1; exit $$status

# The newest kernel of the archive, and the one before it.
PACKAGES_next := bpftool debian-archive-keyring python3
NEXT := $(shell awk '$$2 == "$(DEB_ARCH)" && $$3 == "sid" { print $$1 }' tests/vm/kernels)

check-next: | $(DEPS)/next.installed	## the newest kernel of sid: does the module build, what has changed that it looks up? [OLD=6.12]
	$(Q)tests/vm/kernel update $(NEXT) $(DEB_ARCH)
	+$(Q)$(MAKE) -s module KERNEL=$(NEXT)
	$(Q)tests/next $(or $(OLD),6.12) $(NEXT) $(DEB_ARCH)

# Tests that boot a kernel.
VM_CHECK = tests/vm/check --kernel $(KERNEL)

check-vm: all truth hunt $(VM_SAMPLE:%=fault-module) lab $(CROSS:%=native)	## short tests in guests [VM_SAMPLE=N]
	$(Q)$(VM_CHECK) $(if $(VM_SAMPLE),,--short) $(VM_CHOICE)

check-vm-long: all truth hunt fault-module lab languages $(CROSS:%=native)	## long tests in guests
	$(Q)$(VM_CHECK) --long $(VM_CHOICE) --results $(OUT)/results/vm-long.tsv

check-record-kill: all truth lab	## kill a recorder a hundred times
	$(Q)$(VM_CHECK) record-kill-many --results $(OUT)/results/vm-rare.tsv

check-sizes: all truth lab	## a machine with 128 CPUs, with one, with 256 MB
	$(Q)$(VM_CHECK) machine-sizes --results $(OUT)/results/vm-rare.tsv

check-figure10: all truth lab	## compare a report of LTT's Figure 10 with what the kernel counts
	$(Q)$(VM_CHECK) figure10 --results $(OUT)/results/vm-rare.tsv

check-lttng: all lab	## record beside LTTng: the same classes of fields, the same figures
	$(Q)$(VM_CHECK) record-lttng --results $(OUT)/results/vm-rare.tsv

# The controller for this machine: some cases run it outside the guest.
native:
	+$(Q)env -u ARCH -u OUT -u MAKEFLAGS -u MFLAGS $(MAKE) -s controller

check-kernels: | $(DEPS)/unit.installed	## tests in guests on all kernels; check-vm-6.12: on one
	+$(Q)tests/check $(KERNELS:%=vm-%)

$(KERNELS:%=check-vm-%): check-vm-%: controller lab languages $(CROSS:%=native)
	+$(Q)$(MAKE) -s module truth hunt fault-module KERNEL=$*
	$(Q)tests/vm/check --kernel $* $(call vm-choice,$*) --results $(OUT)/results/vm-$*.tsv

$(RECORD_ALL:%=check-record-%): check-record-%: controller lab
	+$(Q)$(MAKE) -s module truth hunt fault-module KERNEL=$*
	$(Q)tests/vm/check --kernel $* $(RECORD_CASES) --results $(OUT)/results/record-$*.tsv

.PHONY: check check-next check-rest check-all check-modules check-vm check-vm-long check-record-kill check-sizes check-figure10 check-lttng $(RECORD_ALL:%=check-record-%) native check-kernels $(KERNELS:%=check-vm-%)
