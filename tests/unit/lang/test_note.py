"""`k.note`: marks on the timeline, and nothing anywhere else."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px
from ptxlab.cuda.ptxas import assemble
from ptxlab.ptx.parser import parse


def _kernel(*, noted: bool):
    def note(k, text: str) -> None:
        if noted:
            k.note(text)

    @px.kernel(threads=64, name="marked")
    def marked(k, y: px.Ptr[px.u32]):
        note(k, "begin")
        with k.if_(k.tid.x < 8):
            note(k, "only in the block")
        with k.if_(k.tid.x < 40):
            k.st.global_.u32(y[k.tid.x], 1)
            note(k, "end of the block")
        with k.else_():
            note(k, "alone in else")
        note(k, "behind both")
        with k.loop(3):
            note(k, "in the loop")
        note(k, "end")

    return marked


def _notes(report: px.Report) -> dict[str, list[tuple[str, str]]]:
    out: dict[str, list[tuple[str, str]]] = {}
    assert report.trace is not None
    for e in report.trace:
        if e.kind == "note":
            out.setdefault(e.name, []).append((e.track.removeprefix("cta 0 "), str(e.args["threads"])))
    return out


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
@pytest.mark.parametrize("sanitize", [False, True])
def test_notes_tell_which_threads_come_by(schedule: str, sanitize: bool) -> None:
    y = np.zeros(64, np.uint32)
    report = px.simulate(
        _kernel(noted=True), grid=1, args=[y], trace=True, stats=True, schedule=schedule, sanitize=sanitize
    )
    whole = [("warp 0", "0-31"), ("warp 1", "32-63")]
    found = {text: sorted(marks) for text, marks in _notes(report).items()}
    assert found["begin"] == whole
    assert found["only in the block"] == [("warp 0", "0-7")]
    assert found["end of the block"] == [("warp 0", "0-31"), ("warp 1", "32-39")]
    assert found["alone in else"] == [("warp 1", "40-63")]
    assert found["in the loop"] == sorted(whole * 3)
    assert _threads(found["behind both"]) == _threads(found["end"]) == set(range(64))
    assert list(y) == [1] * 40 + [0] * 24


def _threads(marks: list[tuple[str, str]]) -> set[int]:
    ends = [run.split("-") for _, runs in marks for run in runs.split(", ")]
    numbers = [n for first, *last in ends for n in range(int(first), int(last[0] if last else first) + 1)]
    assert len(numbers) == len(set(numbers)), "each thread comes by once"
    return set(numbers)


def test_times_rise_along_a_warp() -> None:
    report = px.simulate(_kernel(noted=True), grid=1, args=[np.zeros(64, np.uint32)], trace=True)
    assert report.trace is not None
    times = [e.begin for e in report.trace if e.kind == "note" and e.track == "cta 0 warp 0"]
    assert times == sorted(times)
    assert times[-1] > times[0]
    assert all(e.begin == e.end and "test_note.py:" in str(e.args["source"]) for e in report.trace if e.kind == "note")


def test_the_code_is_the_same_without_them() -> None:
    with_notes, without = _kernel(noted=True), _kernel(noted=False)

    def bare(kernel: px.Kernel) -> list[str]:
        lines = (line.strip() for line in kernel.ptx.splitlines())
        return [line for line in lines if line and not line.startswith(("//", ".loc"))]

    assert bare(with_notes) == bare(without)
    assert "// note: begin" in with_notes.ptx
    assert str(parse(with_notes.ptx)) == with_notes.ptx
    assert [d for d in px.check(with_notes) if d.severity == "error"] == []


def test_who_does_not_trace_pays_nothing() -> None:
    plain = [
        px.simulate(_kernel(noted=noted), grid=1, args=[np.zeros(64, np.uint32)], stats=True) for noted in (True, False)
    ]
    assert plain[0].stats.traps == plain[1].stats.traps == {}
    assert plain[0].stats.instructions == plain[1].stats.instructions
    traced = px.simulate(_kernel(noted=True), grid=1, args=[np.zeros(64, np.uint32)], stats=True, trace=True)
    assert traced.stats.instructions == plain[0].stats.instructions
    assert [s.counts["executions"] for s in traced.stats.sites] == [
        s.counts["executions"] for s in plain[0].stats.sites
    ]


def test_notes_in_front_of_the_first_instruction() -> None:
    @px.kernel(threads=32)
    def nothing(k):
        k.note("first")
        k.note("second")

    found = _notes(px.simulate(nothing, grid=2, args=[], trace=True, stats=True, sanitize=True))
    assert {text: len(marks) for text, marks in found.items()} == {"first": 2, "second": 2}


def test_chrome_shows_a_mark() -> None:
    report = px.simulate(_kernel(noted=True), grid=1, args=[np.zeros(64, np.uint32)], trace=True)
    assert report.trace is not None
    marks = [e for e in report.trace.chrome()["traceEvents"] if e["ph"] == "i"]
    assert len(marks) == len([e for e in report.trace if e.kind == "note"])
    assert all(mark["s"] == "t" and "dur" not in mark for mark in marks)
    assert "notes" in report.trace._repr_html_()


@pytest.mark.parametrize("text", [7, "", "  ", None])
def test_what_is_no_note_is_refused(text: object) -> None:
    @px.kernel(threads=32)
    def wrong(k):
        k.note(text)

    with pytest.raises(px.Diagnostic, match="is no string") as found:
        _ = wrong.ptx
    assert found.value.code == "PTX2221"


def test_any_text_is_one_comment() -> None:
    text = 'two\nlines; "quoted" */ \\ ünö \x1b[31m'

    @px.kernel(threads=32)
    def odd(k, y: px.Ptr[px.u32]):
        k.note(text)
        k.st.global_.u32(y[k.tid.x], 1)

    assert str(parse(odd.ptx)) == odd.ptx
    assert odd.ptx.isascii()
    assert odd.ptx.count("st.global") == 1
    assert list(_notes(px.simulate(odd, grid=1, args=[np.zeros(32, np.uint32)], trace=True))) == [text]


def test_ptxas_makes_the_same_code() -> None:
    from ptxlab.cuda.ptxas import find

    if find() is None:
        pytest.skip("there is no ptxas: install the extra `ptxas`")
    with_notes, without = (
        "\n".join(line for line in kernel.ptx.splitlines() if ".loc" not in line and ".file" not in line)
        for kernel in (_kernel(noted=True), _kernel(noted=False))
    )
    assert with_notes != without
    assert assemble(with_notes, "sm_90a").cubin == assemble(without, "sm_90a").cubin
