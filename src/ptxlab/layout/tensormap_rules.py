"""What CUDA's driver demands of a tensor map, rule by rule, each with the nearest value that would do.

The rules were learned from 24,000 recorded calls on an H100 and decide every one of them as the driver did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ptxlab.diag import Diagnostic
from ptxlab.layout import tensormap_fields as f
from ptxlab.layout.swizzle import CHUNK, swizzle_span
from ptxlab.layout.tensormap import ISA, TensorMap

Found = Iterator[Diagnostic]


def problems(m: TensorMap) -> list[Diagnostic]:
    """All findings on `m`, in the order of the driver's arguments; empty if the driver would accept it."""
    shape = list(_rank(m))
    if shape:  # the other rules compare the lists with each other
        return shape
    rules: tuple[Callable[[TensorMap], Found], ...] = (_target, _address, _dims, _strides, _element_strides)
    rules += (_fill, _window if m.window else _box)
    found = [d for rule in rules for d in rule(m)]
    if not any(d.code in ("PTX2105", "PTX2109", "PTX2111", "PTX2114") for d in found):  # else the box has no size
        found += [*_inner(m), *_box_bytes(m)]
    return found


def _finding(code: str, message: str, help: str | None = None) -> Diagnostic:
    return Diagnostic(code, message, help=help, isa=ISA)


def _clamp(value: int, low: int, high: int) -> int:
    return max(low, min(value, high))


def alignment(m: TensorMap) -> int:
    """Bytes that the tensor's address and strides must be a multiple of."""
    return 32 if m.interleave == "32B" else 16


def _rank(m: TensorMap) -> Found:
    n = m.rank
    if not 1 <= n <= f.MAX_RANK:
        yield _finding(
            "PTX2100", f"The tensor has {n} dimensions; a tensor map takes 1 to {f.MAX_RANK}.", "merge dimensions"
        )
        return
    lists: list[tuple[str, tuple[int, ...], int]] = [
        ("strides", m.strides, n - 1),
        ("element_strides", m.element_strides, n),
    ]
    if m.window is None:
        lists.append(("box", m.box, n))
    else:
        lists += [("lower", m.window.lower, n - 2), ("upper", m.window.upper, n - 2)]
        if n < 3:
            yield _finding(
                "PTX2100", f"An im2col map has 3 to 5 dimensions, not {n}.", "add the missing ones with extent 1"
            )
            return
    for name, values, wanted in lists:
        if len(values) != wanted:
            why = "; the innermost one is the element's size and is not given" if name == "strides" else ""
            yield _finding(
                "PTX2100",
                f"`{name}` has {len(values)} values for a tensor of {n} dimensions.",
                f"give {wanted}, innermost first{why}",
            )
    if m.interleave != "none" and n < 3:
        yield _finding(
            "PTX2100",
            f"Interleave {m.interleave} takes tensors of 3 to 5 dimensions, not {n}.",
            'use interleave="none", or add dimensions of extent 1',
        )


def _target(m: TensorMap) -> Found:
    if m.element.code is None:
        yield _finding(
            "PTX2111", f"Tensors of {m.dtype} need sm_100; sm_90 refuses them.", "load the packed bytes as u8"
        )
    if m.swizzle in f.NEWER_SWIZZLES:
        yield _finding("PTX2111", f'Swizzle "{m.swizzle}" needs sm_100; sm_90 refuses it.', 'use swizzle="128B"')


def _address(m: TensorMap) -> Found:
    need = alignment(m)
    if not 0 <= m.address < 1 << f.ADDRESS.width:
        yield _finding(
            "PTX2101", f"Address {m.address:#x} does not fit 64 bits.", "give the address of the tensor's element 0"
        )
    elif m.address % need:
        low = m.address // need * need
        yield _finding(
            "PTX2101",
            f"Address {m.address:#x} is not a multiple of {need} bytes.",
            f"start at {low:#x} or {low + need:#x}; a copy of a NumPy array can be aligned by px.empty",
        )


def _dims(m: TensorMap) -> Found:
    for i, dim in enumerate(m.dims):
        if not 1 <= dim <= f.MAX_DIM:
            nearest = _clamp(dim, 1, f.MAX_DIM)
            yield _finding(
                "PTX2104", f"Extent {dim} of dimension {i} lies outside 1 to 2^32.", f"the nearest is {nearest}"
            )


def _strides(m: TensorMap) -> Found:
    need = alignment(m)
    for i, stride in enumerate(m.strides, 1):
        if stride % need:
            yield _finding(
                "PTX2102",
                f"Stride {stride} of dimension {i} is not a multiple of {need} bytes.",
                f"pad to a stride of {-(-stride // need) * need} bytes",
            )
        if not 0 <= stride < f.MAX_STRIDE:
            nearest = _clamp(stride, 0, f.MAX_STRIDE - need)
            yield _finding(
                "PTX2103",
                f"Stride {stride} of dimension {i} lies outside 0 to 2^40 − {need}.",
                f"the nearest is {nearest}",
            )


