"""Kernels that go wrong, and some that do not: where an H200 faulted or hung the simulator stops, else it gives the same words.

The record has of each kernel its text and what became of it: an error of the driver, `hang`, or the words that its threads stored,
with how often each stands there in a row.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic

RECORD: dict[str, Any] = json.loads(gzip.decompress(Path(__file__).with_name("stops.json.gz").read_bytes()))
QUESTIONS: dict[str, Any] = RECORD["questions"]
PARTS = 8
SCRATCH = 1 << 20
STRICTER = {
    *("PTX9004", "PTX9006", "PTX9008", "PTX9011", "PTX9012", "PTX9015", "PTX9017", "PTX9019", "PTX9024", "PTX9026"),
    *("PTX9110", "PTX9111", "PTX9112", "PTX9113", "PTX9114", "PTX9120", "PTX9123"),
    *("PTX9130", "PTX9132", "PTX9140"),
}
"""What the chip may go on from, with bytes that no rule gives; see docs/reference/stops.md."""
LAXER = {
    "9002/discard far": "hints are not looked at",
    "9112/warp arrives on 31": "lanes arrive one after the other here, and together there",
    **dict.fromkeys(
        (
            n
            for n in QUESTIONS
            if n.startswith("barrier/halves") and n.split("/")[-1] not in ("sync, sync", "and, and", "or, or")
        ),
        "halves of a warp that have parted meet at another barrier here",
    ),
    **dict.fromkeys(
        (n for n in QUESTIONS if n.startswith("barrier/halves on two numbers")), "a warp may wait at two barriers here"
    ),
}
"""Where the simulator goes on and the chip does not, or gives other words, and why."""
UNWRITTEN = {n for n in QUESTIONS if n.startswith(("9131/warp 0 only", "9116/multicast to nobody"))}
"""Their words come from registers and shared memory that nobody has written."""
UNDEFINED = {"9025/masks overlap shfl.sync"}
"""What lanes get from others that name other masks."""


@pytest.mark.parametrize("part", range(PARTS))
def test_the_simulator_stops_where_the_chip_does(part: int) -> None:
    names = [n for n in sorted(QUESTIONS)[part::PARTS] if n not in LAXER and n not in UNDEFINED]
    wrong = [found for name in names if (found := _differs(name, QUESTIONS[name]))]
    assert not wrong, "\n".join(wrong)


def test_what_is_known_to_differ_still_does() -> None:
    assert set(LAXER) <= set(QUESTIONS)
    for name in ("9112/warp arrives on 31", "barrier/halves/sync, popc"):
        assert _differs(name, QUESTIONS[name])


def _differs(name: str, question: dict[str, Any]) -> str:
    answer = question["answer"]
    out = np.full(question["grid"] * question["block"], 0xCDCDCDCD, np.uint32)
    kernel = px.parse(question["text"])["k"]
    try:
        args = [out, np.zeros(SCRATCH, np.uint32)]
        px.simulate(
            kernel, grid=question["grid"], block=question["block"], args=args, lints=False, max_instructions=1 << 22
        )
    except Diagnostic as d:
        return (
            ""
            if answer_is_an_end(answer) or d.code in STRICTER
            else f"{name}: the chip goes on, here {d.code} {d.message}"
        )
    if answer_is_an_end(answer):
        return f"{name}: the chip ends with {answer}, here it goes on"
    if answer == "runs" or name in UNWRITTEN:
        return ""
    wanted = np.repeat([word for word, _ in answer], [count for _, count in answer])
    return "" if np.array_equal(out, wanted) else f"{name}: other words"


def answer_is_an_end(answer: Any) -> bool:
    """Whether the chip did not come to the kernel's end."""
    return isinstance(answer, str) and answer != "runs"
