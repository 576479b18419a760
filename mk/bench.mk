# SPDX-License-Identifier: GPL-2.0-or-later
# Measurements: each program tests/bench/NAME is `make bench-NAME`. A file with a suffix is part of one.

##@ Measure
BENCHES := $(patsubst tests/bench/%,%,$(foreach file,$(wildcard tests/bench/*),$(if $(suffix $(file)),,$(file))))
# The others measure this machine.
BENCHES := $(if $(CROSS),hit,$(BENCHES))

# One after the other: they would measure each other.
bench: all truth lab	## all measurements; one of them: bench-NAME, as bench-hit
	$(Q)for name in $(BENCHES); do echo "== $$name"; tests/bench/$$name --kernel $(KERNEL) || exit; done

$(BENCHES:%=bench-%): bench-%: all truth lab
	$(Q)tests/bench/$* --kernel $(KERNEL)

.PHONY: bench $(BENCHES:%=bench-%)
