# Made from the table in __init__.py by `python -m tools.generate`; do not edit.
# ruff: noqa
from typing import Any

from ptxlab.abi.arrays import ArrayView as ArrayView
from ptxlab.abi.arrays import is_array as is_array
from ptxlab.abi.maps import BoundMap as BoundMap
from ptxlab.abi.maps import tensor_map as tensor_map
from ptxlab.checks import check as check
from ptxlab.cuda.ptxas import Resources as Resources
from ptxlab.diag import Diagnostic as Diagnostic
from ptxlab.diag import Severity as Severity
from ptxlab.diag import Span as Span
from ptxlab.diag import user_span as user_span
from ptxlab.lang.builder import Builder as Builder
from ptxlab.lang.maps.rebind import MapSlot as MapSlot
from ptxlab.lang.matrices import MatrixRegisters as MatrixRegisters
from ptxlab.lang.module import ModuleBuilder as ModuleBuilder
from ptxlab.lang.module import module as module
from ptxlab.lang.smem.barriers import Mbarrier as Mbarrier
from ptxlab.lang.smem.ring import Ring as Ring
from ptxlab.lang.smem.ring import Slot as Slot
from ptxlab.lang.smem.tile import Tile as Tile
from ptxlab.lang.to_python import to_python as to_python
from ptxlab.lang.trace.types import Ptr as Ptr
from ptxlab.lang.trace.types import b128 as b128
from ptxlab.lang.trace.types import b16 as b16
from ptxlab.lang.trace.types import b32 as b32
from ptxlab.lang.trace.types import b64 as b64
from ptxlab.lang.trace.types import b8 as b8
from ptxlab.lang.trace.types import bf16 as bf16
from ptxlab.lang.trace.types import bf16x2 as bf16x2
from ptxlab.lang.trace.types import e4m3 as e4m3
from ptxlab.lang.trace.types import e5m2 as e5m2
from ptxlab.lang.trace.types import f16 as f16
from ptxlab.lang.trace.types import f16x2 as f16x2
from ptxlab.lang.trace.types import f32 as f32
from ptxlab.lang.trace.types import f64 as f64
from ptxlab.lang.trace.types import pred as pred
from ptxlab.lang.trace.types import s16 as s16
from ptxlab.lang.trace.types import s32 as s32
from ptxlab.lang.trace.types import s64 as s64
from ptxlab.lang.trace.types import s8 as s8
from ptxlab.lang.trace.types import tf32 as tf32
from ptxlab.lang.trace.types import u16 as u16
from ptxlab.lang.trace.types import u32 as u32
from ptxlab.lang.trace.types import u64 as u64
from ptxlab.lang.trace.types import u8 as u8
from ptxlab.lang.trace.values import Address as Address
from ptxlab.lang.trace.values import Register as Register
from ptxlab.lang.trace.values import Registers as Registers
from ptxlab.launch.arrays import array_view as array_view
from ptxlab.launch.arrays import empty as empty
from ptxlab.launch.certify import certify as certify
from ptxlab.launch.compare import compare as compare
from ptxlab.launch.compared import ComparedRun as ComparedRun
from ptxlab.launch.compared import Comparison as Comparison
from ptxlab.launch.compared import Mismatch as Mismatch
from ptxlab.launch.debug import debug as debug
from ptxlab.launch.devices import Device as Device
from ptxlab.launch.devices import device_of as device_of
from ptxlab.launch.devices import devices as devices
from ptxlab.launch.explore import explore as explore
from ptxlab.launch.explored import Difference as Difference
from ptxlab.launch.explored import Exploration as Exploration
from ptxlab.launch.explored import ExploredRun as ExploredRun
from ptxlab.launch.from_triton import TritonKernel as TritonKernel
from ptxlab.launch.from_triton import triton as triton
from ptxlab.launch.kernel import Kernel as Kernel
from ptxlab.launch.kernel import kernel as kernel
from ptxlab.launch.module import Module as Module
from ptxlab.launch.module import link as link
from ptxlab.launch.module import load as load
from ptxlab.launch.module import parse as parse
from ptxlab.launch.multicast import multicast as multicast
from ptxlab.launch.processes import Process as Process
from ptxlab.launch.prepare import Launch as Launch
from ptxlab.launch.redundant import Redundancy as Redundancy
from ptxlab.launch.redundant import redundant as redundant
from ptxlab.launch.simulate import simulate as simulate
from ptxlab.launch.sources import sources as sources
from ptxlab.launch.graphs import Graph as Graph
from ptxlab.launch.streams import Event as Event
from ptxlab.launch.streams import Stream as Stream
from ptxlab.launch.streams import copy as copy
from ptxlab.launch.streams import synchronize as synchronize
from ptxlab.launch.symbol import Symbol as Symbol
from ptxlab.launch.tuning import TuningCache as TuningCache
from ptxlab.launch.warn import PtxWarning as PtxWarning
from ptxlab.launch.watch import launches_left_out as launches_left_out
from ptxlab.layout import Im2col as Im2col
from ptxlab.layout import MatrixFragment as MatrixFragment
from ptxlab.layout import Metadata as Metadata
from ptxlab.layout import TensorMap as TensorMap
from ptxlab.layout import fragment as fragment
from ptxlab.layout import sparse_metadata as sparse_metadata
from ptxlab.memory_model import Verdict as Verdict
from ptxlab.memory_model import litmus as litmus
from ptxlab.operators.arrays import Array as Array
from ptxlab.operators.arrays import empty_like as empty_like
from ptxlab.operators.arrays import zeros_like as zeros_like
from ptxlab.operators.operator import Operator as Operator
from ptxlab.operators.operator import operator as operator
from ptxlab.reference.explain import explain as explain
from ptxlab.sim.diagnose.debug.debugger import Breakpoint as Breakpoint
from ptxlab.sim.diagnose.debug.debugger import Debugger as Debugger
from ptxlab.sim.diagnose.debug.debugger import Where as Where
from ptxlab.sim.report.certificate import Certificate as Certificate
from ptxlab.sim.report.report import Report as Report
from ptxlab.sim.report.report import Site as Site
from ptxlab.sim.report.report import Stats as Stats
from ptxlab.sim.report.report import Trace as Trace
from ptxlab.sim.report.report import TraceEvent as TraceEvent
from ptxlab.timing.lines import Line as Line
from ptxlab.timing.lines import Occupancy as Occupancy
from ptxlab.timing.measure import Measured as Measured
from ptxlab.timing.profile import Profile as Profile
from ptxlab.timing.profile import Stall as Stall
from ptxlab.timing.profile import profile as profile
from ptxlab.timing.roofline import Roofline as Roofline
from ptxlab.timing.rank import Ranked as Ranked
from ptxlab.timing.rank import Ranking as Ranking
from ptxlab.timing.rank import rank as rank
from ptxlab.timing.tune import TunedKernel as TunedKernel
from ptxlab.timing.tune import tune as tune
from ptxlab.verification.judge import verify as verify
from ptxlab.verification.spec import Case as Case
from ptxlab.verification.spec import Input as Input
from ptxlab.verification.spec import Mapped as Mapped
from ptxlab.verification.spec import Output as Output
from ptxlab.verification.spec import Spec as Spec
from ptxlab.verification.spec import case as case
from ptxlab.verification.verdict import Algebra as Algebra
from ptxlab.verification.verdict import Trial as Trial
from ptxlab.verification.verdict import Verification as Verification

