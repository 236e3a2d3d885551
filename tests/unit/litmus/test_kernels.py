"""Litmus tests that are PTX: kernels with their question in comments."""

from __future__ import annotations

import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic

_HEAD = ".version 8.6\n.target sm_90a\n.address_size 64\n"
_REGISTERS = ".reg .b32 %r<8>; .reg .pred %p<8>; .reg .b64 %rd<8>;"
_MP = r"""
// P0@cta 0,gpu 0 | P1@cta 1,gpu 0
// exists (P1:%r0 == 1 /\ P1:%r1 == 0)
HEAD
.global .b32 x;
.global .b32 flag;
.entry k() {
    REGISTERS
    mov.u32 %r3, %ctaid.x;
    setp.ne.u32 %p1, %r3, 0;
    @%p1 bra L0;
    st.weak.global.b32 [x], 1;
    STORE.global.b32 [flag], 1;
    ret;
L0: ld.acquire.gpu.global.b32 %r0, [flag];
    setp.eq.u32 %p2, %r0, 1;
    @%p2 ld.weak.global.b32 %r1, [x];
    ret;
}
"""
_STORE = r"""
// P0@cta 0,gpu 0
// exists (P0:%r0 == 0)
HEAD
.shared .align 16 .b32 s[4];
.entry P0(.param .u64 x) {
    REGISTERS
    ld.param.u64 %rd1, [x];
    cvta.to.global.u64 %rd1, %rd1;
    st.shared.b32 [s], 1;
    FENCE
    cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 16;
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
    ld.global.b32 %r0, [%rd1];
    ret;
}
"""
_WAIT = r"""
// P0@cta 0,gpu 0 | P1@cta 0,gpu 0
// exists (P1:%r0 == 0)
HEAD
.global .align 16 .b32 x[4] = {1, 2, 3, 4};
.shared .align 16 .b32 s[4];
.shared .align 8 .b64 m;
.entry P0() {
    REGISTERS
    mbarrier.init.shared::cta.b64 [m], 1;
    fence.mbarrier_init.release.cluster;
    bar.sync 0;
    mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [m], 16;
    cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [x], 16, [m];
    ret;
}
.entry P1() {
    REGISTERS
    bar.sync 0;
WAIT: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p1, [m], 0;
    @!%p1 bra WAIT;
    ld.shared.b32 %r0, [s];
    ret;
}
"""


def _filled(text: str, **words: str) -> str:
    for word, value in {"HEAD": _HEAD, "REGISTERS": _REGISTERS, **words}.items():
        text = text.replace(word, value)
    return text


def test_message_passing_in_ptx() -> None:
    release = px.litmus(_filled(_MP, STORE="st.release.gpu"))
    assert (release.holds, release.race, release.hang) == (False, None, None)
    relaxed = px.litmus(_filled(_MP, STORE="st.relaxed.gpu"))
    assert relaxed.holds
    assert relaxed.race is not None


@pytest.mark.parametrize(("fence", "allowed"), [("", True), ("fence.proxy.async.shared::cta;", False)])
def test_a_bulk_store_in_ptx(fence: str, allowed: bool) -> None:
    verdict = px.litmus(_filled(_STORE, FENCE=fence))
    assert (verdict.holds, verdict.race is not None) == (allowed, allowed)


def test_a_bulk_load_in_ptx() -> None:
    text = _filled(_WAIT)
    verdict = px.litmus(text)
    assert (verdict.holds, verdict.race, verdict.hang) == (False, None, None)
    early = px.litmus(text.replace("@!%p1 bra WAIT;", ""))
    assert early.holds
    assert early.race is not None
    unseen = px.litmus(text.replace("    fence.mbarrier_init.release.cluster;\n", ""))
    assert unseen.race is not None
    assert px.litmus(text.replace("_, [m], 16", "_, [m], 32")).hang is not None


def test_elements_of_an_array_have_names_of_their_own() -> None:
    text = f"""// P0@cta 0,gpu 0
    // forall (P0:%r0 == 2 /\\ P0:%r1 == 7 /\\ x+4 == 7)
    {_HEAD}
    .global .b32 x[2] = {{1, 2}};
    .entry P0() {{
        {_REGISTERS}
        mov.u64 %rd1, x;
        add.u64 %rd1, %rd1, 4;
        ld.global.b32 %r0, [x+4];
        st.global.b32 [%rd1], 7;
        ld.global.b32 %r1, [x+4];
        ret;
    }}
    """
    assert px.litmus(text).holds


def test_shared_memory_belongs_to_a_cta() -> None:
    text = f"""// P0@cta 0,gpu 0 | P1@cta 1,gpu 0
    // forall (P1:%r0 == 0 /\\ s.0 == 1)
    {_HEAD}
    .shared .b32 s;
    .entry P0() {{ {_REGISTERS} st.shared.b32 [s], 1; ret; }}
    .entry P1() {{ {_REGISTERS} ld.shared.b32 %r0, [s]; ret; }}
    """
    assert px.litmus(text).holds


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        (("// P0@cta 0,gpu 0 | P1@cta 1,gpu 0", ""), "PTX0600"),
        (("P1:%r0 == 1", "P2:%r0 == 1"), "PTX0600"),
        (("mov.u32 %r3, %ctaid.x;", "mov.u32 %r3, %clock;"), "PTX0602"),
        (("mov.u32 %r3, %ctaid.x;", "mul.hi.u32 %r3, %r1, %r2;"), "PTX0602"),
        (("mov.u32 %r3, %ctaid.x;", "mov.u32 %r3, %ctaid.x"), "PTX0001"),
        (("mov.u32 %r3, %ctaid.x;", "ld.weak.global.b32 %r3, [%rd1];"), "PTX0602"),
    ],
)
def test_what_a_test_does_not_follow_is_refused(changed: tuple[str, str], code: str) -> None:
    with pytest.raises(Diagnostic) as wrong:
        px.litmus(_filled(_MP, STORE="st.release.gpu").replace(*changed))
    assert wrong.value.code == code
