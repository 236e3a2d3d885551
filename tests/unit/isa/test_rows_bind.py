"""Binding instructions to rows: which row, which operands, and what is said when nothing fits."""

from __future__ import annotations

import pytest

import ptxlab.isa  # noqa: F401  (enters the rows)
from ptxlab.diag import Diagnostic, Severity
from ptxlab.isa.bind import Instance, bind, check_needs, check_rules
from ptxlab.isa.enumerate import candidates, verdict
from ptxlab.isa.form import BY_ROOT, FORMS
from ptxlab.isa.match import heads
from ptxlab.isa.operands import Addr, Imm, Label, Not, Operand, Pair, Reg, Sink, Sreg, Symbol, Vec
from ptxlab.isa.sregs import SREGS
from ptxlab.isa.targets import Target
from ptxlab.isa.types import TYPES, register_fits


def reg(name: str, type_: str) -> Reg:
    return Reg(name, TYPES[type_])


R1, R2, R3 = (reg(f"%r{i}", "b32") for i in (1, 2, 3))
F1, F2 = (reg(f"%f{i}", "f32") for i in (1, 2))
D1, D2 = (reg(f"%rd{i}", "b64") for i in (1, 2))
H1 = reg("%h1", "b16")
P1, P2 = (reg(f"%p{i}", "pred") for i in (1, 2))
FIVE = Imm(5, "5")
ONE = Imm(0x3F800000, "0f3F800000", 32)


@pytest.mark.parametrize(
    ("opcode", "operands", "key"),
    [
        ("add.s32", (R1, R2, FIVE), "add"),
        ("add.sat.s32", (R1, R2, R3), "add.sat"),
        ("add.rn.ftz.f32", (F1, F2, ONE), "add.f32"),
        ("mul.wide.u32", (D1, R1, R2), "mul.wide"),
        ("mov.u32", (R1, Sreg("%tid.x", TYPES["u32"])), "mov"),
        ("mov.b64", (D1, Vec((R1, R2))), "mov.pack.b64.2"),
        ("mov.b64", (Vec((R1, Sink())), D1), "mov.unpack.b64.2"),
        ("mov.pred", (P1, Not(P2)), "mov.pred"),
        ("cvt.rn.bf16x2.f32", (R1, F1, F2), "cvt.pair"),
        ("cvt.rzi.s32.f32", (R1, F1), "cvt.to_int"),
        ("cvt.u64.u32", (D1, R1), "cvt"),
        ("setp.lt.s32", (P1, R1, R2), "setp"),
        ("setp.lt.and.s32", (Pair(P1, Sink()), R1, R2, Not(P2)), "setp"),
        ("ld.global.nc.v2.f32", (Vec((F1, F2)), Addr(D1, 8)), "ld.nc"),
        ("ld.acquire.gpu.u32", (R1, Addr(D1)), "ld.strong"),
        ("ld.global.L1::no_allocate.L2::cache_hint.b32", (R1, Addr(D1), D2), "ld"),
        ("st.shared.u8", (Addr(R1), R2), "st"),
        ("atom.global.add.u32", (R1, Addr(D1), FIVE), "atom.add"),
        ("atom.cas.b64", (D1, Addr(D2), D1, D2), "atom.cas"),
        ("bar.sync", (Imm(0, "0"),), "bar.sync"),
        ("bar.sync", (Imm(0, "0"), Imm(128, "128")), "bar.sync"),
        ("bra.uni", (Label("L"),), "bra"),
        ("shfl.sync.bfly.b32", (R1, R2, FIVE, R3, Imm(-1, "-1")), "shfl.sync"),
        ("fence.acq_rel.gpu", (), "fence"),
    ],
)
def test_the_row_that_fits(opcode: str, operands: tuple[Operand, ...], key: str) -> None:
    instance = bind(opcode, operands)
    assert instance.form.key == key
    assert check_rules(instance) == []
    shown = ", ".join(map(str, operands))
    assert instance.text() == (f"{opcode} {shown}" if shown else opcode)


def test_modifiers_types_and_counts() -> None:
    load = bind("ld.volatile.shared.v2.u64", (Vec((D1, D2)), Addr(R1)))
    assert (load.mod("space"), load.mod("vec"), load.mod("type")) == ("shared", "v2", "u64")
    assert (str(load.type_of("d")), load.count_of("d"), load.chosen("l2")) == ("u64", 2, False)
    fence = bind("fence.gpu", ())
    assert (fence.mod("sem"), fence.chosen("sem")) == ("acq_rel", False)


