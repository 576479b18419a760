# SPDX-License-Identifier: GPL-2.0-or-later
# The sweep over all instructions of a guest's kernel, and the fuzzer of the device's calls.

SWEEP_CFLAGS = -std=gnu11 -O2 -g -I. -Itests/sweep -D_GNU_SOURCE $(shell pkg-config --cflags capstone) $(WARNINGS)
# What the two share, and what each has for itself.
SWEEP_LIB := $(addprefix tests/sweep/,device.c symbols.c live.c kmsg.c pick.c)
SWEEP_SRC := $(SWEEP_LIB) $(filter-out $(SWEEP_LIB),$(wildcard tests/sweep/*.c))
FUZZ_SRC := $(SWEEP_LIB) $(wildcard tests/fuzz/ioctl*.c)
SWEEP_HDR := $(wildcard tests/sweep/*.h tests/fuzz/ioctl*.h) kmod/ktrace_abi.h

build/sweep/sweep: $(SWEEP_SRC)
build/sweep/fuzz-ioctl: $(FUZZ_SRC)
build/sweep/%: $(SWEEP_HDR) mk/sweep.mk | build/deps/build.installed
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SWEEP_CFLAGS) -static-pie -fPIE -s -pthread -o $@ $(filter %.c,$^) -lcapstone

##@ Test
sweep: module truth lab build/sweep/sweep	## trace instructions all over a kernel in a guest: [SEED= COUNT= KERNEL=]
	$(Q)tests/sweep/run --kernel $(KERNEL) $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT))

fuzz-ioctl: module lab build/sweep/fuzz-ioctl	## call the device as nobody should, in a guest: [SEED= COUNT= KERNEL=]
	$(Q)tests/fuzz/ioctl-run --kernel $(KERNEL) $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT))

.PHONY: sweep fuzz-ioctl
