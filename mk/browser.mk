# SPDX-License-Identifier: GPL-2.0-or-later
# The pages of --html in a browser without a screen (81 MB to fetch, 290 MB installed).

PACKAGES_browser := chromium python3
deps: build/deps/browser.installed

##@ Test
check-browser: build/asan/test_report | build/deps/browser.installed	## pages for browsers, shown by one
	$(Q)tests/browser/check --results build/results/browser.tsv

.PHONY: check-browser
