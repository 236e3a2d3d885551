"""Simulation with all its choices, and the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ptxlab.abi.options import LaunchOptions, SimOptions
from ptxlab.abi.sanitizing import Sanitize
from ptxlab.abi.validate import Extents
from ptxlab.diag import user_span
from ptxlab.diag.boundary import public
from ptxlab.launch.kernel import Kernel, kernel_of
from ptxlab.launch.prepare import Simulated
from ptxlab.launch.progress import ProgressCallback

if TYPE_CHECKING:
    from ptxlab.sim.report.report import Report


@public
def simulate(
    kernel: Kernel,
    *,
    grid: Extents,
    block: Extents | None = None,
    cluster: Extents | None = None,
    shared: int | None = None,
    args: Sequence[Any] = (),
    buffers: Sequence[Any] = (),
    cooperative: bool = False,
    lints: bool = True,
    ignore: str | Sequence[str] = (),
    sanitize: Sanitize | None = None,
    certify: bool = False,
    orders: int = 1000,
    graphs: bool = False,
    schedule: str = "eager",
    replay: str = "",
    seed: int = 0,
    poison: bool = True,
    trace: bool = False,
    stats: bool = False,
    max_instructions: int | None = None,
    progress: Callable[[int, int], object] | bool | None = None,
    workers: int | None = None,
    client: Any = None,
    **constants: Any,
) -> Report:
    """Run a kernel in the simulator and report on it. Arrays are written in place.

    Args:
        kernel, grid, block, cluster, shared, args, buffers, cooperative, lints, ignore, constants: as in `Kernel.launch`;
            arrays are NumPy's. Of arrays of several devices the first one says which device runs the kernel.
        sanitize: look for races, missing fences and waits; what is found is in `report.findings`. False is faster. "strict" also
            reports what the memory model forbids, though common kernels do it (see "Explanation: the sanitizer"). Left out,
            PTXLAB_SANITIZE in the environment decides: 1, 0 or strict; it is on where that is not set.
        certify: say in `report.certificate` whether this run speaks for every schedule: see `px.certify`. The sanitizer is on then.
        orders: with certify=True, the most runs in search of an order of strong accesses that matters.
        graphs: keep what the launch does, so that findings of the sanitizer have a happens-before graph: `Diagnostic.graph`.
            Slow, and for small launches; the sanitizer is on then, and the launch runs in this process.
        schedule: when asynchronous operations happen: "eager", at once; "late", when something waits for them; "random", which also
            draws from the seed who runs next, and for how long. The same schedule and seed give the same run.
        replay: whose strong access comes next, by CTA and thread: "0:0 1:0 0:0", as a note of `px.certify` has it; then those that
            are left, the lowest number first. The sanitizer is on then.
        seed: of the random schedule, and of what nobody has written.
        poison: registers, shared and local memory that nobody has written hold a pattern that the seed draws, so that results that
            depend on them change with it; False: zeros.
        trace: keep a timeline.
        stats: count what each instruction does: `report.stats.table()`, `.forms`, `.bytes`, `.bank_conflicts`, `.sites`.
        max_instructions: stop after so many instructions, counted per thread.
        progress: called now and then with (CTAs finished, CTAs of the grid); True: a bar is drawn where it takes over a second.
        workers: processes of this machine that share the clusters out; 0: one for each core, left out: this process alone.
            The results are the same bytes; a launch whose clusters meet in memory runs in one, and `report.stats.serial` says why.
        client: of Dask (`dask.distributed.Client`), whose workers then run the launch, in the place of `workers`.

    Returns: findings, statistics, and the timeline if it was asked for.

    Raises: Diagnostic as `Kernel.launch`, and for what stops the run (PTX90xx, PTX91xx), PTX904x where a process has ended or
        Dask has failed: then the arrays are as they were; PTX2501 for bad options.

    Example:
        @px.kernel(threads=32)
        def flip(k, x: px.Ptr[px.u32], y: px.Ptr[px.u32]):
            buf = k.smem(px.u32, 32)
            k.st.shared.u32(buf.at(k.tid.x * 4), k.ld.global_.u32(x[k.tid.x]))
            k.st.global_.u32(y[k.tid.x], k.ld.shared.u32(buf.at((31 - k.tid.x) * 4)))

        x, y = np.arange(32, dtype=np.uint32), np.zeros(32, np.uint32)

        report = px.simulate(flip, grid=1, args=[x, y], stats=True)
        print(report.stats.ctas, [d.slug for d in report.findings])  # 1 ['race']
    """
    launched = LaunchOptions.of(locals(), device="sim")
    options = SimOptions.of(locals(), progress=None)
    return simulated(kernel, launched, options, progress, constants)


def simulated(
    kernel: Kernel,
    launched: LaunchOptions,
    options: SimOptions,
    progress: ProgressCallback | bool | None = None,
    constants: Mapping[str, Any] = MappingProxyType({}),
) -> Report:
    """The same, options as objects."""
    origin = user_span()
    entry = kernel_of(kernel).entry(**constants)
    return Simulated(entry, entry.built(launched, origin).record, origin).run(options, progress)
