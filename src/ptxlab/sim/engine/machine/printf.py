"""C's printf on the arguments that a kernel has put into memory."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass

from ptxlab.diag import Diagnostic

WIDEST = 1 << 16
"""Characters of a field. What asks for more has read its width from somewhere else."""
_SPEC = re.compile(rb"%([-+ #0]*)(\*|\d+)?(?:\.(\*|-?\d+)?)?(hh|h|ll|l|j|z|t|L|q)?([diouxXcsfFeEgGaApn%])")
_SIZES = {b"hh": 1, b"h": 2, b"": 4, b"l": 8, b"ll": 8, b"j": 8, b"z": 8, b"t": 8, b"L": 8, b"q": 8}


@dataclass(slots=True)
class _Style:
    flags: str
    width: int
    precision: int | None

    def pad(self, sign: str, body: str, *, zeros: bool = False) -> str:
        """Sign, prefix and digits in the field."""
        room = self.width - len(sign) - len(body)
        if room <= 0:
            return sign + body
        if "-" in self.flags:
            return sign + body + " " * room
        return sign + "0" * room + body if zeros and "0" in self.flags else " " * room + sign + body

    def sign(self, negative: bool) -> str:
        """What stands in front of a number."""
        return "-" if negative else "+" if "+" in self.flags else " " if " " in self.flags else ""


class Arguments:
    """The arguments in memory, each at a multiple of its own size. `read(offset, nbytes)` gives their bytes."""

    def __init__(self, read: Callable[[int, int], bytes]) -> None:
        self._read = read
        self._at = 0
        self.count = 0

    def take(self, nbytes: int) -> bytes:
        """The next argument."""
        start = -(-self._at // nbytes) * nbytes
        self._at = start + nbytes
        self.count += 1
        return self._read(start, nbytes)

    def integer(self, nbytes: int, *, signed: bool) -> int:
        """An integer; those under 4 bytes travel as int."""
        raw = self.take(max(4, nbytes))
        return int.from_bytes(raw[:nbytes], "little", signed=signed)


def formatted(template: bytes, arguments: Arguments, string: Callable[[int], bytes]) -> bytes:
    """The text that printf writes. `string`: the bytes of a string, given its address. What is no conversion stays as it is."""
    out = bytearray()
    at = 0
    for found in _SPEC.finditer(template):
        out += template[at : found.start()]
        at = found.end()
        out += _one(found, arguments, string)
    return bytes(out + template[at:])


def _number(text: bytes | None, arguments: Arguments) -> int | None:
    """A width or a precision. Raises: Diagnostic PTX9023 for one that no text has."""
    found = arguments.integer(4, signed=True) if text == b"*" else int(text) if text else None
    if found is not None and abs(found) > WIDEST:
        raise Diagnostic("PTX9023", f"printf is asked for a field of {abs(found)} characters")
    return found


def _one(found: re.Match[bytes], arguments: Arguments, string: Callable[[int], bytes]) -> bytes:
    flags, letter = found[1].decode(), found[5].decode()
    if letter == "%":
        return b"%"
    width = _number(found[2], arguments) or 0
    if width < 0:
        flags, width = flags + "-", -width
    precision = None
    if b"." in found[0]:
        precision = _number(found[3], arguments) or 0
        precision = None if precision < 0 else precision
    style = _Style(flags, width, precision)
    size = _SIZES[found[4] or b""]
    if letter == "c":
        return _text(style, bytes([arguments.integer(4, signed=False) & 0xFF]))
    if letter == "s":
        pointer = arguments.integer(8, signed=False)
        raw = string(pointer) if pointer else b"(null)"
        return _text(style, raw if precision is None else raw[:precision])
    if letter == "p":
        pointer = arguments.integer(8, signed=False)
        return style.pad("", f"{pointer:#x}" if pointer else "(nil)").encode()
    if letter == "n":
        arguments.take(8)
        return b""
    if letter in "di":
        return _integer(style, arguments.integer(size, signed=True), "d").encode()
    if letter in "ouxX":
        return _integer(style, arguments.integer(size, signed=False), letter).encode()
    return _real(style, struct.unpack("<d", arguments.take(8))[0], letter).encode()


def _text(style: _Style, raw: bytes) -> bytes:
    return raw.ljust(style.width) if "-" in style.flags else raw.rjust(style.width)


def _integer(style: _Style, value: int, letter: str) -> str:
    digits = format(abs(value), {"u": "d"}.get(letter, letter))
    if style.precision is not None:
        digits = "" if style.precision == 0 and value == 0 else digits.rjust(style.precision, "0")
    prefix = style.sign(value < 0) if letter == "d" else ""
    if "#" in style.flags:
        if letter == "o" and not digits.startswith("0"):
            digits = "0" + digits
        elif letter in "xX" and value:
            prefix = "0" + letter
    return style.pad(prefix, digits, zeros=style.precision is None)


def _real(style: _Style, value: float, letter: str) -> str:
    sign = style.sign(math.copysign(1.0, value) < 0)
    magnitude = abs(value)
    if not math.isfinite(magnitude):
        word = "inf" if math.isinf(magnitude) else "nan"
        return style.pad(sign, word.upper() if letter.isupper() else word)
    if letter in "aA":
        body = _hexadecimal(magnitude, style)
        sign, body = sign + body[:2], body[2:]
        return style.pad(sign, body, zeros=True).upper() if letter == "A" else style.pad(sign, body, zeros=True)
    precision = 6 if style.precision is None else style.precision
    mark = "#" if "#" in style.flags else ""
    return style.pad(sign, f"%{mark}.{precision}{letter}" % magnitude, zeros=True)


def _hexadecimal(value: float, style: _Style) -> str:
    """%a: one hexadecimal digit, then the fraction, rounded to even."""
    fraction, exponent = math.frexp(value)
    lead = 1 if value >= 2.2250738585072014e-308 else 0
    exponent = 0 if value == 0 else exponent - 1 if lead else -1022
    mantissa = round(math.ldexp(fraction, 53)) if lead else round(math.ldexp(value, 1074))
    digits = 13
    if style.precision is None:
        while digits and not mantissa & 15:
            mantissa, digits = mantissa >> 4, digits - 1
    elif style.precision < digits:
        cut = 4 * (digits - style.precision)
        half, rest = 1 << (cut - 1), mantissa & ((1 << cut) - 1)
        mantissa >>= cut
        mantissa += rest > half or (rest == half and mantissa & 1)
        digits = style.precision
    text = f"{mantissa:0{digits + 1}x}"
    whole, tail = text[: len(text) - digits], text[len(text) - digits :]
    if style.precision is not None:
        tail = tail.ljust(style.precision, "0")
    point = "." if tail or "#" in style.flags else ""
    return f"0x{whole or '0'}{point}{tail}p{exponent:+d}"
