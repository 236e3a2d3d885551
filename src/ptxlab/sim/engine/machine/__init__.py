"""The machine of one launch: memories, CTAs and clusters, who runs next, traps and faults.

| module | knows |
|---|---|
| machine | runs CTAs; the way from a trap to its meaning |
| resident | clusters, CTAs and warps in their memory |
| schedule | who runs next, for how long, and which clusters are resident |
| memory, heap | where global memory lies; the heap that kernels allocate from |
| protocol | what units, traps and faults know of a machine; the base class of units |
| observer, overlay | who is told of what happens; prologues in front of instructions |
| trap, system, printf | instructions and calls that run in Python |
| faults, deadlock, naming | what went wrong, in words |
| options, special, draws | what options may be; special registers; random numbers by key |
"""