def test_registers_read_and_written() -> None:
    store = bind("st.global.v2.f32", (Addr(D1), Vec((F1, F2))))
    assert (store.registers("r"), store.registers("w")) == ([D1, F1, F2], [])
    compare = bind("setp.lt.and.s32", (Pair(P1, Sink()), R1, FIVE, Not(P2)))
    assert (compare.registers("r"), compare.registers("w")) == ([R1, P2], [P1])
    atom = bind("atom.add.u32", (R1, Addr(D1), R2))
    assert (atom.registers("r"), atom.registers("w")) == ([D1, R2], [R1])


@pytest.mark.parametrize(
    ("opcode", "operands", "code", "word"),
    [
        ("addd.s32", (R1, R2, R3), "PTX0100", "add"),
        ("add.s23", (R1, R2, R3), "PTX0101", ".s32"),
        ("mul.lo", (R1, R2, R3), "PTX0102", ".s32"),
        ("add.s32", (R1, R2), "PTX0103", "add<.type> d, a, b"),
        ("add.s32", (R1, R2, Addr(D1)), "PTX0104", "d, a, b"),
        ("add.s32", (R1, R2, D1), "PTX0105", ".s32"),
        ("add.s32", (F1, R2, R3), "PTX0105", ".s32"),
        ("add.s32", (R1, R2, Sreg("%tid.x", TYPES["u32"])), "PTX0104", ""),
        ("add.f32", (F1, F2, FIVE), "PTX0104", ""),
        ("add.s32", (R1, R2, ONE), "PTX0104", ""),
        ("ld.v4.f32", (Vec((F1, F2)), Addr(D1)), "PTX0106", "4"),
        ("ld.shared.u32", (R1, Addr(Symbol("x", "global"))), "PTX0108", ".shared"),
        ("ld.u32", (R1, Addr(F1)), "PTX0105", "integer"),
        ("ld.u32", (Sink(), Addr(D1)), "PTX0104", ""),
        ("bar.sync", (Imm(16, "16"),), "PTX0107", "15"),
        ("setp.lt.b32", (P1, R1, R2), "PTX0302", ".eq"),
        ("cvt.f32.f64", (F1, reg("%d", "f64")), "PTX0306", ".rn"),
    ],
)
def test_what_does_not_fit(opcode: str, operands: tuple[Operand, ...], code: str, word: str) -> None:
    with pytest.raises(Diagnostic) as raised:
        bind(opcode, operands)
    assert raised.value.code == code
    assert word in (raised.value.help or "")
    assert raised.value.isa or code == "PTX0100"


def test_needs_of_modifiers_types_and_spaces() -> None:
    def need(opcode: str, *operands: Operand) -> str:
        return str(bind(opcode, operands).need())

    assert need("ld.u32", R1, Addr(D1)) == "PTX 1.0"
    assert need("ld.shared::cluster.u32", R1, Addr(D1)) == "PTX 7.8, target sm_90 or newer"
    assert need("ld.global.L2::cache_hint.u32", R1, Addr(D1), D2) == "PTX 7.4, target sm_80 or newer"
    assert need("st.shared::cta.u32", Addr(R1), R2) == "PTX 7.8"
    found = check_needs(bind("tanh.approx.f32", (F1, F2)), Target.parse("sm_70"), (6, 5))
    assert [d.code for d in found] == ["PTX1001", "PTX1002"]


def test_lost_bits_are_a_warning() -> None:
    (found,) = check_rules(bind("add.u16", (H1, H1, Imm(70000, "70000"))))
    assert (found.code, found.severity) == ("PTX0107", Severity.WARNING)
    assert check_rules(bind("add.u16", (H1, H1, Imm(-1, "-1")))) == []


