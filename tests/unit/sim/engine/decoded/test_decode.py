"""Decoding looks at the first instruction of each kind in full: the others must become what they would have become so."""

from __future__ import annotations

from collections.abc import Iterator

import ptxlab as px
import ptxlab.isa
import ptxlab.sim.families.meanings
import ptxlab.sim.families.units
from ptxlab.bench.sim import start as sim_start
from ptxlab.isa.form import FORMS
from ptxlab.isa.terms import Op as Value
from ptxlab.isa.terms import Term
from ptxlab.ptx.program import Op, Program
from ptxlab.sim.engine.compiled.registry import MEANINGS
from ptxlab.sim.engine.decoded.decode import _Decoder, image_of

from ...instances import instances

PER_ROW = 6


def within(term: Term) -> Iterator[Term]:
    yield term
    for part in vars(term).values():
        for inner in part if isinstance(part, (list, tuple)) else [part]:
            if isinstance(inner, Term):
                yield from within(inner)


def test_no_type_or_space_hangs_on_the_value_of_an_operand() -> None:
    terms = [
        t
        for form in FORMS.values()
        for spec in form.operands.values()
        for t in (spec.type, spec.space)
        if t is not None
    ]
    assert len(terms) > 1000
    assert not [str(t) for t in terms if any(isinstance(part, Value) for part in within(t))]


def test_a_kind_that_was_met_gives_the_record_of_the_row() -> None:
    known: dict[object, object] = {}
    for key in sorted(set(MEANINGS) & set(FORMS)):
        for inst, registers in instances(FORMS[key], PER_ROW):
            program = Program(
                "k", None, None, registers=registers, ops=[Op(inst)], labels={"L": 0}, targets={"L": ("L", "L")}
            )  # type: ignore[arg-type]
            decoder = _Decoder(program)
            decoder._place_registers()
            decoder._kinds = known  # type: ignore[assignment]
            assert decoder._op(program.ops[0]) == decoder._first(program.ops[0]), inst.text()
            assert decoder._op(program.ops[0]) == decoder._first(program.ops[0]), inst.text()
    assert len(known) > 500


def test_a_program_decodes_to_the_same_words_without_kinds(monkeypatch) -> None:
    text = sim_start._long(20)
    quick = image_of(px.parse(text)["long"].program)
    monkeypatch.setattr(_Decoder, "_kind", lambda *_: None)
    full = image_of(px.parse(text)["long"].program)
    assert len(quick.words) > 600
    assert (quick.words == full.words).all()
    assert quick.starts == full.starts
    assert quick.handlers == full.handlers
