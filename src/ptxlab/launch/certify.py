"""`px.certify`: whether sanitized runs of a launch speak for every schedule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ptxlab.abi.options import LaunchOptions, SimOptions
from ptxlab.abi.sanitizing import Sanitize
from ptxlab.abi.validate import Extents
from ptxlab.diag import Diagnostic, user_span
from ptxlab.diag.boundary import public
from ptxlab.launch.kernel import Kernel, kernel_of
from ptxlab.launch.prepare import Simulated

if TYPE_CHECKING:
    from ptxlab.sim.report.certificate import Certificate


@public
def certify(
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
    orders: int = 1000,
    max_instructions: int | None = None,
    progress: Callable[[int, int], object] | bool | None = None,
    **constants: Any,
) -> Certificate:
    """Run a launch, sanitized, and say whether that speaks for every schedule: see "Explanation: certificates".

    Args:
        kernel, grid, block, cluster, shared, args, buffers, cooperative, lints, ignore, constants: as in `Kernel.launch`;
            arrays are NumPy's.
        sanitize: "strict" proves it by the memory model to the letter; else the certificate names what it assumes.
        orders: where strong accesses come in any order (locks, counters, flags of several writers), run the launch in all of them,
            but in no more than so many runs (one of 16 accesses counts as two, and so on); 0: in none.
        max_instructions, progress: as in `px.simulate`.

    Returns: the certificate. Where something stops the launch, that is the reason why it is not proved. The arrays hold what the
        run has left.

    Raises: Diagnostic as `Kernel.launch` for what is wrong with the launch itself, PTX2501 for bad options.

    Example:
        @px.kernel(threads=64)
        def count(k, y: px.Ptr[px.u32]):
            old = k.atom.global_.add.u32(y[0], 1)
            k.st.global_.u32(y[k.tid.x + 1], old)

        found = px.certify(count, grid=1, args=[np.zeros(65, np.uint32)])
        print(found.proved, found.reasons[0].code)  # False PTX9304
    """
    launched = LaunchOptions.of(locals(), device="sim")
    options = SimOptions.of(locals(), certify=True, progress=None)
    origin = user_span()
    entry = kernel_of(kernel).entry(**constants)
    record = entry.built(launched, origin).record
    try:
        report = Simulated(entry, record, origin).run(options, progress)
    except Diagnostic as stop:
        if not stop.code.startswith(STOPS):
            raise
        from ptxlab.sim.report.certificate import Certificate

        return Certificate(entry.name, str(record), [stop])
    assert report.certificate is not None
    return report.certificate


STOPS = ("PTX90", "PTX91", "PTX92")
"""Codes of what stops a launch."""
