# SPDX-License-Identifier: GPL-2.0-or-later
"""The BTF of a kernel image: the section is part of what the image unpacks to."""

import lzma
import struct
import subprocess
import zlib

HEADER = struct.Struct("<HBBIIIII")  # magic, version, flags, length of the header, offset and length of types, strings
START = b"\x9f\xeb\x01\x00" + struct.pack("<I", HEADER.size)
SMALLEST = 100_000  # bytes of types: a module has fewer

UNPACK = {
    b"\xfd7zXZ\0": lambda data: lzma.LZMADecompressor().decompress(data),
    b"\x1f\x8b\x08": lambda data: zlib.decompressobj(31).decompress(data),
    b"\x28\xb5\x2f\xfd": lambda data: through("zstd", data),
    b"\x02\x21\x4c\x18": lambda data: through("lz4", data),
}


def through(program, data):
    """What the program unpacks; bytes behind the packed ones are an error for it, and do not matter here."""
    return subprocess.run([program, "-dc"], input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def positions(data, start):
    at = data.find(start)
    while at >= 0:
        yield at
        at = data.find(start, at + 1)


def unpacked(image):
    """The image, and everything in it that unpacks."""
    yield image
    for start, unpack in UNPACK.items():
        for at in positions(image, start):
            try:
                yield unpack(image[at:])
            except (lzma.LZMAError, zlib.error):
                continue


def section(data):
    for at in positions(data, START):
        _, _, _, head, types_at, types, strings_at, strings = HEADER.unpack_from(data, at)
        if types_at == 0 and types >= SMALLEST and strings_at >= types:
            return data[at:at + head + strings_at + strings]
    return None


def of_image(path):
    """The BTF of the kernel in that file. None: it has none."""
    return next(filter(None, map(section, unpacked(path.read_bytes()))), None)
