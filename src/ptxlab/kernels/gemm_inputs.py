"""The inputs of `gemm` other than A and B: arrays of the epilogue and scales, checked against the product."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import ptxlab as px
from ptxlab import ArrayView, Diagnostic, array_view, is_array, user_span
from ptxlab.kernels.blocks.epilogue import (
    Along,
    Epilogue,
    Given,
    Step,
    per_column,
    per_row,
    per_scalar,
    scaled,
    scaled_by,
)
from ptxlab.kernels.blocks.finish import Planned, Read
from ptxlab.kernels.blocks.promotion import BLOCK, Scales
from ptxlab.kernels.blocks.signature import Extra
from ptxlab.kernels.blocks.tiling import TMA_BYTES, Tiling
from ptxlab.kernels.gemm_call import FP8, TYPES, Problem, check_rows

READ = ("float32", "bfloat16", "float16")
"""Types of what epilogues read."""


@dataclass(frozen=True, slots=True)
class KernelInputs:
    """The inputs as a kernel of one tiling takes them: its constants, its further parameters, and the arguments for them."""

    plan: tuple[Planned, ...]
    scales: Scales | None
    extras: tuple[Extra, ...]
    arguments: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class _Blocks:
    """Scales of fp8 in blocks: as rows are lines of the operand and columns blocks of K. `lines`: that share one."""

    array: ArrayView
    lines: int


@dataclass(frozen=True, slots=True)
class GemmInputs:
    """The epilogue's arrays and the scales of a product.

    Attributes:
        steps: of the epilogue, those of scales first; each with its arrays. blocks: scales of A and of B in blocks.
    """

    steps: tuple[tuple[Step, tuple[tuple[Along, ArrayView], ...]], ...]
    blocks: tuple[_Blocks | None, _Blocks | None]
    c: ArrayView

    @property
    def promoted(self) -> bool:
        """Whether each 128 steps along K have scales."""
        return any(self.blocks)

    @property
    def per_line(self) -> str:
        """As `Shape.per_line`."""
        gates = self.promoted and any(step.kind == "gate" for step, _ in self.steps) and self.c.shape[1] % BLOCK
        lines = (name for name, side in zip("ab", self.blocks, strict=True) if side is not None and side.lines == 1)
        reads = any(along == "element" for _, given in self.steps for along, _ in given)
        return ("ab" if gates else "".join(lines)) + "c" * reads

    def for_tiling(self, t: Tiling) -> KernelInputs:
        """As a kernel of this tiling takes them."""
        extras: list[Extra] = []
        arguments: list[Any] = []
        scales = None
        if self.promoted:
            left, right = reversed(self.blocks) if t.swapped else self.blocks
            scales = Scales(
                left.lines if left else 0, right.lines if right else 0, t.gated and self.c.shape[1] % BLOCK != 0
            )
            for name, side in (("left", left), ("right", right)):
                if side is not None:
                    extras += [
                        Extra(f"{name}_scales", px.Ptr[px.b32], strided=True),
                        Extra(f"{name}_pitch", px.u64),
                        Extra(f"{name}_stride", px.u64),
                    ]
                    arguments += [_as_rows(side.array), *side.array.strides]
        plan: list[Planned] = []
        under = self.staged(t)
        for step, given in self.steps:
            reads: list[Read] = []
            for along, array in given:
                pairs, shared = self._pairs(along, array, t), self._shared(along, array)
                read = Read(along, TYPES[array.dtype], pairs, shared, staged=array is under)
                kind = px.b32 if step.kind == "amax" else read.dtype
                name = f"input{len(extras)}"
                extras.append(Extra(name, px.Ptr[kind], strided=along == "element"))
                arguments.append(array)
                if along == "element":
                    extras.append(Extra(f"{name}_pitch", px.u64))
                    arguments.append(array.strides[0])
                reads.append(read)
            plan.append(Planned(step.kind, step.function, tuple(reads)))
        return KernelInputs(tuple(plan), scales, tuple(extras), tuple(arguments))

    def staged(self, t: Tiling, *, wanted: bool = False) -> ArrayView | None:
        """The matrix that can come through shared memory: of 16-bit elements that lie as C does, where a tile's boxes have room.

        Args:
            wanted: whether the tiling would have to have this room.
        """
        c = self.c
        if t.swapped or t.gated or c.itemsize != 2 or not (wanted or t.buffers >= t.boxes(2)):
            return None
        for step, given in self.steps:
            for along, x in given:
                pitches = [y.strides[0] for y in (x, c) if y.shape[0] > 1] if along == "element" else [1]
                odd = (x.address, c.address, c.shape[1] * 2, *pitches)
                if step.kind == "each" and x.itemsize == 2 and not any(at % TMA_BYTES for at in odd):
                    return None if self._shared(along, x) else x
        return None

    def _pairs(self, along: Along, x: ArrayView, t: Tiling) -> bool:
        """Whether two neighbours can be read at once, where the kernel has neighbours along rows of the tile."""
        if along == "scalar" or (along == "row") != t.swapped or self.c.shape[0 if along == "row" else 1] % 2:
            return False
        pitch = x.strides[0] if along == "element" and x.shape[0] > 1 else 0
        return not any(at % (2 * x.itemsize) for at in (x.address, pitch))

    def _shared(self, along: Along, x: ArrayView) -> bool:
        """Whether the array may be C itself."""
        return along == "element" and x.overlaps(self.c)


def _as_rows(x: ArrayView) -> ArrayView:
    """The same elements as rows of neighbours, for the launch, which wants them so."""
    if x.strides[1] == x.itemsize or x.shape[1] == 1:
        return x
    return replace(x, shape=x.shape[::-1], strides=x.strides[::-1])


def inputs_of(p: Problem, wanted: Epilogue, scales: tuple[Any, Any], b_layout: str) -> GemmInputs:
    """The arrays of an epilogue and of scales, checked. Raises: Diagnostic PTX2112, PTX2307, PTX2308, PTX2309."""
    found = [
        _scale("scale_a", scales[0], p.m, p, transposed=False),
        _scale("scale_b", scales[1], p.n * p.per_result, p, transposed=b_layout == "kn"),
    ]
    blocks = [x if isinstance(x, _Blocks) else None for x in found]
    before = Epilogue(tuple(step for x in found if isinstance(x, Epilogue) for step in x.steps))
    steps = (before | wanted).steps
    if steps and p.c.dtype == "int32":
        raise Diagnostic(
            "PTX2307",
            "C is int32, and an epilogue computes in f32.",
            help="give C as float32, bfloat16 or float16, or no epilogue and no scales",
            origin=user_span(),
        )
    if sum(step.kind == "gate" for step in steps) > 1:
        raise _bad("PTX2112", "This epilogue has several gates.", "a product has one: apply others to its result")
    width = p.n * p.per_result
    checked: list[tuple[Step, tuple[tuple[Along, ArrayView], ...]]] = []
    for step in steps:
        if step.kind == "gate":
            width = p.n
        if step.kind == "amax" and width != p.n:
            raise _bad("PTX2112", "amax stands before a gate.", "put it behind: gate | amax(…)")
        checked.append((step, tuple(_given(step.kind, x, p, width) for x in step.given)))
    return GemmInputs(tuple(checked), (blocks[0], blocks[1]), p.c)


def _bad(code: str, what: str, help: str) -> Diagnostic:
    return Diagnostic(code, what, help=help, origin=user_span())


def _given(kind: str, given: Given, p: Problem, width: int) -> tuple[Along, ArrayView]:
    """An array of an epilogue, as it lies over C; of a gate's sums where `width` is not that of C."""
    x, name = (
        array_view(given.array),
        f"per_{given.along}",
    )
    if x.dtype not in (("float32",) if kind == "amax" else READ):
        wanted = "float32" if kind == "amax" else "float32, bfloat16 or float16"
        raise _bad("PTX2307", f"{name} of the epilogue has {x}.", f"convert it to {wanted}")
    _on_device(name, x, p)
    if given.along == "element":
        if x.shape != (p.m, width):
            raise _bad(
                "PTX2308", f"{name} of the epilogue has {x}, but its place is {p.m}×{width}.", "give one of its shape"
            )
        check_rows(f"{name} of the epilogue", x)
        return given.along, x
    count = {"row": p.m, "column": width, "scalar": 1}[given.along]
    return given.along, _vector(f"{name} of the epilogue", x, count)


