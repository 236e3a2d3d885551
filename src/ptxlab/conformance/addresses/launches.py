"""The kernels that ask what special registers and instructions of clusters give under every way to launch.

| name | asks |
|---|---|
| registers/WAY | the special registers of every CTA, in a grid with three extents |
| threads/BLOCK | the special registers of every thread of a CTA |
| INSTRUCTION/WAY | what an instruction of clusters does where a cluster is one CTA |
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, Final

from ptxlab.conformance.addresses.probes import MARK, Probe
from ptxlab.isa.sregs import SREGS
from ptxlab.isa.targets import Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np

    from ptxlab.abi.record import Dim3

_VERSION: Final = (8, 7)
_TARGET: Final = Target.parse("sm_90a")
_HEAD: Final = f".version {_VERSION[0]}.{_VERSION[1]}\n.target {_TARGET}\n.address_size 64\n"


@dataclass(frozen=True, slots=True)
class Way:
    """A way to launch: `directives` of the kernel; grid, block, and the cluster that the call names, if it does."""

    directives: str = ""
    grid: Dim3 = (3, 2, 2)
    block: Dim3 = (5, 3, 3)
    named: Dim3 | None = None
    cooperative: bool = False
    shared: int = 0


WAYS: Final = {
    "no cluster": Way(),
    "no cluster, a row": Way(grid=(7, 1, 1), block=(64, 1, 1), shared=1000),
    "named 1,1,1": Way(named=(1, 1, 1)),
    "named 2,1,1": Way(grid=(4, 3, 2), named=(2, 1, 1)),
    "named 1,2,1": Way(grid=(3, 4, 2), named=(1, 2, 1)),
    "named 1,1,2": Way(grid=(3, 2, 4), named=(1, 1, 2), shared=5000),
    "named 2,2,2": Way(grid=(4, 4, 4), named=(2, 2, 2)),
    "named 4,2,1": Way(grid=(8, 4, 3), named=(4, 2, 1)),
    "required 1,1,1": Way(".reqnctapercluster 1, 1, 1"),
    "required 2,1,1": Way(".reqnctapercluster 2, 1, 1", grid=(4, 3, 2)),
    "required 1,2,2": Way(".reqnctapercluster 1, 2, 2", grid=(2, 4, 6)),
    "required and named 1,1,1": Way(".reqnctapercluster 1, 1, 1", named=(1, 1, 1)),
    "required and named 2,1,1": Way(".reqnctapercluster 2, 1, 1", grid=(4, 3, 2), named=(2, 1, 1)),
    "explicit 1,1,1": Way(".explicitcluster", named=(1, 1, 1)),
    "explicit 2,2,1": Way(".explicitcluster", grid=(4, 4, 3), named=(2, 2, 1)),
    "explicit, required 2,1,1": Way(".explicitcluster .reqnctapercluster 2, 1, 1", grid=(4, 3, 2)),
    "at most 4, none": Way(".maxclusterrank 4"),
    "at most 4, named 2,1,1": Way(".maxclusterrank 4", grid=(4, 3, 2), named=(2, 1, 1)),
    "cooperative": Way(cooperative=True),
    "cooperative, named 2,1,1": Way(grid=(4, 3, 2), named=(2, 1, 1), cooperative=True),
}
_ONE_CTA: Final = ("no cluster", "named 1,1,1", "required 1,1,1")

_UNSTEADY: Final = ("%warpid", "%smid", "%gridid", "%current_graph_exec", "%envreg", "%clock", "%globaltimer", "%pm")
STEADY: Final = tuple(
    name
    for name, of in SREGS.items()
    if not name.startswith(_UNSTEADY)
    and not name.endswith(".w")
    and of.need.version <= _VERSION
    and of.need.target_ok(_TARGET)
)
"""Special registers that depend on the launch alone: not on the time, the place where a CTA runs, nor on the driver. Fourth
elements are left out: ptxas writes 0 for them. So are those that came after the kernels' PTX version."""


