from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ptxlab.diag import Diagnostic
from ptxlab.view.inline import timeline
from ptxlab.view.pictures import timeline_picture
from ptxlab.view.timeline import MAX_LANES, arrange, stretches
from ptxlab.view.timeline_svg import drawn_spans


@dataclass(frozen=True)
class Happening:
    track: str
    name: str
    kind: str
    begin: float
    end: float


spans = st.tuples(st.integers(0, 50), st.integers(1, 20))


@given(st.lists(spans, min_size=1, max_size=30))
def test_events_of_a_lane_do_not_overlap(times: list[tuple[int, int]]) -> None:
    (track,) = arrange([Happening("TMA", "copy", "copy", b, b + n) for b, n in times])
    depth = max(sum(b <= t < b + n for b, n in times) for t in range(71))
    assert track.lanes == min(depth, MAX_LANES)
    assert len(track.events) == len(times)
    if depth <= MAX_LANES:
        for lane in range(track.lanes):
            mine = [e for e, at in track.events if at == lane]
            assert all(a.end <= b.begin for a, b in itertools.pairwise(mine))


@given(st.lists(st.tuples(spans, st.booleans()), min_size=1, max_size=20))
def test_busy_is_the_share_of_time_not_spent_waiting(events: list[tuple[tuple[int, int], bool]]) -> None:
    made = [Happening("t", "x", "wait" if waits else "mma", b, b + n) for (b, n), waits in events]
    low, high = min(e.begin for e in made), max(e.end for e in made)
    ticks = sum(any(e.kind == "mma" and e.begin <= t < e.end for e in made) for t in range(int(low), int(high)))
    assert arrange(made)[0].busy == pytest.approx(ticks / (high - low))


def test_tracks_are_in_the_order_in_which_data_flows() -> None:
    names = ["tensor cores", "consumer 1", "consumer 10", "consumer 2", "TMA", "producer"]
    shown = [t.name for t in arrange([Happening(n, "x", "mma", 0, 1) for n in names])]
    assert shown == ["producer", "TMA", "consumer 1", "consumer 2", "consumer 10", "tensor cores"]
    ctas = ["cta 10 warp 0", "cta 2 warp 11", "cta 2 warp 4", "cta 2 TMA"]
    shown = [t.name for t in arrange([Happening(n, "x", "mma", 0, 1) for n in ctas])]
    assert shown == ["cta 2 TMA", "cta 2 warp 4", "cta 2 warp 11", "cta 10 warp 0"]


def test_windows_and_chosen_tracks() -> None:
    events = [Happening(t, f"{i}", "mma", i, i + 1) for t in ("a", "b") for i in range(10)]
    (only,) = arrange(events, window=(2, 4), tracks=["b"])
    assert [(e.track, e.name) for e, _ in only.events] == [("b", "2"), ("b", "3")]
    assert only.busy == 1


@pytest.mark.parametrize("events", [[], [Happening("a", "x", "mma", 0, 1)]])
def test_nothing_to_show(events: list[Happening], tmp_path: Path) -> None:
    with pytest.raises(Diagnostic) as e:
        timeline_picture(events, tmp_path / "t.png", tracks=["b"])
    assert e.value.code == "PTX2501"
    assert not list(tmp_path.iterdir())


def test_a_picture_names_tracks_kinds_and_events(tmp_path: Path) -> None:
    events = [
        Happening("producer", "empty[0]", "wait", 0, 40),
        Happening("TMA", "tile A", "copy", 5, 60),
        Happening("TMA", "tile B", "copy", 10, 70),
        Happening("consumer 0", "odd", "something else", 70, 71),
        Happening("tensor cores", "wgmma", "mma", 75, 75),
    ]
    drawing = timeline_picture(events, tmp_path / "t.svg", title="A title", subtitle="below it").read_text()
    for word in (
        "A title",
        "below it",
        "producer",
        "tensor cores",
        "tile A",
        "tile B",
        "empty[0]",
        "waits",
        "other",
    ):
        assert f">{word}<" in drawing, word
    assert timeline_picture(events, tmp_path / "t.png", dpi=40).read_bytes().startswith(b"\x89PNG")


@dataclass(frozen=True)
class Arriving(Happening):
    visible: float


def test_the_time_until_bytes_are_visible_is_drawn(tmp_path: Path) -> None:
    late = Arriving("TMA", "tile", "copy", 0, 10, 70)
    for event, there in ((late, True), (Happening("TMA", "tile", "copy", 0, 10), False)):
        drawing = timeline_picture([event], tmp_path / "t.svg").read_text()
        assert (">until bytes are visible<" in drawing) is there
        cell = timeline([event])
        assert ("bytes visible at 70" in cell) is there
        assert ("70 on the logical clock" in cell) is there
        assert cell.count("<rect") == (4 if there else 2)
    assert arrange([late])[0].busy == pytest.approx(10 / 70)


