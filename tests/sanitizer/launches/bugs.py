"""Public bugs, rebuilt in small. Each names its thread; the right form is what the repair has made of it, or does the same."""

from __future__ import annotations

import numpy as np

import ptxlab as px

from . import ALONE, BEFORE, Checks, Fault, numbers, program, zeros


@px.kernel(threads=64)
def activations(k: px.Builder, x: px.Ptr[px.u32]) -> None:
    k.griddepcontrol.launch_dependents()
    k.st.global_.u32(x[k.tid.x], k.tid.x)  #: activation


@program(
    Fault(
        "no wait in the warp-specialized kernel",
        BEFORE,
        ("operand", "activation"),
        "operands are loaded before they are stored",
    ),
    bug="cutlass#2760",
)
def array_gemm(fault: str) -> Checks:
    """The grouped kernels are launched as dependents, and none of their warps waits."""

    @px.kernel(target="sm_90a", threads=96)
    def product(k: px.Builder, a: px.Ptr[px.u32], y: px.Ptr[px.u32]) -> None:
        stages = k.smem(px.u32, (2, 32), align=128)
        full = [k.mbarrier(1), k.mbarrier(1)]
        k.init_barriers()
        load = k.cp.async_.bulk.shared__cta.global_.mbarrier__complete_tx__bytes
        with k.if_(k.warp == 2), k.elect():
            if not fault:
                k.griddepcontrol.wait()
            for i, bar in enumerate(full):
                bar.arrive_expect_tx(128)
                load(stages[i], a[32 * i], 128, bar)  #: operand
            k.griddepcontrol.launch_dependents()
        with k.if_(k.warp < 2):
            for i, bar in enumerate(full):
                bar.wait(0)
                with k.if_(k.warp == i):
                    k.st.global_.u32(y[k.tid.x], k.ld.shared.u32(stages[i].at(k.laneid * 4)) * 2)

    a, y, stream = zeros(), zeros(), px.Stream()
    activations[1](a, stream=stream)
    product[1](a, y, stream=stream, programmatic=True)
    return [(y, (numbers() - 1) * 2)]


@program(
    Fault("the scheduler reads the shapes first", BEFORE, ("first shape", "shape"), "they may not be there yet"),
    bug="cutlass#2962",
)
def group_scheduler(fault: str) -> Checks:
    """The tile scheduler of a grouped product reads the first problem's shape where it is made, which is in front of the wait."""

    @px.kernel(threads=32)
    def plans(k: px.Builder, shapes: px.Ptr[px.u32]) -> None:
        k.griddepcontrol.launch_dependents()
        k.st.global_.u32(shapes[k.tid.x], k.tid.x + 1)  #: shape

    @px.kernel(threads=32)
    def product(k: px.Builder, shapes: px.Ptr[px.u32], y: px.Ptr[px.u32]) -> None:
        rows = None
        if fault:
            rows = k.ld.global_.u32(shapes[0])  #: first shape
        k.griddepcontrol.wait()
        if rows is None:
            rows = k.ld.global_.u32(shapes[0])
        total = k.mov.u32(0)
        with k.loop(32) as group:
            total += k.ld.global_.u32(shapes[group]) * rows
        k.st.global_.u32(y[k.tid.x], total)

    shapes, y, stream = zeros(32), zeros(32), px.Stream()
    plans[1](shapes, stream=stream)
    product[1](shapes, y, stream=stream)
    return [(y, zeros(32) + 528)]


@program(
    Fault(
        "no wait in the preprocessing",
        BEFORE,
        ("grads", "gradient"),
        "sums are made of a gradient that is stored in part",
    ),
    bug="flash-attention#2481",
)
def backward_preprocess(fault: str) -> Checks:
    """The preprocessing of the backward pass adds up O · dO; the kernel in front of it stores dO."""

    @px.kernel(threads=64)
    def projection(k: px.Builder, grads: px.Ptr[px.u32]) -> None:
        k.griddepcontrol.launch_dependents()
        k.st.global_.u32(grads[k.tid.x], 2)  #: gradient

    @px.kernel(threads=64)
    def preprocess(k: px.Builder, out: px.Ptr[px.u32], grads: px.Ptr[px.u32], sums: px.Ptr[px.u32]) -> None:
        mine = k.ld.global_.u32(out[k.tid.x])
        if not fault:
            k.griddepcontrol.wait()
        theirs = k.ld.global_.u32(grads[k.tid.x])  #: grads
        k.griddepcontrol.launch_dependents()
        k.st.global_.u32(sums[k.tid.x], mine * theirs)

    out, grads, sums, stream = numbers(), zeros(), zeros(), px.Stream()
    projection[1](grads, stream=stream)
    preprocess[1](out, grads, sums, stream=stream, programmatic=True)
    return [(sums, numbers() * 2)]


