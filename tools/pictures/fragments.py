"""Pictures of fragments: which register of which thread holds what, of mma, wgmma, wmma, ldmatrix; and of sparse metadata."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from ptxlab.layout.cells import Cells, Step, cells, of
from ptxlab.layout.fragments import ldmatrix
from ptxlab.layout.shapes import MatrixFragment, Metadata, matrices, names, sparse_metadata
from ptxlab.view.grid import Cell, Grid, Heads

FAMILIES = ("mma", "wgmma", "wmma")


@dataclass(frozen=True, slots=True)
class Group:
    """Fragments of a family that look alike.

    Attributes:
        family: mma, wgmma or wmma. matrix: "a", "b" or "d", which stands for C too.
        members: all of them, with their cells.
    """

    family: str
    matrix: str
    members: list[tuple[MatrixFragment, Cells]]

    @property
    def shown(self) -> Cells:
        return self.members[0][1]

    @property
    def file(self) -> str:
        rows, columns = self.shown.owner.shape[:2]
        kind = "-octets" if self.octets else "-m8n32" if self.turned else ""
        return f"fragment-{self.family}-{self.matrix}-{rows}x{columns}{kind}.svg"

    @property
    def octets(self) -> bool:
        """Whether it is of mma.m8n8k4 of f16, whose warp makes four products."""
        one = self.members[0][0]
        return one.name == "mma.m8n8k4" and one.dtype != "f64"

    @property
    def turned(self) -> bool:
        """Whether it is of wmma.m8n32k16 alone, which is the product of the transposed matrices."""
        return {one.name for one, _ in self.members} == {"wmma.m8n32k16"}

    @property
    def title(self) -> str:
        rows, columns = self.shown.owner.shape[:2]
        what = "C and D" if self.matrix == "d" else self.matrix.upper()
        kind = ", four products" if self.octets else ", m8n32k16" if self.turned else ""
        return f"{what} of {self.family}: {rows} by {columns} cells{kind}"

    def step(self, which: str) -> tuple[int, Step] | None:
        """How all of them go on, in elements; None where they do not agree."""
        each = {"down": "high", "right": "wide"}[which]
        found = {
            (s.cells * getattr(shown, each), s)
            for _, shown in self.members
            for s in [getattr(shown, which)]
            if s is not None
        }
        return found.pop() if len(found) == 1 else None

    def draw(self) -> str:
        owner = self.shown.owner.tolist()
        spots = [[Cell(f"T{t} r{r}", r, t == 0) for t, r in row] for row in owner]
        right, below = self.step("right"), self.step("down")
        grid = Grid(
            cells=spots,
            rows=self._heads("high", len(owner)),
            columns=self._heads("wide", len(owner[0])),
            right=f"each further\n{right[0]} columns:\n{_change(right[1])}" if right else "",
            below=f"each further {below[0]} rows: {_change(below[1])}" if below else "",
            notes=["Tn rm: thread n, register m; framed: thread 0"],
        )
        first = ", ".join(spot.text for spot in spots[0])
        names = sorted({one.name for one, _ in self.members}, key=lambda name: (len(name), name))
        return grid.drawn(self.title, f"Row 0: {first}. All of it as text: ptxlab explain {names[0]}")

    def _heads(self, each: str, count: int) -> list[Heads]:
        """What rows or columns are called for elements of each size."""
        sizes: dict[int, set[int]] = {}
        for one, shown in self.members:
            sizes.setdefault(getattr(shown, each), set()).add(one.bits)
        if len(sizes) == 1:
            return [Heads("", _names(next(iter(sizes)), count))]
        return [Heads(_bits(bits), _names(size, count)) for size, bits in sorted(sizes.items())]


@lru_cache
def groups() -> tuple[Group, ...]:
    """All fragments, in groups that share a picture."""
    out: dict[tuple[object, ...], Group] = {}
    for name in names():
        family = name.split(".")[0]
        for one in matrices(name):
            shown, matrix = of(one), "d" if one.matrix == "c" else one.matrix
            octets = name == "mma.m8n8k4" and one.dtype != "f64"
            group = out.setdefault((family, matrix, octets, shown.key), Group(family, matrix, []))
            group.members.append((one, shown))
    return tuple(sorted(out.values(), key=lambda g: (FAMILIES.index(g.family), g.matrix, g.octets, g.shown.owner.size)))


@dataclass(frozen=True, slots=True)
class Meta:
    """Metadata that lie alike: of these sparse A."""

    shown: Metadata
    members: list[MatrixFragment]

    @property
    def file(self) -> str:
        return f"metadata-{'8' if self.members[0].bits < 16 else '16'}-{self.shown.lanes.shape[1]}.svg"

    @property
    def title(self) -> str:
        bits = _bits({one.bits for one in self.members})
        return f"Metadata of elements of {bits}: {self.shown.lanes.shape[1]} groups of columns"

    def draw(self) -> str:
        lanes, bits = self.shown.lanes.tolist(), self.shown.bits.tolist()
        spots = [
            [Cell(f"L{lane} b{bit}", lane % 4, lane == 0) for lane, bit in zip(*row, strict=True)]
            for row in zip(lanes, bits, strict=True)
        ]
        sizes: dict[int, set[int]] = {}
        for one in self.members:
            each = sparse_metadata(one.name, one.dtype).columns
            sizes.setdefault(each, set()).add(one.bits)
        columns = [Heads(_bits(found), _names(each, len(lanes[0]))) for each, found in sorted(sizes.items())]
        note = "Ln bm: four bits from bit m of lane n's word; framed: lane 0; rows and columns are those of A, all columns counted"
        grid = Grid(cells=spots, rows=[Heads("", _names(1, len(lanes)))], columns=columns, notes=[note])
        first = ", ".join(spot.text for spot in spots[0])
        return grid.drawn(self.title, f"Row 0: {first}. All of it as text: ptxlab explain {self.members[0].name}")


@lru_cache
def metadata() -> tuple[Meta, ...]:
    """All metadata, in groups that share a picture."""
    out: dict[tuple[object, ...], Meta] = {}
    for one in (one for name in names() if ".sp." in name for one in matrices(name) if one.sparse):
        found = sparse_metadata(one.name, one.dtype)
        key = found.lanes.shape, found.lanes.tobytes(), found.bits.tobytes()
        out.setdefault(key, Meta(found, [])).members.append(one)
    return tuple(sorted(out.values(), key=lambda m: (m.members[0].bits < 16, m.shown.lanes.size)))


def moved(trans: bool) -> str:
    """What ldmatrix and stmatrix move with .x4."""
    shown = cells(ldmatrix(4, trans), 16, 32)
    spots = [[Cell(f"T{t} r{r}", r, t == 0) for t, r in row] for row in shown.owner.tolist()]
    notes = ["row 8i + j is row j of matrix i in memory, at the address that lane 8i + j gives",
             "Tn rm: thread n, register m; framed: thread 0; .x1 and .x2: the first one or two matrices"]  # fmt: skip
    grid = Grid(cells=spots, rows=[Heads("row", shown.rows())], columns=[Heads("", shown.columns())], notes=notes)
    first = ", ".join(spot.text for spot in spots[0])
    name = f"m8n8.x4{'.trans' if trans else ''}"
    return grid.drawn(
        f"Four matrices of 8 × 8 elements that ldmatrix and stmatrix move with .{name}",
        f"First row: {first}. All of it as text: ptxlab explain ldmatrix.{name}",
    )


def _names(each: int, count: int) -> Sequence[str]:
    return [str(i) if each == 1 else f"{i * each}–{i * each + each - 1}" for i in range(count)]


def _bits(found: set[int]) -> str:
    return f"{', '.join(map(str, sorted(found)))} bit{'' if found == {1} else 's'}"


def _change(step: Step) -> str:
    return f"thread + {step.threads}" if step.threads else f"register + {step.registers}"


PICTURES = {
    **{group.file: group.draw for group in groups()},
    **{meta.file: meta.draw for meta in metadata()},
    "ldmatrix.svg": partial(moved, False),
    "ldmatrix-trans.svg": partial(moved, True),
}
