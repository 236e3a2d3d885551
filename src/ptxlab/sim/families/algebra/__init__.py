"""Programs whose floating-point arithmetic is replaced by arithmetic on codes of residues (numerics/residues.py).

| module | |
|---|---|
| rewrite | a program becomes another one: rows, constants, what cannot be expressed |
| meaning | rows in machine code |
| meaning_mma | matrix products of a warp |
| unit | what is refused, and matrix products of parted warps |
"""
