"""The asynchronous families: which row takes what, what each of their rules says, and where they exist."""

from __future__ import annotations

import pytest

from ptxlab.checks import check
from ptxlab.isa.bind import bind, check_needs, check_rules
from ptxlab.isa.form import FORMS
from ptxlab.isa.operands import Addr, Imm, Operand, Reg, Sink, Vec
from ptxlab.isa.targets import Target, Version
from ptxlab.isa.types import TYPES

R1, R2, R3, R4, R5 = (Reg(f"%r{i}", TYPES["b32"]) for i in range(1, 6))
H1, H2 = (Reg(f"%h{i}", TYPES["b16"]) for i in (1, 2))
D1 = Reg("%rd1", TYPES["b64"])
AT = Addr(D1)
BYTES = "mbarrier::complete_tx::bytes"
TENSOR = "cp.async.bulk.tensor"
REDUCE = "cp.reduce.async.bulk.global.shared::cta.bulk_group"


def tile(*coordinates: Operand) -> Addr:
    return Addr(D1, 0, Vec(coordinates))


FIVE = tile(R1, R2, R3, R4, R5)


@pytest.mark.parametrize(
    ("opcode", "operands", "key", "target", "version"),
    [
        (f"{TENSOR}.2d.shared::cta.global.tile::gather4.{BYTES}", (AT, FIVE, AT), "load.gather4.cta", "sm_120", (8, 7)),
        (
            f"{TENSOR}.2d.shared::cluster.global.tile::gather4.{BYTES}",
            (AT, FIVE, AT),
            "load.gather4.cluster",
            "sm_100a",
            (8, 6),
        ),
        (
            f"{TENSOR}.3d.shared::cta.global.im2col::w.{BYTES}",
            (AT, tile(R1, R2, R3), AT, Vec((H1, H2))),
            "load.im2col_w.cta",
            "sm_100",
            (8, 6),
        ),
        (
            f"{TENSOR}.4d.shared::cta.global.im2col::w::128.{BYTES}",
            (AT, tile(R1, R2, R3, R4), AT, Vec((H1, H2))),
            "load.im2col_w128.cta",
            "sm_103a",
            (8, 8),
        ),
        (
            f"{TENSOR}.1d.shared::cluster.global.tile.{BYTES}.cta_group::2",
            (AT, tile(R1), AT),
            "load.cluster.pair",
            "sm_110a",
            (9, 0),
        ),
        (f"{TENSOR}.2d.global.shared::cta.tile::scatter4.bulk_group", (FIVE, AT), "store.scatter4", "sm_100f", (8, 8)),
    ],
)
def test_ways_to_walk_a_tensor(
    opcode: str, operands: tuple[Operand, ...], key: str, target: str, version: Version
) -> None:
    made = bind(opcode, operands)
    assert made.form.key == f"cp.async.bulk.tensor.{key}"
    assert check_rules(made) == []
    assert check_needs(made, Target.parse(target), version) == []
    assert [d.code for d in check_needs(made, Target.parse("sm_90a"), (9, 1))] == ["PTX1001"]


def diagnosed(instruction: str, target: str = "sm_90a") -> list[tuple[str, str, str]]:
    """Code, message and help of all that is wrong with an instruction."""
    registers = ".reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .b16 %h<9>; .reg .f32 %f<9>;"
    text = f".version 9.1\n.target {target}\n.visible .entry k()\n{{ {registers}\n{instruction};\nret; }}\n"
    return [(d.code, d.message, d.help or "") for d in check(text) if d.code[:4] not in ("PTX1", "PTX5")]


