# SPDX-License-Identifier: GPL-2.0-or-later
# How the sources look: tests/style has a table of the checks.

##@ Test
# What does not depend on which version of a tool is at hand is part of `make check`.
style: | build/deps/style.installed	## all that can be said of the sources' style without running them
	+$(Q)tests/style

check-style: | build/deps/style.installed	## the part of it that belongs to check
	$(Q)tests/style --results build/results/style.tsv licence spelling manual shell architecture folders words example

# Sparse reads the module's sources as the kernel's build would compile them.
check-sparse: module | build/deps/style.installed	## the module's sources read by sparse
	$(call say,SPARSE,'ktrace.ko for $(KERNEL)')
	+$(Q)CHECKER='sparse -Wsparse-error' $(call kbuild-lab,.,kmod/Kbuild,$(filter-out %/Kbuild,$(KMOD_SRC)))

.PHONY: style check-style check-sparse
