"""Products that devices share, on simulated devices: the bits of `gemm` and of the collective operation one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.kernels.collectives import Group, gather_gemm, gemm_scatter
from ptxlab.kernels.collectives.product_call import ShardedWork, work_of
from ptxlab.kernels.gemm import gemm

pytestmark = pytest.mark.usefixtures("nothing_is_left")

BF16, F16, F32 = np.dtype(ml_dtypes.bfloat16), np.dtype(np.float16), np.dtype(np.float32)
E4M3 = np.dtype(ml_dtypes.float8_e4m3fn)
EACH = pytest.mark.parametrize("gathers", [False, True], ids=["scatter", "gather"])
EACH_COUNT = pytest.mark.parametrize("count", [2, 4, 8])


@dataclass(frozen=True)
class Case:
    """Arrays of a product on each device, and what comes out: `rows` of a shard, `n` columns of C, `depth` of a sum."""

    count: int
    rows: int
    n: int
    depth: int
    gathers: bool
    dtype: Any = BF16
    out: Any = BF16
    b_layout: Any = "kn"

    def arrays(self) -> tuple[list[Any], list[Any]]:
        numbers = np.random.default_rng(self.count)
        whole = self.rows * (1 if self.gathers else self.count)
        b = (self.depth, self.n) if self.b_layout == "kn" else (self.n, self.depth)
        return (
            [numbers.normal(size=(whole, self.depth)).astype(self.dtype) for _ in range(self.count)],
            [numbers.normal(size=b).astype(self.dtype) for _ in range(self.count)],
        )

    def outputs(self, devices: Sequence[px.Device]) -> list[Any]:
        whole = self.rows * (self.count if self.gathers else 1)
        return [device.zeros((whole, self.n), self.out) for device in devices]

    def expected(self, a: Sequence[Any], b: Sequence[Any], config: str | None = None) -> list[bytes]:
        """The documented bits: products of `gemm`; of those that are scattered, the sum in f32 from device 0 on, rounded once."""
        if config is None:
            outputs = self.outputs(px.devices(self.count))
            chosen = work_of(0, self.count, a[0], b[0], outputs[0], b_layout=self.b_layout, gathers=self.gathers).tiling
            config = str(replace(chosen, stages=0, together=1))
        left = [np.concatenate(a)] * self.count if self.gathers else a
        found: list[Any] = []
        for x, y in zip(left, b, strict=True):
            found.append(px.empty((self.rows * self.count, self.n), self.out))
            gemm(np.ascontiguousarray(x), y, found[-1], b_layout=self.b_layout, config=config)
        if self.gathers:
            return [c.tobytes() for c in found]
        total = reduce(np.add, [c.astype(np.float32) for c in found]).astype(self.out)
        return [part.tobytes() for part in np.split(total, self.count)]


def on(devices: Sequence[px.Device], arrays: Sequence[Any]) -> list[Any]:
    return [device.copy(x) for device, x in zip(devices, arrays, strict=True)]


def prepared(group: Group, gathers: bool) -> Any:
    return group.prepare_all_gather_gemm if gathers else group.prepare_gemm_reduce_scatter


def finished(schedule: str, seed: int = 0) -> None:
    reports = px.synchronize(schedule=schedule, seed=seed, sanitize=True)
    assert not [d for report in reports for d in report.findings]


def holds(
    case: Case, schedules: Sequence[tuple[str, int]] = (("eager", 0), ("late", 0)), config: str | None = None
) -> None:
    """The product has the documented bits, launch after launch, and the sanitizer finds nothing."""
    devices = px.devices(case.count)
    a, b = case.arrays()
    outputs = case.outputs(devices)
    call = prepared(Group(devices), case.gathers)
    product = call(on(devices, a), on(devices, b), outputs, b_layout=case.b_layout, config=config)
    wanted = case.expected(a, b, config)
    for schedule, seed in schedules:
        for x in outputs:
            x[...] = 0
        product()
        finished(schedule, seed)
        assert [x.tobytes() for x in outputs] == wanted


@EACH
@EACH_COUNT
def test_under_several_schedules(gathers: bool, count: int) -> None:
    schedules = [("random", 0), ("eager", 0), ("late", 0), ("random", 1), ("random", 2)][: {2: 5, 4: 3, 8: 1}[count]]
    holds(Case(count, 40, 64, 96, gathers), schedules, config="64x64-1c")


@EACH
@pytest.mark.parametrize(("dtype", "out"), [(F16, F16), (BF16, F32), (F16, BF16), (F32, F32)])
def test_types(gathers: bool, dtype: Any, out: Any) -> None:
    holds(Case(4, 24, 64, 64, gathers, dtype, out, "nk"))


@EACH
def test_fp8_along_k(gathers: bool) -> None:
    holds(Case(2, 64, 64, 256, gathers, E4M3, BF16, "nk"))


@EACH
@pytest.mark.parametrize(
    "config",
    ["128x256-2c", "128x64-2c-2b", "256x128-2c", "192x128-3c", "64x128-1c", "64x64-1c-swapped", "128x72-2c-swapped"],
)
def test_tilings(gathers: bool, config: str) -> None:
    """Shards that are no multiple of a tile: what lies behind them belongs to another device."""
    holds(Case(2, 136, 264, 128, gathers), (("eager", 0),), config=config)


@EACH
@pytest.mark.parametrize(("rows", "n", "depth"), [(8, 512, 192), (1, 64, 64), (520, 64, 64), (64, 8, 8)])
def test_what_is_chosen(gathers: bool, rows: int, n: int, depth: int) -> None:
    holds(Case(2, rows, n, depth, gathers), (("eager", 0),))


def test_a_transposed_a_is_scattered() -> None:
    case, devices = Case(2, 64, 64, 128, gathers=False), px.devices(2)
    a, b = case.arrays()
    outputs = case.outputs(devices)
    lying = [x.T for x in on(devices, [np.ascontiguousarray(x.T) for x in a])]
    Group(devices).gemm_reduce_scatter(lying, on(devices, b), outputs)
    finished("eager")
    assert [x.tobytes() for x in outputs] == case.expected(a, b)


@EACH
def test_more_tiles_than_ctas(gathers: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A CTA has tiles of others and then its own, and says of each that it has arrived."""
    monkeypatch.setattr(ShardedWork, "ctas", property(lambda work: 3))
    holds(Case(2, 136, 200, 128, gathers), [("eager", 0), ("late", 0), ("random", 1)], config="64x64-1c")
    holds(Case(4, 72, 256, 1024, gathers), [("eager", 0)], config="128x128-2c")


