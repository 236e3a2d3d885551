"""Loops: those that are counted are turned to their end; what rests on a bound is unknown."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import ptxlab as px
from ptxlab.cli import app
from ptxlab.memory_model import Verdict
from ptxlab.memory_model.loops import MOST_COUNTED, TURNS

COUNTED = """PTX counted
{{ x = 0; }}
P0@cta 0,gpu 0         | P1@cta 1,gpu 0       ;
mov r0, 0              | ld.relaxed.gpu r1, x ;
L0:                    |                      ;
add r0, r0, 1          |                      ;
st.relaxed.gpu x, r0   |                      ;
bne r0, {count}, L0    |                      ;
{question}
"""
# How often P0 turns its loop is P1's to say.
READING = """PTX reading
{{ x = 0; y = 0; }}
P0@cta 0,gpu 0            | P1@cta 1,gpu 0       ;
mov r0, 0                 | st.relaxed.gpu y, 1  ;
L0:                       | ld.relaxed.gpu r1, x ;
add r0, r0, 1             |                      ;
st.relaxed.gpu x, r0      |                      ;
ld.relaxed.gpu r2, y      |                      ;
bne r2, 1, L0             |                      ;
{question}
"""


def verdict(text: str, **words: object) -> Verdict:
    return px.litmus(text.format(**words))


@pytest.mark.parametrize("count", [1, 2, 3, 4, 8, 40])
def test_a_counted_loop_is_turned_to_its_end(count: int) -> None:
    last = verdict(COUNTED, count=count, question=f"exists (P1:r1 == {count})")
    assert (last.holds, last.reachable, last.unknown, last.bounds) == (True, True, (), ())
    assert len(last.outcomes) == count + 1
    beyond = verdict(COUNTED, count=count, question=f"exists (P1:r1 == {count + 1})")
    assert (beyond.holds, beyond.reachable, beyond.race, beyond.hang, beyond.unknown) == (False, False, None, None, ())


def test_nested_loops_that_are_counted() -> None:
    text = """PTX nested
    { x = 0; }
    P0@cta 0,gpu 0         | P1@cta 1,gpu 0       ;
    mov r0, 0              | ld.relaxed.gpu r1, x ;
    L0:                    |                      ;
    mov r2, 0              |                      ;
    L1:                    |                      ;
    add r2, r2, 1          |                      ;
    mul r3, r0, 4          |                      ;
    add r3, r3, r2         |                      ;
    st.relaxed.gpu x, r3   |                      ;
    bne r2, 4, L1          |                      ;
    add r0, r0, 1          |                      ;
    bne r0, 4, L0          |                      ;
    exists (P1:r1 == 16)
    """
    found = px.litmus(text)
    assert (found.holds, found.unknown, len(found.outcomes)) == (True, (), 17)


def test_a_count_beyond_the_bound_is_unknown() -> None:
    found = verdict(COUNTED, count=MOST_COUNTED + 10, question=f"exists (P1:r1 == {MOST_COUNTED + 9})")
    assert (found.holds, found.reachable) == (None, None)
    assert found.unknown == ("answer", "race", "hang")


@pytest.mark.parametrize(
    ("question", "holds"),
    [
        (f"exists (P1:r1 == {TURNS + 5})", None),
        (f"~exists (P1:r1 == {TURNS + 5})", None),
        ("forall (P1:r1 != 100)", None),
        ("exists (P1:r1 == 1)", True),
        ("~exists (P1:r1 == 1)", False),
        ("forall (P1:r1 == 0)", False),
    ],
)
def test_what_rests_on_a_bound_is_unknown(question: str, holds: bool | None) -> None:
    found = verdict(READING, question=question)
    assert found.holds is holds
    assert found.reachable is (None if holds is None and "forall" not in question else True)
    assert ("answer" in found.unknown) is (holds is None)
    assert "race" in found.unknown
    assert found.bounds
    assert "none found" in str(found)
    assert found.settled is None


def test_the_command_says_so(tmp_path: Path) -> None:
    def status(text: str) -> tuple[int, str]:
        file = tmp_path / "one.litmus"
        file.write_text(text)
        done = CliRunner().invoke(app, ["litmus", "--brief", str(file)])
        return done.exit_code, done.output.removeprefix(f"{file}: ")

    beyond = status(READING.format(question=f"exists (P1:r1 == {TURNS + 5})"))
    assert beyond[0] == 1
    assert "unknown: exists" in beyond[1]
    assert "unknown: race, hang" in beyond[1]
    ended = COUNTED.format(count=5, question="{}")
    assert status(ended.replace("{}", "exists (P1:r1 == 5)")) == (0, "counted: allowed: exists P1:r1 == 5\n")
    assert status(ended.replace("{}", "~exists (P1:r1 == 5)"))[0] == 1
    assert status(ended.replace("{}", "forall (P1:r1 == 5)"))[0] == 1
    assert status(ended.replace("{}", "forall (P1:r1 != 6)"))[0] == 0
