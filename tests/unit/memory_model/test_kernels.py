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
        (("mov.u32 %r3, %ctaid.x;", "ld.weak.global.b32 %r3, [%rd1];"), "PTX0600"),
        (("mov.u32 %r3, %ctaid.x;", "mov.u64 %rd1, 8; ld.weak.global.b32 %r3, [%rd1];"), "PTX0602"),
    ],
)
def test_what_a_test_does_not_follow_is_refused(changed: tuple[str, str], code: str) -> None:
    with pytest.raises(Diagnostic) as wrong:
        px.litmus(_filled(_MP, STORE="st.release.gpu").replace(*changed))
    assert wrong.value.code == code


_WGMMA = r"""
// P0@cta 0,gpu 0
// exists (P0:%r0 == 0)
HEAD
.shared .align 128 .b32 a[512];
.shared .align 128 .b32 b[64];
.entry P0() {
    REGISTERS
    st.shared.b32 [a], 1;
    mov.u32 %r5, a;
    shr.u32 %r5, %r5, 4;
    cvt.u64.u32 %rd1, %r5;
    or.b64 %rd1, %rd1, 0x1000080000;
    mov.u32 %r6, b;
    shr.u32 %r6, %r6, 4;
    cvt.u64.u32 %rd2, %r6;
    setp.ne.u32 %p1, 0, 0;
    PROXY
    FENCE
    wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%r0, %r1, %r2, %r3}, %rd1, %rd2, %p1;
    wgmma.commit_group.sync.aligned;
    WAIT
    ret;
}
"""
_NEEDED = {
    "PROXY": "fence.proxy.async;",
    "FENCE": "wgmma.fence.sync.aligned;",
    "WAIT": "wgmma.wait_group.sync.aligned 0;",
}


def test_a_wgmma_of_descriptors_and_registers() -> None:
    verdict = px.litmus(_filled(_WGMMA, **_NEEDED))
    assert (verdict.holds, verdict.race) == (False, None)
    for left in _NEEDED:
        verdict = px.litmus(_filled(_WGMMA, **{**_NEEDED, left: ""}))
        assert verdict.holds, left
        assert verdict.race is not None, left


_SURFACE = r"""
// P0@cta 0,gpu 0
// t @ texture aliases x
// s @ surface aliases x
// exists (P0:%r0 == 0)
HEAD
.global .texref t;
.global .surfref s;
.global .b32 x;
.entry P0() {
    REGISTERS
    WRITE
    READ
    ret;
}
"""
_THROUGH = {
    "generic": ("st.global.b32 [x], 1;", "ld.global.b32 %r0, [x];"),
    "texture": ("", "tex.1d.v4.s32.s32 {%r0, %r1, %r2, %r3}, [t, {%r7}];"),
    "surface": ("sust.b.1d.b32.trap [s, {%r7}], {%r6};", "suld.b.1d.b32.trap {%r0}, [s, {%r7}];"),
}


@pytest.mark.parametrize(
    ("write", "read", "stale"),
    [("generic", "generic", False), ("generic", "texture", True), ("generic", "surface", True),
     ("surface", "surface", False), ("surface", "generic", True)],
)  # fmt: skip
def test_what_one_proxy_wrote_another_need_not_see(write: str, read: str, *, stale: bool) -> None:
    """PTX has no fence between them within a kernel; a thread sees its own writes through the same proxy."""
    write = "mov.u32 %r6, 1; " + _THROUGH[write][0]
    verdict = px.litmus(_filled(_SURFACE, WRITE=write, READ=_THROUGH[read][1]))
    assert verdict.holds is stale
    assert (verdict.race is not None) is stale


_CAST = r"""
// P0@cta 0,cluster 0,gpu 0 | P1@cta 1,cluster 0,gpu 0
// .mbarrier m.0 = 1
// .mbarrier m.1 = 1
// exists (P1:%r0 == 0)
HEAD
.global .align 16 .b32 x[4] = {1, 2, 3, 4};
.shared .align 16 .b32 s[4];
.shared .align 8 .b64 m;
.entry P0() {
    REGISTERS
    mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [m], 16;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s], [x], 16, [m], 3;
    ret;
}
.entry P1() {
    REGISTERS
    mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [m], 16;
WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [m], 0;
    @!%p1 bra WAIT;
    ld.shared.b32 %r0, [s];
    ret;
}
"""


def test_a_multicast_copy_fills_the_variable_of_each_cta() -> None:
    text = _filled(_CAST)
    assert px.litmus(text).states == [{"P1:%r0": 1}]
    assert px.litmus(text.replace("16, [m], 3;", "16, [m], 1;")).hang is not None
    with pytest.raises(Diagnostic, match="no thread in this test"):
        px.litmus(text.replace("16, [m], 3;", "16, [m], 5;"))


_MAPA = r"""
// P0@cta 0,cluster 0,gpu 0 | P1@cta 1,cluster 0,gpu 0
// exists (P1:%r0 == 0)
HEAD
.shared .b32 s;
.entry P0() {
    REGISTERS
    mapa.shared::cluster.u32 %r1, s, RANK;
    st.shared::cluster.b32 [%r1], 1;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    ret;
}
.entry P1() {
    REGISTERS
    barrier.cluster.arrive;
    barrier.cluster.wait;
    ld.shared.b32 %r0, [s];
    ret;
}
"""


@pytest.mark.parametrize(("rank", "stale"), [("1", False), ("0", True)])
def test_mapa_leads_to_the_variable_of_another_cta(rank: str, *, stale: bool) -> None:
    assert px.litmus(_filled(_MAPA, RANK=rank)).holds is stale
