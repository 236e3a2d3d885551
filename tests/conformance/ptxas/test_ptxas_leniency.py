"""What the oracle excuses is what ptxas overlooks: an instruction for each change, that ptxas takes and the rows reject; and for
most changes one that is nearly like it, that ptxas rejects and no change excuses."""

from __future__ import annotations

import oracle
import pytest
from leniency import CHANGES, why_lenient

from ptxlab.isa.enumerate import Candidate, verdict
from ptxlab.isa.form import BY_ROOT
from ptxlab.isa.targets import Target
from ptxlab.ptx.nodes import Function, Instruction
from ptxlab.ptx.parser import parse

_REASON = oracle.why_not()
pytestmark = [pytest.mark.ptxas, pytest.mark.skipif(_REASON is not None, reason=_REASON or "")]
_SPARSE = "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3, %r4}, {%f1, %f2, %f3, %f4}"
_SPARSE_BYTES = "mma.sp.sync.aligned.m16n8k64.row.col.s32.u8.s8.s32 {%sr1, %sr2, %sr3, %sr4},"
_TEXELS = "{%ur1, %ur2, %ur3, %ur4}, [%rd5, {%f1, %f2}]"
_SLOPES = "{%f3, %f4, %f5, %f6}"
_TENSOR = "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%rd5], [%rd5, {%r1}]"

