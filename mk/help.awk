# SPDX-License-Identifier: GPL-2.0-or-later
# List the targets, from lines such as `target: needs	## what it makes` below a line `##@ Section`.

BEGIN {
	sections = split("Build|Try|Test|Measure|Install|Other", order, "|")
}
FNR == 1 {
	section = "Other"
}
/^##@ / {
	section = substr($0, 5)
}
/^[a-z][a-z_-]*:.*## / {
	target = $0
	sub(/:.*/, "", target)
	sub(/.*## */, "")
	text[section] = text[section] sprintf("  %-16s %s\n", target, $0)
}
END {
	for (i = 1; i <= sections; i++)
		if (text[order[i]])
			printf "\n%s\n%s", order[i], text[order[i]]
}
