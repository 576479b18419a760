# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of ktrace(1) in bash: ktrace itself prints the candidates.

# A command and its arguments follow --.
_ktrace_command() {
	if [ "$1" = 1 ]; then
		mapfile -t COMPREPLY < <(compgen -c -- "$2")
	else
		compopt -o default 2>/dev/null
		COMPREPLY=()
	fi
}

# The text behind the quote that is open at the end of a line, with the quote; nothing if none is.
_ktrace_quoted() {
	local text=$1 quote="" c i start=0
	for ((i = 0; i < ${#text}; i++)); do
		c=${text:i:1}
		if [ -n "$quote" ]; then
			[ "$c" != "$quote" ] || quote=""
		elif [[ $c == [\"\'] ]]; then
			quote=$c start=$i
		fi
	done
	[ -z "$quote" ] || printf "%s" "${text:start}"
}

_ktrace() {
	local line=${COMP_LINE:0:COMP_POINT} word part i quoted
	local -a words
	COMPREPLY=()

	# Split at blanks only: COMP_WORDS splits module:symbol and --option=value.
	quoted=$(_ktrace_quoted "$line")
	read -ra words <<<"${line%"$quoted"}"
	[[ -n $quoted || $line == *[[:blank:]] ]] && words+=("$quoted")
	word=${words[-1]}
	for ((i = 1; i < ${#words[@]} - 1; i++)); do
		if [ "${words[i]}" = -- ]; then
			_ktrace_command $((${#words[@]} - 1 - i)) "$word"
			return
		fi
	done

	mapfile -t COMPREPLY < <("${words[0]}" --complete "${words[@]:1}" 2>/dev/null)
	if [ "${COMPREPLY[0]}" = :files ]; then
		compopt -o default 2>/dev/null
		COMPREPLY=()
		return
	fi
	[ -z "$quoted" ] || return 0
	# The part up to the last : or = is already on the command line.
	part=${word%"${word##*[:=]}"}
	[ -z "$part" ] || COMPREPLY=("${COMPREPLY[@]#"$part"}")
	# No space behind an address that may continue: vfs_write+, event:
	[[ ${#COMPREPLY[@]} = 1 && ${COMPREPLY[0]} == *[:\>] ]] && compopt -o nospace 2>/dev/null
	return 0
}

complete -F _ktrace ktrace
