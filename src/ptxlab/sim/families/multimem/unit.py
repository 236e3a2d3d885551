"""multimem.ld_reduce, multimem.st and multimem.red: lane by lane, from the first replica to the last.

In which order NVLink's switch adds floats up is not documented, and no chip was asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.diag import Diagnostic
from ptxlab.isa.operands import Vec
from ptxlab.isa.types import TYPES
from ptxlab.sim.engine.machine.trap import DONE, Outcome, trap
from ptxlab.sim.engine.units.unverified import unverified
from ptxlab.sim.families.multimem.replicas import replicas
from ptxlab.sim.numerics.reductions import combiner, narrowed, widened

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.trap import TrapContext

Bytes = NDArray[np.uint8]
Combine = Callable[[Sequence[Bytes]], Bytes]
_FLOATS = ("f16", "bf16", "f32", "f64")


def _element(op: Op) -> str:
    """The type of what is combined: of f16x2 its halves. Raises PTX9001 for numbers of 8 bits, which sm_90a does not have."""
    name = _type(op).removesuffix("x2")
    if name.startswith(("e4m3", "e5m2")):
        words = f"`{op.inst.opcode}` is not simulated yet: the arithmetic of 8-bit floats came with sm_100"
        raise Diagnostic("PTX9001", words, isa=op.inst.form.isa)
    return name


def _width(op: Op) -> int:
    """Bytes of a lane's access."""
    count = int((op.inst.mod("vec") or "v1")[1:])
    return count * TYPES[_type(op)].bytes


def _type(op: Op) -> str:
    """The type of an element, as the instruction names it; vectors of f32 have a row of their own."""
    return op.inst.mod("type") or "f32"


def _combines(ctx: TrapContext) -> Combine:
    """What an instruction makes of the bytes of all replicas. Of floats with .acc::f32 the sum is rounded once, at its end."""
    op, element = ctx.op, _element(ctx.op)
    coded, name = ctx.machine.image.program.coded, op.inst.mod("op") or "add"
    word, combine = combiner(name, element, coded=coded)
    if element in _FLOATS and name == "add":
        unverified(ctx)
    if op.inst.mod("acc") is not None and not coded:
        return lambda parts: _summed_wide([p.view(word) for p in parts], element)
    return lambda parts: reduce(combine, [p.view(word) for p in parts]).view(np.uint8)


def _summed_wide(parts: Sequence[NDArray[Any]], element: str) -> Bytes:
    with np.errstate(over="ignore", invalid="ignore"):
        total = reduce(np.add, [widened(p, element) for p in parts])
    return np.ascontiguousarray(narrowed(total, element)).view(np.uint8)


@trap("multimem.ld_reduce", "multimem.ld_reduce.small", "multimem.ld_reduce.f32")
def load(ctx: TrapContext, op: Op) -> Outcome:
    combine, nbytes, addresses = _combines(ctx), _width(op), ctx.read_addr("a")
    found = np.zeros((32, nbytes), np.uint8)
    for lane in ctx.lanes.tolist():
        ctx.lane = lane
        places = replicas(ctx, int(addresses[lane]), nbytes, nbytes)
        found[lane] = combine([ctx.global_view(at, nbytes).copy() for at in places])
    target = op.inst.operands["d"]
    if isinstance(target, Vec):
        each = nbytes // len(target.items)
        ctx.write("d", np.stack([_words(found[:, i * each : (i + 1) * each]) for i in range(len(target.items))]))
    else:
        ctx.write("d", _words(found))
    return DONE


def _words(held: Bytes) -> NDArray[Any]:
    """The bytes of each lane as one unsigned word."""
    return np.ascontiguousarray(held).view(f"u{held.shape[1]}").reshape(32)


@trap("multimem.st")
def store(ctx: TrapContext, op: Op) -> Outcome:
    _element(op)

    def put(memory: Bytes, data: Bytes) -> None:
        memory[:] = data

    return _to_all(ctx, put)


@trap("multimem.red")
def update(ctx: TrapContext, op: Op) -> Outcome:
    combine = _combines(ctx)

    def into(memory: Bytes, data: Bytes) -> None:
        memory[:] = combine([memory.copy(), data])

    return _to_all(ctx, into)


def _to_all(ctx: TrapContext, change: Callable[[Bytes, Bytes], None]) -> Outcome:
    """Change what each executing lane names in every replica."""
    values, addresses, nbytes = ctx.read_bytes("b"), ctx.read_addr("a"), _width(ctx.op)
    for lane in ctx.lanes.tolist():
        ctx.lane = lane
        for at in replicas(ctx, int(addresses[lane]), nbytes, nbytes):
            change(ctx.global_view(at, nbytes, write=True), values[lane])
    return DONE
