"""printf: compared with the C library's own."""

from __future__ import annotations

import ctypes
import struct
import sys
from typing import Any

import pytest

from ptxlab.diag import Diagnostic
from ptxlab.sim.engine.machine.printf import Arguments, formatted

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="compared with glibc")

INTEGERS = [0, 1, -1, 7, 42, -12345, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63)]
REALS = [
    0.0,
    -0.0,
    1.0,
    -1.5,
    0.1,
    2.5,
    123456.789,
    1e-7,
    1e300,
    -3.14159e-12,
    5e-324,
    float("inf"),
    float("-inf"),
    float("nan"),
]
FLAGS = ["", "-", "+", " ", "#", "0", "-#", "+0", "#0", " 0", "-+"]
WIDTHS = ["", "1", "12", "30"]


def ours(template: str, *values: Any) -> str:
    memory = bytearray()
    texts: dict[int, bytes] = {}
    for value in values:
        if isinstance(value, bytes):
            texts[0x1000 + len(texts)] = value
            value = 0x1000 + len(texts) - 1
            raw = struct.pack("<q", value)
        elif isinstance(value, tuple):
            raw = struct.pack("<i", value[0])
        else:
            raw = struct.pack("<d", value) if isinstance(value, float) else struct.pack("<q", value)
        memory = memory.ljust(-(-len(memory) // len(raw)) * len(raw), b"\0") + raw
    given = Arguments(lambda at, n: bytes(memory[at : at + n]))
    return formatted(template.encode(), given, lambda at: texts[at]).decode()


def theirs(template: str, *values: Any) -> str:
    out = ctypes.create_string_buffer(4096)
    c: list[Any] = []
    for value in values:
        if isinstance(value, bytes):
            c.append(ctypes.c_char_p(value))
        elif isinstance(value, tuple):
            c.append(ctypes.c_int(value[0]))
        else:
            c.append(ctypes.c_double(value) if isinstance(value, float) else ctypes.c_longlong(value))
    ctypes.CDLL(None).snprintf(out, 4096, template.encode(), *c)
    return out.value.decode()


@pytest.mark.parametrize("letter", "diouxX")
@pytest.mark.parametrize("size", ["ll", "l", "z", "", "h", "hh"])
def test_integers(letter: str, size: str) -> None:
    for flags in FLAGS:
        for width in WIDTHS:
            for precision in ("", ".", ".0", ".1", ".5", ".25"):
                template = f"<%{flags}{width}{precision}{size}{letter}>"
                for value in INTEGERS:
                    given = value if size in ("ll", "l", "z") else (((value + 2**31) % 2**32) - 2**31,)
                    assert ours(template, given) == theirs(template, given), template


@pytest.mark.parametrize("letter", "fFeEgGaA")
def test_reals(letter: str) -> None:
    for flags in FLAGS:
        for width in WIDTHS:
            for precision in ("", ".", ".0", ".1", ".5", ".17"):
                template = f"<%{flags}{width}{precision}{letter}>"
                for value in REALS:
                    if value != value:  # the sign of a NaN is the platform's
                        continue
                    assert ours(template, value) == theirs(template, value), (template, value)


@pytest.mark.parametrize(
    ("template", "values"),
    [
        ("plain text, 100%%", ()),
        ("%s|%10s|%-10s|%.2s|%.*s", (b"abc", b"abc", b"abc", b"abc", (1,), b"abc")),
        ("%c%c|%5c|%-5c|", ((65,), (66,), (67,), (68,))),
        ("%*d|%-*d|%*d", ((6,), (42,), (6,), (42,), (-6,), (42,))),
        ("%.*f %.*f", ((2,), 3.14159, (-1,), 3.14159)),
        ("%p %p", (0, 0x7F00DEAD)),
        ("%d %f %d %lld %s", ((1,), 2.5, (3,), 4, b"five")),
        ("%5", ()),
    ],
)
def test_texts_and_mixtures(template: str, values: tuple[Any, ...]) -> None:
    if template == "%5":
        assert ours(template) == "%5"
    else:
        assert ours(template, *values) == theirs(template, *values)


def test_nan_and_counts() -> None:
    assert ours("%f %F %5.1e", float("nan"), float("nan"), float("nan")) == "nan NAN   nan"
    given = Arguments(lambda at, n: bytes(n))
    formatted(b"%d %% %*d %s", given, lambda at: b"")
    assert given.count == 4


@pytest.mark.parametrize(
    ("template", "values"), [("%70000d", ((1,),)), ("%*d", ((1 << 30,), (1,))), ("%.*f", ((99999,), 1.0))]
)
def test_a_field_wider_than_any_text_is_refused(template: str, values: tuple[Any, ...]) -> None:
    with pytest.raises(Diagnostic) as found:
        ours(template, *values)
    assert found.value.code == "PTX9023"
