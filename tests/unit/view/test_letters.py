"""The timeline in letters."""

from __future__ import annotations

import pytest

from ptxlab.diag import Diagnostic
from ptxlab.sim.report.trace import Trace, TraceEvent

TRACE = Trace(
    [
        TraceEvent("cta 0 warp 0", "run", "warp", 0, 100),
        TraceEvent("cta 0 warp 0", "mbarrier wait", "wait", 20, 80),
        TraceEvent("cta 0 TMA", "cp.async.bulk", "copy", 10, 30, {"visible": 80}),
        TraceEvent("cta 0 tensor cores", "wgmma", "mma", 80, 100),
        TraceEvent("cta 0 warp 0", "here", "note", 90, 90),
    ]
)


def test_a_row_for_each_track_and_a_legend() -> None:
    head, *lines = TRACE.text(width=75).splitlines()
    rows = {line[:18].strip(): line[19:69] for line in lines if "cta 0" in line}
    assert head.split() == ["0", "100", "busy"]
    assert rows == {
        "cta 0 TMA": " " * 5 + "=" * 10 + "-" * 25 + " " * 10,
        "cta 0 warp 0": "#" * 10 + "." * 30 + "#" * 5 + "!" + "#" * 4,
        "cta 0 tensor cores": " " * 40 + "M" * 10,
    }
    for words in (". waits", "= copies", "# runs instructions", "M multiplies", "! notes", "- until bytes are visible"):
        assert words in lines[-1] or words in lines[-2]


def test_a_window_and_chosen_tracks() -> None:
    _, row, _ = TRACE.text(window=(0, 50), tracks=["cta 0 TMA"], width=75).splitlines()
    cells = row.removeprefix("cta 0 TMA ")[:-5]
    assert cells.count("=") * 50 == pytest.approx(20 * len(cells), abs=100)
    assert cells.rstrip().endswith("-")


def test_print_shows_it() -> None:
    assert str(TRACE).splitlines()[1:] == TRACE.text().splitlines()[1:]
    assert str(Trace()) == "<Trace: 0 events of 0 tracks>"
    assert repr(TRACE) == "<Trace: 5 events of 3 tracks>"


def test_tracks_that_are_left_out_are_counted() -> None:
    many = Trace(TraceEvent(f"cta {n} warp 0", "run", "warp", 0, 10) for n in range(30))
    assert many.text(width=60).splitlines()[-1] == "6 more tracks: trace.text(tracks=[…]) shows them"


@pytest.mark.parametrize("options", [{"width": 12}, {"tracks": ["cta 9"]}, {"window": (3, 3)}, {"window": (500, 600)}])
def test_what_cannot_be_shown(options: dict[str, object]) -> None:
    with pytest.raises(Diagnostic) as e:
        TRACE.text(**options)  # type: ignore[arg-type]
    assert e.value.code == "PTX2501"
