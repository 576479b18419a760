# SPDX-License-Identifier: MIT
"""Tracepoints in Python programs, by libktrace: see ktrace-user(3).

    import ktrace

    ktrace.event("server", "request", id=5, path="/index")

    with ktrace.span("server", "load", path=path):      # events load_begin and load_end
        ...

    @ktrace.traced                                       # events NAME_begin and NAME_end of each call
    def serve(request):
        ...

A program records if it is started with KTRACE_FILE=DIR, together with what its C libraries record. Otherwise these functions do
nothing. Values are integers of at most 64 bits, floats, bools, texts and bytes; of anything else the text.
"""

import contextlib
import ctypes
import functools
import os
import struct
import sys

_MAX_ARGS = 12
_MAX_TEXT = 256
# Numbers of enum ktrace_type.
_I64, _U64, _BOOL, _F64, _STRING, _BYTES = 7, 8, 9, 11, 13, 14


class _Site(ctypes.Structure):
    _fields_ = [("on", ctypes.c_ubyte), ("nr_args", ctypes.c_ubyte), ("reserved", ctypes.c_ubyte),
                ("short_id", ctypes.c_ubyte), ("id", ctypes.c_uint),
                ("line", ctypes.c_uint), ("text", ctypes.c_char_p), ("types", ctypes.c_char_p)]


class _Module(ctypes.Structure):
    _fields_ = [("sites", ctypes.c_void_p), ("sites_end", ctypes.c_void_p), ("enums", ctypes.c_void_p),
                ("enums_end", ctypes.c_void_p), ("next", ctypes.c_void_p)]


def _load():
    """The library, or None if nothing is to be recorded."""
    if not os.environ.get("KTRACE_FILE"):
        return None
    try:
        lib = ctypes.PyDLL("libktrace.so.1")
    except OSError as error:
        print(f"ktrace: nothing is recorded: {error}", file=sys.stderr)
        return None
    lib.ktrace_write.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint]
    lib.ktrace_write.restype = None
    lib.ktrace_register.argtypes = [ctypes.c_void_p]
    lib.ktrace_register.restype = None
    lib.ktrace_register(ctypes.addressof(_first))
    return lib if lib.ktrace_recording() else None


# A module without sites: registering it begins the recording. These live as long as the process.
_first = _Module()
_sites = {}
_lib = _load()


def recording():
    """Is this process recorded?"""
    return _lib is not None


def _pad(data):
    return data + bytes(-len(data) % 4)


def _counted(data):
    return _pad(struct.pack("=I", min(len(data), 0xffffffff)) + data[:_MAX_TEXT])


def _encode(value):
    """The type and the bytes of a value."""
    if isinstance(value, bool):
        return _BOOL, struct.pack("=i", value)
    if isinstance(value, int):
        if -1 << 63 <= value < 1 << 63:
            return _I64, struct.pack("=q", value)
        if 0 <= value < 1 << 64:
            return _U64, struct.pack("=Q", value)
    if isinstance(value, float):
        return _F64, struct.pack("=d", value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _BYTES, _counted(bytes(value))
    return _STRING, _counted(str(value).encode(errors="replace"))


def _new_site(provider, name, names, types, file, line):
    text = b"".join(part.replace("\0", "?").encode(errors="replace") + b"\0"
                    for part in (provider, name, ", ".join(names), file))
    site = _Site(nr_args=len(types), line=line, text=text, types=types)
    pointers = (ctypes.c_void_p * 1)(ctypes.addressof(site))
    begin = ctypes.addressof(pointers)
    module = _Module(begin, begin + ctypes.sizeof(ctypes.c_void_p))
    _lib.ktrace_register(ctypes.addressof(module))
    return site, ctypes.addressof(site), pointers, module


def _write(provider, name, values, file, line):
    encoded = [_encode(value) for value in values.values()]
    types = bytes(kind for kind, _ in encoded)
    key = (provider, name, file, line, types, *values)
    found = _sites.get(key)
    if found is None:
        if len(values) > _MAX_ARGS:
            raise TypeError(f"an event has at most {_MAX_ARGS} arguments")
        found = _sites.setdefault(key, _new_site(provider, name, values, types, file, line))
    if found[0].on:
        payload = b"".join(data for _, data in encoded)
        _lib.ktrace_write(found[1], payload, len(payload) // 4)


def event(provider, name, **values):
    """Record an event."""
    if _lib is not None:
        caller = sys._getframe(1)
        _write(provider, name, values, caller.f_code.co_filename, caller.f_lineno)


@contextlib.contextmanager
def _span(provider, name, values, file, line):
    _write(provider, name + "_begin", values, file, line)
    try:
        yield
    except BaseException as error:
        _write(provider, name + "_end", {"error": type(error).__name__}, file, line)
        raise
    _write(provider, name + "_end", {}, file, line)


def span(provider, name, **values):
    """A context: an event NAME_begin with the values, and NAME_end, with the error if there is one."""
    if _lib is None:
        return contextlib.nullcontext()
    caller = sys._getframe(1)
    return _span(provider, name, values, caller.f_code.co_filename, caller.f_lineno)


def traced(function):
    """A decorator: each call is a span, named as the function, of the provider that is named as its module."""
    if _lib is None:
        return function
    code = getattr(function, "__code__", None)
    file, line = (code.co_filename, code.co_firstlineno) if code else ("", 0)

    @functools.wraps(function)
    def call(*args, **kwargs):
        with _span(function.__module__, function.__qualname__, {}, file, line):
            return function(*args, **kwargs)

    return call
