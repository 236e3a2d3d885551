"""Pragmas: what may stand where, and what each needs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from ptxlab.checks.names import Names
from ptxlab.diag import Diagnostic
from ptxlab.isa.targets import Need, ptx
from ptxlab.ptx.tree import Function, Words

_OF_MODULES: Final = ("nounroll",)
# Pragmas of functions that ptxas knows by name: what they need, and what has to stand behind the name.
_OF_FUNCTIONS: Final[dict[str, tuple[Need, str]]] = {
    "used_bytes_mask": (ptx(8, 3), r" *-?(?:0[xX][0-9a-fA-F]+|\d+)"),
    "frequency": (ptx(9, 0), r"0*[1-9]\d*"),
    "enable_smem_spilling": (ptx(8, 7), ".*"),
    "mma_throughput": (Need(), ".*"),  # ptxas 13.1 and 13.2 skip it
}


def check_pragma(words: Sequence[str], names: Names, *, module: bool) -> Iterator[Diagnostic]:
    """What is wrong with the strings of a .pragma. In functions ptxas ignores those that it does not know."""
    if len(words) % 2 == 0 or any(
        (w == ",") != bool(i % 2) or (w != "," and w[:1] != '"') for i, w in enumerate(words)
    ):
        yield Diagnostic(
            "PTX0001", "`.pragma` takes strings, with commas between them", help='e.g. `.pragma "nounroll";`'
        )
        return
    for word in words[::2]:
        text = word.strip('"')
        name, _, value = text.partition(" ")
        known = _OF_FUNCTIONS.get(name)
        if module and text not in _OF_MODULES:
            why = "stands outside of functions" if known else "is none that ptxas knows"
            help = "write it into the function" if known else "leave it out"
            yield Diagnostic("PTX0018", f"the pragma {word} {why}", help=help)
        elif known is not None:
            need, pattern = known
            yield from names.needs(f"the pragma {word}", need)
            if not re.fullmatch(pattern, value, re.ASCII):
                yield Diagnostic("PTX0018", f"the pragma {word} has another value than it takes", help=_HELP[name])


def check_kernel_pragmas(node: Function) -> Iterator[Diagnostic]:
    """Pragmas between a kernel's parameters and its body, where those of functions cannot stand; in functions, those of kernels."""
    for item in node.body.items if node.kind == "func" and node.body is not None else ():
        if isinstance(item, Words) and item.name == ".pragma" and any(_OF_KERNELS in word for word in item.words):
            message = f'the pragma "{_OF_KERNELS}" stands in a function'
            yield Diagnostic("PTX0018", message, help="write it into a kernel", span=item.span, origin=item.origin)
    for one in node.directives:
        for word in one.words[::2] if one.name == ".pragma" else ():
            if word.strip('"').partition(" ")[0] in _INSIDE:
                message = f"the pragma {word} stands in front of the kernel's body"
                yield Diagnostic("PTX0018", message, help="write it into the body", span=one.span, origin=one.origin)


_OF_KERNELS: Final = "enable_smem_spilling"
_INSIDE: Final = ("used_bytes_mask", "frequency", "enable_smem_spilling")
_HELP: Final = {
    "used_bytes_mask": 'give a mask, e.g. "used_bytes_mask 0xff"',
    "frequency": 'give a positive number, e.g. "frequency 10"',
    "enable_smem_spilling": 'write "enable_smem_spilling"',
}
