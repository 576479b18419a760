# SPDX-License-Identifier: GPL-2.0-or-later
# Install the controller, its pages and the source of the modules below DESTDIR and PREFIX. Without DESTDIR, also install the
# modules, built for the running kernel. If DKMS is there, it builds them, and rebuilds them after kernel updates.

PREFIX ?= /usr/local
BIN_TO = $(DESTDIR)$(PREFIX)/bin
MAN_TO = $(DESTDIR)$(PREFIX)/share/man
DOC_TO = $(DESTDIR)$(PREFIX)/share/doc/ktrace
BASH_TO = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSH_TO = $(DESTDIR)$(PREFIX)/share/zsh/site-functions
FISH_TO = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
UNIT_TO = $(DESTDIR)$(PREFIX)/lib/systemd/system
# udev looks here, whatever the prefix.
RULES_TO = $(DESTDIR)/usr/lib/udev/rules.d
LIBDIR = $(PREFIX)/lib
LIB_TO = $(DESTDIR)$(LIBDIR)
INCLUDE_TO = $(DESTDIR)$(PREFIX)/include/ktrace
PYTHON_TO = $(DESTDIR)$(PREFIX)/share/ktrace/python
RUST_TO = $(DESTDIR)$(PREFIX)/share/ktrace/rust
# DKMS looks here, whatever the prefix.
SRC_TO = $(DESTDIR)/usr/src/ktrace-$(VERSION)

# The kernel for `modules` and `modules_install`.
KVER ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KVER)/build
KOUT = $(CURDIR)/$(OUT)/kmod/local-$(KVER)

MAN_PAGES := $(wildcard man/*.[1-8])
DOCS := $(wildcard README.md NEWS.md LICENSE docs/*.md docs/*.json docs/*.py)
man-to = $(MAN_TO)/man$(patsubst .%,%,$(suffix $(1)))/$(notdir $(1))
KMOD_PARTS = $(filter-out %/Kbuild,$(KMOD_SRC))

##@ Install
install: install-files $(if $(DESTDIR),,install-module)	## install all (with DESTDIR: no built module)
	@:

install-files: controller install-user
	$(call say,INSTALL,$(BIN_TO)/ktrace)
	$(Q)install -D -m 755 $(OUT)/ktrace $(BIN_TO)/ktrace
	$(Q)$(foreach page,$(MAN_PAGES),install -D -m 644 $(page) $(call man-to,$(page)) &&) :
	$(Q)install -D -m 644 completion/ktrace.bash $(BASH_TO)/ktrace && install -D -m 644 completion/_ktrace $(ZSH_TO)/_ktrace
	$(Q)install -D -m 644 completion/ktrace.fish $(FISH_TO)/ktrace.fish
	$(Q)install -d $(UNIT_TO) && sed 's:@BIN@:$(PREFIX)/bin:' mk/ktrace-flight.service >$(UNIT_TO)/ktrace-flight.service
	$(Q)install -D -m 644 mk/70-ktrace-user.rules $(RULES_TO)/70-ktrace-user.rules
	$(Q)install -d $(DOC_TO) && install -m 644 $(DOCS) $(DOC_TO)
	$(call say,INSTALL,$(SRC_TO))
	$(Q)rm -rf $(SRC_TO)
	$(Q)for file in $(KMOD_PARTS); do install -D -m 644 "$$file" "$(SRC_TO)/$$file" || exit; done
	$(Q)install -m 644 kmod/Kbuild $(SRC_TO)/Kbuild
	$(Q)sed 's/@VERSION@/$(VERSION)/' mk/dkms.conf >$(SRC_TO)/dkms.conf

# Programs with tracepoints need no more than this.
install-user: user	## install only libktrace, for programs with tracepoints
	$(call say,INSTALL,$(LIB_TO)/libktrace.so)
	$(Q)install -d $(INCLUDE_TO) && install -m 644 $(USER_HEADERS) $(INCLUDE_TO)
	$(Q)install -D -m 644 $(USER_OUT)/libktrace.a $(LIB_TO)/libktrace.a
	$(Q)install -m 755 $(USER_OUT)/libktrace.so.$(USER_API) $(LIB_TO) && ln -sf libktrace.so.$(USER_API) $(LIB_TO)/libktrace.so
	$(Q)install -d $(LIB_TO)/pkgconfig && sed 's:@PREFIX@:$(PREFIX):; s:@LIBDIR@:$(LIBDIR:$(PREFIX)/%=$${prefix}/%):; s:@VERSION@:$(VERSION):' mk/ktrace.pc >$(LIB_TO)/pkgconfig/ktrace.pc
	$(Q)install -D -m 644 man/ktrace-user.3 $(MAN_TO)/man3/ktrace-user.3
	$(Q)install -D -m 644 bindings/python/ktrace.py $(PYTHON_TO)/ktrace.py
	$(Q)install -d $(RUST_TO)/src && install -m 644 bindings/rust/Cargo.toml bindings/rust/build.rs $(RUST_TO) && install -m 644 bindings/rust/src/lib.rs $(RUST_TO)/src
	$(Q)$(if $(DESTDIR),,ldconfig 2>/dev/null || :)

install-module: install-files
	+$(Q)mk/install-module $(VERSION) $(KVER) $(KDIR)

modules: | $(DEPS)/module.installed	## build the modules for the running kernel, or for KVER with headers in KDIR
	$(call say,KMOD,'ktrace.ko for $(KVER)')
	+$(Q)V=$(V) CROSS_COMPILE=$(CROSS_COMPILE) mk/kbuild $(KDIR) local-$(KVER) . kmod/Kbuild $(KMOD_PARTS)

# The kernel's build signs the modules if it has the key. With DESTDIR, depmod is the packager's task.
modules_install: modules	## install these modules, without DKMS
	$(call say,INSTALL,$(DESTDIR)/lib/modules/$(KVER)/updates/ktrace.ko)
	$(call say,INSTALL,$(DESTDIR)/lib/modules/$(KVER)/updates/ktrace_user.ko)
	+$(Q)$(MAKE) -s -C $(KDIR) M=$(KOUT) INSTALL_MOD_PATH=$(DESTDIR) INSTALL_MOD_DIR=updates INSTALL_MOD_STRIP=1 \
		$(if $(wildcard $(KDIR)/certs/signing_key.pem),,CONFIG_MODULE_SIG_ALL=) cmd_depmod=true \
		modules_install >/dev/null
	$(Q)$(if $(DESTDIR),,depmod $(KVER))

# Under Secure Boot: docs/install.md.  What DKMS builds, it signs itself.
modules_sign: $(filter modules_install,$(MAKECMDGOALS))	## sign the installed modules: KEY=FILE CERT=FILE
	$(Q)mk/sign-modules '$(KEY)' '$(CERT)' $(KDIR) '$(DESTDIR)' $(KVER)

uninstall:	## remove everything that install and modules_install installed
	$(Q)$(if $(DESTDIR),,mk/uninstall-module $(VERSION))
	$(Q)rm -rf $(SRC_TO) $(DOC_TO) $(BIN_TO)/ktrace $(BASH_TO)/ktrace $(ZSH_TO)/_ktrace $(FISH_TO)/ktrace.fish $(UNIT_TO)/ktrace-flight.service $(RULES_TO)/70-ktrace-user.rules $(INCLUDE_TO) $(PYTHON_TO) $(RUST_TO) $(wildcard $(LIB_TO)/libktrace.*) $(LIB_TO)/pkgconfig/ktrace.pc $(foreach page,$(MAN_PAGES),$(call man-to,$(page)))

.PHONY: install install-files install-user install-module modules modules_install modules_sign uninstall
