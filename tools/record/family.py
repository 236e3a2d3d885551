"""Cases of the family of matrix products: each tiling by name, with and without TMA stores, in both layouts of B."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from ptxlab.conformance.kernels import inputs
from ptxlab.conformance.kernels.cases import OUTPUT, Arrays, Case, aligned

if TYPE_CHECKING:
    import numpy as np

    from ptxlab.launch.prepare import Launch

MEMBERS: Final = (
    *(
        "128x256-2c",
        "128x192-2c",
        "128x128-2c",
        "128x64-2c",
        "64x256-1c",
        "64x128-1c",
        "64x64-1c",
        "256x128-2c",
        "192x128-3c",
    ),
    *("128x256-2c-split4", "128x128-2c-split2", "64x64-1c-split4", "256x128-2c-split2", "128x64-2c-split8"),
    *("64x8-1c-swapped", "128x16-2c-swapped", "192x32-3c-swapped", "256x64-2c-swapped", "128x192-2c-swapped"),
    *("64x16-1c-swapped-split2", "128x8-2c-swapped-split4", "256x32-2c-swapped-split8", "128x128-2c-swapped-split2"),
    *("128x256-2c-cluster2x1", "128x128-2c-cluster1x2", "128x64-2c-swapped-cluster2x1"),
)
CHOSEN: Final = (
    *("128x128-2c-4b", "128x224-2c", "256x192-2c", "128x256-2c-4b", "64x128-1c-4b", "64x224-1c-7b"),
    *("64x64-1c-swapped", "128x200-2c-swapped", "128x256-2c-swapped", "128x8-2c-swapped", "256x128-2c-swapped"),
    *("256x144-2c-swapped", "256x176-2c-swapped", "64x136-1c-swapped-17b", "64x16-1c-swapped"),
    *("64x128-1c-cluster2x1", "128x256-2c-swapped-cluster1x2", "256x176-2c-swapped-cluster1x2"),
    *("64x128-1c-swapped-split2", "64x256-1c-swapped-split2", "64x64-1c-swapped-split2", "64x8-1c-swapped-split2"),
)
"""Further ones, which the cost model takes for sizes that models have. Tiles of 224 columns are for B as N × K alone."""
KINDS: Final = (
    ("kn", "bfloat16", "bfloat16", (136, 200, 584)),
    ("nk", "float16", "float32", (136, 200, 584)),
    ("nk", "bfloat16", "bfloat16", (70, 133, 520)),
)
"""Layout of B, type of A and B, type of C, and M, N, K. Rows of 133 results are stored without TMA."""


def family() -> list[Case]:
    """All of them. They are recorded and tested, but not shown."""
    return [
        *(_case(name, *kind) for name in MEMBERS for kind in KINDS),
        *(_case(name, *(kind if "x224" not in name else ("nk", *kind[1:]))) for name in CHOSEN for kind in KINDS[::2]),
    ]


def _case(name: str, layout: str, dtype: str, out: str, sizes: tuple[int, int, int]) -> Case:
    m, n, k = sizes

    def arrays(kind: str) -> Arrays:
        import numpy as np

        from ptxlab.launch.arrays import dtype_of

        made = inputs.uniform if kind == "random" else inputs.integers
        given = dtype_of(dtype)
        b = made((k, n) if layout == "kn" else (n, k), given, seed=4)
        return {
            "a": aligned(made((m, k), given, seed=3)),
            "b": aligned(b),
            OUTPUT: aligned(np.zeros((m, n), dtype_of(out))),
        }

    def prepare(a: Mapping[str, Any]) -> Launch:
        from ptxlab.kernels.gemm import prepare

        return prepare(a["a"], a["b"], a[OUTPUT], b_layout=layout, config=name)  # type: ignore[arg-type]

    def expected(a: Arrays) -> np.ndarray:
        import numpy as np

        b = a["b"].astype(np.float32)
        return (a["a"].astype(np.float32) @ (b if layout == "kn" else b.T)).astype(a[OUTPUT].dtype)

    size = "x".join(map(str, sizes))
    return Case(f"{name}/{layout}/{dtype}/{out}/{size}", f"gemm {name}", size, arrays, prepare, expected)
