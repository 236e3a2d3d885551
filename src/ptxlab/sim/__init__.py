"""The simulator: a launch on the CPU, bit for bit what an H100 gives."""

import gc

_collecting = gc.isenabled()
gc.disable()  # all that these modules make stays: looking for garbage in between takes a fifth of the time
try:
    from ptxlab.sim.compiled.registry import units_in
    from ptxlab.sim.launch.run import run
    from ptxlab.sim.report.report import Event, Report, Stats

    units_in("ptxlab.sim.units")
finally:
    if _collecting:
        gc.enable()

__all__ = ["Event", "Report", "Stats", "run"]
