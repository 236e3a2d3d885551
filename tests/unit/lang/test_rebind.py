"""Tensor maps that a kernel changes: the sequence that is emitted, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tracing import fails, instructions, refused

import ptxlab as px
from ptxlab.cuda import ptxas
from ptxlab.lang.kernel import KernelFunction
from ptxlab.launch.traced import rules


def between(found: list[str], first: str) -> list[str]:
    """What follows the line that begins with `first`."""
    return found[next(i for i, line in enumerate(found) if line.startswith(first)) :]


def test_the_sequence_of_a_staged_map() -> None:
    def kernel(k, a: px.TensorMap, maps: px.Ptr[px.TensorMap], to: px.u64, n: px.u32, pitch: px.u64):
        slot = k.tensormap(maps[k.ctaid.x], like=a)
        slot.rebind(address=to, dims=(64, n), strides=(pitch,))

    assert between(instructions(kernel), "mad.wide") == [
        "mad.wide.u32 %ud0, %ctaid_x, 128, %maps",
        # all lanes copy the template, 4 bytes each, and meet
        "mad.wide.u32 %ud1, %laneid_1, 4, %a",
        "ld.b32 %r0, [%ud1]",
        "mad.lo.u32 %u0, %laneid_1, 4, %tensormap",
        "st.shared.b32 [%u0], %r0",
        "bar.warp.sync 4294967295",
        # one lane replaces the fields, and all meet again
        "elect.sync _|%p0, 4294967295",
        "@!%p0 bra $else_1",
        "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%tensormap], %to",
        "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%tensormap], 0, 64",
        "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%tensormap], 1, %n",
        "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%tensormap], 0, %pitch",
        "$else_1:",
        "bar.warp.sync 4294967295",
        # the warp publishes the map in global memory, and acquires it
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%ud0], [%tensormap], 128",
        "fence.proxy.tensormap::generic.acquire.gpu [%ud0], 128",
    ]


def test_the_sequence_in_global_memory() -> None:
    def kernel(k, maps: px.Ptr[px.TensorMap]):
        slot = k.tensormap(maps[3], staged=False)
        slot.rebind(rank=3, swizzle=128, scope="cta")

    assert between(instructions(kernel), "elect.sync") == [
        "elect.sync _|%p0, 4294967295",
        "@!%p0 bra $else_1",
        "tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%maps+384], 3",
        "tensormap.replace.tile.rank.global.b1024.b32 [%maps+384], 2",
        "fence.proxy.tensormap::generic.release.cta",
        "$else_1:",
        "bar.warp.sync 4294967295",
        "fence.proxy.tensormap::generic.acquire.cta [%maps+384], 128",
    ]


def test_a_template_is_copied_to_where_the_map_is_made() -> None:
    def kernel(k, a: px.TensorMap, maps: px.Ptr[px.TensorMap]):
        k.tensormap(maps[0], like=a, staged=False).seed()

    found = instructions(kernel)
    assert found[-2:] == ["st.b32 [%ud1], %r0", "bar.warp.sync 4294967295"]
    assert "mad.wide.u32 %ud1, %laneid_1, 4, %maps" in found


def test_without_a_seed_only_the_change_is_made() -> None:
    def kernel(k, a: px.TensorMap, maps: px.Ptr[px.TensorMap]):
        slot = k.tensormap(maps[0], like=a)
        slot.rebind(element_strides=(None, 2), seed=False, acquire=False)
        slot.acquire(scope="sys")

    assert between(instructions(kernel), "elect.sync")[2:] == [
        "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%tensormap], 1, 2",
        "$else_1:",
        "bar.warp.sync 4294967295",
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%maps], [%tensormap], 128",
        "fence.proxy.tensormap::generic.acquire.sys [%maps], 128",
    ]


def every_field(k, a: px.TensorMap, maps: px.Ptr[px.TensorMap], x: px.Ptr[px.f32]):
    """All fields on maps in both memories."""
    for staged in (True, False):
        slot = k.tensormap(maps[k.ctaid.x], like=a, staged=staged)
        slot.rebind(
            address=x.at(4096), dims=(8, 9, 10, 11, 12), strides=(32, 320, 3200, 32000), box=(8, 1, 1, 2, 256),
            element_strides=(1, 2, 3, 4, 8), rank=5, dtype="bf16", interleave="none", swizzle="none", oob_fill="nan",
        )  # fmt: skip


def test_ptxas_takes_every_field_and_check_finds_nothing() -> None:
    text = KernelFunction(every_field, threads=32).trace().text()
    assert px.check(text) == []
    assert text.count("tensormap.replace.tile.") == 2 * (1 + 5 + 4 + 5 + 5 + 5)
    if ptxas.find() is None:
        pytest.skip("there is no ptxas: install the extra `ptxas`")
    assert ptxas.assemble(text, "sm_90a").cubin


def test_the_launch_wants_an_aligned_array_of_maps_and_the_template_that_copies_want() -> None:
    def kernel(k, a: px.TensorMap, maps: px.Ptr[px.TensorMap]):
        tile = k.smem(px.bf16, (64, 64), swizzle="128B")
        mbar = k.mbarrier(1)
        k.init_barriers()
        slot = k.tensormap(maps[0], like=a)
        k.tma_load(tile, slot, (0, 0), mbar)
        slot.rebind(dims=(64, 64), swizzle="128B")

    found: dict[str, Any] = rules(KernelFunction(kernel, threads=32).trace())
    assert found["maps"].align == 128
    # the kernel sets the rank's extents and the swizzle itself
    assert (found["a"].box, found["a"].dtype, found["a"].swizzle) == ((64, 64), "bf16", None)


def test_copies_and_rebind_must_agree() -> None:
    def late(k, a: px.TensorMap, maps: px.Ptr[px.TensorMap]):
        tile = k.smem(px.bf16, (64, 64), swizzle="128B")
        mbar = k.mbarrier(1)
        k.init_barriers()
        slot = k.tensormap(maps[0], like=a)
        k.tma_load(tile, slot, (0, 0), mbar)
        slot.rebind(box=(64, 32))  # here

    found = fails(late, "PTX2211")
    assert "`tensormap` gets box (64, 32) by its rebind, but copies at" in found.message
    assert found.message.endswith("want (64, 64)")

    def early(k, a: px.TensorMap, maps: px.Ptr[px.TensorMap]):
        tile = k.smem(px.bf16, (64, 64), swizzle="128B")
        mbar = k.mbarrier(1)
        k.init_barriers()
        slot = k.tensormap(maps[0], like=a)
        slot.rebind(dtype="f32")
        k.tma_load(tile, slot, (0, 0), mbar)  # here

    assert "dtype 'f32'" in fails(early, "PTX2211").message

    def template(k, a: px.TensorMap, maps: px.Ptr[px.TensorMap]):
        tile = k.smem(px.bf16, (2, 64, 64), swizzle="128B")
        mbar = k.mbarrier(1)
        k.init_barriers()
        slot = k.tensormap(maps[0], like=a)
        k.tma_load(tile[0], a, (0, 0), mbar)
        k.tma_load(tile[1].part(0, 2), slot, (0, 0), mbar)  # here

    found = fails(template, "PTX2211")
    assert "as the template of `tensormap`" in found.message


@pytest.mark.parametrize(
    ("change", "message", "help"),
    [
        ({"l2_promotion": "128B"}, "no instruction changes the L2 promotion of a tensor map", "made"),
        ({"channels": 64}, "no instruction changes the channels of an im2col map", "made"),
        ({"lower": (0, 0)}, "no instruction changes the bounding box of an im2col map", "made"),
        ({"adress": 0}, "a tensor map has no field `adress`", "address, dims"),
        ({}, "nothing of <tensor map tensormap> is changed", "address="),
        ({"address": 8}, "`address` is 8", "a multiple of 16"),
        ({"address": 3.5}, "`address` is 3.5, which a kernel cannot write into a tensor map", "64 bits"),
        ({"dims": (0,)}, "`dims[0]` is 0", "it takes 1 to 4294967295"),
        ({"dims": (1, 2, 3, 4, 5, 6)}, "`dims` has 6 values", "at most 5"),
        ({"strides": (24,)}, "`strides[0]` is 24", "a multiple of 16"),
        ({"strides": (16, 16, 16, 16, 16)}, "`strides` has 5 values", "at most 4"),
        ({"dims": (8, 8), "strides": (16, 16)}, "`strides` has 2 values for 2 dimensions", "dimension 0 has no stride"),
        ({"dims": (8, 8), "rank": 3}, "`dims` has 2 values for 3 dimensions", "give 3"),
        ({"dims": 64}, "`dims` is 64, no list of one value a dimension", "a tuple"),
        ({"interleave": "32B", "address": 48}, "`address` is 48", "a multiple of 32"),
        ({"interleave": "32B", "strides": (48,)}, "`strides[0]` is 48", "a multiple of 32"),
        ({"box": (257,)}, "`box[0]` is 257", "it takes 1 to 256"),
        ({"element_strides": (9,)}, "`element_strides[0]` is 9", "it takes 1 to 8"),
        ({"rank": 6}, "rank=6 is nothing that a tensor map can hold on sm_90a", "use 1, 2, 3, 4, 5"),
        ({"dtype": "e4m3"}, "dtype='e4m3' is nothing that a tensor map can hold on sm_90a", "'bf16'"),
        ({"oob_fill": "one"}, "oob_fill='one' is nothing that a tensor map can hold on sm_90a", "'nan'"),
        ({"rank": 2, "scope": "system"}, "'system' is no scope", "cta, cluster, gpu, sys"),
    ],
)
def test_refused_changes(change: dict[str, Any], message: str, help: str) -> None:
    def kernel(k, a: px.TensorMap, maps: px.Ptr[px.TensorMap]):
        slot = k.tensormap(maps[0], like=a)
        slot.rebind(**change)  # here

    found = fails(kernel, "PTX2214")
    assert found.message == message
    assert help in (found.help or "")


def test_refused_registers() -> None:
    def narrow(k, maps: px.Ptr[px.TensorMap], n: px.u32):
        k.tensormap(maps[0]).rebind(strides=(n,))  # here

    found = fails(narrow, "PTX2214")
    assert found.message == "`strides[0]` is <%n .u32>, but the field takes 64 bits"
    assert found.help == "convert it: k.cvt.u64.u32(…)"

    def wide(k, maps: px.Ptr[px.TensorMap], n: px.u64):
        k.tensormap(maps[0]).rebind(dims=(n,))  # here

    assert fails(wide, "PTX2214").help == "convert it: k.cvt.u32.u64(…)"

    def real(k, maps: px.Ptr[px.TensorMap], n: px.f32):
        k.tensormap(maps[0]).rebind(dims=(n,))  # here

    fails(real, "PTX2214")


def test_a_whole_warp_rebinds() -> None:
    def kernel(k, maps: px.Ptr[px.TensorMap]):
        slot = k.tensormap(maps[0])
        with k.elect():
            slot.rebind(dims=(64,))  # here

    found = fails(kernel, "PTX2214")
    assert (
        found.message == "rebind of <tensor map tensormap> stands in a block of one lane, but a whole warp executes it"
    )


def test_only_slots_are_changed() -> None:
    def kernel(k, a: px.TensorMap):
        a.rebind(dims=(64,))  # here

    assert "slot = k.tensormap(" in (fails(kernel, "PTX2214").help or "")

    def acquired(k, a: px.TensorMap):
        a.acquire()  # here

    assert "then slot.acquire(…)" in (fails(acquired, "PTX2214").help or "")


@pytest.mark.parametrize("word", ["seed", "rebind", "acquire"])
def test_changes_are_methods_of_the_slot(word: str) -> None:
    assert f"here it is `slot.{word}(…)`" in (refused(f"k.{word}(x)").help or "")


def test_places_where_no_copy_reads_a_map() -> None:
    def shared(k):
        k.tensormap(k.smem(px.b8, 128, align=128))  # here

    assert "no place in global memory" in fails(shared, "PTX2215").message

    def parameter(k, a: px.TensorMap):
        k.tensormap(a)  # here

    assert fails(parameter, "PTX2215").help == "pass it as like="

    def skewed(k, maps: px.Ptr[px.TensorMap]):
        k.tensormap(maps.at(64))  # here

    assert "not aligned to 128 bytes" in fails(skewed, "PTX2215").message


def test_an_array_of_maps_is_aligned() -> None:
    @px.kernel(threads=32)
    def kernel(k, maps: px.Ptr[px.TensorMap]):
        k.tensormap(maps[0]).acquire()

    storage = np.zeros(512, np.uint8)
    skewed = storage[(-storage.ctypes.data % 128) + 16 :][:128]
    with pytest.raises(px.Diagnostic) as caught:
        kernel[1](skewed)
    assert caught.value.code == "PTX2310"


def test_no_part_of_the_builder_hides_another_ones_method() -> None:
    """What classes below may fill in is named here; any other name twice would be an accident."""
    meant = {"noted", "emit", "constructs", "_print_matrix"}
    owners: dict[str, list[str]] = {}
    for part in px.Builder.__mro__[:-1]:
        for name in vars(part):
            if not name.startswith("__"):
                owners.setdefault(name, []).append(part.__name__)
    assert {n for n, found in owners.items() if len(found) > 1} == meant
