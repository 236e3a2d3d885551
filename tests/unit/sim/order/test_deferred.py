"""Relaxed atomic operations that machine code sees to: what is found must be what Python finds that hears of each."""

from __future__ import annotations

import re
from collections import OrderedDict

import numpy as np
import pytest

import ptxlab as px
from ptxlab.sim.order import deferred
from ptxlab.sim.order.accesses import Accesses
from ptxlab.sim.order.native.state import OPERATES
from ptxlab.sim.order.sites import _Maker

HEAD = """.version 8.8
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 p) .reqntid 64 {
.shared .align 8 .b8 s[64];
.reg .b64 %a; .reg .b32 %r<9>; .reg .pred %first, %other, %any, %near;
ld.param.u64 %a, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 64, %r1;
setp.eq.u32 %first, %r3, 3; setp.eq.u32 %other, %r3, 40; setp.lt.u32 %any, %r1, 16;
setp.lt.u32 %near, %r3, 16;
"""
ADD = "atom.relaxed.gpu.global.add.u32 %r4, [%a], 1;"
PROGRAMS = {
    "who has found it may store": (f"@%first {ADD} bar.warp.sync -1; @%other {ADD} @%other st.global.u32 [%a], 7;", []),
    "who has not may not": (f"@%first {ADD} @%other st.global.u32 [%a], 7;", ["PTX9203"]),
    "who knows of the finder by a barrier": (
        f"@%first {ADD} @%other {ADD} bar.sync 0; st.global.u32 [%a+4], 7;",
        ["PTX9200"],
    ),
    "a reduction finds nothing": (
        f"@%first {ADD} @%other red.relaxed.gpu.global.add.u32 [%a], 1; @%other st.global.u32 [%a], 7;",
        ["PTX9203"],
    ),
    "its own plain store comes along": (f"@%first st.global.u32 [%a], 7; @%first {ADD} @%other {ADD}", ["PTX9203"]),
    "lanes of a warp meet": (
        f"@%first st.global.u32 [%a], 7; bar.warp.sync -1; @%near {ADD} bar.sync 0; @%other {ADD}",
        [],
    ),
    "only some lanes of a warp meet": (
        f"@%first st.global.u32 [%a], 7; @%any bar.warp.sync 0xFFFF; bar.warp.sync -1; @%near {ADD} bar.sync 0; @%other {ADD}",
        [],
    ),
    "warps meet apart": (f"@%first st.global.u32 [%a], 7; bar.warp.sync -1; @%other {ADD}", ["PTX9203"]),
    "a plain store between operations": (
        f"@%first {ADD} bar.sync 0; @%other st.global.u32 [%a], 7; bar.sync 0; @%first {ADD} @%other {ADD}",
        [],
    ),
    "a plain store ends what was found": (
        f"@%first {ADD} bar.sync 0; @%other st.global.u32 [%a], 7; @%first {ADD}",
        ["PTX9203"],
    ),
    "a wide plain store": (
        f"@%first {ADD} bar.sync 0; @%other st.global.v2.u32 [%a], {{%r1, %r1}}; @%other {ADD} bar.warp.sync -1; @%first {ADD}",
        ["PTX9203"],
    ),
    "a plain store, and a release before": (
        f"@%first fence.acq_rel.gpu; @%first {ADD} bar.sync 0; @%other st.global.u32 [%a], 7; bar.sync 0; @%first {ADD} "
        "@%other ld.relaxed.gpu.global.u32 %r5, [%a];",
        [],
    ),
    "shared memory": (
        "@%any st.shared.u32 [s], 0; bar.sync 0; atom.relaxed.cta.shared.add.u32 %r4, [s], 1; bar.sync 0; ld.shared.u32 %r5, [s];",
        ["PTX9243"],
    ),
    "behind a copy that is over": (
        "@%first cp.async.ca.shared.global [s], [%a], 4; @%first cp.async.wait_all; "
        "@%first atom.relaxed.cta.shared.add.u32 %r4, [s], 1; @%first st.shared.u32 [s], 2;",
        [],
    ),
    "behind another thread's copy": (
        "@%first cp.async.ca.shared.global [s], [%a], 4; @%first cp.async.wait_all; "
        "@%other atom.relaxed.cta.shared.add.u32 %r4, [s], 1; @%other st.shared.u32 [s], 2;",
        ["PTX9210", "PTX9210"],
    ),
    "a release that comes later": (
        f"@%first {ADD} @%first st.global.u32 [%a+8], 1; @%first fence.acq_rel.gpu; @%first {ADD} @%other {ADD} "
        "@%other fence.acq_rel.gpu; @%other ld.global.u32 %r5, [%a+8];",
        [],
    ),
}

ALL_JUDGED = (
    "its own plain store comes along",
    "warps meet apart",
    "a plain store, and a release before",
    "behind another thread's copy",
)
"""Programs whose every operation Python has to hear of: it races, or its thread may publish something."""


def found(body: str, monkeypatch: pytest.MonkeyPatch, *, natively: bool) -> tuple[list[str], int]:
    """The findings, and how many atomic operations Python has heard of at once."""
    heard: list[str] = []
    executes, alone = Accesses.executes, _Maker._alone
    with monkeypatch.context() as patched:
        patched.setattr("ptxlab.sim.order.sites._kept", OrderedDict())
        patched.setattr(Accesses, "executes", lambda self, w, m, op: heard.append(op.text) or executes(self, w, m, op))
        if not natively:
            patched.setattr(_Maker, "_alone", lambda self, op: (t := alone(self, op)) and (None if t.update else t))
        kernel = px.parse(HEAD + body + "\nmov.u32 %r5, %r4;\nret;\n}", "k.ptx")["k"]
        report = px.simulate(kernel, grid=2, args=[np.zeros(64, np.uint32)], lints=False, sanitize=True)
    return sorted(map(str, report.findings)), sum("atom" in text for text in heard)


@pytest.mark.parametrize("name", PROGRAMS)
def test_findings_are_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    body, codes = PROGRAMS[name]
    native, heard = found(body, monkeypatch, natively=True)
    python, all_of_them = found(body, monkeypatch, natively=False)
    assert native == python
    assert [re.findall(r"PTX\d+", finding)[0] for finding in native] == codes
    assert heard < all_of_them or name in ALL_JUDGED


def test_of_many_operations_those_are_kept_that_somebody_may_ask_for() -> None:
    """Each: the instruction, the time, the thread."""
    every = np.array([(0, time, time % 4, OPERATES) for time in range(1, 41)], np.int64)
    wanted = [(10, 2), (30, 2)]
    kept = deferred._asked(every, wanted, np.full(40, True))
    assert kept[:, 1].tolist() == [1, 2, 3, 4, 10, 11, 12, 13, 14, 30, 31, 32, 33, 34]
    living = every[:, 2] < 2
    assert deferred._asked(every, wanted, living)[:, 1].tolist() == [1, 4, 10, 12, 13, 30, 32, 33]
