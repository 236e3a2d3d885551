"""Collective operations of several devices over each other's memory, written in the language.

`group` has the operations; `call` checks their arguments; `exchange` has the kernels, and `room` the memory in which they meet.

Products that devices share are in `gemm_scatter` and `gather_gemm`; `product_call` checks their arguments, and `shards` has what
both kernels have in common.
"""

from ptxlab.kernels.collectives.group import Collective, Group

__all__ = ["Collective", "Group"]
