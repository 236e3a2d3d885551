"""Questions for a phase ahead of time, whose answer only saves a wait: certified; and all that is nearly so, which is not."""

from __future__ import annotations

import re

import numpy as np
import pytest

import ptxlab as px
from sanitizer.peeking import CUTLASS, RING
from tools.certified import Case, kept

SCHEDULES = 40
PEEK = "mbarrier.try_wait.parity.shared::cta.b64 P1, [at], nph;"
LAST = "  ld.shared.u32 v, [at];\n"


def certified(text: str, **options: object) -> px.Certificate:
    args = [np.zeros(32, np.uint32)]
    return px.certify(px.parse(text, "k.ptx")["k"], grid=1, block=64, args=args, lints=False, orders=20, **options)  # type: ignore[arg-type]


def proved(text: str) -> bool:
    """Whether it is certified. What is stopped is not, and what is no PTX is no case."""
    try:
        return bool(certified(text))
    except px.Diagnostic as stop:
        if not stop.code.startswith("PTX9"):
            raise
        return False


@pytest.mark.parametrize("strict", [False, True])
def test_a_ring_that_peeks_is_proved(strict: bool) -> None:
    found = certified(RING, sanitize="strict" if strict else True)
    assert found.proved, str(found)


SAME = {
    "the branch turned round": ("  @p bra READY;\n", "  @!p bra W;\n  bra READY;\nW:\n"),
    "an answer that is negated": (
        "selp.b32 token, 1, 0, P1; }\nLAST",
        "selp.b32 v, 0, 1, P1; xor.b32 token, v, 1; }\nLAST",
    ),
    "a branch on the predicate": ("  @q bra FREE;\nWAIT:", "  not.pred p, q;\n  @p bra WAIT;\n  bra FREE;\nWAIT:"),
    "only computed on the way": ("  @p bra READY;\n", "  @p bra READY;\n  add.u32 at, at, 1;\n"),
}


@pytest.mark.parametrize("name", SAME)
def test_the_same_in_other_words(name: str) -> None:
    before, after = SAME[name]
    assert before in RING
    found = certified(RING.replace(before, after))
    assert found.proved, str(found)


NEARLY = {
    "the mbarrier of the stage before": ("  shl.b32 at, next, 3;\n", "  shl.b32 at, s, 3;\n"),
    "the mbarrier that says empty": (PEEK, PEEK.replace("[at]", "[at+16]")),
    "the parity of the stage before": (PEEK, PEEK.replace("nph", "ph")),
    "the other parity": (PEEK, "xor.b32 v, nph, 1;\n  " + PEEK.replace("nph", "v")),
    "no skips the wait": ("  @p bra READY;\n", "  @!p bra READY;\n"),
    "an answer in the sum": (LAST, LAST + "  add.u32 sum, sum, token;\n"),
    "an answer that is stored": (LAST, LAST + "  st.global.u32 [o+4], token;\n"),
    "an answer in shared memory": (
        LAST, LAST + "  st.shared.u32 [at+4], token;\n  ld.shared.u32 w, [at+4];\n  st.global.u32 [o+4], w;\n",
    ),
    "an answer that guards a load": (LAST, "  setp.ne.s32 p, token, 0;\n  @p ld.shared.u32 v, [at];\n"),
    "only the first answer": (PEEK + "\n  selp.b32 token, 1, 0, P1; }", "}"),
    "an answer of the time before": (
        "selp.b32 token, 1, 0, P1; }\nLAST", "mov.u32 token, w;\n  selp.b32 w, 1, 0, P1; }\nLAST",
    ),
    "data between peek and wait": (
        "  setp.ne.s32 p, token, 0;\n  @p bra READY;\n",
        "  shl.b32 w, s, 3;\n  mov.u32 v, row;\n  add.u32 w, w, v;\n  ld.shared.u32 w, [w];\n"
        "  setp.ne.s32 p, token, 0;\n  @p bra READY;\n",
    ),
    "no wait at all": ("  @P1 bra LAB_DONE;\n  bra LAB_WAIT;\n", ""),
    "a wait for another mbarrier": ("P1, [full], ph;\n  @P1 bra LAB_DONE", "P1, [empty], nph;\n  @P1 bra LAB_DONE"),
    "the way round sets a register": ("  @p bra READY;\n", "  @p bra READY;\n  mov.u32 sum, 0;\n"),
    "a branch that is said to be uniform": ("  @p bra READY;\n", "  @p bra.uni READY;\n"),
    "a store on the way": ("  @p bra READY;\n", "  @p bra READY;\n  st.global.u32 [o+4], i;\n"),
    "a peek that does not acquire": (PEEK, PEEK.replace("parity", "parity.relaxed.cta")),
    "a wait of the cluster": ("LAB_WAIT:\n  mbarrier.try_wait.parity.", "LAB_WAIT:\n  mbarrier.try_wait.parity.acquire.cluster."),
    "in front of the mbarriers": (
        "  bar.sync 0;\n", "  mbarrier.try_wait.parity.shared::cta.b64 q, [bars+8], 0;\n  bar.sync 0;\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NEARLY)
def test_what_is_nearly_a_peek_is_not_proved(name: str) -> None:
    before, after = NEARLY[name]
    assert before in RING
    assert not proved(RING.replace(before, after))


def without(text: str, number: int) -> str:
    lines = list(text.split("\n"))
    lines[number] = re.sub(r"[a-z@][^;{}]*;", "", lines[number])
    return "\n".join(lines)


def numbers(text: str) -> list[int]:
    """Of the lines with an instruction."""
    return [
        i
        for i, line in enumerate(text.split("\n"))
        if re.match(r"\s+[{@a-z}]", line) and ";" in line and ".reg" not in line
    ]


def launch() -> dict[str, object]:
    return {"grid": 1, "block": 64, "args": [np.zeros(32, np.uint32)]}


@pytest.mark.parametrize("number", numbers(RING))
def test_no_certificate_breaks_without_a_line(number: int) -> None:
    _, wrong = kept(Case(f"without line {number}", without(RING, number), launch, strict=True), SCHEDULES)
    assert not wrong


def test_pipelines_of_cutlass_are_proved() -> None:
    assert proved(CUTLASS)
    assert sum(CUTLASS.count(f"{name}.parity") for name in ("test_wait", "try_wait")) == 5


@pytest.mark.parametrize("number", numbers(CUTLASS)[::7])
def test_no_certificate_of_cutlass_breaks_without_a_line(number: int) -> None:
    _, wrong = kept(Case(f"without line {number}", without(CUTLASS, number), launch, strict=True), SCHEDULES // 2)
    assert not wrong


def test_a_peek_is_not_the_wait_itself() -> None:
    """A ring that waits by one peek alone, and goes on either way."""
    found = certified(RING.replace("  @q bra FREE;\nWAIT:", "  bra FREE;\nWAIT:"))
    assert not found.proved
