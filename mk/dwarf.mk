# SPDX-License-Identifier: GPL-2.0-or-later
# Compare the index of debug information with gdb, llvm-addr2line and pahole, on the lab's debug image (283 MB to fetch) and
# on programs of user space.

PACKAGES_dwarf := gdb llvm dwarves python3 debian-archive-keyring g++
deps: build/deps/dwarf.installed

DWARF_OBJ := $(patsubst %.c,build/obj/%.o,$(wildcard arch/*.c arch/*/elf.c arch/$(ARCH)/user/*.c symbols/*/*.c))
DWARF_RUN = tests/dwarf/check --kernel $(KERNEL) $(if $(SEED),--seed $(SEED))

##@ Test
check-dwarf: build/ktrace build/dwarf/dump | build/deps/dwarf.installed	## compare debug information with gdb [SEED=]
	$(Q)nice $(DWARF_RUN)

check-dwarf-sample: build/ktrace build/dwarf/dump | build/deps/dwarf.installed	## the same for a sample of 40 functions
	$(Q)nice $(DWARF_RUN) --functions 40 --lines 3000 --structs 300 --results build/results/dwarf-sample.tsv

# Each way to build the program of tests/dwarf in C++, and ktrace itself. In Rust and Go where a compiler is installed: gdb
# does not tell the frames of the one, addr2line not the lines of the other.
DWARF_WAYS := O0:-O0 O2:-O2 fixed:-O1,-no-pie,-gdwarf-4 static:-O1,-static \
	types4:-O2,-gdwarf-4,-fdebug-types-section types5:-O2,-fdebug-types-section
DWARF_PROGRAMS := $(foreach way,$(DWARF_WAYS),build/dwarf/program-$(firstword $(subst :, ,$(way)))) build/ktrace \
	$(if $(shell command -v rustc),build/dwarf/program-rust) $(if $(shell command -v go),build/dwarf/program-go)
dwarf-counts = $(if $(filter %-rust,$(1)),--functions 0 --lines 2000,--functions 80 $(if $(filter %-go,$(1)),--lines 0,--lines 2000))

check-dwarf-programs: build/ktrace build/dwarf/dump $(DWARF_PROGRAMS) | build/deps/dwarf.installed	## the same for programs of user space
	$(Q)$(foreach file,$(DWARF_PROGRAMS),echo "$(file):"; nice tests/dwarf/check --file $(file) --structs 0 \
		$(call dwarf-counts,$(file)) --results build/results/dwarf-$(notdir $(file)).tsv $(if $(SEED),--seed $(SEED)) || exit 1;)

check-entry: build/ktrace build/dwarf/entry | build/deps/dwarf.installed	## compare parameters at the entry of each kernel function with its prototype
	$(Q)nice tests/dwarf/entry --kernel $(KERNEL)

comma := ,
build/dwarf/program-rust: tests/dwarf/program.rs
	$(call say,RUSTC,$@)
	@mkdir -p $(@D)
	$(Q)rustc -g -C opt-level=1 -o $@ $<

build/dwarf/program-go: tests/dwarf/program.go
	$(call say,GO,$@)
	@mkdir -p $(@D)
	$(Q)go build -o $@ $<

build/dwarf/program-%: tests/dwarf/program.cc mk/dwarf.mk | build/deps/dwarf.installed
	$(call say,CXX,$@)
	@mkdir -p $(@D)
	$(Q)g++ -g $(subst $(comma), ,$(patsubst $*:%,%,$(filter $*:%,$(DWARF_WAYS)))) -o $@ $<

build/dwarf/dump build/dwarf/entry: build/dwarf/%: build/obj/tests/dwarf/%.o $(DWARF_OBJ)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -pie $(LDFLAGS) -o $@ $^ $(LIB_LDLIBS)

-include $(DWARF_OBJ:.o=.d) build/obj/tests/dwarf/dump.d build/obj/tests/dwarf/entry.d

.PHONY: check-dwarf check-dwarf-sample check-dwarf-programs check-entry
