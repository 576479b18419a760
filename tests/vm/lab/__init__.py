# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab: stock Debian kernels under QEMU, with ktrace inside."""
