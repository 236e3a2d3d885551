"""Asking the simulator and a GPU what addresses of shared memory are and what launches show, and what differs.

A probe may stop with a fault, which takes the process's GPU context with it, so probes run in processes of their own
(`python -m ptxlab.conformance.addresses.run PROBE…`): one after the other until one fails, then a new process for the rest.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from ptxlab.conformance.addresses.launches import LAUNCHES, Launched
from ptxlab.conformance.addresses.probes import PROBES, Probe
from ptxlab.diag import Diagnostic

if TYPE_CHECKING:
    import numpy as np

FAULT: Final = "fault"
"""The answer of a probe that stops with an error."""
HANG: Final = "hang"
"""The answer of one that does not end."""
REFUSED: Final = "refused"
"""The answer of a launch that does not begin."""
Answer = dict[str, list[Any]] | str
"""For each label its value in every row: in every CTA by rank, unless the probe says otherwise; or FAULT, HANG, REFUSED."""
ALL: Final = PROBES | LAUNCHES
_PATIENCE: Final = 120
"""Seconds that a process may take for the probes that it is given."""


def simulated(probe: Probe) -> Answer:
    """What the simulator answers."""
    import ptxlab as px

    inputs, out = probe.arrays()
    try:
        px.simulate(px.parse(probe.text)["k"], args=[*inputs, out], lints=False, **probe.extents)
    except Diagnostic as d:
        if d.code[:5] in ("PTX90", "PTX91"):
            return FAULT
        if d.code[:5] == "PTX20":
            return REFUSED
        raise
    return _answer(probe, out)


def on_gpu(probe: Probe) -> Answer:
    """What the GPU answers, in this process. Raises: Diagnostic PTX2420 where the driver refuses the launch, PTX2421 where the
    kernel fails."""
    import ptxlab as px
    from ptxlab.cuda.array import GpuArray

    inputs, out = probe.arrays()
    there = [GpuArray(a) for a in (*inputs, out)]
    px.parse(probe.text)["k"].launch(args=there, lints=False, **probe.extents)
    return _answer(probe, there[-1].numpy())


def _answer(probe: Probe, out: np.ndarray) -> Answer:
    if not probe.labels:
        return {"digest": [hashlib.sha256(cta.tobytes()).hexdigest() for cta in out]}
    columns = {label: out[:, i].tolist() for i, label in enumerate(probe.labels)}
    if isinstance(probe, Launched):  # one value where all rows agree
        return {label: rows[:1] if len(set(rows)) == 1 else rows for label, rows in columns.items()}
    return columns


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
    command = [sys.executable, "-m", "ptxlab.conformance.addresses.run", *names]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=False)
        lines, trouble = done.stdout, done.stderr.strip()[-400:] or f"exit status {done.returncode}"
    except subprocess.TimeoutExpired as e:
        said: Any = e.stdout or b""  # bytes even of a process that speaks text, where POSIX has it
        lines = said if isinstance(said, str) else said.decode()
        lines, trouble = lines + json.dumps([names[lines.count("\n")], HANG]), ""
    return dict(json.loads(line) for line in lines.splitlines()), trouble


def ask(names: list[str]) -> int:
    """Print the answers of the GPU, one a line, up to the first fault."""
    for name in names:
        try:
            answer = on_gpu(ALL[name])
        except Diagnostic as d:
            if d.code != "PTX2421" and not (name in LAUNCHES and d.code[:5] in ("PTX20", "PTX24")):
                print(d, file=sys.stderr)
                return 1
            answer = FAULT if d.code == "PTX2421" else REFUSED
        print(json.dumps([name, answer]), flush=True)
        if answer == FAULT:
            break
    return 0


def differences(
    got: Mapping[str, Answer], wanted: Mapping[str, Answer], names: tuple[str, str] = ("simulator", "GPU")
) -> list[str]:
    """One line for each label whose values differ, where both sides have the probe and it is to be compared."""
    out: list[str] = []
    for key in [k for k in ALL if k in got and k in wanted and ALL[k].compared]:
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


if __name__ == "__main__":
    sys.exit(ask(sys.argv[1:]))
