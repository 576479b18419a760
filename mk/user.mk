# SPDX-License-Identifier: GPL-2.0-or-later
# libktrace, the runtime of tracepoints in programs: $(OUT)/user/libktrace.a and .so. user/$(ARCH) has what depends on the
# architecture.

USER_OUT := $(OUT)/user
# The number in the soname: raise it when programs that are linked with the library must be linked again. debian/ has it in
# the names of the package libktrace1 and its files.
USER_API := 1
USER_HEADERS := $(wildcard user/ktrace/*)
USER_SRC := $(wildcard user/*.c user/$(ARCH)/*.S)
USER_OBJ := $(patsubst %,$(OUT)/obj/%.o,$(basename $(USER_SRC)))
USER_CFLAGS = -std=gnu11 -Iuser -Iuser/$(ARCH) -I. -D_GNU_SOURCE $(WARNINGS) $(CFLAGS) -fPIC -fvisibility=hidden

##@ Build
user: $(USER_OUT)/libktrace.a $(USER_OUT)/libktrace.so	## libktrace, for tracepoints in programs

$(OUT)/obj/user/%.o: user/%.c $(USER_HEADERS) Makefile mk/base.mk mk/user.mk | $(DEPS)/build.installed
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(USER_CFLAGS) -MMD -MP -c -o $@ $<

$(OUT)/obj/user/%.o: user/%.S Makefile mk/base.mk mk/user.mk | $(DEPS)/build.installed
	$(call say,AS,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(USER_CFLAGS) -MMD -MP -c -o $@ $<

$(USER_OUT)/libktrace.a: $(USER_OBJ)
	$(call say,AR,$@)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# nodelete: the kernel may look at a sequence of a thread after the last tracepoint is gone.
$(USER_OUT)/libktrace.so.$(USER_API): $(USER_OBJ)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -shared -Wl,-soname,libktrace.so.$(USER_API),-z,nodelete,-z,relro,-z,now,-z,defs $(LDFLAGS) -o $@ $^ -pthread

$(USER_OUT)/libktrace.so: $(USER_OUT)/libktrace.so.$(USER_API)
	$(Q)ln -sf $(notdir $<) $@

-include $(USER_OBJ:.o=.d)

.PHONY: user
