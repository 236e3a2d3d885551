"""PTX that nvcc wrote: parsed, printed byte for byte, lowered and checked without a false error."""

from __future__ import annotations

import compiler
import pytest

from ptxlab.check import check
from ptxlab.diag import Severity
from ptxlab.ptx.lower import lower
from ptxlab.ptx.parser import parse
from ptxlab.ptx.printer import text
from ptxlab.ptx.tree import Module

pytestmark = pytest.mark.corpus
_CASES = [(source, option) for source in compiler.SOURCES for option in ("", "-lineinfo", "-G")]


@pytest.mark.parametrize(("source", "option"), _CASES)
def test_nvcc_output(source: str, option: str) -> None:
    ptx = compiler.compile_ptx(source, *([option] if option else []))
    module = parse(ptx, source)
    assert text(module) == ptx
    assert _complaints(module) == []
    assert module.entries()


@pytest.mark.parametrize("target", ["sm_80", "sm_89", "sm_100a", "sm_120a"])
@pytest.mark.parametrize("source", ["numbers.cu", "textures.cu"])
def test_nvcc_output_for_other_targets(source: str, target: str) -> None:
    ptx = compiler.compile_ptx(source, target=target)
    module = parse(ptx, source)
    assert text(module) == ptx
    assert _complaints(module) == []


def _complaints(module: Module) -> list[str]:
    """What the checks find, without the notes on instructions that have no row."""
    return [str(d) for d in check(module) if d.severity is not Severity.NOTE]


def test_nvcc_textures_are_noted() -> None:
    found = check(compiler.compile_ptx("textures.cu"))
    assert {d.message.split("`")[1] for d in found} == {"tex", "tld4", "suld", "sust"}


def test_nvcc_cp_async() -> None:
    program = lower(parse(compiler.compile_ptx("cp_async.cu")), "row_sums")
    names = {op.inst.form.name for op in program.ops}
    assert {"cp.async", "cp.async.commit_group", "cp.async.wait_group", "bar.sync", "shfl.sync"} <= names
    assert [(p.type.name, p.offset) for p in program.params] == [("u64", 0), ("u64", 8), ("u32", 16)]
    assert program.param_bytes == 20
    assert program.shared_static == 2 * 512 * 4 + 16
    assert program.directives.maxntid == (128, 1, 1)
    assert program.calls == ()


def test_nvcc_tma() -> None:
    program = lower(parse(compiler.compile_ptx("tma.cu")), "add_one")
    keys = [op.inst.form.name for op in program.ops]
    for name in ("mbarrier.init", "mbarrier.try_wait.parity", "cp.async.bulk.tensor", "cp.async.bulk.commit_group"):
        assert name in keys
    assert [(p.size, p.align, p.offset) for p in program.params] == [(128, 128, 0), (128, 128, 128)]
    assert {v.name: (v.size, v.align) for v in program.variables} == {
        "_ZZ7add_oneE4tile": (4096, 128),
        "_ZZ7add_oneE3bar": (8, 8),
    }


def test_nvcc_calls_are_listed() -> None:
    module = parse(compiler.compile_ptx("mixed.cu"))
    assert lower(module, "printing").calls == ("vprintf",)
    pieces = lower(module, "pieces")
    constants = {v.name: v.init for v in pieces.variables if v.space == "const"}
    assert constants["table"] == bytes.fromhex("0000803f000000400000404000008040")
    pointer = next(v for v in pieces.variables if v.name == "pointer")
    assert [(r.symbol, r.offset, r.size, r.generic) for r in pointer.references] == [("counter", 0, 8, True)]
    assert next(v for v in pieces.variables if v.name == "dynamic").offset == pieces.shared_static
