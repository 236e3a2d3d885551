"""The simulator: a launch on the CPU, bit for bit what an H100 gives."""

from ptxlab.sim.launch import run
from ptxlab.sim.report import Event, Report, Stats

__all__ = ["Event", "Report", "Stats", "run"]
