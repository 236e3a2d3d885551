"""Every row of the table can be written in the language, and comes out as the instruction that it was."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest

from ptxlab.isa import releases
from ptxlab.isa.bind import bind
from ptxlab.isa.enumerate import NEWEST, Candidate, candidates, verdict
from ptxlab.isa.form import FORMS, Form
from ptxlab.isa.match import attribute_of
from ptxlab.isa.targets import Target
from ptxlab.lang.builder import Builder
from ptxlab.lang.trace.options import Options
from ptxlab.ptx.tree import Instruction

TARGETS = [Target.parse(t) for t in ("sm_90a", "sm_100a", "sm_103a", "sm_120a", "sm_107a")]


def legal(form: Form) -> list[tuple[Candidate, Target]]:
    """A few legal instances in the manual's order of modifiers, the language's only one, with a target that takes them."""
    found: list[tuple[Candidate, Target]] = []
    usual = (
        c
        for c in candidates(form, limit=6)
        if c.why != "with its modifiers in another order"
        and "4294967296" not in c.text  # numbers that lose bits are for parsers
    )
    for made in islice(usual, 30):
        target = next((t for t in TARGETS if verdict(made, t, NEWEST) is None), None)
        if target is not None:
            found.append((made, target))
    return found


def call(made: Candidate, target: Target) -> Instruction:
    """The candidate as a call: operands that are read by position, those that are written by name."""
    k = Builder(Options(target, (128, 1, 1), None, 1, None, "kernel"))
    path: Any = k
    for part in made.opcode.split("."):
        path = getattr(path, attribute_of(part))
    bound = bind(made.opcode, made.operands)
    args: list[Any] = []
    named: dict[str, Any] = {}
    for place in bound.form.places:
        for name in place.names:
            if name not in bound.operands:
                continue
            spec = bound.form.operands[name]
            result = spec.role == "w" and "addr" not in spec.kinds
            if result or place.optional:
                named[name] = bound.operands[name]
            else:
                args.append(bound.operands[name])
    path(*args, **named)
    last = k.items[-1]
    assert isinstance(last, Instruction)
    return last


# Parenthesised lists are not enumerated, and the language has no functions.
WITHOUT_SAMPLES = {f"call.{lists}{way}" for lists in ("args", "ret", "ret.only") for way in ("", ".indirect")}


def newest_takes(form: Form) -> bool:
    """Whether the newest release of ptxas takes the row, which the language writes for."""
    return form.needs.releases is None or form.needs.releases[1] >= releases.NEWEST


@pytest.mark.parametrize("key", [k for k in FORMS if k not in WITHOUT_SAMPLES and newest_takes(FORMS[k])])
def test_it_is_written_as_it_reads(key: str) -> None:
    samples = legal(FORMS[key])
    assert samples, "no legal instance to try"
    for made, target in samples:
        found = call(made, target)
        assert (found.opcode, found.operands) == (made.opcode, made.operands)
        assert found.instance is not None
        assert found.instance.form.key == bind(made.opcode, made.operands).form.key