def _vector(name: str, x: ArrayView, count: int) -> ArrayView:
    """An array of `count` elements, whatever its rank."""
    if sum(n != 1 for n in x.shape) > 1 or _elements(x) != count:
        raise _bad("PTX2308", f"{name} has {x}, but {count} elements are needed.", f"give an array of {count}")
    if not x.contiguous:
        raise _bad("PTX2309", f"{name} has gaps between its elements.", "give a contiguous copy")
    return x


def _elements(x: ArrayView) -> int:
    out = 1
    for n in x.shape:
        out *= n
    return out


def _on_device(name: str, x: ArrayView, p: Problem) -> None:
    if (x.device, x.ordinal) != (p.c.device, p.c.ordinal):
        raise _bad("PTX2303", f"{name} is not on the device of C.", "move all arrays to one device")


def _scale(name: str, given: Any, lines: int, p: Problem, *, transposed: bool) -> Epilogue | _Blocks | None:
    """What `scale_a` or `scale_b` asks for. `lines`: rows of A or columns of B; `transposed`: K comes first."""
    if given is None:
        return None
    if not is_array(given):
        if isinstance(given, int | float) and not isinstance(given, bool):
            return scaled(float(given))
        raise _bad("PTX2112", f"{name}={given!r} is no scale.", "give a number or an array of float32")
    x = array_view(given)
    if x.dtype != "float32":
        raise _bad("PTX2307", f"{name} is {x}.", "convert it to float32")
    _on_device(name, x, p)
    if _elements(x) == 1 and lines != 1:
        return scaled_by(per_scalar(x))
    if _elements(x) == lines and sum(n != 1 for n in x.shape) <= 1 and x.contiguous:
        return scaled_by(per_row(x) if name == "scale_a" else per_column(x))
    return _blocks(name, x, lines, p, transposed=transposed)


