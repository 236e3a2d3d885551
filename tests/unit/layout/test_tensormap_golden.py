"""Every recorded call of the CUDA driver (driver 13.0 on an H100 80GB HBM3): same bytes, or refused with a rule."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ptxlab.diag import Diagnostic
from ptxlab.layout.tensormap import TensorMap
from tools.tensormaps import calls

GOLDEN = Path(__file__).parents[2] / "conformance" / "h100" / "tensormap_driver13000.jsonl.gz"
# How many calls of each kind the record holds, and how many of them the driver accepted.
COUNTS = {"tiled": (16780, 4016), "im2col": (4876, 626), "im2col_wide": (2344, 325)}


@pytest.fixture(scope="module")
def records() -> list[dict[str, Any]]:
    with gzip.open(GOLDEN, "rt") as lines:
        return [json.loads(line) for line in lines]


def built_or_refused(r: dict[str, Any]) -> TensorMap | Diagnostic:
    try:
        return calls.made(r)
    except Diagnostic as d:
        return d


@pytest.mark.parametrize("kind", COUNTS)
def test_every_recorded_call(records: list[dict[str, Any]], kind: str) -> None:
    seen = accepted = 0
    codes: Counter[str] = Counter()
    for r in records:
        if r["kind"] != kind:
            continue
        seen += 1
        found = built_or_refused(r)
        if isinstance(found, Diagnostic):
            assert r["result"] != 0, f"refused, but the driver accepts: {r}\n{found}"
            assert found.help, found.code
            assert found.origin is not None
            assert found.origin.file == calls.__file__  # the nearest line outside the package
            codes[found.code] += 1
            continue
        assert r["result"] == 0, f"accepted, but the driver refuses: {r}"
        assert found.encode().hex() == r["bytes"], r
        assert TensorMap.decode(bytes.fromhex(r["bytes"])) == found, r
        accepted += 1
    assert (seen, accepted) == COUNTS[kind]
    assert sum(codes.values()) == seen - accepted
    assert len(codes) >= 10, codes
