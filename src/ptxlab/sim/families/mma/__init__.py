"""Products of one warp, and the matrices that they take.

| module | holds |
|---|---|
| meaning | mma |
| meaning_octets | mma.m8n8k4 of f16 |
| meaning_sparse | mma.sp |
| meaning_wmma, meaning_wmma_memory | wmma.mma; wmma.load and wmma.store |
| meaning_matrix | ldmatrix, stmatrix, movmatrix |
| unit, unit_sparse, unit_wmma | the same in Python, for special and extreme numbers |
"""
