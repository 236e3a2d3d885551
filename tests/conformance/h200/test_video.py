"""Video instructions, by the record of an H200: digests of what all of their forms give on drawn operands."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxlab.conformance.micro import run as micros
from ptxlab.conformance.micro.video import video
from ptxlab.conformance.record import golden
from ptxlab.conformance.rows import run as rows

RECORD = golden.read(Path(__file__).with_name("micro.npz"))
SCALAR = ("vadd u32.u32.s32", "vsub s32.s32.u32", "vabsdiff u32.s32.s32", "vmin s32.s32.s32", "vmax u32.u32.u32")
OTHERS = ("vshl s32.u32.u32", "vshr u32.s32.u32", "vset s32.u32", "vmad s32.u32.s32", "vadd2 s32.s32.s32")
LANES = ("vavrg4 s32.s32.u32", "vabsdiff2 u32.s32.u32", "vset4 s32.u32", "vsub4 u32.u32.u32")
"""A few of each kind; `ptxlab conformance` runs more."""


def test_the_record_is_of_these_kernels() -> None:
    assert "H200" in RECORD.gpu
    assert set(RECORD.digests) >= {m.key for m in video()}


@pytest.mark.parametrize("keys", [SCALAR, OTHERS, LANES], ids=["scalar", "others", "lanes"])
def test_video_instructions_give_what_the_chip_gave(keys: tuple[str, ...]) -> None:
    chosen = list(micros.named(keys).values())
    ran = micros.run(rows.simulator, chosen, RECORD.seed)
    assert {k: ran.operands[k] for k in keys} == {k: RECORD.operands[k] for k in keys}
    assert list(micros.differences(RECORD, ran, chosen)) == []
