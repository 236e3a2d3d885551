"""What rows say of memory and order, against a reading of the opcode and of PTX's defaults that is independent of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest

from ptxlab.isa.action import Action, Touch, action
from ptxlab.isa.bind import Instance, bind
from ptxlab.isa.effects import COMPLETIONS, ORDERS, PROXIES, SCOPES, AsyncCopy, AsyncMma, Fence, Hint, Opaque
from ptxlab.isa.enumerate import example
from ptxlab.isa.extents import Box, Lines, Matrix, Rows, Run
from ptxlab.isa.form import FORMS, Form
from ptxlab.isa.operands import Addr, Imm, Not, Operand, Reg, Sink, Vec
from ptxlab.isa.terms import UNKNOWN, mod
from ptxlab.isa.types import TYPES

_WORDS = {"relaxed", "acquire", "release", "acq_rel", "sc", "volatile", "mmio"}
_UNTOUCHED = {
    ("prefetch", "a"): "brings a line into a cache",
    ("prefetch.evict", "a"): "brings a line into a cache",
    ("prefetch.valid_addr", "a"): "brings a line into a cache",
    ("prefetchu.L1", "a"): "brings a line into a cache",
    ("prefetch.tensormap", "map"): "brings a map into a cache",
    ("tensormap.query.alloc_class_large", "map"): "asks about the address",
    ("applypriority.L2::evict_normal", "a"): "marks a cache line",
    ("createpolicy.range", "a"): "names a range for a policy",
    ("cp.async.bulk.prefetch", "src"): "brings lines into a cache",
    ("cp.async.bulk.prefetch.evict", "src"): "brings lines into a cache",
    ("applypriority.async.bulk", "src"): "marks cache lines",
    ("fence.proxy.tensormap.acquire", "map"): "names what the fence is about (Fence.over)",
    ("fence.proxy.tensormap.acq_rel.map", "map"): "names what the fence is about",
}


@dataclass
class _Facts:
    """An instance with chosen modifiers and operands; the others are those of the row, and all operands are given."""

    row: Form
    mods: Mapping[str, str] = field(default_factory=dict[str, str])
    operands: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def mod(self, name: str) -> str | None:
        return self.mods.get(name, self.row.defaults.get(name))

    def operand_value(self, name: str) -> Any:
        return self.operands.get(name, UNKNOWN)

    def present(self, name: str) -> bool:
        return name in self.row.operands

    def chosen(self, name: str) -> bool:
        return name in self.mods

    def declared(self, name: str) -> Any:
        return UNKNOWN


def _of(opcode: str, *operands: Operand) -> Action:
    found = bind(opcode, operands)
    assert isinstance(found, Instance)
    return found.effect


def _at(kind: str = "u64") -> Addr:
    return Addr(Reg("%a", TYPES[kind]))


def _reg(kind: str) -> Reg:
    return Reg("%r", TYPES[kind])


def _imm(value: int) -> Imm:
    return Imm(value, str(value))


def _example(form: Form) -> Instance:
    found = example(form)
    assert found is not None, form.key
    inst = bind(found[0].opcode, found[0].operands)
    assert isinstance(inst, Instance)
    return inst


@cache
def examples() -> dict[str, Instance]:
    """One of each row. They take seconds, which who collects tests does not wait for."""
    return {form.key: _example(form) for form in FORMS.values()}


_FENCES = [f for f in FORMS.values() if isinstance(f.effect, Fence)]


def _addresses(form: Form) -> list[str]:
    """All but those of what has no model: tensor memory, textures, surfaces."""
    unknown = isinstance(form.effect, Opaque)
    return [n for n, spec in form.operands.items() if "addr" in spec.kinds and not unknown]


def test_every_address_is_a_footprint_or_says_why_not() -> None:
    missing: set[tuple[str, str]] = set()
    for key, inst in examples().items():
        touched = {t.operand for t in inst.effect.touches}
        missing |= {(key, n) for n in _addresses(inst.form) if n not in touched}
    tensors = ("cp.async.bulk.prefetch.tensor", "applypriority.async.bulk.tensor")
    hints = {(k, n) for k, n in missing if n == "map" and k.startswith(tensors)}
    assert missing - hints == _UNTOUCHED.keys()


def test_footprints_know_their_bytes_or_what_does() -> None:
    for key, inst in examples().items():
        for t in inst.effect.touches:
            size = inst.operands.get("size")
            if isinstance(t.extent, Run) and t.extent.bytes is None:
                assert isinstance(size, Reg) or "src_size" in inst.operands, (key, t.operand)
            for name in ("mask", "unless", "multicast"):
                assert getattr(t, name) is None or getattr(t, name) in inst.operands, (key, name)


@pytest.mark.parametrize("slot", ["sem", "scope"])
def test_modifiers_of_order_show(slot: str) -> None:
    for form in FORMS.values():
        for value in next((s.values for s in form.slots if s.name == slot), ()):
            found = action(form, _Facts(form, {slot: value}))
            shown = found.order if slot == "sem" else found.scope
            assert shown == value, (form.key, value, found)
            assert all(getattr(t, "order" if slot == "sem" else "scope") == value for t in _ordered(found)), form.key


def _ordered(found: Action) -> list[Touch]:
    """The accesses that carry the instruction's order: not those that only feed what is written elsewhere."""
    load = getattr(found.effect, "kind", "") == "load" or any(t.update == "mbarrier" for t in found.touches)
    counts = isinstance(found.effect, AsyncCopy)  # a copy's mbarrier has an order of its own
    return [
        t for t in found.touches if (t.writes or load) and not (counts and (t.update == "mbarrier" or not t.writes))
    ]


