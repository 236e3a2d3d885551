"""The parts of the conformance run: what each holds, how a chip's results are got, how the simulator is held to them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from ptxlab.conformance.addresses import run as addresses
from ptxlab.conformance.addresses.probes import PROBES
from ptxlab.conformance.functions import run as functions
from ptxlab.conformance.functions.cases import cases as function_cases
from ptxlab.conformance.kernels import digests, run
from ptxlab.conformance.kernels.cases import Case, cases, tails
from ptxlab.conformance.kernels.digests import digest
from ptxlab.conformance.kernels.tensors import tensors
from ptxlab.conformance.micro import run as micros
from ptxlab.conformance.programs import run as programs
from ptxlab.conformance.record import golden
from ptxlab.conformance.record.golden import Golden
from ptxlab.conformance.record.results import NO_DETAILS, Difference, Ran
from ptxlab.conformance.rows import run as rows
from ptxlab.conformance.rows.emit import LANES
from ptxlab.conformance.rows.moves import Move, moves
from ptxlab.conformance.rows.probes import Probe, probes
from ptxlab.conformance.rows.products import ROWS, Product, of_keys, products
from ptxlab.conformance.tma import run as tma
from ptxlab.conformance.tma.devices import Gpu, Simulator
from ptxlab.conformance.tma.kernels import PIECE
from ptxlab.conformance.tma.maps import MAPS
from ptxlab.diag import Diagnostic
from ptxlab.isa.effects import WarpWide
from ptxlab.isa.form import FORMS
from ptxlab.isa.types import TYPES

WARPS: Final = LANES // 32
_OWN_RECORDS: Final = ("tests", "conformance", "h100")
_MATRICES: Final = ("ldmatrix", "stmatrix", "movmatrix")
_ADDRESSES: Final = ("alloca", "stacksave", "stackrestore")
"""Rows whose results are addresses of local memory, which no two machines need share."""


@dataclass(frozen=True, slots=True)
class Unit:
    """The least that a suite runs by itself.

    Attributes:
        name: in its suite.
        family: the file of `isa/rows/`, or "kernels".
        cases: instances on operand vectors; 0 where only running tells.
    """

    name: str
    family: str
    cases: int


@dataclass(slots=True)
class Tally:
    """Cases of a family."""

    instances: int = 0
    cases: int = 0
    different: int = 0

    def add(self, instances: int, cases: int, different: int = 0) -> None:
        """Count further ones."""
        self.instances += instances
        self.cases += cases
        self.different += different


@dataclass(frozen=True, slots=True)
class Finding:
    """What the sanitizer finds in a unit.

    Attributes:
        unit: its name. text: the diagnostic, rendered.
    """

    unit: str
    text: str


@dataclass(slots=True)
class Checked:
    """What became of some units.

    Attributes:
        tallies: by family.
        differences: what differs, with its family. findings: what the sanitizer finds, with its family.
    """

    tallies: dict[str, Tally] = field(default_factory=dict[str, Tally])
    differences: list[tuple[str, Difference]] = field(default_factory=list[tuple[str, Difference]])
    findings: list[tuple[str, Finding]] = field(default_factory=list[tuple[str, Finding]])

    def count(self, family: str, cases: int, instances: int = 1) -> None:
        """Note cases that were compared."""
        self.tallies.setdefault(family, Tally()).add(instances, cases)

    def differs(self, family: str, found: Difference) -> None:
        """Note cases that differ, among those counted."""
        tally = self.tallies.setdefault(family, Tally())
        tally.different += found.count
        self.differences.append((family, found))

    def merge(self, other: Checked) -> None:
        """Take over what another has."""
        for family, t in other.tallies.items():
            self.tallies.setdefault(family, Tally()).add(t.instances, t.cases, t.different)
        self.differences += other.differences
        self.findings += other.findings


@dataclass(frozen=True, slots=True)
class Suite:
    """One part.

    Attributes:
        name: and stem of its record.
        units: what it holds.
        gpu: results of the GPU for units, on operands of a seed; two runs of the same must agree.
        check: the simulator held to results.
        chunk: units that are run together.
        quick: of how many units one is in the part that is compared by default.
        asked: whether a GPU runs it only where its family is named: what ptxas makes of it is not always what the manual says.
        long: whether all of it is compared only where its family is named: it takes longer than everything else.
    """

    name: str
    units: Callable[[], list[Unit]]
    gpu: Callable[[Sequence[str], int], Ran]
    check: Callable[[Sequence[str], Golden], Checked]
    chunk: int
    quick: int
    asked: bool = False
    long: bool = False

    def on_gpu(self, named: Sequence[str]) -> list[Unit]:
        """What a GPU runs of it where these families are named; none: all."""
        units = self.units()
        return [u for u in units if u.family in named or not (named or self.asked)]

    def read(self, folder: Path) -> Golden | None:
        """Its record; None where there is none. Raises: Diagnostic PTX2500 for a file that is no record."""
        path = folder / f"{self.name}.npz"
        return golden.read(path) if path.exists() else None

    def recorded(self, found: Golden) -> list[Unit]:
        """Units that a record holds."""
        return [u for u in self.units() if u.cases == 0 or found.holds(u.name)]

    def counted(self, found: Golden) -> list[tuple[str, int]]:
        """Families and cases of results that no unit counts."""
        return [_map_cases(key) for key in found.keys] if any(u.cases == 0 for u in self.units()) else []


# --- instances of computing rows, products of warp groups, matrices of wmma -----------------------------------------------
def cases_of(probe: Probe) -> int:
    """Operand vectors: a lane's; a warp's where lanes look at each other; row and column for each element of a product."""
    if probe.form.name in _MATRICES:
        return WARPS
    if not isinstance(probe.form.effect, WarpWide):
        return LANES
    return LANES * len(probe.outputs) if "mma" in probe.form.name else WARPS


def _row_units() -> list[Unit]:
    computed = [Unit(p.key, p.form.family, cases_of(p)) for p in probes() if p.form.name not in _ADDRESSES]
    multiplied = [Unit(p.key, "wgmma", ROWS * p.n) for p in products()]
    return [*computed, *multiplied, *(Unit(m.key, "wmma", 1) for m in moves())]


def _parted(keys: Iterable[str]) -> tuple[list[Probe], list[Product], list[Move]]:
    chosen: list[Probe] = []
    multiplied: list[str] = []
    moved: list[Move] = []
    for key in keys:
        if key.startswith("wgmma "):
            multiplied.append(key)
        elif key.startswith("move "):
            moved.append(Move.of_key(key))
        else:
            chosen.append(Probe.of_key(key))
    return chosen, of_keys(multiplied), moved


def _row_gpu(keys: Sequence[str], seed: int) -> Ran:
    chosen, multiplied, moved = _parted(keys)
    return rows.run(rows.gpu, chosen, multiplied, seed, moved)


def _row_check(keys: Sequence[str], recorded: Golden) -> Checked:
    out = Checked()
    units = {u.name: u for u in _of_keys(keys)}
    for unit in units.values():
        out.count(unit.family, unit.cases)
    for found in rows.differences(recorded, keys):
        unit = units[found.key]
        cases = min(unit.cases, found.count)
        out.differs(unit.family, Difference(found.key, found.text, cases, unit.cases, found.examples))
    return out


def _of_keys(keys: Sequence[str]) -> list[Unit]:
    chosen, multiplied, moved = _parted(keys)
    return [
        *(Unit(p.key, p.form.family, cases_of(p)) for p in chosen),
        *(Unit(p.key, "wgmma", ROWS * p.n) for p in multiplied),
        *(Unit(m.key, "wmma", 1) for m in moved),
    ]


# --- micro-kernels ----------------------------------------------------------------------------------------------------------
def _micro_units() -> list[Unit]:
    return [Unit(m.key, m.family, m.cases) for m in micros.micros().values()]


def _micro_gpu(keys: Sequence[str], seed: int) -> Ran:
    return micros.run(rows.gpu, list(micros.named(keys).values()), seed)


def _micro_check(keys: Sequence[str], recorded: Golden) -> Checked:
    out = Checked()
    chosen = micros.named(keys)
    ran = micros.run(rows.simulator, list(chosen.values()), recorded.seed)
    for key, micro in chosen.items():
        if ran.operands[key] != recorded.operands[key]:
            raise Diagnostic("PTX2500", f"The operands of {key} are not those of the record.", help="record it again")
        out.count(micro.family, micro.cases)
    for found in micros.differences(recorded, ran, list(chosen.values())):
        out.differs(chosen[found.key].family, found)
    return out


# --- random programs --------------------------------------------------------------------------------------------------------
def _program_units() -> list[Unit]:
    return [Unit(k, programs.FAMILY, programs.cases()) for k in programs.names()]


def _program_gpu(keys: Sequence[str], seed: int) -> Ran:
    return programs.run(programs.gpu, programs.assembled(keys, seed), seed)


def _program_check(keys: Sequence[str], recorded: Golden) -> Checked:
    out = Checked()
    for _ in keys:
        out.count(programs.FAMILY, programs.cases())
    for found in programs.check(keys, recorded):
        out.differs(programs.FAMILY, found)
    return out


# --- tensor maps and copies through them ----------------------------------------------------------------------------------
_PART_FAMILY: Final = {"replace": "tensormap", "rebound": "tensormap", "bulk": "reduce"}


def _map_units() -> list[Unit]:
    return [Unit(part, _PART_FAMILY.get(part, "tensor"), 0) for part in tma.PARTS]


def _map_gpu(parts: Sequence[str], seed: int) -> Ran:
    return tma.run(Gpu(), seed, parts)


def _map_check(parts: Sequence[str], recorded: Golden) -> Checked:
    out = Checked()
    ran = tma.run(Simulator(), recorded.seed, parts)
    for key in ran.results:
        out.count(*_map_cases(key))
    for key in tma.differences(recorded, ran):
        family, cases = _map_cases(key)
        chip, ours = (r[key].tobytes()[:32].hex() if key in r else "" for r in (recorded.results, ran.results))
        out.differs(family, Difference(key, key, 1, cases, (f"chip {chip}, simulator {ours}" if chip else NO_DETAILS,)))
    return out


def _map_cases(key: str) -> tuple[str, int]:
    """Family and cases of a result: maps for a replacement, elements for a bulk reduction, else one copy."""
    first, *rest = key.split(" ")
    cases = {"replace": MAPS, "bulk": PIECE * 8 // TYPES[rest[-1]].bits if first == "bulk" else 1}
    return _PART_FAMILY.get(first, "tensor"), cases.get(first, 1)


FUNCTIONS: Final = "functions"
"""What stands for a family where the cases are results of approximate functions."""


# --- approximate functions ------------------------------------------------------------------------------------------------
def _function_units() -> list[Unit]:
    return [Unit(c.name, FUNCTIONS, c.count) for c in function_cases().values()]


def _function_gpu(names: Sequence[str], seed: int) -> Ran:
    return functions.run(functions.gpu, names, seed)


def _function_check(names: Sequence[str], recorded: Golden) -> Checked:
    out = Checked()
    ran = functions.run(functions.simulator, names, recorded.seed)
    for name in names:
        case = function_cases()[name]
        out.count(FUNCTIONS, case.count)
        chip, ours = (r[name].tobytes().hex() for r in (recorded.results, ran.results))
        if chip != ours:
            shown = f"chip's results have digest {chip}, the simulator's {ours}"
            out.differs(FUNCTIONS, Difference(name, name, case.count, case.count, (shown,)))
    return out


_ONE_IN: Final = 61
"""Of so many cases a GPU runs one, and all whose operands are drawn."""


@dataclass(frozen=True, slots=True)
class _Functions(Suite):
    """Its record is part of the compact one, and belongs to the checkout's as well."""

    def on_gpu(self, named: Sequence[str]) -> list[Unit]:
        units = Suite.on_gpu(self, named)
        parts = {c.name: c.part for c in function_cases().values()}
        return [u for i, u in enumerate(units) if i % _ONE_IN == 0 or parts[u.name] in ("all", "drawn")]

    def read(self, folder: Path) -> Golden | None:
        if not (folder == golden.COMPACT or folder.parts[-3:] == _OWN_RECORDS):
            return None
        return golden.read(golden.COMPACT / f"{self.name}.npz")


