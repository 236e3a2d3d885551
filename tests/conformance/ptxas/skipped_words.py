"""The modifiers that ptxas may skip when it is asked for the form alone, beside those of `ptxlab.isa.skipped`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ptxlab.isa.rows.bulk import REPORTS
from ptxlab.isa.skipped import ELEMENTS, RESTRICTIONS, SCOPES, SIZELESS
from ptxlab.isa.skipped import skipped as skipped_everywhere

_KINDS = frozenset(("kind::mxf4", "kind::mxf4nvf4", "kind::mxf8f6f4"))  # of scaled products, where none is scaled
_SOMEWHERE: tuple[tuple[re.Pattern[str], frozenset[str]], ...] = tuple(
    (re.compile(rf"(?:{names})(?:\.|$)"), frozenset(words))
    for names, words in (
        (r"bar|barrier", ("any", "all")),
        (r"fence", ("async",)),
        (r"cp\.reduce|multimem\.cp|cp\.async\.bulk", SIZELESS),
        (r"cp\.(reduce\.)?async\.bulk", SCOPES),
        (r"ld|cp\.async", ("L1::32B",)),
        (r"fence", (*RESTRICTIONS, "sync_restrict::shared::cluster::read", "sync_restrict::reads")),
        (
            r"cp\.async\.bulk\.wait_group|tcgen05\.commit|fabric\.wait",
            ("sync_restrict::shared::cluster::read", "sync_restrict::reads"),
        ),
        (r"cp\.async\.bulk\.(tensor|.*shared::c(ta|luster)\.global)", REPORTS),
        (r"mma(\.sp::ordered_metadata)?\..*\.e[45]m[23]\.e[45]m[23]", _KINDS),
        (r"mma|wmma\.store", ELEMENTS),
        (r"mma|mma\.sp|wmma\.load|wmma\.store", ("v2", "v4", "v8")),
        (r"wgmma\.mma_async", ("v8",)),
        (r"mma\.sp", ("satfinite",)),
        (r"mma\..*\.[su]4", ("and", "or", "xor", "popc")),
        (r"mma", ("b4",)),
        (r"wmma\.load", ("b1",)),
        (r"wmma\.load\.c\..*m8n8k(32|128)", ELEMENTS),
    )
)


def skipped(opcode: str, parts: Sequence[str], i: int) -> bool:
    """Whether ptxas skips the part number `i` of an opcode."""
    without = ".".join((*parts[:i], *parts[i + 1 :]))
    return skipped_everywhere(opcode, parts, i) or any(
        parts[i] in words and names.match(without) for names, words in _SOMEWHERE
    )
