"""All orders of strong accesses against the memory model: where the model has an outcome that no order has, a run says so."""

from __future__ import annotations

import random
from collections.abc import Set
from typing import Any

import pytest

import ptxlab as px
from ptxlab.abi.options import LaunchOptions, SimOptions
from ptxlab.memory_model import kernel
from ptxlab.memory_model.emit import ENTRY
from ptxlab.sim.diagnose.observe import orders
from ptxlab.sim.report.certificate import Certificate


def drawn(seed: int) -> str:
    """A litmus test of strong accesses to two or three words."""
    r = random.Random(seed)
    threads, words = r.choice((2, 2, 3)), r.choice(("xy", "xy", "xyz", "x"))
    columns: list[list[str]] = []
    registers: list[str] = []
    for t in range(threads):
        column: list[str] = []
        for i in range(r.randint(1, {2: 4, 3: 3}[threads])):
            kind, word = r.choice(("ld", "ld", "st", "st", "add", "exch", "cas", "fence")), r.choice(words)
            sem = r.choice(("relaxed", "acq_rel", "acquire", "release"))
            if kind == "ld":
                column.append(f"ld.{r.choice(('relaxed', 'acquire'))}.gpu r{i}, {word}")
            elif kind == "st":
                column.append(f"st.{r.choice(('relaxed', 'release'))}.gpu {word}, {r.randint(1, 2)}")
            elif kind == "fence":
                column.append("fence.acq_rel.gpu")
                continue
            elif kind == "cas":
                column.append(f"atom.{sem}.gpu.cas r{i}, {word}, 0, {r.randint(1, 2)}")
            else:
                column.append(f"atom.{sem}.gpu.{kind} r{i}, {word}, 1")
            if kind != "st":
                registers.append(f"P{t}:r{i}")
        columns.append(column)
    rows = max(map(len, columns))
    head = " | ".join(f"P{t}@cta {t},gpu 0" for t in range(threads))
    lines = [" | ".join(c[i] if i < len(c) else "" for c in columns) for i in range(rows)]
    body = "".join(f"{line} ;\n" for line in [head, *lines])
    start = " ".join(f"{word} = 0;" for word in words)
    asked = "; ".join([*registers, *words])
    return f"PTX orders\n{{ {start} }}\n{body}locations [{asked};]\n"


class _Every(orders._Explorer):
    """Goes on whatever a run leaves; keeps what runs leave, and whether one has found that the model may have more."""

    outcome: Any
    found: set[Any]
    older: bool

    def _judge(self, machine: Any, steering: Any, report: Any, stop: Any) -> None:
        assert stop is None
        assert not report.findings
        self.older |= steering.stale is not None or steering.buffered is not None
        if steering.trace.ended:
            self.found.add(self.outcome())


def explored(text: str) -> tuple[Set[Any], Set[Any], bool]:
    """Of a litmus test the outcomes of the model, those of all orders, and whether some run finds that the model may have more."""
    verdict = px.litmus(text, hang=False)
    made = kernel(verdict.program)
    module = px.parse(made.text, "k.ptx")
    built = module[ENTRY].entry().built(LaunchOptions(**made.shape, args=[], lints=False, device="sim"), None)
    record = built.record
    before = orders.Contents(record)
    options = SimOptions(certify=True, sanitize="strict", orders=100_000)
    every = _Every(record, options, Certificate("", ""), before, before, orders.accesses(record))
    every.outcome = lambda: made.outcome(verdict.names, lambda name: module.symbol(name)[:])
    every.found, every.older = set(), False
    every.certificate()
    return {one.values for one in verdict.outcomes}, every.found, every.older


@pytest.mark.parametrize("seed", range(40))
def test_orders_and_the_model(seed: int) -> None:
    model, found, older = explored(drawn(seed))
    assert found
    assert found <= model
    assert older or found == model


def test_what_is_told_is_there() -> None:
    """Most programs of which a run says that the model may have more do have more."""
    told = [(model, found) for model, found, older in map(explored, map(drawn, range(100, 140))) if older]
    assert sum(model != found for model, found in told) * 2 > len(told)
