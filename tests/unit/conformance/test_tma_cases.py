"""Random copies for the record: legal, within their memory, the same every time; and a comparison that finds what differs."""

from __future__ import annotations

import numpy as np
import pytest

from ptxlab.conformance.record.golden import Golden
from ptxlab.conformance.tma import maps as tma_maps
from ptxlab.conformance.tma import run as tma
from ptxlab.conformance.tma.cases import KINDS, REGION, SOURCE_BYTES, Dice, Setting, cases, geometry, source
from ptxlab.conformance.tma.devices import Simulator
from ptxlab.conformance.tma.kernels import DUMP
from ptxlab.diag import Diagnostic
from tools.record.tma import strangers


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("setting", [Setting(), Setting(REGION, outside=False)])
def test_cases_are_legal_and_fit(kind: str, setting: Setting) -> None:
    for case in cases(kind, 40, 3, setting):
        m, box = case.map, geometry(case.map)
        assert m.problems() == []
        assert case.base + box.footprint + 1024 <= DUMP + 1024
        last = sum((n - 1) * s for n, s in zip(m.dims[1:], m.strides, strict=True)) + m.dims[0] * box.unit
        assert m.address + last <= setting.region
        if not setting.outside:
            assert min(case.coordinates) >= 0


def test_cases_are_the_same_for_the_same_seed() -> None:
    assert cases("tile", 5, 1) == cases("tile", 5, 1)
    assert cases("tile", 5, 1) != cases("tile", 5, 2)
    assert [Dice("a").below(1000) for _ in range(2)] == [Dice("a").below(1000)] * 2


def test_every_word_of_the_source_is_different() -> None:
    assert len(np.unique(source().view(np.uint32))) == SOURCE_BYTES // 4


def test_replacements_cover_every_field_in_both_spaces() -> None:
    made = tma_maps.replacements()
    assert len({r.key for r in made}) == len(made) == 88
    assert all(len(r.maps(0)) == len(r.values(0)) == tma_maps.MAPS for r in made)


def test_what_differs_from_a_record_is_found() -> None:
    ran = tma.run(Simulator(), 5, ["bulk"])
    recorded = Golden(seed=5, results=dict(ran.results), operands=dict(ran.operands))
    assert tma.differences(recorded, ran) == []
    key = "bulk global add f16"
    ran.results[key] = ran.results[key] ^ np.uint8(1)
    assert tma.differences(recorded, ran) == [key]
    ran.operands[key] += 1
    with pytest.raises(Diagnostic) as caught:
        tma.differences(recorded, ran)
    assert caught.value.code == "PTX2500"


def test_a_rebound_map_that_loads_other_bytes_is_a_stranger() -> None:
    same, other = np.arange(8, dtype=np.uint8), np.zeros(8, np.uint8)
    made = np.concatenate([np.zeros(128, np.uint8), same])
    assert strangers({"a": made, "a from the host": same}) == []
    assert strangers({"a": made, "a from the host": other}) == ["a"]