def test_words_of_order_in_the_opcode_show() -> None:
    """`.relaxed`, `.acquire`, `.volatile` … written into a row's opcode are what its effect says."""
    for key, inst in examples().items():
        parts = set(re.split(r"[.]", inst.opcode))
        words = parts & _WORDS
        if "mmio" in words:  # alone, or beside the order that it adds to
            words = words - {"mmio"} if words & {"acquire", "release"} else {"mmio"}
        found = inst.effect
        if words:
            assert {found.order} == words, (key, found.order)
        if inst.opcode.startswith(("fence", "barrier.cluster", "red.async")) and parts & set(SCOPES):
            assert found.scope in parts, (key, found.scope)


def test_only_the_vocabulary_is_used() -> None:
    for key, inst in examples().items():
        found = inst.effect
        assert found.order in (None, *ORDERS), key
        assert found.scope in (None, *SCOPES), key
        assert {p for join in found.joins for p in join} <= set(PROXIES), key
        for t in found.touches:
            assert t.order in ORDERS, (key, t)
            assert t.scope in (None, *SCOPES), (key, t)
            assert t.proxy in PROXIES, (key, t)
            assert (t.scope is None) == (t.order == "weak"), (key, t)
            assert t.reads or t.writes, (key, t)


@pytest.mark.parametrize("key", [key for key in FORMS if key.split(".")[0] in ("ld", "ldu", "st", "atom", "red")])
def test_threads_accesses_go_by_their_opcode(key: str) -> None:
    inst = examples()[key]
    root, *rest = inst.opcode.split(".")
    if rest[0] in ("async", "bulk"):
        return
    (touch,) = inst.effect.touches
    assert touch.reads == (root != "st")
    assert touch.writes == (root not in ("ld", "ldu"))
    assert (touch.update in rest) == (root in ("atom", "red"))
    weak = not {"relaxed", "acquire", "release", "volatile", "mmio"} & set(rest) and root not in ("atom", "red")
    assert (touch.order == "weak") == weak
    assert touch.agent == "thread"


def test_asynchronous_ones_complete() -> None:
    for key, inst in examples().items():
        effect, found, opcode = inst.form.effect, inst.effect, inst.opcode
        if not isinstance(effect, (AsyncCopy, AsyncMma)):
            assert isinstance(effect, Hint) or not re.search(r"complete_tx::bytes|\.bulk_group", opcode), key
            continue
        assert found.completion is not None, key
        assert {t.agent for t in found.touches} == {"operation"}, key
        mechanism = found.completion.mechanism
        assert (mechanism == "mbarrier") == ("mbarrier::complete_tx" in opcode), key
        assert (mechanism == "bulk-group") == (".bulk_group" in opcode), key
        assert (mechanism == "wgmma-group") == opcode.startswith("wgmma"), key
        assert (mechanism == "cp.async-group") == bool(re.match(r"cp\.async\.c[ag]", opcode)), key
        in_cluster = bool(re.match(r"(st|red)\.async\..*complete_tx", opcode))
        proxy = "generic" if mechanism == "cp.async-group" or in_cluster else "async"
        assert {t.proxy for t in found.touches if t.operand != "map"} == {proxy}, key
        assert {t.proxy for t in found.touches if t.operand == "map"} <= {"tensormap"}, key
        if mechanism != "none":
            assert (found.completion.fence == ("async", "generic")) == (mechanism != "cp.async-group"), key
        if found.completion.mbarrier is not None:
            (bar,) = (t for t in found.touches if t.operand == found.completion.mbarrier)
            assert (bar.order, bar.scope, bar.update) == ("release", "cluster", "mbarrier"), key


