# SPDX-License-Identifier: GPL-2.0-or-later
# The controller, build/ktrace. It consists of all C files in the folders below: a new file needs no line here.

LIBRARIES := capstone readline json-c libelf libzstd
# Evaluated once, by the first recipe that uses it: before that, the packages may not be installed.
LIB_CFLAGS = $(eval LIB_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(LIBRARIES)))$(LIB_CFLAGS)
LIB_LDLIBS = $(eval LIB_LDLIBS := $(shell $(PKG_CONFIG) --libs $(LIBRARIES)) -ldwarf -liberty -lm -pthread -ldl)$(LIB_LDLIBS)

# core/ring.c and core/capture.c are compiled into the module and into the controller.
CTL_SRC := $(wildcard ctl/*.c ctl/*/*.c symbols/*/*.c arch/*.c arch/*/elf.c arch/$(ARCH)/user/*.c core/ring.c core/capture.c)
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

# The names of the system calls, from the headers of the C library; the compiler knows their numbers.
$(OUT)/gen/call_names.h: mk/controller.mk | $(DEPS)/build.installed
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)echo '#include <asm/unistd.h>' | $(CC) -E -dM - | \
		sed -n 's/^#define __NR_\([a-z0-9_]*\) .*/CALL(\1)/p' | grep -v -e '(syscalls)' -e '(arch_specific' | sort >$@.new
	$(Q)mv $@.new $@

$(patsubst %,%/ctl/events/call_names.o,$(OUT)/obj build/asan build/fuzz): | $(OUT)/gen/call_names.h

-include $(CTL_OBJ:.o=.d)

.PHONY: controller
