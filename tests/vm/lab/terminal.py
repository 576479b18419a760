# SPDX-License-Identifier: GPL-2.0-or-later
"""The user's terminal, while the guest uses it."""

import contextlib
import os
import signal
import struct
import sys
import termios
import tty

# Ctrl-] leaves a guest that no longer responds.
ESCAPE = b"\x1d"


def size():
    try:
        columns, rows = os.get_terminal_size(sys.stdin.fileno())
    except OSError:
        columns, rows = 80, 24
    return struct.pack("<II", rows, columns)


@contextlib.contextmanager
def raw():
    """Pass every key to the guest unchanged; restore the terminal at the end."""
    fd = sys.stdin.fileno()
    if not os.isatty(fd):
        yield
        return
    saved = termios.tcgetattr(fd)
    try:
        tty.setraw(fd)
        yield
    finally:
        termios.tcsetattr(fd, termios.TCSADRAIN, saved)


@contextlib.contextmanager
def on_resize(function):
    old = signal.signal(signal.SIGWINCH, lambda *_: function())
    try:
        yield
    finally:
        signal.signal(signal.SIGWINCH, old)
