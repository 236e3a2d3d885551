"""Wavefronts and sectors that the simulator counts are those that Nsight Compute counted on an H100."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from ptxlab.diag import Diagnostic
from tools.record import wavefronts

RECORD = Path(__file__).parent / "wavefronts.json.gz"


def test_accesses_take_as_many_wavefronts_and_sectors_as_on_the_chip() -> None:
    waves = wavefronts.read(RECORD)
    some = [random.Random(op).choice([w for w in waves if w.op == op]) for op in dict.fromkeys(w.op for w in waves)]
    some += random.Random(5).sample(waves, 60)
    assert wavefronts.different(some, wavefronts.simulated(some)) == []


def test_a_difference_is_told() -> None:
    first = wavefronts.read(RECORD)[0]
    (line,) = wavefronts.different(
        [first], wavefronts.simulated([wavefronts.Wave(first.op, tuple(range(0, 4096, 128)))])
    )
    assert line.startswith(first.op)


def test_what_is_no_record_is_refused(tmp_path: Path) -> None:
    bad = tmp_path / "bad.json.gz"
    bad.write_bytes(b"{}")
    with pytest.raises(Diagnostic) as caught:
        wavefronts.read(bad)
    assert caught.value.code == "PTX2500"
