# SPDX-License-Identifier: GPL-2.0-or-later
"""Perfetto's schema as its Python package has it."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from pypi import Unavailable, unpacked  # noqa: E402,F401  (beside this folder; Unavailable is for callers)


def load():
    """The module with all messages. Unavailable: there is no pip, no network, ..."""
    sys.path.insert(0, str(unpacked(HERE / "requirements.txt")))
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2
    return perfetto_trace_pb2
