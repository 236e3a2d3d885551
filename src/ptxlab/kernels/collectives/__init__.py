"""Collective operations of several devices over each other's memory, written in the language.

`group` has the operations; `call` checks their arguments; the kernels meet as `meeting` says, and `rows` moves rows of numbers that
the devices themselves know.
"""

from ptxlab.kernels.collectives.group import Collective, Group

__all__ = ["Collective", "Group"]
