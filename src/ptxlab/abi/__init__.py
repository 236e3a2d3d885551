"""What a launch is: arrays, parameter block, launch record, limits."""

from ptxlab.abi.record import Buffer, LaunchRecord

__all__ = ["Buffer", "LaunchRecord"]
