"""From a launch to its predicted cycles: a few clusters are simulated and recorded, replayed on an SM, and stand for all."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ptxlab.abi.limits import SM_COUNT
from ptxlab.abi.loaded import reaching
from ptxlab.abi.memory import bytes_of
from ptxlab.abi.occupancy import Residency
from ptxlab.abi.options import SimOptions
from ptxlab.abi.record import LaunchRecord
from ptxlab.cuda import ptxas
from ptxlab.cuda.lines import LineMap
from ptxlab.diag import Diagnostic
from ptxlab.ptx.program import Op
from ptxlab.sim.diagnose.observe.counting import Counting
from ptxlab.sim.diagnose.observe.hang import Watch
from ptxlab.sim.engine.decoded.decode import image_of
from ptxlab.sim.engine.decoded.sources import Source, sources
from ptxlab.sim.engine.machine.machine import Machine
from ptxlab.sim.engine.machine.special import shared_wanted
from ptxlab.timing.chip import ChipTable
from ptxlab.timing.code import Merged, merged
from ptxlab.timing.machine_code import machine_code
from ptxlab.timing.path import Paths
from ptxlab.timing.plain import plain_items
from ptxlab.timing.replay import NO_PRODUCT, WIDE_FENCE, Item, Played, Replay, Share, product_of
from ptxlab.timing.steps import ClusterSteps, Recorder

SAMPLES: Final = 8
"""Clusters that are simulated of a launch, as far as they have no more steps than these."""
STEPS: Final = 300_000
ROUNDS: Final = 3
"""So many times the CTAs that an SM holds are replayed: what a CTA takes beside others is seen then."""
MISSED: Final = 0.1
"""The share of a warp's marks that may lie on no way through the machine code."""
_SEVERAL: Final = (16, 66, 132)
"""Of so many SMs at once tables say what L2 gives each."""
_ALIKE: Final = (2, 4, 12, 33)
"""They say what L2 gives each of 132 SMs of which so many ask for the same."""
_MOSTLY: Final = 0.9
"""The share of bytes that are written from which on memory is only written to; it is only read below what is left."""
_L2: Final = 40 << 20
"""Bytes that stay in L2 from one launch to the next."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a launch is made of.

    Attributes:
        clusters, ctas_each: of the grid; CTAs of a cluster. resident: CTAs that an SM holds. at_once: clusters on the chip.
        sms: that have work.
    """

    clusters: int
    ctas_each: int
    resident: int
    at_once: int
    sms: int


@dataclass(frozen=True, slots=True)
class Predicted:
    """A prediction, as numbers.

    Attributes:
        cycles: of the launch, from its start to its end. fixed: those of them that a launch without work takes.
        durations: cycles of each sampled CTA among others, by the index of its cluster. played: the replay of the longest one.
        limits, share: see there. traffic: bytes of global memory that the grid moves, and those that L2 does not have.
        recorded: the sampled clusters. by_code: whether machine code was replayed. executed: what was, and how often.
        ops, where: the instructions of PTX, and their places.
        items, ways: what was replayed, and where warps went in it.
    """

    cycles: float
    fixed: float
    durations: Mapping[int, float]
    played: Played
    limits: Limits
    share: Share
    traffic: tuple[float, float]
    recorded: Sequence[ClusterSteps]
    by_code: bool
    executed: Sequence[Item]
    ops: Sequence[Op]
    where: Sequence[Source]
    items: Sequence[Item]
    ways: Mapping[int, list[list[list[int]]]]


