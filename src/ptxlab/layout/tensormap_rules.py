"""What CUDA's driver demands of a tensor map, rule by rule, each with the nearest value that would do.

The rules were learned from recorded calls on an H100 and decide every one of them as the driver did. What sm_100 adds is the
manual's, and was not compared with a driver.

Each rule first looks whether anything is wrong at all, so that a legal map costs little.
"""

from __future__ import annotations

from typing import Final

from ptxlab.diag import Diagnostic
from ptxlab.layout import tensormap_fields as f
from ptxlab.layout.swizzles import CHUNK
from ptxlab.layout.tensormap_values import MapValues

ISA: Final = "Tensor-map"
Found = list[Diagnostic]

_SIZELESS: Final = {"PTX2105", "PTX2109", "PTX2111", "PTX2114"}
_PACKED_BOX: Final = 128
# What the manual allows of the packed types whose groups have gaps.
_PACKED_SWIZZLES: Final = {
    "16u4_align16b": ("none", "128B", "128B_atom_32B"),
    "16u6_align16b": ("none", "128B", "128B_atom_32B", "128B_atom_64B"),
}


def problems(m: MapValues, target: str = "sm_90") -> Found:
    """All findings on `m`, in the order of the driver's arguments; empty if the driver would accept it."""
    found: Found = []
    _words(m, found)
    if not found:
        _rank(m, found)
    if found:  # the other rules compare the lists with each other
        return found
    if m.needs != "sm_90":
        _newer(m, target, found)
    _address(m, found)
    _dims(m, found)
    _strides(m, found)
    _element_strides(m, found)
    if m.oob_fill == "nan" and not m.element.is_float:
        found.append(_finding("PTX2110", f"Elements of type {m.dtype} cannot be NaN."))
    if m.window is None:
        _box(m, found)
    else:
        _window(m, found)
    if not found or not any(d.code in _SIZELESS for d in found):  # else the box has no size
        _inner(m, found)
        _box_bytes(m, found)
    return found


def _finding(code: str, message: str, help: str | None = None) -> Diagnostic:
    return Diagnostic(code, message, help=help, isa=ISA)


def _clamp(value: int, low: int, high: int) -> int:
    return max(low, min(value, high))


def _shown(value: int) -> str:
    """A number that a line has room for."""
    return str(value) if value.bit_length() <= 100 else f"of about {'−' if value < 0 else ''}2^{value.bit_length()}"


def alignment(m: MapValues) -> int:
    """Bytes that the tensor's address and strides must be a multiple of."""
    return 32 if m.interleave == "32B" or m.element.gap else 16


def _words(m: MapValues, found: Found) -> None:
    modes = m.swizzle in f.ALL_SWIZZLES and m.interleave in f.INTERLEAVES
    if modes and m.dtype in f.ELEMENT_TYPES and m.l2_promotion in f.L2_PROMOTIONS and m.oob_fill in f.OOB_FILLS:
        return
    for name, word, known in (
        ("dtype", m.dtype, f.ELEMENT_TYPES),
        ("interleave", m.interleave, f.INTERLEAVES),
        ("swizzle", m.swizzle, f.ALL_SWIZZLES),
        ("l2_promotion", m.l2_promotion, f.L2_PROMOTIONS),
        ("oob_fill", m.oob_fill, f.OOB_FILLS),
    ):
        if word not in known:
            listed = ", ".join(f'"{w}"' for w in known)
            found.append(_finding("PTX2112", f"{word!r} is no {name} of a tensor map.", f"use one of {listed}"))


def _rank(m: MapValues, found: Found) -> None:
    n, w = len(m.dims), m.window
    fits = 3 <= n <= f.MAX_RANK or (1 <= n < 3 and w is None and m.interleave == "none")
    box = len(m.box) == n if w is None else len(w.lower) == len(w.upper) == n - 2
    if fits and box and len(m.strides) == n - 1 and len(m.element_strides) == n:
        return
    if not 1 <= n <= f.MAX_RANK:
        found.append(
            _finding(
                "PTX2100", f"The tensor has {n} dimensions; a tensor map takes 1 to {f.MAX_RANK}.", "merge dimensions"
            )
        )
        return
    if w is not None and n < 3:
        fix = "add the missing ones with extent 1"
        found.append(_finding("PTX2100", f"An im2col map has 3 to 5 dimensions, not {n}.", fix))
        return
    if m.interleave != "none" and n < 3:
        found.append(
            _finding(
                "PTX2100",
                f"Interleave {m.interleave} takes tensors of 3 to 5 dimensions, not {n}.",
                'use interleave="none", or add dimensions of extent 1',
            )
        )
    lists = [("strides", m.strides, n - 1), ("element_strides", m.element_strides, n)]
    lists += [("box", m.box, n)] if w is None else [("lower", w.lower, n - 2), ("upper", w.upper, n - 2)]
    for name, values, wanted in lists:
        if len(values) != wanted:
            why = "; the innermost one is the element's size and is not given" if name == "strides" else ""
            found.append(
                _finding(
                    "PTX2100",
                    f"`{name}` has {len(values)} values for a tensor of {n} dimensions.",
                    f"give {wanted}, innermost first{why}",
                )
            )


