"""What may meet at a barrier of the CTA: on an H100, one count, written alike, and one kind. All else is an illegal instruction."""

from __future__ import annotations

import numpy as np
import pytest

from ptxlab.diag import Diagnostic

from ...launching import launch

FAMILIES = ("bar", "barrier", "bar.cta", "barrier.cta")
REDUCTIONS = ("red.and.pred %z, 1{}, %q", "red.or.pred %z, 1{}, %q", "red.popc.u32 %n, 1{}, %q")
HEAD = """.visible .entry k(.param .u64 a)
{
  .reg .b64 %a;  .reg .pred %p, %q, %z;  .reg .b32 %t, %w, %n, %count, %other, %one;
  ld.param.u64 %a, [a];  mov.u32 %t, %tid.x;  shr.u32 %w, %t, 5;  setp.eq.u32 %q, %t, %t;
  mov.u32 %count, 64;  mov.u32 %other, 128;  mov.u32 %one, 1;
"""


def meet(*does: str) -> list[int]:
    """What each warp does; behind it, it stores 1."""
    ops = enumerate(f"{op};" if op else "" for op in does)
    arms = "".join(f"  setp.eq.u32 %p, %w, {w};  @!%p bra n{w};\n  {op}\nn{w}:\n" for w, op in ops)
    out = np.zeros(4, "u8")
    text = HEAD + arms + "  mad.wide.u32 %a, %w, 8, %a;  st.global.u64 [%a], 1;  ret;\n}\n"
    launch(text, [out], block=(32 * len(does), 1, 1), max_instructions=1 << 20)
    return out.tolist()


def refused(*does: str) -> Diagnostic:
    with pytest.raises(Diagnostic) as wrong:
        meet(*does)
    assert wrong.value.code == "PTX9028", wrong.value
    return wrong.value


def kinds(count: str) -> list[str]:
    """Everything that waits or arrives at barrier 1, with this count."""
    plain = [
        f"{family}.{verb} 1{count}" for family in FAMILIES for verb in ("sync", "arrive") if count or verb == "sync"
    ]
    return plain + [f"{family}.{red.format(count)}" for family in FAMILIES for red in REDUCTIONS]


@pytest.mark.parametrize("second", kinds(", 128"))
@pytest.mark.parametrize("first", kinds(", 64"))
def test_two_counts(first: str, second: str) -> None:
    found = refused(first, second, "", "")
    assert all(f" {n} threads" in found.message for n in (64, 128))
    assert "in line" in found.message
    assert found.span is not None
    assert found.help


@pytest.mark.parametrize("second", ["bar.sync 1, %other", "barrier.cta.sync %one, %other", "bar.sync 1, 96"])
def test_counts_in_registers(second: str) -> None:
    assert "counts 64 threads" in refused("bar.sync %one, %count", second, "", "").message


@pytest.mark.parametrize("all_of_them", [", 64", ", %count"])
@pytest.mark.parametrize("turn", [1, -1])
def test_a_count_that_is_left_out_is_another_one(all_of_them: str, turn: int) -> None:
    found = refused(*("bar.sync 1", f"bar.sync 1{all_of_them}")[::turn])
    assert "all threads of the CTA" in found.message
    assert found.help is not None
    assert "or to none" in found.help


def _kind(op: str) -> list[str]:
    return op.split(" ")[0].split(".")[1:3]


@pytest.mark.parametrize("first", ["bar.sync 1, 64", *(f"bar.{r.format(', 64')}" for r in REDUCTIONS)])
@pytest.mark.parametrize("second", ["barrier.sync 1, 64", *(f"barrier.{r.format(', 64')}" for r in REDUCTIONS)])
def test_two_kinds(first: str, second: str) -> None:
    same = _kind(first) == _kind(second)
    if same:
        assert meet(first, second) == [1, 1, 0, 0]
    else:
        assert "cannot meet at one barrier" in refused(first, second).message


def test_counts_may_change_between_phases() -> None:
    assert meet("bar.sync 1, 64; bar.sync 1, 96", "bar.sync 1, 64; bar.sync 1, 96", "bar.sync 1, 96") == [1, 1, 1, 0]


def test_one_count_written_in_two_ways() -> None:
    assert meet("bar.sync 1, 64", "bar.sync %one, %count") == [1, 1, 0, 0]
    assert meet("bar.arrive 1, 64", "barrier.cta.sync 1, %count") == [1, 1, 0, 0]
