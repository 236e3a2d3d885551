"""Mistakes made in right kernels one by one: modulo primes each is told from the reference, or changes no formula."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.launch.kernel import kernel_of
from ptxlab.verification.spec import LAUNCHED, drawn_sizes
from unit.verification import flash
from unit.verification.corpus.every import HONEST
from unit.verification.mutants import Mutant, mutants

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
    """The verdict; "illegal" for what is no PTX, "same" for what is equal as an expression and in numbers."""
    try:
        found = px.verify(
            one.kernel(mutant.text), one.reference, one.spec, seed=11, max_instructions=1 << 22, seconds=60
        )
    except px.Diagnostic:
        return "illegal"
    if found.verdict != "equal":
        return found.verdict
    for seed in range(TRIALS):
        for mine, other in zip(ran(one, one.text, seed), ran(one, mutant.text, seed), strict=True):
            np.testing.assert_allclose(other, mine, rtol=2e-2, atol=1e-3, err_msg=f"accepted: {mutant.what}")
    return "same"


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
    told = counts.total() - counts["same"] - counts["illegal"]
    assert told >= 24, counts  # in all of them over 200
    assert counts["wrong"] >= 12, counts
    assert counts["same"] <= EACH // 3, counts
