# SPDX-License-Identifier: GPL-2.0-or-later
# A random part of each test that takes hours in full. Each test prints its seed.

SAMPLES := $(OUT)/results/samples.tsv
SAMPLED = $(if $(filter run,$(FIDELITY_HOW)),fidelity) sweep $(if $(SWEEP_THUNKS),sweep-thunks) fuzz-ioctl
SAMPLE_fidelity = $(FIDELITY_RUN) --count 1000000
SAMPLE_sweep = tests/sweep/run --kernel $(KERNEL) --jobs $(SWEEP_JOBS) --count 10000
SAMPLE_sweep-thunks = tests/sweep/run --kernel $(KERNEL) --cpu $(SWEEP_THUNKS) --jobs $(SWEEP_JOBS) --count 2500
SAMPLE_fuzz-ioctl = tests/fuzz/ioctl-run --kernel $(KERNEL) --count 10000

sample = tests/sample $(SAMPLES) $(1) $(SAMPLE_$(1))

##@ Test
check-samples: module truth lab $(OUT)/sweep/sweep $(OUT)/sweep/fuzz-ioctl	## a random part of the long tests
	@rm -f $(SAMPLES)
	$(Q)status=0; $(foreach name,$(SAMPLED),$(call sample,$(name)) || status=1;) exit $$status

check-samples: $(if $(filter fidelity,$(SAMPLED)),$(FIDELITY)/fidelity $(FIDELITY)/corpus)

.PHONY: check-samples
