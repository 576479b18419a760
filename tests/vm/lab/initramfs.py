# SPDX-License-Identifier: GPL-2.0-or-later
"""The initramfs of a guest: a base that seldom changes and is cached, followed by the files of this run.

It is not compressed: software emulation copies faster than it decompresses.
"""

import hashlib
import os
import re
import subprocess
import tempfile
from pathlib import Path

from . import debuginfo, programs
from .arch import ARCHES, host_arch
from .cpio import Archive
from .modules import CHANNEL, DISK, Modules, plain_name, unpacked
from .names import folder, replaced, sed_script
from .paths import KERNELS, LAB_BUILD, VM, LabError, locked, out as built_for, write_whole

# This machine's busybox. The one of another architecture, with the same configuration, is in the root that make
# fetches.
BUSYBOX = Path("/bin/busybox")
GUEST_PATH = "/usr/local/bin"
TERMINALS = ["dumb", "linux", "vt100", "xterm", "xterm-256color", "screen", "screen-256color", "tmux-256color"]
TERMINFO = [Path("/etc/terminfo"), Path("/lib/terminfo"), Path("/usr/share/terminfo")]

DIRECTORIES = ["dev", "proc", "sys", "run", "mnt", "root", "etc", "var", "lab", "usr/local/bin", "usr/bin",
               "usr/sbin", "sbin", "bin", "home/nobody", "tmp"]
ETC = {
    "passwd": "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/home/nobody:/bin/sh\n",
    "group": "root:x:0:\nnogroup:x:65534:\n",
    "hosts": "127.0.0.1 localhost guest\n",
    "profile": "PS1='guest# '\n",
}


def root_of(arch):
    """The root directory that the programs of an architecture were linked in."""
    if arch == host_arch():
        return Path("/")
    if os.environ.get("SYSROOT"):
        return Path(os.environ["SYSROOT"])
    return KERNELS / f"root-{os.environ.get('SUITE', 'bookworm')}-{arch}"


def lab_programs(arch):
    """The workloads, which `make lab` builds."""
    programs = sorted((built_for(arch) / "vm/bin").glob("*"))
    return [p for p in programs if p.suffix != ".d"]


def terminfo(name):
    for root in TERMINFO:
        path = root / name[:1] / name
        if name and path.is_file():
            return path
    return None


def asked_for(program):
    """The names of the libraries and of the loader that a program or library needs."""
    text = subprocess.run(["readelf", "-Wdl", program], capture_output=True, text=True).stdout
    return re.findall(r"(?:Shared library: \[|program interpreter: )([^\]]+)", text)


def loaded_later(program):
    """The names of the libraries that a program loads when it first needs them: see arch/engine.c."""
    return sorted({name.decode() for name in re.findall(rb"libcapstone\.so\.\d+", program.read_bytes())})


def place_of(name, root, arch, program):
    """The path below root of what the program needs: a library, given its name, or the loader, given its path."""
    triple = ARCHES[arch].triple
    places = [name] if name.startswith("/") else [f"/{d}/{triple}/{name}" for d in ("lib", "usr/lib")]
    path = next((p for p in places if (root / p[1:]).exists()), None)
    if not path:
        raise LabError(f"{program} needs {name}, which is not in {root}")
    return path


def libraries(program, arch):
    """The shared libraries and the loader of a program, as pairs of guest path and host path."""
    if arch == host_arch():
        return [(path, Path(path)) for path in own_libraries(program)]
    root = root_of(arch)
    found, names = {}, asked_for(program) + loaded_later(program)
    while names:
        name = names.pop()
        # Whoever takes the program takes its own library, too.
        if "/" not in name and (program.parent / name).exists():
            continue
        path = place_of(name, root, arch, program)
        if path not in found:
            found[path] = root / path[1:]
            names += asked_for(found[path])
    return sorted(found.items())


def own_libraries(program):
    """The libraries of a program of this machine, as its loader finds them."""
    run = subprocess.run(["ldd", program], capture_output=True, text=True)
    if "not a dynamic" in run.stdout + run.stderr:
        return []
    if "not found" in run.stdout or run.returncode:
        raise LabError(f"{program} does not run here: {run.stdout.strip() or run.stderr.strip()}")
    words = [w for line in run.stdout.splitlines() for w in line.split()]
    later = [place_of(name, Path("/"), host_arch(), program) for name in loaded_later(program)]
    return sorted({w for w in words if w.startswith("/")} | set(later))


