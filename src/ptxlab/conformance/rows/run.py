"""What rows mean, held against a chip: `python -m ptxlab.conformance.rows.run record FILE` on a GPU, `compare FILE` anywhere.

A record holds what every probe and every product wrote on operands that come from a seed; comparing runs the same in the
simulator. Results must have the same bits; those of approximate functions must lie within the manual's bounds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ptxlab.conformance.record import golden
from ptxlab.conformance.record.golden import Golden, crc
from ptxlab.conformance.rows import bounds
from ptxlab.conformance.rows.emit import LANES, Batch, batches, loaded, operands, stored
from ptxlab.conformance.rows.moves import Move, move_batch, moves
from ptxlab.conformance.rows.probes import Probe, probes
from ptxlab.conformance.rows.products import (
    THREADS,
    Product,
    ProductBatch,
    matrices_of,
    of_keys,
    product_batches,
    products,
)
from ptxlab.diag import Diagnostic

Bytes: TypeAlias = NDArray[np.uint8]
Device: TypeAlias = Callable[[str, Sequence[str], Sequence[Bytes], int, tuple[int, int]], Bytes]
"""`device(text, entries, inputs, output_bytes, (ctas, threads))`: launch each entry on the same arrays; the output."""

_PRODUCT: Final = "wgmma "
_MOVE: Final = "move "


def simulator(text: str, entries: Sequence[str], inputs: Sequence[Bytes], nbytes: int, shape: tuple[int, int]) -> Bytes:
    """Run kernels in the simulator. Raises: Diagnostic as the launch does."""
    import ptxlab as px

    args = [_aligned(i) for i in inputs]
    out = _aligned(np.zeros(nbytes, np.uint8))
    module = px.parse(text)
    for entry in entries:
        report = px.simulate(module[entry], grid=shape[0], block=shape[1], args=[*args, out])
        for found in report.findings:
            if found.severity == "error":
                raise found
    return out


def gpu(text: str, entries: Sequence[str], inputs: Sequence[Bytes], nbytes: int, shape: tuple[int, int]) -> Bytes:
    """Run kernels on GPU 0. Raises: Diagnostic as the launch does, PTX2304 and PTX2422 without a GPU."""
    import ptxlab as px
    from ptxlab.cuda.array import GpuArray

    args = [GpuArray(i) for i in inputs]
    out = GpuArray(np.zeros(nbytes, np.uint8))
    module = px.parse(text)
    for entry in entries:
        module[entry].launch(grid=shape[0], block=shape[1], args=[*args, out])
    return out.numpy()


def _aligned(array: Bytes) -> Bytes:
    import ptxlab as px

    out = px.empty(array.shape, array.dtype, align=128)
    out[...] = array
    return out


@dataclass(frozen=True, slots=True)
class Ran:
    """Results of probes and products, and the CRC-32 of their operands, by key."""

    results: dict[str, Bytes]
    operands: dict[str, int]


def run(
    device: Device, chosen: Sequence[Probe], multiplied: Sequence[Product], seed: int, moved: Sequence[Move] = ()
) -> Ran:
    """Run probes, products and moves on a device. Raises: Diagnostic as the launches do."""
    out = Ran({}, {})
    for batch in batches(chosen):
        _probe(device, batch, seed, out)
    for group in product_batches(multiplied):
        _multiply(device, group, seed, out)
    if moved:
        _move(device, moved, seed, out)
    return out


def _move(device: Device, chosen: Sequence[Move], seed: int, out: Ran) -> None:
    batch = move_batch(chosen)
    memory = device(batch.text, batch.entries, [batch.memory(seed)], batch.write_bytes, (1, 32))
    out.results.update(batch.results(memory))
    out.operands.update({m.key: crc(m.source(seed)) for m in chosen})


def _probe(device: Device, batch: Batch, seed: int, out: Ran) -> None:
    memory = device(batch.text, batch.entries, [batch.memory(seed)], batch.write_bytes, (1, LANES))
    out.results.update(batch.results(memory))
    for one in batch.placed:
        out.operands[one.probe.key] = _operands_crc(one.probe, seed)


def _operands_crc(probe: Probe, seed: int) -> int:
    columns = [stored(p, v) for p, v in zip(probe.inputs, operands(probe, seed), strict=True)]
    return crc(np.concatenate(columns)) if columns else 0


def _multiply(device: Device, batch: ProductBatch, seed: int, out: Ran) -> None:
    inputs, used = batch.inputs(seed)
    memory = device(batch.text, ("k",), inputs, batch.write_bytes, (len(batch.products), THREADS))
    out.results.update(batch.results(memory))
    out.operands.update({key: crc(data) for key, data in used.items()})


def record(path: Path, seed: int = 0) -> Golden:
    """Run everything on GPU 0 twice and write what came out.

    Raises: Diagnostic PTX2304, PTX2422 without a GPU; PTX2423 where it is no Hopper; PTX2420 where a kernel fails or two
    runs differ: nothing is written then.
    """
    from ptxlab.bench import machine
    from ptxlab.conformance.record.chip import assembler
    from ptxlab.cuda.driver import device

    found = device()
    if found.capability != (9, 0):
        raise Diagnostic("PTX2423", f"Rows are recorded on Hopper; this is a {found.name}.", help="use an H100 or H200")
    first, second = (run(gpu, probes(), products(), seed, moves()) for _ in range(2))
    unsteady = [k for k, v in first.results.items() if not np.array_equal(v, second.results[k])]
    if unsteady:
        raise Diagnostic("PTX2420", f"{len(unsteady)} probes gave two results: {', '.join(unsteady[:5])}.")
    made = Golden(
        gpu=found.name,
        driver=machine.gpu().get("driver_version", "unknown"),
        cuda=".".join(map(str, found.driver)),
        ptxas=assembler(),
        date=machine.today(),
        seed=seed,
        results=first.results,
        operands=first.operands,
    )
    golden.write(made, path)
    return made


@dataclass(frozen=True, slots=True)
class Difference:
    """A probe, product or move that the simulator computes otherwise than the chip.

    Attributes:
        key: its name.
        text: the instruction.
        count: results that differ, of `of`.
        examples: one line each: operands, the chip's results, the simulator's.
    """

    key: str
    text: str
    count: int
    of: int
    examples: tuple[str, ...]

    def __str__(self) -> str:
        shown = "".join(f"\n    {e}" for e in self.examples)
        return f"{self.key}\n  {self.text}\n  {self.count} of {self.of} differ{shown}"


def compare(
    path: Path, *, keys: Iterable[str] | None = None, device: Device = simulator, examples: int = 3
) -> list[Difference]:
    """What differs from a record; empty where nothing does.

    Args:
        path: of the record.
        keys: what to compare; left out, all that the record holds.
        device: what runs it.
        examples: results to show of each difference.

    Raises: Diagnostic PTX2500 for a file that is no record, or one of other operands than these.
    """
    return list(differences(golden.read(path), keys, device, examples))


def differences(
    recorded: Golden, keys: Iterable[str] | None = None, device: Device = simulator, examples: int = 3
) -> Iterator[Difference]:
    """What differs from a record, as `compare` finds it."""
    wanted = list(recorded.results if keys is None else keys)
    try:
        chosen = [Probe.of_key(k) for k in wanted if not k.startswith((_PRODUCT, _MOVE))]
        moved = [Move.of_key(k) for k in wanted if k.startswith(_MOVE)]
        multiplied = of_keys([k for k in wanted if k.startswith(_PRODUCT)])
    except KeyError as e:
        raise Diagnostic(
            "PTX2500", f"The record holds a probe that there is no more: {e.args[0]}.", help="record the rows again"
        ) from None
    ran = run(device, chosen, multiplied, recorded.seed, moved)
    changed = [k for k in wanted if ran.operands[k] != recorded.operands[k]]
    if changed:
        raise Diagnostic(
            "PTX2500",
            f"The operands of {len(changed)} probes are not those of the record: {', '.join(changed[:3])}.",
            help="record the rows again",
        )
    for probe in chosen:
        found = _unequal(probe, recorded, ran, examples)
        if found is not None:
            yield found
    for one in multiplied:
        found = _unequal_product(one, recorded, ran, examples)
        if found is not None:
            yield found
    for move in moved:
        found = _unequal_move(move, recorded, ran, examples)
        if found is not None:
            yield found


def _unequal(probe: Probe, recorded: Golden, ran: Ran, examples: int) -> Difference | None:
    chip, ours = recorded.results[probe.key], ran.results[probe.key]
    if np.array_equal(chip, ours):
        return None
    inputs = operands(probe, recorded.seed)
    theirs, mine = (loaded(probe.outputs, raw) for raw in (chip, ours))
    if probe.approximate:
        words = [np.array(column[0], np.uint64) for column in (theirs, mine)]
        bad = bounds.differing(probe, words[0], words[1])
    else:
        bad = np.zeros(LANES, np.bool_)
        for a, b in zip(theirs, mine, strict=True):
            bad |= np.array([x != y for x, y in zip(a, b, strict=True)])
    if not bad.any():
        return None
    shown = loaded(probe.inputs, np.concatenate([stored(p, v) for p, v in zip(probe.inputs, inputs, strict=True)]))
    lines = [
        f"lane {lane}: {_values(probe.inputs, shown, lane)}: "
        f"chip {_values(probe.outputs, theirs, lane)}, simulator {_values(probe.outputs, mine, lane)}"
        for lane in np.flatnonzero(bad)[:examples].tolist()
    ]
    return Difference(probe.key, probe.text, int(bad.sum()), LANES, tuple(lines))


def _values(ports: Sequence[Any], columns: Sequence[Sequence[int]], lane: int) -> str:
    return " ".join(
        f"{p.name.removeprefix('%')}={column[lane]:#0{2 + max(1, p.bits // 4)}x}"
        for p, column in zip(ports, columns, strict=True)
    )


def _unequal_product(product: Product, recorded: Golden, ran: Ran, examples: int) -> Difference | None:
    word = np.uint16 if product.d_type == "f16" else np.uint32
    chip, ours = (np.ascontiguousarray(r[product.key]).view(word) for r in (recorded.results, ran.results))
    bad = np.flatnonzero(chip != ours)
    if not len(bad):
        return None
    a, b, c = matrices_of(product, recorded.seed)
    lines: list[str] = []
    for at in bad[:examples].tolist():
        row, column = divmod(at, product.n)
        lines.append(
            f"[{row}, {column}]: A {_hex(a[row])}, B {_hex(b[:, column])}, C {c[row, column]:#x}: "
            f"chip {int(chip[at]):#x}, simulator {int(ours[at]):#x}"
        )
    return Difference(product.key, product.text, len(bad), len(chip), tuple(lines))


def _unequal_move(move: Move, recorded: Golden, ran: Ran, examples: int) -> Difference | None:
    chip, ours = recorded.results[move.key], ran.results[move.key]
    bad = np.flatnonzero(chip != ours)
    if not len(bad):
        return None
    lines = [f"byte {at}: chip {chip[at]:#04x}, simulator {ours[at]:#04x}" for at in bad[:examples].tolist()]
    return Difference(move.key, move.text, len(bad), len(chip), tuple(lines))


def _hex(values: NDArray[Any]) -> str:
    return " ".join(f"{int(v):x}" for v in values)


def main(arguments: Sequence[str]) -> int:
    """`record FILE [SEED]`, `compare FILE` or, with a GPU, `again FILE`: compare a GPU with the record."""
    if len(arguments) < 2 or arguments[0] not in ("record", "compare", "again"):
        print("usage: python -m ptxlab.conformance.rows.run record|compare|again FILE [SEED]", file=sys.stderr)
        return 2
    path = Path(arguments[1])
    try:
        if arguments[0] == "record":
            made = record(path, int(arguments[2]) if len(arguments) > 2 else 0)
            print(f"{len(made.results)} results in {path}, {path.stat().st_size} bytes: {made.provenance}")
            return 0
        recorded = golden.read(path)
        found = list(differences(recorded, device=simulator if arguments[0] == "compare" else gpu))
    except Diagnostic as d:
        print(d, file=sys.stderr)
        return 1
    for one in found:
        print(one)
    print(f"{len(found)} of {len(recorded.results)} differ from {recorded.provenance}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
