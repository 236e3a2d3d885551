"""The page of fragments, docs/reference/fragments.md: every layout with its picture, and who has it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ptxlab.layout.shapes import names
from ptxlab.reference.shapes import metadata_notes, notes
from tools.markdown import table
from tools.pictures.fragments import FAMILIES, Group, Meta, groups, metadata

_INTRO = """# Fragments

Made from the code by `python -m tools.pictures`: which register of which thread holds which element of a matrix, for every shape of
`mma`, `wgmma`, `wmma`, `ldmatrix` and `stmatrix`, and where sparse metadata lie. The simulator uses the same maps.

- **A cell is one register of one thread.** It holds several elements where they are narrow; the one with the lowest row or column
  lies in the low bits. Registers of f64 have 64 bits. Types of 4 and 6 bits take 8 bits each, except `.s4`, `.u4`, and `.e2m1` of
  `.kind::mxf4` and `.kind::mxf4nvf4`.
- Rows and columns of the matrix are named for each size of elements that has the layout.
- A large matrix repeats a part of it; what changes from part to part stands beside the picture or in the table.
- In Python: [`px.fragment("mma.m16n8k16", "a", "bf16")`](language/matrices.md#pxfragment) has `lane_of(row, column)`, and `rows`
  and `cols` for all elements; [`k.fragment(…)`](language/matrices.md#kfragment) does the same for registers in a kernel.
- In a terminal: `ptxlab explain wgmma.m64n128k16` prints a shape's fragments as text.
"""
_WGMMA = """B of `wgmma` lies in shared memory, and A may: see [tiles that wgmma reads](swizzles.md#tiles-that-wgmma-reads).
Of C and D any N has the same layout: each eight columns take the next registers."""
_WMMA = """The manual leaves open which thread holds what; this is what an H100 does. Of A and B of `.f16`, a thread has eight
registers; where fewer hold the matrix, the others repeat them."""
_MMA = """`.alayout` and `.blayout` must be `.row` and `.col` for all but `mma.m8n8k4` of `.f16`. Columns of a sparse A are those
that are stored, half of K."""
_META = """Four bits of [metadata](instructions/mma_sparse.md) say which elements of a group of columns are there. Sixteen rows
of A belong to a warp; its lanes hold their bits in words of 32. The pictures show selector 0."""
_MOVED = """One register a matrix: `.x1`, `.x2` and `.x4` move one, two and four. The lane whose number a row has gives the
address of that row's 16 bytes. With `.trans`, what was a column in memory lies along a row of threads.
The shapes for bytes, which need sm_100 or later, are not drawn."""


def page() -> str:
    parts = [_INTRO, "## Find a shape", "", *_index(), ""]
    for family, said in zip(FAMILIES, (_MMA, _WGMMA, _WMMA), strict=True):
        parts += [f"## {family}{' and mma.sp' if family == 'mma' else ''}", "", said, ""]
        for group in groups():
            if group.family == family:
                picture = _image(f"{group.title}, with thread and register of each", group.file)
                parts += _section(group.title, picture, _users(group))
    parts += ["## Sparse metadata", "", _META, ""]
    for meta in metadata():
        picture = _image(f"{meta.title}: lane and bit of each", meta.file)
        parts += _section(meta.title, picture, _metadata_users(meta))
    parts += ["## ldmatrix and stmatrix", "", _MOVED, ""]
    parts += [_image("ldmatrix.m8n8.x4: four matrices below each other, a register each", "ldmatrix.svg"), ""]
    parts += [_image("ldmatrix.m8n8.x4.trans: each matrix transposed", "ldmatrix-trans.svg"), ""]
    return "\n".join(parts)


def _section(title: str, picture: str, users: Iterable[str]) -> list[str]:
    return [f"### {title}", "", picture, "", *users, ""]


def _image(what: str, file: str) -> str:
    return f"![{what}](../images/{file})"


def _index() -> list[str]:
    """Every shape with links to its pictures; those of wgmma by K."""
    shapes = {_short(name) for name in names()}
    rows: list[list[str]] = []
    for row in sorted(shapes, key=lambda row: [int(x) if x.isdigit() else x for x in re.split(r"(\d+)", row)]):
        found = [g for g in groups() if any(_short(one.name) == row for one, _ in g.members)]
        links = [", ".join(_link(g, row) for g in found if g.matrix == m) or "shared memory" for m in "abd"]
        rows.append([f"`{row}`", *links])
    return table(("shape", "A", "B", "C and D"), rows)


def _link(group: Group, row: str) -> str:
    types = dict.fromkeys(one.dtype for one, _ in group.members if _short(one.name) == row)
    anchor = re.sub(r"[^\w\s-]", "", group.title.lower()).replace(" ", "-")
    return f"[{' '.join(f'.{t}' for t in types)}](#{anchor})"


def _short(name: str) -> str:
    """A name with N for the width of wgmma: "wgmma.m64nNk16"."""
    return re.sub(r"n\d+", "nN", name) if name.startswith("wgmma") else name


def _users(group: Group) -> list[str]:
    """Who has a layout. Of wgmma the wide shapes say how it goes on; the narrowest one ends with the picture."""
    said: dict[tuple[str, str], str] = {}
    for one, shown in group.members:
        key, words = (_short(one.name), one.dtype), "; ".join(notes(one, shown))
        said[key] = max(said.get(key, ""), words, key=len)
    types: dict[tuple[str, str], list[str]] = {}
    for (name, dtype), words in said.items():
        types.setdefault((name, words), []).append(dtype)
    return _shapes(types)


def _metadata_users(meta: Meta) -> list[str]:
    types: dict[tuple[str, str], list[str]] = {}
    for one in meta.members:
        found = types.setdefault((_short(one.name), "; ".join(metadata_notes(one, meta.shown))), [])
        if one.dtype not in found:
            found.append(one.dtype)
    return _shapes(types)


def _shapes(types: dict[tuple[str, str], list[str]]) -> list[str]:
    """A table of shapes, those with the same types in one row. `types`: of each shape, and what is said of it."""
    rows: dict[tuple[str, str], list[str]] = {}
    for (name, words), found in types.items():
        rows.setdefault((" ".join(f"`.{t}`" for t in found), words), []).append(f"`{name}`")
    also = any(words for _, words in rows)
    lines = [(", ".join(found), shown, words)[: 3 if also else 2] for (shown, words), found in rows.items()]
    return table(("shape", "types", "also")[: 3 if also else 2], lines)


PAGES = {"reference/fragments.md": page}
