"""Cases of the grouped products that lie packed: by rows, with room for each group, and along K. Numbers are those of `further`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from ptxlab.conformance.kernels import adversarial, bounds, further, inputs
from ptxlab.conformance.kernels.bounds import Sums
from ptxlab.conformance.kernels.cases import OUTPUT, Arrays, Case, aligned
from ptxlab.conformance.kernels.further import BF16, BLOCK, E4M3, E5M2, F16, F32

if TYPE_CHECKING:
    import numpy as np

    from ptxlab.launch.prepare import Launch

OFFSETS: Final = (0, 70, 70, 71, 200, 203)
"""Where groups begin; the second has no rows, and one row behind the last belongs to none."""
COUNTS: Final = (70, 0, 1, 129, 3)
ROWS: Final = 136
"""That each group has room for."""
COLUMNS, DEPTH = 152, 272
LEFT: Final = 200
"""Rows of the products whose groups are parts of K."""


@dataclass(frozen=True, slots=True)
class Groups:
    """One way to call a product of packed groups.

    Attributes:
        form: "rows", "masked" or "depth". types: of A, B and C. layout: of B. lines: columns of B that share a scale, if there
            are scales. config: the tiling.
    """

    form: str
    types: tuple[str, str, str]
    layout: str = "nk"
    lines: int = 0
    config: str = "128x256-2c"
    columns: int = COLUMNS

    @property
    def key(self) -> str:
        """The name in the record."""
        scales = f"/{self.lines}" if self.lines else ""
        return f"packed/{self.form}/{'-'.join(self.types)}/{self.layout}/{self.config}/{self.columns}{scales}"

    def arrays(self, kind: str) -> Arrays:
        """Fresh inputs of a kind."""
        import numpy as np

        from ptxlab.launch.arrays import dtype_of

        a_type, b_type, c_type = map(dtype_of, self.types)
        made = {"random": inputs.uniform, "adversarial": adversarial.rows, "integers": inputs.integers}[kind]
        groups, rows, n = len(COUNTS), OFFSETS[-1] + 1, self.columns
        steps = -(-DEPTH // BLOCK)
        shapes = {
            "rows": ((rows, DEPTH), (groups, n, DEPTH), (rows, n)),
            "masked": ((groups, ROWS, DEPTH), (groups, n, DEPTH), (groups, ROWS, n)),
            "depth": ((rows, LEFT), (rows, n), (groups, LEFT, n)),
        }[self.form]
        found = {"a": made(shapes[0], a_type, seed=3), "b": made(shapes[1], b_type, seed=4)}
        if self.form != "depth" and self.layout == "kn":
            found["b"] = np.swapaxes(found["b"], 1, 2)
        if self.lines:
            # scales of one sign and size: that others break nothing is shown by `further`
            for i, (name, shape) in enumerate(
                (("scale_a", (*shapes[0][:-1], steps)), ("scale_b", (groups, -(-n // self.lines), steps)))
            ):
                found[name] = np.exp2(inputs.integers(shape, np.float32, 5 + i, 2)).astype(np.float32)
        found["numbers"] = np.array(COUNTS if self.form == "masked" else OFFSETS, np.int32)
        return {x: aligned(y) for x, y in (found | {OUTPUT: np.zeros(shapes[2], c_type)}).items()}

    def prepare(self, a: Mapping[str, Any]) -> Launch:
        """The launch on such arrays."""
        from ptxlab.kernels import grouped_packed as packed

        if self.form == "depth":
            return packed.prepare_depth(a["a"], a["b"], a[OUTPUT], a["numbers"], config=self.config)
        made = packed.prepare_rows if self.form == "rows" else packed.prepare_masked
        return made(
            a["a"],
            a["b"],
            a[OUTPUT],
            a["numbers"],
            b_layout=self.layout,  # type: ignore[arg-type]
            scale_a=a.get("scale_a"),
            scale_b=a.get("scale_b"),
            config=self.config,
        )

    def sums(self, a: Arrays) -> Sums:
        """What C should hold, in float64; zeros where nothing is written."""
        import numpy as np

        found = Sums(*(np.zeros(a[OUTPUT].shape) for _ in range(2)))
        for i, (first, end) in enumerate(pairwise(OFFSETS)):
            where: Any = (i, slice(COUNTS[i])) if self.form == "masked" else slice(first, end)
            if self.form == "depth":
                part = bounds.sums(a["a"][where].T, a["b"][where].T)
                where = i
            else:
                part = self._group(a, i, where)
            found.exact[where], found.slack[where] = part.exact, part.slack
        return found

    def _group(self, a: Arrays, i: int, where: Any) -> Sums:
        """One product."""
        left, right = a["a"][where], a["b"][i].T if self.layout == "kn" else a["b"][i]
        if not self.lines or not len(left):
            return bounds.sums(left, right)
        return further.in_blocks({"a": left, "b": right, "scale_a": a["scale_a"][where], "scale_b": a["scale_b"][i]})

    def expected(self, a: Arrays) -> np.ndarray:
        """The output for integers."""
        dtype = a[OUTPUT].dtype
        return bounds.as_type(self.sums(a).exact, dtype).astype(dtype)

    def outside(self, a: Arrays, got: np.ndarray) -> str:
        """Empty where an output lies within the bound."""
        return bounds.outside(got, self.sums(a))

    @property
    def case(self) -> Case:
        """As the conformance run has it."""
        return Case(
            self.key,
            f"grouped gemm {self.form}",
            f"{len(COUNTS)} groups",
            self.arrays,
            self.prepare,
            expected=self.expected,
            kinds=further.ALL,
            outside=self.outside,
        )


def shown() -> list[Case]:
    """Those that the demonstration shows."""
    plain = Groups("depth", (BF16, BF16, BF16))
    blocks = Groups("masked", (E4M3, E4M3, BF16), lines=128, config="128x128-2c")
    names = ("gemm of groups along K", "gemm of rooms, fp8 in blocks")
    return [
        replace(g.case, kernel=name, kinds=("integers", "random"))
        for g, name in zip((plain, blocks), names, strict=True)
    ]


def packed() -> list[Case]:
    """Every form and kind of types: what is recorded and tested."""
    plain, other = (BF16, BF16, BF16), (BF16, BF16, F32)
    fp8 = (E4M3, E5M2, BF16)
    made = (
        Groups("rows", plain, "kn"),
        Groups("rows", other),
        Groups("rows", (F16, F16, F16), columns=77),
        Groups("rows", fp8),
        *(Groups("rows", fp8, lines=128, config=config) for config in ("128x128-2c", "256x128-2c")),
        Groups("rows", (E4M3, E4M3, F32), lines=1, config="128x128-2c"),
        Groups("masked", plain),
        Groups("masked", other, columns=77),
        Groups("masked", (E4M3, E4M3, BF16), lines=128, config="128x128-2c"),
        Groups("rows", plain, "kn", config="128x64-2c-swapped"),
        Groups("masked", other, config="64x16-1c-swapped", columns=77),
        Groups("masked", fp8, lines=128, config="128x64-2c-swapped"),
        Groups("depth", plain),
        Groups("depth", (F16, F16, F32)),
    )
    return [g.case for g in made]