# --- addresses of shared memory ---------------------------------------------------------------------------------------------
def _address_units() -> list[Unit]:
    return [Unit(name, "cluster", 1) for name, probe in PROBES.items() if probe.compared]


def _address_gpu(names: Sequence[str], seed: int) -> Ran:
    return _answers(addresses.gpu_answers(names))


def _answers(found: Mapping[str, object]) -> Ran:
    results = {name: np.frombuffer(json.dumps(answer).encode(), np.uint8) for name, answer in found.items()}
    return Ran(results, dict.fromkeys(found, 0))


def _address_check(names: Sequence[str], recorded: Golden) -> Checked:
    out = Checked()
    for name in names:
        wanted = {name: json.loads(recorded.results[name].tobytes())}
        out.count("cluster", 1)
        found = addresses.differences({name: addresses.simulated(PROBES[name])}, wanted)
        if found:
            out.differs("cluster", Difference(name, name, 1, 1, tuple(found[:3])))
    return out


# --- whole kernels ----------------------------------------------------------------------------------------------------------
KERNELS: Final = "kernels"
"""What stands for a family where the cases are kernels of `kernels/`."""


def _kernels() -> dict[str, Case]:
    return {c.key: c for c in (*cases(), *tails(), *tensors())}


def _kernel_units() -> list[Unit]:
    return [Unit(key, KERNELS, 1) for key in _kernels()]


