"""What kernels see of the way they are launched: the simulator answers as an H200 did."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ptxlab.conformance.addresses.launches import LAUNCHES
from ptxlab.conformance.addresses.run import FAULT, differences, simulated

RECORD: dict[str, Any] = json.loads(Path(__file__).with_name("launches.json").read_text())


def test_the_record_is_of_these_probes() -> None:
    assert set(RECORD["answers"]) == set(LAUNCHES)
    assert "H200" in RECORD["gpu"]
    assert RECORD["answers"]["st.async/no cluster"] == FAULT


@pytest.mark.parametrize("name", LAUNCHES)
def test_the_simulator_answers_as_an_h200(name: str) -> None:
    assert differences({name: simulated(LAUNCHES[name])}, RECORD["answers"], ("simulator", "H200")) == []