@dataclass(frozen=True, slots=True)
class Launched(Probe):
    """A kernel and the way that it is launched; its answers are u64 [rows, labels]."""

    way: Way = Way()
    rows: int = 1

    @property
    def extents(self) -> dict[str, Any]:
        """Of the launch."""
        w = self.way
        return {
            "grid": w.grid,
            "block": w.block,
            "cluster": w.named,
            "shared": w.shared,
            **({"cooperative": True} if w.cooperative else {}),
        }

    def arrays(self) -> tuple[list[np.ndarray], np.ndarray]:
        """What it reads, and zeros for what it writes."""
        import numpy as np

        return [np.full(4, MARK, np.uint32)], np.zeros((self.rows, len(self.labels)), np.uint64)


def _entry(directives: str, labels: int, body: str) -> str:
    """A kernel that finds its CTA in `cta`, the place of the CTA's row in `p`, and its thread's number in `t`."""
    return f"""{_HEAD}
    .visible .entry k(.param .u64 in, .param .u64 out) {directives}
    {{
        .reg .u32 x, y, t, n, cta; .reg .u64 p, q, g, base, src; .reg .pred c, last, done;
        .shared .align 16 .b8 buf[64]; .shared .align 8 .b64 bar;
        ld.param.u64 p, [out]; ld.param.u64 src, [in];
        mov.u32 cta, %ctaid.z; mov.u32 x, %nctaid.y; mad.lo.u32 cta, cta, x, 0;
        mov.u32 x, %ctaid.y; add.u32 cta, cta, x; mov.u32 x, %nctaid.x; mul.lo.u32 cta, cta, x;
        mov.u32 x, %ctaid.x; add.u32 cta, cta, x;
        mov.u32 t, %tid.z; mov.u32 x, %ntid.y; mul.lo.u32 t, t, x; mov.u32 x, %tid.y; add.u32 t, t, x;
        mov.u32 x, %ntid.x; mul.lo.u32 t, t, x; mov.u32 y, %tid.x; add.u32 t, t, y;
        mov.u32 y, %ntid.y; mul.lo.u32 n, x, y; mov.u32 y, %ntid.z; mul.lo.u32 n, n, y; sub.u32 n, n, 1;
        setp.eq.u32 last, t, n;
        {body.replace("STRIDE", str(8 * labels))}
        ret;
    }}
    """


def _read(name: str, at: int, guard: str = "") -> str:
    """Instructions that store a special register."""
    kind = SREGS[name].type
    if kind.bits == 64:
        got = f"mov.u64 q, {name};"
    elif kind.bits == 1:
        got = f"mov.pred c, {name}; selp.u64 q, 1, 0, c;"
    else:
        got = f"mov.{kind.name} x, {name}; cvt.u64.u32 q, x;"
    return f"{got} {guard} st.global.u64 [p+{8 * at}], q;\n"


def _registers() -> Iterator[Launched]:
    for name, way in WAYS.items():
        body = "mad.wide.u32 p, cta, STRIDE, p;\n" + "".join(_read(r, i, "@last") for i, r in enumerate(STEADY))
        text = _entry(way.directives, len(STEADY), body)
        yield Launched(f"registers/{name}", text, STEADY, way=way, rows=prod(way.grid))
    for block in ((7, 3, 5), (1, 2, 50), (96, 1, 1)):
        body = "mad.wide.u32 p, t, STRIDE, p;\n" + "".join(_read(r, i) for i, r in enumerate(STEADY))
        way = Way(grid=(1, 1, 1), block=block)
        name = f"threads/{','.join(map(str, block))}"
        yield Launched(name, _entry("", len(STEADY), body), STEADY, way=way, rows=prod(block))


_READY = "mbarrier.init.shared::cta.b64 [bar], 1; fence.mbarrier_init.release.cluster; fence.proxy.async;"
_WAIT = """@last mov.u32 n, 100000;
        again: mbarrier.test_wait.parity.shared::cta.b64 done, [bar], 0; @done bra.uni over;
        sub.u32 n, n, 1; setp.ne.u32 c, n, 0; @c bra.uni again;
        mov.u32 n, 0xffff; over: mov.u32 y, 0xdead; @done ld.shared.u32 y, [buf+16];"""
