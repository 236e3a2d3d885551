"""Instructions whose blanks are not the printer's: read in one pass, and printed as they stand."""

from __future__ import annotations

import pytest

from ptxlab.diag import Diagnostic
from ptxlab.ptx.instructions import InstructionReader
from ptxlab.ptx.parser import parse, parse_all
from ptxlab.ptx.printer import text
from ptxlab.ptx.tree import Function, Instruction

_HEAD = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry k()
{
.reg .b32 %r<9>;
.reg .b64 %rd<4>;
.reg .f32 %f<9>;
.reg .pred %p<3>;
.shared .align 16 .b8 sm[64];
"""
_PAIRS = [
    ("add.u32 %r1,%r2,1;", "add.u32 %r1, %r2, 1;"),
    ("add.u32\t%r1 ,\t%r2,  -1 ;", "add.u32 %r1, %r2, -1;"),
    ("@%p1 add.u32 %r1,%r2,0x10;", "@%p1 add.u32 %r1, %r2, 0x10;"),
    ("@!%p1  add.u32 %r1,\n\t%r2,\n\t%r3\n;", "@!%p1 add.u32 %r1, %r2, %r3;"),
    ("add.u32 \n\t%r1, \n\t%r2, \n\t%r3;", "add.u32 %r1, %r2, %r3;"),
    ("ret ;", "ret;"),
    ("@!%p2 ret\t;", "@!%p2 ret;"),
    ("bar.sync 0 ;", "bar.sync 0;"),
    ("ld.shared.v2.u32 {%r3,%r4},[%rd1 + 8];", "ld.shared.v2.u32 {%r3, %r4}, [%rd1+8];"),
    ("ld.shared.v2.u32 { %r3 , %r4 } , [ %rd1 +-8 ] ;", "ld.shared.v2.u32 {%r3, %r4}, [%rd1+-8];"),
    ("st.shared.u32 [sm+4],%r3;", "st.shared.u32 [sm+4], %r3;"),
    ("setp.ne.u32 %p1|%p2,%r1,0;", "setp.ne.u32 %p1|%p2, %r1, 0;"),
    ("setp.ne.u32 %p1 | %p2,%r1,0;", "setp.ne.u32 %p1|%p2, %r1, 0;"),
    ("and.pred %p1,%p2,!%p1;", "and.pred %p1, %p2, !%p1;"),
    ("mov.b64 {%r1,%r2},%rd1;", "mov.b64 {%r1, %r2}, %rd1;"),
    ("mov.u32 %r1,WARP_SZ;", "mov.u32 %r1, WARP_SZ;"),
    ("mov.u32 %r1,(4+5);", "mov.u32 %r1, (4+5);"),
    ("mov.u32 %r1,%tid.x ;", "mov.u32 %r1, %tid.x;"),
]


@pytest.mark.parametrize(("written", "usual"), _PAIRS)
def test_unusual_blanks(monkeypatch: pytest.MonkeyPatch, written: str, usual: str) -> None:
    want = parse(_HEAD + usual + "\n}\n")

    def slow(*_: object) -> None:
        raise AssertionError("read token by token")

    monkeypatch.setattr(InstructionReader, "slow_instruction", slow)
    whole = _HEAD + written + "\n}\n"
    module = parse(whole)
    assert text(module) == whole
    assert module.items == want.items


@pytest.mark.parametrize(
    "operands",
    ["%r1 %r2", "%r1,%r2 %r3", "{%r1,%r2", "%r1,%r2}", "[%rd1,%r2", "(%r1,%r2", "%r1,[%rd 1]", "{%r1 %r2},%rd1"],
)
def test_what_is_no_list_of_operands(operands: str) -> None:
    _, found = parse_all(_HEAD + f"mov.u32 {operands};\nret;\n}}\n")
    assert [d.code for d in found][:1] in (["PTX0001"], ["PTX0010"])
    assert all(isinstance(d, Diagnostic) for d in found)


def test_gap_that_parts_tokens() -> None:
    """`1e +5` is no number, `5 % 100` no register, and `%tid .x` keeps its gap."""
    for operands in ("%r1,%tid .x", "%r1,5 % 3", "%r1, 5 %3"):
        whole = _HEAD + f"mov.u32 {operands};\n}}\n"
        module, found = parse_all(whole)
        assert found or text(module) == whole
    _, found = parse_all(_HEAD + "mov.f32 %f1,1e +5;\n}\n")
    assert found


def test_changed_instruction_prints_canonically() -> None:
    module = parse(_HEAD + "@!%p1 add.u32 %r1,%r2,1;\n}\n")
    function = module.items[-1]
    assert isinstance(function, Function)
    assert function.body is not None
    last = function.body.items[-1]
    assert isinstance(last, Instruction)
    last.operands = last.operands[:2]
    assert "@!%p1 add.u32 %r1, %r2;" in text(module)