def test_the_life_of_a_warp_is_cut_at_its_waits() -> None:
    life = Happening("warp 0", "run", "warp", 0, 10)
    waits = [Happening("warp 0", "wait", "wait", b, e) for b, e in ((6, 8), (0, 2), (7, 9))]
    other = [Happening("warp 1", "wait", "wait", 3, 4)]
    runs = [(e.begin, e.end) for e in stretches([life, *waits, *other]) if e.kind == "compute"]
    assert runs == [(2, 6), (9, 10)]
    track = arrange([life, *waits, *other], tracks=["warp 0"])[0]
    assert track.busy == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"window": (5,)}, "no part of the clock"),
        ({"window": 5}, "no part of the clock"),
        ({"window": ("a", "b")}, "no part of the clock"),
        ({"window": (4, 0)}, "begin first"),
        ({"tracks": ["TMB"]}, "There is no track 'TMB'"),
        ({"tracks": "TMA"}, "give a list of names: 'TMA'"),
        ({"tracks": 5}, "is no list"),
        ({"dpi": 0}, "no resolution"),
        ({"dpi": "a"}, "no resolution"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], words: str, tmp_path: Path) -> None:
    with pytest.raises(Diagnostic) as found:
        timeline_picture([Happening("TMA", "copy", "copy", 0, 9)], tmp_path / "t.png", **options)
    assert found.value.code == "PTX2501"
    assert words in str(found.value)
    assert not list(tmp_path.iterdir())


def test_a_picture_says_what_it_leaves_out_and_has_whole_ticks(tmp_path: Path) -> None:
    events = [Happening(f"cta {i} warp 0", "x", "mma", 0, 5) for i in range(30)]
    drawing = timeline_picture(events, tmp_path / "t.svg").read_text()
    chosen = timeline_picture(events, tmp_path / "u.svg", tracks=["cta 3 warp 0", "cta 29 warp 0"]).read_text()
    assert "24 of 30 tracks" in drawing
    assert "2.5<" not in drawing
    assert ">5<" in drawing
    assert "tracks" not in chosen


def test_an_svg_is_read_aloud_and_has_no_ground_of_its_own(tmp_path: Path) -> None:
    events = [Happening("TMA", f"tile {i} <&>", kind, i, i + 1) for i, kind in enumerate(("copy", "copy", "wait"))]
    root = ElementTree.fromstring(timeline_picture(events, tmp_path / "t.svg", title="A < B & C").read_text())
    assert root.findtext("{*}title") == "A < B & C"
    assert root.findtext("{*}desc") == "TMA: busy 67%; 2 × copies, 1 × waits."
    assert "white" not in {one.get("fill") for one in root.iter()}


def test_an_svg_of_thousands_of_events_stays_small(tmp_path: Path) -> None:
    kinds = ("compute", "wait", "copy", "mma")
    events = [Happening(f"cta 0 warp {i % 12}", "x", kinds[i % 4], i, i + 1) for i in range(40_000)]
    assert timeline_picture(events, tmp_path / "t.svg").stat().st_size < 200_000


@example([(0.45, 0.0)])
@given(st.lists(st.tuples(st.floats(0, 50), st.floats(0, 6)), max_size=60))
def test_drawn_bars_are_in_order_visible_and_cover_all_but_their_space(gaps: list[tuple[float, float]]) -> None:
    spans: list[tuple[float, float]] = []
    for gap, wide in gaps:
        begin = (spans[-1][1] if spans else 0.0) + gap
        spans.append((begin, begin + wide))
    drawn = drawn_spans(spans)
    assert len(drawn) <= len(spans)
    assert all(end - begin > 0.9 for begin, end in drawn)
    assert all(any(b - 0.1 <= begin and end <= e + 0.9 for b, e in drawn) for begin, end in spans)


@pytest.mark.parametrize("window", [(0, 1), (3, 4), (0, 7), (0.5, 2.25), (0, 10_950), (99_990, 100_010), (0, 10**9)])
def test_ticks_are_whole_few_and_inside(window: tuple[float, float], tmp_path: Path) -> None:
    drawing = timeline_picture(
        [Happening("TMA", "copy", "copy", 0, 10**9)], tmp_path / "t.svg", window=window
    ).read_text()
    ticks = [int(n) for n in re.findall(r">(\d+)</text>", drawing)]
    assert 1 <= len(ticks) <= 9
    assert all(window[0] <= n <= window[1] for n in ticks)
