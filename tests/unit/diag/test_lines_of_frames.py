"""The line of a frame, in code however long, without going through its table again and again."""

from __future__ import annotations

from types import FrameType

from ptxlab.diag import span


def test_lines_of_a_long_program() -> None:
    """What Python says."""
    told: list[tuple[int, int]] = []

    def here() -> None:
        frame: FrameType = span.frame_at(1)
        told.append((span.line_of(frame), frame.f_lineno))

    calls = "here()\n\nhere(\n)\nfor _ in range(2):\n    here()\n" * 500
    exec(compile(calls, "program.py", "exec"), {"here": here})
    assert len(told) == 2000
    assert all(ours == python for ours, python in told)


def test_tables_are_few() -> None:
    def here() -> None:
        span.line_of(span.frame_at(1))

    for i in range(30):
        exec(compile("here()\n" * 2000, f"program{i}.py", "exec"), {"here": here})
    assert len(span._tables) <= span._MOST_TABLES
