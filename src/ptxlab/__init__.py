"""Write, check, simulate and run GPU kernels at the PTX level.

`import ptxlab as px`; names are loaded when they are first used.

PYTEST_DONT_REWRITE: without this word pytest warns where ptxlab, which brings a plugin, has been imported before it.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import Any

__version__ = "0.3.0"

_HOMES = {
    "ptxlab.abi.arrays": "ArrayView is_array",
    "ptxlab.abi.maps": "BoundMap tensor_map",
    "ptxlab.checks": "check",
    "ptxlab.cuda.ptxas": "Resources",
    "ptxlab.diag": "Diagnostic Severity Span user_span",
    "ptxlab.lang.builder": "Builder",
    "ptxlab.lang.maps.rebind": "MapSlot",
    "ptxlab.lang.matrices": "MatrixRegisters",
    "ptxlab.lang.module": "ModuleBuilder module",
    "ptxlab.lang.smem.barriers": "Mbarrier",
    "ptxlab.lang.smem.ring": "Ring Slot",
    "ptxlab.lang.smem.tile": "Tile",
    "ptxlab.lang.to_python": "to_python",
    "ptxlab.lang.trace.types": "Ptr pred b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 "
    "f16 f16x2 bf16 bf16x2 f32 f64 tf32 e4m3 e5m2",
    "ptxlab.lang.trace.values": "Address Register Registers",
    "ptxlab.launch.arrays": "array_view empty",
    "ptxlab.launch.certify": "certify",
    "ptxlab.launch.compare": "compare",
    "ptxlab.launch.compared": "ComparedRun Comparison Mismatch",
    "ptxlab.launch.debug": "debug",
    "ptxlab.launch.devices": "Device device_of devices",
    "ptxlab.launch.explore": "explore",
    "ptxlab.launch.explored": "Difference Exploration ExploredRun",
    "ptxlab.launch.from_triton": "TritonKernel triton",
    "ptxlab.launch.kernel": "Kernel kernel",
    "ptxlab.launch.module": "Module link load parse",
    "ptxlab.launch.multicast": "multicast",
    "ptxlab.launch.processes": "Process",
    "ptxlab.launch.prepare": "Launch",
    "ptxlab.launch.redundant": "Redundancy redundant",
    "ptxlab.launch.simulate": "simulate",
    "ptxlab.launch.sources": "sources",
    "ptxlab.launch.graphs": "Graph",
    "ptxlab.launch.streams": "Event Stream copy synchronize",
    "ptxlab.launch.symbol": "Symbol",
    "ptxlab.launch.tuning": "TuningCache",
    "ptxlab.launch.warn": "PtxWarning",
    "ptxlab.launch.watch": "launches_left_out",
    "ptxlab.layout": "Im2col MatrixFragment Metadata TensorMap fragment sparse_metadata",
    "ptxlab.memory_model": "Verdict litmus",
    "ptxlab.operators.arrays": "Array empty_like zeros_like",
    "ptxlab.operators.operator": "Operator operator",
    "ptxlab.reference.explain": "explain",
    "ptxlab.sim.diagnose.debug.debugger": "Breakpoint Debugger Where",
    "ptxlab.sim.report.certificate": "Certificate",
    "ptxlab.sim.report.report": "Report Site Stats Trace TraceEvent",
    "ptxlab.timing.lines": "Line Occupancy",
    "ptxlab.timing.measure": "Measured",
    "ptxlab.timing.profile": "Profile Stall profile",
    "ptxlab.timing.roofline": "Roofline",
    "ptxlab.timing.rank": "Ranked Ranking rank",
    "ptxlab.timing.tune": "TunedKernel tune",
    "ptxlab.verification.judge": "verify",
    "ptxlab.verification.spec": "Case Input Mapped Output Spec case",
    "ptxlab.verification.verdict": "Algebra Trial Verification",
}
"""All public names, by the module that defines them. `python -m tools.generate` writes `__init__.pyi` for type checkers from it."""
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}
__all__ = sorted(_HOME)  # pyright: ignore[reportUnsupportedDunderAll]


def load_ipython_extension(shell: Any) -> None:
    """For IPython and Jupyter: `%load_ext ptxlab` gives a notebook the cell magic `%%ptx`."""
    _import_module("ptxlab.launch.magic").load(shell)


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        near: list[str] = (
            [] if name.startswith("_") else _import_module("difflib").get_close_matches(name, __all__, n=1)
        )
        hint = f". Did you mean px.{near[0]}?" if near else ""
        raise AttributeError(f"module 'ptxlab' has no attribute {name!r}{hint}")
    value = getattr(_import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, and those that every module has."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
