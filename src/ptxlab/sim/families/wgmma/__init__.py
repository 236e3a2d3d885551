"""wgmma: products of a warpgroup.

| module | holds |
|---|---|
| meaning | products that have been met before, commit and wait in machine code |
| meaning_prologue | a prologue of the sanitizer |
| unit | products in the background, groups, registers in flight |
| plan | what an instruction does, worked out once |
| arithmetic, sparse | the products themselves |
| ready | products that machine code carries out by itself |
| swizzles | boxes that a descriptor reads with another swizzle than they were written with |
| order_fences | wgmma.fence |
| order_operands | PTX9218: operands that end in another array than they begin in |
| hang | warps that wait for the others of their warpgroup |
| filter | native filter: what products read |
"""
