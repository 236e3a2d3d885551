"""`ptxlab litmus --run`: the test as a kernel, many times on a GPU or in the simulator, beside what the model says."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from ptxlab.abi.sanitizing import when_asked
from ptxlab.diag import Diagnostic
from ptxlab.memory_model.condition import shown
from ptxlab.memory_model.emit import ENTRY, Emitted, emitted, four_words
from ptxlab.memory_model.program import Program, Value
from ptxlab.memory_model.verdict import Outcome, Verdict

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


@when_asked()
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
    line = 2 * _LINE if made.maps else _LINE
    apart: tuple[int, int] = (line * places, line) if seed % 2 else (line, line * instances)
    memory = np.zeros(line * places * instances // 4, np.int32)
    at = np.arange(instances) * (apart[0] // 4)
    for i, (_, value) in enumerate(made.locations):
        for element in range(4):  # what bulk copies move
            memory[at + i * (apart[1] // 4) + element] = value
    out = np.zeros(max(1, len(made.registers)) * instances, np.int32)
    gate = np.zeros(instances, np.int32)
    kernel = px.parse(made.text, f"{verdict.program.name}.ptx")[ENTRY]
    run = _on_gpu if on == "gpu" else _simulated
    memory, out = run(kernel, _Launch(made, memory, out, gate=gate, instances=instances, apart=apart, seed=seed))
    columns: list[Any] = []
    for owner, name in verdict.names:
        if owner:
            columns.append(out[made.registers.index((owner, name)) :: max(1, len(made.registers))])
        else:
            place = made.names.index(verdict.program.variables[name].location)
            columns.append(memory[at + place * (apart[1] // 4)])
    if not columns:
        return {(): instances}
    rows, counts = np.unique(np.stack(columns, axis=1), axis=0, return_counts=True)
    return {tuple(int(v) for v in row): int(n) for row, n in zip(rows, counts, strict=True)}


@dataclass(slots=True)
class _Launch:
    """A launch of many instances. `apart`: bytes from one instance to the next, and from one location to the next."""

    made: Emitted
    memory: np.ndarray
    out: np.ndarray
    gate: np.ndarray
    instances: int
    apart: tuple[int, int]
    seed: int

    @property
    def shape(self) -> dict[str, Any]:
        """Grid, block and cluster."""
        return {**self.made.shape, "grid": self.instances * self.made.ctas}

    def words(self, alias: int = 0) -> list[Any]:
        """The parameters behind the arrays."""
        import numpy as np

        return [
            np.uint64(alias),
            np.uint32(self.seed * 2654435761 & 0xFFFFFFFF),
            np.uint32(self.apart[0]),
            np.uint32(self.apart[1]),
        ]

    def mapped(self, address: int) -> np.ndarray:
        """The memory with its tensor maps, where it begins at this address."""
        import numpy as np

        found = self.memory.view(np.uint64).copy()
        template = np.frombuffer(four_words(0), np.uint64)
        begin = np.arange(self.instances, dtype=np.uint64) * np.uint64(self.apart[0])
        for name, of in self.made.maps.items():
            at, tensor = (begin + np.uint64(self.made.names.index(n) * self.apart[1]) for n in (name, of))
            words = (at // np.uint64(8)).astype(np.int64)
            for i, word in enumerate(template):
                found[words + i] = word if i else tensor + np.uint64(address)
        return found.view(np.int32)


def _simulated(kernel: Any, launch: _Launch) -> tuple[np.ndarray, np.ndarray]:
    """The memory and the registers after a simulated launch."""
    import ptxlab as px

    held = [px.empty(a.shape, a.dtype) for a in (launch.memory, launch.out, launch.gate)]
    held[0][...] = launch.mapped(held[0].ctypes.data)
    held[1][...], held[2][...] = launch.out, launch.gate
    how: dict[str, Any] = {"schedule": _SCHEDULES[launch.seed % 4], "seed": launch.seed}
    px.simulate(kernel, **launch.shape, args=[*held, *launch.words()], lints=False, **how)
    return held[0], held[1]


def _on_gpu(kernel: Any, launch: _Launch) -> tuple[np.ndarray, np.ndarray]:
    """The memory and the registers after a launch on the GPU."""
    from ptxlab.cuda.array import GpuArray
    from ptxlab.cuda.mirror import Mirror

    memory = Mirror(launch.memory) if launch.made.aliased else GpuArray(launch.memory)
    if launch.made.maps:
        memory.assign(launch.mapped(memory.address))
    out, gate = GpuArray(launch.out), GpuArray(launch.gate)
    alias = memory.apart if isinstance(memory, Mirror) else 0
    kernel.launch(**launch.shape, args=[memory, out, gate, *launch.words(alias)], lints=False)
    return memory.numpy(), out.numpy()


def verdict_lines(verdict: Verdict, counts: Counts, on: str) -> tuple[list[str], bool]:
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
