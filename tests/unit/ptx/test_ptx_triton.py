"""PTX that Triton and Gluon wrote: parsed, printed byte for byte, checked without a false error, formatted."""

from __future__ import annotations

import pytest
import triton_compiler
from test_ptx_format import canonical

from ptxlab.checks import check
from ptxlab.diag import Severity
from ptxlab.ptx.parser import parse
from ptxlab.ptx.printer import text

pytestmark = pytest.mark.corpus


def test_there_is_a_compiler() -> None:
    reason = triton_compiler.why_not()
    if reason is not None:
        pytest.skip(reason)
    assert len(triton_compiler.names()) >= 20


@pytest.mark.parametrize("name", triton_compiler.names())
def test_triton_output(name: str) -> None:
    ptx = triton_compiler.compile_ptx(name)
    assert [e for e in triton_compiler.expected(name) if e not in ptx] == []
    module = parse(ptx, name)
    assert text(module) == ptx
    assert module.entries()
    assert [str(d) for d in check(module) if d.severity is Severity.ERROR] == []


@pytest.mark.parametrize("name", triton_compiler.names())
def test_canonical_form(name: str) -> None:
    canonical(triton_compiler.compile_ptx(name))
