"""`ptxlab litmus --run`: the test as a kernel, many times on a GPU or in the simulator, beside what the model says."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from ptxlab.diag import Diagnostic
from ptxlab.litmus.condition import shown
from ptxlab.litmus.emit import ENTRY, Emitted, emitted
from ptxlab.litmus.program import Program, Value
from ptxlab.litmus.verdict import Outcome, Verdict

if TYPE_CHECKING:
    import numpy as np

_AT_ONCE: Final = {"gpu": 1 << 16, "sim": 24}
"""Instances of one launch."""
_LINE: Final = 64
"""Bytes from one location to the next, at the least."""
_SCHEDULES: Final = ("eager", "late", "random", "random")


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each outcome was seen: values for the verdict's names."""

    seen: Counter[tuple[Value, ...]]
    times: int


def run(program: Program, verdict: Verdict, on: str, times: int, seed: int = 0) -> Counts:
    """Run a test.

    Args:
        on: "gpu" or "sim". times: instances.

    Raises: Diagnostic PTX0604 for a test that no kernel runs, PTX2501 for another place, and those of launches.
    """
    if on not in _AT_ONCE:
        raise Diagnostic("PTX2501", f"--run {on}: there is no such place.", help="write gpu or sim")
    made = emitted(program)
    seen: Counter[tuple[Value, ...]] = Counter()
    done = 0
    for number in count(seed):
        if done >= times:
            break
        instances = min(_AT_ONCE[on], times - done)
        seen.update(_launched(made, verdict, on, instances, number))
        done += instances
    return Counts(seen, done)


def _launched(made: Emitted, verdict: Verdict, on: str, instances: int, seed: int) -> dict[tuple[Value, ...], int]:
    """How often the instances of one launch ended how. Odd seeds lay locations out one after the other, even ones instances."""
    import numpy as np

    import ptxlab as px

    places = max(1, len(made.locations))
    apart: tuple[int, int] = (_LINE * places, _LINE) if seed % 2 else (_LINE, _LINE * instances)
    memory = np.zeros(_LINE * places * instances // 4, np.int32)
    at = np.arange(instances) * (apart[0] // 4)
    for i, (_, value) in enumerate(made.locations):
        for element in range(4):  # what bulk copies move
            memory[at + i * (apart[1] // 4) + element] = value
    out = np.zeros(max(1, len(made.registers)) * instances, np.int32)
    gate = np.zeros(instances, np.int32)
    kernel = px.parse(made.text, f"{verdict.program.name}.ptx")[ENTRY]
    arrays = _run(kernel, made, on, (memory, out, gate), (seed, apart[0], apart[1], instances))
    memory, out = arrays[0], arrays[1]
    columns: list[Any] = []
    for owner, name in verdict.names:
        if owner:
            columns.append(out[made.registers.index((owner, name)) :: max(1, len(made.registers))])
        else:
            place = [n for n, _ in made.locations].index(verdict.program.variables[name].location)
            columns.append(memory[at + place * (apart[1] // 4)])
    if not columns:
        return {(): instances}
    rows, counts = np.unique(np.stack(columns, axis=1), axis=0, return_counts=True)
    return {tuple(int(v) for v in row): int(n) for row, n in zip(rows, counts, strict=True)}


def _run(kernel: Any, made: Emitted, on: str, arrays: tuple[np.ndarray, ...], more: tuple[int, int, int, int]) -> Any:
    import numpy as np

    import ptxlab as px

    seed, instance, place, instances = more
    words = [np.uint32(seed * 2654435761 & 0xFFFFFFFF), np.uint32(instance), np.uint32(place)]
    shape: dict[str, Any] = {"grid": instances * made.ctas, "block": 32 * made.warps}
    if made.cluster:
        shape["cluster"] = made.ctas
    if on == "sim":
        held = [px.empty(a.shape, a.dtype) for a in arrays]
        for there, a in zip(held, arrays, strict=True):
            there[...] = a
        px.simulate(kernel, **shape, args=[*held, *words], lints=False, schedule=_SCHEDULES[seed % 4], seed=seed)
        return held
    from ptxlab.cuda.array import GpuArray

    there = [GpuArray(a) for a in arrays]
    kernel.launch(**shape, args=[*there, *words], lints=False)
    return [a.numpy() for a in there]


def told(verdict: Verdict, counts: Counts, on: str) -> tuple[list[str], bool]:
    """The counts beside the verdict, and whether an outcome was seen that the model forbids."""
    allowed = {o.values: o for o in verdict.outcomes}
    names = [shown(n) for n in verdict.names]
    wrong = set(counts.seen) - set(allowed)
    lines = [f"{verdict.program.name}: {counts.times:,} times on the {'GPU' if on == 'gpu' else 'simulator'}"]
    for values in sorted({*counts.seen, *allowed}, key=lambda v: (-counts.seen[v], str(v))):
        outcome: Outcome | None = allowed.get(values)
        mark = "!" if outcome is None else "*" if outcome.asked else " "
        said = "  ".join(f"{n} = {v}" for n, v in zip(names, values, strict=True))
        lines.append(
            f"  {mark} {counts.seen[values]:>12,}  {said}" + ("  forbidden by the model" if outcome is None else "")
        )
    return lines, bool(wrong)
