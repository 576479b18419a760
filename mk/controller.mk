# SPDX-License-Identifier: GPL-2.0-or-later
# The controller, build/ktrace. It consists of all C files in the folders below: a new file needs no line here.

LIBRARIES := readline json-c libelf libzstd
# The controller is not linked with capstone: it loads it when it is first needed (arch/engine.c).
# Evaluated once, by the first recipe that uses it: before that, the packages may not be installed.
LIB_CFLAGS = $(eval LIB_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(LIBRARIES) capstone))$(LIB_CFLAGS)
LIB_LDLIBS = $(eval LIB_LDLIBS := $(shell $(PKG_CONFIG) --libs $(LIBRARIES)) -liberty -lm -pthread -ldl)$(LIB_LDLIBS)

# core/ring.c and core/capture.c are compiled into the module and into the controller.
CTL_SRC := $(wildcard ctl/*.c ctl/*/*.c ctl/*/*/*.c symbols/*/*.c arch/*.c arch/*/elf.c arch/$(ARCH)/user/*.c core/ring.c core/capture.c)
CTL_OBJ := $(CTL_SRC:%.c=$(OUT)/obj/%.o)
CTL_CFLAGS = -std=gnu11 -I. -Iarch/$(ARCH)/user -I$(OUT)/gen $(DEFINES) $(LIB_CFLAGS) $(WARNINGS)

##@ Build
controller: $(OUT)/ktrace	## only the controller, build/ktrace

$(OUT)/ktrace: $(CTL_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) -pie -Wl,-z,relro,-z,now $(LDFLAGS) -o $@ $^ $(LIB_LDLIBS)

$(OUT)/obj/%.o: %.c Makefile mk/base.mk mk/controller.mk | $(DEPS)/build.installed
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CTL_CFLAGS) $(CFLAGS) $(HARDENING) -MMD -MP -c -o $@ $<

# The names of the system calls by their numbers, from the headers of the C library; and those of 32-bit programs.
calls-x86 := asm/unistd_64.h
calls-arm64 := asm/unistd.h
compat-calls-x86 := asm/unistd_32.h
# The headers of another architecture: the options are for the preprocessor only.
compat-calls-arm64 := asm/unistd.h
compat-flags-arm64 := -isystem /usr/arm-linux-gnueabihf/include -D__ARM_EABI__
# $(call call-names,HEADER,FLAGS): a number may stand behind a base, or be another macro's (__NR_mmap is __NR3264_mmap).
call-names = echo '\#include <$(1)>' | $(CC) $(2) -E -dM - | \
	awk '$$2 ~ /^__NR/ { name = $$2; $$1 = $$2 = ""; gsub(/[()+ ]|__NR_SYSCALL_BASE/, ""); value[name] = $$0 } \
	     END { for (name in value) { number = value[name]; while (number in value) number = value[number]; \
		if (name ~ /^__NR_[a-z0-9_]+$$/ && number ~ /^[0-9]+$$/) print "CALL(" number ", " substr(name, 6) ")" } }' | \
	grep -v -e ' syscalls)' -e ' arch_specific' | sort -r | sort -s -u -t, -k1,1

$(OUT)/gen/call_names.h: mk/controller.mk | $(DEPS)/build.installed
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)$(call call-names,$(calls-$(ARCH))) >$@.new
	$(Q)mv $@.new $@

$(OUT)/gen/compat_call_names.h: mk/controller.mk | $(DEPS)/build.installed
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)$(call call-names,$(compat-calls-$(ARCH)),$(compat-flags-$(ARCH))) >$@.new
	$(Q)mv $@.new $@

$(patsubst %,%/ctl/ask/events/call_names.o,$(OUT)/obj build/asan build/fuzz): | $(OUT)/gen/call_names.h $(OUT)/gen/compat_call_names.h

-include $(CTL_OBJ:.o=.d)

.PHONY: controller
