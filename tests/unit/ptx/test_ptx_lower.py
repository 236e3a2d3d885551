"""Kernels made flat: scopes, labels, variables, parameters, and what is wrong with instructions."""

from __future__ import annotations

import pytest

from ptxlab.checks import check
from ptxlab.diag import Diagnostic
from ptxlab.isa.operands import Addr, Label, Reg, Symbol
from ptxlab.ptx.lower import lower
from ptxlab.ptx.parser import parse
from ptxlab.ptx.program import Program

BODY = 7  # lines in front of the body
HEAD = ".version 8.0\n.target sm_90a\n.address_size 64\n"


def lowered(body: str, head: str = "", params: str = ".param .u64 a", directives: str = "") -> Program:
    source = f"{HEAD}{head}\n.visible .entry k({params})\n{directives}\n{{\n{body}\n}}\n"
    return lower(parse(source, "k.ptx"), "k")


def test_instances_and_guards() -> None:
    program = lowered(".reg .pred %p<2>; .reg .b32 %r<3>;\n@!%p1 add.s32 %r1, %r2, 5;\nret;")
    add, ret = program.ops
    assert add.inst.form.key == "add"
    assert add.inst.mod("type") == "s32"
    assert add.guard == Reg("%p1", program.registers["%p1"])
    assert add.guard_negated
    assert add.span is not None
    assert (add.span.file, add.span.line) == ("k.ptx", BODY + 2)
    assert (ret.inst.form.key, ret.guard) == ("ret", None)
    assert {n: t.name for n, t in program.registers.items()} == {"%p1": "pred", "%r1": "b32", "%r2": "b32"}


def test_nested_scopes_get_registers_of_their_own() -> None:
    program = lowered(
        ".reg .b32 %r<3>, t;\nmov.u32 t, 1;\n{ .reg .b32 t, %r<2>; mov.u32 t, 2; mov.u32 %r1, t;\n"
        "  { .reg .f32 t; mov.f32 t, 0f00000000; mov.u32 %r1, 4; } }\nmov.u32 t, 3;\nmov.u32 %r1, t;"
    )
    names = [str(op.inst.operands["d"]) for op in program.ops]
    outer, inner, range_, deepest = names[0], names[1], names[2], names[3]
    assert len({outer, inner, deepest, range_, "%r1"}) == 5
    assert names == [outer, inner, range_, deepest, range_, outer, "%r1"]
    assert program.registers[deepest].name == "f32"
    assert program.registers[inner].name == "b32"
    assert str(program.ops[2].inst.operands["a"]) == inner


def test_sibling_scopes_do_not_share_registers() -> None:
    program = lowered(
        ".reg .b32 %r<2>;\n{ .reg .pred p; setp.eq.s32 p, %r1, 0; }\n{ .reg .pred p; setp.eq.s32 p, %r1, 0; }"
    )
    assert len({str(op.inst.operands["p"]) for op in program.ops}) == 2


def test_labels() -> None:
    program = lowered("L:\nbra M;\n{ L: bra L; bra M; }\nbra L;\nM:\nret;\nN:")
    targets = [op.inst.operands["target"] for op in program.ops[:4]]
    assert all(isinstance(t, Label) for t in targets)
    assert [program.labels[str(t)] for t in targets] == [4, 1, 4, 0]
    assert program.labels["N"] == 5 == len(program.ops)


def test_branch_targets() -> None:
    program = lowered(".reg .b32 %r<2>;\nts: .branchtargets L, M;\nbrx.idx %r1, ts;\nL: ret;\nM: ret;")
    assert program.targets == {"ts": ("L", "M")}


def test_parameters() -> None:
    program = lowered(
        "ret;",
        params=".param .u32 n, .param .align 64 .b8 map[128], .param .u8 c, .param .u64 .ptr .global .align 16 p",
    )
    assert [(p.name, p.type.name, p.count, p.size, p.align, p.offset) for p in program.params] == [
        ("n", "u32", 1, 4, 4, 0),
        ("map", "b8", 128, 128, 64, 64),
        ("c", "u8", 1, 1, 1, 192),
        ("p", "u64", 1, 8, 8, 200),
    ]
    assert program.param_bytes == 208


def test_shared_memory_layout() -> None:
    head = ".extern .shared .align 128 .b8 dyn[];\n.shared .b8 module[3];\n.shared .b32 idle[100];"
    body = (
        ".reg .b32 %r<9>; .shared .align 8 .b8 bar[8]; .shared .f32 tile[4][8]; .shared .b8 unused[1000];\n"
        "mov.u32 %r1, module; mov.u32 %r2, bar; mov.u32 %r3, tile; mov.u32 %r4, dyn;"
    )
    program = lowered(body, head)
    where = {v.name: (v.offset, v.size) for v in program.variables}
    assert where == {"bar": (0, 8), "tile": (8, 128), "module": (136, 3), "dyn": (256, 0)}
    assert (program.shared_static, program.shared_declared) == (139, 1139)


def test_dynamic_shared_memory_starts_at_a_multiple_of_16() -> None:
    head = ".extern .shared .align 4 .b32 dyn[];"
    body = ".reg .b32 %r<9>; .shared .b8 flags[5]; mov.u32 %r1, flags; mov.u32 %r2, dyn;"
    where = {v.name: v.offset for v in lowered(body, head).variables}
    assert where == {"flags": 0, "dyn": 16}


