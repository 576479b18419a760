# SPDX-License-Identifier: GPL-2.0-or-later
"""One guest, from its boot to the status of its command."""

import contextlib
import os
import select
import selectors
import struct
import sys
import time

from . import console, disk, initramfs, terminal
from .channel import CHUNK, Channel
from .qemu import Machine

# These exit statuses are the lab's own; all others are the command's.
TIMED_OUT = 124
TROUBLE = 125

# The guest's first process prints this on the console before it loads ktrace.ko.
UP = b"lab: the kernel is up"
# A kernel patches itself at boot, which an old QEMU may not notice (see emulator.py). A guest that hangs before
# ktrace is loaded is booted again, up to BOOTS times in all. It hangs when its console has had nothing new for SILENT_SECONDS,
# however slow this machine is, or when it is not up after BOOT_SECONDS: a kernel that hangs may complain from time to time.
BOOTS = 3
SILENT_SECONDS = 90
BOOT_SECONDS = 900


class Ended(Exception):
    """The guest is over. The text gives the reason, unless its command ended."""


class NotUp(Exception):
    """The kernel hangs while it boots."""


def write_all(fd, data):
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view):]


def memory_file(name):
    return open(os.memfd_create(name), "w+b")


class Guest:
    def __init__(self, options, kernel):
        self.options = options
        self.kernel = kernel
        self.status = None
        self.failure = None
        self.first_output = None
        self._log_bytes = b""
        self._file = None
        self._wanted = list(options.get)
        self._handlers = {
            "H": lambda _: None,
            "O": lambda data: self._output(1, data),
            "E": lambda data: self._output(2, data),
            "F": self._file_begins,
            "D": lambda data: self._file.write(data),
            "L": self._log_comes,
            "X": self._failed,
            "R": self._input_wanted,
            "S": self._ended,
        }

    def run(self):
        """Boot, run the command, and return the exit status for this program."""
        # Use unnamed files: they disappear even if this process is killed.
        with memory_file("initrd") as initrd:
            initrd.write(initramfs.Base(self.kernel, self.options.disk, self.options.modprobe).data())
            initrd.write(initramfs.overlay(self.options, self.kernel))
            initrd.flush()
            for boots_left in reversed(range(BOOTS)):
                try:
                    self._boot(initrd, boots_left > 0)
                    break
                except NotUp as hung:
                    print(f"tests/vm/run: the kernel {hung}: it is booted again", file=sys.stderr)
        return self._verdict()

    def _boot(self, initrd, again):
        self.started = time.monotonic()
        image = self._image()
        with self._console_file() as log:
            with contextlib.closing(Machine(self.options, self.kernel, initrd, log, image)) as machine:
                self.channel = Channel(machine.channel)
                if again and not self.options.gdb and not 0 < self.options.timeout <= SILENT_SECONDS:
                    self._comes_up(log)
                self._serve(machine)
            self._read_logs(log)

    def _image(self):
        """The image of the guest's disk, or None."""
        return disk.template() if self.options.disk else None

    def _comes_up(self, log):
        """Wait for the guest's first words, or for its console to report that the kernel is up. NotUp: it hangs."""
        size, grown = 0, time.monotonic()
        while not select.select([self.channel], [], [], 1)[0] and UP not in os.pread(log.fileno(), CHUNK, 0):
            now = time.monotonic()
            if os.fstat(log.fileno()).st_size > size:
                size, grown = os.fstat(log.fileno()).st_size, now
            if now - grown > SILENT_SECONDS * self.kernel.slow:
                raise NotUp(f"said nothing for {now - grown:.0f} s")
            if now - self.started > BOOT_SECONDS * self.kernel.slow:
                raise NotUp(f"was not up within {now - self.started:.0f} s")

    def _console_file(self):
        """The file for QEMU's console output. A named file can be watched while the guest runs."""
        return open(self.options.keep_log, "w+b") if self.options.keep_log else memory_file("console")

    def _read_logs(self, log):
        self._console = log.read().decode(errors="replace")
        self._log = self._log_bytes.decode(errors="replace")
        if self.options.keep_log:
            log.write(f"--- the kernel log at the end ---\n{self._log}".encode())

    def _serve(self, machine):
        try:
            with contextlib.ExitStack() as stack:
                if self.options.interactive:
                    stack.enter_context(terminal.raw())
                    stack.enter_context(terminal.on_resize(self._resize))
                    self._resize()
                self._loop()
        except Ended as end:
            if end.args:
                self.failure = end.args[0]
        if self.status == TIMED_OUT and self.failure:
            machine.interrupt()
            machine.wait(3)
        elif self.status is None:
            machine.wait(3)
            complaint = machine.complaint()
            self.failure += f" ({complaint})" if complaint else ""

    def _loop(self):
        with selectors.DefaultSelector() as selector:
            selector.register(self.channel, selectors.EVENT_READ, self._from_guest)
            self._selector = selector
            while True:
                for key, _ in selector.select(self._time_left()):
                    key.data()

    def _time_left(self):
        """The longest time to wait; no limit for an interactive guest."""
        if not self.options.timeout:
            return None
        left = self.started + self.options.timeout - time.monotonic()
        if left <= 0:
            self.status = TIMED_OUT
            raise Ended(f"no end within {self.options.timeout:g} s")
        return left

    def _input_wanted(self, _):
        """Wait for the user's input, too. epoll refuses a regular file, which is always ready."""
        try:
            self._selector.register(sys.stdin.fileno(), selectors.EVENT_READ, self._from_person)
        except PermissionError:
            self._send_input()

    def _from_person(self):
        self._selector.unregister(sys.stdin.fileno())
        self._send_input()

    def _send_input(self):
        data = os.read(sys.stdin.fileno(), CHUNK)
        if self.options.interactive and terminal.ESCAPE in data:
            self.status = 0
            raise Ended
        self.channel.send("I", data)

    def _resize(self):
        self.channel.send("W", terminal.size())

    def _from_guest(self):
        try:
            frames = self.channel.receive()
        except ConnectionResetError:
            frames = None
        if frames is None:
            raise Ended("the guest died")
        for kind, data in frames:
            self._handlers[kind](data)

    def _output(self, fd, data):
        if self.first_output is None:
            self.first_output = time.monotonic() - self.started
        write_all(fd, data)

    def _file_begins(self, name):
        guest, host = self._wanted.pop(0)
        if self._file:
            self._file.close()
        if not name:
            self._failed(f"cannot read {guest} in the guest".encode())
            return
        self._file = open(host, "wb")

    def _log_comes(self, data):
        self._log_bytes += data

    def _failed(self, why):
        self.failure = why.decode(errors="replace").strip()

    def _ended(self, data):
        self.status = struct.unpack("<I", data)[0]
        if self._file:
            self._file.close()
        raise Ended

    def _verdict(self):
        found = list(dict.fromkeys(console.trouble(self._console) + console.trouble(self._log)))
        if not self.failure and not found:
            return self.status
        sys.stderr.write(console.report(self._console, self._log))
        for line in found[:10]:
            print(f"tests/vm/run: kernel log: {line}", file=sys.stderr)
        why = self.failure or f"trouble in the kernel log (the command's status was {self.status})"
        print(f"tests/vm/run: kernel {self.kernel}: {why}", file=sys.stderr)
        return TIMED_OUT if self.status == TIMED_OUT and self.failure else TROUBLE
