"""setmaxnreg: the pool of a CTA."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.abi.occupancy import registers_by_directives
from ptxlab.ptx.program import Directives

from .conftest import entry

PARAMS = ".param .u64 out"
CAP = ".reqntid 256 .maxnreg 128"
PRELUDE = """
    .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 127;
"""


def body(producer: str, consumer: str) -> str:
    return PRELUDE + f"@%p1 bra SECOND;\n{producer}\nbra END;\nSECOND:\n{consumer}\nEND: ret;"


def go(run: Callable[..., Any], text: str) -> Any:
    return run(text, np.zeros(4, np.uint32), block=256)


def test_taking_waits_for_giving(run: Callable[..., Any]) -> None:
    """The first warpgroup takes before the second has given: it has to wait, and gets them."""
    text = entry(PARAMS, body("setmaxnreg.inc.sync.aligned.u32 200;", "setmaxnreg.dec.sync.aligned.u32 40;"), CAP)
    assert go(run, text).findings == []


def test_taking_too_much_never_ends(run: Callable[..., Any]) -> None:
    text = entry(PARAMS, body("setmaxnreg.inc.sync.aligned.u32 232;", "setmaxnreg.dec.sync.aligned.u32 40;"), CAP)
    with pytest.raises(px.Diagnostic) as caught:
        go(run, text)
    assert caught.value.code == "PTX9100"
    assert any("setmaxnreg.inc waits for 104 more registers" in note for note in caught.value.notes)


def test_the_wrong_direction(run: Callable[..., Any]) -> None:
    text = entry(PARAMS, body("setmaxnreg.dec.sync.aligned.u32 200;", ""), CAP)
    with pytest.raises(px.Diagnostic) as caught:
        go(run, text)
    assert caught.value.code == "PTX9150"
    assert "128 registers" in str(caught.value)
    assert "setmaxnreg.inc" in str(caught.value.help)


def test_without_a_cap_it_is_ignored_with_a_warning(run: Callable[..., Any]) -> None:
    text = entry(PARAMS, body("setmaxnreg.inc.sync.aligned.u32 232;", "setmaxnreg.inc.sync.aligned.u32 232;"))
    found = go(run, text).findings
    assert [d.code for d in found] == ["PTX2023"]
    assert found[0].severity == "warning"


@pytest.mark.parametrize(
    ("directives", "registers"),
    [
        (Directives(), None),
        (Directives(reqntid=(384, 1, 1)), None),
        (Directives(maxnreg=100), 96),
        (Directives(reqntid=(384, 1, 1), minnctapersm=1), 168),
        (Directives(maxntid=(128, 1, 1), minnctapersm=1), 256),
        (Directives(maxntid=(32, 8, 1), minnctapersm=2), 128),
    ],
)
def test_registers_by_directives(directives: Directives, registers: int | None) -> None:
    assert registers_by_directives(directives) == registers
