"""What is read at once gives the tree that reading token by token gives: declarations, lists of calls, operands in blocks."""

from __future__ import annotations

import pytest

from ptxlab.checks import check
from ptxlab.isa.operands import Addr, Params, Reg, Symbol
from ptxlab.ptx import declare
from ptxlab.ptx.parser import parse_all
from ptxlab.ptx.tree import Block, Function, Instruction, Module

HEAD = ".version 8.5\n.target sm_90a\n.address_size 64\n"
DECLARATIONS = [
    ".reg .b32 %r<12>;",
    ".reg .pred p;",
    ".reg\t.v4 .f32  v;",
    ".reg .v2 .b32 %v<3>;",
    "\n  .param .b32 p0;",
    ".param .align 16 .b8 p0[48];",
    ".shared .align  4 .b8\n buf[16];",
    ".local .v2 .f32 x;",
    ".local .b8 x[007];",
    ".reg .b32 %r<0>;",
    ".reg .b32 %r<99999999>;",
    ".reg .b32 a, b;",
    ".reg .b32 a[4];",
    ".param .b8 p[];",
    ".local .align 3 .b8 x[4];",
    ".shared .b32 n<3>;",
    ".reg .foo x;",
    ".reg .b32 WARP_SZ;",
    ".reg .b32 _;",
    ".reg .b32 _a;",
    ".reg .align 8 .b32 x;",
    ".local .texref t;",
    ".align 8 .local .b32 x;",
    ".align 16 .reg .b32 %r<4>;",
    ".shared .align 8 .align 16 .b8 x[4];",
]


def _read(text: str) -> tuple[Module, list[str]]:
    module, wrong = parse_all(text)
    return module, [str(d) for d in wrong]


@pytest.mark.parametrize("declaration", DECLARATIONS)
def test_declarations(declaration: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"{HEAD}.entry k()\n{{ {declaration} {{{declaration} }} ret; }}"
    fast, wrong = _read(text)
    monkeypatch.setattr(declare, "usual", lambda cursor: None)  # pyright: ignore[reportUnknownLambdaType]
    slow, also_wrong = _read(text)
    assert wrong == also_wrong
    assert fast == slow
    assert [i.gaps for i in _body(fast).items] == [i.gaps for i in _body(slow).items]
    assert str(fast) == str(slow)
    assert wrong or str(fast) == text


def test_usual_declarations_are_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(declare, "registers", None)
    monkeypatch.setattr(declare, "variable", None)
    text = f"{HEAD}.entry k()\n{{ " + " ".join(DECLARATIONS[:3]) + f" {{ {DECLARATIONS[5]} }} ret; }}"
    assert _read(text)[1] == []


def _body(module: Module) -> Block:
    function = next(i for i in module.items if isinstance(i, Function) and i.name == "k")
    assert function.body is not None
    return function.body


CALLS = (
    HEAD
    + """.func (.param .b32 r) f(.param .b32 x) { st.param.b32 [r], 1; ret; }
.entry k() {
    .reg .b32 %r<8>; .reg .b64 %p;
    { .param .b32 p; st.param.b32 [p], %r1; .param .b32 q; call.uni (q), f, (p); ld.param.b32 %r2, [q]; }
    { .param .b64 p; st.param.b64 [p], %p; .reg .b64 %r1; mov.b64 %r1, %p; }
    { .reg .b32 p; mov.b32 p, %r1; { .local .b8 p[4]; st.local.b32 [p], %r1; } mov.b32 p, 3; }
    mov.b32 %r1, %r2; ret; }
"""
)


def _instructions(block: Block) -> list[Instruction]:
    found: list[Instruction] = []
    for item in block.items:
        if isinstance(item, Block):
            found += _instructions(item)
        elif isinstance(item, Instruction):
            found.append(item)
    return found


def test_a_name_means_what_its_block_declares() -> None:
    module, wrong = _read(CALLS)
    assert wrong == []
    made = _instructions(_body(module))
    stores = [i.operands[0] for i in made if i.opcode.startswith("st.")]
    places = [(o.base.space, o.base.size) for o in stores if isinstance(o, Addr) and isinstance(o.base, Symbol)]
    assert places == [("param::func", 4), ("param::func", 8), ("local", 4)]
    moves = [[o.type.bits for o in i.operands if isinstance(o, Reg)] for i in made if i.opcode.startswith("mov")]
    assert moves == [[64, 64], [32, 32], [32], [32, 32]]
    call = next(i for i in made if i.opcode == "call.uni")
    assert isinstance(call.operands[0], Params)
    assert isinstance(call.operands[2], Params)
    assert not [d for d in check(CALLS, lints=False) if d.severity == "error"]


def test_a_name_of_a_block_is_gone_behind_it() -> None:
    text = CALLS.replace("mov.b32 %r1, %r2; ret;", "ld.param.b32 %r1, [q]; ret;")
    assert "PTX0011" in [d.code for d in check(text, lints=False)]
