"""PTX as a program that writes it: the same tokens, whoever wrote the PTX."""

from __future__ import annotations

import re
from pathlib import Path

import compiler
import pytest
import triton_compiler
from test_ptx_roundtrip import BODIES, HEAD, TOPS, kernel

import ptxlab as px
from ptxlab.commands import to_python as command
from ptxlab.diag import Diagnostic
from ptxlab.kernels import copies
from ptxlab.kernels.blocks.tiling import Tiling
from ptxlab.kernels.gemm import kernels
from ptxlab.ptx.lexer import tokens
from ptxlab.ptx.parser import parse

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|^#[^\n]*", re.DOTALL | re.MULTILINE)
FUNCTIONS = ".extern .func f(.param .b32 z);\n.func (.param .b32 y) g(.param .b32 z, .param .b32 w) ;\n"


def there_and_back(source: str) -> str:
    """The program, which must write the same tokens and an equal tree."""
    program = px.to_python(source)
    names: dict[str, object] = {}
    exec(compile(program, "program.py", "exec"), names)
    written = str(names["m"])
    assert tokens(COMMENT.sub(" ", written)) == tokens(COMMENT.sub(" ", source))
    assert parse(written) == parse(source)
    return program


@pytest.mark.parametrize("name", BODIES)
def test_bodies(name: str) -> None:
    there_and_back(kernel(BODIES[name]).replace(HEAD, HEAD + FUNCTIONS))


@pytest.mark.parametrize("source", TOPS)
def test_modules(source: str) -> None:
    there_and_back(source)


@pytest.mark.parametrize(
    "source",
    [
        ".version 8.0\n.target sm_90a\n.entry k { ret; }",
        ".version 8.0\n.target sm_90a, debug\n.address_size 32\n",
        ".version 8.0\n.target sm_90a\n.address_size 0x40\n",
        HEAD + ".entry k() { .reg .b32 %r<3>, %r1x; { .reg .f32 %r<9>; mov.f32 %r8, %r1; } mov.b32 %r1x, %r2; }",
        HEAD + ".entry k() { .reg .b32 lambda, k, m, px, _9; mov.b32 lambda, k; add.s32 m, px, _9; }",
        HEAD + ".entry k() { .reg .v2 .f32 q; .reg .f32 %f1; mov.f32 %f1, q.x; }",
        HEAD + ".entry k() { .reg .b32 %r1<4>; ret; }",
        HEAD + ".entry k() { " + "{ " * 40 + "ret; " + "} " * 41,
        HEAD + '.global .b8 quote[3] = {1, 2, 3};\n.file 1 "C:\\\\x y.cu"\n',
    ],
)
def test_corners(source: str) -> None:
    there_and_back(source)


def test_what_is_illegal_stays_so() -> None:
    program = there_and_back(kernel("add.f32 %r1, %r2, %rd1; nonsense.b32 %r1; add.s32 %r1, %r2, 3;"))
    assert 'k.instruction("add.f32", r[1], r[2], rd[1], check=False)' in program
    assert 'k.instruction("nonsense.b32", r[1], check=False)' in program
    assert "k.add.s32(r[1], r[2], 3)" in program


def test_what_it_looks_like() -> None:
    body = """    ld.global.v2.u32 {%r1, %r2}, [%rd1+8];
    @!%p1 cp.async.cg.shared.global [s+16], [%rd1], 16;
    mov.f32 %f1, 0f3F800000;
L:  setp.lt.s32 %p1|%p2, %r1, -5;
    @%p2 bra L;"""
    program = there_and_back(kernel(body))
    start = program.index("    k.ld")
    assert program[start : program.index("\n\n", start)].splitlines() == [
        "    k.ld.global_.v2.u32((r[1], r[2]), [rd[1] + 8])",
        '    k.cp.async_.cg.shared.global_(["s+16"], [rd[1]], 16, pred=~p[1])',
        '    k.mov.f32(f[1], "0f3F800000")',
        '    k.label("L")',
        "    k.setp.lt.s32(p[1] | p[2], r[1], -5)",
        '    k.bra("L", pred=p[2])',
    ]


