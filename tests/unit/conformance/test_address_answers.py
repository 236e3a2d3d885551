"""Asking a GPU about addresses: probes that fail or do not end, and what is recorded. No GPU is needed."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ptxlab.conformance.addresses import run as addresses
from ptxlab.conformance.addresses.probes import PROBES
from ptxlab.conformance.record.chip import Chip
from ptxlab.cuda import driver
from ptxlab.diag import Diagnostic
from tools.record import addresses as recording

NAMES = list(PROBES)[:5]
GOOD = {"x": [1, 2]}


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The probes that each process was given; the second faults, the fourth never ends, all others answer."""
    given: list[list[str]] = []

    def run(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        names = command[3:]  # python -m MODULE
        given.append(names)
        said = ""
        for name in names:
            if name == NAMES[3]:
                raise subprocess.TimeoutExpired(command, 1, said.encode())
            said += json.dumps([name, addresses.FAULT if name == NAMES[1] else GOOD]) + "\n"
            if name == NAMES[1]:
                break
        return subprocess.CompletedProcess(command, 0, said, "")

    monkeypatch.setattr(driver, "device", lambda: None)
    monkeypatch.setattr(addresses.subprocess, "run", run)
    return given


def test_a_new_process_goes_on_behind_a_fault_and_a_hang(children: list[list[str]]) -> None:
    answers = addresses.gpu_answers(NAMES)
    assert answers == dict.fromkeys(NAMES, GOOD) | {NAMES[1]: addresses.FAULT, NAMES[3]: addresses.HANG}
    assert children == [NAMES, NAMES[2:], NAMES[4:]]


def test_a_probe_that_cannot_be_run_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        said = json.dumps([NAMES[0], GOOD]) + "\n" if NAMES[0] in command else ""
        return subprocess.CompletedProcess(command, 1, said, "no assembler")

    monkeypatch.setattr(driver, "device", lambda: None)
    monkeypatch.setattr(addresses.subprocess, "run", run)
    with pytest.raises(Diagnostic) as caught:
        addresses.gpu_answers(NAMES)
    assert caught.value.code == "PTX2420"
    assert NAMES[1] in caught.value.message
    assert "no assembler" in caught.value.message


def test_a_fault_ends_the_process_that_asks(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    def answer(probe: Any) -> dict[str, list[int]]:
        if probe.name == NAMES[1]:
            raise Diagnostic("PTX2421", "failed")
        if probe.name == NAMES[2]:
            raise Diagnostic("PTX2420", "the driver refuses")
        return GOOD

    monkeypatch.setattr(addresses, "on_gpu", answer)
    assert addresses.ask(NAMES[:3]) == 0
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == [
        [NAMES[0], GOOD],
        [NAMES[1], addresses.FAULT],
    ]
    assert addresses.ask(NAMES[2:]) == 1
    assert "the driver refuses" in capsys.readouterr().err


def test_a_record_that_cannot_be_written(tmp_path: Path) -> None:
    chip = Chip("NVIDIA H100 80GB HBM3", "580", "13.0", "13.1.80", "2026-11-21")
    recording.write(tmp_path / "made.json", chip, {NAMES[0]: GOOD})
    assert json.loads((tmp_path / "made.json").read_text())["answers"] == {NAMES[0]: GOOD}
    with pytest.raises(Diagnostic) as caught:
        recording.write(tmp_path / "made.json" / "below.json", chip, {})
    assert caught.value.code == "PTX2500"
