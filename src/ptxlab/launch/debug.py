"""A simulated launch under a debugger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ptxlab.abi.options import LaunchOptions, SimOptions
from ptxlab.abi.validate import Extents
from ptxlab.diag import user_span
from ptxlab.diag.boundary import public
from ptxlab.launch.kernel import Kernel, kernel_of

if TYPE_CHECKING:
    from ptxlab.sim.diagnose.debug.debugger import Debugger
    from ptxlab.sim.report.report import Report


@public
def debug(
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
    schedule: str = "eager",
    seed: int = 0,
    poison: bool = True,
    trace: bool = False,
    stats: bool = False,
    max_instructions: int | None = None,
    **constants: Any,
) -> Debugger:
    r"""Simulate a launch step by step: `with px.debug(kernel, grid=4, args=[a, b]) as d: d.break_at(12); d.run()`.

    Args:
        kernel, grid, block, cluster, shared, args, buffers, cooperative, lints, ignore, constants: as in `Kernel.launch`;
            arrays are NumPy's.
        schedule, seed, poison, trace, stats, max_instructions: as in `px.simulate`.

    Returns: the launch, stopped in front of its first instruction once the `with` block is entered: `d.break_at`, `d.run`,
    `d.step`, `d.select`, `d.where`, `d.regs`, `d.shared`, `d.local`, `d.params`, `d.mbarriers`. At the end of the block it
    runs to its end.

    Raises: Diagnostic as `px.simulate`.

    Example:
        @px.kernel(threads=64)
        def double(k, x: px.Ptr[px.f32]):
            buf = k.smem(px.f32, 64, name="buf")
            bar = k.mbarrier(64)
            k.init_barriers()
            v = k.ld.global_.f32(x[k.tid.x])
            k.st.shared.f32(buf.at(k.tid.x * 4), v)
            bar.arrive()
            bar.wait(0)
            k.st.global_.f32(x[k.tid.x], v + v)

        x = np.arange(64, dtype=np.float32)

        with px.debug(double, grid=1, args=[x]) as d:
            d.break_at(("ptx", next(i for i, t in enumerate(double.ptx.split("\n"), 1) if "st.shared" in t)))
            where = d.run()
            print(where.warp, where.state, d.regs("v")[:3])  # 1 ready [32. 33. 34.]
        print(x[:3])  # [0. 2. 4.]
    """
    from ptxlab.sim.diagnose.debug.debugger import Debugger

    origin = user_span()
    entry = kernel_of(kernel).entry(**constants)
    built = entry.built(LaunchOptions.of(locals(), device="sim"), origin)
    module = entry.module
    module.last_library = None

    def ended(report: Report) -> None:
        report.findings[:0] = module.warnings(entry.name)

    return Debugger(
        built.record, SimOptions.of(locals()), module.file, entry.tiles, entry.names, ended, bound=entry.variables()
    )
