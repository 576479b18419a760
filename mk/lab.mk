# SPDX-License-Identifier: GPL-2.0-or-later
# Small static programs that run inside the guests of the lab.

LAB_CFLAGS := -std=gnu11 -O2 -I. -Iarch/$(ARCH)/user $(WARNINGS) -D_GNU_SOURCE
AGENT_SRC := $(wildcard tests/vm/guest/*.c)
# A program of several files has a folder.
WORK_FOLDERS := $(notdir $(patsubst %/,%,$(wildcard tests/vm/work/*/)))
# Of a program without frame pointers: static with a table of .eh_frame, without one; position independent; stripped.
UNWOUND_KINDS := -static -bare -pie -stripped
WORK_BIN := $(patsubst tests/vm/work/%.c,$(OUT)/vm/bin/%,$(filter-out %/unwound.c,$(wildcard tests/vm/work/*.c))) $(OUT)/vm/bin/usertruth-pie \
	$(OUT)/vm/bin/fuzz-register $(UNWOUND_KINDS:%=$(OUT)/vm/bin/unwound%) $(WORK_FOLDERS:%=$(OUT)/vm/bin/%)
# Calls of 32-bit programs, and of 64-bit ones by the gate of 32-bit ones where there is one.
COMPAT_BIN := $(addprefix $(OUT)/vm/bin/,$(if $(filter x86,$(ARCH)),compat32 compat64,compat32))

##@ Build
lab: $(OUT)/vm/agent $(WORK_BIN) $(COMPAT_BIN)	## the programs that run inside guests

$(OUT)/vm/agent: $(AGENT_SRC) $(wildcard tests/vm/guest/*.h) mk/lab.mk | $(DEPS)/lab.installed
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LAB_CFLAGS) -static -s -o $@ $(AGENT_SRC)

# Plugins run in QEMU, so this machine's compiler builds them; the guest's architecture says what they look for.
$(OUT)/vm/%.so: tests/vm/plugin/%.c arch/$(ARCH)/user/mark.h mk/lab.mk | $(DEPS)/lab.installed
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)gcc -std=gnu11 -O2 -Iarch/$(ARCH)/user $(WARNINGS) -fvisibility=hidden -fPIC -shared -o $@ $<

# The compiler must not compute its loop.
$(OUT)/vm/bin/figure10: LAB_CFLAGS += -O0
# Their callers are found by frame pointers.
$(OUT)/vm/bin/callers $(OUT)/vm/bin/tsc: LAB_CFLAGS += -fno-omit-frame-pointer -fno-optimize-sibling-calls
# Programs in which tracepoints are set: at a fixed address, and where the kernel puts it.
USER_TRUTH = $(Q)$(CC) $(LAB_CFLAGS) -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -o $@ $<
$(OUT)/vm/bin/usercalls: TAIL_CALLS := -foptimize-sibling-calls -fno-jump-tables
$(OUT)/vm/bin/usertruth $(OUT)/vm/bin/userhostile $(OUT)/vm/bin/usercalls $(OUT)/vm/bin/userfloats: $(OUT)/vm/bin/%: tests/vm/work/%.c mk/lab.mk | $(DEPS)/lab.installed
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(USER_TRUTH) -static -no-pie $(TAIL_CALLS)
$(OUT)/vm/bin/usertruth-pie: tests/vm/work/usertruth.c mk/lab.mk | $(DEPS)/lab.installed
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(USER_TRUTH) -fPIE -pie
# Programs without frame pointers: the callers of their functions.
UNWOUND := $(UNWOUND_KINDS:%=$(OUT)/vm/bin/unwound%)
$(UNWOUND): tests/vm/work/unwound.c mk/lab.mk | $(DEPS)/lab.installed
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LAB_CFLAGS) -fomit-frame-pointer -fno-optimize-sibling-calls -o $@ $< $(UNWOUND_LINK)
$(OUT)/vm/bin/unwound-bare: UNWOUND_LINK = -static -no-pie -pthread
$(OUT)/vm/bin/unwound-static: UNWOUND_LINK = -static -no-pie -pthread -Wl,--eh-frame-hdr
$(OUT)/vm/bin/unwound-pie: UNWOUND_LINK = -fPIE -pie -pthread
$(OUT)/vm/bin/unwound-stripped: UNWOUND_LINK = -fPIE -pie -pthread -rdynamic -s
# A program with tracepoints of libktrace.
$(OUT)/vm/bin/userevents: tests/vm/work/userevents.c $(OUT)/user/libktrace.a $(wildcard user/ktrace/*) $(wildcard core/*abi*.h) mk/lab.mk | $(DEPS)/lab.installed
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LAB_CFLAGS) -Iuser -static -s -o $@ $< $(OUT)/user/libktrace.a -pthread
# A program with hostile names: with debug information, and events of libktrace.
$(OUT)/vm/bin/strange: tests/vm/work/strange.c tests/unit/strangers.h $(OUT)/user/libktrace.a $(wildcard user/ktrace/*) mk/lab.mk | $(DEPS)/lab.installed
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LAB_CFLAGS) -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -Iuser -static -no-pie -o $@ $< $(OUT)/user/libktrace.a -pthread
# The fuzzer of /dev/ktrace-user.
$(OUT)/vm/bin/fuzz-register: $(wildcard tests/fuzz/register*.c) tests/fuzz/register.h $(wildcard core/*abi*.h) mk/lab.mk | $(DEPS)/lab.installed
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LAB_CFLAGS) -static -s -pthread -o $@ $(wildcard tests/fuzz/register*.c)
$(WORK_FOLDERS:%=$(OUT)/vm/bin/%): $(OUT)/vm/bin/%: $(wildcard tests/vm/work/*.h tests/vm/work/*/*.[ch] core/*abi*.h) mk/lab.mk | $(DEPS)/lab.installed
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LAB_CFLAGS) -static -s -pthread -o $@ $(wildcard tests/vm/work/$*/*.c)
$(OUT)/vm/bin/compat%: tests/vm/compat/$(ARCH)/calls.S mk/lab.mk | $(DEPS)/lab.installed
	$(call say,AS,$@)
	@mkdir -p $(@D)
	$(Q)arm-linux-gnueabihf-as -o $@.o $< && arm-linux-gnueabihf-ld -static -s -o $@ $@.o && rm $@.o
$(OUT)/vm/bin/compat%: tests/vm/compat/$(ARCH)/calls.c mk/lab.mk | $(DEPS)/lab.installed
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -m$* -std=gnu11 -O2 $(WARNINGS) -ffreestanding -fno-stack-protector -fno-pie -fcf-protection=none -mno-sse \
		$(if $(filter 64,$*),-mno-red-zone) -fno-asynchronous-unwind-tables -nostdlib -static -no-pie -s -o $@ $<
$(OUT)/vm/bin/%: tests/vm/work/%.c $(wildcard tests/vm/work/*.h core/*abi*.h) mk/lab.mk | $(DEPS)/lab.installed
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LAB_CFLAGS) -static -s -pthread -o $@ $<

##@ Other
update-kernels: | $(DEPS)/lab.installed	## change to the archive's newest release of KERNEL
	$(Q)tests/vm/kernel update $(KERNEL) $(DEB_ARCH)

##@ Try
demo: all hunt lab	## boot a Debian kernel and show ktrace; on a terminal you get its prompt
	$(Q)tests/vm/demo --kernel $(KERNEL)

.PHONY: lab demo update-kernels
