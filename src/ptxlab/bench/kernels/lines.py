"""All lines of `ptxlab bench kernels`."""

from __future__ import annotations

from collections.abc import Sequence

from ptxlab.bench.kernels import attention, attention_backward, block, decode, decode_latent, rows
from ptxlab.bench.kernels.works import KINDS, LIMITS, Shape, Work, products
from ptxlab.diag import Diagnostic


def works(only: Sequence[str] = (), shapes: Sequence[Shape] = (), *, quick: bool = False) -> list[Work]:
    """The lines: those of the kinds in `only` (none: all), and for gemm these shapes in place of its own.

    Raises: Diagnostic PTX2501 for a kind that does not exist.
    """
    for kind in only:
        if kind not in (*KINDS, *LIMITS):
            known = ", ".join((*KINDS, *LIMITS))
            raise Diagnostic("PTX2501", f"--only {kind}: there is no such kind.", help=f"kinds: {known}")
    others = (attention, attention_backward, decode, decode_latent, rows, block)
    found = [*products(shapes, quick=quick), *(w for kind in others for w in kind.works(quick=quick))]
    return [w for w in found if not only or w.kind in only]
