# SPDX-License-Identifier: GPL-2.0-or-later
# The style of the sources: tests/style has a table of the checks.

##@ Test
# `make check` runs only checks whose result does not depend on the version of a tool.
style: | build/deps/style.installed	## all checks of the sources' style
	+$(Q)tests/style

check-style: | build/deps/style.installed	## the style checks that are part of check
	$(Q)tests/style --results build/results/style.tsv licence spelling manual shell architecture folders words strangers example

# Run sparse on the module's sources, with the options of the kernel's build.
check-sparse: module | build/deps/style.installed	## run sparse on the module
	$(call say,SPARSE,'ktrace.ko for $(KERNEL)')
	+$(Q)CHECKER='sparse -Wsparse-error' $(call kbuild-lab,.,kmod/Kbuild,$(filter-out %/Kbuild,$(KMOD_SRC)))

.PHONY: style check-style check-sparse