def _blocks(name: str, x: ArrayView, lines: int, p: Problem, *, transposed: bool) -> _Blocks:
    along_k, blocks = -(-p.depth // BLOCK), -(-lines // BLOCK)
    shapes: dict[tuple[int, ...], int] = {(lines, along_k): 1, (blocks, along_k): BLOCK}
    turned = replace(x, shape=x.shape[::-1], strides=x.strides[::-1]) if transposed and len(x.shape) == 2 else x
    if turned.shape not in shapes:
        axes = "K × N" if transposed else {"scale_a": "M × K", "scale_b": "N × K"}[name]
        possible = [f"{s[1]}×{s[0]}" if transposed else f"{s[0]}×{s[1]}" for s in shapes]
        raise _bad(
            "PTX2308",
            f"{name} is {x}.",
            f"give a number, one element, {lines}, or for fp8 blocks along {axes}: {' or '.join(possible)}",
        )
    if p.a.dtype not in FP8:
        raise _bad(
            "PTX2307",
            f"{name} has blocks along K, but A is {p.a.dtype}.",
            "blocks are for fp8: give one scale for each row or column",
        )
    if not any(s == x.itemsize or n == 1 for n, s in zip(x.shape, x.strides, strict=True)):
        raise _bad("PTX2309", f"{name} has gaps between its elements.", "give a contiguous copy")
    return _Blocks(turned, shapes[turned.shape])
