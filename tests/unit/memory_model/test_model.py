"""The model's definitions and axioms: each with a test that it allows and one that it forbids, decided in two ways."""

from __future__ import annotations

import pytest

import ptxlab as px
from ptxlab.memory_model import parse
from ptxlab.memory_model.decision import DECIDERS, decide
from ptxlab.memory_model.examples import EXAMPLES
from ptxlab.memory_model.explain import SECTIONS
from ptxlab.memory_model.model import AXIOMS
from ptxlab.memory_model.relation import Relation


@pytest.mark.parametrize("decider", DECIDERS)
@pytest.mark.parametrize("name", EXAMPLES)
def test_a_rule_separates_its_two_examples(name: str, decider: str) -> None:
    pair = EXAMPLES[name]
    allowed, forbidden = (decide(parse(t), decider=decider) for t in (pair.allowed, pair.forbidden))
    assert allowed.holds, f"{name}: the model forbids what it should allow\n{allowed}"
    assert allowed.witness is not None
    assert forbidden.holds is False, f"{name}: the model allows what it should forbid\n{forbidden}"


def test_every_axiom_has_its_examples_and_its_section() -> None:
    assert set(AXIOMS) <= set(EXAMPLES)
    assert {n: EXAMPLES[n].section for n in AXIOMS} == dict(SECTIONS)


@pytest.mark.parametrize("name", ["atomicity", "sc-per-location", "causality", "coherence"])
def test_the_forbidden_example_breaks_the_axiom_it_is_named_after(name: str) -> None:
    verdict = px.litmus(EXAMPLES[name].forbidden)
    assert verdict.forbidden is not None
    broken = {n for n, axiom in AXIOMS.items() if axiom(verdict.forbidden[0]) is not None}
    assert name in broken


def test_relations() -> None:
    chain = Relation.of(4, [(0, 1), (1, 2), (2, 3)])
    assert set(chain.closure()) == {(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)}
    assert set(chain >> chain) == {(0, 2), (1, 3)}
    assert set(~chain) == {(1, 0), (2, 1), (3, 2)}
    assert chain.acyclic()
    assert chain.cycle() is None
    ring = chain | Relation.of(4, [(3, 1)])
    assert not ring.acyclic()
    assert ring.cycle() == [1, 2, 3, 1]
    assert ring.closure().reflexive() == 1
    assert chain.path(0, 3) == [0, 1, 2, 3]
    assert set(chain.among(0b0011, 0b0100)) == {(1, 2)}