class Base:
    """Busybox, the agent, workloads, terminal descriptions, modules of the distribution."""

    def __init__(self, kernel, disk, extra):
        self.kernel = kernel
        self.arch = kernel.row.arch
        self.agent = built_for(self.arch) / "vm/agent"
        self.busybox = root_of(self.arch) / BUSYBOX.relative_to("/")
        self.modules = Modules(kernel.modules)
        self.order = self.modules.order(CHANNEL + (DISK if disk else []) + extra)
        self.sources = [VM / "guest/init", self.agent, self.busybox, *lab_programs(self.arch), Path(__file__),
                        *sorted((VM / "lab").glob("cpio.py"))]

    def _key(self):
        parts = [str(self.kernel), *self.order]
        parts += [f"{p} {p.stat().st_size} {p.stat().st_mtime_ns}" for p in self.sources]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]

    def data(self):
        name = f"base-{self.kernel.row.name}-"
        path = LAB_BUILD / f"{name}{self._key()}.cpio"
        try:
            return path.read_bytes()
        except FileNotFoundError:
            pass
        # Whoever adds one forgets old ones, so read it under the lock.
        with locked(LAB_BUILD / ".base.lock"):
            if not path.is_file():
                write_whole(path, self._build())
                self._forget_old(name)
            return path.read_bytes()

    @staticmethod
    def _forget_old(name):
        for old in sorted(LAB_BUILD.glob(name + "*"), key=lambda p: p.stat().st_mtime)[:-4]:
            old.unlink()

    def _build(self):
        out = Archive()
        for name in DIRECTORIES:
            out.directory(name)
        out.file("init", (VM / "guest/init").read_bytes(), 0o755)
        out.copy("lab/agent", self.agent)
        out.copy("bin/busybox", self.busybox)
        for applet in subprocess.run([BUSYBOX, "--list"], capture_output=True, text=True, check=True).stdout.split():
            if applet != "busybox":
                out.link(f"bin/{applet}", "/bin/busybox")
        for name, text in ETC.items():
            out.file(f"etc/{name}", text.encode())
        for program in lab_programs(self.arch):
            out.copy(f"{GUEST_PATH}/{program.name}", program)
        for name in TERMINALS:
            if terminfo(name):
                out.copy(f"usr/share/terminfo/{name[0]}/{name}", terminfo(name))
        self._put_modules(out)
        return out.finish()

    def _put_modules(self, out):
        root = f"lib/modules/{self.kernel.release}"
        plain = [plain_name(path) for path in self.order]
        for path, name in zip(self.order, plain):
            out.file(f"{root}/{name}", self.modules.read(path))
        out.file("lab/modules", "".join(f"/{root}/{name}\n" for name in plain).encode())
        # For modprobe, which a user of ktrace calls, too.
        names = plain + ["updates/ktrace.ko", "updates/ktrace_user.ko", "updates/ktruth.ko"]
        out.file(f"{root}/modules.dep", "".join(f"{name}:\n" for name in names).encode())


def objcopy(arch):
    return "objcopy" if arch == host_arch() else f"{ARCHES[arch].triple}-objcopy"


def stripped(module, arch):
    """A module without its debug information, which the guest does not need."""
    with tempfile.NamedTemporaryFile() as out:
        run = subprocess.run([objcopy(arch), "--strip-debug", module, out.name], capture_output=True)
        if run.returncode:
            raise LabError(f"objcopy {module}: {run.stderr.decode()}")
        return Path(out.name).read_bytes()


def put_module(out, kernel, name):
    """Add a module of the project, if it is built."""
    built = built_for(kernel.row.arch) / "kmod" / kernel.release / name
    if built.is_file():
        out.file(f"lib/modules/{kernel.release}/updates/{built.name}", stripped(built, kernel.row.arch))
    return built.is_file()


