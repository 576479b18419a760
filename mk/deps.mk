# SPDX-License-Identifier: GPL-2.0-or-later
# The distribution's packages that a step needs. Each list is installed once: by apt, when root or through sudo;
# otherwise the missing packages are named. PACKAGES_RUN is all that a build on one's own machine needs.

PACKAGES_BUILD := build-essential pkg-config libcapstone-dev libreadline-dev libjson-c-dev
PACKAGES_UNIT := libcmocka-dev
PACKAGES_LAB := qemu-system-x86 busybox-static python3 e2fsprogs xz-utils kmod binutils file
PACKAGES_STYLE := clang-format sparse codespell man-db

deps: $(patsubst %,build/deps/%.installed,build unit lab style)	## install the distribution's packages that all targets need

build/deps/%.installed: mk/deps.mk mk/install-packages
	@mkdir -p $(@D)
	$(Q)mk/install-packages $(PACKAGES_$(shell echo $* | tr a-z A-Z))
	@touch $@

.PHONY: deps