def _kernel_run(device: run.Device, keys: Sequence[str]) -> Ran:
    known = _kernels()
    outputs = {k: device(known[k], known[k].arrays("random")).output for k in keys}
    return Ran(
        {k: np.frombuffer(bytes.fromhex(digest(v)), np.uint8) for k, v in outputs.items()}, dict.fromkeys(keys, 0)
    )


def _kernel_gpu(keys: Sequence[str], seed: int) -> Ran:
    return _kernel_run(run.gpu, keys)


def _kernel_check(keys: Sequence[str], recorded: Golden) -> Checked:
    out = Checked()
    ran = _kernel_run(run.simulator, keys)
    for key in keys:
        out.count(KERNELS, 1)
        chip, ours = recorded.results[key].tobytes().hex(), ran.results[key].tobytes().hex()
        if chip != ours:
            shown = f"chip's output has digest {chip[:16]}…, the simulator's {ours[:16]}…"
            out.differs(KERNELS, Difference(key, key, 1, 1, (shown,)))
    return out


@dataclass(frozen=True, slots=True)
class _Kernels(Suite):
    """Its record is the package's own, and belongs to the checkout's record and to the compact one."""

    def read(self, folder: Path) -> Golden | None:
        found = digests.read()
        if not (folder == golden.COMPACT or folder.parts[-3:] == _OWN_RECORDS) or not found.digests:
            return None
        results = {k: np.frombuffer(bytes.fromhex(d), np.uint8) for k, d in found.digests.items()}
        made = {n: getattr(found, n) for n in ("gpu", "driver", "cuda", "ptxas", "date")}
        return Golden(**made, results=results, operands=dict.fromkeys(results, 0))


