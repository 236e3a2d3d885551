"""What special registers hold, and how much shared memory a CTA takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.abi.limits import SHARED_RESERVED, SHARED_UNIT, SM_COUNT, WARPS_PER_SM
from ptxlab.abi.record import LaunchRecord
from ptxlab.sim.engine.compiled.address import SYSTEM_END


def shared_bytes(record: LaunchRecord) -> int:
    """Bytes of shared memory that a CTA can reach."""
    program = record.program
    dynamic = [v.offset for v in program.variables if v.space.startswith("shared") and v.extern]
    return max([program.shared_static, *dynamic]) + record.shared


def shared_wanted(record: LaunchRecord) -> int:
    """Bytes of shared memory that the kernel asks for; variables that nothing names take room as well."""
    return shared_bytes(record) + max(0, record.program.shared_declared - record.program.shared_static)


def constants(record: LaunchRecord) -> dict[str, int]:
    """Special registers that are the same for the entire launch."""
    wanted = shared_wanted(record)
    out = {
        "%cluster_nctarank": record.ctas_per_cluster,
        "%is_explicit_cluster": int(record.explicit_cluster),
        "%nwarpid": WARPS_PER_SM,
        "%nsmid": SM_COUNT,
        "%gridid": 1,
        "%dynamic_smem_size": record.shared,
        "%total_smem_size": -(-wanted // SHARED_UNIT) * SHARED_UNIT,
        "%aggr_smem_size": wanted + SHARED_RESERVED,  # not rounded up, unlike the total
        "%reserved_smem_offset_begin": 0,
        "%reserved_smem_offset_end": SYSTEM_END,
        "%reserved_smem_offset_cap": SHARED_RESERVED,
        "%envreg1": record.workspace >> 32,
        "%envreg2": record.workspace & 0xFFFF_FFFF,
    }
    for i, axis in enumerate("xyz"):
        out[f"%ntid.{axis}"] = record.block[i]
        out[f"%nctaid.{axis}"] = record.grid[i]
        out[f"%nclusterid.{axis}"] = record.grid[i] // record.cluster[i]
        out[f"%cluster_nctaid.{axis}"] = record.cluster[i]
    return out


def lane_row(name: str, warp: int, block: tuple[int, int, int]) -> NDArray[np.uint32]:
    """A special register that differs by lane, in all lanes of a warp."""
    lane = np.arange(32, dtype=np.uint32)
    thread = lane + np.uint32(32 * warp)
    one = np.uint32(1)
    rows: dict[str, Callable[[], NDArray[Any]]] = {
        "%tid.x": lambda: thread % np.uint32(block[0]),
        "%tid.y": lambda: thread // np.uint32(block[0]) % np.uint32(block[1]),
        "%tid.z": lambda: thread // np.uint32(block[0] * block[1]),
        "%laneid": lambda: lane,
        "%lanemask_eq": lambda: one << lane,
        "%lanemask_lt": lambda: (one << lane) - one,
        "%lanemask_le": lambda: (one << lane) | ((one << lane) - one),
        "%lanemask_gt": lambda: ~((one << lane) | ((one << lane) - one)),
        "%lanemask_ge": lambda: ~((one << lane) - one),
    }
    return rows[name]().astype(np.uint32)