def test_a_tile_that_is_sent_in_several_pieces() -> None:
    holds(Case(2, 130, 64, 2048, gathers=True), (("eager", 0),), config="64x64-1c")


@EACH
def test_operations_come_one_after_the_other(gathers: bool) -> None:
    """Two products of one shape use the same room, and their launches are counted together."""
    case, devices = Case(4, 16, 64, 64, gathers), px.devices(4)
    group = Group(devices)
    calls: list[Any] = []
    for turn in range(2):
        a, b = case.arrays()
        a = [x * np.array(1 + turn).astype(x.dtype) for x in a]
        outputs = case.outputs(devices)
        calls.append((prepared(group, gathers)(on(devices, a), on(devices, b), outputs), outputs, case.expected(a, b)))
    for product, *_ in calls * 2:
        product()
    finished("eager")
    for _, outputs, wanted in calls:
        assert [x.tobytes() for x in outputs] == wanted


def test_products_of_one_shape_and_several_tilings_and_operations() -> None:
    """What is counted in a room depends on both; a product does not find what another one has counted."""
    devices = px.devices(2)
    group = Group(devices)
    for _ in range(2):
        for gathers in (False, True):
            case = Case(2, 100, 128, 128, gathers)
            a, b = case.arrays()
            for config in ("128x64-2c", "256x64-2c"):
                outputs = case.outputs(devices)
                prepared(group, gathers)(on(devices, a), on(devices, b), outputs, config=config)()
                finished("eager")
                assert [x.tobytes() for x in outputs] == case.expected(a, b, config)