@program(
    Fault(
        "no wait in the load warp",
        BEFORE,
        ("statistics", "preprocessed"),
        "it copies what the preprocessing has yet to store",
    ),
    Fault("the wait in another warp", ALONE, ("statistics", "preprocessed"), "the load warp has not waited"),
    bug="flash-attention#2498",
)
def gradient_of_queries(fault: str) -> Checks:
    """The load warp of the dQ kernel fetches the sums of the preprocessing for all."""

    @px.kernel(threads=64)
    def preprocess(k: px.Builder, sums: px.Ptr[px.u32]) -> None:
        k.griddepcontrol.launch_dependents()
        k.st.global_.u32(sums[k.tid.x], k.tid.x)  #: preprocessed

    @px.kernel(target="sm_90a", threads=96)
    def queries(k: px.Builder, sums: px.Ptr[px.u32], dq: px.Ptr[px.u32]) -> None:
        tile, full = k.smem(px.u32, 64, align=128), k.mbarrier(1)
        k.init_barriers()
        load = k.cp.async_.bulk.shared__cta.global_.mbarrier__complete_tx__bytes
        with k.if_(k.warp == 2), k.elect():
            if not fault:
                k.griddepcontrol.wait()
            full.arrive_expect_tx(tile.nbytes)
            load(tile, sums, tile.nbytes, full)  #: statistics
        with k.if_(k.warp < 2):
            if fault == "the wait in another warp":
                k.griddepcontrol.wait()
            full.wait(0)
            k.st.global_.u32(dq[k.tid.x], k.ld.shared.u32(tile.at(k.tid.x * 4)))

    sums, dq, stream = zeros(), zeros(), px.Stream()
    preprocess[1](sums, stream=stream)
    queries[1](sums, dq, stream=stream, programmatic=True)
    return [(dq, numbers() - 1)]


@program(
    Fault("waits are compiled to nothing", BEFORE, ("tile", "activation"), "the launch attribute is set all the same"),
    Fault(
        "the output of the product before",
        BEFORE,
        ("result", "result"),
        "the next product may store over a tile that is not read",
    ),
    bug="flashinfer#2708",
)
def products_in_a_row(fault: str) -> Checks:
    """Without a flag of the compiler the instructions of the kernels' synchronization are left out, and the launches overlap."""
    there = not fault

    @px.kernel(threads=64)
    def product(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32]) -> None:
        if there:
            k.griddepcontrol.wait()
        v = k.ld.global_.u32(x[k.tid.x])  #: tile
        if there:
            k.griddepcontrol.launch_dependents()
        k.st.global_.u32(y[k.tid.x], v + 1)  #: result

    x, y, z, stream = zeros(), zeros(), zeros(), px.Stream()
    if fault == "the output of the product before":
        x += numbers() - 1
    else:
        activations[1](x, stream=stream)
    product[1](x, y, stream=stream, programmatic=True)
    product[1](x, y if fault == "the output of the product before" else z, stream=stream, programmatic=True)
    return [(y, numbers()), (z, numbers())]


@program(
    Fault(
        "partitions read before the sync", BEFORE, ("partition", "partitions"), "the bounds of a tile may be any number"
    ),
    Fault(
        "the sort lets the merge begin before it stores",
        BEFORE,
        ("merge keys", "sorted keys"),
        "two kernels later it may still store",
    ),
    bug="cccl#3131",
)
def merge_sort(fault: str) -> Checks:
    """Sort of blocks, search for partitions, merge. The merge read its partition in front of its wait (mended in cccl#5456)."""

    @px.kernel(threads=32)
    def sorts(k: px.Builder, keys: px.Ptr[px.u32], out: px.Ptr[px.u32]) -> None:
        k.griddepcontrol.wait()
        v = k.ld.global_.u32(keys[k.ctaid.x * 32 + k.tid.x])
        k.griddepcontrol.launch_dependents()
        k.st.global_.u32(out[k.ctaid.x * 32 + k.tid.x], v)  #: sorted keys

    @px.kernel(threads=32)
    def partitions(k: px.Builder, keys: px.Ptr[px.u32], bounds: px.Ptr[px.u32]) -> None:
        if fault == "the sort lets the merge begin before it stores":
            k.griddepcontrol.launch_dependents()
        k.griddepcontrol.wait()
        with k.if_(k.tid.x < 2):
            k.st.global_.u32(bounds[k.tid.x], k.ld.global_.u32(keys[k.tid.x * 32]) * 0 + k.tid.x * 32)  #: partitions

    @px.kernel(threads=32)
    def merges(k: px.Builder, keys: px.Ptr[px.u32], bounds: px.Ptr[px.u32], out: px.Ptr[px.u32]) -> None:
        if fault == "partitions read before the sync":
            begin = k.ld.global_.u32(bounds[k.ctaid.x])  #: partition
            k.griddepcontrol.wait()
            v = k.ld.global_.u32(keys[begin + k.tid.x])
        elif fault:
            v = k.ld.global_.u32(keys[k.ctaid.x * 32 + k.tid.x])  #: merge keys
            k.griddepcontrol.wait()
            begin = k.ld.global_.u32(bounds[k.ctaid.x])
        else:
            k.griddepcontrol.wait()
            begin = k.ld.global_.u32(bounds[k.ctaid.x])
            v = k.ld.global_.u32(keys[begin + k.tid.x])
        k.st.global_.u32(out[begin + k.tid.x], v)

    keys, blocks, bounds, out, stream = numbers(), zeros(), zeros(2), zeros(), px.Stream()
    sorts[2](keys, blocks, stream=stream)
    partitions[1](blocks, bounds, stream=stream)
    merges[2](blocks, bounds, out, stream=stream)
    return [(out, numbers())]