def _newer(m: MapValues, target: str, found: Found) -> None:
    """What is of sm_100: refused on sm_90, and with rules of its own."""
    packed = m.element.group > 1
    if target == "sm_90":
        if packed:
            fix = 'load the packed bytes as u8, or give target="sm_100" to encode it for that'
            found.append(_finding("PTX2111", f"Tensors of {m.dtype} need sm_100; sm_90 refuses them.", fix))
        if m.swizzle in f.NEWER_SWIZZLES:
            fix = 'use swizzle="128B", or give target="sm_100" to encode it for that'
            found.append(_finding("PTX2111", f'Swizzle "{m.swizzle}" needs sm_100; sm_90 refuses it.', fix))
        return
    if packed:
        _packed(m, found)


def _packed(m: MapValues, found: Found) -> None:
    unit = _PACKED_BOX if m.element.gap else 2
    if m.dims[0] % unit:
        low = m.dims[0] // unit * unit
        options = f"{low} or {low + unit}" if low else f"{unit}"
        found.append(
            _finding(
                "PTX2124",
                f"Extent {m.dims[0]} of dimension 0 is not a multiple of {unit}, as {m.dtype} demands.",
                f"use {options}",
            )
        )
    if not m.element.gap:
        return
    inner = m.window.channels if m.window else m.box[0]
    if inner != _PACKED_BOX:
        name = "channels" if m.window else "box[0]"
        found.append(
            _finding(
                "PTX2124",
                f"{name}={inner} for elements {m.dtype}, which are copied {_PACKED_BOX} at a time.",
                f"use {_PACKED_BOX}",
            )
        )
    allowed = _PACKED_SWIZZLES[m.dtype]
    if m.swizzle not in allowed:
        listed = ", ".join(f'"{w}"' for w in allowed)
        found.append(
            _finding("PTX2124", f'Elements {m.dtype} cannot have swizzle "{m.swizzle}".', f"use one of {listed}")
        )
    if m.interleave != "none":
        found.append(_finding("PTX2124", f"Elements {m.dtype} cannot be interleaved.", 'use interleave="none"'))


def _address(m: MapValues, found: Found) -> None:
    need = alignment(m)
    if not 0 <= m.address < f.MAX_ADDRESS:
        shown = hex(m.address) if m.address.bit_length() <= 100 else _shown(m.address)
        nearest = _clamp(m.address, 0, f.MAX_ADDRESS - need)
        fix = f"the nearest is {nearest:#x}; give the address of the tensor's element 0"
        found.append(_finding("PTX2101", f"Address {shown} lies outside 0 to 2^57 − {need}.", fix))
    elif m.address % need:
        low = m.address // need * need
        high = f" or {low + need:#x}" if low + need < f.MAX_ADDRESS else ""
        found.append(
            _finding(
                "PTX2101",
                f"Address {m.address:#x} is not a multiple of {need} bytes.",
                f"start at {low:#x}{high}; a copy of a NumPy array can be aligned by px.empty",
            )
        )


def _dims(m: MapValues, found: Found) -> None:
    if min(m.dims) >= 1 and max(m.dims) <= f.MAX_DIM:
        return
    for i, dim in enumerate(m.dims):
        if not 1 <= dim <= f.MAX_DIM:
            nearest = f"the nearest is {_clamp(dim, 1, f.MAX_DIM)}"
            found.append(_finding("PTX2104", f"Extent {_shown(dim)} of dimension {i} lies outside 1 to 2^32.", nearest))


def _strides(m: MapValues, found: Found) -> None:
    need = alignment(m)
    for i, stride in enumerate(m.strides, 1):
        if stride % need:
            found.append(
                _finding(
                    "PTX2102",
                    f"Stride {_shown(stride)} of dimension {i} is not a multiple of {need} bytes.",
                    f"pad to a stride of {_clamp(-(-stride // need) * need, 0, f.MAX_STRIDE - need)} bytes",
                )
            )
        if not 0 <= stride < f.MAX_STRIDE:
            found.append(
                _finding(
                    "PTX2103",
                    f"Stride {_shown(stride)} of dimension {i} lies outside 0 to 2^40 − {need}.",
                    f"the nearest is {_clamp(stride, 0, f.MAX_STRIDE - need)}",
                )
            )


