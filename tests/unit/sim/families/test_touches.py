"""What operations say that they read and write, held against what they do, and against what NumPy says."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.conformance.tma.kernels import PIECE, THREADS, bulk_reduction
from ptxlab.layout import element_offsets
from ptxlab.layout.tensormap import TensorMap
from ptxlab.sim.engine.compiled.address import SHARED_BASE
from ptxlab.sim.engine.machine.operation import Footprint, Operation
from ptxlab.sim.engine.units.touches import joined

from ..conftest import entry
from .bulk import test_bulk, test_gather, test_im2col_wide, test_tma
from .cluster import test_remote
from .cp_async import test_cp_async
from .held import Held
from .recording import observed
from .wgmma import test_wgmma

Run = Callable[..., Any]
Runs = list[tuple[int, int]]


def held(go: Callable[[], Any], **options: Any) -> list[Operation]:
    """The operations of a launch, each held against its footprints."""
    found = Held(**options)
    with observed(found):
        go()
    assert found.seen
    return found.seen


def runs(part: Footprint, base: int = 0) -> Runs:
    """(begin, bytes) of the runs, counted from `base`."""
    return [(int(s) - base, int(n)) for s, n in zip(part.starts, part.nbytes, strict=True)]


def only(parts: Sequence[Footprint], space: str, proxy: str = "async") -> Footprint:
    (found,) = parts
    assert (found.space, found.proxy, found.cta is None) == (space, proxy, space == "global")
    return found


def keys(operations: Sequence[Operation]) -> list[str]:
    return [o.op.inst.form.key for o in operations]


# --- runs
def test_runs_are_joined_and_counted_once() -> None:
    starts, nbytes = joined(np.array([[64, 16], [0, 96], [112, 16]]), 16)
    assert list(zip(starts.tolist(), nbytes.tolist(), strict=True)) == [(0, 32), (64, 16), (96, 32)]
    assert not joined(np.zeros((0, 4)), 16)[0].size


def test_places_of_runs_that_overlap() -> None:
    part = Footprint("global", None, np.array([8, 2, 4]), np.array([2, 3, 2]), "async")
    assert part.places().tolist() == [2, 3, 4, 5, 8, 9]


# --- cp.async
@pytest.mark.parametrize("schedule", ["eager", "late"])
def test_cp_async_by_lanes(run: Run, schedule: str) -> None:
    """Lane by lane: 0 to 15 bytes are read, and all 16 are written."""
    body = "and.b32 %r10, %r1, 15; cp.async.ca.shared.global [%r4], [%rd1], 16, %r10; cp.async.wait_all;"
    a = held(lambda: test_cp_async.go(run, body, schedule=schedule))
    assert [o.lanes for o in a] == [0xFFFF_FFFF] * 2
    read, write = only(a[1].reads, "global", "generic"), only(a[1].writes, "shared", "generic")
    assert read.lanes is not None
    assert write.lanes is not None
    assert read.lanes.tolist() == [n for n in range(32) if n % 16]
    assert read.nbytes.tolist() == [n % 16 for n in range(32) if n % 16]
    assert runs(write) == [(16 * (32 + n), 16) for n in range(32)]
    assert write.lanes.tolist() == list(range(32))


def test_cp_async_that_ignores_its_source(run: Run) -> None:
    body = "setp.gt.u32 %p0, %r1, 7; cp.async.ca.shared.global [%r4], [%rd1], 16, %p0; cp.async.wait_all;"
    first, second = held(lambda: test_cp_async.go(run, body))
    assert only(first.reads, "global", "generic").nbytes.tolist() == [16] * 8
    assert second.reads == ()
    assert only(second.writes, "shared", "generic").starts.size == 32


def test_arrivals_of_cp_async_touch_nothing(run: Run) -> None:
    body = """setp.eq.u32 %p0, %r1, 0; @%p0 mbarrier.init.shared.b64 [bar], 64; bar.sync 0;
        cp.async.ca.shared.global [%r4], [%rd1], 16; cp.async.mbarrier.arrive.noinc.shared.b64 [%r3];
        W: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra W;"""
    seen = held(lambda: test_cp_async.go(run, body))
    assert sum(o.reads == o.writes == () for o in seen) == 64
    assert len(seen) == 66


# --- bulk copies
def test_bulk_copies_there_and_back(run: Run) -> None:
    src, dst = test_bulk.arrays()
    body = """cp.async.bulk.global.shared::cta.bulk_group [%rd2+32], [%r2+64], 96;
        cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r2], 0;
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret;"""
    text = entry(test_bulk.PARAMS, test_bulk.PRELUDE + test_bulk.LOAD + body)
    load, store, nothing = held(lambda: run(text, src, dst, block=1))
    size = only(load.reads, "global").nbytes[0]
    assert runs(load.reads[0], src.ctypes.data) == runs(only(load.writes, "shared")) == [(0, size)]
    assert runs(only(store.reads, "shared")) == [(64, 96)]
    assert runs(only(store.writes, "global"), dst.ctypes.data) == [(32, 96)]
    assert nothing.reads == nothing.writes == ()


def test_bytes_that_a_mask_leaves_out(run: Run) -> None:
    seen = held(lambda: test_bulk.test_a_byte_mask_keeps_the_other_bytes(run))
    wanted = [(0, 1), (2, 1), (15, 2), (18, 1), (31, 2), (34, 1), (47, 2), (50, 1), (63, 1)]
    assert runs(only(seen[1].reads, "shared")) == wanted
    assert runs(only(seen[1].writes, "global"), int(seen[1].writes[0].starts[0])) == wanted


def test_multicast_and_copies_between_ctas(run: Run) -> None:
    seen = held(lambda: test_bulk.test_multicast_and_remote_copies(run))
    multicast, *others = seen[:5]
    assert [(p.cta.rank, runs(p)) for p in multicast.writes if p.cta] == [(0, [(0, 256)]), (1, [(0, 256)])]
    sent = [o for o in others if o.op.inst.form.key == "cp.async.bulk.cta2cluster"]
    assert len(sent) == 2
    for o in sent:
        read, write = only(o.reads, "shared"), only(o.writes, "shared")
        assert read.cta is o.warp.cta
        assert write.cta is o.warp.cta.cluster.ctas[1 - o.warp.cta.rank]


@pytest.mark.parametrize("schedule", ["eager", "random"])
@pytest.mark.parametrize(
    ("op", "type_", "space"), [("add", "u64", "global"), ("xor", "b32", "global"), ("max", "s32", "cluster")]
)
def test_bulk_reductions(op: str, type_: str, space: str, schedule: str) -> None:
    ctas = 1 if space == "global" else 2
    source, target = (px.empty(ctas * PIECE, np.uint8) for _ in range(2))
    for n, a in enumerate((source, target)):
        a[:] = np.random.default_rng(n).integers(0, 256, a.size)
    k = px.parse(bulk_reduction(op, type_, "global" if space == "global" else "shared::cluster"))["k"]
    cluster = None if ctas == 1 else ctas
    args = [source, target]
    seen = held(lambda: px.simulate(k, grid=ctas, block=THREADS, cluster=cluster, args=args, schedule=schedule))
    assert len(seen) == ctas
    for o in seen:
        assert runs(only(o.reads, "shared")) == [(0, PIECE)]
        write = only(o.writes, "global" if space == "global" else "shared")
        assert runs(write, target.ctypes.data if write.cta is None else PIECE) == [(0, PIECE)]
        assert write.cta is None or write.cta.rank == 1 - o.warp.cta.rank


def test_stores_to_another_cta(run: Run) -> None:
    """st.async writes registers, and reads no memory; lanes that are counted together are one operation."""
    seen = held(lambda: test_remote.test_vectors_of_every_width(run, "eager"))
    assert all(o.reads == () for o in seen)
    wide = [o for o in seen if o.warp.cta.rank == 0 and o.op.text.find("v4") > 0]
    found: list[tuple[int, int, int]] = []
    for o in wide:
        part = only(o.writes, "shared", "generic")
        assert part.cta is not None
        assert part.cta.rank == 1
        assert part.lanes is not None
        assert o.lanes == sum(1 << int(n) for n in part.lanes)
        found += zip(part.lanes.tolist(), part.starts.tolist(), part.nbytes.tolist(), strict=True)
    assert sorted(found) == [(n, 16 * n, 16) for n in range(32)]


def test_reductions_in_another_cta(run: Run) -> None:
    seen = held(lambda: test_remote.test_reductions(run, "add", "u32"))
    assert set(keys(seen)) == {"red.async"}
    assert all(
        o.reads == () and only(o.writes, "shared", "generic").nbytes.tolist() == [4] * o.lanes.bit_count() for o in seen
    )


# --- tensors
def test_tensor_multicast(run: Run) -> None:
    seen = held(lambda: test_tma.test_multicast(run), only="cp.async.bulk.tensor")
    assert all([p.cta.rank for p in o.writes if p.cta] == [0, 1] for o in seen)


def test_the_map_is_read_in_its_own_proxy(run: Run) -> None:
    seen = held(lambda: test_tma.test_a_map_in_global_memory(run))
    data, described = seen[0].reads
    assert (data.proxy, data.space) == ("async", "global")
    assert (described.proxy, described.space, described.cta) == ("tensormap", "global", None)
    assert described.nbytes.tolist() == [128]


@pytest.mark.parametrize("swizzle", ["none", "32B"])
def test_gathered_and_scattered_rows(run: Run, swizzle: str) -> None:
    """Row 19 lies outside: it is read by nobody, and its zeros are written in shared memory."""
    a, b = test_gather.arrays()
    maps = [px.tensor_map(x, box=(1, 16), swizzle=swizzle) for x in (a, b)]  # type: ignore[arg-type]
    load, store = held(lambda: run(test_gather.kernel(test_gather.ROWS), *maps, block=1))
    wanted = [(64 * r + 16, 32) for r in test_gather.ROWS if r < 16]
    assert runs(load.reads[0], a.ctypes.data) == wanted
    assert load.writes[0].places().size == 128
    assert store.writes[0].places().size == 128
    assert sorted(runs(store.writes[0], b.ctypes.data)) == sorted((32 * (r % 16), 32) for r in test_gather.ROWS)


@pytest.mark.parametrize(("mode", "pixels", "halo"), [("im2col::w", 6, 2), ("im2col::w::128", 128, 1)])
def test_pixels_along_w_and_their_halos(run: Run, mode: str, pixels: int, halo: int) -> None:
    made, image = test_im2col_wide.wide_map(-1, 1, pixels)
    rows = pixels + (pixels // 32 if pixels == 128 else 1) * halo
    out = px.empty(16 * rows, np.uint8)
    text = test_im2col_wide.kernel(mode, (0, 3, 1, 2), halo, 1, rows)
    (load,) = held(lambda: run(text, made, out, block=1, buffers=[image]))
    assert load.writes[0].places().size == 16 * rows
    assert load.reads[0].nbytes.sum() % 16 == 0


def im2col_kernel(coords: Sequence[int], offsets: Sequence[int], nbytes: int) -> str:
    """Loads pixels, and stores them again where no offsets are given."""
    store = f"""fence.proxy.async;
        cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group [%rd1, {{{", ".join(map(str, coords))}}}], [%r2];
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"""
    return entry(
        ".param .align 64 .b8 map[128]",
        f"""
        .reg .pred %p0; .reg .b16 %h<2>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
        .shared .align 1024 .b8 buf[16384]; .shared .align 8 .b64 bar;
        mov.b64 %rd1, map; cvta.param.u64 %rd1, %rd1;
        mov.u32 %r1, bar; mov.u32 %r2, buf; mov.b16 %h0, {offsets[0] & 255}; mov.b16 %h1, {offsets[1] & 255};
        mbarrier.init.shared::cta.b64 [%r1], 1;
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], {nbytes};
        cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes
            [%r2], [%rd1, {{{", ".join(map(str, coords))}}}], [%r1], {{%h0, %h1}};
        W: mbarrier.try_wait.parity.shared::cta.b64 %p0, [%r1], 0;
        @!%p0 bra W;
        {store if not any(offsets) else ""}
        ret;
        """,
    )


@pytest.mark.parametrize("seed", range(12))
def test_pixels_of_images(run: Run, seed: int) -> None:
    """Bounding boxes inside and around the image, strides, and channels that end within a pixel."""
    rng = random.Random(seed)
    c, w, h, n = rng.choice((16, 24, 28)), rng.randint(3, 7), rng.randint(3, 6), 3
    inside = seed % 2
    image = px.empty((n, h, w, 32), np.uint16, align=128)
    image[...] = np.random.default_rng(seed).integers(0, 1 << 16, image.shape)
    low, high = ((0, 0), (0, 0)) if inside else ((-1, -1), (rng.randint(-1, 1), rng.randint(-1, 1)))
    swizzle, channels = rng.choice([("none", 32), ("none", 16), ("32B", 16), ("64B", 32), ("128B", 32)])
    pixels = rng.randint(1, 24)
    made = TensorMap.im2col(
        dtype="u16",
        address=image,
        dims=(c, w, h, n),
        strides=(64, 64 * w, 64 * w * h),
        lower=low,
        upper=high,
        channels=channels,
        pixels=pixels,
        element_strides=(1, rng.randint(1, 2), 1, 1),
        swizzle=swizzle,
    )
    coords = (rng.choice((0, 8)), *(rng.randint(lo, hi) for lo, hi in zip(low, (w - 2, h - 2), strict=True)), 0)
    text = im2col_kernel(coords, (0, 0) if inside else (rng.randint(0, 3), rng.randint(0, 3)), 2 * channels * pixels)
    seen = held(lambda: run(text, made, block=1, buffers=[image]), exact=False)
    assert len(seen) == 1 + inside
    assert seen[0].writes[0].places().size == 2 * channels * pixels


DTYPES = (np.uint8, np.uint16, np.float32, np.float64)
SPANS = {"none": 256, "32B": 32, "64B": 64, "128B": 128}


def random_map(rng: random.Random) -> tuple[Any, Any, tuple[int, ...], int]:
    """A tensor map, its array, coordinates in the array's axis order that often reach out of it, and the bytes of a box."""
    rank, dtype = rng.randint(1, 4), np.dtype(rng.choice(DTYPES))
    swizzle = rng.choice([*SPANS])
    chunk = 16 // dtype.itemsize
    width = chunk * rng.randint(1, min(SPANS[swizzle], 96) // 16)
    outer = tuple(rng.randint(1, 5) for _ in range(rank - 1))
    strides = tuple(rng.choice((1, 1, 2, 3)) for _ in range(rank - 1))
    shape = (*(rng.randint(2, 9) for _ in outer), chunk * rng.randint(1, 9))
    whole = test_tma.random_array(shape, dtype, rng.randrange(1 << 30))
    a = whole[..., : shape[-1] - rng.randrange(chunk)] if rank > 1 else whole
    m = px.tensor_map(a, box=(*outer, width), swizzle=swizzle, element_strides=(*strides, 1))  # type: ignore[arg-type]
    count = width * dtype.itemsize
    for extent, stride in zip(outer, strides, strict=True):
        count *= -(-extent // stride)
    start = (*(rng.randint(-3, n) for n in a.shape[:-1]), chunk * rng.randint(-2, shape[-1] // chunk))
    return m, whole, start, count


def coordinates(start: Sequence[int]) -> str:
    return "{" + ", ".join(map(str, start[::-1])) + "}"


@pytest.mark.parametrize("seed", range(40))
def test_boxes_that_are_loaded(run: Run, seed: int) -> None:
    """What is written are all bytes of the box, and what is read its part within the tensor, as NumPy takes it."""
    m, whole, start, count = random_map(random.Random(seed))
    text, dst = test_tma.load_kernel(len(start), count, coordinates(start), 4096), px.empty(4096, np.uint8)
    load = held(lambda: run(text, m, dst, block=1, buffers=[whole], seed=seed))[0]
    assert only(load.writes, "shared").places().size == count
    within = np.zeros(whole.nbytes, bool)
    for part in load.reads:
        if part.proxy == "async":
            within[part.places() - whole.ctypes.data] = True
    assert np.array_equal(np.flatnonzero(within), _bytes_of_box(m, whole, start))


def _bytes_of_box(m: Any, whole: Any, start: Sequence[int]) -> Any:
    """Bytes of the array that the box covers, by ranges along each axis."""
    made = m.map
    taken = np.zeros(whole.shape, bool)
    index: list[Any] = []
    for axis, first in enumerate(start):
        d = len(start) - 1 - axis
        step = made.element_strides[d] if d else 1
        places = first + np.arange(0, made.box[d], step)
        index.append(places[(places >= 0) & (places < made.dims[d])])
    taken[np.ix_(*index)] = True
    return np.flatnonzero(np.repeat(taken.ravel(), whole.itemsize))


@pytest.mark.parametrize("seed", range(40))
def test_boxes_that_are_stored(run: Run, seed: int) -> None:
    """What lies outside is neither read nor written; the last chunk of a row is written as a whole."""
    m, whole, start, _ = random_map(random.Random(1000 + seed))
    text, src = test_tma.store_kernel(coordinates([max(0, s) for s in start]), len(start)), px.empty(4096, np.uint8)
    src[:] = np.random.default_rng(seed).integers(0, 256, 4096)
    text = text.replace("buf[4096]", "buf[8192]")
    store = held(lambda: run(text, m, src, block=1, buffers=[whole], seed=seed))[-1]
    written = sum(int(p.nbytes.sum()) for p in store.writes)
    assert written == sum(p.places().size for p in store.writes)
    assert written == sum(p.places().size for p in store.reads if p.proxy == "async")


@pytest.mark.parametrize("seed", range(8))
def test_boxes_that_are_reduced(run: Run, seed: int) -> None:
    """A reduction names the same bytes as a store."""
    rng = random.Random(2000 + seed)
    m, whole, start, _ = random_map(rng)
    while whole.dtype != np.float32:
        m, whole, start, _ = random_map(rng)
    src = px.empty(4096, np.uint8)
    src[:] = 0x3F
    text = test_tma.store_kernel(coordinates([max(0, s) for s in start]), len(start)).replace("buf[4096]", "buf[8192]")
    store = held(lambda: run(text, m, src, block=1, buffers=[whole]))[-1]
    text = text.replace("cp.async.bulk.tensor", "cp.reduce.async.bulk.tensor").replace(".tile.bulk", ".add.tile.bulk")
    reduce = held(lambda: run(text, m, src, block=1, buffers=[whole]))[-1]
    assert reduce.op.inst.form.key == "cp.reduce.async.bulk.tensor"
    for a, b in zip((*store.reads, *store.writes), (*reduce.reads, *reduce.writes), strict=True):
        assert a.proxy == "tensormap" or np.array_equal(a.places(), b.places())


# --- wgmma
@pytest.mark.parametrize("a", ["ss", "rs"])
@pytest.mark.parametrize("swizzle", ["none", "32B", "64B", "128B"])
@pytest.mark.parametrize("major", ["K", "MN"])
def test_operands_of_products(run: Run, a: str, swizzle: str, major: str) -> None:
    case = test_wgmma.Case(64, "bf16", "bf16", "f32", swizzle=swizzle, ma="K" if a == "rs" else major, mb=major)
    (product,) = held(lambda: case.run(run, a), only="wgmma")
    assert product.writes == ()
    assert len(product.warps) == 4
    wanted = [(case.da, 64, case.ma), (case.db, 64, case.mb)][a == "rs" :]
    for part, (descriptor, lines, m) in zip(product.reads, wanted, strict=True):
        assert (part.space, part.proxy) == ("shared", "async")
        moved = descriptor.advanced(SHARED_BASE)
        first = element_offsets(moved, lines, case.k, 16, m).ravel() - SHARED_BASE  # type: ignore[arg-type]
        assert part.places().tolist() == sorted([*first.tolist(), *(first + 1).tolist()])


def test_operands_of_single_bytes(run: Run) -> None:
    case = test_wgmma.Case(16, "e4m3", "e5m2", "f32")
    (product,) = held(lambda: case.run(run), only="wgmma")
    assert [p.places().size for p in product.reads] == [64 * 32, 16 * 32]
