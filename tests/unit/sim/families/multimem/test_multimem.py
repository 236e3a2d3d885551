"""multimem on multicast addresses: what each replica holds afterwards, sums in order, and what is refused."""

from __future__ import annotations

from functools import reduce
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic

SCHEDULES = ("eager", "late", "random")
PROGRAM = """
.version 9.1
.target sm_90
.address_size 64
.visible .entry all(.param .u64 x, .param .u64 out) {{
    .shared .align 128 .b8 tile[4096];
    .reg .b16 %h<4>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<9>;
    .reg .f32 %f<9>;
    .reg .f64 %d<9>;
    ld.param.u64 %rd0, [x];
    ld.param.u64 %rd1, [out];
    mov.u32 %r0, %tid.x;
    mad.wide.u32 %rd2, %r0, {nbytes}, %rd0;
    mad.wide.u32 %rd3, %r0, {nbytes}, %rd1;
    {body}
    ret;
}}
"""
HALVES = {"f16": np.dtype(np.float16), "bf16": np.dtype(ml_dtypes.bfloat16)}


def launched(body: str, arrays: list[Any], out: Any, nbytes: int, **options: Any) -> list[px.Report]:
    """A kernel of 32 threads, each of which has so many bytes of the arrays, and of `out`, which is on the first device."""
    kernel = px.parse(PROGRAM.format(body=body, nbytes=nbytes))["all"]
    kernel.launch(grid=1, block=32, args=[px.multicast(arrays), out], stream=px.Stream(px.devices(1)[0]))
    return px.synchronize(sanitize=True, **options)


def on_devices(count: int, dtype: Any, elements: int, seed: int = 0) -> list[Any]:
    numbers = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    out: list[Any] = []
    for device in px.devices(count):
        drawn = numbers.integers(0, 1 << 16, elements) if dtype.kind in "ui" else numbers.normal(0, 100, elements)
        out.append(device.copy(drawn.astype(dtype)))
    return out


def codes(reports: list[px.Report]) -> set[str]:
    return {d.code for report in reports for d in report.findings}


OPERATIONS = [
    *((op, t) for op in ("add", "min", "max") for t in ("u32", "s32", "u64")),
    *((op, t) for op in ("and", "or", "xor") for t in ("b32", "b64")),
]
MEANS = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


def number_of(kind: str) -> np.dtype[Any]:
    return np.dtype(f"{'i' if kind[0] == 's' else 'u'}{int(kind[1:]) // 8}")


