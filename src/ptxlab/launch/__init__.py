"""The public face: modules, kernels, launches, arrays and maps for them."""

from ptxlab.abi.maps import BoundMap, tensor_map
from ptxlab.launch.arrays import empty
from ptxlab.launch.compare import compare
from ptxlab.launch.compared import ComparedRun, Comparison, Mismatch
from ptxlab.launch.debug import debug
from ptxlab.launch.explore import explore
from ptxlab.launch.explored import Difference, Exploration, ExploredRun
from ptxlab.launch.from_triton import TritonKernel, triton
from ptxlab.launch.kernel import Kernel, kernel
from ptxlab.launch.module import Module, link, load, parse
from ptxlab.launch.prepare import Launch
from ptxlab.launch.simulate import simulate
from ptxlab.launch.sources import sources
from ptxlab.launch.symbol import Symbol
from ptxlab.launch.warn import PtxWarning

__all__ = [
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
]
