"""Recording what whole kernels write."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from ptxlab.conformance.kernels.cases import cases, tails
from ptxlab.conformance.kernels.digests import Record, digest, write
from ptxlab.conformance.kernels.run import Verdict, gpu, judge
from ptxlab.conformance.kernels.tensors import tensors
from ptxlab.conformance.record.chip import hopper
from ptxlab.diag import Diagnostic


def record(path: Path) -> Record:
    """Run every case on the GPU and write the digests of its output on random inputs.

    A case is recorded only when its integer inputs gave NumPy's bytes on the same GPU, and when two runs agree.

    Raises: Diagnostic PTX2304, PTX2422 without a GPU; PTX2423 where it is no Hopper; PTX2420 where a case goes wrong: nothing is
    written then.
    """
    chip = hopper()
    digests: dict[str, str] = {}
    for case in (*cases(), *tails(), *tensors()):
        outcome = judge(case, "integers", gpu, Record())
        if outcome.verdict is not Verdict.EQUAL:
            raise outcome.error or Diagnostic("PTX2420", f"{case.key} is wrong on the GPU: {outcome.detail}.")
        first, second = (digest(gpu(case, case.arrays("random")).output) for _ in range(2))
        if first != second:
            raise Diagnostic("PTX2420", f"{case.key} gave two results for the same input.")
        digests[case.key] = first
    made = Record(**asdict(chip), digests=digests)
    write(made, path)
    return made


def main(path: Path) -> int:
    """Record, and say what was recorded."""
    made = record(path)
    print(f"{len(made.digests)} digests in {path}: {made.provenance}")
    return 0
