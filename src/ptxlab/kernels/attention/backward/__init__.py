"""Attention backwards on Hopper's tensor cores, written in the language.

`launch` has the operation and its kernels, `call` checks the arguments, `statistics` is the small kernel that goes first. The
others are made of `program` (tiles, shared memory, and the thread that loads), `consumer` (the warpgroups that compute) and
`scores`. Where one kernel computes all gradients, `fused` says what is different, `walk` in which order tiles add to dQ, and
`finish` is the small kernel that goes last; `queue` is how warps talk, and `memory` what kernels share. How the work is cut, a
`Tiling` says.
"""

from ptxlab.kernels.attention.backward.launch import attention_backward, prepare_backward
from ptxlab.kernels.attention.backward.tiling import Cut, Tiling, choose

__all__ = ["Cut", "Tiling", "attention_backward", "choose", "prepare_backward"]
