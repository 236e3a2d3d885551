"""wgmma: products of a warpgroup.

| module | holds |
|---|---|
| meaning | products that have been carried out before, commit and wait in machine code; a prologue of the sanitizer |
| unit | products in the background, groups, registers in flight |
| plan | what an instruction does, worked out once |
| arithmetic | the products themselves |
| residues | the same modulo primes, and which arithmetic a product has |
| ready | products that machine code carries out by itself |
| swizzles | boxes that a descriptor reads with another swizzle than they were written with |
| twice | PTX9168: bytes that descriptors take twice |
| order | PTX9221: registers written after the last wgmma.fence; PTX9218: operands that end in another array |
| filter | native filter: what products read |
"""
