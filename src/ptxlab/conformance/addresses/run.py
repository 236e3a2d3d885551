"""What addresses of shared memory are: small kernels that ask, and the comparison of an H100's answers with the simulator's.

`python -m ptxlab.conformance.addresses.run` compares on the GPU of this machine; with `record FILE` it writes down what the GPU
answered as well. A probe may stop with a fault, which takes the process's GPU context with it, so probes run in processes
of their own: one after the other until one fails, then a new process for the rest.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ptxlab.conformance.addresses.probes import PROBES, Probe
from ptxlab.diag import Diagnostic

if TYPE_CHECKING:
    import numpy as np

FAULT: Final = "fault"
"""The answer of a probe that stops with an error."""
HANG: Final = "hang"
"""The answer of one that does not end."""
Answer = dict[str, list[Any]] | str
"""For each label its value in every CTA, by rank; FAULT or HANG."""
_PATIENCE: Final = 120
"""Seconds that a process may take for the probes that it is given."""


def simulated(probe: Probe) -> Answer:
    """What the simulator answers."""
    import ptxlab as px

    inputs, out = probe.arrays()
    try:
        px.simulate(px.parse(probe.text)["k"], args=[*inputs, out], **probe.extents)
    except Diagnostic as d:
        if d.code[:5] in ("PTX90", "PTX91"):
            return FAULT
        raise
    return _answer(probe, out)


def on_gpu(probe: Probe) -> Answer:
    """What the GPU answers, in this process. Raises: Diagnostic PTX2421 where the kernel fails."""
    import ptxlab as px
    from ptxlab.cuda.array import GpuArray

    inputs, out = probe.arrays()
    there = [GpuArray(a) for a in (*inputs, out)]
    px.parse(probe.text)["k"].launch(args=there, **probe.extents)
    return _answer(probe, there[-1].numpy())


def _answer(probe: Probe, out: np.ndarray) -> Answer:
    if not probe.labels:
        return {"digest": [hashlib.sha256(cta.tobytes()).hexdigest() for cta in out]}
    return {label: out[:, i].tolist() for i, label in enumerate(probe.labels)}


def gpu_answers(names: Iterable[str] = PROBES) -> dict[str, Answer]:
    """What the GPU of this machine answers to the probes of these names.

    Raises: Diagnostic PTX2304, PTX2422 without a GPU; PTX2420 where a probe cannot be run at all.
    """
    from ptxlab.cuda.driver import device

    device()
    left, found = list(names), dict[str, Answer]()
    while left:
        answered, trouble = _asked(left)
        if not answered:
            raise Diagnostic("PTX2420", f"The probe {left[0]} could not be run on the GPU: {trouble}.")
        found |= answered
        left = [name for name in left if name not in found]
    return found


def _asked(names: list[str]) -> tuple[dict[str, Answer], str]:
    """The answers of a new process up to the first fault or hang, and what it says of the end that it comes to."""
    command = [sys.executable, "-m", "ptxlab.conformance.addresses.run", "ask", *names]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=False)
        lines, trouble = done.stdout, done.stderr.strip()[-400:] or f"exit status {done.returncode}"
    except subprocess.TimeoutExpired as e:
        said: Any = e.stdout or b""  # bytes even of a process that speaks text, where POSIX has it
        lines = said if isinstance(said, str) else said.decode()
        lines, trouble = lines + json.dumps([names[lines.count("\n")], HANG]), ""
    return dict(json.loads(line) for line in lines.splitlines()), trouble


def _ask(names: list[str]) -> int:
    """Print the answers of the GPU, one a line, up to the first fault."""
    for name in names:
        try:
            answer = on_gpu(PROBES[name])
        except Diagnostic as d:
            if d.code != "PTX2421":
                print(d, file=sys.stderr)
                return 1
            answer = FAULT
        print(json.dumps([name, answer]), flush=True)
        if answer == FAULT:
            break
    return 0


def differences(
    got: Mapping[str, Answer], wanted: Mapping[str, Answer], names: tuple[str, str] = ("simulator", "GPU")
) -> list[str]:
    """One line for each label whose values differ, where both sides have the probe and it is to be compared."""
    out: list[str] = []
    for key in [k for k in PROBES if k in got and k in wanted and PROBES[k].compared]:
        mine, theirs = got[key], wanted[key]
        if isinstance(mine, str) or isinstance(theirs, str):
            if mine != theirs:
                out.append(f"{key}: {names[0]} {mine}, {names[1]} {theirs}")
            continue
        for label in dict.fromkeys((*mine, *theirs)):
            if mine.get(label) != theirs.get(label):
                a, b = (_hex(side.get(label)) for side in (mine, theirs))
                out.append(f"{key}, {label}: {names[0]} {a}, {names[1]} {b}")
    return out


def _hex(values: list[Any] | None) -> str:
    return "nothing" if values is None else ", ".join(v[:16] if isinstance(v, str) else hex(v) for v in values)


def record(path: Path, answers: Mapping[str, Answer]) -> None:
    """Write what the GPU of this machine answered. Raises: Diagnostic PTX2500 where the place cannot be written."""
    from ptxlab.abi.cache import atomic_write
    from ptxlab.bench import machine
    from ptxlab.conformance.record.chip import assembler
    from ptxlab.cuda.driver import device

    found = device()
    made = {
        "gpu": found.name,
        "driver": machine.gpu().get("driver_version", "unknown"),
        "cuda": ".".join(map(str, found.driver)),
        "ptxas": assembler(),
        "date": machine.today(),
        "answers": answers,
    }
    lines = json.dumps(made, indent=1)
    try:
        atomic_write(path, ((lines + "\n").encode(),))
    except OSError as e:
        raise Diagnostic("PTX2500", f"{path} cannot be written: {e.strerror}.", help="choose another place") from None


def main(arguments: list[str]) -> int:
    """Compare, and record where it is asked for. 1 where the simulator and the GPU differ."""
    if arguments[:1] == ["ask"]:
        return _ask(arguments[1:])
    if arguments and (arguments[0] != "record" or len(arguments) != 2):
        print("usage: python -m ptxlab.conformance.addresses.run [record FILE]", file=sys.stderr)
        return 2
    try:
        answers = gpu_answers()
        if arguments:
            record(Path(arguments[1]), answers)
    except Diagnostic as d:
        print(d, file=sys.stderr)
        return 1
    wrong = differences({name: simulated(probe) for name, probe in PROBES.items()}, answers)
    print("\n".join(wrong) if wrong else f"{len(answers)} probes: the simulator answers as the GPU does")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