@EACH
def test_a_device_of_its_own_process(gathers: bool) -> None:
    """A launch takes the arrays of its own device, and rooms of all."""
    case, devices = Case(2, 64, 64, 64, gathers), px.devices(2)
    a, b = case.arrays()
    outputs = case.outputs(devices)
    works = [
        work_of(rank, 2, *arrays, gathers=gathers)
        for rank, arrays in enumerate(zip(on(devices, a), on(devices, b), outputs, strict=True))
    ]
    assert works[0].wanted == works[1].wanted
    rooms = works[0].wanted.on(devices)
    for work, device in zip(works, devices, strict=True):
        (gather_gemm if gathers else gemm_scatter).launch(work, rooms, px.Stream(device))()
    finished("eager")
    assert [x.tobytes() for x in outputs] == case.expected(a, b)


def refusals() -> Iterator[tuple[str, Any]]:
    devices = px.devices(2)
    group = Group(devices)

    def pair(*shape: int, dtype: Any = BF16) -> list[Any]:
        return [device.zeros(shape, dtype) for device in devices]

    scatter: Any = group.gemm_reduce_scatter
    gather: Any = group.all_gather_gemm
    a, b, c = pair(128, 64), pair(64, 64), pair(64, 64)
    yield "PTX2345", lambda: scatter(a[:1], b, c)
    yield "PTX2345", lambda: scatter(a[::-1], b, c)
    yield "PTX2345", lambda: scatter(a, b, [c[0], c[1][:32]])
    yield "PTX2345", lambda: scatter(a, b, pair(63, 64))
    yield "PTX2345", lambda: gather(pair(64, 64), b, pair(127, 64))
    yield "PTX2308", lambda: scatter(a, pair(32, 64), c)
    yield "PTX2308", lambda: scatter(a, b, pair(64, 32))
    yield "PTX2308", lambda: scatter(pair(128), b, c)
    yield "PTX2307", lambda: scatter(a, pair(64, 64, dtype=F16), c)
    yield "PTX2307", lambda: scatter(a, b, pair(64, 64, dtype=E4M3))
    integers = pair(64, 64, dtype=np.dtype(np.int8))
    yield (
        "PTX2307",
        lambda: scatter(pair(128, 64, dtype=np.dtype(np.int8)), integers, pair(64, 64, dtype=np.dtype(np.int32))),
    )
    yield "PTX2345", lambda: scatter(pair(128, 64, dtype=F32), pair(64, 64, dtype=F32), c)
    yield "PTX2345", lambda: scatter(pair(128, 60), pair(60, 64), c)
    yield "PTX2345", lambda: scatter(a, pair(64, 60), pair(64, 60))
    yield "PTX2345", lambda: scatter(pair(128, 0), pair(0, 64), c)
    yield "PTX2345", lambda: gather([x[:64] for x in a], b, [x[:, :64] for x in pair(128, 68)])
    yield "PTX2345", lambda: gather([x.T for x in pair(64, 64)], b, pair(128, 64))
    yield "PTX2345", lambda: gather([x[:, :64] for x in pair(64, 128)], b, pair(128, 64))
    yield "PTX2345", lambda: scatter(a, b, [x[:64] for x in a])
    yield "PTX2345", lambda: scatter(a, [b[0], b[1].T], c)
    yield "PTX2112", lambda: scatter(a, b, c, b_layout="nn")
    yield "PTX2112", lambda: scatter(a, b, c, config="64x64-1c-split2")
    yield "PTX2112", lambda: gather(c, b, pair(128, 64), config="128x64-2c-cluster2x1")
    read_only = pair(64, 64)
    read_only[1].flags.writeable = False
    yield "PTX2345", lambda: scatter(a, b, read_only)


@pytest.mark.parametrize("number", range(24))
def test_what_does_not_fit_is_refused(number: int) -> None:
    code, call = list(refusals())[number]
    with pytest.raises(Diagnostic) as raised:
        call()
    assert raised.value.code == code
    assert raised.value.help


def test_all_refusals_are_tried() -> None:
    assert len(list(refusals())) == 24
