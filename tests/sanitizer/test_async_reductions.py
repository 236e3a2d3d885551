"""A thread's own accesses behind its red.async: nothing orders them before the mbarrier is waited for, whatever came before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptxlab as px

SCHEDULES: tuple[dict[str, Any], ...] = (
    {"sanitize": True},
    {"sanitize": True, "schedule": "late"},
    {"sanitize": True, "schedule": "random", "seed": 1},
    {"sanitize": "strict"},
)
TEXT = """.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out)
.reqnctapercluster 2, 1, 1
{{
.reg .pred %p, %q; .reg .b32 %c, %r, %a, %m, %v; .reg .b64 %o;
.shared .align 16 .b32 word[4];
.shared .align 8 .b8 bar[8];
ld.param.u64 %o, [out]; mov.u32 %c, %ctaid.x; mov.u32 %r, %tid.x; setp.ne.u32 %p, %r, 0;
@%p bra READY;
st.shared.u32 [word], 0;
mbarrier.init.shared::cta.b64 [bar], 1;
fence.mbarrier_init.release.cluster;
READY:
barrier.cluster.arrive; barrier.cluster.wait;
mov.u32 %a, word; mapa.shared::cluster.u32 %a, %a, {home};
mov.u32 %m, bar; mapa.shared::cluster.u32 %m, %m, {home};
setp.ne.or.u32 %q, %c, 1, %p;
@%q bra END;
{before}
mbarrier.arrive.expect_tx.relaxed.cluster.shared::cluster.b64 _, [%m], 4;
red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%a], 1, [%m];
{wait}
{behind}
END:
barrier.cluster.arrive; barrier.cluster.wait;
ret;
}}
"""
BEFORE = {
    "nothing": "",
    "atom": "atom.relaxed.cluster.shared::cluster.add.u32 %v, [%a], 1;",
    "two": "atom.relaxed.cluster.shared::cluster.add.u32 %v, [%a], 1; red.relaxed.cluster.shared::cluster.add.u32 [%a], 2;",
    "red": "red.relaxed.cluster.shared::cluster.add.u32 [%a], 1;",
    "load": "ld.relaxed.cluster.shared::cluster.u32 %v, [%a];",
}
BEHIND = {
    "load": "ld.shared::cluster.u32 %v, [%a]; st.global.u32 [%o], %v;",
    "store": "st.shared::cluster.u32 [%a], 5; st.global.u32 [%o], 5;",
}
WAIT = "W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %q, [bar], 0; @!%q bra W;"


def found(options: dict[str, Any], **parts: str) -> list[str]:
    """Codes of findings; of a launch that stops, as the reduction comes after the other CTA's end, those before that."""
    kernel = px.parse(TEXT.format(**parts), "k.ptx")["k"]
    try:
        report = px.simulate(kernel, grid=2, block=32, args=[np.zeros(4, np.uint32)], lints=False, **options)
    except px.Diagnostic as stop:
        if stop.code != "PTX9024":
            raise
        return [d.code for d in stop.also]
    return [d.code for d in report.findings]


@pytest.mark.parametrize("options", SCHEDULES, ids=str)
@pytest.mark.parametrize("behind", BEHIND)
@pytest.mark.parametrize("home", "01")
@pytest.mark.parametrize("before", BEFORE)
def test_accesses_behind_a_reduction_of_the_thread(
    before: str, home: str, behind: str, options: dict[str, Any]
) -> None:
    parts = {"before": BEFORE[before], "behind": BEHIND[behind], "home": home}
    assert "PTX9210" in found(options, wait="", **parts)
    if home == "1":  # an mbarrier is waited for in its own CTA
        assert found(options, wait=WAIT, **parts) == []
