# SPDX-License-Identifier: GPL-2.0-or-later
# Measurements: `make bench-NAME` runs the program tests/bench/NAME. A file with a suffix belongs to one of them.

PACKAGES_benchuser := gcc libc6-dev liblttng-ust-dev lttng-tools
deps: $(DEPS)/benchuser.installed

##@ Measure
BENCHES := $(patsubst tests/bench/%,%,$(foreach file,$(wildcard tests/bench/*),$(if $(suffix $(file)),,$(file))))
# On another architecture only `hit` works: the others measure this machine.
BENCHES := $(if $(CROSS),hit,$(BENCHES))

# Run one at a time: parallel measurements would disturb each other.
bench: all truth lab user | $(DEPS)/benchuser.installed	## run all measurements; bench-NAME runs one, such as bench-hit
	$(Q)for name in $(BENCHES); do echo "== $$name"; tests/bench/$$name --kernel $(KERNEL) || exit; done

# Programs of this machine; no guest.
bench-user: user | $(DEPS)/benchuser.installed	## tracepoints in programs, beside LTTng-UST: [OPTIONS=]
	$(Q)tests/bench/user $(OPTIONS)

$(filter-out bench-user,$(BENCHES:%=bench-%)): bench-%: all truth lab
	$(Q)tests/bench/$* --kernel $(KERNEL)

.PHONY: bench $(BENCHES:%=bench-%)
