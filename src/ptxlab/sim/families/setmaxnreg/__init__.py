"""setmaxnreg.

| module | holds |
|---|---|
| unit | the pools of registers |
| order | PTX9237: warps of a warpgroup that do not execute it alike |
"""
