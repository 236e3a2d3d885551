"""What the sanitizer knows of a program's instructions: made once for a program, and from all of them."""

from __future__ import annotations

import ptxlab as px
from ptxlab.sim.engine.decoded.decode import Image, image_of
from ptxlab.sim.order.sites import sites_of

HEAD = (
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n"
    "{ .reg .b32 %r; .reg .b16 %h; .reg .b64 %rd; .shared .align 16 .b32 tile[32];\n"
)


def image(body: str) -> Image:
    return image_of(px.parse(f"{HEAD}{body}\nret;\n}}", "k.ptx")["k"].program)


def test_a_program_is_looked_at_once() -> None:
    program = image("st.shared.b32 [tile], 1;")
    assert sites_of(program, strict=False) is sites_of(program, strict=False)
    assert sites_of(program, strict=False) is not sites_of(program, strict=True)
    assert sites_of(image("st.shared.b32 [tile], 1;"), strict=False) is not sites_of(program, strict=False)


def test_a_granule_is_the_shortest_access() -> None:
    assert sites_of(image("st.shared.b32 [tile], 1; ld.shared.u16 %h, [tile];"), strict=False).granule == 2
    assert sites_of(image("st.shared.v2.b32 [tile], {%r, %r};"), strict=False).granule == 4


def test_only_what_accesses_or_orders_memory_has_a_prologue() -> None:
    sites = sites_of(image("mov.b32 %r, 1; st.shared.b32 [tile], 1; bar.sync 0; membar.gl;"), strict=False)
    found = [pc for places in sites.prologues.values() for pc in places]
    assert sorted(found) == [sites.points[1], sites.points[3]]


def test_shared_memory_has_granules_of_its_own_where_nothing_reaches_less_than_16_bytes() -> None:
    whole = "st.shared.v4.b32 [tile], {%r, %r, %r, %r};"
    assert sites_of(image(whole), strict=False).shared_granule == 16
    assert sites_of(image(f"{whole} ld.local.b32 %r, [0];"), strict=False).shared_granule == 16
    for less in ("ld.shared.b32 %r, [tile];", "ld.b32 %r, [%rd];", "cp.async.ca.shared.global [tile], [%rd], 8;"):
        assert sites_of(image(f"{whole} {less}"), strict=False).shared_granule == 4, less
