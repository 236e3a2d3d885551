"""Addresses of shared memory: the simulator answers as an H100 did."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ptxlab.conformance.addresses.probes import PROBES
from ptxlab.conformance.addresses.run import FAULT, HANG, differences, simulated

RECORD = Path(__file__).parent / "h100/addresses.json"
STRICTER = [name for name, probe in PROBES.items() if not probe.compared]


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    return json.loads(RECORD.read_text())


def test_the_record_is_of_these_probes(record: dict[str, Any]) -> None:
    assert set(record["answers"]) == set(PROBES)
    assert "H100" in record["gpu"]
    assert all(record[key] for key in ("driver", "cuda", "ptxas", "date"))


@pytest.mark.parametrize("name", PROBES)
def test_the_simulator_answers_as_an_h100(record: dict[str, Any], name: str) -> None:
    assert differences({name: simulated(PROBES[name])}, record["answers"], ("simulator", "H100")) == []


@pytest.mark.parametrize("name", STRICTER)
def test_what_does_not_belong_to_the_kernel_is_a_fault(name: str) -> None:
    """Whatever an H100 does there: these are not compared."""
    assert simulated(PROBES[name]) == FAULT


def test_differences_name_probe_label_and_both_values() -> None:
    one, other = {"names/1": {"mov": [0x400], "x": [1]}}, {"names/1": {"mov": [0x800], "x": [1]}}
    assert differences(one, other) == ["names/1, mov: simulator 0x400, GPU 0x800"]
    assert differences(one, {"names/1": FAULT}) == [f"names/1: simulator {one['names/1']}, GPU fault"]
    assert differences(one, {"names/1": HANG, "names/2": FAULT}, ("a", "b"))[0].endswith("b hang")
    assert differences({STRICTER[0]: FAULT}, {STRICTER[0]: {"answer": [0]}}) == []
    assert differences(one, one) == []
