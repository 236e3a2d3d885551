"""fabric: what submits and waits for operations on memory of other devices."""

from __future__ import annotations

from ptxlab.isa.effects import Group
from ptxlab.isa.form import form
from ptxlab.isa.targets import ptx, sm
from ptxlab.isa.terms import Const

_NEEDS = ptx(9, 3) & sm(100)
_ABSENT = "fabric operations came with sm_100; the simulator is an sm_90a"

form(
    "fabric.submit",
    syntax="fabric.submit{.op_restrict::fetching};",
    needs=_NEEDS,
    isa="fabric.submit",
    effect=Group("commit", "fabric"),
    doc="Submit this thread's fabric operations, so that their completion can be seen.",
    unsimulated=_ABSENT,
)

form(
    "fabric.wait",
    syntax="fabric.wait.sync_restrict::reads;",
    needs=_NEEDS,
    isa="fabric.wait",
    effect=Group("wait", "fabric", Const(True)),
    doc="Wait until this thread's submitted fabric operations have read shared memory.",
    unsimulated=_ABSENT,
)