@program(
    Fault(
        "a kernel for older devices",
        BEFORE,
        ("transforms", "user's kernel"),
        "the first grid has ended, and its stores are not out yet",
    ),
    bug="cccl#9134",
)
def attribute_without_sync(fault: str) -> Checks:
    """Compiled for sm_80, the kernel has no wait, and is launched with the attribute on a newer device.

    The grid in front of it does not even have launch_dependents.
    """

    @px.kernel(threads=64)
    def user(k: px.Builder, x: px.Ptr[px.u32]) -> None:
        k.st.global_.u32(x[k.tid.x], k.tid.x)  #: user's kernel

    @px.kernel(threads=64)
    def transform(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32]) -> None:
        if not fault:
            k.griddepcontrol.wait()
        k.st.global_.u32(y[k.tid.x], k.ld.global_.u32(x[k.tid.x]) + 1)  #: transforms

    x, y, stream = zeros(), zeros(), px.Stream()
    user[1](x, stream=stream)
    transform[1](x, y, stream=stream, programmatic=True)
    return [(y, numbers())]


@program(
    Fault("made before the sync", BEFORE, ("residual", "embedding"), "the first row of each thread is not read again"),
    bug="flashinfer#5081",
)
def fused_norm(fault: str) -> Checks:
    """A helper of the fused kernel loads the thread's first row where it is made: in front of the wait."""

    @px.kernel(threads=64)
    def embeds(k: px.Builder, residual: px.Ptr[px.u32]) -> None:
        k.griddepcontrol.launch_dependents()
        k.st.global_.u32(residual[k.tid.x], k.tid.x)  #: embedding

    @px.kernel(threads=64)
    def fused(k: px.Builder, gamma: px.Ptr[px.u32], residual: px.Ptr[px.u32], y: px.Ptr[px.u32]) -> None:
        weight, row = k.ld.global_.u32(gamma[k.tid.x]), None
        if fault:
            row = k.ld.global_.u32(residual[k.tid.x])  #: residual
        k.griddepcontrol.wait()
        if row is None:
            row = k.ld.global_.u32(residual[k.tid.x])
        k.st.global_.u32(y[k.tid.x], row * weight)

    gamma, residual, y, stream = zeros() + 2, zeros(), zeros(), px.Stream()
    embeds[1](residual, stream=stream)
    fused[1](gamma, residual, y, stream=stream)
    return [(y, (numbers() - 1) * 2)]


@program(
    Fault(
        "one of two load warps waits",
        ALONE,
        ("scales", "quantized"),
        "the other operand is stored by the grid in front, too",
    ),
    bug="flashinfer#4685",
)
def two_load_warps(fault: str) -> Checks:
    """One warp loads activations behind its wait, another one weights. What the grid in front stores is not for that one."""

    @px.kernel(threads=64)
    def quantizes(k: px.Builder, x: px.Ptr[px.u32], scale: px.Ptr[px.u32]) -> None:
        k.griddepcontrol.launch_dependents()
        k.st.global_.u32(x[k.tid.x], k.tid.x)
        k.st.global_.u32(scale[k.tid.x], 3)  #: quantized

    @px.kernel(target="sm_90a", threads=128)
    def product(k: px.Builder, x: px.Ptr[px.u32], other: px.Ptr[px.u32], y: px.Ptr[px.u32]) -> None:
        ours, theirs, full = k.smem(px.u32, 64, align=128), k.smem(px.u32, 64, align=128), k.mbarrier(2)
        k.init_barriers()
        load = k.cp.async_.bulk.shared__cta.global_.mbarrier__complete_tx__bytes
        with k.if_(k.warp == 2), k.elect():
            k.griddepcontrol.wait()
            full.arrive_expect_tx(ours.nbytes)
            load(ours, x, ours.nbytes, full)
        with k.if_(k.warp == 3), k.elect():
            full.arrive_expect_tx(theirs.nbytes)
            load(theirs, other, theirs.nbytes, full)  #: scales
        with k.if_(k.warp < 2):
            full.wait(0)
            at = k.tid.x * 4
            k.st.global_.u32(y[k.tid.x], k.ld.shared.u32(ours.at(at)) * k.ld.shared.u32(theirs.at(at)))

    x, scale, weights, y, stream = zeros(), zeros(), np.full(64, 3, np.uint32), zeros(), px.Stream()
    quantizes[1](x, scale, stream=stream)
    product[1](x, scale if fault else weights, y, stream=stream)
    return [(y, (numbers() - 1) * 3)]
