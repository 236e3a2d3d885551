"""Attention for decoding: a few new queries of each sequence over a cache of keys and values, in pages or not.

`launch` has the operation and its kernel; `call` checks the arguments. The kernel is made of `program` (parameters and shared
memory), `schedule` (which keys a CTA takes), `loads` (the warp that loads), `queries` and `operands` (what goes into products),
`consumer` (the warps that compute) and `combine` (what becomes of a head when it ends); `latent` and `latent_rooms`
have what latent attention needs in their place. Softmax, masks and functions of scores are
those of `ptxlab.kernels.attention`. How the work is cut, a `Tiling` says.
"""

from ptxlab.kernels.decode.launch import decode, prepare
from ptxlab.kernels.decode.tiling import Tiling, choose

__all__ = ["Tiling", "choose", "decode", "prepare"]
