"""Arguments of a launch, and arrays as answers have them."""

from __future__ import annotations

import base64
import math
from typing import Any

import pytest

pytest.importorskip("mcp", reason="there is no SDK of MCP: install the extra `mcp`")

import numpy as np
from pydantic import TypeAdapter

from ptxlab.diag import Diagnostic
from ptxlab.mcp.values import Argument, Arguments, Array, Bound, array, shown

ARGUMENT: TypeAdapter[Any] = TypeAdapter(Argument)
ARGUMENTS: TypeAdapter[Any] = TypeAdapter(Arguments)


def made(kind: str, *shape: int, **more: Any) -> Any:
    return array(Array(array=kind, shape=list(shape), **more))


def test_what_arrays_hold() -> None:
    assert made("u32", 3).tolist() == [0, 0, 0]
    assert made("u32", 2, 2, values=[[1, 2], [3, 4]]).tolist() == [[1, 2], [3, 4]]
    assert made("s8", 4, values=[1, 2, 3, -128]).tolist() == [1, 2, 3, -128]
    assert made("f32", 3, fill=0.5).tolist() == [0.5] * 3
    assert made("u16", 2, 2, fill=1, step=2).tolist() == [[1, 3], [5, 7]]
    assert made("f64", 3, values=["nan", "inf", "-inf"]).tolist()[1:] == [math.inf, -math.inf]
    assert made("bf16", 2, fill=3).dtype.name == "bfloat16"
    raw = np.arange(6, dtype=np.float16)
    assert made("f16", 2, 3, base64=base64.b64encode(raw.tobytes()).decode()).tobytes() == raw.tobytes()
    assert made("u64", 1, values=[2**64 - 1]).tolist() == [2**64 - 1]


def test_random_numbers_follow_from_the_seed() -> None:
    one, two = (made("f32", 100, random={"seed": seed}) for seed in (1, 2))
    assert (one == made("f32", 100, random={"seed": 1})).all()
    assert (one != two).any()
    assert -1 <= one.min() < one.max() < 1
    small = made("u8", 100, random={"seed": 1, "low": 3, "high": 5})
    assert set(small.tolist()) == {3, 4}


def test_numbers_stand_for_themselves() -> None:
    given = ARGUMENTS.validate_python(
        [3, 1.5, "nan", {"scalar": "u64", "value": 7}, {"array": "u8", "shape": [2]}, {"same": "4"}]
    )
    bound = Bound(["a", "b", "c", "d"], given)
    assert bound.args[:2] == [3, 1.5]
    assert math.isnan(bound.args[2])
    assert (bound.args[3], bound.args[3].dtype) == (7, np.uint64)
    assert bound.args[4] is bound.args[5]
    assert [out["name"] for out in bound.outputs(1, "summary")] == ["4"]  # one array is one output


def test_a_tensor_map_of_the_array_of_a_later_argument() -> None:
    given = ARGUMENTS.validate_python({
        "map": {"tensormap": {"same": "x"}, "box": [8, 8]}, "x": {"array": "f32", "shape": [8, 8]},
    })  # fmt: skip
    bound = Bound(["map", "x"], given)
    assert bound.args[0].owner is bound.args[1]


@pytest.mark.parametrize(
    "given",
    [{"array": "u8", "shape": [1], "fill": 300}, {"array": "u8", "shape": [2], "random": {"seed": 1, "high": 0}}],
)
def test_numbers_that_do_not_fit(given: dict[str, Any]) -> None:
    with pytest.raises(Diagnostic) as refused:
        array(ARGUMENT.validate_python(given))
    assert refused.value.code == "PTX2601"


def test_a_summary() -> None:
    out = shown("x", np.array([1.5, np.nan, -2, 0], np.float32), "", 3, "summary")
    assert (out["minimum"], out["maximum"], out["mean"], out["nonzero"], out["nan"]) == (
        -2,
        1.5,
        pytest.approx(-1 / 6),
        3,
        1,
    )
    assert out["first"] == [1.5, "nan", -2.0]
    assert shown("x", np.zeros(0, np.uint8), "", 3, "summary")["minimum"] is None
    assert shown("x", np.array([np.inf]), "", 1, "summary")["mean"] == "inf"