def put_aliases(out, kernel):
    """Add the list that depmod makes of the aliases of ktrace_user.ko, for the kernel's modprobe."""
    built = built_for(kernel.row.arch) / "kmod" / kernel.release / "ktrace_user.ko"
    aliases = re.findall(rb"\0alias=([^\0]+)", built.read_bytes()) if built.is_file() else []
    lines = [f"alias {alias.decode()} ktrace_user\n" for alias in aliases]
    out.file(f"lib/modules/{kernel.release}/modules.alias", "".join(lines).encode())


def put_program(out, program, name, arch):
    """Add a program with its libraries."""
    out.copy(name, program)
    for place, library in libraries(program, arch):
        out.copy(place, library)


def put_built(out, kernel):
    """Add the results of `make` in build/; return whether the module is among them."""
    program = built_for(kernel.row.arch) / "ktrace"
    if program.is_file():
        put_program(out, program, f"{GUEST_PATH}/ktrace", kernel.row.arch)
    put_module(out, kernel, "ktrace_user.ko")
    put_aliases(out, kernel)
    return put_module(out, kernel, "ktrace.ko")


def put_installed(out, kernel, directory):
    """Add a tree made by `make install`; return whether the module is in it."""
    updates = directory / f"lib/modules/{kernel.release}/updates"
    for path in sorted(p for p in directory.rglob("*") if p.is_file()):
        name = str(path.relative_to(directory))
        if path.parent.name == "bin":
            put_program(out, path, name, kernel.row.arch)
        elif path.parent == updates:
            out.file(plain_name(name), unpacked(path))
        else:
            out.copy(name, path)
    return any(updates.glob("ktrace.ko*"))


def put_project(out, options, kernel):
    directory = Path(options.installed) if options.installed else built_for(kernel.row.arch)
    found = put_installed(out, kernel, directory) if options.installed else put_built(out, kernel)
    put_module(out, kernel, "ktruth/ktruth.ko")
    put_module(out, kernel, "fault/ktrace_fault.ko")
    put_module(out, kernel, "fault/ktrace_user_fault.ko")
    if options.no_module:
        return
    if not found:
        raise LabError(f"no ktrace.ko for {kernel.release} in {directory}: run "
                       f"`make module ARCH={ARCHES[kernel.row.arch].folder} KERNEL={kernel.row.generation}`, "
                       "or give --no-module")
    out.file("lab/ktrace-args", options.module_args.encode())


def put_names(out, arch):
    """Add the files that the cases use; see lib.sh."""
    out.file("lab/lib.sh", replaced(arch, (VM / "lib.sh").read_text()).encode())
    out.file("lab/leaks.sh", (VM / "leaks.sh").read_bytes())
    out.file("lab/names.sed", sed_script(arch).encode())
    for path in sorted(folder(arch).iterdir()):
        lines = path.read_text().splitlines(keepends=True)
        out.file(f"lab/arch/{path.name}", "".join(s for s in lines if not s.startswith("#")).encode())


def nul_list(words):
    return b"".join(w.encode(errors="surrogateescape") + b"\0" for w in words)


def overlay(options, kernel):
    """The archive of this run: the project's programs, the command, files."""
    out = Archive()
    put_project(out, options, kernel)
    put_names(out, options.arch)
    out.file("lab/argv", nul_list(options.command))
    if options.get:
        out.file("lab/get", nul_list(guest for guest, _ in options.get))
    for flag in ("disk", "stdin"):
        if getattr(options, flag):
            out.file(f"lab/{flag}", b"")
    if options.interactive:
        out.file("lab/tty", b"")
        if terminfo(options.term) and options.term not in TERMINALS:
            out.copy(f"usr/share/terminfo/{options.term[0]}/{options.term}", terminfo(options.term))
    if options.debug_info:
        index = debuginfo.index(kernel)
        out.copy(f"{debuginfo.IN_GUEST}/{index.name}", index)
    for name in options.built:
        program = programs.built(name, options.arch)
        if program.is_file():  # mk/languages.mk builds some only for the architecture of this machine
            put_program(out, program, f"{GUEST_PATH}/{program.name}", options.arch)
    for host, guest in options.put:
        out.copy(guest, Path(host))
    return out.finish()
