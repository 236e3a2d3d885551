"""All micro-kernels: what they are, and what they wrote on a device."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Final

import numpy as np

from ptxlab.conformance.micro import copies, flow, mbarrier, memory, video
from ptxlab.conformance.micro.kernel import Bytes, Micro, micro_batches, operands_crc
from ptxlab.conformance.record.golden import Golden
from ptxlab.conformance.record.results import NO_DETAILS, Difference, Ran
from ptxlab.conformance.rows.run import Device

_MAKERS: Final[tuple[Callable[[], Iterable[Micro]], ...]] = (
    memory.memory,
    memory.stack,
    copies.async_copy,
    copies.bulk,
    copies.remote,
    mbarrier.mbarrier,
    copies.fence,
    flow.control,
    flow.warp,
    flow.matrix,
    flow.move,
    flow.cluster,
    flow.registers,
    video.video,
)


@cache
def _made(maker: Callable[[], Iterable[Micro]]) -> dict[str, Micro]:
    return {m.key: m for m in maker()}


@cache
def micros() -> dict[str, Micro]:
    """Every micro-kernel by its key."""
    return {key: m for maker in _MAKERS for key, m in _made(maker).items()}


def named(keys: Iterable[str]) -> dict[str, Micro]:
    """The micro-kernels of these keys. Those of memory, which take longest to make, are made only where one is asked for.

    Raises: KeyError.
    """
    found: dict[str, Micro] = {}
    wanted = list(keys)
    for maker in reversed(_MAKERS):
        if all(key in found for key in wanted):
            break
        found |= _made(maker)
    return {key: found[key] for key in wanted}


def run(device: Device, chosen: Sequence[Micro], seed: int) -> Ran:
    """Run micro-kernels on a device. Raises: Diagnostic as the launches do."""
    out = Ran({}, {})
    for batch in micro_batches(chosen):
        memory = np.concatenate([m.memory(seed) for m in batch.micros])
        out.results.update(batch.results(device(batch.text, batch.entries, [memory], batch.write_bytes, batch.shape)))
        out.operands.update({m.key: operands_crc(m, seed) for m in batch.micros})
    return out


def differences(recorded: Golden, ran: Ran, chosen: Sequence[Micro], examples: int = 3) -> Iterator[Difference]:
    """What a device wrote otherwise than the record has it."""
    for micro in chosen:
        ours = ran.results[micro.key]
        if recorded.same(micro.key, ours):
            continue
        if micro.key in recorded.digests:
            yield Difference(micro.key, micro.text, micro.cases, micro.cases, (NO_DETAILS,))
        else:
            yield _difference(micro, recorded.results[micro.key], ours, micro.memory(recorded.seed), examples)


def _difference(micro: Micro, chip: Bytes, ours: Bytes, memory: Bytes, examples: int) -> Difference:
    bad = np.zeros(micro.lanes, np.bool_)
    at = 0
    for c in micro.outputs:
        size = c.bytes * micro.lanes
        bad |= (chip[at : at + size] != ours[at : at + size]).reshape(micro.lanes, -1).any(axis=1)
        at += size
    cases = bad.reshape(micro.cases, micro.per).any(axis=1)
    lines: list[str] = []
    for lane in np.flatnonzero(bad)[:examples].tolist():
        given = micro.shown_inputs(memory, lane)
        theirs, mine = (micro.shown_outputs(raw, lane) for raw in (chip, ours))
        lines.append(f"lane {lane}: {given}: chip {theirs}, simulator {mine}")
    return Difference(micro.key, micro.text, int(cases.sum()), micro.cases, tuple(lines))
