"""Kernels of the package name the rounding of every product and sum: ptxas would join those without one into an `fma`."""

from __future__ import annotations

import re
from typing import Any

import pytest

import ptxlab as px
from ptxlab.conformance.kernels.cases import Case
from ptxlab.conformance.kernels.further import products

JOINED = re.compile(r"\b(?:mul|add|sub)(?:\.ftz)?(?:\.sat)?\.(?:f16x2|bf16x2|f16|bf16|f32|f64)\b")


@pytest.mark.parametrize(
    "case", [c for c in products() if "of types" not in c.key and "K" not in c.key], ids=lambda c: c.key
)
def test_no_product_or_sum_is_without_a_rounding(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []
    prepare: Any = px.Kernel.prepare

    def kept(self: px.Kernel, *args: Any, **options: Any) -> Any:
        texts.append(self.ptx)
        return prepare(self, *args, **options)

    monkeypatch.setattr(px.Kernel, "prepare", kept)
    case.prepare(case.arrays("random"))
    assert texts
    assert [line for text in texts for line in text.splitlines() if JOINED.search(line)] == []


def test_such_lines_are_seen() -> None:
    assert JOINED.search("    mul.f32 %f0, %f1, %f2;")
    assert not JOINED.search("    mul.rn.f32 %f0, %f1, %f2;")
    assert not JOINED.search("    red.global.max.u32 [%rd0], %r1;")
