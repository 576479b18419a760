# SPDX-License-Identifier: GPL-2.0-or-later
# What all build rules share: verbosity, parallelism, architecture, flags.

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

# The name of the folder under arch/; the distribution calls it DEB_ARCH, the tool chain TRIPLE.
HOST_ARCH := $(patsubst aarch64,arm64,$(patsubst x86_64,x86,$(shell uname -m)))
ARCH ?= $(HOST_ARCH)
DEB_ARCH := $(patsubst x86,amd64,$(ARCH))
TRIPLE := $(patsubst x86,x86_64,$(patsubst arm64,aarch64,$(ARCH)))-linux-gnu

# For another architecture than this machine's: what is built lies apart, and CROSS is set.
CROSS := $(filter-out $(HOST_ARCH),$(ARCH))
OUT := build$(CROSS:%=/%)
# The lab's programs want to know as well.
export ARCH OUT
ifneq ($(CROSS),)
CROSS_COMPILE ?= $(TRIPLE)-
ifeq ($(origin CC),default)
CC := $(CROSS_COMPILE)gcc
endif
endif

CFLAGS ?= -O2 -g
HARDENING := -fstack-protector-strong -fstack-clash-protection -fPIE -D_FORTIFY_SOURCE=2
# Functions of a table have parameters that not all of them use.
WARNINGS := -Wall -Wextra -Wno-unused-parameter -Werror
DEFINES := -D_GNU_SOURCE -DKTRACE_VERSION='"$(VERSION)"'
