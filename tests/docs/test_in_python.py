"""Each entry of the reference of instructions has a call in Python, and each of these calls writes that instruction."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import ptxlab as px
from ptxlab.isa import FAMILIES
from ptxlab.isa.bind import bind
from ptxlab.isa.enumerate import Candidate, example
from ptxlab.isa.form import FORMS, Form
from ptxlab.isa.operands import Addr, Imm, Operand, Reg, Vec
from ptxlab.reference.in_python import COORDINATES, coordinates_of, in_python, only_in_ptx

CLASSES = {
    "p": "pred",
    "bb": "b8",
    "h": "b16",
    "uh": "u16",
    "sh": "s16",
    "fh": "f16",
    "r": "b32",
    "ur": "u32",
    "sr": "s32",
    "f": "f32",
    "rd": "b64",
    "ud": "u64",
    "sd": "s64",
    "fd": "f64",
    "q": "b128",
}
"""What registers of examples are called, and their types."""


def value(k: px.Builder, operand: Operand) -> Any:
    """A value that suits an operand."""
    if isinstance(operand, Vec):
        return [value(k, item) for item in operand.items]
    if isinstance(operand, Imm):
        return operand.value
    register = operand.base if isinstance(operand, Addr) else operand
    found = re.match(r"!?%([a-z]+)\d", str(register))
    if found is None or (not isinstance(register, Reg) and not str(operand).startswith("!")):
        label = k.label("there")
        k.place(label)
        return label
    return k.reg(getattr(px, CLASSES[found[1]]))


def names(k: px.Builder, form: Form, candidate: Candidate) -> dict[str, Any]:
    """What the call of an example names."""
    out: dict[str, Any] = {"k": k}
    for name, operand in bind(candidate.opcode, candidate.operands).operands.items():
        made = out[name] = value(k, operand)
        if isinstance(made, list):
            out |= {f"{name}{i}": one for i, one in enumerate(made)}
            out |= dict(zip(COORDINATES, made, strict=False)) if name in coordinates_of(form) else {}
    return out


def kernel_of(form: Form, candidate: Candidate) -> Callable[[px.Builder], None]:
    """A kernel that makes the call."""

    def body(k: px.Builder) -> None:
        exec(in_python(candidate), names(k, form, candidate))

    return body


@pytest.mark.parametrize("family", FAMILIES)
def test_each_call_writes_its_instruction(family: str) -> None:
    wrong: list[str] = []
    for form in [f for f in FORMS.values() if f.family == family]:
        found = example(form)
        if found is None or only_in_ptx(found[0]) is not None:
            continue
        candidate, target = found
        line = in_python(candidate)
        try:
            text = px.kernel(threads=128, target=target, cluster=1)(kernel_of(form, candidate)).ptx
        except px.Diagnostic as d:
            wrong.append(f"{form.key}: {line}: {d.code} {d.message}")
            continue
        if not any(part.strip().startswith(candidate.opcode) for part in text.splitlines()):
            wrong.append(f"{form.key}: {line} writes no {candidate.opcode}")
    assert wrong == []


def test_few_are_left_to_ptx() -> None:
    examples = {f.key: found[0] for f in FORMS.values() if (found := example(f)) is not None}
    left = [key for key, candidate in examples.items() if only_in_ptx(candidate) is not None]
    assert len(left) <= 28, left
    assert not any(
        FORMS[key].family in ("tensor", "mbarrier", "wgmma", "mma") and "%bb" not in examples[key].text for key in left
    )
