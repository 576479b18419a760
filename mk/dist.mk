# SPDX-License-Identifier: GPL-2.0-or-later
# Releases: the tarball of a tag or commit. It builds without git; two tarballs of one commit are equal, byte for byte.

REF ?= HEAD
DIST_TO := build/dist

##@ Package
dist:	## the tarball of a commit or tag, in build/dist/ [REF=v0.1.0]
	$(Q)mk/dist $(REF) $(DIST_TO)

##@ Test
check-dist: | $(DEPS)/build.installed $(DEPS)/module.installed	## build what `make dist` makes, without git
	@rm -f build/results/dist.tsv
	+$(Q)tests/sample build/results/dist.tsv dist tests/dist $(KERNEL)

check-traces: controller	## read the traces that earlier releases have recorded
	@rm -f build/results/traces.tsv
	$(Q)tests/traces/check build/results/traces.tsv

.PHONY: dist check-dist check-traces
