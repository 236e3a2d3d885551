"""The simulator gives what an H100 gave, row by row."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxlab.conformance.record import golden
from ptxlab.conformance.rows import run as rows
from ptxlab.conformance.rows.moves import moves
from ptxlab.conformance.rows.probes import EXCLUDED, Probe, probes
from ptxlab.conformance.rows.products import products
from tools import coverage

PATH = Path(__file__).with_name("rows.npz")
RECORD = golden.read(PATH)
PARTS = 8

YOUNGER: set[str] = set()
"""Rows that came, or whose operands changed, after the recording; recording again empties this."""


def test_the_record_is_of_an_h100_and_of_these_probes() -> None:
    assert "H100" in RECORD.gpu
    assert all((RECORD.driver, RECORD.cuda, RECORD.ptxas, RECORD.date))
    recorded = {Probe.of_key(k).form.key for k in RECORD.results if not k.startswith(("wgmma ", "move "))}
    assert coverage.unproven(recorded, (p.form.key for p in probes())) == sorted(YOUNGER), coverage.WHAT_TO_DO
    assert not recorded & (YOUNGER | set(EXCLUDED))
    assert {m.key for m in moves()} <= set(RECORD.results)
    assert {k for k in RECORD.results if k.startswith("wgmma ")} <= {p.key for p in products()}


@pytest.mark.parametrize("part", range(PARTS))
def test_rows_mean_what_the_chip_makes_of_them(part: int) -> None:
    found = list(rows.differences(RECORD, sorted(RECORD.results)[part::PARTS]))
    assert not found, "\n".join(map(str, found))
