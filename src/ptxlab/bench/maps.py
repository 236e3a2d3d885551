"""`ptxlab bench tensormap`: what a tensor map costs, made, looked up and launched, beside the driver's own call."""

from __future__ import annotations

import importlib
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from ptxlab.bench import machine, records
from ptxlab.diag import Diagnostic, terminal

MAKE: Final = 20.0
LOOK_UP: Final = 3.0
LAUNCH: Final = 1.0
_CALLS: Final = 500
_PTX: Final = """\
.version 8.0
.target sm_90a
.address_size 64
.visible .entry mapped(.param .align 64 .b8 a[128], .param .u32 n) { ret; }
.visible .entry plain(.param .u64 a, .param .u32 n) { ret; }
"""

Way = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Row:
    """One way to a map.

    Attributes:
        name: what was timed.
        best, median: microseconds a call, over batches.
        limit: microseconds that it may take; None where nothing was promised.
    """

    name: str
    best: float
    median: float
    limit: float | None = None

    @property
    def kept(self) -> bool:
        """Whether the best time is within the limit."""
        return self.limit is None or self.best <= self.limit


def measure(batches: int = 40) -> list[Row]:
    """Time every way on this machine; those that need a GPU are left out where there is none.

    Batches of the ways alternate, so that other work on the machine meets all of them.
    """
    ways = {**_made(), **_looked_up(), **_of_the_driver()}
    rows = _timed({name: way for name, (way, _) in ways.items()}, batches)
    out = [Row(name, *rows[name], ways[name][1]) for name in ways]
    return [*out, *_launched(batches)]


def _timed(ways: dict[str, Way], batches: int) -> dict[str, tuple[float, float]]:
    times: dict[str, list[float]] = {name: [] for name in ways}
    for batch in range(batches + 2):
        for name, way in ways.items():
            start = time.perf_counter()
            for _ in range(_CALLS):
                way()
            if batch >= 2:  # the first ones fill caches
                times[name].append((time.perf_counter() - start) / _CALLS * 1e6)
    return {name: (min(found), statistics.median(found)) for name, found in times.items()}


def _made() -> dict[str, tuple[Way, float | None]]:
    from ptxlab.layout import TensorMap

    flat: dict[str, Any] = {"dims": (8192, 8192), "strides": (16384,), "box": (64, 128)}
    deep: dict[str, Any] = {
        "dims": (64, 32, 16, 8, 4),
        "strides": (128, 4096, 65536, 524288),
        "box": (64, 4, 2, 2, 1),
        "element_strides": (1, 2, 1, 1, 1),
    }
    window: dict[str, Any] = {
        "dims": (64, 56, 56, 32),
        "strides": (128, 7168, 401408),
        "lower": (-1, -1),
        "upper": (-1, -1),
        "channels": 64,
        "pixels": 128,
    }
    common: dict[str, Any] = {"dtype": "bf16", "address": 1 << 40, "swizzle": "128B", "l2_promotion": "256B"}
    return {
        "TensorMap.tiled + encode, rank 2": (lambda: TensorMap.tiled(**common, **flat).encode(), MAKE),
        "TensorMap.tiled + encode, rank 5": (lambda: TensorMap.tiled(**common, **deep).encode(), MAKE),
        "TensorMap.im2col + encode, rank 4": (lambda: TensorMap.im2col(**common, **window).encode(), MAKE),
        "TensorMap.decode": (lambda data=TensorMap.tiled(**common, **flat).encode(): TensorMap.decode(data), None),
    }


def _looked_up() -> dict[str, tuple[Way, float | None]]:
    import numpy as np

    import ptxlab as px

    arrays: dict[str, Any] = {
        "NumPy float32": px.empty((512, 512), np.float32),
        "NumPy bfloat16": px.empty((512, 512), "bfloat16"),
    }
    torch, cupy = _on_the_gpu("torch"), _on_the_gpu("cupy")
    if torch is not None:
        arrays["torch bfloat16"] = torch.zeros((512, 512), dtype=torch.bfloat16, device="cuda")
    if cupy is not None:
        arrays["CuPy float32"] = cupy.zeros((512, 512), np.float32)

    def way(array: Any) -> Way:
        inner = 32 if "float32" in str(array.dtype) else 64
        return lambda: px.tensor_map(array, (64, inner), swizzle="128B").encode()

    return {f"px.tensor_map of an array of before, {name}": (way(a), LOOK_UP) for name, a in arrays.items()}


