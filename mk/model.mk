# SPDX-License-Identifier: GPL-2.0-or-later
# The proof of the trace ring.

# This test goes through the ring instruction by instruction: through those that the compiler makes of it in earnest.
build/asan/tests/unit/test_ring_step.o: UNIT_CFLAGS := -O2 -g -Itests/unit