def _element_strides(m: TensorMap) -> Found:
    for i, step in enumerate(m.element_strides):
        if not 1 <= step <= f.MAX_ELEMENT_STRIDE:
            yield _finding(
                "PTX2109",
                f"Element stride {step} of dimension {i} lies outside 1 to {f.MAX_ELEMENT_STRIDE}.",
                f"the nearest is {_clamp(step, 1, f.MAX_ELEMENT_STRIDE)}",
            )


def _box(m: TensorMap) -> Found:
    for i, extent in enumerate(m.box):
        if not 1 <= extent <= f.MAX_BOX:
            nearest = _clamp(extent, 1, f.MAX_BOX)
            more = "; copy a larger tile by several instructions" if extent > f.MAX_BOX else ""
            yield _finding(
                "PTX2105",
                f"Extent {extent} of the box in dimension {i} lies outside 1 to {f.MAX_BOX}.",
                f"the nearest is {nearest}{more}",
            )


def _window(m: TensorMap) -> Found:
    w = m.window
    assert w is not None
    for name, value, limit in (("channels", w.channels, f.MAX_BOX), ("pixels", w.pixels, f.MAX_PIXELS)):
        if not 1 <= value <= limit:
            yield _finding(
                "PTX2114", f"{name}={value} lies outside 1 to {limit}.", f"the nearest is {_clamp(value, 1, limit)}"
            )
    half = 1 << f.CORNER_BITS[m.rank] - 1
    for name, corner in (("lower", w.lower), ("upper", w.upper)):
        for i, offset in enumerate(corner):
            if not -half <= offset < half:
                yield _finding(
                    "PTX2113",
                    f"Offset {offset} of the {name} corner in spatial dimension {i} lies outside {-half} to {half - 1}, "
                    f"which is what a map of {m.rank} dimensions holds.",
                    f"the nearest is {_clamp(offset, -half, half - 1)}",
                )
    # With interleave the channel slices are an outer dimension and W is the innermost one.
    first = 0 if m.interleave != "none" else 1
    for i, (low, high) in enumerate(zip(w.lower, w.upper, strict=True)):
        dim = m.dims[first + i]
        extent = (dim if dim < 1 << 31 else dim - (1 << 32)) + high - low  # the driver computes in 32 bits, signed
        if extent <= 0:
            why = f"{dim} + {high} − {low} is {extent}" + (" in 32-bit arithmetic" if dim >= 1 << 31 else "")
            fix = f"upper={low - dim + 1} is the nearest" if dim < 1 << 31 else f"use an extent below {1 << 31}"
            yield _finding("PTX2115", f"The bounding box is empty in spatial dimension {i}: {why}.", fix)


def inner_bytes(m: TensorMap) -> int:
    """Bytes of the box along its innermost dimension (channels for an im2col map)."""
    return (m.window.channels if m.window else m.box[0]) * m.element.nbytes


def _inner(m: TensorMap) -> Found:
    size = m.element.nbytes
    width = inner_bytes(m)
    name = "channels" if m.window else "the innermost extent of the box"
    if width % CHUNK:
        low = width // CHUNK * CHUNK
        options = " or ".join(str(b // size) for b in (low, low + CHUNK) if 0 < b <= f.MAX_BOX * size)
        yield _finding(
            "PTX2106",
            f"{name[0].upper()}{name[1:]} is {width // size} × {size} B = {width} bytes, not a multiple of {CHUNK}.",
            f"use {options} elements",
        )
    # Interleaved boxes are swizzled slice by slice, so their width is not limited.
    if m.swizzle != "none" and m.interleave == "none" and width > (span := swizzle_span(m.swizzle)):  # type: ignore[arg-type]
        yield _finding(
            "PTX2107",
            f"{name[0].upper()}{name[1:]} is {width // size} × {size} B = {width} bytes, wider than the span of "
            f"swizzle {m.swizzle}.",
            f"use at most {span // size} elements and split the tile into panels, or swizzle={_wider(width)}",
        )


def _wider(width: int) -> str:
    for mode in ("64B", "128B"):
        if width <= swizzle_span(mode):
            return f'"{mode}"'
    return '"none"'


def _box_bytes(m: TensorMap) -> Found:
    total = m.recorded_bytes
    if total <= f.MAX_BOX_BYTES:
        return
    # Shrink what is widest beyond the innermost dimension: that keeps the row and its swizzle.
    counts = [m.window.channels, m.window.pixels] if m.window else list(m.box)
    at = max(range(len(counts)), key=lambda i: (i > 0, counts[i]))
    name = ("channels", "pixels")[at] if m.window else f"box[{at}]"
    step = 1 if m.window else m.element_strides[at]
    per = total // (counts[at] // step)
    fit = f.MAX_BOX_BYTES // per * step
    help = f"{name}={min(fit, counts[at])} would do" if fit else "shrink several extents"
    yield _finding("PTX2108", f"The box holds {total} bytes; at most {f.MAX_BOX_BYTES} (228 KiB) fit.", help)


def _fill(m: TensorMap) -> Found:
    if m.oob_fill == "nan" and not m.element.is_float:
        yield _finding("PTX2110", f"Elements of type {m.dtype} cannot be NaN.")
