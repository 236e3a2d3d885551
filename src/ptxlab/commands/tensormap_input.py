"""The bytes of a tensor map as a command line gives them: digits, words of a dump, a file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from ptxlab.commands.files import STDIN, bytes_of
from ptxlab.diag import Diagnostic
from ptxlab.diag.files import MIB
from ptxlab.layout.tensormap_fields import NBYTES

_PREFIX: Final = re.compile(r"0[xX]")
_BETWEEN: Final = re.compile(r"[\s,;:_{}\[\]|-]+")
_DIGITS: Final = re.compile(r"[0-9a-fA-F]*")
_SHOWN: Final = 40
MOST: Final = 256 * MIB
"""Bytes of a file that holds a map somewhere, such as a dump of memory."""


def map_bytes(source: str, offset: int = 0) -> bytes:
    """The bytes that a word names.

    Args:
        source: 256 hexadecimal digits, lowest byte first; or 16 or 32 words `0x…` as a debugger prints them; or a file of either,
            or of the bytes themselves; or `-` for standard input.
        offset: where in a file of bytes the map begins.

    Returns: 128 bytes from a file of at least so many; else what there is.

    Raises: Diagnostic PTX2500 for a file that cannot be read, PTX2504 for one that is too large, PTX2501 for what is neither
        digits nor a file or has an odd number of digits, and for an offset that does not fit.
    """
    raw = _file(source)
    if raw is None:
        return _at(_hexadecimal(source, f"{source[:_SHOWN]!r}"), offset)
    text = _text(raw)
    if text is not None and (found := _digits(text)) is not None:
        return _at(_bytes(found, source), offset)
    return _at(raw, offset)


def _at(raw: bytes, offset: int) -> bytes:
    if not offset:
        return raw
    if not 0 <= offset <= len(raw) - NBYTES:
        raise Diagnostic(
            "PTX2501",
            f"--offset {offset}: there are {len(raw)} bytes, and a tensor map has {NBYTES}.",
            help=f"0 to {len(raw) - NBYTES}" if len(raw) >= NBYTES else "give the whole file",
        )
    return raw[offset : offset + NBYTES]


def _file(source: str) -> bytes | None:
    """The bytes of a file or of standard input; None where the word names no file."""
    if source == str(STDIN):
        return bytes_of(source, MOST)
    try:
        if not source or not Path(source).exists():
            return None
    except OSError as e:
        if _digits(source) is not None:  # too long for a file's name
            return None
        raise Diagnostic("PTX2500", f"{source[:_SHOWN]} cannot be read: {e.strerror}.", help="check the path") from None
    except ValueError:  # a null character in the name
        return None
    return bytes_of(source, MOST)


def _text(raw: bytes) -> str | None:
    try:
        return raw.decode("ascii")
    except UnicodeDecodeError:
        return None


def _digits(text: str) -> list[str] | None:
    """The groups of hexadecimal digits of a text; None where there is anything else in it, or nothing."""
    groups = [g for g in _BETWEEN.split(text) if g]
    if not groups or not all(_DIGITS.fullmatch(_PREFIX.sub("", g, count=1)) for g in groups):
        return None
    return groups


def _hexadecimal(source: str, shown: str) -> bytes:
    found = _digits(source)
    if found is None:
        raise Diagnostic(
            "PTX2501",
            f"{shown} is neither a file nor hexadecimal digits.",
            help="give 256 digits, 16 words 0x…, or a file of 128 bytes",
        )
    return _bytes(found, shown)


def _bytes(groups: list[str], shown: str) -> bytes:
    """Words of a dump are numbers, so their lowest byte comes first; digits without 0x are bytes in order."""
    words = [_PREFIX.sub("", g, count=1) for g in groups]
    prefixed = all(_PREFIX.match(g) for g in groups)
    if prefixed and len(groups) in (16, 32) and all(0 < len(w) <= 2 * NBYTES // len(groups) for w in words):
        return b"".join(int(w, 16).to_bytes(NBYTES // len(groups), "little") for w in words)
    if prefixed and len(groups) > 2:
        words = [w.rjust(2, "0") for w in words]  # bytes as 0x5, 0x12, …
    joined = "".join(words)
    if len(joined) % 2:
        raise Diagnostic(
            "PTX2501",
            f"{shown} has {len(joined)} hexadecimal digits, which are no whole bytes.",
            help="two digits are a byte",
        )
    return bytes.fromhex(joined)