def test_each_fence_is_another() -> None:
    seen: dict[object, str] = {}
    for form in _FENCES:
        for value in next((s.values for s in form.slots if s.name in ("sem", "level")), ("",)):
            name = next((s.name for s in form.slots if s.name in ("sem", "level")), None)
            mods = {name: value} if name else {}
            if any(s.name == "scope" for s in form.slots):
                mods["scope"] = "gpu"
            if value == "acquire" or value == "release":
                mods["restrict"] = "sync_restrict::shared::" + ("cluster" if value == "acquire" else "cta")
            a = action(form, _Facts(form, mods))
            data = (a.order, a.scope, a.joins, a.space, a.only, a.over)
            other = seen.setdefault(data, form.key)
            assert other == form.key or {form.key, other} in (
                {"membar", "fence"},
                {"membar.proxy.alias", "fence.proxy.alias"},
                {"membar.proxy.async", "fence.proxy.async"},
            )


def test_proxy_fences_go_by_their_opcode() -> None:
    """`fence.proxy.TO::FROM` joins one direction, `fence.proxy.KIND` both."""
    for form in _FENCES:
        found = re.search(r"\.proxy\.(\w+)(?:::(\w+))?", form.syntax)
        effect = form.effect
        assert isinstance(effect, Fence)
        if found is None:
            assert effect.joins == ((("generic", "alias"),) if ".alias" in form.syntax else ())
        elif found[2]:
            assert effect.joins == ((found[2], found[1]),)
        else:
            assert set(effect.joins) == {("generic", found[1]), (found[1], "generic")}


@pytest.mark.parametrize(
    ("opcode", "operands", "order", "scope"),
    [
        ("atom.add.u32", (_reg("u32"), _at(), _reg("u32")), "relaxed", "gpu"),
        ("red.release.cta.shared.add.u32", (_at("u32"), _reg("u32")), "release", "cta"),
        ("mbarrier.arrive.shared.b64", (Sink(), _at("u32")), "release", "cta"),
        ("mbarrier.arrive.release.cluster.shared::cluster.b64", (Sink(), _at("u32")), "release", "cluster"),
        ("mbarrier.try_wait.parity.shared.b64", (_reg("pred"), _at("u32"), _imm(0)), "acquire", "cta"),
        ("mbarrier.expect_tx.relaxed.cta.shared::cta.b64", (_at("u32"), _reg("u32")), "relaxed", "cta"),
        ("mbarrier.init.shared.b64", (_at("u32"), _imm(1)), "weak", None),
        ("bar.sync", (_imm(0),), "acq_rel", "cta"),
        ("bar.arrive", (_imm(0), _imm(32)), "release", "cta"),
        ("bar.warp.sync", (_imm(-1),), "acq_rel", "warp"),
        ("barrier.cluster.arrive", (), "release", "cluster"),
        ("barrier.cluster.arrive.relaxed", (), "relaxed", "cluster"),
        ("barrier.cluster.wait", (), "acquire", "cluster"),
        ("membar.gl", (), "sc", "gpu"),
        ("fence.cluster", (), "acq_rel", "cluster"),
        ("griddepcontrol.wait", (), "acquire", "gpu"),
        ("griddepcontrol.launch_dependents", (), "weak", "gpu"),
        ("cp.async.wait_group", (_imm(0),), "acquire", "thread"),
        ("cp.async.bulk.wait_group", (_imm(0),), "acquire", "thread"),
        ("cp.async.bulk.wait_group.read", (_imm(0),), "weak", "thread"),
        ("cp.async.mbarrier.arrive.shared.b64", (_at("u32"),), "release", "cta"),
        ("shfl.sync.idx.b32", (_reg("b32"), _reg("b32"), _imm(0), _imm(31), _imm(-1)), None, None),
    ],
)
def test_defaults_are_ptxs(opcode: str, operands: tuple[Operand, ...], order: str | None, scope: str | None) -> None:
    found = _of(opcode, *operands)
    assert (found.order, found.scope) == (order, scope)


def test_hints_do_nothing() -> None:
    for key, inst in examples().items():
        if isinstance(inst.form.effect, Hint):
            assert inst.effect == Action(inst.form.effect), key


def test_a_wait_for_reads_shows_no_writes() -> None:
    late, early = _of("cp.async.bulk.wait_group", _imm(1)), _of("cp.async.bulk.wait_group.read", _imm(1))
    assert (late.reads_only, early.reads_only) == (False, True)
    assert late.completion == early.completion == COMPLETIONS["bulk-group"]


def test_cp_async_reads_less_than_it_writes() -> None:
    at = (_at("u32"), _at("u64"), _imm(16))
    short = _of("cp.async.ca.shared.global", *at, _imm(3))
    assert {t.operand: t.extent.bytes for t in short.touches if isinstance(t.extent, Run)} == {"dst": 16, "src": 3}
    unless = _of("cp.async.ca.shared.global", *at, Not(_reg("pred")))
    assert {t.operand: t.unless for t in unless.touches} == {"dst": None, "src": "ignore_src"}