def predict(record: LaunchRecord, chip: ChipTable, *, cold: bool = False, arithmetic: bool = True) -> Predicted:
    """Predict a launch.

    Args:
        cold: L2 holds nothing of the arrays when it begins. arithmetic: whether products of matrices are computed.

    Raises: Diagnostic PTX9xxx where the clusters that are simulated do not end, PTX9042 where those that are replayed do not.
    """
    record = reaching(record)
    ops = image_of(record.program).ops
    where = sources(record.program.module, ops)
    limits = _limits(record)
    recorded = record_steps(record, [0], arithmetic=arithmetic)
    more = _samples(limits, min(SAMPLES, 1 + STEPS // max(1, recorded[0].steps)))
    if more:
        recorded += record_steps(record, more, arithmetic=arithmetic)
    share, traffic = _share(record, recorded, limits, chip, cold=cold)
    code = _code(record, ops, where)
    items, ways, by_code = _ways(code, ops, recorded, chip)
    replayed = _replayed(items, ways, recorded, limits, chip, share)
    if replayed is None and by_code:
        items, ways, by_code = _ways(None, ops, recorded, chip)
        replayed = _replayed(items, ways, recorded, limits, chip, share)
    if replayed is None:
        raise Diagnostic("PTX9042", f"The timing model does not come to the end of {record.program.name}.")
    durations, longest = replayed
    ran = {place for ctas in ways.values() for cta in ctas for way in cta for place in way}
    executed = [items[place] for place in sorted(ran)]
    fixed = chip.figures["launch.us"] * chip.clock
    cycles = fixed + _makespan(durations, limits, chip)
    return Predicted(
        cycles,
        fixed,
        durations=durations,
        played=longest,
        limits=limits,
        share=share,
        traffic=traffic,
        recorded=recorded,
        by_code=by_code,
        executed=executed,
        ops=ops,
        where=where,
        items=items,
        ways=ways,
    )


def _replayed(
    items: Sequence[Item],
    ways: dict[int, list[list[list[int]]]],
    recorded: Sequence[ClusterSteps],
    limits: Limits,
    chip: ChipTable,
    share: Share,
) -> tuple[dict[int, float], Played] | None:
    """Cycles of each sampled cluster among others, and the replay of the longest one; None where a replay does not end."""
    durations: dict[int, float] = {}
    longest = Played()
    known: dict[bytes, float] = {}
    for one in recorded:
        alike = _fingerprint(one)
        if alike not in known:
            count = limits.resident * (ROUNDS if limits.clusters > limits.at_once else 1)
            played = Replay(chip, items, ways, [one] * count, limits.resident, share).run()
            if len(played.ends) < count:
                return None
            known[alike] = _duration(played, limits.resident)
            longest = max(longest, played, key=lambda p: p.cycles)
        durations[one.index] = known[alike]
    return durations, longest


def _fingerprint(steps: ClusterSteps) -> bytes:
    """The same for clusters whose warps did the same, as far as time depends on it."""
    out = hashlib.blake2b()
    for cta in steps.warps:
        for warp in cta:
            out.update(warp.ops.tobytes())
            out.update(repr([(f.sectors, f.again, f.wavefronts, f.remote) for f in warp.facts.values()]).encode())
    out.update(repr([(f.kind, f.nbytes) for f in steps.flights.values()]).encode())
    return out.digest()


def _duration(played: Played, resident: int) -> float:
    """Cycles from the start of a CTA to that of the next one in its place."""
    ends = played.ends
    if len(ends) <= resident:
        return played.cycles
    return ends[-1] / (len(ends) / resident)


def _limits(record: LaunchRecord) -> Limits:
    each = record.ctas_per_cluster
    clusters = record.ctas // each
    residency = Residency(record, shared_wanted(record))
    at_once = residency.count
    resident = max(1, at_once * each // SM_COUNT)
    return Limits(
        clusters, each, min(resident, -(-clusters * each // SM_COUNT)), at_once, min(SM_COUNT, clusters * each)
    )


def _samples(limits: Limits, count: int) -> list[int]:
    """Indices of clusters beside the first, evenly spread; the last one is among them."""
    count = min(max(count, 2), limits.clusters)
    return sorted({round(i * (limits.clusters - 1) / max(1, count - 1)) for i in range(1, count)})


def record_steps(record: LaunchRecord, clusters: Sequence[int], *, arithmetic: bool = True) -> list[ClusterSteps]:
    """Run some clusters and record their steps; memory is afterwards as it was."""
    kept = [(buffer, bytes_of(buffer).copy()) for buffer in record.buffers if buffer.writable]
    counting = Counting()
    recorder = Recorder(counting, arithmetic=arithmetic)
    parts = [range(i, i + 1) for i in clusters]
    try:
        Machine(record, SimOptions(), [Watch(), counting, recorder], parts=parts).run()
    finally:
        for buffer, before in kept:
            bytes_of(buffer)[:] = before
    return recorder.clusters


def _share(
    record: LaunchRecord, recorded: Sequence[ClusterSteps], limits: Limits, chip: ChipTable, *, cold: bool
) -> tuple[Share, tuple[float, float]]:
    """What an SM has of L2 and memory while all that have work go on, and what the grid moves."""
    f = chip.figures
    moved = sum(c.moved for c in recorded) / len(recorded) * limits.clusters
    touched = sum(c.touched for c in recorded) / len(recorded) * limits.clusters
    reached = float(sum(b.nbytes for b in record.buffers))
    once = min(touched, reached)
    missing = once if cold or once > _L2 else 0.0
    part = min(1.0, missing / moved) if moved else 0.0
    most = f["bulk.bytes_per_cycle"]
    known = {1: most} | {n: f[f"l2.bytes_per_cycle.{n}"] for n in _SEVERAL}
    shared = max(1.0, moved / once) if once else 1.0  # L2 gives a line to several SMs at once that ask for it
    each = {1: known[_SEVERAL[-1]]} | {n: f[f"l2.alike.{n}"] for n in _ALIKE}
    gain = float(np.interp(shared, list(each), list(each.values()))) / each[1]
    l2 = gain * float(np.interp(limits.sms, list(known), list(known.values())))
    written = sum(c.written for c in recorded) / max(1, sum(c.moved for c in recorded))
    kind = "memory.write_bytes_per_cycle" if written > _MOSTLY else "memory.bytes_per_cycle"
    memory = f["memory.copy_bytes_per_cycle" if 1 - _MOSTLY < written <= _MOSTLY else kind] / limits.sms
    bytes_out = min(most, f["l2.write_bytes_per_cycle"] / limits.sms)
    return Share(min(most, l2), bytes_out, min(most, memory), part), (moved, missing)


def _code(record: LaunchRecord, ops: Sequence[Op], where: Sequence[Source]) -> Merged | None:
    """The machine code with its lines of PTX; None without ptxas."""
    if ptxas.find() is None:
        return None
    module = record.program.module
    text = str(module)
    assembly = ptxas.assemble(text, ptxas.architecture(module.target or "sm_90a"), lined=True)
    code = machine_code(assembly.cubin).get(record.program.name)
    if code is None:
        return None
    kept = LineMap(text, "").kept
    return merged(code, ops, [source.line for source in where], kept, record.program)


def _ways(
    code: Merged | None, ops: Sequence[Op], recorded: Sequence[ClusterSteps], chip: ChipTable
) -> tuple[list[Item], dict[int, list[list[list[int]]]], bool]:
    """What is replayed, and where each warp goes in it; whether that is machine code."""
    if code is not None:
        paths = Paths(code.code, code.marks)
        found = {c.index: [[paths.of(w.ops) for w in cta] for cta in c.warps] for c in recorded}
        every = [way for ctas in found.values() for cta in ctas for way in cta]
        missed = sum(way.missed for way in every) / max(1, sum(way.marks for way in every))
        if missed <= MISSED:
            ways = {i: [[way.places for way in cta] for cta in ctas] for i, ctas in found.items()}
            return _items(code, ops, chip), ways, True
    items = plain_items(ops, chip)
    return items, {c.index: [[list(w.ops) for w in cta] for cta in c.warps] for c in recorded}, False


def _items(code: Merged, ops: Sequence[Op], chip: ChipTable) -> list[Item]:
    out: list[Item] = []
    behind = [*(one.name for one in code.code[1:]), ""]
    for one, op, carries, after in zip(code.code, code.ops, code.carriers, behind, strict=True):
        wide = one.name == "MEMBAR" and after == "ERRBAR"  # a fence beyond the CTA
        name = WIDE_FENCE if wide else one.name
        cost = chip.cost(one.name)
        product = product_of(ops[op], chip) if carries and one.name.endswith("GMMA") else NO_PRODUCT
        written = () if one.written is None else (one.written,)
        out.append(
            Item(
                name,
                op,
                stall=one.stall,
                written=written,
                read=one.read,
                waits=one.waits,
                cost=cost,
                carries=carries,
                product=product,
            )
        )
    return out


def _makespan(durations: Mapping[int, float], limits: Limits, chip: ChipTable) -> float:
    """When the last cluster ends, where each starts as soon as there is room. Those between samples take what lies between."""
    known = sorted(durations)
    each = np.interp(np.arange(limits.clusters), known, [durations[i] for i in known])
    places = [0.0] * limits.at_once
    gap = chip.figures["launch.cycles_per_wave"] * limits.ctas_each / SM_COUNT
    started = 0.0
    for duration in each.tolist():
        started = max(heapq.heappop(places), started + gap)  # one after the other
        heapq.heappush(places, started + duration)
    return max(places)
