"""Which tiling was fastest when it was measured: what `ptxlab tune` keeps on disk.

A choice holds for one GPU model, driver and state of these kernels' source (`px.TuningCache`). The simulator does not use
them, so a product on NumPy arrays always has the model's tiling; name `config=` to compute the bytes of a tuned one there.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ptxlab import ArrayView, Device, TuningCache, device_of
from ptxlab.kernels.blocks.choice import Shape
from ptxlab.kernels.blocks.tiling import Tiling

_ignored: ContextVar[bool] = ContextVar("ptxlab_tuned_ignored", default=False)
_KERNELS = Path(__file__).resolve().parents[1]


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


def keep(device: Device, tuned: Tuned) -> None:
    """Remember a measurement, in the place of an earlier one of the same product."""
    _write(device, [*({t.shape: t for t in kept(device)} | {tuned.shape: tuned}).values()])


def find(device: Device, shape: Shape) -> Tuned | None:
    """The measurement of a product; None where there is none."""
    return _by_shape(device).get(shape)


def kept(device: Device) -> list[Tuned]:
    """All measurements that hold for a machine."""
    return [*_by_shape(device).values()]


def forget(device: Device) -> int:
    """Remove what was measured on a machine. Returns the number of measurements."""
    known = len(kept(device))
    _write(device, [])
    return known


def chosen(array: ArrayView, shape: Shape) -> Tiling | None:
    """The tiling that was fastest for a product on the GPU where this array lies; None where nobody has measured it."""
    device = device_of(array)
    found = None if _ignored.get() or device.ordinal is None else find(device, shape)
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
def _by_shape(device: Device) -> dict[Shape, Tuned]:
    """What is on disk. An entry of this version can be read: its name depends on the source, and its content is hashed."""
    entries: list[dict[str, Any]] = _disk().read(device) or []
    made = (Tuned(Shape(**one.pop("shape")), **one) for one in entries)
    return {tuned.shape: tuned for tuned in made}


def _write(device: Device, known: list[Tuned]) -> None:
    _disk().write(device, [asdict(t) for t in known])
    _by_shape.cache_clear()


@cache
def _disk() -> TuningCache:
    return TuningCache([*_KERNELS.glob("gemm*.py"), *(_KERNELS / "blocks").glob("*.py")])