def _on_the_gpu(library: str) -> Any:
    """A library of arrays, where it is installed and has a GPU."""
    try:
        found = importlib.import_module(library)
        return found if found.cuda.is_available() else None
    except Exception:  # whatever a half-installed library raises
        return None


def _of_the_driver() -> dict[str, tuple[Way, float | None]]:
    """The driver's own call, through cuda-bindings; empty where there is no driver."""
    from ptxlab.cuda.driver import bindings, device

    try:
        device().adopt()
        api = bindings()
    except Diagnostic:
        return {}
    dims, strides = [api.cuuint64_t(8192)] * 2, [api.cuuint64_t(16384)]
    box, ones = [api.cuuint32_t(n) for n in (64, 128)], [api.cuuint32_t(1)] * 2
    modes = (
        api.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE,
        api.CUtensorMapSwizzle.CU_TENSOR_MAP_SWIZZLE_128B,
        api.CUtensorMapL2promotion.CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
        api.CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
    )
    kind = api.CUtensorMapDataType.CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
    arguments = (kind, 2, 1 << 40, dims, strides, box, ones, *modes)  # in the driver's order
    return {
        "cuTensorMapEncodeTiled, cuda-bindings": (
            lambda: api.cuTensorMapEncodeTiled(*arguments),
            None,
        )
    }


def _launched(batches: int) -> list[Row]:
    """What a map adds to a prepared launch: the launch with one, less the launch with a pointer. Empty without a GPU."""
    import numpy as np

    import ptxlab as px
    from ptxlab.bench.launch import DeviceMemory
    from ptxlab.cuda.driver import device
    from ptxlab.cuda.streams import synchronized

    try:
        gpu = device()
    except Diagnostic:
        return []
    memory = DeviceMemory(gpu, 1 << 16)
    try:
        module, n = px.parse(_PTX), np.uint32(7)
        made = px.tensor_map(memory, (256,))
        launches: dict[str, Way] = {
            "prepared launch with a map": module["mapped"].prepare(grid=1, block=1, args=[made, n]),
            "prepared launch with a pointer": module["plain"].prepare(grid=1, block=1, args=[memory, n]),
        }
        times: dict[str, list[float]] = {name: [] for name in launches}
        for batch in range(batches + 2):
            for name, way in launches.items():
                start = time.perf_counter()
                for _ in range(_CALLS):
                    way()
                spent = time.perf_counter() - start
                synchronized()
                if batch >= 2:
                    times[name].append(spent / _CALLS * 1e6)
    finally:
        memory.free()
    found = {name: (min(t), statistics.median(t)) for name, t in times.items()}
    (best, median), (plain, middle) = found.values()
    out = [Row(name, *pair) for name, pair in found.items()]
    return [
        *out,
        Row("what the map adds to a prepared launch", max(0.0, best - plain), max(0.0, median - middle), LAUNCH),
    ]


def table(rows: list[Row]) -> Table:
    """The rows for people."""
    out = Table(title="What a tensor map costs from Python")
    out.add_column("call")
    for column in ("best, µs", "median, µs", "promised, µs"):
        out.add_column(column, justify="right")
    for r in rows:
        limit = "" if r.limit is None else f"[{'green' if r.kept else 'bold red'}]≤ {r.limit:g}[/]"
        out.add_row(r.name, f"{r.best:.2f}", f"{r.median:.2f}", limit)
    return out


def main(batches: int = 40, record: Path | None = None, console: Console | None = None) -> int:
    """Measure, print a table, and append one JSON line to `record`.

    Args:
        batches: of 500 calls each; the best one and the median count.
        record: file of JSON lines; None: only print.
        console: where to print; default the terminal.

    Returns: the exit status, 0.

    Raises: Diagnostic PTX2501 for bad options, PTX2500 where the record cannot be written.
    """
    if batches < 1:
        raise Diagnostic("PTX2501", f"--batches {batches} measures nothing.", help="give 1 or more")
    rows = measure(batches)
    (console or terminal.console()).print(table(rows))
    if record is not None:
        made = {"bench": "tensormap", "date": machine.today(), **machine.cpu(), **machine.gpu()}
        records.append(record, made | {"batches": batches, "rows": [asdict(r) for r in rows]})
    return 0
