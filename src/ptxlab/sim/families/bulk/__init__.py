"""Bulk copies, TMA among them.

| module | holds |
|---|---|
| unit | cp.async.bulk and cp.reduce.async.bulk: linear copies, and bulk groups |
| unit_tma | cp.async.bulk.tensor: boxes of tensors |
| tile_layouts | PTX9166: tiles that threads read otherwise than the copy has swizzled them |
| outside | PTX9167: boxes wholly outside their tensor |
| filter | native filter: what operations access, and boxes of bytes that one copy has filled |
"""
