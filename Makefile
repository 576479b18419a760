# SPDX-License-Identifier: GPL-2.0-or-later
# ktrace: `make help` lists all targets.

VERSION := 0.1.0

# The kernel that the module is built for and tested on: a generation of tests/vm/kernels.
KERNEL ?= 6.1

.DEFAULT_GOAL := all

# The other files of rules use variables of these, so they come first.  A new mk/*.mk needs no line here.
RULES := mk/base.mk mk/deps.mk mk/controller.mk mk/module.mk
include $(RULES)
# Tests of these rules run on the build machine.  Leave them out when make builds for another architecture.
NATIVE_RULES := $(addprefix mk/,unit.mk fuzz.mk model.mk dwarf.mk fidelity.mk)
include $(filter-out $(RULES) $(if $(CROSS),$(NATIVE_RULES)),$(sort $(wildcard mk/*.mk)))

##@ Build
all: controller module	## the controller and the module for KERNEL (default)

##@ Other
help:	## show this list
	@echo 'make [TARGET] [ARCH=$(ARCH)] [KERNEL=$(KERNEL)] [V=1]'
	@awk -f mk/help.awk Makefile $(sort $(wildcard mk/*.mk))

clean:	## remove all build results (the fetched kernels stay)
	$(Q)if [ -d build ]; then find build -mindepth 1 -maxdepth 1 ! -name kernels -exec rm -rf {} +; fi

distclean:	## remove build/ completely
	$(Q)rm -rf build

.PHONY: all help clean distclean
