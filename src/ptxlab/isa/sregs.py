"""Special registers: name, type, what they need, and whether all threads of a CTA read the same value."""

from __future__ import annotations

from dataclasses import dataclass

from ptxlab.isa.targets import Need, ptx, sm
from ptxlab.isa.types import TYPES, ScalarType


@dataclass(frozen=True, slots=True)
class SpecialRegister:
    """A special register.

    Attributes:
        uniform: all threads of a CTA read the same value. varies: the value depends on when or where the thread runs, so that
            another run may find another one. narrower: `mov` takes its lowest bits, too, in so many bits.
    """

    name: str
    type: ScalarType
    need: Need
    doc: str
    uniform: bool
    narrower: tuple[int, ...] = ()
    varies: bool = False


SREGS: dict[str, SpecialRegister] = {}
SPELLINGS: dict[str, str] = {}
"""Other names: `%tid.r` is `%tid.x`."""
VECTORS: dict[str, tuple[str, ...]] = {}
"""Special registers of four elements, which `mov.v4` reads whole."""
NUMBERED: dict[str, list[str]] = {}
"""Special registers that are told apart by a number, by what their names share: "envreg" for %envreg0, %envreg1 …"""


def _sreg(
    name: str,
    type: str,
    doc: str,
    *,
    need: Need = Need(),
    uniform: bool = False,
    narrower: tuple[int, ...] = (),
    varies: bool = False,
) -> None:
    SREGS[name] = SpecialRegister(name, TYPES[type], need, doc, uniform, narrower=narrower, varies=varies)


def _vector(name: str, doc: str, *, need: Need = Need(), uniform: bool = True, narrower: tuple[int, ...] = ()) -> None:
    for axis in "xyz":
        _sreg(f"{name}.{axis}", "u32", f"{doc}, {axis}", need=need, uniform=uniform, narrower=narrower)
    _sreg(f"{name}.w", "u32", f"fourth element of {name}: 0", need=need, uniform=True, narrower=narrower)
    for axis, other in zip("xyzw", "rgba", strict=True):
        SPELLINGS[f"{name}.{other}"] = f"{name}.{axis}"
    VECTORS[name] = tuple(f"{name}.{axis}" for axis in "xyzw")


_CLUSTER = ptx(7, 8) & sm(90)
_SMEM = ptx(7, 6) & sm(80)

_vector("%tid", "index of the thread in its CTA", uniform=False, narrower=(16,))
_vector("%ntid", "threads of a CTA", narrower=(16,))
_vector("%ctaid", "index of the CTA in the grid", narrower=(16,))
_vector("%nctaid", "CTAs of the grid", narrower=(16,))
_vector("%clusterid", "index of the cluster in the grid", need=_CLUSTER)
_vector("%nclusterid", "clusters of the grid", need=_CLUSTER)
_vector("%cluster_ctaid", "index of the CTA in its cluster", need=_CLUSTER)
_vector("%cluster_nctaid", "CTAs of a cluster", need=_CLUSTER)
_sreg("%cluster_ctarank", "u32", "rank of the CTA in its cluster", need=_CLUSTER, uniform=True)
_sreg("%cluster_nctarank", "u32", "number of CTAs in a cluster", need=_CLUSTER, uniform=True)
_sreg("%is_explicit_cluster", "pred", "whether the launch named a cluster size", need=_CLUSTER, uniform=True)
_sreg("%laneid", "u32", "lane of the thread in its warp")
_sreg("%warpid", "u32", "slot of the warp on its SM; may change", varies=True)
_sreg("%nwarpid", "u32", "warp slots of an SM", need=ptx(2, 0) & sm(20), uniform=True)
_sreg("%smid", "u32", "the SM that the thread runs on; may change", uniform=True, varies=True)
_sreg("%nsmid", "u32", "largest SM number plus one", need=ptx(2, 0) & sm(20), uniform=True)
_sreg("%gridid", "u64", "identifies the launch within its context", uniform=True, narrower=(16, 32))
for _name, _which in (("eq", "at"), ("le", "at or below"), ("lt", "below"), ("ge", "at or above"), ("gt", "above")):
    _sreg(f"%lanemask_{_name}", "u32", f"mask of the lanes {_which} this one", need=ptx(2, 0) & sm(20))