__version__: str
__all__ = [
    "Address",
    "Algebra",
    "Array",
    "ArrayView",
    "BoundMap",
    "Breakpoint",
    "Builder",
    "Case",
    "Certificate",
    "ComparedRun",
    "Comparison",
    "Debugger",
    "Device",
    "Diagnostic",
    "Difference",
    "Event",
    "Exploration",
    "ExploredRun",
    "Graph",
    "Im2col",
    "Input",
    "Kernel",
    "Launch",
    "Line",
    "MapSlot",
    "Mapped",
    "MatrixFragment",
    "MatrixRegisters",
    "Mbarrier",
    "Measured",
    "Metadata",
    "Mismatch",
    "Module",
    "ModuleBuilder",
    "Occupancy",
    "Operator",
    "Output",
    "Process",
    "Profile",
    "Ptr",
    "PtxWarning",
    "Ranked",
    "Ranking",
    "Redundancy",
    "Register",
    "Registers",
    "Report",
    "Resources",
    "Ring",
    "Roofline",
    "Severity",
    "Site",
    "Slot",
    "Span",
    "Spec",
    "Stall",
    "Stats",
    "Stream",
    "Symbol",
    "TensorMap",
    "Tile",
    "Trace",
    "TraceEvent",
    "Trial",
    "TritonKernel",
    "TunedKernel",
    "TuningCache",
    "Verdict",
    "Verification",
    "Where",
    "array_view",
    "b128",
    "b16",
    "b32",
    "b64",
    "b8",
    "bf16",
    "bf16x2",
    "case",
    "certify",
    "check",
    "compare",
    "copy",
    "debug",
    "device_of",
    "devices",
    "e4m3",
    "e5m2",
    "empty",
    "empty_like",
    "explain",
    "explore",
    "f16",
    "f16x2",
    "f32",
    "f64",
    "fragment",
    "is_array",
    "kernel",
    "launches_left_out",
    "link",
    "litmus",
    "load",
    "module",
    "multicast",
    "operator",
    "parse",
    "pred",
    "profile",
    "rank",
    "redundant",
    "s16",
    "s32",
    "s64",
    "s8",
    "simulate",
    "sources",
    "sparse_metadata",
    "synchronize",
    "tensor_map",
    "tf32",
    "to_python",
    "triton",
    "tune",
    "u16",
    "u32",
    "u64",
    "u8",
    "user_span",
    "verify",
    "zeros_like",
]

def load_ipython_extension(shell: Any) -> None: ...
