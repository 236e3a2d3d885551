"""Collective operations on simulated devices, held to NumPy bit for bit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.kernels.collectives import Group, call
from ptxlab.kernels.collectives.room import PIECE, VECTOR, size_of

SCHEDULES = ("eager", "late", "random")
COUNTS = (2, 4, 8)
TYPES = [np.dtype(np.float32), np.dtype(ml_dtypes.bfloat16), np.dtype(np.float16)]
SIZE = size_of(2, simulated=True)
ALL = pytest.mark.parametrize("schedule", SCHEDULES)
EACH_COUNT = pytest.mark.parametrize("count", COUNTS)
EACH_TYPE = pytest.mark.parametrize(("count", "dtype"), list(zip(COUNTS, TYPES, strict=True)), ids=str)
"""Each number of devices, and each type that is summed."""


pytestmark = pytest.mark.usefixtures("nothing_is_left")


def drawn(count: int, dtype: Any, elements: int) -> list[Any]:
    """Numbers of very different magnitudes, so that another order of a sum shows."""
    numbers = np.random.default_rng(count)
    return [
        (numbers.normal(size=elements) * 2.0 ** numbers.integers(-8, 8, elements)).astype(dtype) for _ in range(count)
    ]


def total(arrays: Sequence[Any]) -> Any:
    """The documented sum: in f32, from the first array on, rounded once."""
    return reduce(np.add, [x.astype(np.float32) for x in arrays]).astype(arrays[0].dtype)


def on(devices: Sequence[px.Device], arrays: Sequence[Any]) -> list[Any]:
    return [device.copy(x) for device, x in zip(devices, arrays, strict=True)]


def finished(schedule: str, seed: int = 0) -> None:
    reports = px.synchronize(schedule=schedule, seed=seed, sanitize=True)
    assert not [d for report in reports for d in report.findings]


@ALL
@EACH_TYPE
@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("way", ["lines", "one-shot", "two-shot"])
def test_all_reduce(
    way: str, count: int, dtype: Any, schedule: str, *, in_place: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way == "one-shot":
        monkeypatch.setattr(call, "_lines", lambda vectors, size: 0)
    devices = px.devices(count)
    given = drawn(count, dtype, 1000)
    inputs = on(devices, given)
    outputs = inputs if in_place else [device.zeros(1000, dtype) for device in devices]
    Group(devices).all_reduce(inputs, outputs, way="two-shot" if way == "two-shot" else "one-shot")
    finished(schedule)
    for x in outputs:
        assert x.tobytes() == total(given).tobytes()


@ALL
@EACH_TYPE
def test_reduce_scatter(count: int, dtype: Any, schedule: str) -> None:
    devices = px.devices(count)
    given, part = drawn(count, dtype, 72 * count), 72
    outputs = [device.zeros(part, dtype) for device in devices]
    Group(devices).reduce_scatter(on(devices, given), outputs)
    finished(schedule)
    for rank, x in enumerate(outputs):
        assert x.tobytes() == total(given)[rank * part :][:part].tobytes()


@ALL
@pytest.mark.parametrize(("count", "dtype"), [(2, np.uint8), (4, np.float32), (8, np.int64)])
def test_all_gather(count: int, dtype: Any, schedule: str) -> None:
    devices = px.devices(count)
    given = [(np.arange(48) + 7 * rank).astype(dtype) for rank in range(count)]
    outputs = [device.zeros(48 * count, dtype) for device in devices]
    Group(devices).all_gather(on(devices, given), outputs)
    finished(schedule)
    for x in outputs:
        assert x.tolist() == np.concatenate(given).tolist()


@px.kernel(threads=32)
def step(k: px.Builder, mine: px.Ptr[px.u32], theirs: px.Ptr[px.u32], seen: px.Ptr[px.u32]) -> None:
    """Add 1 to what is here, and read what is there."""
    k.st.global_.u32(seen[0], k.ld.global_.u32(theirs[0]))
    k.st.global_.u32(mine[0], k.ld.global_.u32(mine[0]) + 1)


@ALL
@EACH_COUNT
def test_a_barrier_parts_what_is_in_front_of_it_from_what_is_behind(count: int, schedule: str) -> None:
    devices = px.devices(count)
    group = Group(devices)
    words = [device.zeros(1, np.uint32) for device in devices]
    seen = [[device.zeros(1, np.uint32) for device in devices] for _ in range(3)]
    for rank in range(count):
        step[1](words[rank], words[rank], seen[0][rank], stream=group.streams[rank])
    for turn in (1, 2):
        group.barrier()
        for rank in range(count):
            step[1](seen[0][rank], words[(rank + 1) % count], seen[turn][rank], stream=group.streams[rank])
        group.barrier()
        for rank in range(count):
            step[1](words[rank], words[rank], seen[0][rank], stream=group.streams[rank])
    px.synchronize(schedule=schedule, sanitize=False)
    assert [[int(x[0]) for x in one] for one in seen[1:]] == [[1] * count, [2] * count]


@ALL
def test_operations_come_one_after_the_other(schedule: str) -> None:
    """Counts of meetings go on from launch to launch, and flags are never reset."""
    devices = px.devices(4)
    group = Group(devices)
    x = on(devices, [np.full(64, 1 + rank, np.float32) for rank in range(4)])
    y = [device.zeros(64, np.float32) for device in devices]
    whole = [device.zeros(256, np.float32) for device in devices]
    there, back = group.prepare_all_reduce(x, y, way="one-shot"), group.prepare_all_reduce(y, x, way="one-shot")
    for _ in range(2):
        there()
        back()
    group.all_gather(x, whole)
    px.synchronize(schedule=schedule, sanitize=False)
    assert {float(v) for a in whole for v in a} == {10.0 * 4**3}


def test_more_than_the_ctas_move_at_once() -> None:
    devices, elements = px.devices(2), 2 * SIZE.ctas * PIECE * VECTOR // 4 + 36
    given = drawn(2, np.float32, elements)
    inputs = on(devices, given)
    Group(devices).all_reduce(inputs, inputs)
    finished("eager")
    assert inputs[0].tobytes() == inputs[1].tobytes() == total(given).tobytes()


def test_lines_and_pieces_take_turns_in_grids_of_all_sizes() -> None:
    """Each keeps its own count, in every CTA that any of the grids has."""
    devices, numbers = px.devices(2), np.random.default_rng(5)
    group = Group(devices)
    for elements in (4, 20000, 64, 2 * SIZE.lines, 2 * SIZE.lines + 4, 8, 70000, 4):
        given = drawn(2, np.float32, elements)
        inputs = on(devices, given)
        for _ in range(int(numbers.integers(1, 4))):
            group.all_reduce(inputs, outputs := [device.zeros(elements, np.float32) for device in devices])
        finished("random", elements)
        assert outputs[0].tobytes() == outputs[1].tobytes() == total(given).tobytes()


def test_fewer_vectors_than_devices() -> None:
    devices = px.devices(8)
    inputs = on(devices, [np.full(4, rank, np.float32) for rank in range(8)])
    Group(devices).all_reduce(inputs, inputs)
    finished("eager")
    assert all(x.tolist() == [28.0] * 4 for x in inputs)


def test_a_device_that_does_not_come_hangs_with_its_name() -> None:
    devices = px.devices(3)
    group = Group(devices)
    x = [device.zeros(64, np.float32) for device in devices]
    for launch in group.prepare_all_reduce(x, x)._launches[:2]:
        launch()
    with pytest.raises(Diagnostic) as raised:
        px.synchronize(sanitize=False)
    assert raised.value.code == "PTX9101"
    assert any("`exchange_lines`, entry 2 of the queue, on device 1" in note for note in raised.value.notes)


def refusals() -> Iterator[tuple[str, Any]]:
    devices = px.devices(2)
    group = Group(devices)

    def pair(*shape: int, dtype: Any = np.float32) -> list[Any]:
        return [device.zeros(shape, dtype) for device in devices]

    yield "PTX2345", lambda: Group(px.devices(1))
    yield "PTX2345", lambda: Group([devices[0], devices[0]])
    yield "PTX2345", lambda: Group(devices, [px.Stream(devices[0])] * 2)
    yield "PTX2345", lambda: group.all_reduce(pair(8)[:1], pair(8))
    yield "PTX2345", lambda: group.all_reduce(pair(8)[::-1], pair(8))
    yield "PTX2345", lambda: group.all_reduce(pair(8), pair(16))
    yield "PTX2345", lambda: group.all_reduce(pair(8), pair(8, dtype=np.float16))
    yield "PTX2345", lambda: group.all_reduce(pair(6), pair(6))
    yield "PTX2345", lambda: group.all_reduce(pair(8), pair(8), way="three-shot")
    yield "PTX2307", lambda: group.all_reduce(pair(8, dtype=np.int32), pair(8, dtype=np.int32))
    yield "PTX2345", lambda: group.all_gather(pair(8), pair(8))
    yield "PTX2345", lambda: group.reduce_scatter(pair(8), pair(8))
    x = pair(64)
    yield "PTX2345", lambda: group.all_gather([a[:32] for a in x], x)
    yield "PTX2345", lambda: group.all_reduce([a[:32] for a in x], [a[16:48] for a in x])
    yield "PTX2345", lambda: group.all_reduce([a[1:33] for a in x], pair(32))
    yield "PTX2345", lambda: group.all_reduce([a[::2] for a in x], pair(32))


@pytest.mark.parametrize("number", range(16))
def test_what_does_not_fit_is_refused(number: int) -> None:
    code, call = list(refusals())[number]
    with pytest.raises(Diagnostic) as raised:
        call()
    assert raised.value.code == code
    assert raised.value.help


def routed(count: int, rows: int, seed: int) -> Any:
    """How many rows each device sends to each, some none at all."""
    numbers = np.random.default_rng(seed)
    return np.stack([np.bincount(numbers.integers(0, count, rows) // 2 * 2, minlength=count) for _ in range(count)])


@ALL
@EACH_COUNT
@pytest.mark.parametrize("dtype", TYPES[:2], ids=lambda t: t.name)
def test_rows_go_to_other_devices_and_come_back(count: int, dtype: Any, schedule: str) -> None:
    devices, rows = px.devices(count), 13
    group, sent = Group(devices), routed(count, rows, seed=count).astype(np.int32)
    tokens = [np.random.default_rng(rank).normal(size=(rows, 24)).astype(dtype) for rank in range(count)]
    here, counts = on(devices, tokens), on(devices, list(sent))
    there = [device.copy(np.full((rows * count, 24), -1).astype(dtype)) for device in devices]
    group.dispatch(here, counts, there)
    finished(schedule)
    for rank in range(count):
        parts = [tokens[s][sent[s][:rank].sum() :][: sent[s][rank]] for s in range(count)]
        wanted = np.concatenate(parts)
        assert there[rank][: len(wanted)].tobytes() == wanted.tobytes()
        assert (there[rank][len(wanted) :].astype(np.float32) == -1).all()
        here[rank][...] = 0
    group.combine(there, counts, here)
    finished(schedule)
    assert [x.tobytes() for x in here] == [x.tobytes() for x in tokens]


def test_counts_that_pass_an_array_stop_the_kernel() -> None:
    devices = px.devices(2)
    rows, outputs = ([device.zeros((n, 4), np.float32) for device in devices] for n in (3, 4))
    for given in ([4, 0], [0, 3], [-1, 1], [1, -1]):
        counts = on(devices, [np.array(given, np.int32)] * 2)
        Group(devices).dispatch(rows, counts, outputs)
        with pytest.raises(Diagnostic) as raised:
            px.synchronize(sanitize=False)
        assert raised.value.code == "PTX9010"
        assert any("in `move_rows`, entry" in note and "on device" in note for note in raised.value.notes)


def test_rows_that_do_not_fit_are_refused() -> None:
    devices = px.devices(2)
    group = Group(devices)

    def pair(*shape: int, dtype: Any = np.float32) -> list[Any]:
        return [device.zeros(shape, dtype) for device in devices]

    counts = pair(2, dtype=np.int32)
    same = pair(4, 4)
    for rows, given, outputs in (
        (pair(4, 4), pair(2, dtype=np.int64), pair(8, 4)),
        (pair(4, 4), pair(3, dtype=np.int32), pair(8, 4)),
        (pair(4, 4), counts, pair(8, 8)),
        (pair(4, 4), counts, pair(32)),
        (pair(4, 3), counts, pair(8, 3)),
        (same, counts, same),
    ):
        with pytest.raises(Diagnostic) as raised:
            group.dispatch(rows, given, outputs)
        assert raised.value.code == "PTX2345"