@pytest.mark.parametrize("count", [1, 2, 8])
@pytest.mark.parametrize(("op", "kind"), OPERATIONS)
def test_loads_combine_integers(op: str, kind: str, count: int) -> None:
    dtype, bits = number_of(kind), int(kind[1:])
    arrays = on_devices(count, dtype, 32)
    for n, x in enumerate(arrays):
        x[n::3] *= np.array(-1).astype(dtype)
    out = px.devices(1)[0].zeros(32, dtype)
    r = "%r1" if bits == 32 else "%rd4"
    body = f"multimem.ld_reduce.relaxed.sys.global.{op}.{kind} {r}, [%rd2]; st.global.b{bits} [%rd3], {r};"
    assert codes(launched(body, arrays, out, bits // 8)) == set()
    assert (out == reduce(MEANS[op], arrays)).all()


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(("op", "kind"), OPERATIONS)
def test_updates_reach_every_replica(op: str, kind: str, schedule: str) -> None:
    dtype, bits = number_of(kind), int(kind[1:])
    arrays = on_devices(3, dtype, 32)
    before = [x.copy() for x in arrays]
    given = on_devices(1, dtype, 32, seed=9)[0]
    r = "%r1" if bits == 32 else "%rd4"
    body = f"ld.global.b{bits} {r}, [%rd3]; multimem.red.relaxed.sys.global.{op}.{kind} [%rd2], {r};"
    assert codes(launched(body, arrays, given, bits // 8, schedule=schedule)) == set()
    for x, old in zip(arrays, before, strict=True):
        assert (x == MEANS[op](old, given)).all()


def test_stores_reach_every_replica() -> None:
    arrays, out = on_devices(4, np.float32, 128), on_devices(1, np.float32, 128, seed=3)[0]
    body = """ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%rd3];
    multimem.st.release.sys.global.v4.f32 [%rd2], {%f0, %f1, %f2, %f3};"""
    assert codes(launched(body, arrays, out, 16)) == set()
    assert all((x == out).all() for x in arrays)


@pytest.mark.parametrize("count", [2, 4, 8])
def test_sums_of_f32_run_from_the_first_replica_to_the_last(count: int) -> None:
    arrays, out = on_devices(count, np.float32, 128), px.devices(1)[0].zeros(128, np.float32)
    body = """multimem.ld_reduce.relaxed.sys.global.add.v4.f32 {%f0, %f1, %f2, %f3}, [%rd2];
    st.global.v4.f32 [%rd3], {%f0, %f1, %f2, %f3};"""
    assert codes(launched(body, arrays, out, 16)) == {"PTX9135"}
    assert out.tobytes() == reduce(np.add, arrays).tobytes()


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("kind", HALVES)
def test_sums_of_halves(kind: str, wide: bool) -> None:
    """.acc::f32 rounds once, at the end."""
    arrays, out = on_devices(8, HALVES[kind], 256), px.devices(1)[0].zeros(256, HALVES[kind])
    acc = ".acc::f32" if wide else ""
    body = f"""multimem.ld_reduce.relaxed.sys.global.add{acc}.v4.{kind}x2 {{%r1, %r2, %r3, %r4}}, [%rd2];
    st.global.v4.b32 [%rd3], {{%r1, %r2, %r3, %r4}};"""
    launched(body, arrays, out, 16)
    inner = np.dtype(np.float32) if wide else HALVES[kind]
    expected = reduce(lambda a, b: (a.astype(np.float32) + b.astype(np.float32)).astype(inner), arrays)
    assert out.tobytes() == expected.astype(HALVES[kind]).tobytes()


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("update", [False, True])
def test_bulk_copies_reach_every_replica(schedule: str, update: bool) -> None:
    arrays, given = on_devices(3, np.uint32, 128), on_devices(1, np.uint32, 128, seed=7)[0]
    before = [x.copy() for x in arrays]
    copy = (
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32"
        if update
        else "cp.async.bulk.global.shared::cta.bulk_group"
    )
    body = f"""ld.global.v4.b32 {{%r1, %r2, %r3, %r4}}, [%rd3];
    mov.u32 %r5, tile;
    mad.lo.u32 %r6, %r0, 16, %r5;
    st.shared.v4.b32 [%r6], {{%r1, %r2, %r3, %r4}};
    fence.proxy.async.shared::cta;
    bar.sync 0;
    setp.ne.u32 %p0, %r0, 0;
    @%p0 bra DONE;
    multimem.{copy} [%rd0], [%r5], 512;
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
    DONE:"""
    assert codes(launched(".reg .pred %p<1>;" + body, arrays, given, 16, schedule=schedule)) == set()
    for x, old in zip(arrays, before, strict=True):
        assert (x == (old + given if update else given)).all()


def test_lanes_that_meet_in_a_word_all_count() -> None:
    arrays, out = on_devices(2, np.uint32, 32), px.devices(1)[0].zeros(32, np.uint32)
    first = [int(x[0]) for x in arrays]
    launched("multimem.red.relaxed.sys.global.add.u32 [%rd0], %r0;", arrays, out, 4)
    assert [int(x[0]) for x in arrays] == [n + sum(range(32)) for n in first]


def test_accesses_count_as_those_of_every_replica() -> None:
    """A store to all, and another lane's load of one replica, are a race."""
    devices = px.devices(2)

    @px.kernel(target="sm_90", threads=64)
    def racing(k: px.Builder, x: px.Ptr[px.u32], second: px.Ptr[px.u32], out: px.Ptr[px.u32], *, meets: bool) -> None:
        i = k.tid.x
        with k.if_(i < 32):
            k.multimem.st.weak.global_.u32(x[i], i)
        if meets:
            k.bar.sync(0)
        with k.if_(i >= 32):
            k.st.global_.u32(out[i], k.ld.global_.u32(second[i - 32]))

    for meets in (False, True):
        arrays = [device.zeros(32, np.uint32) for device in devices]
        out = devices[0].zeros(64, np.uint32)
        racing[1](px.multicast(arrays), arrays[1], out, meets=meets, stream=px.Stream(devices[0]))
        if meets:
            assert codes(px.synchronize(sanitize=True)) == set()
            assert out[32:].tolist() == list(range(32))
        else:
            with pytest.raises(Diagnostic) as raised:
                px.synchronize(sanitize=True)
            assert raised.value.code == "PTX9200"


REFUSED = {
    "PTX9027": "ld.global.u32 %r1, [%rd2]; st.global.u32 [%rd3], %r1;",
    "PTX9027 ": "st.global.u32 [%rd2], %r0;",
    "PTX9027  ": "multimem.ld_reduce.relaxed.sys.global.add.u32 %r1, [%rd3]; st.global.u32 [%rd3], %r1;",
    "PTX9027   ": "multimem.st.relaxed.sys.global.u32 [%rd2+64], %r0;",
    "PTX9027    ": "atom.global.add.u32 %r1, [%rd2], 1; st.global.u32 [%rd3], %r1;",
    "PTX9006": "multimem.st.relaxed.sys.global.u32 [%rd0+2], %r0;",
}


@pytest.mark.parametrize("case", REFUSED)
def test_other_addresses_are_refused(case: str) -> None:
    arrays, out = on_devices(2, np.uint32, 32), px.devices(1)[0].zeros(32, np.uint32)
    with pytest.raises(Diagnostic) as raised:
        launched(REFUSED[case], arrays, out, 4)
    assert raised.value.code == case.strip()


def test_arrays_that_do_not_fit_together_are_refused() -> None:
    first, second = px.devices(2)
    whole = first.zeros((4, 8), np.uint32)
    frozen = second.zeros((4, 8), np.uint32)
    frozen.setflags(write=False)
    for arrays in (
        [],
        [whole, second.zeros(32, np.uint32)],
        [whole, second.zeros((4, 8), np.int32)],
        [whole, first.zeros((4, 8), np.uint32)],
        [whole.T, second.zeros((8, 4), np.uint32)],
        [whole, frozen],
    ):
        with pytest.raises(Diagnostic) as raised:
            px.multicast(arrays)
        assert raised.value.code == "PTX2344"
