"""A launch spread over processes: each runs a part of the clusters on a copy of the memory and logs what it touches.

| module | knows |
|---|---|
| layout | where the launch's buffers lie in a copy |
| arena | such a copy, with a mark for every byte that is read or written |
| part | a part of a launch: it works on an arena, and what it touches is marked |
| task | what a process is told, what it does, what it answers |
| log | which bytes were touched; whether two logs meet; the way back into the caller's arrays |
| plan | what cannot be spread, and who runs which clusters |
| wire, worker, pool | local processes |
| remote | machines, through Dask |
| run | the launch as a whole |
"""

from ptxlab.sim.spread.run import spread

__all__ = ["spread"]
