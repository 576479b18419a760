# SPDX-License-Identifier: GPL-2.0-or-later
# Test the pages of --html in a headless browser (81 MB to fetch, 290 MB installed).

PACKAGES_browser := chromium python3
deps: build/deps/browser.installed

##@ Test
check-browser: build/asan/test_report build/asan/test_trace_report | build/deps/browser.installed	## show the pages of --html in a browser
	$(Q)tests/browser/check --results build/results/browser.tsv

.PHONY: check-browser
