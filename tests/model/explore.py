# SPDX-License-Identifier: GPL-2.0-or-later
"""Explore the model of the ring, tests/model/ring.pml: the variants, and how to run SPIN."""

import re
import subprocess
from pathlib import Path

MODEL = Path(__file__).resolve().with_name("ring.pml")
OUT = Path("build/model")
DEPTH = 20000  # steps of one run: far more than any run has
MEGABYTES = 2000  # two variants are explored in parallel

# The variants: writes of the task, of interrupts, of NMIs; cells in a packet (an event takes two, an extended one
# three).
QUICK = {
    "pair": "N0=1 N1=1 N2=0 CELLS=4 LEAST=1 PREFILL=2",
    "laps": "N0=1 N1=2 N2=0 CELLS=2 PREFILL=0",
    "discard": "DISCARD N0=1 N1=1 N2=0 CELLS=2 LEAST=1 PREFILL=1",
    "seen": "SEEN",
    "refused": "MOVE ALONE N0=1 N1=0 N2=2 CELLS=4 PREFILL=3",
    "moved": "MOVE N0=0 N1=0 N2=0 CELLS=2 LEAST=1 PREFILL=2",
    "skipped": "MOVE SKIP N0=0 N1=0 N2=0 CELLS=2 LEAST=1 PREFILL=1",
}
FULL = {
    "nested": "N0=1 N1=1 N2=1 CELLS=4 LEAST=2 PREFILL=2",
    "position": "POSITION N0=1 N1=1 N2=0 CELLS=2 LEAST=1 PREFILL=1",
    "times": "EXTENDED ALONE N0=1 N1=1 N2=1 CELLS=5 PREFILL=1",
    "extended": "EXTENDED FAR N0=1 N1=1 N2=0 CELLS=3 LEAST=1 PREFILL=1",
    "refill": "DISCARD N0=1 N1=2 N2=0 CELLS=2 LEAST=1 PREFILL=2",
    "grown": "MOVE NR_THERE=4 N0=1 N1=0 N2=0 CELLS=2 LEAST=2 PREFILL=2",
    "moved-on": "MOVE N0=1 N1=0 N2=0 CELLS=2 LEAST=1 PREFILL=1",
    "moved-nested": "MOVE N0=0 N1=0 N2=1 CELLS=2 LEAST=1 PREFILL=1",
    "tso": "TSO N0=2 N1=1 N2=0 CELLS=4 LEAST=1 PREFILL=2",
}
VARIANTS = {**FULL, **QUICK}


class Unfinished(Exception):
    """The state space was not explored completely, so the result proves nothing."""


def flags_of(variant, *mutants):
    return [f"-D{word}" for word in (*mutants, *VARIANTS[variant].split())]


def explore(name, flags):
    """Explore a variant; return the number of states, and whether there was a violation."""
    where = OUT / name
    where.mkdir(parents=True, exist_ok=True)
    subprocess.run(["spin", "-a", *flags, MODEL], cwd=where, check=True, stdout=subprocess.DEVNULL)
    # The compiler takes longer over a small variant than the variant itself.
    optimise = "-O0" if name in QUICK else "-O2"
    subprocess.run(["cc", optimise, "-w", "-DSAFETY", "-DCOLLAPSE", f"-DMEMLIM={MEGABYTES}", "-o", "pan", "pan.c"],
                   cwd=where, check=True)
    text = subprocess.run(["./pan", f"-m{DEPTH}"], cwd=where, stdout=subprocess.PIPE, text=True).stdout
    states, errors = re.search(r"(\d\S*) states, stored", text), re.search(r"errors: (\d+)", text)
    if not states or not errors or re.search("max search depth too small|out of memory|memory limit", text):
        raise Unfinished(f"{name}: not explored to its end:\n{text}")
    return int(float(states[1])), int(errors[1]) > 0
