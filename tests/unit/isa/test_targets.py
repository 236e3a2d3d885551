"""Needs: what they ask of targets and versions, together and in place of one another."""

from __future__ import annotations

import pytest

import ptxlab.isa  # noqa: F401  the rows
from ptxlab.checks import check
from ptxlab.isa.bind import bind, check_needs
from ptxlab.isa.operands import Reg
from ptxlab.isa.targets import Need, Target, only, ptx, released, sm
from ptxlab.isa.types import TYPES

EITHER = ptx(7, 8) & sm(90) | ptx(8, 1) & sm(89)


@pytest.mark.parametrize(
    ("target", "version"), [("sm_89", (8, 1)), ("sm_90", (7, 8)), ("sm_90a", (7, 8)), ("sm_120a", (7, 8))]
)
def test_of_alternatives_the_oldest_version_that_the_target_allows_counts(
    target: str, version: tuple[int, int]
) -> None:
    assert EITHER.target_ok(Target.parse(target))
    assert EITHER.on(Target.parse(target)).version == version


def test_no_alternative_serves_an_older_target() -> None:
    assert not EITHER.target_ok(Target.parse("sm_80"))
    assert EITHER.targets == "sm_90 or sm_89"
    assert str(EITHER) == "PTX 7.8, target sm_90 or newer; or PTX 8.1, target sm_89 or newer"


def test_both_sides_of_an_and_may_have_alternatives() -> None:
    both = EITHER & (ptx(8, 0) | only("100a"))
    assert len(both.alternatives) == 4
    assert both.on(Target.parse("sm_89")).version == (8, 1)
    assert both.on(Target.parse("sm_100a")).version == (7, 8)
    assert (sm(80) & ptx(7, 0)) == Need((7, 0), 80)


@pytest.mark.parametrize(
    ("target", "version", "codes"),
    [
        ("sm_89", (8, 0), ["PTX1002"]),
        ("sm_89", (8, 1), []),
        ("sm_90", (7, 8), []),
        ("sm_80", (7, 8), ["PTX1001"]),
    ],
)
def test_eight_bit_floats_came_to_two_targets_at_two_times(
    target: str, version: tuple[int, int], codes: list[str]
) -> None:
    made = bind("cvt.rn.f16x2.e4m3x2", (Reg("%r1", TYPES["b32"]), Reg("%h1", TYPES["b16"])))
    found = check_needs(made, Target.parse(target), version)
    assert [d.code for d in found] == codes


def test_both_sides_of_an_and_may_name_releases() -> None:
    both = released((13, 1), (13, 4)) & released((13, 2), (13, 5))
    assert both.releases == ((13, 2), (13, 4))
    assert (sm(90) & released((13, 2), (13, 5))).releases == ((13, 2), (13, 5))


_COPY = (
    ".version 9.3\n.target {target}\n.address_size 64\n.entry k() {{ .reg .b64 %a; .reg .b32 %n; cp.async.bulk.relaxed.gpu{space}"
    ".global.mbarrier::complete_tx::bytes.b128 [%a], [%a], %n, [%a]; ret; }}\n"
)


@pytest.mark.parametrize(
    ("target", "legal"),
    [("sm_90", False), ("sm_90a", True), ("sm_100", False), ("sm_103f", True), ("sm_110a", True), ("sm_120a", False)],
)
def test_relaxed_copies_into_a_cluster_are_of_single_architectures(target: str, legal: bool) -> None:
    found = check(_COPY.format(target=target, space=".shared::cluster"), lints=False)
    assert [d.severity for d in found] == ([] if legal else ["error"])
    assert check(_COPY.format(target=target, space=".shared::cta"), lints=False) == []
