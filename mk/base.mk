# SPDX-License-Identifier: GPL-2.0-or-later
# Settings for all build rules: verbosity, parallelism, architecture, flags.

ifneq ($(V),1)
Q := @
say = @printf '  %-7s %s\n' $(1) $(2);
else
say =
endif

ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell nproc)
endif
MAKEFLAGS += --no-print-directory

# ARCH names a folder below arch/.  Debian calls this architecture DEB_ARCH, the tool chain calls it TRIPLE.
HOST_ARCH := $(patsubst aarch64,arm64,$(patsubst x86_64,x86,$(shell uname -m)))
ARCH ?= $(HOST_ARCH)
DEB_ARCH := $(patsubst x86,amd64,$(ARCH))
TRIPLE := $(patsubst x86,x86_64,$(patsubst arm64,aarch64,$(ARCH)))-linux-gnu

# If ARCH is not the architecture of this machine: CROSS is set, and build results go into a folder of their own.
CROSS := $(filter-out $(HOST_ARCH),$(ARCH))
OUT := build$(CROSS:%=/%)
# The programs of the lab read these variables.
export ARCH OUT
ifneq ($(CROSS),)
CROSS_COMPILE ?= $(TRIPLE)-
ifeq ($(origin CC),default)
CC := $(CROSS_COMPILE)gcc
endif
endif

CFLAGS ?= -O2 -g
HARDENING := -fstack-protector-strong -fstack-clash-protection -fPIE -D_FORTIFY_SOURCE=2
# All functions of a table have the same parameters, and not every function uses all of them.
WARNINGS := -Wall -Wextra -Wno-unused-parameter -Werror
DEFINES := -D_GNU_SOURCE -DKTRACE_VERSION='"$(VERSION)"'

# The generator of the module's code.  Tests have tests/unit/ARCH/generator.h in place of the kernel.
GENERATOR_SRC := $(wildcard kmod/code/*.c arch/$(ARCH)/kmod/emit_*.c)
GENERATOR_CFLAGS := -Iarch/$(ARCH)/kmod
