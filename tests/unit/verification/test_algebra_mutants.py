"""Mistakes made in right kernels one by one: modulo primes each is told from the reference, or it is proved to be equal.

Equal is what computes the same expressions, whatever arithmetic does (`terms`), and so leaves the same bits for all inputs; or what
is another formula of the same value, by the bound of the comparison modulo primes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.launch.kernel import kernel_of
from ptxlab.verification.algebraic import CASES
from ptxlab.verification.spec import LAUNCHED, drawn_sizes
from unit.verification import flash
from unit.verification.corpus.every import HONEST
from unit.verification.mutants import Mutant, mutants
from unit.verification.terms import Unsaid, as_terms, same_expressions

ENTRIES = {entry.name: entry for entry in HONEST}
KERNELS = (
    "flash", "attention_online", "softmax_online", "layer_norm", "rms_norm", "sum_cta", "gelu", "convolve_2d", "mma_bf16",
)  # fmt: skip
EACH = 44
TRIALS = 3
"""Ordinary inputs, on which a mutant that is equal has to do what the kernel does."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A kernel as text, its reference and spec."""

    name: str
    text: str
    reference: Callable[..., Any]
    spec: px.Spec

    def kernel(self, text: str) -> px.Kernel:
        return px.parse(text)[self.name]


@lru_cache(maxsize=len(KERNELS))
def subject(name: str) -> Subject:
    if name == "flash":
        kernel, reference, spec = flash.flash, flash.attended, flash.spec(32, 48)
    else:
        entry = ENTRIES[name]
        kernel, reference, spec = entry.candidate, entry.reference, entry.spec
    _, case = drawn_sizes(spec, np.random.default_rng(0), 0)
    constants = {key: value for key, value in case.launch.items() if key not in LAUNCHED}
    built = kernel_of(kernel).entry(**constants)

    def without_constants(**sizes: int) -> px.Case | None:
        found = spec.case(**sizes)
        if found is None:
            return None
        return px.case(found.args, **{key: value for key, value in found.launch.items() if key in LAUNCHED})

    made = replace(spec, case=without_constants, algebraic="only")
    return Subject(kernel.name, str(built.program.module), reference, made)


def chosen(one: Subject) -> list[Mutant]:
    """Some of its mutants, spread over the whole program."""
    every = list(mutants(one.text))
    picks = np.random.default_rng(7).permutation(len(every))[:EACH]
    return [every[i] for i in sorted(picks)]


def ran(one: Subject, text: str, seed: int) -> list[Any]:
    """What it leaves on ordinary inputs."""
    rng = np.random.default_rng(seed)
    _, case = drawn_sizes(one.spec, rng, 2)
    args: list[Any] = []
    for arg in case.args:
        if isinstance(arg, px.Input):
            args.append(rng.normal(size=arg.extents).astype(arg.elements))
        else:
            args.append(np.zeros(arg.extents, arg.elements) if isinstance(arg, px.Output) else arg)
    px.simulate(one.kernel(text), args=args, **case.launch)
    return [a.astype(np.float64) for a, arg in zip(args, case.args, strict=True) if isinstance(arg, px.Output)]


def judged(one: Subject, mutant: Mutant) -> str:
    """The verdict; "illegal" for what is no PTX; and of what is equal, by which proof: "same expression" or "same value"."""
    try:
        found = px.verify(
            one.kernel(mutant.text), one.reference, one.spec, seed=11, max_instructions=1 << 22, seconds=60
        )
    except px.Diagnostic:
        return "illegal"
    if found.verdict != "equal":
        return found.verdict
    if all(same_expressions((one.text, mutant.text), one.name, case, 3).equal for case in cases(one)):
        return "same expression"
    assert found.algebra is not None
    assert found.algebra.probability <= 2.0**-40
    for seed in range(TRIALS):
        for mine, other in zip(ran(one, one.text, seed), ran(one, mutant.text, seed), strict=True):
            np.testing.assert_allclose(other, mine, rtol=2e-2, atol=1e-3, err_msg=f"accepted: {mutant.what}")
    return "same value"


def cases(one: Subject) -> Iterator[px.Case]:
    """The sizes at which the judge compares expressions."""
    for turn in CASES if one.spec.sizes else CASES[:1]:
        yield drawn_sizes(one.spec, np.random.default_rng(turn), turn)[1]


EQUAL = {
    "attention_online": (0, 6), "softmax_online": (1, 5), "layer_norm": (3, 1), "rms_norm": (4, 2), "sum_cta": (7, 3),
    "convolve_2d": (1, 0), "mma_bf16": (2, 0),
}  # fmt: skip
"""How many mutants compute the same expressions, and how many another one of the same value."""


@pytest.mark.parametrize("name", KERNELS)
def test_mistakes_are_told_from_the_reference(name: str) -> None:
    one = subject(name)
    unmutated = px.verify(one.kernel(one.text), one.reference, one.spec, seed=11)
    assert unmutated, str(unmutated)
    counts: Counter[str] = Counter()
    for mutant in chosen(one):
        verdict = judged(one, mutant)
        counts[verdict] += 1
        assert verdict != "inconclusive", mutant.what
    equal = counts["same expression"], counts["same value"]
    assert equal == EQUAL.get(name, (0, 0)), counts
    assert counts.total() - sum(equal) - counts["illegal"] >= 24, counts  # in all of them over 200
    assert counts["wrong"] >= 12, counts


def test_another_order_of_operations_is_another_expression() -> None:
    one = subject("sum_cta")
    case = next(cases(one))

    def same(before: str, after: str) -> bool:
        assert before in one.text
        return same_expressions((one.text, one.text.replace(before, after)), one.name, case, 1).equal

    assert same("add.rn.f32 %f6, %f5, %r4;", "add.rn.f32 %f6, %r4, %f5;")
    assert not same("bfly.b32 %r1, %f2, 8", "bfly.b32 %r1, %f2, 9")
    assert not same(".rn.", ".rz.")


@pytest.mark.parametrize(
    "line",
    [
        "setp.lt.f32 %p0, %f1, %f2;",
        "cvt.rni.s32.f32 %r0, %f1;",
        ".reg .f64 %d<3>;\nadd.f64 %d0, %d1, %d2;",
        "{ neg.f32 %f1, %f2; }",
    ],
)
def test_what_decides_by_numbers_is_no_expression(line: str) -> None:
    before, ret, after = subject("sum_cta").text.rpartition("    ret;")
    with pytest.raises(Unsaid):
        as_terms(f"{before}{line}\n{ret}{after}")
