"""What a timeline is made of, and its file for Chrome and Perfetto."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ptxlab.abi.cache import atomic_write
from ptxlab.diag import Diagnostic, user_span

NOTED = "note"
"""The kind of a mark of `k.note`, which has no length."""
VISIBLE = "visible"
"""Of a copy, the argument that says when its bytes are visible."""
PICTURES = (".png", ".svg", ".pdf")


@dataclass(frozen=True, slots=True, repr=False)
class TraceEvent:
    """Something that took time, for a timeline.

    Attributes:
        track: who did it, e.g. "cta 3 warp 0" or "cta 3 TMA".
        name: what it was, e.g. "cp.async.bulk.tensor".
        kind: its class, e.g. "copy", "mma", "wait"; "note" for what `k.note` says, which begins and ends at once.
        begin, end: logical time; the unit is one warp instruction of the warp at hand.
        args: what else is known: instruction, line (of the PTX), source, bytes, visible, mbarrier, phase.

    A copy keeps its engine busy until `end`; its bytes are there later, at `visible`.

    Example:
        @px.kernel(target="sm_90a", threads=32)
        def save(k, y: px.Ptr[px.u32]):
            tile = k.smem(px.u32, 512, align=128)
            with k.elect():
                k.cp.async_.bulk.global_.shared__cta.bulk_group(y, tile, 2048)
                k.cp.async_.bulk.commit_group()
                k.cp.async_.bulk.wait_group(0)

        trace = px.simulate(save, grid=1, args=[px.empty(512, np.uint32)], trace=True, sanitize=False).trace
        store, wait = (e for e in trace if e.kind in ("store", "wait"))
        print(store.name, store.end - store.begin, store.visible - store.end)  # cp.async.bulk 33 64
        print(wait.name, wait.end == store.visible)  # bulk group wait True
    """

    track: str
    name: str
    kind: str
    begin: int
    end: int
    args: Mapping[str, int | str] = field(default_factory=dict[str, "int | str"])

    @property
    def visible(self) -> int:
        """When the bytes of a copy are there, and whoever waits for them goes on; for all else the same as `end`."""
        found = self.args.get(VISIBLE, self.end)
        return found if isinstance(found, int) else self.end

    def __repr__(self) -> str:
        said = [self.kind]
        if "bytes" in self.args:
            said.append(f"{self.args['bytes']:,} bytes")
        if "mbarrier" in self.args:
            names = str(self.args["mbarrier"]).split(", ")
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            said.append(f"{names[0].split(' (')[0]}{more} phase {self.args['phase']}")
        if "barrier" in self.args:
            said.append(f"barrier {self.args['barrier']}")
        if self.visible != self.end:
            said.append(f"visible at {self.visible}")
        return f"<TraceEvent {self.begin}–{self.end} {self.track}: {self.name} ({', '.join(said)})>"


class Trace(list[TraceEvent]):
    """The timeline of a launch: its events, in the order in which they were noted.

    The clock is the simulator's own: it shows what waits for what, not how long it takes on a GPU. docs/explanation/simulator.md
    says what it counts, under "The timeline and its clock".

    Attributes:
        dropped: events that are not there: of a long launch the first 200,000 are kept.
        unit: what the clock counts, below the axis of pictures: "cycles" in a trace of `px.profile`.

    Example:
        @px.kernel(threads=32)
        def fill(k, y: px.Ptr[px.u32]):
            k.st.global_.u32(y[k.tid.x], 1)

        trace = px.simulate(fill, grid=1, args=[np.zeros(32, np.uint32)], trace=True).trace
        first = trace[0]
        print(first.track, first.begin <= first.end, sorted(trace.chrome()))  # cta 0 warp 0 True ['displayTimeUnit', 'traceEvents']
        print(str(trace) == trace.text())  # True
        trace.save("timeline.json")  # for ui.perfetto.dev
    """

    dropped = 0
    unit = "logical clock"

    def __repr__(self) -> str:
        tracks = len({e.track for e in self})
        missing = f"; {self.dropped:,} later ones were not kept" if self.dropped else ""
        return f"<Trace: {len(self):,} events of {tracks} tracks{missing}>"

    def __str__(self) -> str:
        if not self:
            return repr(self)
        return self.text() + (f"\n{repr(self)[1:-1]}" if self.dropped else "")

    def text(
        self,
        *,
        window: tuple[float, float] | None = None,
        tracks: Sequence[str] | None = None,
        width: int | None = None,
    ) -> str:
        """The timeline in letters, for a terminal: a row for each warp and unit, time from left to right, and a legend.
        `print(trace)` shows it.

        Args:
            window: (begin, end) on the clock. Default: all.
            tracks: names of the tracks to show, in this order. Default: the first 24.
            width: columns, 40 or more. Default: as many as the terminal has.

        Raises: Diagnostic PTX2501 where there is nothing to show, and for a window, a track or a width that is none.

        Returns: lines of plain characters. Each stands for what goes on most in its piece of time.

        Example:
            def show(report):
                print(report.trace.text(window=(0, 200), width=100))
        """
        from ptxlab.view.letters import timeline_text

        return timeline_text(self, window=window, tracks=tracks, width=width)

    def _repr_html_(self) -> str:
        from ptxlab.diag.html import heading
        from ptxlab.view.inline import timeline

        return heading(repr(self)[1:-1]) + (timeline(self) if self else "")

    def chrome(self) -> dict[str, Any]:
        """The events as Chrome's and Perfetto's trace format has them: a process for each CTA, a thread for each warp and unit.

        One unit of the logical clock becomes a microsecond. `visible` stands among the arguments of a copy.
        """
        processes: dict[str, int] = {}
        threads: dict[str, tuple[int, int]] = {}
        heads: list[dict[str, Any]] = []
        for track in sorted({e.track for e in self}, key=_natural):
            words = track.split(" ")
            owner, name = (" ".join(words[:2]), " ".join(words[2:])) if words[0] == "cta" else (track, track)
            if owner not in processes:
                processes[owner] = len(processes)
                heads.append(_head("process_name", owner, pid=processes[owner]))
            threads[track] = processes[owner], len(threads)
            heads.append(_head("thread_name", name, pid=processes[owner], tid=threads[track][1]))
        return {"traceEvents": heads + [_chrome(e, *threads[e.track]) for e in self], "displayTimeUnit": "ms"}

    def picture(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Draw the timeline: one row for each warp and unit, time from left to right.

        Args:
            path: .svg, readable on white and on black; or .png or .pdf, on a white ground.
            **options: title, subtitle, window=(begin, end) on the clock, tracks=[…] to show, dpi of a .png.

        Raises: Diagnostic PTX2501 where there is nothing to show or the ending is another one, PTX2500 where the place cannot be
            written, PTX2510 for a .png or .pdf where Matplotlib is not installed.

        Returns: the path.

        Example:
            def draw(report):
                report.trace.picture("timeline.svg", title="one CTA", window=(0, 200))
        """
        from ptxlab.view.pictures import timeline_picture

        options.setdefault("unit", self.unit)
        return timeline_picture(self, path, **options)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the timeline to `path`, for ui.perfetto.dev or chrome://tracing; a picture where that ends in .png, .svg or .pdf.
        The file appears whole or not at all.

        Raises: Diagnostic PTX2501 where the name has another ending than these or .json, PTX2500 where the place cannot be
            written, and as `picture`.
        """
        target = Path(path)
        if target.suffix.lower() in PICTURES:
            return self.picture(target)
        check_ending(target)
        try:
            atomic_write(target, [json.dumps(self.chrome(), separators=(",", ":")).encode()])
        except OSError as e:
            raise Diagnostic(
                "PTX2500", f"{target} cannot be written: {e.strerror}.", help="choose another place", origin=user_span()
            ) from None
        return target


def check_ending(path: Path) -> None:
    """Refuse a name that does not say what is written.

    Raises: Diagnostic PTX2501; PTX2510 for a .png or .pdf without Matplotlib.
    """
    from ptxlab.view.figure import need_matplotlib

    if path.suffix.lower() not in (".json", *PICTURES):
        raise Diagnostic(
            "PTX2501",
            f"{path.name} does not end like a timeline.",
            help=f".json for ui.perfetto.dev, {', '.join(PICTURES)} for a picture",
            origin=user_span(),
        )
    need_matplotlib(path)


def _natural(track: str) -> tuple[tuple[int, int, str], ...]:
    """Sorting key: numbers by their value."""
    return tuple((0, int(w), "") if w.isdigit() else (1, 0, w) for w in track.split(" "))


def _head(what: str, name: str, **ids: int) -> dict[str, Any]:
    return {"ph": "M", "name": what, "args": {"name": name}, **ids}


def _chrome(e: TraceEvent, pid: int, tid: int) -> dict[str, Any]:
    if e.kind == NOTED:
        return {
            "ph": "i",
            "s": "t",
            "name": e.name,
            "cat": e.kind,
            "ts": e.begin,
            "pid": pid,
            "tid": tid,
            "args": dict(e.args),
        }
    return {
        "ph": "X", "name": e.name, "cat": e.kind, "ts": e.begin, "dur": e.end - e.begin, "pid": pid, "tid": tid,
        "args": dict(e.args),
    }  # fmt: skip
