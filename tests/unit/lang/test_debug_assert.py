"""`k.debug_assert`: what stops, what does not, what is compiled, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px
from ptxlab.checks import check
from ptxlab.ptx.parser import parse
from tests.unit.lang.tracing import instructions


@px.kernel(threads=64)
def bounded(k, n: px.u32, out: px.Ptr[px.u32]):
    at = k.tid.x
    k.debug_assert(at < n, "a thread has an element")
    k.debug_assert(~(at == 63))
    k.st.global_.u32(out[at], at)


def test_the_diagnostic_says_what_and_where() -> None:
    with pytest.raises(px.Diagnostic) as caught:
        bounded[1](np.uint32(40), px.empty(64, np.uint32))
    found = caught.value
    assert found.code == "PTX9018"
    assert "`a thread has an element`" in found.message
    assert f"{__file__.rsplit('/', 1)[1]}:" in found.message
    assert "bounded" in found.message
    with pytest.raises(px.Diagnostic, match=r"debug_assert\(~\(at == 63\)\)"):
        bounded[1](np.uint32(64), px.empty(64, np.uint32))


def test_it_is_legal_ptx() -> None:
    text = bounded.ptx
    assert text.count("call.uni __assertfail") == 2
    assert text.count(".extern .func __assertfail") == 1
    assert not [d for d in check(parse(text)) if d.severity is px.Severity.ERROR]


def test_it_can_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def body(k):
        k.debug_assert(k.tid.x < 8)

    assert any("call" in i for i in instructions(body))
    monkeypatch.setenv("PTXLAB_DEBUG_ASSERT", "0")
    assert not any("call" in i for i in instructions(body))


def _a_number(k):
    k.debug_assert(k.tid.x)


def _known_now(k):
    k.debug_assert(True)


def _no_text(k):
    k.debug_assert(k.tid.x < 8, 3)


@pytest.mark.parametrize(("body", "code"), [(_a_number, "PTX2208"), (_known_now, "PTX2208"), (_no_text, "PTX2221")])
def test_misuse(body, code: str) -> None:
    with pytest.raises(px.Diagnostic, match=code) as caught:
        instructions(body)
    assert caught.value.origin is not None
