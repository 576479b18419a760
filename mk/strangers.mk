# SPDX-License-Identifier: GPL-2.0-or-later
# What strangers sent: programs, modules, names and traces that nobody here wrote.  All of it is part of `make check` or
# `make check-rest`; the target runs it together: tests/unit/test_strangers_*.c and the cases strangers-*.

STRANGERS_UNIT := $(patsubst tests/unit/%.c,build/asan/%,$(wildcard tests/unit/test_strangers_*.c))
STRANGERS_CASES := $(sort $(basename $(notdir $(wildcard tests/vm/cases/strangers-* tests/vm/hostcases/strangers-*))))

# Where the kernel's debug image (600 MB) has been fetched.
STRANGERS_ENTRY := $(if $(CROSS),,$(if $(wildcard build/kernels/*/*/debug/usr/lib/debug/boot/vmlinux-*),check-entry))

##@ Test
check-strangers: $(STRANGERS_ENTRY) all truth hunt fault-module lab languages $(STRANGERS_UNIT)	## the trials of strangers: hostile names, programs, traces
	$(Q)$(if $(STRANGERS_UNIT),tests/unit-run $(OUT)/results/strangers-unit $(STRANGERS_UNIT))
	$(Q)$(if $(STRANGERS_CASES),$(VM_CHECK) $(STRANGERS_CASES) --results $(OUT)/results/strangers.tsv)

.PHONY: check-strangers
