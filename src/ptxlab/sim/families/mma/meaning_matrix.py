"""ldmatrix, stmatrix, movmatrix: 8x8 matrices in shared memory and spread over the warp."""

from __future__ import annotations

from ptxlab.codegen.ir import I64, PTR, T, Val
from ptxlab.layout.fragments import ldmatrix as fragment
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled import memory
from ptxlab.sim.engine.compiled.emit import Address, Emitter
from ptxlab.sim.engine.compiled.registry import meaning
from ptxlab.sim.engine.handlers.control import fault

ROW_BYTES = 16
WORDS = T("u", 32)
HALVES = T("u", 16, 64)
ROW = T("u", 8, ROW_BYTES)


def _order(e: Emitter) -> list[int]:
    """Where in a row-major matrix the warp's 64 elements lie, in the order of lanes."""
    return [int(i) for i in fragment(1, e.has("trans")).flat.ravel()]


def _rows(e: Emitter, a: Address, count: int, *, write: bool) -> Val:
    """Host addresses of the 8 · count rows, spilled; lane 8i + j names row j of matrix i.

    Addresses of lanes that do not execute are not looked at: their rows are one of the handler's own.
    """
    fn = e.fn
    lanes = (1 << 8 * count) - 1
    e.exec = e.exec & lanes  # the other lanes' addresses are not used
    where = memory.host_pointers(e, a, ROW_BYTES, "store" if write else "load")
    spare = fn.alloca(ROW)
    fn.store(fn.null(ROW), spare, 0, 16)
    return memory.spill(e, fn.select(e.exec_lanes, where, fn.splat(spare.to(I64))))


def whole_warp(e: Emitter) -> None:
    """Go on where no lane executes; a fault where lanes have exited, or never were: the chip exchanges nothing then."""
    with e.if_(e.exec == 0):
        e.goto_next()
    with e.if_(e.exec != -1):
        fault(e, F.FAULT_WARP, e.intrinsic("cttz", e.exec, extra=", i1 true"))


@meaning("ldmatrix")
def ldmatrix(e: Emitter, src: Address) -> None:
    whole_warp(e)
    fn = e.fn
    shape = e.shape("d")
    count = len(shape) if isinstance(shape, tuple) else 1
    writers = e.exec
    pointers = _rows(e, src, count, write=False)
    e.exec = writers
    buffer = fn.alloca(HALVES)
    out: list[Val] = []
    for i in range(count):
        for j in range(8):
            row = fn.load(fn.load(pointers, PTR, 8 * (8 * i + j), 8), ROW, 0, 1)
            fn.store(row, buffer, ROW_BYTES * j, 16)
        matrix = fn.load(buffer, HALVES, 0, 64)
        out.append(fn.regroup(fn.shuffle(matrix, None, _order(e)), WORDS))
    e.write("d", out if isinstance(shape, tuple) else out[0])


@meaning("stmatrix")
def stmatrix(e: Emitter, dst: Address, s: list[Val] | Val) -> None:
    whole_warp(e)
    fn = e.fn
    values = s if isinstance(s, list) else [s]
    pointers = _rows(e, dst, len(values), write=True)
    order = _order(e)
    inverse = [order.index(i) for i in range(64)]
    buffer = fn.alloca(HALVES)
    for i, v in enumerate(values):
        fn.store(fn.shuffle(fn.regroup(v, HALVES), None, inverse), buffer, 0, 64)
        for j in range(8):
            where = fn.load(pointers, PTR, 8 * (8 * i + j), 8)
            fn.store(fn.load(buffer, ROW, ROW_BYTES * j, 16), where, 0, 1)


@meaning("movmatrix")
def movmatrix(e: Emitter, a: Val) -> None:
    whole_warp(e)
    fn = e.fn
    order = [int(i) for i in fragment(1, True).flat.ravel()]
    e.write("d", fn.regroup(fn.shuffle(fn.regroup(a, HALVES), None, order), WORDS))
