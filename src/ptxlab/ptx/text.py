"""PTX text from files and streams."""

from __future__ import annotations

import os
import re
from typing import BinaryIO, Final

from ptxlab.diag import Diagnostic, read_ptx, user_span
from ptxlab.diag.files import MIB, read_file, read_stream

MOST: Final = 256 * MIB
"""Bytes of a .ptx file."""
_NOT_PTX: Final = {
    b"\x7fELF": "is a cubin",
    b"\x50\xed\x55\xba": "is a fatbin",
    b"\xff\xfe": "is text in UTF-16",
    b"\xfe\xff": "is text in UTF-16",
    b"\xef\xbb\xbf": "begins with a byte order mark, which ptxas does not take either",
}
_COMMENTS: Final = re.compile(r'("(?:[^"\\\n]|\\.)*+")|//[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*\*/|#[^\n]*+')
_TEXT: Final = re.compile(r"\n|^\s*\.version\b")


def path_of(given: object) -> str:
    """A path as a string. Raises: Diagnostic PTX2316 for what is none, PTX text among it."""
    try:
        name = os.fspath(given)  # pyright: ignore[reportArgumentType, reportUnknownVariableType, reportCallIssue]
    except TypeError:
        kind = type(given).__name__
        raise Diagnostic(
            "PTX2316", f"A {kind} is no path.", help="give the path of a .ptx file", origin=user_span()
        ) from None
    name = os.fsdecode(name)  # pyright: ignore[reportUnknownArgumentType]
    if _TEXT.search(name):
        raise Diagnostic(
            "PTX2316", "This is PTX text, and not a path.", help="px.parse(text) takes the text", origin=user_span()
        )
    return name


def read(name: str) -> str:
    """The text of a .ptx file.

    Raises: Diagnostic PTX2500 where it cannot be read, PTX2504 where it is too large, PTX0002 where it is no text.
    """
    try:
        text = text_of(read_file(name, MOST, _without_zeros), name)
    except ValueError:
        raise Diagnostic("PTX2500", f"{name!r} is no path.", help="check the path", origin=user_span()) from None
    except Diagnostic as d:
        raise d.at(origin=user_span()) from None
    read_ptx(name)
    return text


def read_from(stream: BinaryIO, name: str) -> str:
    """The PTX text that a stream holds. Raises: as `read`, and OSError."""
    return text_of(read_stream(stream, name, MOST, _without_zeros), name)


def _without_zeros(piece: bytes) -> bool:
    return b"\0" not in piece


def text_of(raw: bytes, name: str) -> str:
    """Bytes as PTX text. Raises: Diagnostic PTX0002 where they are none."""
    for start, kind in _NOT_PTX.items():
        if raw.startswith(start):
            raise Diagnostic("PTX0002", f"{name} {kind}.", origin=user_span())
    if b"\0" in raw:
        raise Diagnostic("PTX0002", f"{name} is no text: byte {raw.index(0)} is zero.", origin=user_span())
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as e:
        raise Diagnostic("PTX0002", f"{name} is not UTF-8 at byte {e.start}.", origin=user_span()) from None


def ascii_comments(text: str) -> str:
    """The text with `?` for every character in comments and line markers that is not ASCII.

    ptxas takes such characters in comments since 13.1; the compilers of drivers up to CUDA 13.0 refuse the module.
    """
    if text.isascii():
        return text
    return _COMMENTS.sub(lambda m: m[1] or m[0].encode("ascii", "replace").decode(), text)
