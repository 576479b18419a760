# SPDX-License-Identifier: GPL-2.0-or-later
"""Does KVM work here? A guest that boots under KVM is the test. The answer is kept until this machine reboots.
"""

import copy
import os
from pathlib import Path

from .arch import host_arch
from .guest import Guest
from .paths import LAB_BUILD, LabError, write_whole

KVM = Path("/dev/kvm")


def boots(options, kernel):
    """Does a guest answer soon under KVM?"""
    probe = copy.copy(options)
    probe.__dict__.update(accel="kvm", icount=False, interactive=False, stdin=False, disk=False, gdb=None, secure_boot=None, profile=None,
                          get=[], put=[], built=[], modprobe=[], no_module=True, append="", smp=1, timeout=10,
                          keep_log=None, command=["true"])
    saved = os.dup(2)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    try:
        return Guest(probe, kernel).run() == 0
    except LabError:
        return False
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(null)


def choose(options, kernel):
    if options.icount or options.cpu or kernel.row.arch != host_arch() or not os.access(KVM, os.R_OK | os.W_OK):
        return "tcg"
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    answer = LAB_BUILD / f"accel-{boot}-{os.getuid()}"
    if not answer.is_file():
        write_whole(answer, b"kvm" if boots(options, kernel) else b"tcg")
    return answer.read_text()
