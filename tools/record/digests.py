"""`python -m tools.record.digests`: record on an H100 what its kernels write; the simulator is held to that from then on."""

from __future__ import annotations

import sys
from pathlib import Path

from ptxlab.conformance.kernels.cases import cases, tails
from ptxlab.conformance.kernels.digests import RECORD, Record, digest, write
from ptxlab.conformance.kernels.run import Verdict, gpu, judge
from ptxlab.conformance.kernels.tensors import tensors
from ptxlab.conformance.record.chip import assembler
from ptxlab.diag import Diagnostic


def record_digests(path: Path = RECORD) -> Record:
    """Run every case on the GPU and write the digests of its output on random inputs.

    A case is recorded only when its integer inputs gave NumPy's bytes on the same GPU, and when two runs agree.

    Raises: Diagnostic PTX2304, PTX2422 without a GPU; PTX2420 where a case goes wrong: nothing is written then.
    """
    from ptxlab.bench import machine
    from ptxlab.cuda.driver import device

    found = device()
    if found.capability != (9, 0):
        raise Diagnostic(
            "PTX2423", f"Digests are recorded on Hopper; this is a {found.name}.", help="use an H100 or H200"
        )
    digests: dict[str, str] = {}
    for case in (*cases(), *tails(), *tensors()):
        outcome = judge(case, "integers", gpu, Record())
        if outcome.verdict is not Verdict.EQUAL:
            raise outcome.error or Diagnostic("PTX2420", f"{case.key} is wrong on the GPU: {outcome.detail}.")
        first, second = (digest(gpu(case, case.arrays("random")).output) for _ in range(2))
        if first != second:
            raise Diagnostic("PTX2420", f"{case.key} gave two results for the same input.")
        digests[case.key] = first
    made = Record(
        gpu=found.name,
        driver=machine.gpu().get("driver_version", "unknown"),
        cuda=".".join(map(str, found.driver)),
        ptxas=assembler(),
        date=machine.today(),
        digests=digests,
    )
    write(made, path)
    return made


def main() -> int:
    """Record, and say what was recorded."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else RECORD
    try:
        made = record_digests(path)
    except Diagnostic as d:
        print(d, file=sys.stderr)
        return 1
    print(f"{len(made.digests)} digests in {path}: {made.provenance}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
