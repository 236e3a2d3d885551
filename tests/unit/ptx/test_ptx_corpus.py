"""PTX that nvcc wrote: parsed, printed byte for byte, lowered and checked without a false error."""

from __future__ import annotations

import compiler
import pytest

from ptxlab.checks import check
from ptxlab.diag import Severity
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


def test_nvcc_textures_fit_their_rows() -> None:
    ptx = compiler.compile_ptx("textures.cu")
    assert all(f"\t{name}." in ptx for name in ("tex", "tld4", "suld", "sust"))
    assert [str(d) for d in check(ptx)] == []
