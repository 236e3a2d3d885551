"""Tensor maps that a kernel changes.

| module | holds |
|---|---|
| unit | tensormap.replace, the caches of maps, and the fence of their proxy |
| order | PTX9216: copies through a map that nothing orders behind its change |
"""