@pytest.mark.parametrize(
    ("instruction", "code", "words"),
    [
        ("cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%rd2], 1048576", "PTX0350", "split the copy"),
        (f"{REDUCE}.add.u32 [%rd1], [%rd2], 24", "PTX0220", "multiple of 16"),
        (
            f"{TENSOR}.2d.shared::cluster.global.im2col.{BYTES} [%rd1], [%rd2, {{%r1, %r2}}], [%rd3], {{%h1}}",
            "PTX0351",
            "use .3d, .4d or .5d",
        ),
        (
            f"{TENSOR}.3d.global.shared::cta.tile::scatter4.bulk_group [%rd2, {{%r1, %r2, %r3, %r4, %r5}}], [%rd1]",
            "PTX0351",
            "use .2d with five coordinates",
        ),
        (f"{REDUCE}.max.f32 [%rd1], [%rd2], 16", "PTX0352", ".max takes .u32, .s32"),
        (
            f"cp.reduce.async.bulk.shared::cluster.shared::cta.{BYTES}.add.f32 [%rd1], [%rd2], 16, [%rd3]",
            "PTX0352",
            ".add takes .u32, .s32, .u64",
        ),
        (f"{REDUCE}.add.f16 [%rd1], [%rd2], 16", "PTX0353", "write .add.noftz.f16"),
        (f"{REDUCE}.min.noftz.f16 [%rd1], [%rd2], 16", "PTX0353", "leave .noftz out"),
        ("tensormap.replace.tile.rank.global.b1024.b32 [%rd1], 5", "PTX0354", "less one: 0 to 4"),
        ("tensormap.replace.tile.global_stride.global.b1024.b64 [%rd1], 4, %rd2", "PTX0354", "numbered 0 to 3"),
        (
            "tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1], 5, %r2",
            "PTX0107",
            "nearest value that it takes is 4",
        ),
        ("tensormap.replace.tile.elemtype.global.b1024.b32 [%rd1], %r2", "PTX0104", "the form is"),
        (
            "fence.proxy.async::generic.release.sync_restrict::shared::cluster.cluster",
            "PTX0356",
            "release with .sync_restrict::shared::cta",
        ),
        ("multimem.ld_reduce.relaxed.add.u32 %r1, [%rd1]", "PTX0359", "write both"),
        ("multimem.red.v8.f32.add [%rd1], {%f1, %f1, %f1, %f1, %f1, %f1, %f1, %f1}", "PTX0360", ".v8 goes with .f16"),
        ("multimem.ld_reduce.min.acc::f32.f16x2 %r1, [%rd1]", "PTX0361", "leave .acc::f32 out"),
        (
            "red.async.relaxed.cluster.mbarrier::complete_tx::bytes.min.u64 [%rd1], %rd2, [%rd3]",
            "PTX0352",
            ".min takes .u32, .s32",
        ),
        (
            "st.async.mbarrier::complete_tx::bytes.v4.b64 [%rd1], {%rd1, %rd2, %rd3, %rd4}, [%rd3]",
            "PTX0310",
            "up to 16 bytes",
        ),
    ],
)
def test_a_mistake_is_named_with_a_way_out(instruction: str, code: str, words: str) -> None:
    ((found, _, help),) = diagnosed(instruction)
    assert found == code
    assert words in help


@pytest.mark.parametrize(
    ("instruction", "code"),
    [
        ("st.async.mmio.release.gpu.global.b32 [%rd1], %r1", "PTX0357"),
        ("st.bulk [%rd1], 12, 0", "PTX0358"),
        ("tensormap.replace.tile.swizzle_mode.b1024.b32 [%rd1], 5", "PTX0107"),
    ],
)
def test_a_mistake_in_what_newer_targets_have(instruction: str, code: str) -> None:
    assert [c for c, _, _ in diagnosed(instruction, "sm_100a")] == [code]


def test_a_96_byte_swizzle_is_one_target_s_own() -> None:
    made = bind("tensormap.replace.tile.swizzle_mode.global.b1024.b32", (AT, Imm(4, "4")))
    assert made.form.key == "tensormap.replace.swizzle_mode.96B"
    assert check_needs(made, Target.parse("sm_103a"), (8, 8)) == []
    assert [d.code for d in check_needs(made, Target.parse("sm_100a"), (8, 8))] == ["PTX1001"]


def test_element_types_of_six_bits_came_with_sm_100() -> None:
    made = bind("tensormap.replace.tile.elemtype.global.b1024.b32", (AT, Imm(13, "13")))
    assert check_needs(made, Target.parse("sm_100a"), (8, 7)) == []
    assert [d.code for d in check_needs(made, Target.parse("sm_90a"), (8, 3))] == ["PTX1001", "PTX1002"]


def test_parts_of_a_vector_can_be_left_out() -> None:
    made = bind("multimem.ld_reduce.add.v2.f32", (Vec((Sink(), Reg("%f1", TYPES["f32"]))), AT))
    assert made.form.key == "multimem.ld_reduce.f32"


def test_every_reduction_has_a_row() -> None:
    keys = ["cp.reduce.async.bulk.cta2cluster", "cp.reduce.async.bulk.cta2g", "multimem.cp.reduce.async.bulk.cta2g"]
    for key in keys:
        assert set(FORMS[key].mods["op"]) == {"add", "min", "max", "inc", "dec", "and", "or", "xor"}
