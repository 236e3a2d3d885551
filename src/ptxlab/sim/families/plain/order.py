"""PTX9025 where a launch goes on: lanes that execute a warp-wide instruction whose member mask lacks one of them.

Where the lanes of a warp have parted the launch stops, as on an H200 (families/plain/warp.py). Where they are together the chip
looks at no mask, and the ISA leaves open what happens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.machine.naming import lanes_of
from ptxlab.sim.engine.machine.trap import TrapContext
from ptxlab.sim.order.companions.companion import Companion

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.resident import Warp
    from ptxlab.sim.order.sanitizer import Sanitizer


class MemberMasks(Companion):
    """Is told of instructions whose member mask lacks a lane that executes them."""

    def __init__(self, core: Sanitizer) -> None:
        super().__init__(core)
        core.at_masks.append(self.executes)

    def executes(self, warp: Warp, lanes: int, op: Op) -> None:
        """Lanes of a warp execute an instruction. Where they are not all of the warp, or have several masks, it stops by itself."""
        if lanes != warp.frame.get(F.F_ALIVE):
            return
        context = TrapContext(self.core.machine, warp.cta.cluster, warp.cta, warp, mask=lanes, op=op)
        masks = {
            mask & F.FULL
            for mask in context.read(op.inst.member_mask or "").astype(np.int64)[list(lanes_of(lanes))].tolist()
        }
        lacking = lanes & ~min(masks)
        if len(masks) == 1 and lacking:
            lane = lanes_of(lacking)[0]
            message = (
                f"`{op.inst.opcode}`: lane {lane} executes it, and its member mask {min(masks):#010x} lacks that lane"
            )
            self.report("PTX9025", message, op, [f"{self.who(warp, lacking)}: `{op.text}`"])
