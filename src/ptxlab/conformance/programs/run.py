"""Random programs held against a chip: devices that run them, and what a record keeps of them.

Of a program's output a record keeps a CRC-32 of what each thread wrote and one of each column, so that a difference has a place,
and the program's text, so that it outlives changes of what draws programs.
"""

from __future__ import annotations

import lzma
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ptxlab.conformance.micro.kernel import THREADS, Bytes, Micro
from ptxlab.conformance.micro.memory import table
from ptxlab.conformance.programs.draw import drawn
from ptxlab.conformance.programs.tree import FAMILY, Program, kernel
from ptxlab.conformance.record.golden import Golden, crc
from ptxlab.conformance.record.results import Difference, Ran
from ptxlab.conformance.rows.probes import TARGET
from ptxlab.diag import Diagnostic

RECORDED: Final = 56
"""Programs that a record holds."""
STACK: Final = 4096
"""Bytes of stack that threads of a GPU get: what functions need that call themselves, or by address, no assembler knows."""
_HEAD: Final = 12
_TABLE: Final = "<table>"
_LZMA: Final = [{"id": lzma.FILTER_LZMA2, "preset": 9}]
_KEY: Final = "program "

Device: TypeAlias = Callable[[str, Micro, int], Bytes]
"""`device(text, micro, seed)`: launch a program on the operands of a seed; its columns."""


@lru_cache(maxsize=256)
def program(seed: int, number: int) -> Program:
    """A program of a seed."""
    return drawn(seed, number)


def names(count: int = RECORDED) -> list[str]:
    """Names of programs."""
    return [f"{_KEY}{i}" for i in range(count)]


def number(key: str) -> int:
    """The number in a name."""
    return int(key.removeprefix(_KEY))


# --- devices ------------------------------------------------------------------------------------------------------------------
def simulator(schedule: str = "eager", draws: int = 0, **options: Any) -> Device:
    """The simulator under a schedule; options as `px.simulate` has them."""

    def run(text: str, micro: Micro, seed: int) -> Bytes:
        import ptxlab as px

        memory, out = arrays(micro, seed)
        grid = micro.lanes // THREADS
        report = px.simulate(
            px.parse(text)["k0"],
            grid=grid,
            block=THREADS,
            args=[memory, out],
            schedule=schedule,
            seed=draws,
            lints=False,  # what a draw leaves out is no mistake
            **options,
        )
        for found in report.findings:
            if found.severity == "error":
                raise found
        return micro.results(out)

    return run


def gpu(text: str, micro: Micro, seed: int) -> Bytes:
    """GPU 0. Raises: Diagnostic as the launch does, PTX2304 and PTX2422 without a GPU."""
    return micro.results(gpu_output(text, micro, seed))


def unoptimised(text: str, micro: Micro, seed: int) -> Bytes:
    """GPU 0, where ptxas optimises nothing. Raises: as `gpu`."""
    return micro.results(gpu_output(text, micro, seed, level=0))


