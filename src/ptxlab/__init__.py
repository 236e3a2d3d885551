"""Write, check, simulate and run GPU kernels at the PTX level.

`import ptxlab as px`; names are loaded when they are first used.

PYTEST_DONT_REWRITE: without this word pytest warns where ptxlab, which brings a plugin, has been imported before it.
"""

from __future__ import annotations

import sys as _sys
from importlib import import_module as _import_module
from types import ModuleType as _ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ptxlab.check import check as check
    from ptxlab.cuda.driver import synchronize as synchronize
    from ptxlab.cuda.ptxas import Resources as Resources
    from ptxlab.diag import Diagnostic as Diagnostic
    from ptxlab.diag import Severity as Severity
    from ptxlab.diag import Span as Span
    from ptxlab.lang import Address as Address
    from ptxlab.lang import Builder as Builder
    from ptxlab.lang import MapSlot as MapSlot
    from ptxlab.lang import MatrixRegisters as MatrixRegisters
    from ptxlab.lang import Mbarrier as Mbarrier
    from ptxlab.lang import Ptr as Ptr
    from ptxlab.lang import Register as Register
    from ptxlab.lang import Registers as Registers
    from ptxlab.lang import Ring as Ring
    from ptxlab.lang import Slot as Slot
    from ptxlab.lang import Tile as Tile
    from ptxlab.lang import b8 as b8
    from ptxlab.lang import b16 as b16
    from ptxlab.lang import b32 as b32
    from ptxlab.lang import b64 as b64
    from ptxlab.lang import b128 as b128
    from ptxlab.lang import bf16 as bf16
    from ptxlab.lang import bf16x2 as bf16x2
    from ptxlab.lang import e4m3 as e4m3
    from ptxlab.lang import e5m2 as e5m2
    from ptxlab.lang import f16 as f16
    from ptxlab.lang import f16x2 as f16x2
    from ptxlab.lang import f32 as f32
    from ptxlab.lang import f64 as f64
    from ptxlab.lang import pred as pred
    from ptxlab.lang import s8 as s8
    from ptxlab.lang import s16 as s16
    from ptxlab.lang import s32 as s32
    from ptxlab.lang import s64 as s64
    from ptxlab.lang import tf32 as tf32
    from ptxlab.lang import u8 as u8
    from ptxlab.lang import u16 as u16
    from ptxlab.lang import u32 as u32
    from ptxlab.lang import u64 as u64
    from ptxlab.lang.module import ModuleBuilder as ModuleBuilder
    from ptxlab.lang.module import module as module
    from ptxlab.lang.to_python import to_python as to_python
    from ptxlab.launch import BoundMap as BoundMap
    from ptxlab.launch import ComparedRun as ComparedRun
    from ptxlab.launch import Comparison as Comparison
    from ptxlab.launch import Difference as Difference
    from ptxlab.launch import Exploration as Exploration
    from ptxlab.launch import ExploredRun as ExploredRun
    from ptxlab.launch import Kernel as Kernel
    from ptxlab.launch import Launch as Launch
    from ptxlab.launch import Mismatch as Mismatch
    from ptxlab.launch import Module as Module
    from ptxlab.launch import PtxWarning as PtxWarning
    from ptxlab.launch import Symbol as Symbol
    from ptxlab.launch import TritonKernel as TritonKernel
    from ptxlab.launch import compare as compare
    from ptxlab.launch import debug as debug
    from ptxlab.launch import empty as empty
    from ptxlab.launch import explore as explore
    from ptxlab.launch import kernel as kernel
    from ptxlab.launch import link as link
    from ptxlab.launch import load as load
    from ptxlab.launch import parse as parse
    from ptxlab.launch import simulate as simulate
    from ptxlab.launch import sources as sources
    from ptxlab.launch import tensor_map as tensor_map
    from ptxlab.launch import triton as triton
    from ptxlab.layout import Im2col as Im2col
    from ptxlab.layout import MatrixFragment as MatrixFragment
    from ptxlab.layout import Metadata as Metadata
    from ptxlab.layout import TensorMap as TensorMap
    from ptxlab.layout import fragment as fragment
    from ptxlab.layout import sparse_metadata as sparse_metadata
    from ptxlab.litmus import Verdict as Verdict
    from ptxlab.litmus import litmus as litmus
    from ptxlab.reference import explain as explain
    from ptxlab.sim.diagnose.debug.debugger import Breakpoint as Breakpoint
    from ptxlab.sim.diagnose.debug.debugger import Debugger as Debugger
    from ptxlab.sim.diagnose.debug.debugger import Where as Where
    from ptxlab.sim.report.report import Event as Event
    from ptxlab.sim.report.report import Report as Report
    from ptxlab.sim.report.report import Site as Site
    from ptxlab.sim.report.report import Stats as Stats
    from ptxlab.sim.report.report import Trace as Trace

