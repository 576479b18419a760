# SPDX-License-Identifier: GPL-2.0-or-later
# Programs of several languages and ways to link, for guests: they tell the truth about their own calls. Only long cases
# need them, because the compilers are large.

LANGUAGES := $(OUT)/vm/languages
PACKAGES_languages := $(COMPILER) g++$(if $(CROSS),-$(subst _,-,$(TRIPLE))) golang-go binutils \
	$(if $(CROSS),,rustc musl-tools clang)
# Debian's compilers, also where PATH has others first.
GO ?= /usr/bin/go
RUSTC ?= /usr/bin/rustc
CXX_LANGUAGES := $(CROSS_COMPILE)g++ $(if $(CROSS),--sysroot=$(SYSROOT) -I/usr/$(TRIPLE)/include/c++/12 -I/usr/$(TRIPLE)/include/c++/12/$(TRIPLE))
SEPARATE_ID := 706c616e7465642d74727574682d6f662d747275
UNOPTIMISED := gcc cpp clang rust
# Neither Debian's musl nor its Rust can be installed beside this machine's for another architecture.
OF_THIS_MACHINE := $(addprefix $(LANGUAGES)/,panics served contents-rust usertruth-musl usercalls-musl $(UNOPTIMISED:%=unoptimised-%))
LANGUAGE_PROGRAMS := $(addprefix $(LANGUAGES)/,throws contents-cpp moves contents-go tails libtails.so usertruth-separate usertruth-separate.debug) \
	$(if $(CROSS),,$(OF_THIS_MACHINE))

##@ Build
languages: $(LANGUAGE_PROGRAMS)	## programs of C++, Rust and Go for long tests in guests

$(LANGUAGES)/throws: tests/vm/languages/throws.cpp
$(LANGUAGES)/contents-cpp: tests/vm/languages/contents.cpp
$(LANGUAGES)/throws $(LANGUAGES)/contents-cpp: mk/languages.mk | $(DEPS)/languages.installed
	$(call say,CXX,$@)
	@mkdir -p $(@D)
	$(Q)$(CXX_LANGUAGES) -std=c++17 -O2 -g -Wall -Wextra -Werror $(if $(CROSS),-static-libstdc++ -static-libgcc) -o $@ $(filter %.cpp,$^)

$(LANGUAGES)/moves: tests/vm/languages/moves.go
$(LANGUAGES)/contents-go: tests/vm/languages/contents.go
$(LANGUAGES)/moves $(LANGUAGES)/contents-go: mk/languages.mk | $(DEPS)/languages.installed
	$(call say,GO,$@)
	@mkdir -p $(@D)
	$(Q)GOARCH=$(DEB_ARCH) CGO_ENABLED=0 GOFLAGS= GOTOOLCHAIN=local $(GO) build -o $@ $(filter %.go,$^)

# The program finds its library beside it. -z now: no call goes through the loader.
$(LANGUAGES)/libtails.so: tests/vm/languages/tails_library.c tests/vm/languages/tails.h mk/languages.mk | $(DEPS)/languages.installed
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LAB_CFLAGS) -g -fPIC -shared -o $@ $<
$(LANGUAGES)/tails: tests/vm/languages/tails.c tests/vm/languages/tails.h $(LANGUAGES)/libtails.so mk/languages.mk
	$(call say,CC,$@)
	$(Q)$(CC) $(LAB_CFLAGS) -g -fPIE -pie -rdynamic -Wl,-rpath,'$$ORIGIN' -o $@ $< -L$(@D) -ltails

# The program of other cases without symbols, which are in a file of their own.  Its build id is known to the case.
$(LANGUAGES)/usertruth-separate: tests/vm/work/usertruth.c mk/languages.mk | $(DEPS)/languages.installed
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LAB_CFLAGS) -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -fPIE -pie -Wl,--build-id=0x$(SEPARATE_ID) -o $@.whole $<
	$(Q)$(CROSS_COMPILE)objcopy --only-keep-debug $@.whole $@.debug
	$(Q)$(CROSS_COMPILE)objcopy --strip-all --add-gnu-debuglink=$@.debug $@.whole $@
	@rm $@.whole
$(LANGUAGES)/usertruth-separate.debug: $(LANGUAGES)/usertruth-separate ;

ifeq ($(CROSS),)
$(LANGUAGES)/panics: tests/vm/languages/panics.rs
$(LANGUAGES)/contents-rust: tests/vm/languages/contents.rs
$(LANGUAGES)/panics $(LANGUAGES)/contents-rust: mk/languages.mk | $(DEPS)/languages.installed
	$(call say,RUSTC,$@)
	@mkdir -p $(@D)
	$(Q)$(RUSTC) --edition 2021 -C opt-level=2 -g -o $@ $(filter %.rs,$^)

# With the binding, and the library inside.
$(LANGUAGES)/served: tests/vm/languages/served.rs bindings/rust/src/lib.rs $(OUT)/user/libktrace.a mk/languages.mk | $(DEPS)/languages.installed
	$(call say,RUSTC,$@)
	@mkdir -p $(@D)
	$(Q)$(RUSTC) --edition 2021 -C opt-level=2 --crate-type rlib --crate-name ktrace -o $(@D)/libktrace.rlib bindings/rust/src/lib.rs
	$(Q)$(RUSTC) --edition 2021 -C opt-level=2 --extern ktrace=$(@D)/libktrace.rlib -L native=$(OUT)/user -l static=ktrace -o $@ $<

# Without optimisation: a program of C by each compiler, the same as C++, and one of Rust.
$(LANGUAGES)/unoptimised-rust: tests/vm/languages/unoptimised.rs mk/languages.mk | $(DEPS)/languages.installed
	$(call say,RUSTC,$@)
	@mkdir -p $(@D)
	$(Q)$(RUSTC) --edition 2021 -g -C overflow-checks=off -o $@ $<
$(LANGUAGES)/unoptimised-%: tests/vm/languages/unoptimised.c mk/languages.mk | $(DEPS)/languages.installed
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(if $(filter cpp,$*),g++ -x c++,$*) -O0 -g -o $@ $<

# The programs of other cases, linked statically against musl.
$(LANGUAGES)/%-musl: tests/vm/work/%.c mk/languages.mk | $(DEPS)/languages.installed
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)musl-gcc $(LAB_CFLAGS) -idirafter /usr/include -idirafter /usr/include/$(TRIPLE) -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -static -no-pie $(TAIL_CALLS) -o $@ $<
$(LANGUAGES)/usercalls-musl: TAIL_CALLS := -foptimize-sibling-calls -fno-jump-tables
else
# For another architecture these are not built.  The cases test whether a program is there.
$(OF_THIS_MACHINE): ;
endif

.PHONY: languages
