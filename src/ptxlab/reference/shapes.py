"""What each register of each thread holds of the matrices of a shape, as text: for `px.explain("mma.m16n8k16")`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ptxlab.isa.form import Form
from ptxlab.layout.cells import Cells, cells, of
from ptxlab.layout.fragments import ldmatrix
from ptxlab.layout.shapes import MatrixFragment, Metadata, matrices, selectors, sparse_metadata

_SHAPE = re.compile(r"w?g?mma(\.sp)?\.m\d+n\d+k\d+")
_MOVED = re.compile(r"(ldmatrix|stmatrix)\.m8n8\.x([124])(\.trans)?")
_FAMILIES = {"mma": "mma", "mma.sp": "mma.sp", "wgmma.mma_async": "wgmma", "wgmma.mma_async.sp": "wgmma.sp",
             "wmma.load": "wmma", "wmma.store": "wmma", "wmma.mma": "wmma"}  # fmt: skip
_HOW = "at each place thread:register; in a register, the first of several elements lies in the low bits"


def explained(what: str) -> str | None:
    """The fragments of a shape; None where `what` does not look like the name of one.

    Raises: Diagnostic PTX2122 where there is no such shape.
    """
    moved = _MOVED.fullmatch(what)
    if moved is not None:
        return _moved(moved[1], int(moved[2]), bool(moved[3]))
    return _product(what) if _SHAPE.fullmatch(what) else None


def named_by(form: Form) -> list[str]:
    """The shapes of a row, by the names that `explained` takes; of many, the first and the last."""
    if form.key in ("ldmatrix", "stmatrix"):
        return [f"{form.name}.m8n8.x4", f"{form.name}.m8n8.x4.trans"]
    if form.name not in _FAMILIES:
        return []
    mods = form.mods
    own = tuple(mods["shape"]) if "shape" in mods else re.findall(r"\.(m\d+n\d+k\d+)", form.syntax)  # pyright: ignore[reportArgumentType]
    found = [f"{_FAMILIES[form.name]}.{shape}" for shape in own]
    return found if len(found) <= 8 else [found[0], "…", found[-1]]


def alike(found: Iterable[MatrixFragment]) -> list[list[MatrixFragment]]:
    """Fragments in groups: those of a group differ in nothing but the names of their matrices and types."""
    groups: dict[tuple[object, ...], list[MatrixFragment]] = {}
    for one in found:
        shown = of(one)
        groups.setdefault((shown.key, one.shape, one.bits, one.registers, one.matrix in "cd"), []).append(one)
    return list(groups.values())


def called(group: Iterable[MatrixFragment]) -> str:
    """ "A of .f16, .bf16"."""
    letters, types = ({getattr(one, what): None for one in group} for what in ("matrix", "dtype"))
    return f"{' and '.join(x.upper() for x in letters)} of {', '.join(f'.{x}' for x in types)}"


def notes(one: MatrixFragment, shown: Cells) -> list[str]:
    """What the cells do not show."""
    out = shown.further()
    used = one.elements * one.bits // 32
    if one.bits <= 32 and one.registers > used:
        out.append(f"registers {used} to {one.registers - 1} repeat registers 0 to {used - 1}")
    if one.name == "mma.m8n8k4" and one.dtype in ("f16", "f32"):
        out.append("four products: threads 4i to 4i + 3 and 16 + 4i to 16 + 4i + 3 have the matrices of product i")
    if one.name == "mma.m8n8k4" and one.matrix in "ab" and one.dtype == "f16":
        out.append(f"shown: .{'row' if one.matrix == 'a' else 'col'}")
    return out


def held(one: MatrixFragment) -> str:
    """ "64 × 16, of which 4 registers a thread, of 2 elements each"."""
    each = max(1, 32 // one.bits)
    rows, columns = one.shape
    size = f"{rows} × {columns}{' that are stored' if one.sparse else ''}"
    word = "register" if one.registers == 1 else "registers"
    return f"{size}; each thread has {one.registers} {word} of {max(32, one.bits)} bits" + (
        f", {each} elements in each" if each > 1 else ""
    )


def _product(name: str) -> str:
    found = matrices(name)
    warps = "warpgroup of 128 threads" if name.startswith("wgmma") else "warp of 32 threads"
    lines = [f"{name}: what each thread of a {warps} holds", f"  {_HOW}"]
    for group in alike(found):
        shown = of(group[0])
        lines += [
            "",
            f"{called(group)}: {held(group[0])}",
            *_indented(shown.text()),
            *_indented(notes(group[0], shown)),
        ]
    if name.startswith("wgmma"):
        lines += ["", "B lies in shared memory, and so may A: see `ptxlab explain Tile.descriptor`"]
    lines += _metadata([one for one in found if one.sparse])
    *_, last = (f for f in found if f.matrix == "d")
    call = f'"{name}", "d", "{last.dtype}"'
    lines += ["", "In Python", f"  px.fragment({call}).lane_of(row, column)", f"  k.fragment({call}) in a kernel"]
    if found[0].sparse:
        lines.append(f'  px.sparse_metadata("{name}", "{found[0].dtype}").lane_of(row, column)')
    return "\n".join(lines)


def _metadata(found: list[MatrixFragment]) -> list[str]:
    groups: dict[int, list[MatrixFragment]] = {}
    for one in found:
        groups.setdefault(one.bits, []).append(one)
    lines: list[str] = []
    for group in groups.values():
        meta = sparse_metadata(group[0].name, group[0].dtype)
        types = ", ".join(f".{one.dtype}" for one in group)
        lines += ["", f"Metadata for {types}: four bits for each {meta.columns} columns, at each place lane:lowest bit"]
        lines += [*_indented(meta.picture().splitlines()), *_indented(metadata_notes(group[0], meta))]
    return lines


def metadata_notes(one: MatrixFragment, meta: Metadata) -> list[str]:
    """What other selectors change, and which rows a warp of wgmma has."""
    out: list[str] = []
    if (most := selectors(one)) > 1:
        next_one = sparse_metadata(one.name, one.dtype, 1)
        step = int(next_one.lanes[0, 0] - meta.lanes[0, 0])
        out.append(
            f"selectors 0 to {most - 1}, of which 0 is shown; with selector s, lane + {step if step > 1 else ''}s"
        )
    if one.name.startswith("wgmma"):
        out.append("each warp holds the metadata of its 16 rows")
    return out


def _moved(name: str, num: int, trans: bool) -> str:
    shown = cells(ldmatrix(num, trans), 16, 32)
    verb = "loads into" if name == "ldmatrix" else "stores from"
    return "\n".join(
        [
            f"{name}.m8n8.x{num}{'.trans' if trans else ''}: which elements of shared memory it {verb} which register",
            f"  {_HOW}; row 8i + j is row j of matrix i in memory, at the address that lane 8i + j gives",
            "",
            *_indented(shown.text()),
        ]
    )


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"  {line}" for line in lines]
