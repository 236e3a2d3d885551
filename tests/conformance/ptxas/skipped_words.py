"""The modifiers that ptxas skips, by instruction. All were found by putting every modifier of every row behind every
instruction: these it takes once and twice, or once where they say what the instruction has no use for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ptxlab.isa.rows.bulk import REPORTS

# It asks for these in the few instructions that have them, and skips them everywhere else.
_FIELDS = frozenset(
    (
        *("box_dim", "element_stride", "elemtype", "fill_mode", "global_address", "global_dim", "global_stride"),
        *("interleave_layout", "rank", "swizzle_atomicity", "swizzle_mode"),
    )
)
_CLASSES = frozenset(("finite", "infinite", "normal", "notanumber", "number", "subnormal"))
_FORMATS = frozenset(("b2", "b4x16_p64", "b6x16_p32", "b8x16"))
_ACCUMULATORS = frozenset(("acc::f16", "acc::f32"))
_ELSEWHERE = (
    ("tensormap.replace", _FIELDS),
    ("testp", _CLASSES),
    ("multimem.ld_reduce", _ACCUMULATORS),
)
_EVERYWHERE = _FIELDS | _CLASSES | _FORMATS | _ACCUMULATORS
_SIZELESS = frozenset(("pred", "texref", "samplerref", "surfref"))  # types
_LAYOUTS = frozenset(("row", "col"))
_ELEMENTS = frozenset(("b1", "s2", "u2", "s4", "u4", "bf16", "bf16x2", "tf32"))
_SCOPES = frozenset(("cta", "cluster", "gpu", "sys"))
_SPACES = frozenset(("global", "shared", "shared::cta", "shared::cluster"))
_RESTRICTIONS = frozenset(
    f"sync_restrict::{what}" for what in ("shared::cta", "shared::cluster", "shared::cluster::read", "reads")
)
_KINDS = frozenset(("kind::mxf4", "kind::mxf4nvf4", "kind::mxf8f6f4"))  # of scaled products, where none is scaled
# Instructions whose name has several words, between which none is skipped.
_LONG_NAMES = frozenset(
    ("clusterlaunchcontrol", "cp", "fabric", "mbarrier", "multimem", "tcgen05", "tensormap", "wgmma")
)

_SOMEWHERE: tuple[tuple[re.Pattern[str], frozenset[str]], ...] = tuple(
    (re.compile(rf"(?:{names})(?:\.|$)"), frozenset(words))
    for names, words in (
        (r"rsqrt|rcp|sqrt|sin|cos|lg2|ex2|tanh|add|sub|mul|fma|abs|neg|min|max|setp|set|cvt|atom|red", _SIZELESS),
        (r"sp(de)?compress", _SIZELESS),
        (r"(multimem\.)?cp\.reduce|multimem|ldmatrix|wgmma|wmma\.mma|fabric\.try_(red|pullred|atom)", _SIZELESS),
        (r"bar|barrier", ("any", "all")),
        (r"cp\.(reduce\.)?async\.bulk(\.tensor)?|mbarrier\.check_layout", _SCOPES),
        (r"ld|cp\.async", ("L1::32B",)),
        (r"prefetch", ("L1", "L2", "L2::evict_last", "L2::evict_normal")),
        (r"prefetch\.valid_addr", ("tensormap",)),
        (r"fence(?!\.proxy)", ("async",)),
        (r"fence", _RESTRICTIONS),
        (
            r"fence\.proxy(\.acquire|\.release)?\.(async::generic|tensormap|tensormap::generic|(fabric|generic)::fabric|fabric::generic)",
            _SPACES,
        ),
        (r"cp\.async\.bulk\.wait_group|tcgen05\.commit|fabric\.wait", _RESTRICTIONS),
        (r"fabric\.submit", ("commit_group",)),
        (r"cp\.async\.bulk\.(tensor|.*shared::c(ta|luster)\.global)", REPORTS),
        (r"tensormap\.query\.alloc_class_large", ("shared::cta", "global", "const", "param")),
        (r"mma(\.sp::ordered_metadata)?\..*\.e[45]m[23]\.e[45]m[23]", _KINDS),
        (r"movmatrix|mma|wmma\.store", _ELEMENTS),
        (r"mma|mma\.sp|wmma\.load|wmma\.store", ("v2", "v4", "v8")),
        (r"wgmma\.mma_async", ("v8",)),
        (r"mma\.sp", ("satfinite",)),
        (r"mma\..*\.[su]4", ("and", "or", "xor", "popc")),
        (r"mma|movmatrix", ("b4",)),
        (r"wmma\.load", ("b1",)),
        (r"wmma\.load\.c\..*m8n8k(32|128)", _ELEMENTS),
        (r"movmatrix|ldmatrix|stmatrix|wgmma|tcgen05\.(ld|st|cp)", _LAYOUTS),
        (r"st\.async", ("cluster",)),
        (r"tex|tld4", ("uni",)),
    )
)


def skipped(opcode: str, parts: Sequence[str], i: int) -> bool:
    """Whether ptxas skips the part number `i` of an opcode."""
    word = parts[i]
    if i < 2 and parts[0] in _LONG_NAMES:
        return False
    own = frozenset[str]().union(*(words for name, words in _ELSEWHERE if opcode.startswith(name)))
    if word in _EVERYWHERE and word not in own:
        return True
    without = ".".join((*parts[:i], *parts[i + 1 :]))
    return any(word in words and names.match(without) for names, words in _SOMEWHERE)
