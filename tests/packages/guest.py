# SPDX-License-Identifier: GPL-2.0-or-later
"""A guest with the disk, the kernel and the systemd of a release. The agent of the lab is a service there, which runs one
command (tests/vm/guest/protocol.h).
"""

import sys

from roots import TOP, Failed

sys.path.append(str(TOP / "tests/vm"))

from lab import accel, arch, kernels, options, programs
from lab.guest import Guest
from lab.paths import LabError

SECONDS = 3000
SERVICE = """\
[Unit]
Description=What the lab wants
After=systemd-user-sessions.service

[Service]
ExecStart=/lab/agent
StandardInput=null

[Install]
WantedBy=multi-user.target
"""
# The modules that the kernel needs before it has its disk.
INITRAMFS = {"etc/initramfs-tools/conf.d/lab": "MODULES=list\nCOMPRESS=gzip\n",
             "etc/initramfs-tools/modules": "virtio_pci\nvirtio_blk\nvirtio_console\next4\n"}


class Kernel:
    """A kernel of a release, and its initramfs."""

    def __init__(self, release, vmlinuz, initrd):
        self.release, self.vmlinuz, self.initrd = release, vmlinuz, initrd

    class row:
        arch = arch.host_arch()

    def __str__(self):
        return self.release


class DiskGuest(Guest):
    """A guest that keeps its disk, and switches itself off. What it prints goes into a file as it comes."""

    def __init__(self, options, kernel, image, printed):
        super().__init__(options, kernel)
        self.image, self.printed = image, printed

    def run(self):
        with open(self.kernel.initrd, "rb") as initrd:
            self._boot(initrd, False)
        return self._verdict()

    def _image(self):
        return self.image

    def _output(self, fd, data):
        self.printed.write(data)

    def _serve(self, machine):
        super()._serve(machine)
        if self.failure is None and machine.wait(600) is None:
            self.failure = "it does not switch itself off"


def boot(kernel, image, stage, console, nic=None, words=""):
    """Boot it; return what the script of this stage prints."""
    chosen = options.parse(["--timeout", str(SECONDS), "--mem", "1536M", "--keep-log", str(console), "--no-module", "--",
                            "sh", "/lab/stage.sh"])
    chosen.append = f"root=/dev/vda rw lab={stage} systemd.show_status=0 {words}"
    chosen.nic = nic
    chosen.disk_mode = "cache=unsafe"
    try:
        programs.build(chosen.arch)
        chosen.accel = accel.choose(chosen, kernels.Kernel(chosen.kernel, chosen.arch))
        with open(console.with_suffix(".out"), "w+b", buffering=0) as printed:
            guest = DiskGuest(chosen, kernel, image, printed)
            status = guest.run()
            printed.seek(0)
            out = printed.read().decode(errors="replace")
    except LabError as error:
        raise Failed(str(error)) from error
    if status:
        last = guest.failure or (out.strip().splitlines() or ["no output"])[-1]
        raise Failed(f"status {status}: {last}: see {printed.name}, {console}")
    return out
