# SPDX-License-Identifier: GPL-2.0-or-later
# The distribution's packages that a step needs, no more. Each list is installed once: by apt, when root or through
# sudo; otherwise the missing packages are named. Rules depend on build/deps/LIST.installed, order-only.

PACKAGES_build := gcc libc6-dev pkg-config libcapstone-dev libreadline-dev libjson-c-dev libelf-dev libdwarf-dev
PACKAGES_unit := libcmocka-dev python3 libdebuginfod1
# The lab fetches and unpacks the headers; objtool, one of their programs, needs libelf.
PACKAGES_module := gcc libelf1 python3 debian-archive-keyring
PACKAGES_lab := gcc libc6-dev qemu-system-x86 busybox-static python3 debian-archive-keyring e2fsprogs kmod \
	binutils babeltrace2 python3-jsonschema zsh
PACKAGES_style := clang-format codespell sparse mandoc shellcheck

LISTS := build unit module lab style

##@ Other
deps: $(LISTS:%=build/deps/%.installed)	## install the distribution's packages that all targets need

build/deps/%.installed: mk/deps.mk mk/install-packages
	@mkdir -p $(@D)
	$(Q)mk/install-packages $(PACKAGES_$*)
	@touch $@

.PHONY: deps
