"""Tensor maps, copies and reductions through them, held against a chip.

`python -m ptxlab.conformance.tma.run record FILE` on a GPU, `compare FILE` anywhere, `again FILE` to hold a GPU to the record.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Final

import numpy as np

from ptxlab.conformance.record import golden
from ptxlab.conformance.record.golden import Golden, crc
from ptxlab.conformance.rows.values import column
from ptxlab.conformance.tma import maps as tma_maps
from ptxlab.conformance.tma.cases import REGION, Case, Setting, cases
from ptxlab.conformance.tma.devices import Bytes, Device, Gpu, Simulator, run_loads, run_stores
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
_DIGEST: Final = 8


@dataclass(frozen=True, slots=True)
class Ran:
    """What was left behind, and the CRC-32 of what went in, by key."""

    results: dict[str, Bytes]
    operands: dict[str, int]

    def add(self, key: str, operands: Bytes, *results: Bytes) -> None:
        """Note a case."""
        self.results[key] = np.concatenate([r.reshape(-1).view(np.uint8) for r in results])
        self.operands[key] = crc(operands)


def run(device: Device, seed: int) -> Ran:
    """Run everything. Raises: Diagnostic as the launches do."""
    out = Ran({}, {})
    for part in PARTS.values():
        part(device, seed, out)
    return out


def _replacements(device: Device, seed: int, out: Ran) -> None:
    for one in tma_maps.replacements():
        values = np.concatenate([one.maps(seed).reshape(-1), one.values(seed).view(np.uint8)])
        out.add(one.key, values, one.run(device, seed))


def _rebound(device: Device, seed: int, out: Ran) -> None:
    for case, template, staged in tma_maps.rebound_cases(REBOUND, seed):
        made, data, state = tma_maps.rebound(device, case, template, staged=staged)
        out.add(case.key, case.operands, made, _digest(data, np.uint64(state)))
        born = run_loads(device, [case])[case.key]
        out.add(f"{case.key} from the host", case.operands, _digest(born[0], np.uint64(born[1])))


def _loads(device: Device, seed: int, out: Ran) -> None:
    for kind, count in LOADS.items():
        for some in _alike(cases(kind, count, seed)):
            found = run_loads(device, some)
            for case in some:
                data, state = found[case.key]
                out.add(case.key, case.operands, _digest(data, np.uint64(state)))


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
            out.add(case.key, case.operands, _digest(found[case.key]))


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
            out.add(key, np.concatenate([source, target]), device.get(memory))


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
    return np.frombuffer(hashlib.sha256(whole).digest()[:_DIGEST], np.uint8)


# --- record and comparison ----------------------------------------------------------------------------------------------
def record(path: Path, seed: int = 0) -> Golden:
    """Run everything on GPU 0 twice and write what came out.

    Raises: Diagnostic PTX2304, PTX2422 without a GPU; PTX2423 where it is no Hopper; PTX2420 where a kernel fails, two runs differ,
    or a map that a kernel made loads other bytes than the host's: nothing is written then.
    """
    from ptxlab.bench import machine
    from ptxlab.conformance.record.chip import assembler
    from ptxlab.cuda.driver import device

    found = device()
    if found.capability != (9, 0):
        raise Diagnostic(
            "PTX2423", f"Copies are recorded on Hopper; this is a {found.name}.", help="use an H100 or H200"
        )
    first, second = (run(Gpu(), seed) for _ in range(2))
    unsteady = [k for k, v in first.results.items() if not np.array_equal(v, second.results[k])]
    if unsteady:
        raise Diagnostic("PTX2420", f"{len(unsteady)} cases gave two results: {', '.join(unsteady[:5])}.")
    strange = strangers(first.results)
    if strange:
        raise Diagnostic("PTX2420", f"Maps made on the GPU load other bytes than the host's: {', '.join(strange[:5])}.")
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


def strangers(results: Mapping[str, Bytes]) -> list[str]:
    """Rebound maps that load other bytes than those that the host made."""
    pairs = [(k, k.removesuffix(" from the host")) for k in results if k.endswith(" from the host")]
    return [ours for host, ours in pairs if not np.array_equal(results[host], results[ours][-_DIGEST:])]


def differences(recorded: Golden, device: Device, parts: Iterable[str] = PARTS) -> list[str]:
    """Keys whose results differ from a record.

    Raises: Diagnostic PTX2500 where the operands are no longer those of the record.
    """
    ran = Ran({}, {})
    for part in parts:
        PARTS[part](device, recorded.seed, ran)
    changed = [k for k, v in ran.operands.items() if recorded.operands.get(k) != v]
    if changed:
        raise Diagnostic(
            "PTX2500",
            f"The operands of {len(changed)} cases are not those of the record: {', '.join(changed[:3])}.",
            help="record them again",
        )
    return [k for k, v in ran.results.items() if not np.array_equal(v, recorded.results[k])]


def main(arguments: Sequence[str]) -> int:
    """`record FILE [SEED]`, `compare FILE` or `again FILE`."""
    if len(arguments) < 2 or arguments[0] not in ("record", "compare", "again"):
        print("usage: python -m ptxlab.conformance.tma.run record|compare|again FILE [SEED]", file=sys.stderr)
        return 2
    path = Path(arguments[1])
    try:
        if arguments[0] == "record":
            made = record(path, int(arguments[2]) if len(arguments) > 2 else 0)
            print(f"{len(made.results)} results in {path}, {path.stat().st_size} bytes: {made.provenance}")
            return 0
        recorded = golden.read(path)
        found = differences(recorded, Simulator() if arguments[0] == "compare" else Gpu())
    except Diagnostic as d:
        print(d, file=sys.stderr)
        return 1
    for key in found:
        print(key)
    print(f"{len(found)} of {len(recorded.results)} differ from {recorded.provenance}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
