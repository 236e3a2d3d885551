"""What columns of the litmus format take beyond plain accesses: registers of a wgmma as values, counts, types, vectors."""

from __future__ import annotations

import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.memory_model import Verdict, kernel

_WGMMA = """PTX accumulator
{{ .shared a = 2; .shared b = 3; .reg d = 0; x = 0; P0:r0 = 0; }}
P0@cta 0,gpu 0 ;
wgmma.fence.sync.aligned ;
wgmma.mma_async d, a, b ;
wgmma.commit_group.sync.aligned ;
{wait} ;
{steps} ;
{question}
"""
_WAIT = "wgmma.wait_group.sync.aligned 0"


def accumulator(steps: str, question: str = "locations [P0:r0; x; d;]", wait: str = _WAIT) -> Verdict:
    return px.litmus(_WGMMA.format(steps=steps, question=question, wait=wait))


@pytest.mark.parametrize(
    ("steps", "ends"),
    [
        ("mov r0, d", (5, 0, 5)),
        ("add r0, d, d", (10, 0, 5)),
        ("st.weak x, d", (0, 5, 5)),
        ("atom.relaxed.gpu.add r0, x, d", (0, 5, 5)),
        ("ld.weak r0, d", (5, 0, 5)),
        ("mov d, 7 ;\n mov r0, d", (7, 0, 7)),
        ("add d, d, 1", (0, 0, 6)),
        ("beq d, 5, L0 ;\n mov r0, 1 ;\n L0: ", (0, 0, 5)),
        ("bne d, 5, L0 ;\n mov r0, 1 ;\n L0: ", (1, 0, 5)),
    ],
)
def test_registers_of_a_wgmma_are_read_and_written_as_values(steps: str, ends: tuple[int, int, int]) -> None:
    found = accumulator(steps)
    assert [tuple(state.values()) for state in found.states] == [ends]
    assert found.race is None


@pytest.mark.parametrize("steps", ["mov r0, d", "add d, d, 1", "st.weak x, d"])
def test_they_race_with_a_wgmma_that_nobody_waits_for(steps: str) -> None:
    assert accumulator(steps, wait="mov r3, 0").race is not None


@pytest.mark.parametrize(("steps", "end"), [("mov r0, d", 5), ("add d, d, 1 ;\n mov r0, d", 6)])
def test_their_kernel_does_the_same(steps: str, end: int) -> None:
    found = accumulator(steps, "locations [P0:r0;]")
    made = kernel(found.program)
    module = px.parse(made.text)
    px.simulate(module["litmus"], **made.shape, args=[], lints=False)
    assert made.outcome(found.names, lambda name: module.symbol(name)[:]) == (end,)


@pytest.mark.parametrize(("through", "align"), [("tensor.1d.", 128), ("", 16)])
def test_what_a_tensor_map_brings_is_aligned_to_128_bytes(through: str, align: int) -> None:
    source = "[map, {0}]" if through else "[x], 16"
    test = f"""PTX copy
    {{ x = 7; map = x; .shared s = 0; .mbarrier m = 1; }}
    P0@cta 0,gpu 0 ;
    mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [m], 16 ;
    cp.async.bulk.{through}shared::cluster.global.mbarrier::complete_tx::bytes [s], {source}, [m] ;
    locations [x;]
    """
    text = kernel(test).text
    assert f".shared .align {align} .b8 s_s[16];" in text
    px.parse(text)


def _forms(steps: list[list[str]], question: str) -> tuple[str, str]:
    """A test of threads of one CTA, in columns and as PTX; x is in global memory, registers are r0 … r3."""
    heads = " | ".join(f"P{i}@cta 0,gpu 0" for i in range(len(steps)))
    rows = "\n".join(" | ".join(row) + " ;" for row in zip(*steps, strict=True))
    columns = f"PTX columns\n{{ x = 0; }}\n{heads} ;\n{rows}\n{question}\n"
    entries = "\n".join(
        f".entry P{i}() {{ .reg .b32 r<4>; {' '.join(f'{step};' for step in thread if step)} ret; }}"
        for i, thread in enumerate(steps)
    )
    head = ".version 8.0\n.target sm_90a\n.address_size 64\n.global .align 16 .b32 x[4];\n"
    return columns, f"// {heads}\n// {question}\n{head}{entries}\n"


