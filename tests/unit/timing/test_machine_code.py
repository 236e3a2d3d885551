"""Machine code: its instructions by name, and what the scheduler is told of each."""

from __future__ import annotations

from itertools import pairwise

import pytest

from ptxlab.cuda import ptxas
from ptxlab.diag import Diagnostic
from ptxlab.timing.machine_code import MachineInstruction, machine_code, opcode_names

TEXT = """
.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 x)
{{
  .reg .u64 %p; .reg .f32 %f<3>;
  ld.param.u64 %p, [x];
  ld.global.f32 %f0, [%p];
  ld.global.f32 %f1, [%p+4];
  {body}
  st.global.f32 [%p], %f0;
  ret;
}}
.visible .entry empty() {{ ret; }}
"""
WITH_PTXAS = pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")


def code(body: str) -> list[MachineInstruction]:
    found = machine_code(ptxas.assemble(TEXT.format(body=body), "sm_90a").cubin)
    assert sorted(found) == ["empty", "k"]
    assert all(not one.name.startswith("0x") for one in found["k"])
    return found["k"]


@WITH_PTXAS
@pytest.mark.ptxas
def test_a_chain_of_additions_is_spaced_by_its_stalls() -> None:
    chain = [one for one in code("add.rn.f32 %f0, %f0, %f1; " * 16) if one.name == "FADD"]
    assert len(chain) == 16
    assert [one.address for one in chain] == list(range(chain[0].address, chain[0].address + 16 * 16, 16))
    assert len({one.stall for one in chain[:-1]}) == 1
    assert chain[0].stall >= 4
    assert all(one.written is None and not one.waits for one in chain[1:])


@WITH_PTXAS
@pytest.mark.ptxas
def test_results_that_take_longer_set_a_counter_that_others_wait_for() -> None:
    found = code("ex2.approx.ftz.f32 %f0, %f0; " * 4)
    loads = [one for one in found if one.name == "LDG"]
    chain = [one for one in found if one.name == "MUFU"]
    assert all(one.written is not None for one in (*loads, *chain))
    assert any(one.written in chain[0].waits for one in loads)
    for one, following in pairwise(chain):
        assert one.written in following.waits


def test_what_is_no_cubin() -> None:
    for wrong in (b"", b".version 8.0", b"\x7fELF\x02", b"\x7fELF\x02" + bytes(60) + b"\xff" * 40):
        with pytest.raises(Diagnostic) as raised:
            machine_code(wrong)
        assert raised.value.code == "PTX2416"


def test_names_are_those_of_the_disassembler() -> None:
    names = opcode_names()
    assert {"IADD3", "FFMA", "MUFU", "HGMMA", "UTMALDG", "SYNCS", "LDSM", "BAR", "SHFL"} <= set(names.values())
    assert all(0 <= bits < 1 << 12 for bits in names)


@WITH_PTXAS
@pytest.mark.ptxas
def test_lines_branches_and_predicates_are_read() -> None:
    text = TEXT.format(
        body="""again: ex2.approx.ftz.f32 %f0, %f0;
  setp.lt.f32 %q, %f0, %f1;
  @%q bra again;"""
    ).replace(".reg .f32 %f<3>;", ".reg .f32 %f<3>; .reg .pred %q;")
    found = machine_code(ptxas.assemble(text, "sm_90a", lined=True).cubin)["k"]
    lines = text.split("\n")
    (special,) = [one for one in found if one.name == "MUFU"]
    assert "ex2" in lines[special.line - 1]
    loop = next(one for one in found if one.name == "BRA" and one.guarded)
    assert loop.target is not None
    assert loop.target <= special.address < loop.address
    without = machine_code(ptxas.assemble(text, "sm_90a").cubin)["k"]
    assert all(one.line == 0 for one in without)
    assert [one.name for one in without] == [one.name for one in found]
