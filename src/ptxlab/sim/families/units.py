"""The asynchronous units and the meanings in Python, of all families: importing this module registers them."""

import ptxlab.sim.engine.units.events
import ptxlab.sim.engine.units.trace
import ptxlab.sim.families.bulk.outside
import ptxlab.sim.families.bulk.tile_layouts
import ptxlab.sim.families.bulk.unit
import ptxlab.sim.families.bulk.unit_reductions
import ptxlab.sim.families.bulk.unit_tma
import ptxlab.sim.families.cluster.unit
import ptxlab.sim.families.cluster.unit_remote
import ptxlab.sim.families.cp_async.unit
import ptxlab.sim.families.mbarrier.unit
import ptxlab.sim.families.memory.unit_caches
import ptxlab.sim.families.mma.unit
import ptxlab.sim.families.mma.unit_sparse
import ptxlab.sim.families.mma.unit_wmma
import ptxlab.sim.families.setmaxnreg.unit
import ptxlab.sim.families.tensormap.unit
import ptxlab.sim.families.wgmma.swizzles
import ptxlab.sim.families.wgmma.unit  # noqa: F401
