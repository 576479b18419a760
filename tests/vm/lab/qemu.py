# SPDX-License-Identifier: GPL-2.0-or-later
"""The QEMU command line, and QEMU as a child process."""

import json
import os
import socket
import subprocess

from . import emulator
from .paths import LAB_BUILD, LabError

COMMON_APPEND = "console=ttyS0 panic=-1 oops=panic unknown_nmi_panic loglevel=5"
# For --icount: time counts instructions, so nothing may depend on chance.
STEADY_APPEND = "nokaslr mitigations=off norandmaps"

# Five-level page tables only make every emulated page walk longer. QEMU 7 computes the flags of a cmpxchg16b from
# those of the wrong instruction, which kills a 6.12 kernel at boot: without that instruction kernels use another way.
TCG_CPU = "max,la57=off,cx16=off"
# The emulator's TSC is one for all CPUs and never goes back, but says nothing of it; ktrace is to be tested
# with the clock that real machines have.
TCG_APPEND = "tsc=reliable"


def tsc_khz(options):
    """The rate of the guest's TSC, which is the host's: calibrating it against emulated timers goes wrong under load."""
    if options.icount:
        return 1000000
    run = subprocess.run([LAB_BUILD / "bin/tsc", "khz"], capture_output=True, text=True, check=True)
    return int(run.stdout)


def accelerator(options):
    if options.icount:
        return ["-accel", "tcg", "-icount", "shift=0,sleep=off", "-cpu", TCG_CPU, "-seed", "1",
                "-rtc", "base=2020-01-01,clock=vm"]
    if options.accel == "kvm":
        return ["-accel", "kvm", "-cpu", "host"]
    return ["-accel", "tcg", "-cpu", TCG_CPU]


def inherited(fd):
    return f"/proc/self/fd/{fd}"


def arguments(options, kernel, initrd, log, channel, monitor, disk):
    append = [COMMON_APPEND, f"{TCG_APPEND} tsc_early_khz={tsc_khz(options)}" if options.accel == "tcg" else "",
              STEADY_APPEND if options.icount else "", options.append]
    out = [*emulator.command(options.arch), "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
           *accelerator(options),
           "-smp", str(options.smp), "-m", options.mem,
           "-kernel", str(kernel.vmlinuz), "-initrd", inherited(initrd),
           "-append", " ".join(a for a in append if a),
           "-serial", f"file:{inherited(log)}",
           "-device", "virtio-serial-pci",
           "-chardev", f"socket,id=channel,fd={channel}", "-device", "virtserialport,chardev=channel",
           "-chardev", f"socket,id=monitor,fd={monitor}", "-mon", "chardev=monitor,mode=control"]
    if disk:
        out += ["-drive", f"file={disk},format=raw,if=none,id=disk,snapshot=on",
                "-device", "virtio-blk-pci,drive=disk"]
    if options.gdb:
        out += ["-gdb", options.gdb]
    return out


class Machine:
    """A running QEMU; ended, with its guest, by close()."""

    def __init__(self, options, kernel, initrd, log, disk=None):
        self.channel, channel = socket.socketpair()
        self.monitor, monitor = socket.socketpair()
        fds = [file.fileno() for file in (initrd, log, channel, monitor)]
        command = arguments(options, kernel, *fds, disk)
        # Should this process be killed, the guest goes with it.
        command = ["setpriv", "--pdeathsig", "KILL", *command]
        try:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                             stderr=subprocess.PIPE, pass_fds=fds, start_new_session=True)
        except FileNotFoundError as error:
            raise LabError(f"{error.filename} is not there: run `make deps`") from error
        channel.close()
        monitor.close()

    def interrupt(self):
        """Send an NMI to every CPU: the kernel panics and so shows where it was."""
        for command in ("qmp_capabilities", "inject-nmi"):
            self.monitor.send(json.dumps({"execute": command}).encode() + b"\n")

    def wait(self, seconds):
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def complaint(self):
        """What QEMU itself has said."""
        os.set_blocking(self._process.stderr.fileno(), False)
        return " ".join((self._process.stderr.read() or b"").decode(errors="replace").split())

    def close(self):
        self._process.kill()
        self._process.wait()
        self.channel.close()
        self.monitor.close()
