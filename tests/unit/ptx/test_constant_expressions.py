"""Constant expressions: 64 bits, signed or not. The values are those that ptxas puts into a variable of .u64."""

from __future__ import annotations

import pytest

from ptxlab.ptx.lexer import tokens
from ptxlab.ptx.numbers import expression
from ptxlab.ptx.parser import parse
from ptxlab.ptx.printer import text
from ptxlab.ptx.tree import VarDecl
from ptxlab.ptx.variables import variable

_BITS = 1 << 64


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1<<64", 1),
        ("1<<-1", 1 << 63),
        ("256>>65", 128),
        ("-256>>66", -64),
        ("0xffffffffffffffff*0xffffffffffffffff", 1),
        ("(1<<63)*4", 0),
        ("0xffffffffffffffff == -1", 1),
        ("-7/3", -2),
        ("-7/3U", 0x5555555555555553),
        ("-1% 3", 0),
        ("-7% -3", -7),
        ("~0>>1", (1 << 63) - 1),
        ("(-1&-1)>>1", -1),
        ("(0U|-1)>>1", (1 << 63) - 1),
        ("-1U<0", 0),
        ("-1<0U", 0),
        ("(1?-1:1U)>>1", -1),
        ("(1==1)-2>>1", -1),
        ("(.u64)-8>>1", (_BITS - 8) >> 1),
        ("(.s64)0xffffffffffffffff>>1", -1),
        ("-9223372036854775808>>1", 1 << 62),
        ("(0x7fffffffffffffff+1)/2", -(1 << 62)),
    ],
)
def test_values(written: str, value: int) -> None:
    found = expression(tokens(written))
    assert found is not None
    assert int(found.value) % _BITS == value % _BITS


@pytest.mark.parametrize("written", ["5/(1-1)", "5% 0", "7/((1<<63)*2)", "1.5% 2", "1.0+2", "~1.0"])
def test_what_has_no_value(written: str) -> None:
    assert expression(tokens(written)) is None


@pytest.mark.parametrize(
    ("type_", "written", "held"),
    [
        ("u8", "0xff(7)", "07"),
        ("u8", "0xff00(0x1234)", "12"),
        ("u64", "0xff00000000000000(-1)", "ff00000000000000"),
        ("b16", "0377(0x1234+1)", "3500"),
        ("u8", "0xffU(WARP_SZ)", "20"),
    ],
)
def test_bytes_of_numbers(type_: str, written: str, held: str) -> None:
    whole = f".version 8.0\n.target sm_90a\n.global .{type_} a = {written};\n"
    module = parse(whole)
    node = module.items[-1]
    assert isinstance(node, VarDecl)
    init = variable(node, node.names[0], name="a").init
    assert init is not None
    assert init.hex() == held
    assert text(module) == whole
