"""Sections of the PTX manual, by which rows and diagnostics name what they are about: `PTX ISA: cp.async.bulk`.

Names, not numbers: the manual's numbers change from version to version. A section about two instructions has the names of both
(`membar, fence`), and may be named by one of them where its title lists them apart (`mbarrier.test_wait / mbarrier.try_wait`). The
memory model alone is quoted by number, as its parts have no short names; the numbers are those of PTX 9.1.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Final

INSTRUCTIONS: Final[Mapping[str, str]] = {
    "Integer Arithmetic Instructions": (
        "add sub mul mad clmad mul24 mad24 sad div rem abs neg min max popc clz bfind fns brev bfe bfi szext bmsk "
        "dp4a dp2a"
    ),
    "Extended-Precision Arithmetic Instructions": "add.cc addc sub.cc subc mad.cc madc",
    "Floating Point Instructions": (
        "testp copysign add sub mul fma mad div abs neg min max rcp rcp.approx.ftz.f64 sqrt rsqrt "
        "rsqrt.approx.ftz.f64 sin cos lg2 ex2 tanh"
    ),
    "Half Precision Floating Point Instructions": "add sub mul fma neg abs min max tanh ex2",
    "Mixed Precision Floating Point Instructions": "add sub fma",
    "Comparison and Selection Instructions": "set setp selp slct",
    "Half Precision Comparison Instructions": "set setp",
    "Logic and Shift Instructions": "and or xor not cnot lop3 shf shl shr",
    "Data Movement and Conversion Instructions": (
        "mov shfl shfl.sync prmt ld ld.global.nc ldu st st.async multimem.st.async st.bulk multimem prefetch "
        "prefetchu applypriority applypriority.async.bulk applypriority.async.bulk.tensor discard createpolicy "
        "isspacep cvta cvt cvt.pack mapa getctarank cp.async cp.async.commit_group cp.async.wait_group "
        "cp.async.wait_all cp.async.bulk cp.reduce.async.bulk cp.async.bulk.prefetch multimem.cp.async.bulk "
        "multimem.cp.reduce.async.bulk cp.async.bulk.tensor cp.reduce.async.bulk.tensor cp.async.bulk.prefetch.tensor "
        "cp.async.bulk.commit_group cp.async.bulk.wait_group tensormap.replace spcompress spdecompress"
    ),
    "Fabric Instructions": (
        "fabric.try_get fabric.try_put fabric.try_red fabric.try_pullred fabric.submit fabric.wait "
        "fabric.try_get.async.tensor fabric.try_put.async.tensor fabric.try_red.async.tensor fabric.try_atom"
    ),
    "Texture Instructions": "tex tex.level tex.grad tld4 txq istypep",
    "Surface Instructions": "suld sust sured suq",
    "Control Flow Instructions": "{} @ bra brx.idx call ret exit",
    "Parallel Synchronization and Communication Instructions": (
        "bar barrier bar.warp.sync barrier.cluster atom red red.async multimem.red.async vote vote.sync match.sync "
        "activemask redux.sync griddepcontrol elect.sync mbarrier mbarrier.init mbarrier.inval mbarrier.expect_tx "
        "mbarrier.complete_tx mbarrier.arrive mbarrier.arrive_drop cp.async.mbarrier.arrive mbarrier.test_wait "
        "mbarrier.try_wait mbarrier.pending_count mbarrier.check_layout tensormap.cp_fenceproxy tensormap.query "
        "clusterlaunchcontrol.try_cancel clusterlaunchcontrol.query_cancel"
    ),
    "Warp Level Matrix Multiply-Accumulate Instructions": (
        "wmma.load wmma.store wmma.mma mma ldmatrix stmatrix movmatrix mma.sp"
    ),
    "Asynchronous Warpgroup Level Matrix Instructions": (
        "wgmma.mma_async wgmma.mma_async.sp wgmma.fence wgmma.commit_group wgmma.wait_group"
    ),
    "TensorCore 5th Generation Family Instructions": (
        "tcgen05.alloc tcgen05.ld tcgen05.st tcgen05.wait tcgen05.cp tcgen05.shift tcgen05.mma tcgen05.mma.sp "
        "tcgen05.mma.ws tcgen05.mma.ws.sp tcgen05.fence tcgen05.commit"
    ),
    "Stack Manipulation Instructions": "stacksave stackrestore alloca",
    "Scalar Video Instructions": "vadd vsub vabsdiff vmin vmax vshl vshr vmad vset",
    "SIMD Video Instructions": (
        "vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2 vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4 vset4"
    ),
    "Miscellaneous Instructions": "brkpt nanosleep pmevent trap setmaxnreg trace.mark",
}
"""Sections about instructions, by chapter. A name that several chapters have stands for all of them."""

OTHERS: Final = frozenset(
    {
        "membar, fence",
        "Swizzling Modes",
        "Tensor-map",
        "Matrix Fragments",
        "Matrix Descriptor Format",
        "Asynchronous Warpgroup Level Matrix Shape",
    }
)
"""Sections whose titles have several words."""

MODEL: Final[Mapping[str, str]] = {
    "8.2": "memory operations",
    "8.4": "operation types",
    "8.4.2": "volatile and mmio operations",
    "8.5": "scopes",
    "8.6": "proxies",
    "8.7": "morally strong operations",
    "8.7.1": "data races",
    "8.8": "release and acquire patterns",
    "8.9.1": "program order",
    "8.9.1.1": "asynchronous operations",
    "8.9.2": "observation order",
    "8.9.3": "fence-SC order",
    "8.9.4": "synchronization",
    "8.9.5": "causality order",
    "8.9.6": "coherence order",
    "8.9.7": "communication order",
    "8.10": "axioms",
    "8.11.1": "atomic operations without a result",
}
"""Sections of the memory model by number, in our words."""

SECTIONS: Final = (
    frozenset(name for names in INSTRUCTIONS.values() for name in names.split())
    | {f"{chapter}: {name}" for chapter, names in INSTRUCTIONS.items() for name in names.split()}
    | OTHERS
    | MODEL.keys()
)
"""All names by which a section may be called."""


def wrong(section: str) -> str:
    """Empty for a section of the manual; else what to write, in a sentence."""
    if section in SECTIONS:
        return ""
    near = difflib.get_close_matches(section, sorted(SECTIONS), 1)
    hint = f" (is it {near[0]!r}?)" if near else ""
    return f"the PTX manual has no section {section!r}{hint}; a new one is entered in src/ptxlab/isa/sections.py"
