"""Hanging kernels written in Python: the likely cause, what mbarriers are called, and the lines where they are declared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic

STAGES, WORDS = 2, 512
BYTES = 4 * WORDS
LINES = Path(__file__).read_text(encoding="utf-8").splitlines()


def line_of(text: str) -> str:
    """Where a line of this file stands, as reports say it."""
    (found,) = [i for i, line in enumerate(LINES, 1) if line.strip() == text]
    return f"test_hangs_in_python.py:{found}"


@px.kernel(target="sm_90a", threads=160)
def pipeline(
    k: px.Builder,
    src: px.Ptr[px.b32],
    dst: px.Ptr[px.b32],
    *,
    first: int = 1,
    count: int = 128,
    expect: int = BYTES,
    pad: int = 0,
    store: str = "",
) -> None:
    """A warp fills stages, a warpgroup reads them. pad: bytes that make shared memory dynamic. store: a copy out of it."""
    tiles = k.smem(px.b32, (STAGES, WORDS), align=128, name="tiles")
    result = k.smem(px.b32, WORDS, align=128, name="result")
    if pad:
        k.smem(px.b8, pad, name="pad")
    full = k.mbarrier(1, STAGES, name="full")
    empty = k.mbarrier(count, STAGES, name="empty")
    k.init_barriers()

    def out() -> None:
        with k.if_(k.tid.x == 0):
            k.cp.async_.bulk.global_.shared__cta.bulk_group(dst, result, BYTES)
            k.cp.async_.bulk.commit_group()
            k.cp.async_.bulk.wait_group(0)

    with k.roles():
        with k.role(warp=4), k.elect():
            for turn in range(6):
                stage = turn % STAGES
                empty[stage].wait((turn // STAGES & 1) ^ first)
                full[stage].arrive_expect_tx(k.mov.u32(expect))
                k.cp.async_.bulk.shared__cta.global_.mbarrier__complete_tx__bytes(tiles[stage], src, BYTES, full[stage])
        with k.role(warpgroup=0):
            for turn in range(6):
                stage = turn % STAGES
                full[stage].wait(turn // STAGES & 1)
                k.st.shared.b32(result[k.tid.x], k.ld.shared.b32(tiles[stage].at(k.tid.x * 4)))
                k.fence.proxy.async_.shared__cta()
                empty[stage].arrive()
                if store == "loop":
                    k.bar.sync(1, 128)
                    out()
            if store == "end":
                k.bar.sync(1, 128)
                out()


def stop_of(**constants: Any) -> Diagnostic:
    args = [np.arange(WORDS, dtype=np.uint32), np.zeros(WORDS, np.uint32)]
    with pytest.raises(Diagnostic) as stop:
        px.simulate(pipeline, grid=1, args=args, lints=False, **constants)
    assert stop.value.code == "PTX9100"
    return stop.value


def rules(stop: Diagnostic) -> list[str]:
    assert stop.wait_graph is not None
    return [c["rule"] for c in stop.wait_graph["causes"]]


@pytest.mark.parametrize("store", ["", "loop", "end"])
def test_a_copy_out_of_shared_memory_fills_nothing(store: str) -> None:
    """A producer that begins with parity 0 is named whether or not the consumers store what they have computed."""
    stop = stop_of(first=0, store=store)
    assert rules(stop)[0] == "first-parity", stop
    assert stop.help is not None
    assert "parity 1" in stop.help


@pytest.mark.parametrize("outer", [False, True])
def test_copies_of_threads_fill_too(outer: bool) -> None:
    """cp.async reports to the mbarrier behind its copies; and the roles may stand in a loop, so that each comes to all of them."""

    @px.kernel(target="sm_90a", threads=64)
    def rows(k: px.Builder, src: px.Ptr[px.b32]) -> None:
        row = k.smem(px.b32, 32, align=16)
        full, empty = k.mbarrier(32, name="full"), k.mbarrier(32, name="empty")
        k.init_barriers()

        def turn() -> None:
            with k.roles():
                with k.role(warp=0):
                    empty.wait(0)
                    k.cp.async_.ca.shared.global_(row[k.laneid], src[k.laneid], 4)
                    k.cp.async_.mbarrier.arrive.noinc.shared__cta.b64(full)
                with k.role(warp=1):
                    full.wait(0)
                    k.ld.shared.b32(row[k.laneid])
                    empty.arrive()

        if outer:
            with k.loop(2):
                turn()
        else:
            turn()

    with pytest.raises(Diagnostic) as stop:
        px.simulate(rows, grid=1, args=[np.zeros(32, np.uint32)])
    assert rules(stop.value)[0] == "first-parity", stop.value


@pytest.mark.parametrize("pad", [0, 60000])
def test_stages_are_called_by_their_index(pad: int) -> None:
    """In variables of their own and in dynamic shared memory, in words and as data."""
    stop = stop_of(first=0, pad=pad)
    assert stop.wait_graph is not None
    found = {w["barrier"]["name"].partition(" (")[0]: w["barrier"] for w in stop.wait_graph["waits"]}
    assert set(found) == {"`full[0]`", "`empty[0]`"}
    assert (found["`empty[0]`"]["array"], found["`empty[0]`"]["element"]) == ("empty", 0)
    text = str(stop_of(expect=2 * BYTES, pad=pad, count=1))
    assert "`full[0]` (shared + 0x" in text
    assert "`full` + 0x" not in text


@pytest.mark.parametrize(
    ("declaration", "offset", "called"),
    [
        (".b64 bars[3]", 8, "`bars[1]` (shared + 0x8)"),
        (".b8 bars[24]", 8, "`bars` + 0x8 (shared + 0x8)"),
        (".b64 bars", 0, "`bars` (shared + 0x0)"),
    ],
)
def test_ptx_from_elsewhere_says_by_its_declarations_what_is_an_array(
    declaration: str, offset: int, called: str
) -> None:
    text = f"""
    .version 8.6
    .target sm_90a
    .address_size 64
    .visible .entry k()
    {{
      .reg .pred q;
      .shared .align 8 {declaration};
      mbarrier.init.shared::cta.b64 [bars+{offset}], 2;
      W: mbarrier.try_wait.parity.shared::cta.b64 q, [bars+{offset}], 0;
      @!q bra W;
      ret;
    }}
    """
    with pytest.raises(Diagnostic) as stop:
        px.simulate(px.parse(text)["k"], grid=1, block=1, args=[], lints=False)
    assert any(f"waiting on mbarrier {called} for" in note for note in stop.value.notes), stop.value


def test_the_sanitizer_and_the_timeline_call_them_so_too() -> None:
    args = [np.arange(WORDS, dtype=np.uint32), np.zeros(WORDS, np.uint32)]
    report = px.simulate(pipeline, grid=1, args=args, trace=True, sanitize=False)
    assert report.trace is not None
    told = {str(e.args["mbarrier"]).partition(" (")[0] for e in report.trace if "mbarrier" in e.args}
    assert {"`full[0]`", "`full[1]`", "`empty[0]`", "`empty[1]`"} == told


def test_an_ordinary_access_to_an_mbarrier_names_it() -> None:
    @px.kernel(target="sm_90a", threads=32)
    def spoils(k: px.Builder) -> None:
        full = k.mbarrier(1, 3, name="full")
        k.init_barriers()
        with k.if_(k.tid.x == 0):
            k.st.shared.u32(full[1].address(), 0)

    (found,) = px.simulate(spoils, grid=1, sanitize=True, lints=False).findings
    assert found.code == "PTX9230"
    assert "writes `full[1]` (shared + 0x8), where a live mbarrier is" in found.message
    assert found.memory is not None
    assert (found.memory.array, found.memory.element) == ("full", (1,))


def test_a_count_is_told_where_it_is_declared() -> None:
    stop = stop_of(count=129)
    declared = line_of('empty = k.mbarrier(count, STAGES, name="empty")')
    assert rules(stop)[0] == "count"
    (cause,) = [note for note in stop.notes if note.startswith("likely cause")]
    assert "counts 129 arrivals a phase (" in cause
    assert declared in cause
    assert stop.help is not None
    assert stop.help.startswith("count 128: `k.mbarrier(128, …)` in ")
    assert declared in stop.help
    (happened,) = [note for note in stop.notes if note.startswith("at `empty[0]`")]
    assert "declared with count 129 (" in happened
    assert ", initialised (" in happened
    graph = stop.wait_graph
    assert graph is not None
    assert all(declared in w["barrier"]["declared"] for w in graph["waits"] if w["barrier"]["array"] == "empty")


def test_fewer_are_counted_than_arrive() -> None:
    """Half of the consumers end a phase, and the other half the next one: the producer never sees the first."""
    stop = stop_of(count=64)
    assert rules(stop)[0] == "count-too-small", stop
    (cause,) = [note for note in stop.notes if note.startswith("likely cause")]
    assert "counts 64 arrivals a phase (" in cause
    assert "and 128 threads arrive there (" in cause
    assert stop.help is not None
    assert stop.help.startswith("count 128: `k.mbarrier(128, …)` in ")


def test_a_ring_is_what_declares_its_mbarriers() -> None:
    @px.kernel(target="sm_90a", threads=64)
    def ring_of_two(k: px.Builder, src: px.Ptr[px.b32]) -> None:
        ring = k.ring(2, k.smem(px.b32, (2, 32), align=16), consumers=33)
        k.init_barriers()
        with k.roles():
            with k.role(warp=0), k.elect(), k.loop(4), ring.produce() as slot:
                k.cp.async_.bulk.shared__cta.global_.mbarrier__complete_tx__bytes(slot[0], src, 128, slot.full)
            with k.role(warp=1), k.loop(4), ring.consume() as slot:
                k.ld.shared.b32(slot[0].at(k.laneid * 4))

    with pytest.raises(Diagnostic) as stop:
        px.simulate(ring_of_two, grid=1, args=[np.zeros(32, np.uint32)])
    assert rules(stop.value)[0] == "count"
    assert stop.value.help is not None
    assert stop.value.help.startswith("count 32: `k.ring(…, consumers=32)` in ")


def test_too_many_arrivals_are_told_with_the_declaration() -> None:
    @px.kernel(target="sm_90a", threads=32)
    def twice(k: px.Builder) -> None:
        bar = k.mbarrier(2)
        k.init_barriers()
        k.mbarrier.arrive.shared__cta.b64(bar, 3, state="_")

    with pytest.raises(Diagnostic) as stop:
        px.simulate(twice, grid=1, lints=False)
    assert stop.value.code == "PTX9112"
    assert stop.value.help is not None
    assert stop.value.help.startswith("`k.mbarrier(2)` in ")


@pytest.mark.parametrize(("expect", "schedule"), [(1024, "eager"), (512, "late")])
def test_fewer_bytes_expected_than_each_copy_brings(expect: int, schedule: str) -> None:
    """What counts is the size of a copy: the bytes that have come meanwhile are those of several."""
    stop = stop_of(expect=expect, schedule=schedule)
    assert rules(stop)[0] == "bytes", stop
    (cause,) = [note for note in stop.notes if note.startswith("likely cause")]
    assert f"brings {BYTES} bytes to `full[0]`" in cause
    assert f"and {expect} are expected" in cause
    assert "PTX9118" in {d.code for d in stop.also}
