"""The simulator: a launch on the CPU, bit for bit what an H100 gives.

| folder | holds |
|---|---|
| engine | how a program becomes records and machine code, and the machine that runs them; it knows no family of instructions |
| families | a folder for each family of instructions: what it means, its unit, what it orders, how a wait for it hangs |
| numerics | exact arithmetic: tensor cores, approximate functions |
| order | happens-before: what threads know, shadow memory, the judge, the native filter, findings |
| diagnose | hangs and their graphs, graphs of findings, the debugger, statistics |
| report | what a launch leaves behind |
| spread | a launch over processes and machines |
| launch | the front door |
| grids | launches that overlap: streams, events, programmatic dependent launch |
"""

import gc

_collecting = gc.isenabled()
gc.disable()  # all that these modules make stays: looking for garbage in between takes a fifth of the time
try:
    from ptxlab.sim.engine.compiled.registry import families_in
    from ptxlab.sim.families import meanings as meanings  # it registers them
    from ptxlab.sim.launch.run import run
    from ptxlab.sim.report.report import Report, Stats, TraceEvent

    families_in(
        units="ptxlab.sim.families.units",
        order="ptxlab.sim.families.order",
        diagnose="ptxlab.sim.families.diagnose",
    )
finally:
    if _collecting:
        gc.enable()

__all__ = ["Report", "Stats", "TraceEvent", "run"]