def gpu_output(text: str, micro: Micro, seed: int, more: int = 0, *, level: int | None = None) -> Bytes:
    """All that a program writes on GPU 0, and so many bytes behind it; `level`: how far ptxas optimises."""
    import ptxlab as px
    from ptxlab.cuda.array import GpuArray

    context()
    memory, out = GpuArray(micro.memory(seed)), GpuArray(np.zeros(micro.write_bytes + more, np.uint8))
    module = px.parse(text)
    module.level = level
    module["k0"].launch(grid=micro.lanes // THREADS, block=THREADS, args=[memory, out], lints=False)
    return out.numpy()


def assembled(chosen: Sequence[str], seed: int) -> list[str]:
    """Assemble programs side by side, so that launches find them in the cache. Those remain of which ptxas does not die.

    Raises: Diagnostic PTX24xx where it is missing, refuses one, or dies of all.
    """
    from ptxlab.cuda import ptxas

    def fault(key: str) -> Diagnostic | None:
        try:
            ptxas.assemble(program(seed, number(key)).text, TARGET)
        except Diagnostic as d:
            if d.code != "PTX2403":
                raise
            return d
        return None

    with ThreadPoolExecutor() as pool:
        faults = dict(zip(chosen, pool.map(fault, chosen), strict=True))
    left = [key for key, found in faults.items() if found is None]
    for found in () if left else faults.values():
        assert found is not None
        raise found
    return left


@lru_cache(maxsize=1)
def context() -> None:
    """Make GPU 0 ready for programs: a context whose threads have a stack. Raises: Diagnostic PTX2304, PTX2422."""
    from ptxlab.cuda.driver import bindings, check, device

    api = bindings()
    with device().current():
        check(api.cuCtxSetLimit(api.CUlimit.CU_LIMIT_STACK_SIZE, STACK), "cuCtxSetLimit")


def arrays(micro: Micro, seed: int, more: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
    """NumPy's: what a program reads, and room for what it writes, and so many bytes behind it."""
    import ptxlab as px

    memory, out = (px.empty((n,), np.uint8, align=128) for n in (micro.read_bytes, micro.write_bytes + more))
    memory[...], out[...] = micro.memory(seed), 0
    return memory, out


# --- what a record keeps ------------------------------------------------------------------------------------------------------
def rows_of(micro: Micro, columns: Bytes) -> NDArray[np.uint8]:
    """Columns as [lane, byte]."""
    at, parts = 0, list[Bytes]()
    for c in micro.outputs:
        size = c.bytes * micro.lanes
        parts.append(columns[at : at + size].reshape(micro.lanes, c.bytes))
        at += size
    return np.concatenate(parts, axis=1)


def digests(micro: Micro, columns: Bytes) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """CRC-32 of what each lane wrote, and of each column."""
    lanes = [crc(row) for row in rows_of(micro, columns)]
    at, each = 0, list[int]()
    for c in micro.outputs:
        each.append(crc(columns[at : at + c.bytes * micro.lanes]))
        at += c.bytes * micro.lanes
    return np.array(lanes, np.uint32), np.array(each, np.uint32)


@dataclass(frozen=True, eq=False)
class Kept:
    """What a record keeps of a program.

    Attributes:
        cluster: CTAs of a cluster; 0 for none.
        lanes, columns: digests.
        text: PTX.
    """

    cluster: int
    lanes: NDArray[np.uint32]
    columns: NDArray[np.uint32]
    text: str

    def packed(self) -> Bytes:
        """As bytes."""
        head = np.array([self.cluster, len(self.lanes), len(self.columns)], np.uint32)
        text = lzma.compress(self.text.replace(table(), _TABLE).encode(), format=lzma.FORMAT_RAW, filters=_LZMA)
        words = np.concatenate([head, self.lanes, self.columns])
        return np.concatenate([words.view(np.uint8), np.frombuffer(text, np.uint8)])

    @classmethod
    def unpacked(cls, raw: Bytes) -> Kept:
        """From bytes. Raises: ValueError where they are none."""
        cluster, lanes, columns = (int(n) for n in np.ascontiguousarray(raw[:_HEAD]).view(np.uint32))
        middle, end = _HEAD + 4 * lanes, _HEAD + 4 * (lanes + columns)
        try:
            text = lzma.decompress(raw[end:].tobytes(), format=lzma.FORMAT_RAW, filters=_LZMA).decode()
        except lzma.LZMAError as e:
            raise ValueError(str(e)) from None
        digests_ = (np.ascontiguousarray(raw[a:b]).view(np.uint32) for a, b in ((_HEAD, middle), (middle, end)))
        first, second = digests_
        return cls(cluster, first, second, text.replace(_TABLE, table()))


def run(device: Device, chosen: Sequence[str], seed: int) -> Ran:
    """Draw programs and run them. Raises: Diagnostic as the launches do."""
    out = Ran({}, {})
    for key in chosen:
        made = program(seed, number(key))
        text = made.text
        kept = Kept(made.cluster, *digests(made.micro, device(text, made.micro, seed)), text)
        out.results[key] = kept.packed()
        out.operands[key] = crc(made.micro.memory(seed))
    return out


def shape(key: str, cluster: int = 0) -> Micro:
    """The kernel of a name, without its body: its operands and columns."""
    return kernel(key.removeprefix(_KEY), cluster, "", "")


def cases() -> int:
    """A case is what one thread has in one register at the end."""
    micro = shape(f"{_KEY}0")
    return micro.lanes * len(micro.outputs)


def check(chosen: Sequence[str], recorded: Golden, device: Device | None = None) -> Iterator[Difference]:
    """Run programs of a record.

    Raises: Diagnostic as the launches do, PTX2500 where the record is of other operands, or damaged.
    """
    for key in chosen:
        try:
            kept = Kept.unpacked(recorded.results[key])
        except ValueError as e:
            raise Diagnostic("PTX2500", f"The record of {key} is damaged: {e}.", help="record it again") from None
        micro = shape(key, kept.cluster)
        if crc(micro.memory(recorded.seed)) != recorded.operands[key]:
            raise Diagnostic("PTX2500", f"The operands of {key} are not those of the record.", help="record it again")
        ours = (device or simulator())(kept.text, micro, recorded.seed)
        found = difference(key, kept, ours, recorded.seed)
        if found is not None:
            yield found


def difference(key: str, kept: Kept, ours: Bytes, seed: int) -> Difference | None:
    """Where a program's output has other digests than a chip's; None where it has not."""
    micro = shape(key, kept.cluster)
    lanes, columns = digests(micro, ours)
    bad_lanes = np.flatnonzero(lanes != kept.lanes)
    bad_columns = [micro.outputs[i].name for i in np.flatnonzero(columns != kept.columns).tolist()]
    if not len(bad_lanes) and not bad_columns:
        return None
    count = max(1, len(bad_lanes)) * max(1, len(bad_columns))
    lines = (
        f"threads {', '.join(map(str, bad_lanes[:8].tolist()))}{' …' if len(bad_lanes) > 8 else ''}",
        f"registers {', '.join(bad_columns[:8])}{' …' if len(bad_columns) > 8 else ''}",
        f"a GPU shows and reduces it: python -m tools.programs shrink {seed} {number(key)}",
    )
    return Difference(key, f"program {number(key)} of seed {seed}", count, cases(), lines)


def shown(micro: Micro, chip: Bytes, ours: Bytes, examples: int = 3) -> list[str]:
    """Registers of the first threads that differ."""
    a, b = (rows_of(micro, c) for c in (chip, ours))
    bad = np.flatnonzero((a != b).any(axis=1))
    out = [f"{len(bad)} of {micro.lanes} threads differ"] if len(bad) else []
    for lane in bad[:examples].tolist():
        theirs, mine = (micro.shown_outputs(c, lane).split(" ") for c in (chip, ours))
        pairs = [f"{x} simulator {y.partition('=')[2]}" for x, y in zip(theirs, mine, strict=True) if x != y]
        out.append(f"thread {lane}: " + ", ".join(pairs[:6]) + (" …" if len(pairs) > 6 else ""))
    return out


__all__ = ["FAMILY", "RECORDED", "Device", "Kept", "program"]