KERNELS = [
    *copies.LINEAR.values(),
    copies.tma_1d,
    copies.tma_2d,
    copies.swizzled_tile.specialize(rows=16, columns=32, swizzle="128B"),
    kernels(2, 1)[0].specialize(tiling=Tiling().fitted(2), majors=("K", "K")),
    kernels(1, 2)[1].specialize(tiling=Tiling(64, 16, 1, True, 2).fitted(4), majors=("MN", "K"), out=px.f32),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_our_kernels(kernel: px.Kernel) -> None:
    assert "check=False" not in there_and_back(kernel.ptx)


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("source", "option"),
    [(s, o) for s in compiler.SOURCES for o in ("", "-lineinfo")] + [("tma.cu", "-G"), ("plain.cu", "-G")],
)
def test_nvcc_output(source: str, option: str) -> None:
    there_and_back(compiler.compile_ptx(source, *([option] if option else [])))


@pytest.mark.corpus
@pytest.mark.parametrize("name", triton_compiler.names())
def test_triton_output(name: str) -> None:
    there_and_back(triton_compiler.compile_ptx(name))


# --- the language that programs are written in


def test_headers_that_come_later_count() -> None:
    """What was legal without a target is asked again under one that lacks it."""
    m = px.module()
    with m.func("f") as k:
        k.instruction("wgmma.fence.sync.aligned")
        m.declare(".version 8.0\n.target sm_80")
        with pytest.raises(Diagnostic):
            k.instruction("wgmma.fence.sync.aligned")


def test_mistakes_are_told_at_the_call() -> None:
    m = px.module("8.0", "sm_90a")
    with m.entry("k", [".param .u64 a"]) as k:
        r, rd = k.reg("b32", "%r<4>"), k.reg("b64", "rd")
        calls = [
            ("PTX0105", lambda: k.add.f32(r[1], r[2], rd)),
            ("PTX0010", lambda: r[4]),
            ("PTX0011", lambda: k.ld.param.u64(rd, ["b"])),
            ("PTX0013", lambda: k.reg("b32", "rd")),
            ("PTX0104", lambda: k.ret(pred=r[1] | r[2])),
            ("PTX0104", lambda: k.ld.global_.b32(r[1], [rd, 3])),
            ("PTX0109", lambda: k.mov.b32(r[1], 1.5)),
            ("PTX2203", lambda: k.mov.b32(r[1], b=r[2])),
            ("PTX0003", lambda: k.declare(".shared .b32 x")),
        ]
        for code, call in calls:
            with pytest.raises(Diagnostic) as wrong:
                call()
            assert wrong.value.code == code
            assert wrong.value.origin is not None
            assert wrong.value.origin.file == __file__
    assert "add.f32" not in str(m)


def test_what_the_target_lacks_is_told() -> None:
    m = px.module("7.0", "sm_80")
    with m.entry("k") as k, pytest.raises(Diagnostic) as wrong:
        k.setmaxnreg.inc.sync.aligned.u32(32)
    assert [d.code for d in (wrong.value, *wrong.value.also)] == ["PTX1001", "PTX1002"]


def test_device_functions() -> None:
    m = px.module("8.0", "sm_90a")
    with m.func("twice", [".param .b32 x"], returns=[".param .b32 y"]) as k:
        r = k.reg("b32", "%r<2>")
        k.ld.param.b32(r[0], ["x"])
        k.shl.b32(r[1], r[0], 1)
        k.st.param.b32(["y"], r[1])
        k.ret()
    assert parse(str(m)).function("twice") is not None


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "k.ptx", tmp_path / "k.py"
    file.write_text(kernel("ret;"))
    assert command.main(command.Options(file=file)) == 0
    shown = capsys.readouterr().out
    assert command.main(command.Options(file=file, out=out)) == 0
    assert out.read_text() == shown == px.to_python(kernel("ret;"))
    with pytest.raises(Diagnostic) as wrong:
        command.main(command.Options(file=file, out=file))
    assert wrong.value.code == "PTX2503"
    assert file.read_text() == kernel("ret;")
