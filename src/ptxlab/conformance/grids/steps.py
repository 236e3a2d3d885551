"""Kernels made of steps, by which grids find out what they know of each other.

Grids share words of global memory. A step sets a word, waits for one that somebody else sets, stores or loads one, or executes
griddepcontrol. A grid that waits for another one gives up after some time, and notes that: this is how an experiment sees that
the other has not begun.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

WORDS: Final = 64
"""Words that grids share."""
SLOTS: Final = 8
"""Answers of a CTA."""
_HEAD: Final = ".version 8.0\n.target sm_90a\n.address_size 64\n"

Kind = Literal["trigger", "wait", "set", "until", "store", "load"]


@dataclass(frozen=True, slots=True)
class Step:
    """What threads of a grid do.

    Attributes:
        kind: trigger: griddepcontrol.launch_dependents. wait: griddepcontrol.wait. set: a release of 1 to a word. until: an acquire
            loop until a word is not 0, or time is over; the answer is whether it was not 0. store: a plain store of 1 to a word.
            load: a plain load of a word, whose value is the answer.
        at: the word. answer: where the answer goes, of the CTA's. thread, cta: who does it; None: all CTAs.
    """

    kind: Kind
    at: int = 0
    answer: int = 0
    thread: int = 0
    cta: int | None = None


def trigger(**who: int) -> Step:
    """The grids that depend on this one may begin."""
    return Step("trigger", **who)  # type: ignore[arg-type]


def wait(**who: int) -> Step:
    """Wait for the grids before."""
    return Step("wait", **who)  # type: ignore[arg-type]


def put(at: int, **who: int) -> Step:
    """Tell others that a grid has come here."""
    return Step("set", at, **who)  # type: ignore[arg-type]


def until(at: int, answer: int, **who: int) -> Step:
    """Wait for what `put` tells, for some time."""
    return Step("until", at, answer, **who)


def store(at: int, **who: int) -> Step:
    """Write a word."""
    return Step("store", at, **who)  # type: ignore[arg-type]


def load(at: int, answer: int, **who: int) -> Step:
    """Read a word."""
    return Step("load", at, answer, **who)


def kernel(steps: tuple[Step, ...]) -> str:
    """The PTX of a kernel `member(words, answers, patience)`. Threads outside of a step go on to the next at once."""
    body = "".join(_text(number, step) for number, step in enumerate(steps))
    return f"""{_HEAD}.visible .entry member(.param .u64 words, .param .u64 answers, .param .u64 patience)
{{
    .reg .u64 w, a, end, now, limit; .reg .u32 t, c, v; .reg .pred p, q;
    ld.param.u64 w, [words];
    ld.param.u64 a, [answers];
    ld.param.u64 limit, [patience];
    mov.u32 t, %tid.x;
    mov.u32 c, %ctaid.x;
    mad.wide.u32 a, c, {4 * SLOTS}, a;
{body}    ret;
}}
"""


def _text(number: int, step: Step) -> str:
    word, answer, over = f"[w+{4 * step.at}]", f"[a+{4 * step.answer}]", f"over{number}"
    whose = f"    setp.ne.u32 p, t, {step.thread};\n    @p bra {over};\n"
    if step.cta is not None:
        whose += f"    setp.ne.u32 p, c, {step.cta};\n    @p bra {over};\n"
    match step.kind:
        case "trigger":
            does = "    griddepcontrol.launch_dependents;\n"
        case "wait":
            does = "    griddepcontrol.wait;\n"
        case "set":
            does = f"    st.release.gpu.global.u32 {word}, 1;\n"
        case "store":
            does = f"    st.global.u32 {word}, 1;\n"
        case "load":
            does = f"    ld.global.u32 v, {word};\n    st.global.u32 {answer}, v;\n"
        case "until":
            does = f"""    mov.u64 now, %globaltimer;
    add.u64 end, now, limit;
again{number}:
    ld.acquire.gpu.global.u32 v, {word};
    mov.u64 now, %globaltimer;
    setp.eq.u32 p, v, 0;
    setp.lt.and.u64 p, now, end, p;
    @p bra again{number};
    st.global.u32 {answer}, v;
"""
    return f"{whose}{does}{over}:\n"
