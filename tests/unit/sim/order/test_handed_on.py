"""What one CTA hands on to another by a flag: Python judges the first access to it, machine code the others."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import ptxlab as px
from ptxlab.sim.order.accesses import Accesses

HEAD = """.version 8.8
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 f) .reqntid 64 {
.reg .b64 %a, %f; .reg .b32 %r<9>; .reg .pred %giver, %one, %again;
ld.param.u64 %a, [p]; ld.param.u64 %f, [f]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
mad.wide.u32 %a, %r1, 4, %a; setp.eq.u32 %giver, %r2, 0; setp.eq.u32 %one, %r1, 0;
"""
GIVE = "bar.sync 0; @%one st.release.gpu.global.u32 [%f], 1;"
TAKE = """@!%one bra TAKEN;
POLL: ld.acquire.gpu.global.u32 %r3, [%f]; setp.eq.u32 %again, %r3, 0; @%again bra POLL;
TAKEN: bar.sync 0;"""
ADD = "atom.global.add.u32 %r4, [%a+{at}], 1;"
"""Relaxed, and nobody reads what it finds: that is how compilers write a reduction."""

WARPS = 2
BEFORE = 1
"""An access that Python hears of before the launch begins anew, as its flags order something."""
RACES = {"PTX9200", "PTX9203"}


def found(give: str, take: str, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], Counter[str]]:
    """The codes of what is found, and how many accesses of each kind Python has heard of, of warps."""
    heard: Counter[str] = Counter()
    executes = Accesses.executes
    body = f"@!%giver bra OTHER;\n{give}\nret;\nOTHER:\n{take}\nret;\n}}"
    with monkeypatch.context() as patched:
        patched.setattr(
            Accesses,
            "executes",
            lambda self, w, m, op: heard.update([op.text.split(".")[0]]) or executes(self, w, m, op),
        )
        kernel = px.parse(HEAD + body, "k.ptx")["k"]
        args = [np.zeros(64 * 16, np.uint32), np.zeros(64, np.uint32)]
        report = px.simulate(kernel, grid=2, args=args, lints=False, sanitize=True)
    return [f.code for f in report.findings], heard


def stores(first: int, last: int) -> str:
    return "".join(f"st.global.u32 [%a+{256 * i}], 1;\n" for i in range(first, last))


LOADS = "".join(f"ld.global.u32 %r4, [%a+{256 * i}];\n" for i in range(16))
SUMS = "".join(ADD.format(at=256 * i) + "\n" for i in range(16))


def test_loads_behind_the_first_are_left_to_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    codes, heard = found(stores(0, 16) + GIVE, TAKE + LOADS, monkeypatch)
    assert codes == []
    assert heard["ld"] == WARPS + 1 + BEFORE, "of each warp the first, and one of the flag"


def test_sums_that_nobody_reads_are_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though somebody has released something by then: these warps have not."""
    codes, heard = found(stores(0, 16) + GIVE, TAKE + SUMS, monkeypatch)
    assert codes == []
    assert heard["atom"] == WARPS + BEFORE


@pytest.mark.parametrize("uses", [LOADS, SUMS], ids=["loads", "sums"])
def test_what_is_stored_behind_the_flag_is_found(uses: str, monkeypatch: pytest.MonkeyPatch) -> None:
    codes, _ = found(stores(0, 15) + GIVE + stores(15, 16), TAKE + uses, monkeypatch)
    assert set(codes) == RACES & set(codes) != set()


def test_a_warp_that_has_released_something_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its sums publish what its fence does: who finds them and acquires comes behind its stores."""
    give = stores(0, 1) + "fence.acq_rel.gpu;\natom.global.add.u32 %r4, [%f], 1;"
    take = """POLL: ld.relaxed.gpu.global.u32 %r3, [%f]; setp.lt.u32 %again, %r3, 64; @%again bra POLL;
fence.acq_rel.gpu;
ld.global.u32 %r4, [%a];"""
    codes, heard = found(give, take, monkeypatch)
    assert codes == []
    assert heard["atom"] == WARPS
    codes, _ = found(give.replace("fence.acq_rel.gpu;\n", ""), take, monkeypatch)
    assert set(codes) == RACES & set(codes) != set()


def test_an_operation_whose_result_is_not_used_orders_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program goes on alike whether it has found the other one's operation or not."""
    give = "@%one st.global.u32 [%a], 1; @%one fence.acq_rel.gpu; @%one atom.global.add.u32 %r4, [%f], 1;"
    take = "@%one atom.global.add.u32 %r4, [%f], 1; @%one fence.acq_rel.gpu; @%one ld.global.u32 %r5, [%a];"
    assert found(give, take, monkeypatch)[0] != []
    used = take + " setp.eq.u32 %again, %r4, 0;"
    assert found(give, used, monkeypatch)[0] == []