EXCUSED = {
    "_another_fence": "wgmma.fence::after_thread_sync.sync.aligned;",
    "_without_words": "add.box_dim.u32 %ur1, %ur2, %ur3;",
    "_one_type": "atom.global.add.v2.f32 {%r1, %f2}, [%rd5], {%r1, 4};",
    "_integers_as_doubles": "st.v2.f64 [%rd5], {1, -1};",
    "_metadata": f"{_SPARSE}, %p1, 0;",
    "_moved": "movmatrix.sync.aligned.m8n8.trans.b16 %p3, %r1;",
    "_bracketed": f"{_TENSOR}, %f6;",
    "_counts": "mbarrier.arrive.shared.b64 %rd1, [%rd5], {%r1, %r2};",
    "_functions": "mul.f32 %f1, %f2, ext;",
    "_no_pair": "add.u32 %ur1|_, %ur2, %ur3;",
    "_left_out": "testp.f32 %p1, %f2;",
    "_shorter": "tex.grad.cube.v4.u32.f32 {%ur1, %ur2, %ur3, %ur4}, [%rd5, {%f1, %f2, %f3, %f4}], "
    f"{_SLOPES}, {{%f1, %f2}};",
    "_other_shape": "st.async.mbarrier::complete_tx::bytes.v2.u64 [%rd5], 128, [%rd5];",
    "_one_for_all": f"{_SPARSE_BYTES} %r2, {{%r3, %r4, %r5, %r6}}, {{%sr1, %sr2, %sr3, %sr4}}, %r2, 0;",
    "_needless_braces": "mov.b128 %q1, {%q2};",
    "_untyped": "ldmatrix.sync.aligned.m8n8.x1.b16 {%p2}, [%rd5];",
    "_many_matrices": "ldmatrix.sync.aligned.m8n8.x32.b16 {%r1, %r2}, [%rd5];",
    "_no_memory": "red.global.add.u32 _, %ur1;",
    "_texture_apart": f"tex.2d.v4.u32.f32 {_TEXELS.replace(' [', ' %rd1, [')};",
    "_stored": "sured.p.add.1d.b32.trap [%rd5, {%sr1}], %fd3;",
    "_one_operand_more": "atom.global.and.b32 %r1, [%rd5], %r3, %r4;",
    "_layers": "tex.a2d.v4.u32.s32 {%ur1, %ur2, %ur3, %ur4}, [%rd5, {%ur1, %f2, %f3, %f4}];",
    "_geometry": "tex.5d.v4.u32.f32 {%ur1, %ur2, %ur3, %ur4}, [%rd5, {%ur1, %f2}];",
    "_beside_a_sampler": "tex.a2d.v4.u32.f32 {%ur1, %ur2, %ur3, %ur4}, [%rd5, %ud2, {%f1, %f2}];",
    "_rounded": "fma.rz.bf16 %h1, %h2, %h3, %h1;",
}
NEEDS_ANOTHER = {  # target: sm_100 and newer, or before sm_90; or ptxas 13.4 and newer
    *("_priority_beside_an_operator", "_both_ways", "_scaled_twice", "_beside_slopes"),
    *(
        "_places_exchanged",
        "_barrier_too_many",
        "_fours_in_braces",
        "_narrow_numbers",
        "_second_scale",
        "_parts_of_the_answer",
    ),
}
ALSO_EXCUSED = [  # more of what a change is about
    "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%rd5], [%rd5], %ur3, {%h2};",
    "mbarrier.arrive_drop.noComplete.b64 %ud1, [%rd5], 4294967295;",
    "ld.relaxed.cta.f32 {%sr1}, [%rd5];",
    "st.f64 [%rd5], {1};",
    "wmma.load.c.sync.aligned.col.m8n8k32.global.s32.s2 {%sr1, %sr2}, [%rd5];",
    "suld.b.4d.b32.trap %r1, [%rd5, {%sr1}];",
    "tex.a2dms.v4.u32.s32 {%ur1, %ur2, %ur3, %ur4}, [%rd5, {%f1, %sr2, %f3, 0f3F800000}];",
    "tex.level.a1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd5, {%ur1, %f2, %f3, %r4}], {%sr3, %sr4};",
    "mma.sync.aligned.or.m8n8k32.row.col.s32.s4.u4.s32 {%sr1, %sr2}, {%r2}, {%r3}, {%sr1, %sr2};",
    "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%rd5], {%p1};",
    "tex.level.a2d.v2.f16x2.f32 {%r1, %r2}, %sd1, [%rd5, {%sr1}], {%sr1, %sr2};",
    "fence.proxy.shared::cluster.release.tensormap::generic.sys;",
    "mov.v2.f64 {%fd4, %fd5}, {1, 1};",
    "st.async.b16 [%rd5], %h2;",
    "st.async.shared::cta.u8 [%rd5], 1;",
    "st.async.gpu.f64 [%rd5], %fd2;",
    "st.async.shared.v2.u64 [%rd5], %ud2, [%rd5];",
    "st.async.weak.shared::cta.v2.b32 [%rd5], {%r1, %r2}, [%rd5];",
    "st.async.shared.b32 [%rd5], %r2;",
    "red.async.relaxed.sys.add.s64 [%rd5], %sd2;",
    "wgmma.fence::before_thread_sync.sync.aligned;",
    "atom.relaxed.cluster.b128.exch %q1, [%rd5], %q3, %q1;",
    "st.async.mbarrier::complete_tx::bytes.b32 [%rd5], {%h1, %h2}, [%rd5];",
    "st.async.weak.mbarrier::complete_tx::bytes.b64 [%rd5], {%sr3, %sr4}, [%rd5];",
]
_FABRIC = "mbarrier::complete_tx::bytes.mbarrier::report::fabric.b128"
_ONES = "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%sr1, %sr2}, {%r2}"
ELSEWHERE = [  # more on other targets, with what is nearly like it; some of it came with ptxas 13.4
    ("sm_100a", "tcgen05.mma.cta_group::1.kind::f16 [%r5], %ud2, %ud3, %ur2, %p3, 0, 0;", True),
    ("sm_100a", "tcgen05.mma.cta_group::1.kind::f16 [%r5], %ud2, %ud3, %ur2, %p3, 0, 16;", False),
    ("sm_100a", "tcgen05.mma.cta_group::1.kind::f16 [%r5], %ud2, %ud3, %ur2, %p3, %p1, 15;", True),
    ("sm_100a", "tcgen05.mma.cta_group::1.kind::f16 [%r5], %ud2, %ud3, %ur2, %p3, %p1, 16;", False),
    ("sm_100a", "tcgen05.mma.cta_group::1.kind::f8f6f4 [%r5], %ud2, %ud3, %ur2, %p3, 0, 0;", False),
    ("sm_100a", "fence.proxy.tensormap::generic.acq_rel.cluster [%rd5];", False),
    ("sm_100a", "fence.proxy.fabric::generic.alias.acq_rel.sys;", True),
    ("sm_100a", "fence.proxy.alias.acq_rel.sys;", False),
    ("sm_100a", "fence.proxy.acq_rel.alias.generic::fabric.sys;", True),
    ("sm_100a", "fence.proxy.async::generic.acq_rel.sync_restrict::shared::cluster::read.cta;", True),
    ("sm_100a", "red.async.relaxed.gpu.add.s64 [%rd5], %sd2;", True),
    ("sm_100a", "red.async.relaxed.cta.add.s64 [%rd5], %sd2;", False),
    ("sm_100a", "st.async.global.f32 [%rd5], %f2;", True),
    ("sm_100a", "cvt.rn.satfinite.relu.e2m1x2.bf16x2 %bb1, {%r1, %r2, %r3, %r4};", True),
    ("sm_100a", "cvt.rn.satfinite.e2m1x2.f16x2 %bb1, {%r1, %r2, %r3, %r4};", False),
    ("sm_100a", f"fabric.try_get.async.shared::cta.{_FABRIC} [%r1, %ur1, %ud1], %ur3, [%r5];", True),
    ("sm_100a", f"fabric.try_get.async.shared::cta.{_FABRIC} [%r1], [%ur1], %ud1, %ur3, [%r5];", False),
    ("sm_100a", "st.async.relaxed.global.f32 [%rd5], %f2;", False),
    ("sm_80", f"{_ONES}, {{%p3}}, {{%sr1, %sr2}};", True),
    (
        "sm_80",
        f"tex.grad.3d.v2.f16x2.f32 {{%r1, %r2}}, [%rd5, {{%sr1, %sr2, %sr3, %sr4}}], {_SLOPES}, {_SLOPES};",
        True,
    ),
    (
        "sm_80",
        "tex.grad.2d.v4.u32.f32 {%ur1, %ur2, %ur3, %ur4}, [%rd5, {%sr1, %sr2}], {%f3, %f4}, {%f1, %f2}, %f3;",
        True,
    ),
    (
        "sm_80",
        "tex.grad.2d.v4.u32.f32 {%ur1, %ur2, %ur3, %ur4}, [%rd5, {%sr1, %f2}], {%f3, %f4}, {%f1, %f2}, %f3;",
        False,
    ),
]

