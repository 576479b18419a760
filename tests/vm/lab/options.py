# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line of tests/vm/run."""

import argparse
import os

from .arch import ARCHES, default_arch
from .guest import TIMED_OUT, TROUBLE

DESCRIPTION = "Boot a stock Debian kernel in QEMU with ktrace inside and run COMMAND there."
EPILOG = f"""\
Standard output, standard error and exit status are COMMAND's own, apart from the guest's console. Exit status
{TIMED_OUT}: no end within the timeout; {TROUBLE}: the guest could not be started, died, or its kernel
log shows trouble (the log is then printed to standard error).
With --interactive, Ctrl-] leaves a guest that answers no more."""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(TROUBLE, f"{self.prog}: {message}\n")


def pair(text):
    left, colon, right = text.partition(":")
    if not (left and colon and right):
        raise argparse.ArgumentTypeError(f"{text!r} is not FROM:TO")
    return left, right


def parser():
    out = Parser(prog="tests/vm/run", description=DESCRIPTION, epilog=EPILOG, allow_abbrev=False,
                 formatter_class=argparse.RawDescriptionHelpFormatter,
                 usage="%(prog)s [OPTIONS] -- COMMAND [ARGUMENT ...]")
    add = out.add_argument
    add("--kernel", default="6.1", metavar="GENERATION", help="a kernel of tests/vm/kernels (6.1)")
    add("--arch", default=default_arch(), choices=ARCHES, help="its architecture")
    add("--smp", type=int, metavar="N", help="CPUs (2; 1 with --icount)")
    add("--mem", default="1G", metavar="SIZE", help="memory (1G)")
    add("--icount", action="store_true", help="the guest's TSC counts instructions, the same in every run")
    add("--slow", type=int, default=0, metavar="N", help="with --icount: an instruction takes 2^N ns")
    add("--disk", action="store_true", help="a virtio disk with an ext4 file system on /mnt")
    add("--timeout", type=float, metavar="SECONDS", help="how long the guest may take in all (600; 0: for ever)")
    add("--interactive", action="store_true", help="COMMAND gets this terminal (default COMMAND: a shell)")
    add("--stdin", action="store_true", help="COMMAND gets the standard input (default: none)")
    add("--no-module", action="store_true", help="do not load ktrace.ko")
    add("--module-args", default="", metavar="'NAME=VALUE ...'", help="parameters for ktrace.ko")
    add("--installed", metavar="DIR", help="take ktrace from what `make install DESTDIR=DIR` made, not from build/")
    add("--modprobe", action="append", default=[], metavar="NAME", help="load this module of the kernel, too")
    add("--append", default="", metavar="WORDS", help="more for the kernel command line")
    add("--debug-info", action="store_true", help="put an index of the kernel's debug information in, from the cache of kernels")
    add("--put", action="append", type=pair, default=[], metavar="HOST:GUEST", help="copy a file in")
    add("--built", action="append", default=[], metavar="NAME", help="make this program of build/, and put it into the PATH with its libraries")
    add("--get", action="append", type=pair, default=[], metavar="GUEST:HOST", help="copy a file out at the end")
    add("--keep-log", metavar="FILE", help="write console and kernel log there")
    add("--accel", choices=["kvm", "tcg"], help="instead of finding out")
    add("--cpu", metavar="MODEL", help="tcg: what QEMU's -cpu is to be, for instance EPYC")
    add("--secure-boot", metavar="DIR", help="boot DIR/vmlinuz by a firmware with Secure Boot and the variables DIR/vars.fd, see tests/secureboot/machine")
    add("--gdb", metavar="DEVICE", help="wait for gdb there, as QEMU's -gdb, for instance unix:/tmp/gdb,server")
    add("--profile", metavar="FILE", help="write there how often each block of instructions ran while `took` was at work")
    add("--quiet", action="store_true", help="do not name the kernel on standard error")
    add("--parallel", action="store_true", help="tcg: a thread for each CPU, which now and then runs text that is no more")
    add("--timing", action="store_true", help="say on standard error when the first output came")
    add("command", nargs="*", metavar="COMMAND", help="run as it is, without a shell in between")
    return out


def megabytes(size):
    return int(size.rstrip("MG")) * (1024 if size.endswith("G") else 1)


def adapt(options, kernel):
    """What the kernel needs beyond what was asked for: some that look for bugs are large and slow."""
    options.timeout *= kernel.slow
    options.mem = max(options.mem, kernel.mem, key=megabytes)
    if kernel.leaks and not options.interactive:
        options.command = ["sh", "/lab/leaks.sh", *options.command]


def parse(args):
    """The words after `--` belong to the command, even if they look like options."""
    split = args.index("--") if "--" in args else len(args)
    out = parser()
    options = out.parse_args(args[:split])
    options.command += args[split + 1:]
    options.smp = options.smp or (1 if options.icount else 2)
    if options.timeout is None:
        options.timeout = 0 if options.interactive else 600
    options.disk_mode, options.nic = "snapshot=on", None
    options.term = os.environ.get("TERM", "dumb") or "dumb"
    if options.icount and options.smp != 1:
        out.error("--icount counts the instructions of one CPU: leave --smp out")
    if options.slow and not options.icount:
        out.error("--slow says how long an instruction takes: give --icount, too")
    if options.interactive and not options.command:
        options.command = ["sh", "-l"]
    if options.interactive:
        options.command = ["env", f"TERM={options.term}", *options.command]
    if not options.command:
        out.error("no COMMAND (try --help)")
    return options
