"""What is parsed prints byte for byte, whatever its layout; what is built prints in the canonical one and parses again."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptxlab.isa.operands import Addr, Imm, Reg
from ptxlab.isa.types import TYPES
from ptxlab.ptx import tree
from ptxlab.ptx.parser import parse
from ptxlab.ptx.printer import text

HEAD = ".version 8.0\n.target sm_90a\n.address_size 64\n"


def kernel(body: str) -> str:
    return (
        f"{HEAD}.visible .entry k(.param .u64 a, .param .align 64 .b8 m[128])\n{{\n"
        ".reg .pred %p<4>; .reg .b32 %r<10>, x; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n"
        f".shared .align 16 .b8 s[64];\n{body}\n}}\n"
    )


BODIES = {
    "plain": "\tadd.s32 \t%r1, %r2, 5;\n\tret;",
    "no blanks": "add.s32 %r1,%r2,-5;ret;",
    "odd blanks": " @ %p1\tadd.s32   %r1 , %r2\t,\n  5 ;",
    "negated guard": "@!%p1 bra L;\n@ ! %p2 bra L ;\nL: ret;",
    "comments": "add.s32 %r1, /* one */ %r2, // two\n 5;\n// three\n/* four\n five */ ret;",
    "comment before semicolon": "ret /* now */ ;",
    "offsets": "ld.shared.u32 %r1, [s+4]; ld.shared.u32 %r1, [s+-4]; ld.shared.u32 %r1, [s+0]; ld.shared.u32 %r1, [s+0x10];",
    "spaced offsets": "ld.global.u32 %r1, [ %rd1 + 4 ]; ld.global.u32 %r1, [%rd1 - 4]; ld.global.u32 %r1, [%rd1-4];",
    "vectors": "ld.global.v2.u32 { %r1, %r2 }, [ %rd1 + 0 ]; mov.b64 %rd1, {%r1,%r2}; mov.b64 {_, %r1}, %rd2;",
    "tensor": "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd6, {%r3, %r4}], [%r5];",
    "blank in front of the semicolon": "cp.async.wait_group 0 ; mov.u32 %r1, 5 ;",
    "float literals": "mov.f32 %f1, 0f3F800000; mov.f32 %f1, 1.5; mov.f32 %f1, 1e3;",
    "integer literals": "mov.u32 %r1, 0xFFU; mov.u32 %r1, 0b101; mov.u32 %r1, 017;",
    "expression": "mov.u32 %r1, (1 << 4) + 3; mov.u32 %r2, -(3); mov.u32 %r3, WARP_SZ;",
    "symbol offset": "mov.u64 %rd1, s + 8; mov.u64 %rd1, s+0x8;",
    "pairs": "setp.lt.s32 %p1|%p2, %r1, %r2; setp.lt.and.s32 %p1|_, %r1, %r2, !%p3;",
    "labels": "$L__1:\nL2 : ret;\nbra.uni $L__1;",
    "scopes": "{\n .reg .b32 t;\n { mov.u32 t, %r1; }\n mov.u32 %r2, t; }",
    "calls": "{ .param .b32 p0; st.param.b32 [p0+0], %r1; call.uni f, (p0); call (p0), g, (p0, p0); }\nret;",
    "loc": "\t.loc\t1 10 3\n\t.loc 1 11 3, function_name $L_info+7, inlined_at 1 12 4\nret;",
    "odd numbers in loc": ".loc 01 0x10 3U\nret;",
    "pragma": '.pragma "nounroll";\n\t.pragma "a", "b" ;',
    "branch targets": "ts: .branchtargets L, M;\nbrx.idx %r1, ts;\nL: M: ret;",
    "local": ".local .align 8 .b8 \t__d[40];\n.shared .v4 .f32 q; .shared .u32 a1, b1[3][2];",
    "prototype": "p: .callprototype (.param .b32 _) _ (.param .b64 _);\ncall (x), %rd1, (x), p;",
    "raw": "vadd.s32.u32.s32 %r1, %r2.b0, %r3.h1; tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [s, %r1, {%f1, %f2}];",
}


@pytest.mark.parametrize("name", BODIES)
def test_body_prints_as_it_was(name: str) -> None:
    source = kernel(BODIES[name])
    source = source.replace(
        HEAD, HEAD + ".extern .func f(.param .b32 z);\n.func (.param .b32 y) g(.param .b32 z, .param .b32 w) ;\n"
    )
    assert text(parse(source)) == source


TOPS = [
    "// first\n\n.version 8.0 // nine\n.target sm_90a, debug\n.address_size 64\n",
    HEAD + ".global .align 4 .b8 a[4] = {1, 2 ,3,0x4};\n.const .f32 c = 0f3F800000, d = 1.5 ;",
    HEAD + ".global .u32 x;\n.global .u64 p = generic(x), q = x+4 ;\n.global .b8 t[2] = {0xFF(x), 0xFF00(generic(x))};",
    HEAD + ".global .s32 m[2][3] = {{1, 2, 3}, { -4, 5, -(6) }};",
    HEAD + ".global .b8 r[3] = {37% 100, 7 %\n2, -(9 % 4)};",
    HEAD + ".extern .shared .align 16 .b8 dyn[];\n.visible .global .u32 z;\n.weak .const .u16 w[3];",
    HEAD + '.file 01 "a.cu"\n.file\t2 "b.cu", 123, 456\n',
    HEAD + ".section .debug_str\n{\n info:\n.b8 1,2 ,3\n}\n",
    HEAD + ".entry k\n.maxntid 128, 1,1\n.minnctapersm 2 .maxnreg 168\n{ ret; }",
    HEAD + ".visible .entry k ( )\n.reqntid 128\n.reqnctapercluster 2, 1, 1\n.explicitcluster { ret; }",
    HEAD
    + ".visible .entry k(.param .u64 .ptr .global .align 16 a, .param .b8 b[4][2],.param .align 8 .b8 c[16] )\n{ }",
    HEAD + ".func (.reg .b32 %rv) f (.reg .b32 %ra, .reg .f32 %rb) { mov.b32 %rv, %ra; ret; }",
    HEAD + ".extern .func  (.param .b32 r) vprintf\n(\n\t.param .b64 a,\n\t.param .b64 b\n)\n;\n",
    HEAD + ".global .attribute(.managed) .s32 g;\n.visible .func f() .noreturn { trap; }",
    HEAD
    + ".shared .b32 a<3>, b, c <2> ;\n.global .u32;\n.entry k() { .reg .b32 ; .reg .b32 %r<4>;\fmov.b32\f%r01, %r2\f; }",
    HEAD + ".func f() .noreturn .local_maxnreg 32 { ret; }",
    HEAD
    + ".visible .align\t8 .attribute( .managed ) .global .align 4 .attribute(.managed) .align 16 .v2 .b32 g, h[2] ;",
    HEAD
    + ".align 8 .global .attribute(.managed) .attribute(.managed) .u32 a;\n.global .align 4 .attribute(.managed) .u32 b;",
    HEAD
    + ".entry k(.align 8 .param .align 4 .b8 .align 16 x[8], .param .v4 .f32 y[2]) { .align 8 .reg .align 4 .v2 .f32 r; "
    ".align 4 .local .f32 l; }",
    HEAD + ".func (.reg .v4 .f32 r) f(.reg .align 16 .v2 .b64 x, .align 8 .param .align 8 .align 16 .b32 y) { ret; }",
    '# 1 "x.cu"\n' + HEAD + '# 2 "y.cu"\n.global .u32 x;\n\n\n',
]


@pytest.mark.parametrize("source", TOPS)
def test_module_prints_as_it_was(source: str) -> None:
    assert text(parse(source)) == source


def test_blanks_are_no_part_of_a_number() -> None:
    body = parse(kernel(BODIES["blank in front of the semicolon"])).entries()[0].body
    assert body is not None
    found = [i.operands[-1] for i in body.items if isinstance(i, tree.Instruction)]
    assert found == [Imm(0, "0"), Imm(5, "5")]


def test_the_text_comes_from_the_tree() -> None:
    """A changed node shows its change, and nothing else moves."""
    source = kernel(" @ %p1\tadd.s32   %r1 , %r2\t,\n  5 ;\n\tld.global.u32 \t%r1, [%rd1+8];")
    module = parse(source)
    body = module.entries()[0].body
    assert body is not None
    add, load = (i for i in body.items if isinstance(i, tree.Instruction))
    add.operands = (*add.operands[:2], Imm(6, "6"))
    assert text(module) == source.replace("  5 ;", "  6 ;")
    assert isinstance(load.operands[1], Addr)
    load.operands = (load.operands[0], replace(load.operands[1], offset=12))
    assert text(module) == source.replace("  5 ;", "  6 ;").replace("[%rd1+8]", "[%rd1+12]")
    load.opcode = "ld.volatile.global.u32"
    assert "ld.volatile.global.u32 \t%r1, [%rd1+12];" in text(module)


def test_a_change_of_shape_gives_up_the_old_gaps() -> None:
    module = parse(kernel(" @ %p1\tadd.s32   %r1 , %r2\t,\n  5 ;"))
    body = module.entries()[0].body
    assert body is not None
    add = next(i for i in body.items if isinstance(i, tree.Instruction))
    add.opcode, add.operands = "neg.s32", add.operands[:2]
    assert "@%p1 neg.s32 %r1, %r2;" in text(module)
    assert text(parse(text(module))) == text(module)


def built() -> tree.Module:
    u32, u64 = TYPES["u32"], TYPES["u64"]
    r1, rd1 = Reg("%r1", TYPES["b32"]), Reg("%rd1", TYPES["b64"])
    body = tree.Block(
        [
            tree.registers(TYPES["b32"], "%r", 2),
            tree.registers(TYPES["b64"], "%rd", 2),
            tree.variable("shared", TYPES["b8"], "buf", 512, align=128),
            tree.Loc(1, 3, 0),
            tree.Instruction("mov.u32", (r1, Imm(7, "7"))),
            tree.Label("loop"),
            tree.Instruction("st.global.u32", (Addr(rd1, 4), r1)),
            tree.Block([tree.Instruction("ret")]),
        ]
    )
    params = (tree.Param(u64, "a"), tree.Param(TYPES["b8"], "m", (tree.number(128),), tree.number(64)))
    launch = (tree.Directive(".reqntid", (tree.number(128), tree.number(1), tree.number(1))),)
    entry = tree.Function("entry", "k", params, directives=launch, body=body)
    declared = [
        tree.File(1, "a.py"),
        tree.variable("shared", TYPES["b8"], "dyn", 0, align=16, linkage=".extern"),
        tree.variable("global", u32, "x"),
    ]
    return tree.Module((8, 0), "sm_90a", items=[*declared, entry])


def test_built_modules_print_and_parse() -> None:
    module = built()
    printed = text(module)
    again = parse(printed)
    assert again == module
    assert text(again) == printed
    assert "    .param .align 64 .b8 m[128]\n)\n.reqntid 128, 1, 1\n{" in printed
    assert "\n    st.global.u32 [%rd1+4], %r1;" in printed


_GAPS = st.sampled_from(["", " ", "\t", "\n", " /* c */ ", " // c\n"])


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_gap_between_tokens_survives(data: st.DataObject) -> None:
    """Every token of a kernel with arbitrary trivia in front of it."""
    source = kernel("@!%p1 ld.global.v2.u32 {%r1, %r2}, [%rd1+8]; setp.eq.s32 %p1|%p2, %r1, 3; L: bra L;")
    words = re.findall(r"[\w.%$:]+(?<!L:)|L|[^\s\w]", source)
    spread = ""
    for word in words:
        gap = data.draw(_GAPS)
        if (
            not gap
            and spread
            and (spread[-1].isalnum() or spread[-1] in "_.%")
            and (word[0].isalnum() or word[0] in "_.%")
        ):
            gap = " "
        if spread.endswith(".version"):
            gap = data.draw(st.sampled_from([" ", "  ", "\t"]))  # the one place where nothing else may stand
        spread += gap + word
    module = parse(spread)
    assert text(module) == spread
    assert module == parse(source)
