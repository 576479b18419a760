# SPDX-License-Identifier: GPL-2.0-or-later
"""A private apt: it uses the distribution's archive and signatures, needs no root, and changes nothing on this
machine.

The machine's configuration (proxy, certificates) still applies, so its mirror is used.
"""

import re
import subprocess

from .arch import host_arch
from .paths import LabError, write_whole

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
ARCHIVE = "http://deb.debian.org/debian"

CONFIG = """\
Dir::State "{dir}";
Dir::State::lists "{dir}/lists";
Dir::State::status "{dir}/status";
Dir::Cache "{dir}/cache";
Dir::Etc::sourcelist "{dir}/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
APT::Architecture "{arch}";
APT::Architectures {{ "{arch}"; "{host}"; }};
APT::Sandbox::User "";
Acquire::Languages "none";
Acquire::Retries "3";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
"""


def machine_mirror():
    """The URI of the Debian archive that this machine uses."""
    try:
        lines = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI)"],
                               capture_output=True, text=True, check=True).stdout.split()
    except (OSError, subprocess.CalledProcessError):
        lines = []
    for uri in lines:
        if re.search(r"/debian/?$", uri):
            return uri.rstrip("/")
    return ARCHIVE


def source(mirror, suite, arch):
    """A line of sources.list. Security suites are beside the archive."""
    uri = mirror + "-security" if suite.endswith("-security") else mirror
    return f"deb [arch={arch} signed-by={KEYRING}] {uri} {suite} main\n"


class Apt:
    def __init__(self, directory, suites, arch):
        self.dir = directory
        self.suites = suites.split(",")
        self.arch = arch
        self.config = directory / "apt.conf"
        self._options = []

    def on_host(self):
        """The same lists, for packages that run on this machine."""
        out = Apt(self.dir, ",".join(self.suites), self.arch)
        out._options = ["-o", f"APT::Architecture={host_arch()}"]
        return out

    def _run(self, *args, cwd=None):
        run = subprocess.run([args[0], "-c", self.config, *self._options, *args[1:]], cwd=cwd,
                             capture_output=True, text=True)
        if run.returncode:
            raise LabError(f"{args[0]} {args[1]}: {run.stderr.strip() or run.stdout.strip()}")
        return run.stdout

    def update(self):
        """Fetch the signed package lists."""
        for sub in ("lists/partial", "cache/archives/partial"):
            (self.dir / sub).mkdir(parents=True, exist_ok=True)
        host = host_arch()
        mirror = machine_mirror()
        arches = self.arch if self.arch == host else f"{self.arch},{host}"
        sources = "".join(source(mirror, s, arches) for s in self.suites)
        write_whole(self.config, CONFIG.format(dir=self.dir, arch=self.arch, host=host).encode())
        write_whole(self.dir / "sources.list", sources.encode())
        write_whole(self.dir / "status", b"")
        self._run("apt-get", "-q", "--error-on=any", "update")

    def depends(self, package):
        out = self._run("apt-cache", "depends", package)
        return re.findall(r"^ +(?:Pre)?Depends: (\S+)", out, re.M)

    def version(self, package):
        found = re.search(r"Candidate: (\S+)", self._run("apt-cache", "policy", package))
        if not found or found[1] == "(none)":
            raise LabError(f"{','.join(self.suites)} has no package {package}")
        return found[1]

    def download(self, packages, directory):
        """Fetch packages, given as 'name=version'; apt checks size and hash against the signed lists."""
        self._run("apt-get", "-q", "download", *packages, cwd=directory)

    def download_closure(self, packages, directory):
        """Fetch packages and all their dependencies, as for an empty machine."""
        self._run("apt-get", "-q", "-y", "-o", f"Dir::Cache::archives={directory}", "--no-install-recommends",
                  "--download-only", "install", *packages)
