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

GOLDEN = Path(__file__).parents[2] / "conformance" / "h100" / "tensormap_driver13000.jsonl.gz"
# The driver's enumerations, in its order.
DTYPES = (
    "u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16", "f32_ftz", "tf32", "tf32_ftz",
    "16u4_align8b", "16u4_align16b", "16u6_align16b",
)  # fmt: skip
SWIZZLES = ("none", "32B", "64B", "128B", "128B_atom_32B", "128B_atom_32B_flip_8B", "128B_atom_64B", "value 7")
# How many calls of each kind the record holds, and how many of them the driver accepted.
COUNTS = {"tiled": (16780, 4016), "im2col": (4876, 626), "im2col_wide": (2344, 325)}


@pytest.fixture(scope="module")
def records() -> list[dict[str, Any]]:
    with gzip.open(GOLDEN, "rt") as lines:
        return [json.loads(line) for line in lines]


def build(r: dict[str, Any]) -> TensorMap:
    common: dict[str, Any] = {
        "dtype": DTYPES[r["dt"]],
        "address": r["addr"],
        "dims": r["dim"],
        "strides": r["str"],
        "element_strides": r["es"],
        "interleave": ("none", "16B", "32B")[r["il"]],
        "swizzle": SWIZZLES[r["sw"]],
        "l2_promotion": ("none", "64B", "128B", "256B")[r["l2"]],
        "oob_fill": ("zero", "nan")[r["oob"]],
    }
    if r["kind"] == "tiled":
        return TensorMap.tiled(box=r["box"], **common)
    common |= {"lower": r["lo"], "upper": r["hi"], "channels": r["cpp"], "pixels": r["ppc"]}
    if r["kind"] == "im2col":
        return TensorMap.im2col(**common)
    return TensorMap.im2col_wide(mode=("w", "w128")[r["mode"]], **common)


def built_or_refused(r: dict[str, Any]) -> TensorMap | Diagnostic:
    try:
        return build(r)
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
        made = built_or_refused(r)
        if isinstance(made, Diagnostic):
            assert r["result"] != 0, f"refused, but the driver accepts: {r}\n{made}"
            assert made.help, made.code
            assert made.origin is not None
            assert made.origin.file == __file__
            codes[made.code] += 1
            continue
        assert r["result"] == 0, f"accepted, but the driver refuses: {r}"
        assert made.encode().hex() == r["bytes"], r
        assert TensorMap.decode(bytes.fromhex(r["bytes"])) == made, r
        accepted += 1
    assert (seen, accepted) == COUNTS[kind]
    assert sum(codes.values()) == seen - accepted
    assert len(codes) >= 10, codes
