"""Which tiling was fastest when it was measured: what `ptxlab tune` keeps on disk.

A choice holds for one GPU model, driver and state of these kernels' source: any other does not see it. The simulator does not use
them, so a product on NumPy arrays always has the model's tiling; name `config=` to compute the bytes of a tuned one there.
"""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ptxlab.abi import cache as disk
from ptxlab.kernels.blocks.choice import Shape
from ptxlab.kernels.blocks.tiling import Tiling
from ptxlab.launch.arrays import ArrayView, gpu_of

KIND = "tuned"
_ignored: ContextVar[bool] = ContextVar("ptxlab_tuned_ignored", default=False)
_KERNELS = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Machine:
    """What a measurement holds for.

    Attributes:
        name: of the GPU. sms: its multiprocessors. driver: the version of CUDA that the driver serves.
    """

    name: str
    sms: int
    driver: tuple[int, int]

    @property
    def words(self) -> tuple[str, ...]:
        """What names entries of this machine."""
        return (self.name, str(self.sms), ".".join(map(str, self.driver)), _source())


@dataclass(frozen=True, slots=True)
class Tuned:
    """What was measured for a product.

    Attributes:
        config: the fastest tiling, as `Tiling.named` takes it. model: the one that the cost model chooses.
        seconds, model_seconds: medians of a launch of each.
    """

    shape: Shape
    config: str
    model: str
    seconds: float
    model_seconds: float


def machine_of(array: ArrayView) -> Machine | None:
    """The machine whose measurements hold for a product with this array; None in the simulator."""
    found = gpu_of(array)
    return Machine(*found) if found is not None else None


def keep(machine: Machine, tuned: Tuned) -> None:
    """Remember a measurement, in the place of an earlier one of the same product."""
    _write(machine, [*({t.shape: t for t in kept(machine)} | {tuned.shape: tuned}).values()])


def find(machine: Machine, shape: Shape) -> Tuned | None:
    """The measurement of a product; None where there is none."""
    return _by_shape(machine).get(shape)


def kept(machine: Machine) -> list[Tuned]:
    """All measurements that hold for a machine."""
    return [*_by_shape(machine).values()]


def forget(machine: Machine) -> int:
    """Remove what was measured on a machine. Returns the number of measurements."""
    known = len(kept(machine))
    _write(machine, [])
    return known


def chosen(array: ArrayView, shape: Shape) -> Tiling | None:
    """The tiling that was fastest for a product on the GPU where this array lies; None where nobody has measured it."""
    machine = None if _ignored.get() else machine_of(array)
    found = find(machine, shape) if machine is not None else None
    return shape.cut(Tiling.named(found.config)) if found else None


@contextmanager
def ignored() -> Generator[None]:
    """Choose by the model alone, as the simulator does: for results that are compared with recorded bytes."""
    token = _ignored.set(True)
    try:
        yield
    finally:
        _ignored.reset(token)


@cache
def _by_shape(machine: Machine) -> dict[Shape, Tuned]:
    """What is on disk. An entry of this version can be read: its name depends on the source, and its content is hashed."""
    raw = disk.read(KIND, disk.key(*machine.words))
    entries: list[dict[str, Any]] = json.loads(raw) if raw else []
    made = (Tuned(Shape(**one.pop("shape")), **one) for one in entries)
    return {tuned.shape: tuned for tuned in made}


def _write(machine: Machine, known: list[Tuned]) -> None:
    disk.write(KIND, disk.key(*machine.words), json.dumps([asdict(t) for t in known]).encode())
    _by_shape.cache_clear()


@cache
def _source() -> str:
    """A digest of the kernels: measurements of others say nothing about these."""
    files = sorted([*_KERNELS.glob("gemm*.py"), *(_KERNELS / "blocks").glob("*.py")])
    return disk.key(*(file.read_bytes() for file in files))