@pytest.mark.parametrize(
    ("register", "operand", "same", "wider"),
    [
        ("b32", "s32", True, True),
        ("u32", "s32", True, True),
        ("f32", "s32", False, False),
        ("f32", "b32", True, True),
        ("b32", "f32", True, True),
        ("b64", "u32", False, True),
        ("f64", "f32", False, False),
        ("b64", "f32", False, True),
        ("b16", "u32", False, False),
        ("pred", "b32", False, False),
        ("b16", "bf16", True, True),
        ("f16", "bf16", False, False),
        ("b32", "f16x2", True, True),
        ("u32", "f16x2", False, False),
        ("f16x2", "f16x2", True, True),
        ("f16x2", "u32", True, True),
        ("f16x2", "s16x2", True, True),
        ("u32", "s16x2", False, False),
        ("f16x2", "bf16x2", False, False),
        ("f16x2", "f32", False, False),
    ],
)
def test_registers_and_types(register: str, operand: str, same: bool, wider: bool) -> None:
    assert register_fits(TYPES[register], TYPES[operand]) is same
    assert register_fits(TYPES[register], TYPES[operand], wider=True) is wider


def test_every_row_stands_in_the_table() -> None:
    assert {f.key for rows in BY_ROOT.values() for f in rows} == set(FORMS)
    for form in FORMS.values():
        assert form.doc.endswith("."), form.key
        assert form.isa, form.key
        assert heads(form.slots[0].values[0]) is not None


def test_enumeration_is_the_same_every_time() -> None:
    form = FORMS["ld"]
    first, second = candidates(form, seed=3, limit=20), candidates(form, seed=3, limit=20)
    assert [c.text for c in first] == [c.text for c in second]
    assert [c.text for c in candidates(form, seed=4, limit=20)] != [c.text for c in first]
    verdicts = [verdict(c, Target.parse("sm_90a"), (9, 1)) for c in first]
    assert None in verdicts
    assert {"PTX0104", "PTX0105"} <= {d.code for d in verdicts if d is not None}


def test_special_registers() -> None:
    assert {"%tid.x", "%ntid.y", "%ctaid.z", "%laneid", "%clock64", "%cluster_ctarank", "%lanemask_lt"} <= set(SREGS)
    assert SREGS["%ctaid.x"].uniform
    assert not SREGS["%tid.x"].uniform
    assert (str(SREGS["%clock64"].type), str(SREGS["%is_explicit_cluster"].type)) == ("u64", "pred")


def test_an_instance_needs_no_operands_to_know_its_modifiers() -> None:
    ((form, mods),) = heads("mul.lo.s32")
    assert Instance(form, "mul.lo.s32", mods, {}).mod("part") == "lo"


@pytest.mark.parametrize(
    ("usual", "other"),
    [
        ("atom.acquire.cta.add.u32", "atom.add.acquire.cta.u32"),
        ("atom.relaxed.gpu.global.cas.b64", "atom.cas.relaxed.gpu.global.b64"),
        ("red.relaxed.gpu.global.add.noftz.f16x2", "red.global.noftz.add.gpu.relaxed.f16x2"),
        ("ld.acquire.sys.global.v2.f32", "ld.global.acquire.sys.v2.f32"),
        ("st.release.cta.shared::cta.b32", "st.b32.shared::cta.cta.release"),
        ("add.sat.s32", "add.s32.sat"),
        ("cvt.rzi.u32.f32", "cvt.u32.f32.rzi"),
        ("cp.async.ca.shared.global.L2::128B", "cp.async.shared.L2::128B.global.ca"),
        ("mbarrier.arrive.release.cta.shared.b64", "mbarrier.arrive.b64.shared.cta.release"),
        ("fence.proxy.async.global", "fence.proxy.global.async"),
        ("tensormap.replace.tile.rank.global.b1024.b32", "tensormap.replace.rank.b32.b1024.global.tile"),
        (
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes",
            "cp.async.bulk.tensor.shared::cluster.tile.global.mbarrier::complete_tx::bytes.2d",
        ),
    ],
)
def test_modifiers_stand_in_any_order(usual: str, other: str) -> None:
    assert heads(other) == heads(usual) != ()


@pytest.mark.parametrize(
    "opcode",
    [
        "atom.add.add.u32",
        "ld.global.u32.u32",
        "st.global",
        "atom.b32",
        "mul.u32.lo",
        "div.f32.full",
        "cp.bulk.async.commit_group",
        "cp.async.global.shared.ca",
        "mbarrier.b64.init",
        "fence.async.proxy",
        "barrier.cluster.aligned.arrive",
        "setmaxnreg.sync.inc.aligned.u32",
        "wmma.load.sync.a.aligned.m16n16k16.row.f16",
        "clusterlaunchcontrol.query_cancel.is_canceled.b128.pred",
    ],
)
def test_other_orders_and_lists_are_refused(opcode: str) -> None:
    assert heads(opcode) == ()
