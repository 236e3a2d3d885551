"""Boxes in the simulator: what is copied or combined must be NumPy's, element by element."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptxlab as px
from ptxlab.conformance.kernels.tensors import BOXES, WORDS, combined, shifted
from ptxlab.cuda import ptxas
from ptxlab.diag import Diagnostic
from ptxlab.kernels.boxes import (
    REDUCTIONS,
    STAGE_BYTES,
    box_of,
    copy_boxes,
    move_boxes,
    prepare_copy,
    prepare_reduce,
    reduce_boxes,
)

PAIRS = [(op, dtype) for op, types in REDUCTIONS.items() for dtype in types]


def numbers(shape: tuple[int, ...], dtype: str, seed: int) -> np.ndarray:
    """Integers from 0 to 15, which every dtype holds."""
    out = px.empty(shape, np.dtype(getattr(ml_dtypes, dtype, dtype)))
    out[...] = np.random.default_rng(seed).integers(0, 16, shape).astype(out.dtype)
    return out


@pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")
@pytest.mark.parametrize(
    ("box", "op", "folded"), [((256,), None, False), ((32, 4, 2, 1, 1), None, False), ((16, 8, 1), "add", True)]
)
def test_ptxas_accepts_it_without_a_warning(box: tuple[int, ...], op: str | None, folded: bool) -> None:
    chosen = move_boxes.specialize(box=box, element=px.b32, op=op, folded=folded)
    assert chosen.warnings == ()
    assert (chosen.resources.spill_stores, chosen.resources.spill_loads, chosen.resources.stack) == (0, 0, 0)


# --- copies --------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("dtype", [*WORDS, "bfloat16", "float8_e4m3fn", "int16", "float64", "bool"])
@pytest.mark.parametrize("shape", BOXES.values(), ids=lambda s: f"{len(s)}d")
def test_every_rank_and_size_of_element(shape: tuple[int, ...], dtype: str) -> None:
    src, dst = numbers(shape, dtype, 1), numbers(shape, dtype, 2)
    copy_boxes(src, dst)
    assert dst.tobytes() == src.tobytes()


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
@pytest.mark.parametrize("box", [(1, 1, 8), (2, 3, 16), (7, 4, 40), (1, 5, 12)])
def test_any_box(box: tuple[int, ...], schedule: str) -> None:
    """Some hold no multiple of 128 bytes: then there is a single stage. Some reach beyond the tensor."""
    src, dst = numbers((5, 9, 36), "float32", 1), numbers((5, 9, 36), "float32", 2)
    prepare_copy(src, dst, box=box)(schedule=schedule, seed=1)  # type: ignore[call-arg]
    assert dst.tobytes() == src.tobytes()


@pytest.mark.parametrize("at", [(0, 0, 0), (1, -2, 4), (-3, 5, -8), (4, 8, 32), (9, 0, 0)])
def test_offsets_bring_zeros_from_outside(at: tuple[int, ...]) -> None:
    src, dst = numbers((5, 9, 36), "float32", 1), numbers((5, 9, 36), "float32", 2)
    copy_boxes(src, dst, at=at, box=(2, 4, 16))
    assert dst.tobytes() == shifted(src, at).tobytes()


def test_arrays_of_other_shapes_and_strides() -> None:
    whole = numbers((8, 9, 64), "float32", 1)
    src, around = whole[::2, 1:7, :20], numbers((6, 8, 32), "float32", 2)
    before = around.copy()
    copy_boxes(src, around[1:5, 1:7, 4:24])
    before[1:5, 1:7, 4:24] = src
    assert around.tobytes() == before.tobytes()


def test_a_box_is_as_large_as_a_stage() -> None:
    for shape in ((4096,), (300, 70), (3, 5, 7, 2, 9), (1, 1000, 1)):
        for size in (1, 2, 4, 8):
            box = box_of(shape, size)
            nbytes = size * int(np.prod(box))
            assert nbytes <= STAGE_BYTES
            assert box[-1] * size % 16 == 0
            assert max(box) <= 256
    assert box_of((40, 6, 64), 4) == (10, 6, 64)
    assert box_of((40, 6, 64), 4, folded=True) == (1, 6, 64)


# --- reductions ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("op", "dtype"), PAIRS)
def test_every_operation_on_every_type(op: str, dtype: str) -> None:
    src, dst = numbers((5, 7, 48), dtype, 1), numbers((5, 7, 48), dtype, 2)
    wanted = combined(op, dst, src)
    reduce_boxes(src, dst, op)
    assert dst.tobytes() == wanted.tobytes()


@pytest.mark.parametrize(
    ("op", "dtype"),
    [("add", "int32"), ("max", "int64"), ("min", "uint32"), ("xor", "uint64"), ("add", "float16")],
)
@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
def test_a_list_is_combined_with_one(op: str, dtype: str, schedule: str) -> None:
    src, dst = numbers((4, 3, 6, 32), dtype, 1), numbers((3, 6, 32), dtype, 2)
    wanted = dst
    for one in src:
        wanted = combined(op, wanted, one)
    prepare_reduce(src, dst, op)(schedule=schedule, seed=2)  # type: ignore[call-arg]
    assert dst.tobytes() == wanted.tobytes()


def test_signs_count() -> None:
    for dtype, most in (("int32", 5), ("uint32", 2**32 - 1)):
        src, dst = px.empty((16,), dtype), px.empty((16,), dtype)
        src[...], dst[...] = np.array(-1).astype(dtype), 5
        reduce_boxes(src, dst, "max")
        assert (dst == most).all()


# --- bad input -----------------------------------------------------------------------------------------------------------
F32 = px.empty((8, 16), np.float32)
BAD: dict[str, tuple[str, str, Any]] = {
    "ranks": ("PTX2308", "src has 1 dimensions, dst 2", lambda: copy_boxes(F32[0], F32)),
    "six dimensions": ("PTX2308", "src has 6", lambda: copy_boxes(*[F32.reshape(1, 1, 1, 1, 8, 16)] * 2)),
    "offset": ("PTX2308", "`at` has 1 values", lambda: copy_boxes(F32, F32, at=(0,))),
    "offset of 4 bytes": ("PTX2117", "dst begins 1 elements", lambda: copy_boxes(F32, F32, at=(0, 1))),
    "dtypes": ("PTX2307", "src is a float32", lambda: copy_boxes(F32, F32.view(np.int32))),
    "complex": ("PTX2307", "complex128", lambda: copy_boxes(*[px.empty((4, 4), "complex128")] * 2)),
    "short rows": ("PTX2119", "rows of dst of 15 float32", lambda: copy_boxes(F32, F32[:, :15])),
    "columns": ("PTX2119", "last axis", lambda: copy_boxes(F32.T[:, ::1], px.empty((16, 8), np.float32))),
    "box": ("PTX2105", "", lambda: copy_boxes(F32, F32, box=(300, 16))),
    "box of another rank": ("PTX2100", "", lambda: copy_boxes(F32, F32, box=(16,))),
    "shapes": ("PTX2308", "src is", lambda: reduce_boxes(F32, F32[:4])),
    "min of f32": ("PTX2320", "no 'min' of float32", lambda: reduce_boxes(F32, F32, "min")),
    "a word": ("PTX2320", "no 'mul' of float32", lambda: reduce_boxes(F32, F32, "mul")),
    "bytes": ("PTX2320", "no 'add' of uint8", lambda: reduce_boxes(F32.view(np.uint8), F32.view(np.uint8))),
}


@pytest.mark.parametrize(("code", "words", "call"), BAD.values(), ids=list(BAD))
def test_bad_arguments(code: str, words: str, call: Any) -> None:
    before = F32.tobytes()
    with pytest.raises(Diagnostic) as caught:
        call()
    wrong = caught.value
    assert wrong.code == code
    assert words in wrong.message
    assert wrong.help
    assert wrong.origin is not None
    assert wrong.origin.file == __file__
    assert F32.tobytes() == before