_sreg("%clock", "u32", "lower half of the SM's cycle counter", varies=True)
_sreg("%clock_hi", "u32", "upper half of the SM's cycle counter", need=ptx(5, 0) & sm(20), varies=True)
_sreg("%clock64", "u64", "the SM's cycle counter", need=ptx(2, 0) & sm(20), varies=True)
_sreg("%globaltimer", "u64", "nanoseconds of a clock that all SMs share", need=ptx(3, 1) & sm(30), varies=True)
_sreg("%globaltimer_lo", "u32", "lower half of %globaltimer", need=ptx(3, 1) & sm(30), varies=True)
_sreg("%globaltimer_hi", "u32", "upper half of %globaltimer", need=ptx(3, 1) & sm(30), varies=True)
_sreg("%total_smem_size", "u32", "bytes of shared memory of the CTA", need=ptx(4, 1) & sm(20), uniform=True)
_sreg("%aggr_smem_size", "u32", "bytes of shared memory, reserved ones included", need=ptx(8, 1) & sm(90), uniform=True)
_sreg("%dynamic_smem_size", "u32", "bytes of dynamic shared memory", need=ptx(4, 1) & sm(20), uniform=True)
for _name in ("begin", "end", "cap"):
    _sreg(f"%reserved_smem_offset_{_name}", "b32", "shared memory kept by the system", need=_SMEM, uniform=True)
for _i in range(2):
    _sreg(f"%reserved_smem_offset_{_i}", "b32", "shared memory kept by the system", need=_SMEM, uniform=True)
for _i in range(8):
    NUMBERED.setdefault("pm", []).append(f"%pm{_i}")
    NUMBERED.setdefault("pm_64", []).append(f"%pm{_i}_64")
    _sreg(f"%pm{_i}", "u32", "performance counter", need=ptx(1, 3) if _i < 4 else ptx(3, 0) & sm(20), varies=True)
    _sreg(f"%pm{_i}_64", "u64", "performance counter, 64 bits", need=ptx(4, 0) & sm(50), varies=True)
for _i in range(32):
    NUMBERED.setdefault("envreg", []).append(f"%envreg{_i}")
    _sreg(f"%envreg{_i}", "b32", "set by the driver before launch", need=ptx(2, 0), uniform=True)
for _name, _type, _doc in (
    ("size", "u32", "bytes of the memory that .minperctamemory gives the CTA"),
    ("offset", "u64", "where the memory that .minperctamemory gives the CTA begins"),
):
    _sreg(f"%perctamemory{_name}", _type, _doc, need=ptx(9, 4) & sm(80), uniform=True)
_LOCALITY = ptx(9, 5) & sm(100)
_sreg("%locality_domain_id", "u32", "the part of the GPU whose memory is near", need=_LOCALITY, uniform=True)
_sreg(
    "%locality_domain_supplemental_sm",
    "u32",
    "whether the SM is beyond the parts' equal share",
    need=_LOCALITY,
    uniform=True,
)
_sreg("%current_graph_exec", "u64", "identifies the graph that runs", need=ptx(8, 0) & sm(50), uniform=True)

_WORDS = {name: word for word, names in NUMBERED.items() for name in names}


def word_of(name: str) -> str:
    """The word of `k` that reads a special register: "tid" for %tid.x, "envreg" for %envreg3."""
    return _WORDS.get(name, name[1:].partition(".")[0])


def in_python(name: str) -> str:
    """A special register as a kernel in Python reads it: `k.tid.x`, `k.envreg[3]`."""
    word = _WORDS.get(name)
    return f"k.{name[1:]}" if word is None else f"k.{word}[{NUMBERED[word].index(name)}]"


def is_special(name: str) -> bool:
    """Whether a name without a field is a special register's, which no variable or function of a module can have."""
    return name[:1] == "%" and (name in SREGS or name in VECTORS)
