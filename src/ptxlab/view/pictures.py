"""Pictures in files: an SVG is readable on white and on black and needs no Matplotlib, others are drawn by it on a white ground."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from ptxlab.layout import TensorMap
from ptxlab.view.figure import need_matplotlib, save, write_svg
from ptxlab.view.tensormap import shown
from ptxlab.view.timeline import Event, Words, arrange, left_out, refused, shown_span

MAX_DPI = 1200


def timeline_picture(
    events: Iterable[Event],
    path: str | os.PathLike[str],
    *,
    title: str = "Timeline of the simulated kernel",
    subtitle: str = "",
    unit: str = "logical clock",
    window: tuple[float, float] | None = None,
    tracks: Sequence[str] | None = None,
    dpi: int = 150,
) -> Path:
    """Draw a trace: one row per track, time from left to right.

    Args:
        events: objects with `track`, `name`, `kind` ("compute", "copy", "wait", "mma", "store"), `begin`, `end`. An event of kind
            "warp" is the life of a warp: what of it no wait covers is shown as "compute".
        path: .svg, readable on white and on black; or .png or .pdf, on a white ground.
        title, subtitle, unit: words above the picture and below its time axis.
        window, tracks: what to show, see `arrange`.
        dpi: pixels per inch of a .png.

    Returns: the path written.

    Raises: Diagnostic PTX2501 where there is nothing to show and for options that cannot be, PTX2500 for a place that cannot
        be written, PTX2510 for a .png or .pdf where Matplotlib is not installed.
    """
    if not isinstance(dpi, int | float) or not 1 <= dpi <= MAX_DPI:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise refused(f"dpi={dpi!r} is no resolution.", f"give 1 to {MAX_DPI} pixels per inch")
    events = list(events)
    rows = arrange(events, window, tracks)
    missing = left_out(events, rows) if tracks is None and window is None else 0
    if missing > 0:
        unit = f"{unit}; {len(rows)} of {len(rows) + missing} tracks, name others with tracks=[…]"
    span = shown_span(rows, window)
    if _is_svg(path):
        from ptxlab.view.timeline_svg import timeline_svg

        return write_svg(path, timeline_svg(rows, span, Words(title, subtitle, unit)))
    need_matplotlib(path)
    from ptxlab.view.timeline_figure import timeline_figure

    return save(timeline_figure(rows, span, Words(title, subtitle, unit)), path, dpi)


def tensor_map_picture(
    m: TensorMap, path: str | os.PathLike[str], *, coordinates: Sequence[int] | None = None, dpi: int = 150
) -> Path:
    """Draw one copy: on the left the rows of the box as they lie in the tensor, on the right shared memory.

    Args:
        m: a legal map.
        path: .svg, readable on white and on black; or .png or .pdf, on a white ground.
        coordinates: of the box's first element, innermost first; default all 0.
        dpi: pixels per inch of a .png.

    Returns: the path written.

    Raises: Diagnostic as `chunks` does; PTX2500, PTX2501 for a place that cannot be written; PTX2510 for a .png or .pdf without
        Matplotlib.
    """
    found = shown(m, coordinates)
    if _is_svg(path):
        from ptxlab.view.tensormap_svg import tensor_map_svg

        return write_svg(path, tensor_map_svg(found))
    need_matplotlib(path)
    from ptxlab.view.tensormap_figure import tensor_map_figure

    return save(tensor_map_figure(found), path, dpi)


def _is_svg(path: str | os.PathLike[str]) -> bool:
    return Path(path).suffix.lower() == ".svg"
