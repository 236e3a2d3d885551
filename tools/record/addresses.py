"""Recording what addresses of shared memory are, and what launches show."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from ptxlab.abi.cache import atomic_write
from ptxlab.conformance.addresses.probes import PROBES, Probe
from ptxlab.conformance.addresses.run import Answer, differences, gpu_answers, simulated
from ptxlab.conformance.record.chip import Chip, hopper
from ptxlab.diag import Diagnostic


def write(path: Path, chip: Chip, answers: Mapping[str, Answer]) -> None:
    """Write what a GPU answered. Raises: Diagnostic PTX2500 where the place cannot be written."""
    text = json.dumps(asdict(chip) | {"answers": answers}, indent=1) + "\n"
    try:
        atomic_write(path, (text.encode(),))
    except OSError as e:
        raise Diagnostic("PTX2500", f"{path} cannot be written: {e.strerror}.", help="choose another place") from None


def main(path: Path, probes: Mapping[str, Probe] = PROBES) -> int:
    """Record, and say where the simulator answers otherwise: 1 then."""
    chip, answers = hopper(), gpu_answers(probes)
    write(path, chip, answers)
    wrong = differences({name: simulated(probe) for name, probe in probes.items()}, answers)
    print("\n".join(wrong) if wrong else f"{len(answers)} probes: the simulator answers as the GPU does")
    return int(bool(wrong))
