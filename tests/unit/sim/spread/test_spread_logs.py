"""Logs against what they stand for: sets of bytes."""

from __future__ import annotations

import ctypes

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ptxlab.abi.record import Buffer
from ptxlab.sim.spread.arena import Arena, Marks
from ptxlab.sim.spread.layout import PAGE, Layout
from ptxlab.sim.spread.log import Log, conflict, copy_back

PAGES = 3
SPANS = st.lists(st.tuples(st.integers(0, PAGES * PAGE - 1), st.integers(1, 2 * PAGE)), max_size=3)


def marks(spans: list[tuple[int, int]]) -> np.ndarray:
    out = np.zeros(PAGES * PAGE, np.uint8)
    for begin, length in spans:
        out[begin : begin + length] = 1
    return out


def log(reads: np.ndarray, writes: np.ndarray, value: int = 0) -> Log:
    return Log.of(np.full(PAGES * PAGE, value, np.uint8), reads, writes)


@given(st.lists(st.tuples(SPANS, SPANS), min_size=1, max_size=4))
@settings(deadline=None)
def test_conflicts_are_those_of_the_bytes(parts: list[tuple[list[tuple[int, int]], list[tuple[int, int]]]]) -> None:
    made = [(marks(r), marks(w)) for r, w in parts]
    meets = np.zeros(PAGES * PAGE, bool)
    for i, (_, w) in enumerate(made):
        for j, (r, v) in enumerate(made):
            if i != j:
                meets |= (w & (r | v)).astype(bool)
    found = conflict([log(r, w) for r, w in made])
    assert (found is not None) == meets.any()
    assert found is None or meets[found]


@given(st.integers(0, PAGE - 1), st.integers(1, 2 * PAGE), SPANS)
@settings(deadline=None)
def test_what_is_written_comes_back_and_nothing_else(inner: int, nbytes: int, spans: list[tuple[int, int]]) -> None:
    room = np.zeros(5 * PAGE, np.uint8)
    start = -room.ctypes.data % PAGE + inner
    array = room[start : start + nbytes]
    layout = Layout.of([Buffer("a", array.ctypes.data, nbytes, True, array)])
    writes = marks(spans)[: layout.nbytes]
    writes = np.pad(writes, (0, layout.nbytes - len(writes)))
    writes[:inner] = writes[inner + nbytes :] = 0  # a launch writes to its arrays alone
    data = np.arange(layout.nbytes).astype(np.uint8) | 1
    copy_back(layout, Log.of(data, np.zeros_like(writes), writes))
    wanted = np.zeros_like(room)
    wanted[start : start + nbytes] = (data * writes)[inner : inner + nbytes]
    assert room.tobytes() == wanted.tobytes()


def test_addresses_and_places_belong_together() -> None:
    arrays = [np.zeros(n, np.uint8) for n in (10, 5000, 1)]
    layout = Layout.of([Buffer("x", a.ctypes.data, a.nbytes, True, a) for a in arrays])
    for a in arrays:
        for at in (0, a.nbytes - 1):
            place = a.ctypes.data + at + layout.apart(a.ctypes.data)
            assert layout.address(place) == a.ctypes.data + at
    copy = np.zeros(layout.nbytes, np.uint8)
    arrays[1][:] = 7
    layout.fill(copy)
    assert copy.sum() == 7 * 5000


def test_pieces_of_a_view_are_marked_alone() -> None:
    array = np.zeros(4096, np.uint8)
    layout = Layout.of([Buffer("a", array.ctypes.data, array.nbytes, True, array)])
    data = np.zeros(Arena.nbytes(layout), np.uint8)
    kept = Marks(len(data))
    for starts in ([0, 512, 1024], [3, 520]):
        for write in (False, True):
            arena = Arena(layout, data, kept)
            begin = layout.regions[0].offset
            view = data[begin : begin + 1040]
            arena.mark(view, write, (np.array(starts), 16))
            wanted = np.zeros(len(data), bool)
            for start in starts:
                wanted[begin + start : begin + start + 16] = True
            got = (arena.writes if write else arena.reads)[: len(data)].astype(bool)
            assert (got == wanted).all()
            kept.clear(arena.log(), layout)
            assert not kept.reads.any()
            assert not kept.writes.any()


def test_reads_of_a_piece_that_is_no_whole_unit_take_the_unit() -> None:
    array = np.zeros(4096, np.uint8)
    layout = Layout.of([Buffer("a", array.ctypes.data, array.nbytes, True, array)])
    for write, wanted in ((False, 32), (True, 16)):
        arena = Arena(layout, np.zeros(Arena.nbytes(layout), np.uint8))
        begin = layout.regions[0].offset
        arena.mark(arena.data[begin : begin + 20], write, (np.array([0]), 20))
        assert (arena.writes if write else arena.reads).sum() == wanted


def test_the_bytes_of_a_region_are_the_arrays() -> None:
    array = np.arange(100, dtype=np.uint8)
    [region] = Layout.of([Buffer("a", array.ctypes.data, 100, True, array)]).regions
    region.memory()[3] = 77
    assert array[3] == 77
    assert ctypes.string_at(region.address, 100) == array.tobytes()
