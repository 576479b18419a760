# SPDX-License-Identifier: GPL-2.0-or-later
# Compare the index of debug information with gdb, addr2line and pahole, on the lab's debug image (283 MB to fetch).

PACKAGES_dwarf := gdb binutils dwarves python3 debian-archive-keyring
deps: build/deps/dwarf.installed

DWARF_OBJ := $(patsubst %.c,build/obj/%.o,tests/dwarf/dump.c $(wildcard arch/elf.c arch/*/elf.c symbols/*/*.c))
DWARF_RUN = tests/dwarf/check --kernel $(KERNEL) $(if $(SEED),--seed $(SEED))

##@ Test
check-dwarf: build/ktrace build/dwarf/dump | build/deps/dwarf.installed	## compare debug information with gdb [SEED=]
	$(Q)nice $(DWARF_RUN)

check-dwarf-sample: build/ktrace build/dwarf/dump | build/deps/dwarf.installed	## the same for a sample of 40 functions
	$(Q)nice $(DWARF_RUN) --functions 40 --lines 3000 --structs 300 --results build/results/dwarf-sample.tsv

build/dwarf/dump: $(DWARF_OBJ)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -pie $(LDFLAGS) -o $@ $^ $(LIB_LDLIBS)

-include $(DWARF_OBJ:.o=.d)

.PHONY: check-dwarf check-dwarf-sample
