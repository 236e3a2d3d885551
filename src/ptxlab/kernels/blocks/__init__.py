"""Building blocks of matrix products on Hopper's tensor cores.

A product is put together from: a `Tiling`, which says how the work is cut; `Stages`, the ring of tiles in shared memory and the
thread that fills it; `Mainloop`, what a consumer warpgroup does with the stages; `Exchange`, which adds what the CTAs of a cluster
computed along K; and a store, which takes results from registers to C, past an `Epilogue` that `Finish` applies.
`PromotedMainloop` is the one for fp8 with scales for each 128 steps along K.
"""