__version__ = "0.2.0"
__all__ = [
    "Address",
    "BoundMap",
    "Breakpoint",
    "Builder",
    "ComparedRun",
    "Comparison",
    "Debugger",
    "Diagnostic",
    "Difference",
    "Event",
    "Exploration",
    "ExploredRun",
    "Im2col",
    "Kernel",
    "Launch",
    "MapSlot",
    "MatrixFragment",
    "MatrixRegisters",
    "Mbarrier",
    "Metadata",
    "Mismatch",
    "Module",
    "ModuleBuilder",
    "Ptr",
    "PtxWarning",
    "Register",
    "Registers",
    "Report",
    "Resources",
    "Ring",
    "Severity",
    "Site",
    "Slot",
    "Span",
    "Stats",
    "Symbol",
    "TensorMap",
    "Tile",
    "Trace",
    "TritonKernel",
    "Verdict",
    "Where",
    "b8",
    "b16",
    "b32",
    "b64",
    "b128",
    "bf16",
    "bf16x2",
    "check",
    "compare",
    "debug",
    "e4m3",
    "e5m2",
    "empty",
    "explain",
    "explore",
    "f16",
    "f16x2",
    "f32",
    "f64",
    "fragment",
    "kernel",
    "link",
    "litmus",
    "load",
    "module",
    "parse",
    "pred",
    "s8",
    "s16",
    "s32",
    "s64",
    "simulate",
    "sources",
    "sparse_metadata",
    "synchronize",
    "tensor_map",
    "tf32",
    "to_python",
    "triton",
    "u8",
    "u16",
    "u32",
    "u64",
]

# Where each name lives; tests hold this, `__all__` and the imports for type checkers together.
_HOMES = {
    "ptxlab.check": ("check",),
    "ptxlab.cuda.driver": ("synchronize",),
    "ptxlab.cuda.ptxas": ("Resources",),
    "ptxlab.diag": (
        "Diagnostic",
        "Severity",
        "Span",
    ),
    "ptxlab.lang": (
        "Address",
        "Builder",
        "MapSlot",
        "MatrixRegisters",
        "Mbarrier",
        "Ptr",
        "Register",
        "Registers",
        "Ring",
        "Slot",
        "Tile",
        "b8",
        "b16",
        "b32",
        "b64",
        "b128",
        "bf16",
        "bf16x2",
        "e4m3",
        "e5m2",
        "f16",
        "f16x2",
        "f32",
        "f64",
        "pred",
        "s8",
        "s16",
        "s32",
        "s64",
        "tf32",
        "u8",
        "u16",
        "u32",
        "u64",
    ),
    "ptxlab.lang.module": (
        "ModuleBuilder",
        "module",
    ),
    "ptxlab.lang.to_python": ("to_python",),
    "ptxlab.launch": (
        "BoundMap",
        "ComparedRun",
        "Comparison",
        "Difference",
        "Exploration",
        "ExploredRun",
        "Kernel",
        "Launch",
        "Mismatch",
        "Module",
        "PtxWarning",
        "Symbol",
        "TritonKernel",
        "compare",
        "debug",
        "empty",
        "explore",
        "kernel",
        "link",
        "load",
        "parse",
        "simulate",
        "sources",
        "tensor_map",
        "triton",
    ),
    "ptxlab.layout": (
        "Im2col",
        "MatrixFragment",
        "Metadata",
        "TensorMap",
        "fragment",
        "sparse_metadata",
    ),
    "ptxlab.litmus": (
        "Verdict",
        "litmus",
    ),
    "ptxlab.reference": ("explain",),
    "ptxlab.sim.diagnose.debug.debugger": (
        "Breakpoint",
        "Debugger",
        "Where",
    ),
    "ptxlab.sim.report.report": (
        "Event",
        "Report",
        "Site",
        "Stats",
        "Trace",
    ),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def load_ipython_extension(shell: Any) -> None:
    """For IPython and Jupyter: `%load_ext ptxlab` gives a notebook the cell magic `%%ptx`."""
    _import_module("ptxlab.launch.magic").load(shell)


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'ptxlab' has no attribute {name!r}")
    value = getattr(_import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, and those that every module has."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


class _Package(_ModuleType):
    """A public name that is also the name of a package below this one, as `check`, is the function of that name in the package.

    The import of a package stores it under its name; here the function is stored, and shows the names of its package.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if name in _HOME and isinstance(value, _ModuleType):
            function: Any = getattr(value, name)
            vars(value).update(function.__dict__)  # what a decorator left there
            function.__dict__ = vars(value)  # `px.litmus.parse`
            value = function
        super().__setattr__(name, value)


_sys.modules[__name__].__class__ = _Package
