"""What a candidate of the corpus is."""

# pyright: reportAttributeAccessIssue=false

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import ptxlab as px

EQUAL = frozenset({"equal"})
WRONG = frozenset({"wrong"})


@dataclass(frozen=True)
class Entry:
    """A candidate, and what px.verify is to say of it.

    Attributes:
        name: of its own. candidate, reference, spec: as px.verify takes them.
        verdicts: those that are right. runs: inputs that are drawn.
    """

    name: str
    candidate: Any
    reference: Callable[..., Any]
    spec: px.Spec
    verdicts: frozenset[str] = EQUAL
    runs: int = 5
    options: dict[str, Any] = field(default_factory=dict[str, Any])

    def judged(self, seed: int | None = None) -> px.Verification:
        """What px.verify says of it."""
        options = {"runs": self.runs, "seconds": 600, **self.options}  # however busy the machine is
        return px.verify(self.candidate, self.reference, self.spec, seed=seed, **options)


def rows(n: int, per: int = 128) -> int:
    """CTAs that n elements take."""
    return -(-n // per)


def flat(dtype: Any, out: Any = None, sizes: Any = range(1, 400), inputs: int = 1, **given: Any) -> px.Spec:
    """Arrays of n elements, one element a thread, 128 a CTA; the options of px.Spec, and those of px.Input."""
    named = ("accuracy", "rtol", "atol", "nan", "deterministic", "products")
    options = {name: given.pop(name) for name in named if name in given}

    def case(n: int) -> px.Case:
        arrays = [px.Input(dtype, n, **given) for _ in range(inputs)]
        return px.case([*arrays, px.Output(out or dtype, n), n], grid=rows(n))

    return px.Spec(case, {"n": sizes}, **options)


def one_hot(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """Zeros, and a one in each row."""
    out = np.zeros(shape)
    out[np.arange(shape[0]), rng.integers(0, shape[1], shape[0])] = 1
    return out
