"""Recording what whole kernels write."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Final

from ptxlab.conformance.kernels import digests, family, further, packed
from ptxlab.conformance.kernels.cases import Case, cases, tails
from ptxlab.conformance.kernels.digests import Record, digest, write
from ptxlab.conformance.kernels.run import Verdict, gpu, judge
from ptxlab.conformance.kernels.tensors import tensors
from ptxlab.conformance.record.chip import hopper
from ptxlab.diag import Diagnostic

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
    made = Record(**asdict(hopper()), digests={key: found for case in held for key, found in measured(case)})
    write(made, path)
    return made


def measured(case: Case) -> Iterable[tuple[str, str]]:
    """Keys and digests of a case. Raises: Diagnostic PTX2420 where it goes wrong."""
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
        yield case.recorded(kind), digest(first)


def main(name: str, path: Path | None) -> int:
    """Record one of `SETS`, and say what was recorded."""
    place, held = SETS[name]
    made = record(path or place, held())
    print(f"{len(made.digests)} digests in {path or place}: {made.provenance}")
    return 0
