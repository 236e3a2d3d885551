"""Bounded reading: what a user names is read to its end, a pipe too, but never without one."""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO, Final

from ptxlab.diag.model import Diagnostic

MIB: Final = 1 << 20
_CHUNK: Final = MIB


def read_stream(stream: BinaryIO, name: str, most: int, wanted: Callable[[bytes], bool] | None = None) -> bytes:
    """Everything that a stream holds.

    Args:
        name: what diagnostics call it.
        most: bytes.
        wanted: looks at each piece; where it answers False, what is there by then is returned.

    Raises: Diagnostic PTX2504 where there is more; OSError.
    """
    out = bytearray()
    while piece := stream.read(_CHUNK):
        out += piece
        if wanted is not None and not wanted(piece):
            break
        if len(out) > most:
            limit = f"{most // MIB} MiB" if most >= MIB else f"{most} bytes"
            raise Diagnostic("PTX2504", f"{name} holds more than {limit}.")
    return bytes(out)


def read_file(path: str, most: int, wanted: Callable[[bytes], bool] | None = None) -> bytes:
    """Everything that a file holds: see `read_stream`. Raises: Diagnostic PTX2500, PTX2504; ValueError as `open`."""
    try:
        with open(path, "rb") as stream:
            return read_stream(stream, path, most, wanted)
    except OSError as e:
        raise Diagnostic("PTX2500", f"{path} cannot be read: {e.strerror}.", help="check the path") from None