@dataclass(frozen=True, slots=True)
class _Addresses(Suite):
    def read(self, folder: Path) -> Golden | None:
        path = folder / f"{self.name}.json"
        if not path.exists():
            return None
        try:
            found = json.loads(path.read_text())
            ran = _answers(found.pop("answers"))
            return Golden(**found, results=ran.results, operands=ran.operands)
        except (OSError, ValueError, TypeError, KeyError) as e:
            raise Diagnostic("PTX2500", f"{path} is no record of addresses: {e}.", help="record it again") from None


SUITES: Final = {
    s.name: s
    for s in (
        Suite("rows", _row_units, _row_gpu, _row_check, chunk=120, quick=10),
        Suite("micro", _micro_units, _micro_gpu, _micro_check, chunk=48, quick=6),
        Suite("programs", _program_units, _program_gpu, _program_check, chunk=6, quick=12, asked=True),
        Suite("tma", _map_units, _map_gpu, _map_check, chunk=1, quick=3),
        _Functions(FUNCTIONS, _function_units, _function_gpu, _function_check, chunk=4, quick=400, long=True),
        _Addresses("addresses", _address_units, _address_gpu, _address_check, chunk=20, quick=4),
        _Kernels(KERNELS, _kernel_units, _kernel_gpu, _kernel_check, chunk=4, quick=12),
    )
}


def families() -> list[str]:
    """Files of `isa/rows/` that hold computing or moving forms of sm_90a, in their order."""
    from ptxlab.isa.effects import Fence, Hint

    named = [f for f in FORMS.values() if not f.unsimulated and not isinstance(f.effect, Hint)]
    fences = {f.family for f in FORMS.values() if isinstance(f.effect, Fence)}
    return list(dict.fromkeys(f.family for f in named if f.family in fences or not isinstance(f.effect, Fence)))