_TELL = "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], {};"
_COPY = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
_BARRIERS: Final = {
    "barrier.cluster": "barrier.cluster.arrive; barrier.cluster.wait; mov.u32 y, 7;",
    "barrier.cluster twice": "barrier.cluster.arrive.release; barrier.cluster.wait.acquire; "
    "barrier.cluster.arrive.relaxed; barrier.cluster.wait; mov.u32 y, 8;",
}
"""Run by all threads; what is in `y` of the last one is the answer."""
# Run by the last thread.
_INSTRUCTIONS: Final = {
    "mapa, own": "mov.u32 x, buf; mov.u32 y, %cluster_ctarank; mapa.shared::cluster.u32 y, x, y;",
    "mapa 0": "mov.u32 x, buf; mapa.shared::cluster.u32 y, x, 0;",
    "mapa 1": "mov.u32 x, buf; mapa.shared::cluster.u32 y, x, 1;",
    "getctarank": "mov.u32 x, buf; getctarank.shared::cluster.u32 y, x;",
    "getctarank of mapa 0": "mov.u32 x, buf; mapa.shared::cluster.u32 y, x, 0; getctarank.shared::cluster.u32 y, y;",
    "getctarank of generic": "mov.u64 g, buf; cvta.shared.u64 g, g; getctarank.u64 y, g;",
    "ld of mapa 0": "mov.u32 x, buf; mapa.shared::cluster.u32 x, x, 0; ld.shared::cluster.u32 y, [x];",
    "ld of mapa 1": "mov.u32 x, buf; mapa.shared::cluster.u32 x, x, 1; ld.shared::cluster.u32 y, [x];",
    "st of mapa 0": "mov.u32 x, buf; mapa.shared::cluster.u32 x, x, 0; st.shared::cluster.u32 [x], 5; "
    "ld.shared.u32 y, [buf];",
    "atom of mapa 0": "mov.u32 x, buf; mapa.shared::cluster.u32 x, x, 0; atom.shared::cluster.add.u32 y, [x], 5; "
    "ld.shared.u32 x, [buf]; shl.b32 x, x, 8; add.u32 y, y, x;",
    "arrive of mapa 0": f"{_READY} mov.u32 x, bar; mapa.shared::cluster.u32 x, x, 0; "
    f"mbarrier.arrive.shared::cluster.b64 _, [x]; {_WAIT}",
    "st.async": f"{_READY} {_TELL.format(4)} mov.u32 x, buf; mapa.shared::cluster.u32 x, x, 0; mov.u32 y, bar; "
    "mapa.shared::cluster.u32 y, y, 0; "
    f"st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [x+16], 77, [y]; {_WAIT}",
    "red.async": f"{_READY} {_TELL.format(4)} mov.u32 x, buf; mapa.shared::cluster.u32 x, x, 0; mov.u32 y, bar; "
    "mapa.shared::cluster.u32 y, y, 0; "
    f"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [x+16], 77, [y]; {_WAIT}",
    "bulk": f"{_READY} {_TELL.format(16)} {_COPY} [buf+16], [src], 16, [bar]; {_WAIT}",
    "bulk to mapa 0": f"{_READY} {_TELL.format(16)} mov.u32 x, buf; mapa.shared::cluster.u32 x, x, 0; mov.u32 y, bar; "
    "mapa.shared::cluster.u32 y, y, 0; cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
    f"[x+16], [buf], 16, [y]; {_WAIT}",
    **{
        f"multicast {mask}": f"{_READY} {_TELL.format(16)} mov.b16 mask, {mask}; {_COPY}.multicast::cluster "
        f"[buf+16], [src], 16, [bar], mask; {_WAIT}"
        for mask in (1, 2, 3)
    },
}


def _instructions() -> Iterator[Launched]:
    for (name, code), way in product((_BARRIERS | _INSTRUCTIONS).items(), _ONE_CTA):
        one = replace(WAYS[way], grid=(2, 1, 1), block=(32, 1, 1))
        alone = "" if name in _BARRIERS else "@!last bra away;"
        body = f""".reg .b16 mask; mad.wide.u32 p, cta, STRIDE, p; {alone}
        mov.u32 y, 0xdead; mov.u32 x, {MARK}; st.shared.u32 [buf], x; mov.u32 x, 0x11; st.shared.u32 [buf+16], x;
        {code} cvt.u64.u32 q, y; @last st.global.u64 [p], q; away:"""
        text = _entry(one.directives, 1, body)
        yield Launched(f"{name}/{way}", text, ("answer",), way=one, rows=2)


LAUNCHES: Final = {probe.name: probe for probe in (*_registers(), *_instructions())}
"""By name."""
