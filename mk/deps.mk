# SPDX-License-Identifier: GPL-2.0-or-later
# PACKAGES_LIST are the Debian packages that one step needs. Each list is installed once, by apt as root or through
# sudo; otherwise mk/install-packages prints the missing names. Rules depend on $(DEPS)/LIST.installed, order-only.

DEPS := build/deps$(CROSS:%=/%)
COMPILER := $(if $(CROSS),gcc-$(subst _,-,$(TRIPLE)),gcc libc6-dev)
LIBRARY_PACKAGES := libc6-dev libcapstone-dev libreadline-dev libjson-c-dev libelf-dev libdwarf-dev libiberty-dev \
	libzstd-dev

# Of another architecture only the numbers of the system calls that its programs make.
COMPAT_HEADERS := $(if $(filter arm64,$(ARCH)),linux-libc-dev-armhf-cross)
PACKAGES_build := $(COMPILER) $(COMPAT_HEADERS) pkg-config $(if $(CROSS),python3 debian-archive-keyring,$(LIBRARY_PACKAGES))
PACKAGES_unit := python3 python3-prometheus-client $(if $(CROSS),,libcmocka-dev libdebuginfod1 debuginfod libunwind-dev dwz g++ binutils)
# The lab fetches and unpacks the headers. Their program objtool needs libelf.
PACKAGES_module := $(COMPILER) libelf1 python3 debian-archive-keyring
PACKAGES_lab := $(COMPILER) $(if $(filter arm64,$(ARCH)),binutils-arm-linux-gnueabihf) $(patsubst %-arm64,%-arm,qemu-system-$(ARCH)) busybox-static python3 \
	debian-archive-keyring e2fsprogs kmod binutils babeltrace babeltrace2 python3-babeltrace python3-bt2 \
	python3-jsonschema debuginfod python3-pip python3-pyparsing zsh fish python3-cryptography $(if $(filter x86,$(ARCH)),ovmf sbsigntool)
PACKAGES_style := clang-format codespell sparse mandoc man-db shellcheck

LISTS := build unit module lab style

##@ Other
deps: $(LISTS:%=$(DEPS)/%.installed)	## install the Debian packages for all targets

$(DEPS)/%.installed: mk/deps.mk mk/install-packages
	@mkdir -p $(@D)
	$(Q)mk/install-packages $(PACKAGES_$*)
	@touch $@

.PHONY: deps

PKG_CONFIG := pkg-config
ifneq ($(CROSS),)
# The libraries of the other architecture lie in a directory of their own, so that this machine stays unchanged. They
# are unpacked from packages of SUITE, which must not be newer than the release on the board. Alternatively SYSROOT=DIR
# names such a directory: / if this machine has the libraries of both architectures.
SUITE ?= bookworm
ROOTS := $(abspath $(or $(KTRACE_KERNELS),build/kernels))
SYSROOT ?= $(ROOTS)/root-$(SUITE)-$(DEB_ARCH)
CC += --sysroot=$(SYSROOT)
PKG_CONFIG := PKG_CONFIG_SYSROOT_DIR=$(SYSROOT) \
	PKG_CONFIG_LIBDIR=$(SYSROOT)/usr/lib/$(TRIPLE)/pkgconfig:$(SYSROOT)/usr/share/pkgconfig pkg-config

$(DEPS)/build.installed $(DEPS)/lab.installed $(DEPS)/languages.installed: | $(SYSROOT)$(if $(filter $(ROOTS)/%,$(SYSROOT)),/.packages)

# Made anew when the list of packages has changed.
$(ROOTS)/root-%/.packages: mk/deps.mk | $(DEPS)/module.installed
	$(call say,FETCH,$(@D))
	$(Q)tests/vm/root $(SUITE) $(DEB_ARCH) $(@D) $(LIBRARY_PACKAGES) libcmocka-dev busybox-static
endif
