"""setmaxnreg.

| module | holds |
|---|---|
| unit | the pools of registers |
| hang | warps that wait for registers that nobody gives back |
| order | PTX9237: warps of a warpgroup that do not execute it alike |
"""
