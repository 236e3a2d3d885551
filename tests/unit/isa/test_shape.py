"""An instruction of a known shape is bound as the first of its shape was."""

from __future__ import annotations

from ptxlab.isa.bind import bind
from ptxlab.isa.operands import Addr, Imm, Operand, Pair, Reg, Symbol, Vec
from ptxlab.isa.shape import flat, shape
from ptxlab.isa.types import TYPES


def reg(name: str, type: str = "b32") -> Reg:
    return Reg(name, TYPES[type])


def test_names_are_no_part_of_a_shape() -> None:
    assert shape("add.u32", [reg("a"), reg("b")]) == shape("add.u32", [reg("c"), reg("d")])
    assert shape("add.u32", [reg("a"), reg("b")]) != shape("add.u32", [reg("a"), reg("b", "b64")])
    assert shape("ld.u32", [reg("a"), Addr(reg("b", "b64"))]) != shape("ld.u32", [reg("a"), reg("b", "b64")])
    assert shape("ld.u32", [reg("a"), Addr(Symbol("s", "shared"))]) != shape(
        "ld.u32", [reg("a"), Addr(Symbol("s", "global"))]
    )
    assert shape("add.u32", [reg("a"), Imm(1, "1")]) != shape("add.u32", [reg("a"), Imm(2, "2")])
    assert shape("x", [Vec((reg("a"),))]) is None


def test_the_second_of_a_shape_has_its_own_operands() -> None:
    def setp(p: str, q: str, a: str) -> list[Operand]:
        return [Pair(reg(p, "pred"), reg(q, "pred")), reg(a), Imm(7, "7")]

    first = bind("setp.lt.u32", setp("p", "q", "a"))
    second = bind("setp.lt.u32", setp("r", "s", "b"))
    assert second.form is first.form
    assert {n: str(o) for n, o in second.operands.items()} == {"p": "r", "q": "s", "a": "b", "b": "7"}
    assert second.text() == "setp.lt.u32 r|s, b, 7"
    assert [str(o) for o in flat(setp("p", "q", "a"))] == ["p", "q", "a", "7"]
    assert second.shape == first.shape is not None
