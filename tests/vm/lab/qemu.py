# SPDX-License-Identifier: GPL-2.0-or-later
"""The QEMU command line, and QEMU as a child process."""

import json
import os
import socket
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

from . import emulator, programs
from .paths import LAB_BUILD, LabError

COMMON_APPEND = "panic=-1 oops=panic loglevel=5"
# For --icount: time counts instructions, so nothing may be random.
STEADY_APPEND = "nokaslr mitigations=off norandmaps"
# The magic keys of the console: print a backtrace of every CPU, and crash.
SHOW_AND_CRASH = (b"l", b"c")
KEY_SECONDS = 0.3
# The firmware with Secure Boot, of Debian's package ovmf.
FIRMWARE = "/usr/share/OVMF/OVMF_CODE_4M.secboot.fd"


class Board(NamedTuple):
    """The emulated machine of an architecture."""
    machine: list
    cpu: str      # with software emulation
    append: str   # added to the kernel's command line
    append_tcg: str
    parallel: bool  # a thread for each CPU, see emulator.py


BOARDS = {
    # la57=off: five-level page tables only slow down the page walks of the emulator. cx16=off: QEMU 7 computes
    # the flags of a cmpxchg16b from those of the wrong instruction, which kills a 6.12 kernel at boot; without
    # cmpxchg16b kernels use other code. The emulator's TSC is common to all CPUs and never goes back, but does
    # not say so; the option makes the kernel use this clock, as on real machines. no_timer_check: at boot the kernel
    # waits for ten interrupts of the timer, and panics ("IO-APIC + timer doesn't work") if the machine is so busy that
    # the emulator is late with them.
    "amd64": Board([], "max,la57=off,cx16=off", "console=ttyS0 unknown_nmi_panic",
                   "tsc=reliable tsc_early_khz={tsc_khz} no_timer_check", False),
    # Use a cheap cipher for pointer authentication, and switch off features that only slow down task switches
    # and page walks. Kernels before 5.12 take LPA2, which has larger addresses, for a lack of 4 KiB pages.
    "arm64": Board(["-M", "virt,gic-version=3"], "max,pauth-impdef=on,sve=off,lpa2=off",
                   "console=ttyAMA0 sysrq_always_enabled", "", True),
}


def tsc_khz(options):
    """The rate of the guest's TSC, which is that of the host: calibration with emulated timers is wrong under load."""
    if options.icount:
        return 1000000
    run = subprocess.run([LAB_BUILD / "bin/tsc", "khz"], capture_output=True, text=True, check=True)
    return int(run.stdout)


def accelerator(options, board):
    if options.icount:
        return ["-accel", "tcg", "-icount", f"shift={options.slow},sleep=off", "-cpu", options.cpu or board.cpu, "-seed", "1",
                "-rtc", "base=2020-01-01,clock=vm"]
    if options.accel == "kvm":
        return ["-accel", "kvm", "-cpu", "host"]
    return ["-accel", "tcg" if options.parallel or board.parallel else "tcg,thread=single", "-cpu", options.cpu or board.cpu]


def command_line(options, board):
    words = [board.append, COMMON_APPEND]
    if options.accel == "tcg" and board.append_tcg:
        words.append(board.append_tcg.format(tsc_khz=tsc_khz(options)))
    words += [STEADY_APPEND if options.icount else "", options.append]
    return " ".join(word for word in words if word)


def inherited(fd):
    return f"/proc/self/fd/{fd}"


def with_secure_boot(directory):
    """Debian's firmware, with the variables and the signed kernel that tests/secureboot/machine has made.

    What the guest writes to the variables is lost at its end.
    """
    return ["-machine", "q35,smm=on", "-global", "driver=cfi.pflash01,property=secure,value=on",
            "-drive", f"if=pflash,unit=0,format=raw,readonly=on,file={FIRMWARE}",
            "-drive", f"if=pflash,unit=1,format=raw,snapshot=on,file={directory}/vars.fd"]


def arguments(options, kernel, initrd, log, channel, monitor, disk):
    board = BOARDS[options.arch]
    out = [*emulator.command(options.arch), *board.machine, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
           *accelerator(options, board),
           "-smp", str(options.smp), "-m", options.mem,
           "-kernel", f"{options.secure_boot}/vmlinuz" if options.secure_boot else str(kernel.vmlinuz), "-initrd", inherited(initrd),
           "-append", command_line(options, board),
           "-chardev", f"stdio,id=console,signal=off,logfile={inherited(log)}", "-serial", "chardev:console",
           "-device", "virtio-serial-pci",
           "-chardev", f"socket,id=channel,fd={channel}", "-device", "virtserialport,chardev=channel",
           "-chardev", f"socket,id=monitor,fd={monitor}", "-mon", "chardev=monitor,mode=control"]
    if disk:
        out += ["-drive", f"file={disk},format=raw,if=none,id=disk,{options.disk_mode}",
                "-device", "virtio-blk-pci,drive=disk"]
    if options.secure_boot:
        out += with_secure_boot(options.secure_boot)
    if options.nic:
        out += ["-nic", options.nic]
    if options.gdb:
        out += ["-gdb", options.gdb]
    if options.profile:
        out += ["-plugin", f"{programs.plugin('profile', kernel.row.arch)},out={options.profile}"]
    return out


class Machine:
    """A running QEMU; close() ends it and its guest."""

    def __init__(self, options, kernel, initrd, log, disk=None):
        self.channel, channel = socket.socketpair()
        self.monitor, monitor = socket.socketpair()
        fds = [file.fileno() for file in (initrd, log, channel, monitor)]
        command = arguments(options, kernel, *fds, disk)
        # If this process is killed, the guest is killed, too.
        command = ["setpriv", "--pdeathsig", "KILL", *command]
        try:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                             stderr=subprocess.PIPE, pass_fds=fds, start_new_session=True)
        except FileNotFoundError as error:
            raise LabError(f"{error.filename} is not there: run `make deps`") from error
        channel.close()
        monitor.close()
        self._arch = options.arch

    def _order(self, command, **arguments):
        self.monitor.send(json.dumps({"execute": command, "arguments": arguments}).encode() + b"\n")

    def interrupt(self):
        """Make the kernel print a backtrace of every CPU, and panic."""
        self._order("qmp_capabilities")
        if self._arch == "amd64":
            self._order("inject-nmi")
            return
        # There is no NMI here: send the magic keys to the console, each after a break.
        for key in SHOW_AND_CRASH:
            self._order("chardev-send-break", id="console")
            time.sleep(KEY_SECONDS)
            os.write(self._process.stdin.fileno(), key)
            time.sleep(KEY_SECONDS)

    def wait(self, seconds):
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def processor_time(self):
        """Seconds for which QEMU has run until now, on all processors together."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def complaint(self):
        """The error messages of QEMU."""
        os.set_blocking(self._process.stderr.fileno(), False)
        return " ".join((self._process.stderr.read() or b"").decode(errors="replace").split())

    def close(self):
        self._process.kill()
        self._process.wait()
        self.channel.close()
        self.monitor.close()
        self._process.stdin.close()
