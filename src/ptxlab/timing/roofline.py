"""Roofs of a launch: what it would take if arithmetic, L2 or memory were all that takes time."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ptxlab.abi.limits import SM_COUNT
from ptxlab.isa.effects import AsyncMma
from ptxlab.isa.types import TYPES
from ptxlab.ptx.program import Op
from ptxlab.sim.engine.compiled.frame import LANES
from ptxlab.timing.chip import ChipTable
from ptxlab.timing.plain import machine_name
from ptxlab.timing.replay import QUARTERS, Share
from ptxlab.timing.steps import ClusterSteps

if TYPE_CHECKING:
    from ptxlab.timing.predict import Predicted

ARITHMETIC: Final = "arithmetic"
_OPERATIONS: Final = {"fma": 2, "mad": 2, "add": 1, "sub": 1, "mul": 1}
_FLOATS: Final = {"f64": 1, "f32": 1, "f16": 1, "bf16": 1, "f16x2": 2, "bf16x2": 2, "f32x2": 2}
"""Numbers in a register by type. Integers, conversions, comparisons and approximate functions are no FLOP."""
_SHAPE: Final = re.compile(r"m(\d+)n(\d+)k(\d+)")
_WIDEST: Final = 256
"""The N at which wgmma multiplies fastest."""
_WARPS: Final = 4
"""Warps that issue a wgmma together."""


@dataclass(frozen=True, slots=True, repr=False)
class Roofline:
    """A launch under its roofs.

    Attributes:
        flop: floating-point operations of the grid; products of integers count, too. CTAs between those that were simulated take
            what lies between.
        moved, missed: bytes from and to L2, and those behind it.
        roofs: cycles that the launch would take if nothing else took time: "arithmetic" at the rate of the instructions that do
            it, "L2" at what it gives the SMs at work, "memory". Those without work are left out.

    Example:
        @px.kernel(threads=128)
        def scale(k, x: px.Ptr[px.f32]):
            i = k.ctaid.x * 128 + k.tid.x
            k.st.global_.f32(x[i], k.ld.global_.f32(x[i]) * 2.0)

        found = px.profile(scale, grid=1024, args=[px.empty(1024 * 128, "f32")])
        print(isinstance(found.roofline, px.Roofline), found.roofline.flop, found.roofline.roof)  # True 131072.0 L2
        intensity, ridge = found.roofline.intensity("L2")
        print(intensity, intensity < ridge, 0 < found.roofline.attained(found.cycles) <= 1)  # 0.125 True True
        print(len(found.roofline.rows(found.cycles)), len(found.roofline.words(found.cycles)))  # 2 1
    """

    flop: float
    moved: float
    missed: float
    roofs: Mapping[str, float]

    def __repr__(self) -> str:
        roofs = ", ".join(f"{name} {cycles:,.0f}" for name, cycles in self.roofs.items())
        return f"<Roofline of {self.flop:,.0f} FLOP, cycles by roof: {roofs or 'none'}>"

    @property
    def roof(self) -> str:
        """The one that applies; "" for a launch that does nothing of the kind."""
        return max(self.roofs, key=lambda name: self.roofs[name], default="")

    def intensity(self, name: str) -> tuple[float, float]:
        """FLOP a byte, and the ridge: as many at which arithmetic takes as long as the bytes; 0 for a launch without.

        Args:
            name: the level that the bytes go through: "L2" or "memory", one of `roofs`.
        """
        nbytes = self.moved if name == "L2" else self.missed
        here = self.flop / nbytes
        arithmetic = self.roofs.get(ARITHMETIC)
        return here, here * self.roofs[name] / arithmetic if arithmetic else 0.0

    def attained(self, cycles: float) -> float:
        """The share of the roof that applies which a launch reaches.

        Args:
            cycles: of the launch.
        """
        return self.roofs[self.roof] / cycles if self.roofs else 0.0

    def rows(self, cycles: float) -> list[tuple[str, str, str, str, str]]:
        """The roofs for a table: name, cycles, share of the launch, FLOP a byte, ridge; the one that applies first.

        Args:
            cycles: of the launch.
        """
        out: list[tuple[str, str, str, str, str]] = []
        for name, taken in sorted(self.roofs.items(), key=lambda pair: -pair[1]):
            here, ridge = ("", "") if name == ARITHMETIC else (f"{number:,.2f}" for number in self.intensity(name))
            out.append((name, f"{taken:,.0f}", f"{taken / cycles:.1%}", here, ridge if self.flop else ""))
        return out

    def words(self, cycles: float) -> list[str]:
        """The launch under its roofs, in a sentence; nothing for one that moves and computes nothing.

        Args:
            cycles: of the launch.
        """
        if not self.roofs:
            return []
        name = self.roof
        did = f"{self.flop / 1e9:,.3f} GFLOP" if self.flop else "no floating-point work"
        if self.flop and "L2" in self.roofs:
            here, ridge = self.intensity("L2")
            did += f", {here:,.2f} a byte from L2 (ridge at {ridge:,.2f})"
        return [f"{did}: {name} is the roof, {self.attained(cycles):.0%} of it is attained"]


def roofline(found: Predicted, chip: ChipTable) -> Roofline:
    """The roofs of a predicted launch."""
    clusters = found.limits.clusters / len(found.recorded)
    known = sorted(found.recorded, key=lambda c: c.index)
    each = np.array([_arithmetic(found.ops, one, chip) for one in known])
    every, samples = np.arange(found.limits.clusters), [c.index for c in known]
    flop, busy = (float(np.interp(every, samples, each[:, i]).sum()) for i in range(2))  # as durations are
    moved, missed = found.traffic
    roofs = {ARITHMETIC: busy / SM_COUNT, "L2": _l2(found.recorded, found.share, clusters) / found.limits.sms}
    roofs["memory"] = missed / (found.share.memory * found.limits.sms)
    return Roofline(flop, moved, missed, {name: cycles for name, cycles in roofs.items() if cycles})


def _l2(recorded: Sequence[ClusterSteps], share: Share, clusters: float) -> float:
    """Cycles in which an SM by itself would move all bytes: reads and writes go side by side."""
    written = sum(c.written for c in recorded)
    read = sum(c.moved for c in recorded) - written
    return clusters * max(read / share.bytes_in, written / share.bytes_out)


def _arithmetic(ops: Sequence[Op], cluster: ClusterSteps, chip: ChipTable) -> tuple[float, float]:
    """Operations of a cluster, and cycles that an SM takes for them at the rate of the instructions that do them."""
    flop = cycles = 0.0
    for i, executions in cluster.executions.items():
        op, threads = ops[i], cluster.threads[i]
        shape = _SHAPE.fullmatch(str(op.inst.mods.get("shape", "")))
        if isinstance(op.inst.form.effect, AsyncMma) and shape:
            m, n, k = map(int, shape.groups())
            flop += executions / _WARPS * 2 * m * n * k
            cycles += executions / _WARPS * chip.product("shared", _WIDEST)[0] * n / _WIDEST
        elif op.inst.form.name.split(".")[0] in ("mma", "wmma") and shape:
            m, n, k = map(int, shape.groups())
            flop += executions * 2 * m * n * k
            cycles += executions * _instructions(op, m, n, k) * chip.cost(machine_name(op)).interval / QUARTERS
        elif each := _each(op):
            flop += each * threads
            cycles += threads / LANES * chip.cost(machine_name(op)).interval / QUARTERS
    return flop, cycles


def _instructions(op: Op, m: int, n: int, k: int) -> float:
    """Machine instructions of a product of a warp: each multiplies 16 × 8 results along 32 bytes."""
    bits = TYPES[str(op.inst.mods.get("atype", "f16"))].bits
    return m * n / (16 * 8) * k * bits / (8 * 32)


def _each(op: Op) -> int:
    """Floating-point operations of a thread."""
    return _OPERATIONS.get(op.inst.form.name.split(".")[0], 0) * _FLOATS.get(str(op.inst.mods.get("type", "")), 0)
