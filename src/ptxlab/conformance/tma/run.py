"""Running tensor maps, and copies and reductions through them, on a device, and what differs from a record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

import numpy as np

from ptxlab.conformance.record.golden import Golden, crc, digest
from ptxlab.conformance.record.results import Ran
from ptxlab.conformance.rows.values import column
from ptxlab.conformance.tma import maps as tma_maps
from ptxlab.conformance.tma.cases import REGION, Case, Setting, cases
from ptxlab.conformance.tma.devices import Bytes, Device, run_loads, run_stores
from ptxlab.conformance.tma.kernels import PIECE, bulk_reduction
from ptxlab.diag import Diagnostic
from ptxlab.isa.types import TYPES

LOADS: Final = {"tile": 1200, "im2col": 1200, "interleaved": 600, "converted": 40}
STORES: Final = {"tile": 300, "im2col": 200}
INSIDE: Final = Setting(REGION, outside=False)
REDUCED: Final = {
    "add": ("u32", "s32", "u64", "f16", "bf16", "f32", "f32_ftz", "f64", "tf32", "tf32_ftz"),
    **dict.fromkeys(("min", "max"), ("u32", "s32", "u64", "s64", "f16", "bf16")),
    **dict.fromkeys(("inc", "dec"), ("u32",)),
    **dict.fromkeys(("and", "or", "xor"), ("u32", "s32", "u64")),
}
"""Element types of maps that reductions take; an H100 faults on all others."""
REBOUND: Final = 60
EACH: Final = 6
"""Cases of each pair of reduction and element type."""


def run(device: Device, seed: int, parts: Iterable[str] | None = None) -> Ran:
    """Run some parts, or all. Raises: Diagnostic as the launches do."""
    out = Ran({}, {})
    for part in PARTS if parts is None else parts:
        PARTS[part](device, seed, out)
    return out


def _note(out: Ran, key: str, operands: Bytes, *results: Bytes) -> None:
    """Note what went in and what was left behind."""
    out.results[key] = np.concatenate([r.reshape(-1).view(np.uint8) for r in results])
    out.operands[key] = crc(operands)


def _replacements(device: Device, seed: int, out: Ran) -> None:
    for one in tma_maps.replacements():
        values = np.concatenate([one.maps(seed).reshape(-1), one.values(seed).view(np.uint8)])
        _note(out, one.key, values, one.run(device, seed))


def _rebound(device: Device, seed: int, out: Ran) -> None:
    for case, template, staged in tma_maps.rebound_cases(REBOUND, seed):
        made, data, state = tma_maps.rebound(device, case, template, staged=staged)
        _note(out, case.key, case.operands, made, _digest(data, np.uint64(state)))
        born = run_loads(device, [case])[case.key]
        _note(out, f"{case.key} from the host", case.operands, _digest(born[0], np.uint64(born[1])))


def _loads(device: Device, seed: int, out: Ran) -> None:
    for kind, count in LOADS.items():
        for some in _alike(cases(kind, count, seed)):
            found = run_loads(device, some)
            for case in some:
                data, state = found[case.key]
                _note(out, case.key, case.operands, _digest(data, np.uint64(state)))


def _stores(device: Device, seed: int, out: Ran) -> None:
    for kind, count in STORES.items():
        drawn = [replace(c, key=f"store {c.key}") for c in cases(kind, count, f"{seed} store", INSIDE)]
        _combine(device, seed, drawn, None, out)


def _reductions(device: Device, seed: int, out: Ran) -> None:
    for kind in STORES:
        for op, types in REDUCED.items():
            for dtype in types:
                drawn = [
                    replace(c, key=f"{op} {dtype} {c.key}")
                    for c in cases(kind, EACH, f"{seed} {op} {dtype}", replace(INSIDE, dtypes=(dtype,)))
                ]
                _combine(device, seed, drawn, op, out)


def _combine(device: Device, seed: int, drawn: Sequence[Case], op: str | None, out: Ran) -> None:
    for some in _alike(drawn):
        found = run_stores(device, some, op, seed)
        for case in some:
            _note(out, case.key, case.operands, _digest(found[case.key]))


GLOBAL: Final = {
    "add": ("u32", "s32", "u64", "f16", "bf16", "f32", "f64"),
    "min": ("u32", "s32", "u64", "s64", "f16", "bf16"),
    "max": ("u32", "s32", "u64", "s64", "f16", "bf16"),
    **dict.fromkeys(("inc", "dec"), ("u32",)),
    **dict.fromkeys(("and", "or", "xor"), ("b32", "b64")),
}
SHARED: Final = {
    "add": ("u32", "s32", "u64"),
    **dict.fromkeys(("min", "max"), ("u32", "s32")),
    **dict.fromkeys(("inc", "dec"), ("u32",)),
    **dict.fromkeys(("and", "or", "xor"), ("b32",)),
}
"""Types that cp.reduce.async.bulk takes for each operation, in global and in shared memory."""


def _bulk(device: Device, seed: int, out: Ran) -> None:
    for space, table, ctas in (("global", GLOBAL, 1), ("shared::cluster", SHARED, 2)):
        for op, type_ in ((op, t) for op, types in table.items() for t in types):
            key = f"bulk {space} {op} {type_}"
            size = TYPES[type_].bits // 8
            source, target = (
                column(TYPES[type_], ctas * PIECE // size, seed, key, i).astype(f"<u{size}").view(np.uint8)
                for i in range(2)
            )
            memory = device.put(target)
            device.launch(
                bulk_reduction(op, type_, space), ctas, [device.put(source), memory], cluster=ctas if ctas > 1 else None
            )
            _note(out, key, np.concatenate([source, target]), device.get(memory))


Part = Callable[[Device, int, Ran], None]
PARTS: Final[dict[str, Part]] = {
    "replace": _replacements,
    "rebound": _rebound,
    "loads": _loads,
    "stores": _stores,
    "reductions": _reductions,
    "bulk": _bulk,
}


def _alike(drawn: Sequence[Case]) -> Iterator[list[Case]]:
    """Cases of one mode and one rank, which one kernel runs."""

    def kernel(case: Case) -> tuple[str, int]:
        return case.mode, case.map.rank

    for _, some in groupby(sorted(drawn, key=kernel), kernel):
        yield list(some)


def _digest(*results: Bytes | np.uint64) -> Bytes:
    """The first bytes of a SHA-256 of all the bytes."""
    whole = b"".join(np.asarray(r).tobytes() for r in results)
    return np.frombuffer(digest(np.frombuffer(whole, np.uint8)), np.uint8)


def differences(recorded: Golden, ran: Ran) -> list[str]:
    """Keys whose results differ from a record.

    Raises: Diagnostic PTX2500 where the operands are no longer those of the record.
    """
    changed = [k for k, v in ran.operands.items() if recorded.operands.get(k) != v]
    if changed:
        raise Diagnostic(
            "PTX2500",
            f"The operands of {len(changed)} cases are not those of the record: {', '.join(changed[:3])}.",
            help="record them again",
        )
    return [k for k, v in ran.results.items() if not recorded.same(k, v)]
