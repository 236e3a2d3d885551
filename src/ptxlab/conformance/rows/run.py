"""Running rows on a device, and what differs from a record.

A record holds what every probe and every product wrote on operands that come from a seed; comparing runs the same in the
simulator. Results must have the same bits, those of approximate functions too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ptxlab.conformance.record.golden import Golden, crc
from ptxlab.conformance.record.results import NO_DETAILS, Difference, Ran
from ptxlab.conformance.rows.emit import LANES, Batch, batches, loaded, operands, stored
from ptxlab.conformance.rows.moves import Move, move_batch
from ptxlab.conformance.rows.probes import Probe
from ptxlab.conformance.rows.products import (
    ROWS,
    THREADS,
    Product,
    ProductBatch,
    matrices_of,
    of_keys,
    product_batches,
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
        report = px.simulate(module[entry], grid=shape[0], block=shape[1], args=[*args, out], lints=False)
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
        module[entry].launch(grid=shape[0], block=shape[1], args=[*args, out], lints=False)
    return out.numpy()


def _aligned(array: Bytes) -> Bytes:
    import ptxlab as px

    out = px.empty(array.shape, array.dtype, align=128)
    out[...] = array
    return out


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


def differences(
    recorded: Golden, keys: Iterable[str] | None = None, device: Device = simulator, examples: int = 3
) -> Iterator[Difference]:
    """What differs from a record.

    Args:
        recorded: the record.
        keys: what to compare; left out, all that the record holds.
        device: what runs it.
        examples: results to show of each difference.

    Raises: Diagnostic PTX2500 for a record of other probes or operands than these.
    """
    wanted = list(recorded.keys if keys is None else keys)
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
    ours = ran.results[probe.key]
    if recorded.same(probe.key, ours):
        return None
    if probe.key in recorded.digests:
        return Difference(probe.key, probe.text, LANES, LANES, (NO_DETAILS,))
    chip = recorded.results[probe.key]
    inputs = operands(probe, recorded.seed)
    theirs, mine = (loaded(probe.outputs, raw) for raw in (chip, ours))
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
    if recorded.same(product.key, ran.results[product.key]):
        return None
    if product.key in recorded.digests:
        of = ROWS * product.n
        return Difference(product.key, product.text, of, of, (NO_DETAILS,))
    word = np.uint16 if product.d_type == "f16" else np.uint32
    chip, ours = (np.ascontiguousarray(r[product.key]).view(word) for r in (recorded.results, ran.results))
    bad = np.flatnonzero(chip != ours)
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
    ours = ran.results[move.key]
    if recorded.same(move.key, ours):
        return None
    if move.key in recorded.digests:
        return Difference(move.key, move.text, len(ours), len(ours), (NO_DETAILS,))
    chip = recorded.results[move.key]
    bad = np.flatnonzero(chip != ours)
    lines = [f"byte {at}: chip {chip[at]:#04x}, simulator {ours[at]:#04x}" for at in bad[:examples].tolist()]
    return Difference(move.key, move.text, len(bad), len(chip), tuple(lines))


def _hex(values: NDArray[Any]) -> str:
    return " ".join(f"{int(v):x}" for v in values)
