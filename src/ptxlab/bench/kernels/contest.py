"""The contenders of one line: their calls on several sets of inputs, and who could not take part, and why."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Final

from ptxlab.bench.kernels.timing import Call
from ptxlab.bench.kernels.works import Shape, Work
from ptxlab.diag import Diagnostic

TOLERANCE: Final = {2: 4e-3, 1: 8e-3}
"""Relative error in the Frobenius norm that two results of the same product may have, by the bytes of an element."""
_CACHED: Final = 120e6
"""Bytes of all sets together, so that little of a set is in the L2 cache when its turn comes."""
_SETS: Final = (2, 8)


class NotThere(Exception):
    """A contender that cannot take part; the words say why."""


@dataclass(slots=True)
class Contest:
    """Who takes part.

    Attributes:
        ours, peers: by name, one call for each set of inputs. beside: further ones of ours that others are compared with, such as
            one product of equal work.
        scale: operations of a contender in relation to those of the line, where they differ. missing: why others do not take part.
    """

    ours: dict[str, list[Call]] = field(default_factory=dict[str, list[Call]])
    peers: dict[str, list[Call]] = field(default_factory=dict[str, list[Call]])
    beside: dict[str, list[Call]] = field(default_factory=dict[str, list[Call]])
    scale: dict[str, float] = field(default_factory=dict[str, float])
    missing: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def everyone(self) -> dict[str, list[Call]]:
        """All that are timed."""
        return {**self.ours, **self.peers, **self.beside}


def sets_of(work: Work) -> int:
    """How many sets of inputs calls take in turn."""
    least, most = _SETS
    return max(least, min(most, math.ceil(_CACHED / work.bytes)))


def add(into: dict[str, list[Call]], missing: dict[str, str], name: str, made: Callable[[], Call]) -> None:
    """Let a contender take part with one more set, or note why it cannot."""
    if name in missing:
        return
    try:
        call = made()
        call()
    except NotThere as why:
        missing[name] = str(why)
    except Diagnostic as d:
        missing[name] = f"{d.code}: {d.message}"
    except Exception as wrong:  # whatever a peer raises is that peer's
        missing[name] = f"{type(wrong).__name__}: {str(wrong).splitlines()[0] if str(wrong) else ''}"
    else:
        into.setdefault(name, []).append(call)
        return
    into.pop(name, None)


@dataclass(frozen=True, slots=True)
class Inputs:
    """Random inputs on a GPU, drawn from one seed. On the CPU a test has the same lines, small."""

    torch: ModuleType
    generator: Any
    device: str = "cuda"

    @classmethod
    def seeded(cls, torch: ModuleType, seed: int = 0, device: str = "cuda") -> Inputs:
        """From a seed."""
        return cls(torch, torch.Generator(device=device).manual_seed(seed), device)

    def normal(self, *shape: int, dtype: str = "bfloat16") -> Any:
        """Standard normal numbers."""
        drawn = self.torch.randn(*shape, device=self.device, generator=self.generator)
        return drawn.to(getattr(self.torch, dtype))

    def room(self, *shape: int, dtype: str = "bfloat16") -> Any:
        """Memory for a result: NaN until it is written."""
        return self.torch.full(shape, float("nan"), device=self.device, dtype=getattr(self.torch, dtype))


def wrong(torch: ModuleType, found: Any, wanted: Any, tolerance: float) -> float | None:
    """The relative error of a result where it is too large; None where it is right. NaN is too large."""
    if found.is_cuda:
        torch.cuda.synchronize()
    exact = wanted.float()
    error = float((found.float() - exact).norm() / exact.norm())
    return None if error <= tolerance else error


def check(torch: ModuleType, name: str, work: Work, found: Any, wanted: Any, *, tolerance: float | None = None) -> None:
    """Raise Diagnostic PTX2420 where our result is wrong: a wrong kernel is not timed. tolerance: default: that of products."""
    error = wrong(torch, found, wanted, TOLERANCE[work.size] if tolerance is None else tolerance)
    if error is not None:
        raise Diagnostic(
            "PTX2420",
            f"{name}: {work.name} is wrong, relative error {error:.2g}.",
            help="run `ptxlab demo --on gpu`",
        )


def equal_work(work: Work) -> Shape:
    """One product of about as many operations as a grouped line has: N and K of the largest, rows enough."""
    _, n, k = max(work.shapes, key=lambda s: s[1] * s[2])
    return max(1, round(work.operations / (2.0 * n * k))), n, k
