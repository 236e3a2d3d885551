"""What machine code finds in order of asynchronous operations, Python finds in order: findings are the same without it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ptxlab.sim.order.tables import Tables

from . import zoo
from .test_zoo import told

FAMILIES = ("bulk", "tma", "wgmma")
EVERY = 5
"""Faulty kernels of a family of which one is looked at."""
RIGHT = [(k, None) for k in zoo.kernels() if k.family in FAMILIES]
FAULTY = [(k, m) for k, m in zoo.mutants() if k.family in FAMILIES][::EVERY]
CASES = [pytest.param(k, m, id=f"{k.family}/{k.name}" + (f"-{m.name}" if m else "")) for k, m in (*RIGHT, *FAULTY)]


def found(kernel: Any, mutant: Any) -> set[tuple[str, str, str]]:
    """Codes and places of what a launch finds."""
    findings, _ = told(kernel, kernel.text(mutant), "eager", 0)
    return {(d.code, str(d.span), str(d.other)) for d in findings}


@pytest.mark.parametrize(("kernel", "mutant"), CASES)
def test_python_finds_the_same(kernel: Any, mutant: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []

    def counted(look: Callable[..., bool]) -> Callable[..., bool]:
        def looked(*of: Any, **more: Any) -> bool:
            asked.append(look(*of, **more))
            return asked[-1]

        return looked

    looks = {name: getattr(Tables, name) for name in ("in_order", "noted")}
    for name, look in looks.items():
        monkeypatch.setattr(Tables, name, counted(look))
    mine = found(kernel, mutant)
    assert not asked or any(asked) or mutant is not None
    for name in looks:
        monkeypatch.setattr(Tables, name, lambda *of, **more: False)
    assert mine == found(kernel, mutant)
