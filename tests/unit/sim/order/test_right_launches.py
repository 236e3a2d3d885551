"""A launch whose results do not depend on what nobody has written is not run a second time with the same parameters."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px
from ptxlab.sim.order.companions.rerun import Rerun

MAYBE = """.version 8.8
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n) .reqntid 32 {
.reg .b64 %a; .reg .b32 %r<4>; .reg .pred %q;
ld.param.u64 %a, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mad.wide.u32 %a, %r2, 4, %a;
setp.ge.u32 %q, %r1, 32;
@%q mov.u32 %r3, 7;
st.global.u32 [%a], %r3;
ret;
}"""


def test_the_same_parameters_are_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    changes = Rerun.changes
    monkeypatch.setattr(Rerun, "changes", lambda self, altered: asked.append(altered) or changes(self, altered))
    kernel, out = px.parse(MAYBE, "k.ptx")["k"], px.empty(32, np.uint32)

    def codes(n: int) -> list[str]:
        return [
            f.code for f in px.simulate(kernel, grid=1, args=[out, np.uint32(n)], lints=False, sanitize=True).findings
        ]

    assert codes(32) == codes(32) == []
    assert len(asked) == 1
    assert codes(31) == codes(31) == ["PTX9241"], "other parameters are asked, and what is wrong stays wrong"
    assert len(asked) == 3
