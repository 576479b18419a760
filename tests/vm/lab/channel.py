# SPDX-License-Identifier: GPL-2.0-or-later
"""Frames between host and guest; tests/vm/guest/port.c is the other end."""

import struct

HEADER = struct.Struct("<II")
CHUNK = 32768


class Channel:
    def __init__(self, sock):
        self._socket = sock
        self._buffer = bytearray()

    def fileno(self):
        return self._socket.fileno()

    def receive(self):
        """The frames that have arrived, as (type, bytes) pairs; None at the end of the channel."""
        data = self._socket.recv(1 << 20)
        if not data:
            return None
        self._buffer += data
        return list(self._frames())

    def _frames(self):
        at = 0
        while len(self._buffer) - at >= HEADER.size:
            kind, length = HEADER.unpack_from(self._buffer, at)
            end = at + HEADER.size + length
            if len(self._buffer) < end:
                break
            yield chr(kind), bytes(self._buffer[at + HEADER.size:end])
            at = end
        del self._buffer[:at]

    def send(self, kind, data=b""):
        self._socket.sendall(HEADER.pack(ord(kind), len(data)) + data)
