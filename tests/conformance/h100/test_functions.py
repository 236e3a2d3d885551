"""Approximate functions give the bits that an H200 gave: digests of binades of all kinds, and of all operands of 16 bits.

`ptxlab conformance --full --family functions` compares all 2^32 operands of every function.
"""

from __future__ import annotations

import random
from typing import Final

import pytest

from ptxlab.conformance.functions import run
from ptxlab.conformance.functions.cases import BINADES, Case, cases
from ptxlab.conformance.record import golden
from ptxlab.conformance.record.golden import COMPACT

RECORD: Final = golden.read(COMPACT / "functions.npz")
EDGES: Final = (0, 119, 122, 125, 126, 128, 140, 254, 255, 256 + 127)
"""Subnormal numbers; near the least that tanh looks up; below 1; both parities of the exponent; large angles; infinity and NaN."""
DRAWN: Final = 2
"""Further binades of each function."""


def chosen() -> list[str]:
    by: dict[tuple[str, str], list[Case]] = {}
    for case in cases().values():
        by.setdefault((case.probe.opcode, case.part), []).append(case)
    out: list[str] = []
    for (opcode, part), some in by.items():
        if len(some) == BINADES:
            picked = {*EDGES, *random.Random(opcode).sample(range(BINADES), DRAWN)}
            out += [c.name for c in some if c.index in picked]
        else:
            out += [c.name for c in some[:1]]
        assert part in ("binade", "upper", "all", "drawn")
    return out


def test_the_record_is_whole() -> None:
    assert set(RECORD.keys) == set(cases())
    assert RECORD.gpu
    assert RECORD.driver


@pytest.mark.parametrize("name", chosen())
def test_the_simulator_gives_the_chips_bits(name: str) -> None:
    ours = run.run(run.simulator, [name], RECORD.seed).results[name]
    assert RECORD.same(name, ours)
