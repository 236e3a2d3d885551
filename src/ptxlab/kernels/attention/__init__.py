"""Attention on Hopper's tensor cores, written in the language.

`forward` has the operation and its kernel; `call` checks the arguments. The kernel is made of `program` (tiles, shared memory, and
the thread that loads), `sequences` (where rows lie), `consumer` (the warpgroups that compute), `softmax`, `scores` (masks and
functions of scores) and `arrays` (what these read). `transposed` lays out V in fp8. How the work is cut, a `Tiling` says.
`backward` has the gradients.
"""

from ptxlab.kernels.attention.arrays import ScoreArray
from ptxlab.kernels.attention.backward.launch import attention_backward, prepare_backward
from ptxlab.kernels.attention.forward import attention, prepare
from ptxlab.kernels.attention.scores import ScorePlace, softcap
from ptxlab.kernels.attention.tiling import Tiling, choose

__all__ = [
    "ScoreArray",
    "ScorePlace",
    "Tiling",
    "attention",
    "attention_backward",
    "choose",
    "prepare",
    "prepare_backward",
    "softcap",
]
