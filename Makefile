# SPDX-License-Identifier: GPL-2.0-or-later
# ktrace: `make help` lists what can be made.

VERSION := 0.1.0

# The kernel that the module is built for and tested on: a generation of tests/vm/kernels.
KERNEL ?= 6.1

.DEFAULT_GOAL := all

include mk/base.mk
include mk/controller.mk
include mk/unit.mk
include mk/module.mk
include mk/lab.mk
include mk/check.mk
include mk/install.mk
include mk/style.mk
include mk/deps.mk

all: controller module	## the controller and the module for KERNEL (default)

help:	## this list
	@sed -n 's/^\([a-z][a-z-]*\):.*## */\1\t/p' $(MAKEFILE_LIST) | while IFS='	' read -r name text; do \
		printf '  %-16s %s\n' "$$name" "$$text"; done
	@echo
	@echo '  V=1 shows every command; KERNEL=6.1 chooses the kernel; DESTDIR= and PREFIX= apply to install.'

clean:	## remove what was built (the fetched kernels stay)
	$(Q)if [ -d build ]; then find build -mindepth 1 -maxdepth 1 ! -name kernels -exec rm -rf {} +; fi

distclean:	## remove build/ and all in it
	$(Q)rm -rf build

.PHONY: all help clean distclean
