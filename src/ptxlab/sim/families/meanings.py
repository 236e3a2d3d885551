"""The meanings that are machine code, of all families: importing this module registers them."""

import ptxlab.sim.engine.handlers.calls
import ptxlab.sim.engine.handlers.control
import ptxlab.sim.engine.handlers.counting
import ptxlab.sim.engine.handlers.effects
import ptxlab.sim.engine.handlers.stops
import ptxlab.sim.engine.handlers.told
import ptxlab.sim.families.atomics.meaning
import ptxlab.sim.families.cluster.meaning
import ptxlab.sim.families.cp_async.meaning
import ptxlab.sim.families.mbarrier.meaning
import ptxlab.sim.families.memory.meaning
import ptxlab.sim.families.mma.meaning
import ptxlab.sim.families.mma.meaning_matrix
import ptxlab.sim.families.mma.meaning_octets
import ptxlab.sim.families.mma.meaning_sparse
import ptxlab.sim.families.mma.meaning_wmma
import ptxlab.sim.families.mma.meaning_wmma_memory
import ptxlab.sim.families.plain.compare
import ptxlab.sim.families.plain.convert
import ptxlab.sim.families.plain.extended
import ptxlab.sim.families.plain.integer
import ptxlab.sim.families.plain.logic
import ptxlab.sim.families.plain.move
import ptxlab.sim.families.plain.real
import ptxlab.sim.families.plain.video
import ptxlab.sim.families.plain.warp
import ptxlab.sim.families.wgmma.meaning  # noqa: F401
