# SPDX-License-Identifier: GPL-2.0-or-later
# The sweep, which traces instructions all over a guest's kernel, and the fuzzer of the device's ioctls.

SWEEP_CFLAGS = -std=gnu11 -O2 -g -I. -Itests/sweep -Iarch/$(ARCH)/user -D_GNU_SOURCE $(shell $(PKG_CONFIG) --cflags capstone) $(WARNINGS)
# SWEEP_LIB belongs to both programs.
SWEEP_LIB := $(addprefix tests/sweep/,device.c symbols.c live.c kmsg.c pick.c $(ARCH)/insn.c) arch/$(ARCH)/user/prologue.c
SWEEP_SRC := $(SWEEP_LIB) $(filter-out $(SWEEP_LIB),$(wildcard tests/sweep/*.c))
FUZZ_SRC := $(SWEEP_LIB) $(wildcard tests/fuzz/ioctl*.c)
SWEEP_HDR := $(wildcard tests/sweep/*.h tests/fuzz/ioctl*.h core/*abi*.h)

$(OUT)/sweep/sweep: $(SWEEP_SRC)
$(OUT)/sweep/fuzz-ioctl: $(FUZZ_SRC)
$(OUT)/sweep/%: $(SWEEP_HDR) mk/sweep.mk | $(DEPS)/build.installed
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SWEEP_CFLAGS) -static-pie -fPIE -s -pthread -o $@ $(filter %.c,$^) \
		$(if $(filter x86,$(ARCH)),-lcapstone)

# Controllers with a wrong version number: the module must refuse them. One is newer than the module, one older, and one of another
# trace format.
$(OUT)/other/abi/core/ktrace_abi.h: version := KT_ABI_VERSION
$(OUT)/other/old/core/ktrace_abi.h: version := KT_ABI_VERSION
$(OUT)/other/old/core/ktrace_abi.h: other := 1
$(OUT)/other/format/core/ktrace_abi.h: version := KT_TRACE_FORMAT
$(OUT)/other/%/core/ktrace_abi.h: core/ktrace_abi.h mk/sweep.mk
	@mkdir -p $(@D)
	$(Q)sed 's/^#define $(version)\t.*/#define $(version) $(or $(other),4242)/' $< >$@

# The files that know the version number.
OTHER := $(addprefix ctl/base/device/,device node registered) ctl/show/doctor/doctor_module
define compile-other
$(OUT)/other/%/$(1).o: $(1).c $(OUT)/other/%/core/ktrace_abi.h | $(DEPS)/build.installed
	$$(call say,CC,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) -I$(OUT)/other/$$* $$(CTL_CFLAGS) $$(CFLAGS) $$(HARDENING) -c -o $$@ $$<
endef
$(foreach name,$(OTHER),$(eval $(call compile-other,$(name))))

$(OUT)/other/ktrace-%: $(foreach name,$(OTHER),$(OUT)/other/%/$(name).o) $(filter-out $(OTHER:%=$(OUT)/obj/%.o),$(CTL_OBJ))
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) -pie -Wl,-z,relro,-z,now $(LDFLAGS) -o $@ $^ $(LIB_LDLIBS)

# The number of parallel guests. Each keeps one CPU of this machine busy.
SWEEP_JOBS := $(shell [ "$$(nproc)" -ge 2 ] && echo 2 || echo 1)

SWEEP_CHOICE = $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT)) $(if $(BATCH),--batch $(BATCH)) $(if $(CPU),--cpu $(CPU))
# A CPU model with hardware bugs, for which the kernel returns through thunks.
SWEEP_THUNKS := $(if $(filter x86,$(ARCH)),EPYC)

##@ Test
sweep: module truth lab $(OUT)/sweep/sweep	## trace all over a guest's kernel: [SEED= COUNT= BATCH= KERNEL= CPU=]
	$(Q)tests/sweep/run --kernel $(KERNEL) --jobs $(SWEEP_JOBS) $(SWEEP_CHOICE)

fuzz-ioctl: module lab $(OUT)/sweep/fuzz-ioctl	## fuzz the device's ioctls in a guest: [SEED= COUNT= KERNEL=]
	$(Q)tests/fuzz/ioctl-run --kernel $(KERNEL) $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT))

check-account: all truth lab	## 10 million hits of four writers in each mode: hits = read + lost?
	$(Q)tests/sweep/long-case $(KERNEL) account-exact RUNS=20
	$(Q)tests/sweep/long-case $(KERNEL) account-exact-cpus HITS=2500000

check-robust: all truth lab	## kill controllers, reload the module, re-arm, read text, under load
	$(Q)tests/sweep/long-case $(KERNEL) robust-kill KILLS=200
	$(Q)tests/sweep/long-case $(KERNEL) robust-unload ROUNDS=100
	$(Q)tests/sweep/long-case $(KERNEL) quiesce-preempted CYCLES=1000
	$(Q)tests/sweep/long-case $(KERNEL) text-live RUNS=200
	$(Q)tests/sweep/long-case $(KERNEL) text-turns ALL=1

check-register: all lab	## fuzz the registrations of processes for long: [COUNT=1000000 SEED= KERNEL=]
	$(Q)tests/sweep/long-case $(KERNEL) user-hostile COUNT=$(or $(COUNT),1000000) ROUNDS=200 $(SEED:%=SEED=%)

check-returns: all truth lab	## compare returns by tail calls with BPF [COUNT=200 SEED= KERNEL=]
	$(Q)tests/sweep/long-case $(KERNEL) tail-calls-fexit COUNT=$(or $(COUNT),200) $(SEED:%=SEED=%)
	$(Q)COUNT=$(or $(COUNT),200) $(SEED:%=SEED=%) tests/vm/check --kernel $(KERNEL) tail-calls-times
	$(Q)cat $(OUT)/results/logs/tail-calls-times.output

check-windows: all truth lab	## trace memset and the like while CPUs go down and come up [ROUNDS=1000 KERNEL=]
	$(Q)tests/sweep/long-case $(KERNEL) windows ROUNDS=$(or $(ROUNDS),1000)

check-soak: all truth lab	## everything at once for five minutes: counts exact, memory flat [SOAK=seconds KERNEL=]
	$(Q)tests/sweep/long-case $(KERNEL) soak SOAK=$(or $(SOAK),300)

soak:	## the same for hours on four kernels, in steps of two hours; goes on where it stopped [HOURS=8]
	+$(Q)tests/campaign --only 'soak-*' $(HOURS:%=--hours %)

campaign:	## sweeps on all kernels, displaced instructions and windows, in steps; goes on where it stopped [HOURS= ONLY='sweep-*']
	+$(Q)tests/campaign $(HOURS:%=--hours %) $(if $(ONLY),--only '$(ONLY)')

.PHONY: campaign soak check-soak sweep fuzz-ioctl check-account check-robust check-register check-returns check-windows
