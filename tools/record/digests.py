"""Recording what whole kernels write."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ptxlab.conformance.kernels import digests, further, packed
from ptxlab.conformance.kernels.cases import Case, cases, tails
from ptxlab.conformance.kernels.digests import Record, bands, digest, read, write
from ptxlab.conformance.kernels.run import Verdict, gpu, judge, simulator
from ptxlab.conformance.kernels.tensors import tensors
from ptxlab.conformance.record.chip import hopper
from ptxlab.diag import Diagnostic
from tools.record import family

if TYPE_CHECKING:
    import numpy as np

_H200: Final = Path(__file__).parents[2] / "tests" / "conformance" / "h200"
SETS: Final[dict[str, tuple[Path, Callable[[], list[Case]]]]] = {
    "kernels": (digests.RECORD, lambda: [*cases(), *tails(), *tensors()]),
    "shown": (further.RECORD, lambda: [*further.further(), *packed.shown()]),
    "family": (_H200 / "family.json", family.family),
    "products": (_H200 / "products.json", lambda: [*further.products(), *further.others(), *packed.packed()]),
}
"""Records, and what each holds: those of the package, and what only a checkout is held to."""


def record(path: Path, held: Iterable[Case]) -> Record:
    """Run cases on the GPU and write the digests of their outputs on inputs that are no integers.

    A case is recorded only when its integer inputs gave NumPy's bytes on the same GPU, when two runs agree, and when other outputs
    lie within the bound that float64 allows, where there is one.

    Raises: Diagnostic PTX2304, PTX2422 without a GPU; PTX2423 where it is no Hopper; PTX2420 where a case goes wrong: nothing is
    written then.
    """
    chip = hopper()
    found = {key: output for case in held for key, output in measured(case)}
    made = Record(
        **asdict(chip),
        digests={key: digest(output) for key, output in found.items()},
        bands={key: bands(output) for key, output in found.items()},
    )
    write(made, path)
    return made


def measured(case: Case) -> Iterable[tuple[str, np.ndarray]]:
    """Keys and outputs of a case. Raises: Diagnostic PTX2420 where it goes wrong."""
    if "integers" in case.kinds:
        outcome = judge(case, "integers", gpu, Record())
        if outcome.verdict is not Verdict.EQUAL:
            raise outcome.error or Diagnostic("PTX2420", f"{case.key} is wrong on the GPU: {outcome.detail}.")
    for kind in case.kinds:
        if kind == "integers":
            continue
        first, second = (gpu(case, case.arrays(kind)).output for _ in range(2))
        if digest(first) != digest(second):
            raise Diagnostic("PTX2420", f"{case.key} gave two results for the same input.")
        wrong = case.outside(case.arrays(kind), first) if case.outside else ""
        if wrong:
            raise Diagnostic("PTX2420", f"{case.key} is wrong on the GPU, {kind}: {wrong}.")
        yield case.recorded(kind), first


def with_bands(held: Record, cases: Iterable[Case]) -> Record:
    """A record with the bands that it lacks: those of the simulator's bytes, where they have the recorded digest."""
    made = dict(held.bands)
    for case in cases:
        for kind in case.kinds:
            key = case.recorded(kind)
            if kind == "integers" or key not in held.digests or key in made:
                continue
            output = simulator(case, case.arrays(kind)).output
            if digest(output) == held.digests[key]:
                made[key] = bands(output)
    return replace(held, bands={key: made[key] for key in held.digests if key in made})


def add_bands(name: str) -> int:
    """Give one of `SETS` the bands that it lacks; needs no GPU. Returns 1 where the simulator has other bytes."""
    place, held = SETS[name]
    made = with_bands(read(place), held())
    write(made, place)
    print(f"{place}: {len(made.bands)} of {len(made.digests)} digests have bands")
    return len(made.bands) < len(made.digests)


def main(name: str, path: Path | None) -> int:
    """Record one of `SETS`, and say what was recorded."""
    place, held = SETS[name]
    made = record(path or place, held())
    print(f"{len(made.digests)} digests in {path or place}: {made.provenance}")
    return 0
