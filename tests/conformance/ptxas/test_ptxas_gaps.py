"""White space and comments against ptxas: where one may stand, and where not."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator

import oracle
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic, Severity
from ptxlab.isa.enumerate import candidates, example, verdict
from ptxlab.isa.form import FORMS, Form
from ptxlab.isa.targets import Target
from ptxlab.ptx.inseparable import INSEPARABLE

_REASON = oracle.why_not()
pytestmark = [pytest.mark.ptxas, pytest.mark.skipif(_REASON is not None, reason=_REASON or "")]
FULL = os.environ.get("PTXLAB_ORACLE") == "full"
_OPCODES = 10  # of a row, in full; else one
_PLACES = 4000 if FULL else 120


def _opcodes(form: Form) -> Iterator[tuple[str, str, str]]:
    """A target, an opcode of the row, and an instruction with it that is legal there."""
    found = example(form)
    if found is None:
        return
    first, target = found
    if verdict(first, Target.parse(target), oracle.newest(), oracle.release()) is not None:
        return  # this release does not have it
    seen = {first.opcode}
    yield target, first.opcode, first.text
    for other in candidates(form, limit=_OPCODES) if FULL else ():
        if (
            "order" not in other.why
            and other.opcode not in seen
            and verdict(other, Target.parse(target), oracle.newest(), oracle.release()) is None
        ):
            seen.add(other.opcode)
            yield target, other.opcode, other.text


def test_modifiers_that_may_stand_apart() -> None:
    tried: dict[str, list[tuple[str, str]]] = {}
    for form in FORMS.values():
        for target, opcode, text in _opcodes(form):
            parts = opcode.split(".")
            for i in range(1, len(parts)):
                head, tail = ".".join(parts[:i]), ".".join(parts[i:])
                tried.setdefault(target, []).append((f"{head}.{parts[i]}", text.replace(opcode, f"{head} .{tail}", 1)))
    differ: list[str] = []
    for target, places in tried.items():
        verdicts = oracle.judge([text for _, text in places], target=target, ptx=oracle.newest())
        for (word, text), said in zip(places, verdicts, strict=True):
            if (said is None) == (word in INSEPARABLE):
                differ.append(text)
    assert sum(map(len, tried.values())) > 1000
    assert differ == []


STATEMENTS = """
mov.u32 %r1, %tid.x;
@%p1 bra L;
@!%p1 bra.uni L;
ld.shared.v4.u32 {%r1,%r2,%r3,%r4}, [sh+16];
ld.global.L1::no_allocate.u32 %r1, [%rd1+-4];
st.shared::cta.u32 [%r1+0x10], 5U;
setp.eq.and.s32 %p1|%p2, %r1, -1, !%p1;
mov.b64 {%r1,_}, %rd1;
fma.rn.f32 %f1, %f2, -1.5e-3, 0f3F800000;
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];
{ .reg .v2 .b32 v<2>; .shared .align 4 .b8 t[4]; .reg .v4 .b32 w; mov.u32 w.y, 1?2:3; }
mul.wide.u32 %rd1, %r1, (1+2)*3<<4;
shfl.sync.bfly.b32 %r1|%p1, %r2, 16, 31, -1;
mov.f32 %f1, -.5;
""".strip().splitlines()


def _spellings() -> list[str]:
    """One gap more, or one less, in one place of one statement."""
    out: list[str] = []
    for text in STATEMENTS:
        for i in range(1, len(text)):
            out += [text[:i] + gap + text[i:] for gap in (" ", "/**/")]
            out += [text[:i] + text[i + 1 :]] if text[i] == " " else []
    return out if len(out) <= _PLACES else random.Random(0).sample(out, _PLACES)


def _takes(text: str) -> bool:
    module = "\n".join([*oracle.prelude("sm_90a", (9, 1)), oracle.kernel("k", text)]) + "\n"
    try:
        return not any(d.severity is Severity.ERROR for d in px.check(module, lints=False))
    except Diagnostic:
        return False


def test_a_gap_in_any_place() -> None:
    tried = [*STATEMENTS, *_spellings()]
    told = oracle.judge(tried)
    assert told[: len(STATEMENTS)] == [None] * len(STATEMENTS)
    assert 0.3 < sum(said is None for said in told) / len(told) < 0.9
    assert [text for text, said in zip(tried, told, strict=True) if (said is None) != _takes(text)] == []