@pytest.mark.parametrize("name", ["bar", "barrier", "barrier.cta"])
@pytest.mark.parametrize(
    ("others", "hangs", "allowed"),
    [
        ([".sync 1, 64", ".sync 1, 64", ""], False, False),
        ([".sync 1, 96", ".sync 1, 96", ".arrive 1, 96"], False, False),
        ([".sync 1, 64", ".arrive 1, 64", ""], False, True),
        ([".sync 1, 96", ".sync 1, 96", ""], True, False),
        ([".sync 1", ".sync 1", ""], True, False),
        ([".sync 1", ".sync 1", ".sync 1"], False, False),
    ],
)
def test_a_barrier_counts_the_same_in_both_forms(name: str, others: list[str], hangs: bool, allowed: bool) -> None:
    barriers = [f"{name}{step}" if step else "" for step in others]
    steps = [
        ["st.global.b32 [x], 1", barriers[0], ""],
        ["", barriers[1], "ld.global.b32 r0, [x]"],
        ["", barriers[2], ""],
    ]
    for found in map(px.litmus, _forms(steps, "exists (P1:r0 == 0)")):
        assert (found.hang is not None, found.holds) == (hangs, allowed)


_STORES = ["st.global.b32 [x], 1", ""]


@pytest.mark.parametrize(
    ("load", "question", "name"),
    [
        ("ld.global.b32 r0, [x]", "exists (P1:r1 == 0)", "r1"),
        ("ld.global.b32 r0, [x]", "exists (P0:r0 == 0)", "r0"),
        ("ld.global.b32 r0, [x]", "exists (P2:r0 == 0)", "P2"),
        ("ld.global.b32 r0, [x]", "exists (y == 0)", "y"),
        ("st.global.b32 [x], r2", "exists (x == 0)", "r2"),
        ("add.u32 r0, r2, 1", "exists (P1:r0 == 1)", "r2"),
    ],
)
def test_what_nothing_writes_is_refused_in_both_forms(load: str, question: str, name: str) -> None:
    for made in _forms([_STORES, [load, ""]], question):
        with pytest.raises(Diagnostic) as wrong:
            px.litmus(made.replace("add.u32", "add") if made.startswith("PTX") else made)
        assert wrong.value.code == "PTX0600"
        assert name in wrong.value.message
        assert wrong.value.help
        assert wrong.value.span is not None


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        ("st.weak y, 1", "y"),
        ("ld.weak r0, y", "y"),
        ("st.weak x, y", "y"),
        ("ld.weak r0, r1", "r1"),
        ("atom.relaxed.gpu.add r0, y, 1", "y"),
        ("beq r1, 0, L0 ;\n L0:", "r1"),
        ("mbarrier.arrive.release.cta.shared::cta.b64 _, [m]", "m"),
    ],
)
def test_names_that_a_column_does_not_declare(cell: str, name: str) -> None:
    with pytest.raises(Diagnostic) as wrong:
        px.litmus(f"PTX names\n{{ x = 0; }}\nP0@cta 0,gpu 0 ;\n{cell} ;\nexists (x == 0)\n")
    assert (wrong.value.code, wrong.value.span is not None and wrong.value.span.line) == ("PTX0600", 4)
    assert f" {name}" in wrong.value.message
    assert f"{{ {name} = 0; }}" in (wrong.value.help or "")


def test_a_register_that_has_a_value_at_the_start_may_be_read() -> None:
    found = px.litmus(
        "PTX held\n{ x = 0; P0:r1 = 4; }\nP0@cta 0,gpu 0 ;\nst.weak x, r1 ;\nexists (x == 4 /\\ P0:r1 == 4)\n"
    )
    assert found.holds


def _one(*cells: str, question: str, declared: str = "x = 0; x+4 = 5; x+8 = 6; x+12 = 7;") -> Verdict:
    body = "".join(f"{cell} ;\n" for cell in cells)
    return px.litmus(f"PTX one\n{{ {declared} }}\nP0@cta 0,gpu 0 ;\n{body}{question}\n")


@pytest.mark.parametrize("typed", ["u32", "s32", "b32", "f32", "u64", "s64", "b64", "f64"])
@pytest.mark.parametrize("space", ["", ".global"])
def test_accesses_have_types_in_the_format_s_own_spelling(typed: str, space: str) -> None:
    """Without brackets and with them."""
    for place in ("x", "[x]"):
        register = "rd1" if "64" in typed else "r1"
        cells = (
            f"st.relaxed.gpu{space}.{typed} {place}, {register}",
            f"ld.relaxed.gpu{space}.{typed} {register}, {place}",
        )
        assert _one(
            *cells, question=f"forall (P0:{register} == 3 /\\ x == 3)", declared=f"x = 0; P0:{register} = 3;"
        ).holds


@pytest.mark.parametrize(
    ("cell", "end"),
    [
        ("atom.relaxed.gpu.add.u32 r1, x, 2", 7),
        ("atom.relaxed.gpu.add.u64 rd1, x, 2", 7),
        ("atom.acq_rel.gpu.exch.b32 r1, x, 9", 9),
        ("atom.relaxed.gpu.cas.b32 r1, x, 5, 8", 8),
        ("atom.relaxed.gpu.max.s32 r1, x, 6", 6),
        ("red.relaxed.gpu.add.u32 x, 4", 9),
        ("atom.relaxed.gpu.minus.u32 r1, x, 1", 4),
    ],
)
def test_atomic_operations_have_types_too(cell: str, end: int) -> None:
    assert _one(cell, question=f"forall (x == {end})", declared="x = 5;").holds


