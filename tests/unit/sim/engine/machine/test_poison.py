"""What nobody has written: a pattern of the seed, in every place and for every CTA; zeros without poison."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import ptxlab as px
from ptxlab.ptx.exposed import exposed

PLACES = {
    "register": "",
    "predicate": "selp.u32 %r1, 1, 0, %p1; vote.sync.ballot.b32 %r1, %p1, -1;",
    "shared": "mov.u32 %r2, buf; ld.shared.u32 %r1, [%r2+128];",
    "dynamic shared": "mov.u32 %r2, more; ld.shared.u32 %r1, [%r2+64];",
    "local": "mov.u64 %rd3, kept; ld.local.u32 %r1, [%rd3+8];",
    "half written": "mov.b64 %rd3, {%r3, %r1}; mov.u32 %r5, %tid.x; setp.eq.u32 %p1, %r5, 99; @%p1 mov.u32 %r1, 7;",
    "one way only": "mov.u32 %r5, %tid.x; setp.eq.u32 %p1, %r5, 99; @!%p1 bra ON; mov.u32 %r1, 7; ON:",
    "function": "mov.u32 %r4, 0; call (%r1), f, (%r4);",
}
SEEDS = (0, 1, 2)


def text(place: str) -> str:
    """Every thread stores what it finds in a place, then writes there."""
    return f"""
    .version 8.0
    .target sm_90a
    .address_size 64
    .extern .shared .align 16 .b8 more[];
    .func (.reg .b32 %out) f(.reg .b32 %given) {{ .reg .b32 %in; mov.u32 %out, %in; ret; }}
    .visible .entry k(.param .u64 out) {{
        .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<5>;
        .shared .align 16 .b8 buf[256]; .local .align 8 .b8 kept[16];
        {PLACES[place]}
        ld.param.u64 %rd1, [out]; mov.u32 %r4, %ctaid.x; mov.u32 %r5, %tid.x; mad.lo.u32 %r4, %r4, 32, %r5;
        mad.wide.u32 %rd2, %r4, 4, %rd1; st.global.u32 [%rd2], %r1;
        mov.u32 %r1, 5; setp.eq.u32 %p1, %r1, %r1; mov.u32 %r2, buf; st.shared.u32 [%r2+128], %r1;
        mov.u32 %r2, more; st.shared.u32 [%r2+64], %r1; mov.u64 %rd3, kept; st.local.u32 [%rd3+8], %r1;
        ret;
    }}
    """


def found(place: str, **options: object) -> NDArray[np.uint32]:
    out = np.zeros((6, 32), np.uint32)
    kernel = px.parse(text(place))["k"]
    px.simulate(kernel, grid=6, block=32, shared=256, args=[out], lints=False, **options)  # type: ignore[arg-type]
    return out


@pytest.mark.parametrize("place", PLACES)
def test_it_is_zero_without_poison(place: str) -> None:
    """For the first CTA; a register of a function is what its last call left."""
    out = found(place, poison=False)
    assert not out[:1].any()
    assert place == "function" or not out.any()


@pytest.mark.parametrize("place", PLACES)
def test_it_changes_with_the_seed_alone(place: str) -> None:
    runs = [found(place, seed=s) for s in SEEDS]
    for seed, run in zip(SEEDS, runs, strict=True):
        assert (run == found(place, seed=seed, schedule="late")).all()
        assert (run == found(place, seed=seed, workers=2)).all()
    # a bit of a predicate may be the same by chance, but not all 32 lanes of it
    assert len({run.tobytes() for run in runs}) == len(SEEDS)
    assert all(run.any() for run in runs)


@pytest.mark.parametrize("place", PLACES)
def test_each_cta_begins_with_it(place: str) -> None:
    """Not with what the CTA before wrote."""
    out = found(place)
    assert (out == out[0]).all()


def test_only_what_may_be_read_first_is_exposed() -> None:
    body = """
    .reg .pred %p<3>; .reg .b32 %r<9>;
    mov.u32 %r1, %tid.x;            // written at once
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra A;
    mov.u32 %r2, 1;                 // on one way
    mov.u32 %r3, 1;                 // on both
    bra B;
    A: mov.u32 %r3, 2;
    B: add.u32 %r4, %r2, %r3;
    @%p1 mov.u32 %r5, 1;            // under a guard
    add.u32 %r6, %r5, %r4;
    mad.lo.u32 %r7, %r7, 2, %r6;    // of itself
    L: @%p2 bra L;
    ret;
    """
    module = px.parse(f".version 8.0\n.target sm_90a\n.address_size 64\n.entry k() {{ {body} }}")
    assert exposed(module["k"].program) == {"%r2", "%r5", "%r7", "%p2"}


@pytest.mark.parametrize(
    ("scale", "found"), [("0", set[str]()), ("1", {"%f0", "%f1", "%f2", "%f3"}), ("%p1", {"%f0", "%f1", "%f2", "%f3"})]
)
def test_a_product_that_starts_from_zero_exposes_no_accumulator(scale: str, found: set[str]) -> None:
    body = f"""
    .reg .pred %p<2>; .reg .f32 %f<4>; .reg .b64 %rd<1>; .reg .b32 %r<1>;
    mov.u32 %r0, %tid.x;
    setp.eq.u32 %p1, %r0, 0;
    mov.u64 %rd0, 0;
    wgmma.fence.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {{%f0, %f1, %f2, %f3}}, %rd0, %rd0, {scale}, 1, 1, 0, 0;
    ret;
    """
    module = px.parse(f".version 8.0\n.target sm_90a\n.address_size 64\n.entry k() {{ {body} }}")
    assert exposed(module["k"].program) == found