NOT_EXCUSED = [
    "st.async.v2.b32 [%rd5], {%r1, %r2};",
    "st.async.mbarrier::complete_tx::bytes.u32 [%rd5], {%h1, %h2}, [%rd5];",
    "st.async.mbarrier::complete_tx::bytes.b64 [%rd5], {%h1, %h2}, [%rd5];",
    "atom.relaxed.cluster.b32.add %sr1, [%rd5], %sr3;",
    "st.async.b16 [%rd5], %r2;",
    "st.async.shared::cta.gpu.b32 [%rd5], %r2;",
    "red.async.relaxed.cta.add.s64 [%rd5], %sd2;",
    "add.gpu.u32 %ur1, %ur2, %ur3;",
    "atom.global.add.v2.f32 {%f1, %f2}, [%rd5], {%f1, 4};",
    "atom.global.add.v2.f32 {%f1, %f2}, [%rd5], {%f1, %sr2};",
    f"{_SPARSE}, %h5, 0;",
    "movmatrix.sync.aligned.m8n8.trans.b16 %h3, %r1;",
    "mov.v2.s32 {%sr1, %sr2}, %f3;",
    f"{_TENSOR}, 1;",
    "mbarrier.arrive.shared.b64 %rd1, [%rd5], {%rd1, %rd2};",
    "mbarrier.arrive_drop.noComplete.b64 %ud1, [%rd5], -1;",
    "mul.f32 ext, %f2, %f3;",
    "add.u32 %ur1|%p1, %ur2, %ur3;",
    "prefetch.L2::evict_last.global.gpu [%rd5];",
    "tex.2d.v4.u32.f32 {%ur1, %ur2, %ur3, %ur4}, [%rd5, {%f1, %f2, %f3}];",
    f"tex.2d.v4.u32.f32 {_TEXELS}, {{%f3}};",
    "tex.3d.v4.u32.f32 {%ur1, %ur2, %ur3, %ur4}, [%rd5, {%f1, %f2, %f3, %f4}], %f3;",
    "sured.p.add.1d.b32.trap [%rd5, {%sr1}], %h3;",
    "atom.global.add.u32 %ur1, [%rd5], %ur3, %ur4;",
    "tex.2d.v4.u32.s32 {%ur1, %ur2, %ur3, %ur4}, [%rd5, {%f1, %f2}];",
    "fma.rz.f16 %h1, %h2, %h3, %h1;",
    "fma.rn.ftz.f16.oob %h1, %h2, %h3, %h1;",
    f"{_SPARSE_BYTES} %h2, {{%r3, %r4, %r5, %r6}}, {{%sr1, %sr2, %sr3, %sr4}}, %r2, 0;",
    "mov.b128 %q1, {%rd2};",
    "cvt.rn.ftz.f32.f64 %ud3, %fd2;",
    "st.global.u32 _, %ur1;",
    "ldmatrix.sync.aligned.m8n8.x32.b16 {%r1, %r2, %r3}, [%rd5];",
    "ldmatrix.sync.aligned.m8n8.x2.b16 {%p2, %h2}, [%rd5];",
    "tex.grad.3d.v4.u32.f32 {%ur1, %ur2, %ur3, %ur4}, [%rd5, {%f1, %f2, %f3, %f4}], {%f3, %f4, %f5, %f6}, {%f1, %f2};",
    "tex.3d.v4.u32.s32 {%ur1, %ur2, %ur3, %ur4}, [%rd5, {%f1, %sr2, %r3, %r4}];",
    "tex.grad.3d.v4.u32.s32 {%ur1, %ur2, %ur3, %ur4}, [%rd5, {%f1, %r2, %sr3, %sr4}], {%f3, %f4, %f5, %f6}, {%f1, %f2, %f3, %f4};",
    "tex.grad.a1d.v2.f16x2.f32 {%r1, %r2}, [%rd5, {%ur1, %f2}], {%f3}, {%f1}, {%f2}, %f3;",
    "sust.b.a1d.cs.v2.b16.clamp [%rd5, {%f1, %f2, %f3, %f4}], {%h2, %h3};",
    "tex.4d.v4.u32.f32 {%ur1, %ur2, %ur3, %ur4}, [%rd5, {%f1}];",
    "tex.3d.v4.u32.f32 {%ur1, %ur2, %ur3, %ur4}, [%rd5, %ud2, {%f1, %f2}];",
    "ld.relaxed.cta.f32 {%sd1}, [%rd5];",
    "st.u32 [%rd5], {%f1};",
    "st.f32 [%rd5], {1};",
    "st.v2.f32 [%rd5], {1, 1};",
    "st.v2.f64 [%rd5], {1, 1.0};",
    "fma.rn.oob.ftz.f16 %h1, %h2, %h3, %h1;",
    "sust.b.3d.cs.v2.b16.trap [%rd5, {%sr1, %sr2, %sr3, %sr4}], 4.0;",
    f"tex.2d.v4.u32.f32 {_TEXELS.replace(' [', ' %r1, [')};",
    "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%rd5], [%rd5], %ur3, {%r2};",
]


