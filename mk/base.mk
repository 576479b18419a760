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

# The name of the folder under arch/; the distribution calls it DEB_ARCH.
ARCH ?= $(patsubst aarch64,arm64,$(patsubst x86_64,x86,$(shell uname -m)))
DEB_ARCH := $(patsubst x86,amd64,$(ARCH))

CFLAGS ?= -O2 -g
HARDENING := -fstack-protector-strong -fstack-clash-protection -fPIE -D_FORTIFY_SOURCE=2
WARNINGS := -Wall -Wextra -Werror
DEFINES := -D_GNU_SOURCE -DKTRACE_VERSION='"$(VERSION)"'