def _element_strides(m: MapValues, found: Found) -> None:
    if min(m.element_strides) >= 1 and max(m.element_strides) <= f.MAX_ELEMENT_STRIDE:
        return
    for i, step in enumerate(m.element_strides):
        if not 1 <= step <= f.MAX_ELEMENT_STRIDE:
            found.append(
                _finding(
                    "PTX2109",
                    f"Element stride {_shown(step)} of dimension {i} lies outside 1 to {f.MAX_ELEMENT_STRIDE}.",
                    f"the nearest is {_clamp(step, 1, f.MAX_ELEMENT_STRIDE)}",
                )
            )


def _box(m: MapValues, found: Found) -> None:
    if min(m.box) >= 1 and max(m.box) <= f.MAX_BOX:
        return
    for i, extent in enumerate(m.box):
        if not 1 <= extent <= f.MAX_BOX:
            more = "; copy a larger tile by several instructions" if extent > f.MAX_BOX else ""
            found.append(
                _finding(
                    "PTX2105",
                    f"Extent {_shown(extent)} of the box in dimension {i} lies outside 1 to {f.MAX_BOX}.",
                    f"the nearest is {_clamp(extent, 1, f.MAX_BOX)}{more}",
                )
            )


def _window(m: MapValues, found: Found) -> None:
    w = m.window
    assert w is not None
    for name, value, limit in (("channels", w.channels, f.MAX_BOX), ("pixels", w.pixels, f.MAX_PIXELS)):
        if not 1 <= value <= limit:
            nearest = f"the nearest is {_clamp(value, 1, limit)}"
            found.append(_finding("PTX2114", f"{name}={_shown(value)} lies outside 1 to {limit}.", nearest))
    half = 1 << f.CORNER_BITS[m.rank] - 1
    for name, corner in (("lower", w.lower), ("upper", w.upper)):
        for i, offset in enumerate(corner):
            if not -half <= offset < half:
                found.append(
                    _finding(
                        "PTX2113",
                        f"Offset {_shown(offset)} of the {name} corner in spatial dimension {i} lies outside {-half} to "
                        f"{half - 1}, which is what a map of {m.rank} dimensions holds.",
                        f"the nearest is {_clamp(offset, -half, half - 1)}",
                    )
                )
    # With interleave the channel slices are an outer dimension and W is the innermost one.
    first = 0 if m.interleave != "none" else 1
    for i, (low, high) in enumerate(zip(w.lower, w.upper, strict=True)):
        dim = m.dims[first + i]
        # The driver adds in 32 bits, signed, and compares then.
        end = (dim + high + (1 << 31)) % (1 << 32) - (1 << 31)
        if end <= low:
            wrapped = " in 32-bit arithmetic" if end != dim + high else ""
            why = f"{_shown(dim)} + {_shown(high)} is {_shown(end)}{wrapped}, not above the lower corner {_shown(low)}"
            fix = (
                f"upper={_shown(low - dim + 1)} is the nearest"
                if not wrapped
                else f"use an extent below {(1 << 31) - high}"
            )
            found.append(_finding("PTX2115", f"The bounding box is empty in spatial dimension {i}: {why}.", fix))


def inner_elements(m: MapValues) -> int:
    """Elements of the box along its innermost dimension (channels for an im2col map)."""
    return m.box[0] if m.window is None else m.window.channels


def inner_bytes(m: MapValues) -> int:
    """Bytes of the box along its innermost dimension in shared memory."""
    return m.element.shared_bytes(inner_elements(m))


def _inner(m: MapValues, found: Found) -> None:
    width = inner_bytes(m)
    # Interleaved boxes are swizzled slice by slice, so their width is not limited.
    narrow = m.swizzle == "none" or m.interleave != "none" or width <= f.SPAN[m.swizzle]
    if narrow and not width % CHUNK:
        return
    elements, bits = inner_elements(m), m.element.bits
    name = "Channels" if m.window else "The innermost extent of the box"
    size = f"{elements} × {bits // 8} B" if bits >= 8 else f"{elements} × {bits} bits"
    if width % CHUNK:
        low = width // CHUNK * CHUNK
        options = " or ".join(str(b * 8 // bits) for b in (low, low + CHUNK) if 0 < b <= f.MAX_BOX * bits // 8)
        found.append(
            _finding(
                "PTX2106", f"{name} is {size} = {width} bytes, not a multiple of {CHUNK}.", f"use {options} elements"
            )
        )
    if not narrow:
        found.append(
            _finding(
                "PTX2107",
                f"{name} is {size} = {width} bytes, wider than the span of swizzle {m.swizzle}.",
                f"use at most {f.SPAN[m.swizzle] * 8 // bits} elements (k.tma_load copies a wider tile in several boxes), "
                f"or swizzle={_wider(width)}",
            )
        )


def _wider(width: int) -> str:
    for mode in ("64B", "128B"):
        if width <= f.SPAN[mode]:
            return f'"{mode}"'
    return '"none"'


def _box_bytes(m: MapValues, found: Found) -> None:
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
    found.append(_finding("PTX2108", f"The box holds {total} bytes; at most {f.MAX_BOX_BYTES} (228 KiB) fit.", help))
