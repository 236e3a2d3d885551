"""Runs the experiments, and keeps what each step of them took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np

import ptxlab as px
from ptxlab.bench import machine, records
from ptxlab.bench.calibrate.experiments import experiments
from ptxlab.bench.calibrate.grids import FAR, SMS, grids, measured_grids
from ptxlab.bench.calibrate.programs import ENTRY, KEPT, Program
from ptxlab.bench.contest import torch_with_gpu
from ptxlab.cuda import ptxas
from ptxlab.timing.machine_code import MachineInstruction, machine_code

ROUNDS: Final = 64
"""How often a body runs: what its first run costs more is then less than one part in fifty."""
_WORDS: Final = 1 << 16
"""Bytes of ones that experiments read."""
_ONE: Final = 0x3F80_0000
"""1.0 as f32; a pair of them is a double that is no special one either."""
_TOLD: Final = ("name", "cycles", "us", "machine")
_CLOCK: Final = "CS2R"


def measured(programs: Iterable[Program], device: px.Device, repeats: int = 3) -> Iterator[dict[str, Any]]:
    """A line for each experiment: cycles of a step, the least of some launches.

    Args:
        device: a simulated one runs each body once, to see that it runs; its cycles mean nothing.
    """
    rounds = 1 if device.ordinal is None else ROUNDS
    assembled = device.ordinal is not None and ptxas.find() is not None  # else the driver makes the machine code
    for program in programs:
        kernel = px.parse(program.text, program.name)[ENTRY]
        data = device.copy(np.full(max(program.chase, _WORDS) // 4, _ONE, np.uint32))
        if program.stride:
            _link(data, program)
        full = program.full and device.ordinal is not None
        ctas = SMS // program.cluster * program.cluster if full else program.cluster
        out = device.zeros(ctas * KEPT // 8, np.uint64)
        flush = _flusher(device) if program.cold and device.ordinal is not None else None
        launch = kernel.prepare(
            grid=ctas,
            shared=program.shared,
            args=[out, data, np.uint32(rounds)],
            lints=False,
        )
        cycles, *parts = min(_cycles(launch, out, program, flush) for _ in range(repeats))
        yield {
            "name": program.name,
            **program.facts,
            "warps": program.warps,
            "steps": program.steps,
            "cycles": round(cycles / rounds / program.steps, 4),
            **dict(zip(("own", "others"), (round(part / rounds, 1) for part in parts), strict=False)),
            "machine": between_clocks(machine_code(kernel.cubin)[ENTRY]) if assembled else {},
        }


def between_clocks(code: list[MachineInstruction]) -> dict[str, int]:
    """What stands between the two readings of the clock, by name."""
    clocks = [i for i, one in enumerate(code) if one.name == _CLOCK]
    return dict(Counter(one.name for one in code[clocks[0] + 1 : clocks[-1]])) if len(clocks) > 1 else {}


def _cycles(launch: Any, out: Any, program: Program, flush: Any) -> tuple[int, ...]:
    """From the first warp's begin to the last one's end, of the slowest CTA.

    Then the same of the warps that make the steps, and of the others where there are any.

    Args:
        flush: what fills L2 before.
    """
    if flush is not None:
        flush()
    launch()
    px.synchronize()
    clocks = _numpy(out).reshape(-1, KEPT // 8)[:, : 2 * program.warps].astype(np.int64)
    parts = (slice(None), slice(program.others), slice(program.others, None)) if program.others else (slice(None),)
    return tuple(
        int((clocks[:, 1::2][:, part].max(axis=1) - clocks[:, ::2][:, part].min(axis=1)).max()) for part in parts
    )


def _flusher(device: px.Device) -> px.Launch:
    """A launch that writes so much that L2 holds nothing else behind it."""
    one = next(grid for grid in grids() if grid.name == "write" and grid.nbytes == FAR)
    x = device.zeros(FAR // 4, np.uint32)
    kernel = px.parse(one.text, one.name)[ENTRY]
    return kernel.prepare(grid=one.ctas, args=[x, np.uint64(FAR), np.uint32(1)], lints=False)


def _link(data: Any, program: Program) -> None:
    """Each place holds the address of another one, in an order that no unit foresees."""
    words = _numpy(data).view(np.uint64)
    order = np.random.default_rng(0).permutation(program.chase // program.stride)
    words[order * (program.stride // 8)] = px.array_view(data).address + np.roll(order, -1) * program.stride
    if not isinstance(data, np.ndarray):
        data.assign(words.view(np.uint32))


def _numpy(array: Any) -> np.ndarray:
    return array.numpy() if hasattr(array, "numpy") else array


def main(record: Path | None = None, only: str = "") -> int:
    """Measure on the first GPU, print a line for each experiment, and append all to a record.

    Args:
        record: a file of JSON lines. only: a part of the names.

    Raises: Diagnostic PTX2304 and PTX2422 without a GPU, PTX2500 where the file cannot be written, PTX2510 without torch.
    """
    torch = torch_with_gpu()
    (device,) = px.devices(1, "gpu")
    tool = ptxas.find()
    lines = chain(
        measured((one for one in experiments() if only in one.name), device),
        measured_grids(torch, (one for one in grids() if only in one.name)),
    )
    for line in lines:
        took = f"{line['cycles']:.2f} cycles a step" if "cycles" in line else f"{line['us']:.3f} µs a launch"
        facts = ", ".join(f"{key} {value}" for key, value in line.items() if key not in _TOLD)
        print(f"{line['name']}: {took} ({facts})", flush=True)
        if record is not None:
            made_by = tool.release if tool is not None else None
            about = {"bench": "calibrate", "date": machine.today()}
            records.append(record, {**about, **line, "gpu": machine.gpu(), "ptxas": made_by})
    return 0
