"""The modifiers that ptxas skips, by instruction. All were found by putting every modifier of every row behind every instruction:
these it takes once and twice, or once where they say what the instruction has no use for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from ptxlab.isa.form import BY_ROOT
from ptxlab.isa.releases import NEWEST
from ptxlab.isa.targets import Release

_FIELDS: Final = frozenset(
    (
        *("box_dim", "element_stride", "elemtype", "fill_mode", "global_address", "global_dim", "global_stride"),
        *("interleave_layout", "rank", "swizzle_atomicity", "swizzle_mode"),
    )
)
_CLASSES: Final = frozenset(("finite", "infinite", "normal", "notanumber", "number", "subnormal"))
_ACCUMULATORS: Final = frozenset(("acc::f16", "acc::f32"))
_FORMATS: Final = frozenset(("b2", "b4x16_p64", "b6x16_p32", "b8x16"))
_EVERYWHERE: Final = _FIELDS | _CLASSES | _ACCUMULATORS | _FORMATS
_ARITHMETIC: Final = r"rsqrt|rcp|sqrt|sin|cos|lg2|ex2|tanh|add|sub|mul|fma|abs|neg|min|max|setp|set|cvt|atom|red"
_ELSEWHERE: Final = (
    (re.compile(r"tensormap\.replace"), _FIELDS),
    (re.compile(r"testp"), _CLASSES),
    (re.compile(r"multimem\.ld_reduce"), _ACCUMULATORS),
    (re.compile(r"ldmatrix|tcgen05\.cp"), _FORMATS - {"b2"}),
    (
        re.compile(
            r"(?!mul.*\.wide)(" + _ARITHMETIC + r")\b|w?g?mma|cp\.reduce|multimem\.(red|ld|st|cp\.reduce)|fma|mad"
        ),
        frozenset(("b2",)),
    ),
)
"""It asks for these in the few instructions that have them, and skips them everywhere else."""
SIZELESS: Final = frozenset(("pred", "texref", "samplerref", "surfref"))  # types
ELEMENTS: Final = frozenset(("b1", "s2", "u2", "s4", "u4", "bf16", "bf16x2", "tf32"))
SCOPES: Final = frozenset(("cta", "cluster", "gpu", "sys"))
_SPACES: Final = frozenset(("global", "shared", "shared::cta", "shared::cluster"))
RESTRICTIONS: Final = frozenset(("sync_restrict::shared::cta", "sync_restrict::shared::cluster"))
_NAMES: Final = re.compile(
    r"wmma\.(load\.[abc]|store\.d|mma)|createpolicy\.\w+|cvt\.pack|cvta\.to|(mul|mul24|mad|mad24|madc|clmad)\.(lo|hi|wide)"
    r"|dp2a\.(hi|lo)|shf\.[lr]|(suld|sust|sured)\.[bp]|(tex|txq)\.(base|level|grad)|brx\.idx|setmaxnreg\.\w+|pmevent\.mask"
    r"|(fence|membar)\.(proxy|mbarrier_init)|(bar|barrier)(\.cta)?\.(arrive|red)|(bar|barrier)\.(cta|warp|cluster\.\w+)"
    r"|(st|red|cp|multimem|clusterlaunchcontrol|fabric|mbarrier|tcgen05|tensormap|wgmma)\..*"
)
"""The names of instructions, between whose words none is skipped; those of the last line are those of their rows."""

_SOMEWHERE: Final[tuple[tuple[re.Pattern[str], frozenset[str]], ...]] = tuple(
    (re.compile(rf"(?:{names})(?:\.|$)"), frozenset(words))
    for names, words in (
        (rf"({_ARITHMETIC})\b(?!\.(wide|hi|lo|async))", SIZELESS),
        (r"sp(de)?compress", SIZELESS),
        (r"(multimem\.)?cp\.reduce(?!.*\.tensor)|multimem(?=\.(?!cp))|wgmma\.mma_async|wmma\.mma", SIZELESS),
        (r"fabric\.try_(red|pullred|atom)", SIZELESS),
        (r"bar\.(sync|arrive|red)", ("any",)),
        (r"bar\.(sync|arrive)", ("all",)),
        (r"prefetch\.valid_addr", ("L1", "L2", "L2::evict_last", "L2::evict_normal", "tensormap")),
        (r"fence\.(mbarrier_init|proxy(?!.*(acquire|sync_restrict|tensormap)))", RESTRICTIONS),
        (
            r"fence\.proxy(\.acquire|\.release)?\.(async::generic|(fabric|generic)::fabric|fabric::generic)",
            _SPACES,
        ),
        (r"fence\.proxy\.(release\.tensormap::generic|tensormap::generic\.release)", _SPACES),
        (r"tcgen05\.commit|fabric\.wait", RESTRICTIONS),
        (r"fabric\.submit", ("commit_group",)),
        (r"tensormap\.query\.alloc_class_large", ("shared::cta", "global", "const", "param")),
        (r"mma(?!\.sp)\..*\.f64\.f64\.f64\.f64", ELEMENTS),
        (r"movmatrix", ELEMENTS),
        (r"movmatrix|ldmatrix|stmatrix|wgmma\.mma_async|tcgen05\.(ld|st|cp)", ("row", "col")),
        (r"st\.async", ("cluster",)),
        (r"tex|tld4", ("uni",)),
    )
)
_RELEASED: Final[tuple[tuple[re.Pattern[str], frozenset[str], Release, Release], ...]] = tuple(
    (re.compile(rf"(?:{names})(?:\.|$)"), frozenset(words), first, last)
    for names, words, first, last in (
        (r"cp\.async\.bulk(?!\.(tensor|prefetch|\w+_group))", SCOPES, (13, 1), (13, 2)),
        (r"(ld(?!.*\.mmio)|cp\.async\.c[ag])\b(?!.*\.(L1::|L2::\d))", ("L1::32B",), (13, 4), NEWEST),
        (r"mma(?!\.sp)\..*\.f64\.f64\.f64\.f64|movmatrix", ("b4",), (13, 4), NEWEST),
        (r"ldmatrix", SIZELESS, (13, 4), NEWEST),
        (r"fence(?!\.proxy)", ("async",), (13, 5), NEWEST),
        (r"cp\.(reduce\.)?async\.bulk\.tensor|mbarrier\.check_layout", SCOPES, (13, 5), NEWEST),
        (r"cp\.async\.bulk\.wait_group", RESTRICTIONS, (13, 5), NEWEST),
    )
)
"""What some releases skip, the first and the last of them."""
_BITS_OF_FOURS: Final = re.compile(r"mma(?!\.sp)(?!.*\.satfinite)\..*\.s32\.[su]4\.")
_OPERATION: Final = frozenset(("and", "or", "xor"))


def skipped(opcode: str, parts: Sequence[str], i: int, release: Release | None = None) -> bool:
    """Whether ptxas skips the part number `i` of an opcode: this release, or the newest."""
    word = parts[i]
    if _is_within_a_name(parts, i):
        return False
    if word in _EVERYWHERE:
        return not any(word in words and names.match(opcode) for names, words in _ELSEWHERE)
    if _BITS_OF_FOURS.match(opcode):  # what is done with single bits
        bits = [p for p in parts if p in _OPERATION or p == "popc"]
        return word in bits and bits[0] in _OPERATION and bits[1:] in ([], ["popc"])
    without = ".".join((*parts[:i], *parts[i + 1 :]))
    if any(word in words and names.match(without) for names, words in _SOMEWHERE):
        return True
    asked = release or NEWEST
    return any(
        word in words and first <= asked <= last and names.match(without) for names, words, first, last in _RELEASED
    )


def _is_within_a_name(parts: Sequence[str], i: int) -> bool:
    """Whether a word stands among those that name the instruction: `wmma.rank.load`."""
    words = [*parts[:i], *parts[i + 1 :]]
    found = _NAMES.match(".".join(words))
    if found is None:
        return False
    rows = [name for name in _names(parts[0]) if name == words[: len(name)]] if found[0] == ".".join(words) else []
    return i < max(map(len, rows), default=1 if found[0] == ".".join(words) else found[0].count(".") + 1)


@cache
def _names(root: str) -> tuple[list[str], ...]:
    """The names of several words that begin with this one, of rows."""
    names = (row.name.removesuffix(".sp").removesuffix(".noComplete") for row in BY_ROOT.get(root, ()))
    return tuple(name.split(".") for name in set(names) if "." in name)