def test_matrices_of_lanes_are_rows() -> None:
    found = _of("ldmatrix.sync.aligned.m8n8.x4.shared.b16", Vec(tuple(_reg("b32") for _ in range(4))), _at("u32"))
    (touch,) = found.touches
    assert isinstance(touch.extent, Rows)
    assert (touch.extent.rows, touch.extent.bytes) == (32, 16)


@pytest.mark.parametrize(("layout", "stride", "wanted"), [("row", None, (16, 256, 256)), ("col", 40, (16, 256, 640))])
def test_wmma_loads_are_lines(layout: str, stride: int | None, wanted: tuple[int, int, int]) -> None:
    more = () if stride is None else (_imm(stride),)
    fragment = Vec(tuple(_reg("f16x2") for _ in range(8)))
    (touch,) = _of(f"wmma.load.a.sync.aligned.{layout}.m16n16k16.shared.f16", fragment, _at("u32"), *more).touches
    assert isinstance(touch.extent, Lines)
    assert (touch.extent.lines, touch.extent.bits, touch.extent.stride) == wanted


def test_wmma_lines_go_by_the_layout() -> None:
    fragment = Vec(tuple(_reg("f16x2") for _ in range(8)))
    for frag, layout, wanted in (
        ("a", "row", (32, 256)),
        ("a", "col", (16, 512)),
        ("b", "row", (16, 128)),
        ("b", "col", (8, 256)),
    ):
        (touch,) = _of(f"wmma.load.{frag}.sync.aligned.{layout}.m32n8k16.f16", fragment, _at()).touches
        assert isinstance(touch.extent, Lines)
        assert (touch.extent.lines, touch.extent.bits) == wanted, (frag, layout)


def test_wgmma_reads_matrices_by_descriptor() -> None:
    d = Vec(tuple(_reg("f32") for _ in range(32)))
    one = _imm(1)
    found = _of(
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16", d, _reg("u64"), _reg("u64"), one, one, one, _imm(0), one
    )
    extents = {t.operand: t.extent for t in found.touches}
    assert all(isinstance(e, Matrix) for e in extents.values())
    shown = {n: (e.rows, e.bits, e.transposed) for n, e in extents.items() if isinstance(e, Matrix)}
    assert shown == {"a": (64, 256, 0), "b": (64, 256, 1)}
    assert {(t.proxy, t.space, t.reads, t.writes) for t in found.touches} == {("async", "shared::cta", True, False)}


def test_sparse_wgmma_stores_half_of_a() -> None:
    inst = examples()["wgmma.mma_async.sp.f16.ss"]
    extents = {t.operand: t.extent for t in inst.effect.touches}
    a, b = extents["a"], extents["b"]
    assert isinstance(a, Matrix)
    assert isinstance(b, Matrix)
    assert a.bits is not None
    assert b.bits == 2 * a.bits


def test_tensor_copies_touch_boxes_and_their_map() -> None:
    coords = Vec((_reg("s32"), _reg("s32")))
    at = Addr(_reg("u64"), coords=coords)
    opcode = "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
    found = {t.operand: t for t in _of(opcode, _at("u32"), at, _at("u32"), _reg("u16")).touches}
    assert isinstance(found["dst"].extent, Box)
    assert found["dst"].extent.side == "shared"
    assert isinstance(found["coords"].extent, Box)
    assert found["coords"].extent.side == "tensor"
    assert found["dst"].multicast == found["mbar"].multicast == "mask"
    assert found["coords"].multicast is None
    assert found["map"].proxy == "tensormap"
    assert found["coords"].space == "global"
    reduced = _of("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group", at, _at("u32"))
    (into,) = (t for t in reduced.touches if t.operand == "coords")
    assert (into.order, into.scope, into.update, into.reads, into.writes) == ("relaxed", "gpu", "add", True, True)


def test_a_map_is_published_to_its_proxy() -> None:
    opcode = "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned"
    found = _of(opcode, _at(), _at("u32"), _imm(128))
    assert (found.order, found.scope, found.joins) == ("release", "gpu", (("generic", "tensormap"),))
    assert {t.operand: t.order for t in found.touches} == {"dst": "release", "src": "weak"}


def test_who_runs_it_may_know_registers() -> None:
    inst = examples()["cp.async.bulk.g2cta"]
    assert all(t.extent.bytes is None for t in inst.effect.touches if isinstance(t.extent, Run) and t.operand != "mbar")
    full = action(inst.form, _Facts(inst.form, inst.mods, {"size": 4096}))
    assert {t.extent.bytes for t in full.touches if isinstance(t.extent, Run) and t.operand != "mbar"} == {4096}


def test_a_term_is_no_answer() -> None:
    """`if effect.update == "cas"` builds a term, which is not taken for true."""
    with pytest.raises(TypeError, match="before it is evaluated"):
        assert mod("op") == "cas"
