"""Asynchronous operations and their proxies: each rule with a test that it allows and one that it forbids, decided in two ways."""

from __future__ import annotations

import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.memory_model import parse
from ptxlab.memory_model.decision import DECIDERS, decide
from ptxlab.memory_model.examples import RULES

_NO_RACE = {"mapa", "mbarrier.arrive_drop"}
"""Rules that say what happens, and not what is ordered."""


@pytest.mark.parametrize("decider", DECIDERS)
@pytest.mark.parametrize("name", RULES)
def test_a_rule_separates_its_two_examples(name: str, decider: str) -> None:
    pair = RULES[name]
    allowed, forbidden = (decide(parse(t), decider=decider) for t in (pair.allowed, pair.forbidden))
    assert allowed.holds, f"{name}: the model forbids what it should allow\n{allowed}"
    assert allowed.race is not None or name in _NO_RACE, f"{name}: what is allowed is no data race\n{allowed}"
    assert forbidden.holds is False, f"{name}: the model allows what it should forbid\n{forbidden}"


def test_the_missing_proxy_fence_is_named() -> None:
    text = str(px.litmus(RULES["TMA store after st.shared"].allowed))
    assert "no proxy fence orders a before" in text
    assert "a is in the generic proxy" in text


_WAIT = """PTX wait
{{ x = 1; .shared s = 0; .mbarrier m = 1; }}
 P0@cta 0,gpu 0 ;
 mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [m], {bytes} ;
 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [x], 16, [m] ;
 LC00: ;
 mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p0, [m], {parity} ;
 beq p0, 0, LC00 ;
 ld.weak r0, s ;
exists (P0:r0 == 0)
"""


@pytest.mark.parametrize(
    ("bytes", "parity", "allowed", "hangs"), [(16, 0, False, False), (32, 0, False, True), (16, 1, True, True)]
)
def test_a_wait_on_an_mbarrier(bytes: int, parity: int, allowed: bool, hangs: bool) -> None:
    verdict = px.litmus(_WAIT.format(bytes=bytes, parity=parity))
    assert (verdict.holds, verdict.hang is not None) == (allowed, hangs)


_INIT = """PTX init
{{ .shared s @ cta 0 = 0; .shared t @ cta 1 = 0; .mbarrier m; }}
 P0@cta 0,cluster 0,gpu 0 | P1@cta 1,cluster 0,gpu 0 ;
 mbarrier.init.shared::cta.b64 [m], 1 | ;
 {fence} | ;
 barrier.cluster.arrive.{order} | barrier.cluster.arrive.{order} ;
 barrier.cluster.wait.acquire | barrier.cluster.wait.acquire ;
 | {use} ;
"""
_STORE = "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [s], 1, [m]"
_COPY = "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [s], [t], 16, [m]"


@pytest.mark.parametrize(
    ("fence", "order", "use", "race"),
    [
        *(
            ("fence.mbarrier_init.release.cluster", order, use, False)
            for order in ("relaxed", "release")
            for use in (_STORE, _COPY)
        ),
        ("", "relaxed", _STORE, True),
        ("", "relaxed", _COPY, True),
        ("", "release", _STORE, False),  # it stays in the generic proxy
        ("", "release", _COPY, True),
    ],
)
def test_an_mbarrier_is_initialised_for_others(fence: str, order: str, use: str, race: bool) -> None:
    assert (px.litmus(_INIT.format(fence=fence, order=order, use=use)).race is not None) == race


_FENCE = """PTX fence
{{ .shared x @ cta 0 = 0; .shared t @ cta 1 = 0; .mbarrier m @ cta 0 = 1; }}
 P0@cta 0,cluster 0,gpu 0 | P1@cta 1,cluster 0,gpu 0 ;
 st.weak x, 1 | ;
 {home} | ;
 barrier.cluster.arrive.release | barrier.cluster.arrive.release ;
 barrier.cluster.wait.acquire | barrier.cluster.wait.acquire ;
 | {issuer} ;
 | cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [x], [t], 16, [m] ;
"""


@pytest.mark.parametrize(
    ("home", "issuer", "race"),
    [
        ("", "", True),
        ("fence.proxy.async", "", False),
        ("fence.proxy.async.shared::cta", "", False),
        ("fence.proxy.async.global", "", True),
        ("", "fence.proxy.async", False),
        ("", "fence.proxy.async.shared::cluster", False),
        ("", "fence.proxy.async.shared::cta", True),
    ],
)
def test_a_fence_stands_where_the_copy_is_issued_or_where_its_memory_is(home: str, issuer: str, race: bool) -> None:
    assert (px.litmus(_FENCE.format(home=home, issuer=issuer)).race is not None) == race


_MAP = """PTX map
{{ x = 1; y = 2; map = x; flag = 0; .shared copy = y; .shared s = 0; .mbarrier m = 1; }}
 P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;
 {publish} | ld.acquire.gpu r0, flag ;
 st.release.gpu flag, 1 | fence.proxy.tensormap::generic.acquire.gpu [map], 128 ;
 | mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [m], 16 ;
 | cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes [s], [map, {{0}}], [m] ;
 | mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p0, [m], 0 ;
 | ld.weak r1, s ;
filter (P1:r0 == 1 /\\ P1:p0 == 1)
exists (P1:r1 == 1)
"""
_PUBLISH = "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.{}.sync.aligned [map], [copy], 128"


@pytest.mark.parametrize(
    ("publish", "stale"), [(_PUBLISH.format("gpu"), False), (_PUBLISH.format("cta"), True), ("st.weak map, y", True)]
)
def test_a_tensor_map_is_published_by_its_copy(publish: str, stale: bool) -> None:
    verdict = px.litmus(_MAP.format(publish=publish))
    assert verdict.outcomes
    assert verdict.holds == stale


def test_an_mbarrier_that_nothing_initialises_is_refused() -> None:
    with pytest.raises(Diagnostic) as wrong:
        px.litmus(
            _INIT.format(fence="", order="release", use=_STORE).replace("mbarrier.init.shared::cta.b64 [m], 1", "")
        )
    assert wrong.value.code == "PTX0602"
    assert "nothing initialises" in wrong.value.message
