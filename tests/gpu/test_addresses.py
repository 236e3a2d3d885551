"""Addresses of shared memory: what a GPU answers is what the simulator answers, and what was recorded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ptxlab.conformance.addresses.probes import PROBES
from ptxlab.conformance.addresses.run import Answer, differences, gpu_answers, simulated

RECORD = Path(__file__).parents[1] / "conformance/h100/addresses.json"


pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module")
def answers() -> dict[str, Answer]:
    return gpu_answers()


@pytest.mark.parametrize("name", PROBES)
def test_the_simulator_answers_as_the_gpu(answers: dict[str, Answer], name: str) -> None:
    assert differences({name: simulated(PROBES[name])}, answers) == []


@pytest.mark.skipif(not RECORD.exists(), reason="nothing is recorded")
def test_the_gpu_answers_as_the_one_that_was_recorded(answers: dict[str, Answer]) -> None:
    assert differences(answers, json.loads(RECORD.read_text())["answers"], ("now", "recorded")) == []
