# SPDX-License-Identifier: GPL-2.0-or-later
"""The prompt of ktrace on a pseudo-terminal, for cases that use it as a person does."""

import os
import pty
import re
import select
import termios
import time

PROMPT = "(ktrace) "
WAIT = 180  # seconds for an expected text
# ktrace shows a line where something takes more than a second, and erases it afterwards. On a busy machine it can come anywhere.
PROGRESS = re.compile(r"ktrace: [^\r\n]*\r\x1b\[K")
# Escape sequences that move the cursor or change the terminal, also colours.
CONTROLS = re.compile(r"\x1b\[[?0-9;]*[a-zA-Z]|\x1b[=>]|\r|\x07")


class Failed(Exception):
    pass


class Terminal:
    """A guest on a pseudo-terminal, used as a person does."""

    def __init__(self, command):
        child, self.fd = pty.fork()
        if child == 0:
            os.environ["TERM"] = "xterm"
            os.execvp(command[0], command)
        self.child = child
        self.raw = self.seen = ""
        termios.tcsetwinsize(self.fd, (40, 100))

    def _read(self, seconds):
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            data = b""
        self.raw += data.decode(errors="replace")
        self.seen = CONTROLS.sub("", PROGRESS.sub("", self.raw))
        return bool(data)

    def expect(self, text, seconds=WAIT):
        """Wait for the text; return the output up to its end."""
        end = time.monotonic() + seconds
        while text not in self.seen:
            if time.monotonic() > end or not self._read(end - time.monotonic()):
                raise Failed(f"waited in vain for {text!r}; last came {self.seen[-2000:]!r}")
        had = self.seen[:self.seen.index(text) + len(text)]
        self.seen_raw = self.raw
        self.raw = self.seen[len(had):]
        self.seen = self.raw
        return had

    def type(self, text):
        os.write(self.fd, text.encode())

    def say(self, line):
        """Type a whole line; return its output up to the next prompt."""
        self.type(line + "\r")
        return self.expect("\n" + PROMPT)

    def end(self):
        while self._read(WAIT):
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])


def want(what, text, pattern):
    if not re.search(pattern, text, re.M):
        raise Failed(f"{what}: {pattern!r} is not in {text!r}")


def unwanted(what, text, pattern):
    if re.search(pattern, text, re.M):
        raise Failed(f"{what}: {pattern!r} is in {text!r}")
