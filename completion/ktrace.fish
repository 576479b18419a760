# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of ktrace(1) in fish: ktrace itself prints the candidates.

function __ktrace_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l dashes (contains --index -- -- $words)

    # A command and its arguments follow --.
    if set -q dashes[1]
        set -e words[1..$dashes]
        complete --do-complete (string join ' ' -- (string escape -- $words) "$word")
        return
    end
    set -l offered (command $words[1] --complete $words[2..-1] "$word" 2>/dev/null)
    if test "$offered[1]" = :files
        __fish_complete_path "$word"
    else
        string join \n -- $offered
    end
end

complete --command ktrace --no-files --arguments '(__ktrace_complete)'