def test_initialisers() -> None:
    head = (
        ".global .u32 x = 7;\n.const .f32 c[3] = {1.5, 0f40000000};\n.global .u64 p[2] = {generic(x), x + 4};\n"
        ".global .b8 lo[2] = {0xFF(x), 0xFF00(x)};\n.global .s16 m[2][2] = {{1, -2}, {3}};\n.global .f64 d = 0d3FF0000000000000;"
    )
    body = ".reg .b64 %rd<9>;\n" + "".join(f"mov.u64 %rd{i}, {n};" for i, n in enumerate(("p", "c", "lo", "m", "d")))
    variables = {v.name: v for v in lowered(body, head).variables}
    assert variables["x"].init == (7).to_bytes(4, "little")
    assert variables["c"].init == bytes.fromhex("0000c03f0000004000000000")
    assert [(r.offset, r.symbol, r.addend, r.generic) for r in variables["p"].references] == [
        (0, "x", 0, True),
        (8, "x", 4, False),
    ]
    assert [(r.offset, r.size, r.mask) for r in variables["lo"].references] == [(0, 1, 0xFF), (1, 1, 0xFF00)]
    assert variables["m"].init == bytes.fromhex("0100feff03000000")
    assert variables["d"].init == bytes.fromhex("000000000000f03f")


def test_calls_and_call_parameters() -> None:
    head = ".extern .func (.param .b32 r) vprintf(.param .b64 x, .param .b64 y);\n.extern .func malloc(.param .b64 n);"
    body = (
        ".reg .b32 %r<3>; .reg .b64 %rd<3>;\n"
        "{ .param .b64 p0; .param .b32 v; st.param.b64 [p0+0], %rd1; call.uni (v), vprintf, (p0, p0); ld.param.b32 %r1, [v+0]; }\n"
        "{ .param .b64 p0; st.param.b64 [p0+0], %rd1; call malloc, (p0); }"
    )
    program = lowered(body, head)
    assert program.calls == ("vprintf", "malloc")
    stores = [op.inst.operands["a"] for op in program.ops if op.inst.form.key == "st"]
    bases = [s.base for s in stores if isinstance(s, Addr)]
    assert all(isinstance(b, Symbol) and b.space == "param::func" for b in bases)
    assert bases[0] != bases[1]


def test_directives() -> None:
    launch = ".reqntid 64, 2\n.minnctapersm 1 .maxnreg 168 .reqnctapercluster 2, 1, 1 .explicitcluster"
    made = lowered("ret;", directives=launch).directives
    assert (made.reqntid, made.maxntid, made.minnctapersm, made.maxnreg) == ((64, 2, 1), None, 1, 168)
    assert (made.reqnctapercluster, made.explicitcluster, made.maxclusterrank) == ((2, 1, 1), True, None)


@pytest.mark.parametrize(
    ("body", "code", "line"),
    [
        ("bra NOWHERE;", "PTX0012", 1),
        ("{ IN: ret; }\nbra IN;", "PTX0012", 2),
        (".reg .b32 %r<3>;\nadd.s32 %r1, %r2, thing;", "PTX0011", 2),
        ("frobnicate;", "PTX0100", 1),
        (".reg .b32 %r<3>;\n@%r1 ret;", "PTX0105", 2),
        ("L: ret;\nL: ret;", "PTX0013", 2),
        (".reg .b32 %r<3>;\nadd.s32 %r1, %r2;", "PTX0103", 2),
    ],
)
def test_what_is_wrong(body: str, code: str, line: int) -> None:
    with pytest.raises(Diagnostic) as raised:
        lowered(body)
    assert raised.value.code == code
    assert raised.value.span is not None
    assert raised.value.span.line - BODY == line
    assert raised.value.help


def test_all_wrong_instructions_are_reported() -> None:
    with pytest.raises(Diagnostic) as raised:
        lowered(".reg .b32 %r<3>;\nadd.s32 %r1, %r2;\nadd.s32 %r1, %r2, 1;\nmul.s32 %r1, %r2, %r1;\nbra X;")
    assert [d.code for d in (raised.value, *raised.value.also)] == ["PTX0103", "PTX0101", "PTX0012"]


def test_an_unknown_modifier_is_shown_at_the_opcode() -> None:
    with pytest.raises(Diagnostic) as raised:
        lowered(".reg .pred %p; .reg .b32 %r<3>;\n@%p   add.s23 %r1, %r2, 1;")
    span = raised.value.span
    assert span is not None
    assert (span.column, span.end_column) == (7, 14)


def test_no_such_kernel() -> None:
    with pytest.raises(Diagnostic, match="no kernel") as raised:
        lower(parse(f"{HEAD}.visible .entry kernel1() {{ ret; }}"), "kernel")
    assert raised.value.code == "PTX2300"
    assert "kernel1" in (raised.value.help or "")


def test_a_label_may_begin_as_registers_do() -> None:
    text = ".version 8.5\n.target sm_90a\n.entry k() { .reg .pred %p<2>; @%p1 bra %A; bra.uni %A; %A: ret; }\n"
    module = parse(text)
    assert str(module) == text
    assert lower(module, "k").labels == {"%A": 2}
    found = [d.code for d in check(text.replace("%A:", "%B:"), lints=False)]
    assert found == ["PTX0012", "PTX0012"]