def _candidate(text: str, target: str = "sm_90a") -> Candidate:
    """The instruction as the oracle has it."""
    lines = [*oracle.prelude(target, oracle.newest()), oracle.kernel("k", text)]
    entry = next(t for t in parse("\n".join(lines)).items if isinstance(t, Function) and t.name == "k")
    assert entry.body is not None
    found = next(node for node in entry.body.items if isinstance(node, Instruction))
    return Candidate(BY_ROOT[found.opcode.partition(".")[0]][0], found.opcode, tuple(found.operands), "by hand")


def _excuse(text: str, name: str = "sm_90a") -> tuple[str, ...]:
    one, target = _candidate(text, name), Target.parse(name)
    assert one.text == text
    assert verdict(one, target, oracle.newest(), oracle.release()) is not None, f"the rows take {text}"
    return why_lenient(one, target, oracle.newest(), oracle.release())


def test_ptxas_takes_what_is_excused() -> None:
    assert {change.__name__ for change in CHANGES} == set(EXCUSED) | NEEDS_ANOTHER
    assert dict(zip(EXCUSED, oracle.judge(list(EXCUSED.values())), strict=True)) == dict.fromkeys(EXCUSED)
    assert {text: _excuse(text) for text in EXCUSED.values()} == {text: (name,) for name, text in EXCUSED.items()}


def test_ptxas_takes_more_of_it() -> None:
    assert dict(zip(ALSO_EXCUSED, oracle.judge(ALSO_EXCUSED), strict=True)) == dict.fromkeys(ALSO_EXCUSED)
    assert [text for text in ALSO_EXCUSED if not _excuse(text)] == []


def test_ptxas_rejects_what_is_not_excused() -> None:
    told = oracle.judge(NOT_EXCUSED)
    assert [text for text, said in zip(NOT_EXCUSED, told, strict=True) if said is None] == []
    assert [text for text in NOT_EXCUSED if _excuse(text)] == []


@pytest.mark.parametrize("target", ["sm_80", "sm_100a"])
def test_more_of_it_on_other_targets(target: str) -> None:
    if target == "sm_100a" and oracle.release() < (13, 4):
        return  # it lacks some of the instructions
    here = [(text, taken) for name, text, taken in ELSEWHERE if name == target]
    told = dict(zip([text for text, _ in here], oracle.judge([text for text, _ in here], target=target), strict=True))
    assert [text for text, taken in here if (told[text] is None) != taken] == []
    assert [text for text, taken in here if bool(_excuse(text, target)) != taken] == []


def test_a_barrier_that_none_counts_up_to_ptxas_13_4() -> None:
    stores = [
        "st.async.global.f32 [%rd5], %f2, [%rd5];",
        "st.async.release.gpu.global.b128 [%rd5], %q2, [%rd5];",
        "st.async.global.v4.b32 [%rd5], {%r1, %r2, %r3, %r4}, [%rd5];",
    ]
    if oracle.newest() < (9, 2):
        stores = stores[:1]  # .b128 came with PTX 9.2
    taken = [said is None for said in oracle.judge(stores, target="sm_100a")]
    assert taken == [oracle.release() <= (13, 4)] * len(stores)
    assert [bool(_excuse(text, "sm_100a")) for text in stores] == taken