@pytest.mark.parametrize("place", ["x", "[x]"])
def test_a_vector_is_an_access_to_each_element(place: str) -> None:
    space = ".global" if "[" in place else ""
    found = _one(
        f"st.weak{space}.v2.b32 {place}, {{1, 2}}",
        f"ld.weak{space}.v4.u32 {{r0, r1, _, r3}}, {place}",
        question="forall (P0:r0 == 1 /\\ P0:r1 == 2 /\\ P0:r3 == 7 /\\ x+4 == 2 /\\ x+8 == 6)",
    )
    assert found.holds


def test_elements_of_a_vector_are_read_one_by_one() -> None:
    text = """PTX torn
    { x = 0; x+4 = 0; }
    P0@cta 0,gpu 0                 | P1@cta 1,gpu 0                      ;
    st.relaxed.gpu.v2.b32 x, {1, 2} | ld.relaxed.gpu.v2.b32 {r0, r1}, x ;
    locations [P1:r0; P1:r1;]
    """
    found = px.litmus(text)
    assert {tuple(s.values()) for s in found.states} == {(0, 0), (0, 2), (1, 0), (1, 2)}
    assert found.race is None
    assert px.litmus(text.replace("relaxed.gpu", "weak")).race is not None


def test_vectors_in_ptx_by_the_name_of_an_array_and_by_a_register() -> None:
    steps = ["mov.u64 rd0, x", "st.global.v2.b32 [rd0+8], {3, 4}", "ld.global.v2.b32 {r0, r1}, [x+8]"]
    _, text = _forms([steps], "forall (P0:r0 == 3 /\\ P0:r1 == 4 /\\ x == 0 /\\ x+12 == 4)")
    assert px.litmus(text.replace("r<4>;", "r<4>; .reg .b64 rd<2>;")).holds


def test_a_vector_that_acquires_is_refused() -> None:
    """Its elements come in no order, so that one of them orders nothing of the others."""
    with pytest.raises(Diagnostic) as wrong:
        _one("ld.acquire.gpu.v2.b32 {r0, r1}, x", question="exists (x == 0)")
    assert wrong.value.code == "PTX0602"
    assert _one("ld.volatile.v2.b32 {r0, r1}, x", question="exists (P0:r1 == 5)").holds


@pytest.mark.parametrize(
    ("cell", "name"), [("st.weak.v2.b32 y, {1, 2}", "y+4"), ("ld.weak.v4.b32 {r0, r1, r2, r3}, y", "y+4")]
)
def test_elements_have_to_be_declared(cell: str, name: str) -> None:
    with pytest.raises(Diagnostic) as wrong:
        _one(cell, question="exists (y == 0)", declared="y = 0;")
    assert wrong.value.code == "PTX0600"
    assert wrong.value.help == f"write {{ {name} = 0; }} at the start"


def test_types_that_overlap_in_part_are_refused() -> None:
    with pytest.raises(Diagnostic) as wrong:
        _one("st.weak.b64 x, 1", "ld.weak.b32 r0, x", question="exists (x == 0)")
    assert wrong.value.code == "PTX0602"


@pytest.mark.parametrize("first", ["_", "r1"])
def test_a_thread_stands_for_the_lane_that_is_elected(first: str) -> None:
    steps = [
        [f"elect.sync {first}|p0, -1", "setmaxnreg.dec.sync.aligned.u32 40", "@p0 st.global.b32 [x], 1"],
        ["", "", ""],
    ]
    _, text = _forms(steps, "forall (x == 1)")
    assert px.litmus(text.replace("sm_90", "sm_90a").replace("r<4>;", "r<4>; .reg .pred p0;")).holds
    column = _one(
        f"elect.sync {first}|p0, -1",
        "setmaxnreg.inc.sync.aligned.u32 240",
        "beq p0, 0, L0",
        "st.weak x, 1",
        "L0:",
        question="forall (x == 1)",
    )
    assert column.holds


def test_a_bar_between_two_destinations_ends_no_cell() -> None:
    found = px.litmus("""PTX cells
    { x = 0; }
    P0@cta 0,gpu 0        | P1@cta 0,gpu 0       ;
    elect.sync r0|p0, -1|st.weak x, 1 ;
    bar.cta.sync 1, 1|bar.cta.sync 1, 1 ;
    ld.weak r1, x|mov r1, 3 ;
    forall (P0:r1 == 1 /\\ P0:p0 == 1)
    """)
    assert found.holds
