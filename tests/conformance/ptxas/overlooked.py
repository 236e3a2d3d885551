"""Where ptxlab and ptxas differ about whole modules on purpose: what ptxas overlooks, as changes of the text that take it away, and
what it refuses though it is legal, by its words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

_SPACES: Final = r"shared|local|global|const|param"


def _sub(pattern: str, new: str | Callable[[re.Match[str]], str]) -> Callable[[str], Iterator[str]]:
    """All matches replaced, and each alone where there are few."""
    compiled = re.compile(pattern, re.MULTILINE)

    def changed(text: str) -> Iterator[str]:
        found = list(compiled.finditer(text))
        if found:
            yield compiled.sub(new, text)
        for m in found if 1 < len(found) <= 4 else ():
            yield text[: m.start()] + (m.expand(new) if isinstance(new, str) else new(m)) + text[m.end() :]

    return changed


def _predicates(text: str) -> Iterator[str]:
    """Predicates, special registers and parameters in a vector, as another element of it."""
    params = set(re.findall(r"\.param\b[^,;(){}]*?([\w$]+)\s*(?=[,;)\[])", text))
    for m in re.finditer(r"\{[^{};]*\}", text):
        items = [item.strip() for item in m[0][1:-1].split(",")]
        odd = r"%(?:p\d+|envreg\d+|tid\.\w|laneid|clock64)"
        other = [item for item in items if item not in params and not re.fullmatch(odd, item)]
        if other and other != items:
            yield (
                text[: m.start()]
                + "{"
                + ", ".join(i if i in other else other[0] for i in items)
                + "}"
                + text[m.end() :]
            )


_OPCODES: Final = "cp|mbarrier|barrier|tcgen05|tensormap|multimem|wgmma|clusterlaunchcontrol|fabric|st|red"
_DECLARED: Final = re.compile(
    rf"\.(?:reg|{_SPACES})\s+(?:\.\w+\s+(?:\d+\s+)?)+[^;{{}}()]*?(?<![\w.%$])(?:{_OPCODES})\.[\w.:]+[^;{{}}()]*;"
)


def _named_as_opcodes(text: str) -> Iterator[str]:
    """Opcodes of several words as names of variables, in words of their own."""
    opcode = re.compile(rf"(?<![\w.%$])(?:{_OPCODES})(?:\.\w+)+")
    if _DECLARED.search(text):
        yield _DECLARED.sub(lambda m: opcode.sub(lambda o: o[0].replace(".", "_"), m[0]), text)


def _elements(text: str) -> Iterator[str]:
    """Elements that a vector register of two lacks, as the first one."""
    for name in dict.fromkeys(re.findall(r"\.reg\s+\.v2\s+\.\w+\s+([%\w$]+)", text)):
        yield re.sub(rf"({re.escape(name)}\d*)\.[zwba]\b", r"\1.x", text)


REWRITES: Final[dict[str, Callable[[str], Iterator[str]]]] = {
    "a backslash in front of an instruction": _sub(r"(?<=[;{:\s\w])\\(?=[\sa-z])", " "),
    "a number as the address of a tensor map": _sub(r"(fence\.proxy\.tensormap[^;\[]*)\[\d+\]", r"\1[%rd1]"),
    "variables with numbers as data of a vector": _sub(
        rf"\.(?:{_SPACES})(\s+\.\w+\s+[%\w]+(?:<|[\s,%\w]*;))", r".reg\1"
    ),
    "a line break within a string": _sub(r'"([^"\n]*)\n([^"\n]*)"', r'"\1\2"'),
    "parameters as elements of vectors": _predicates,
    "arrays of types that instructions alone have": _sub(r"\.(?:e4m3|e5m2|f32x2|[us]16x2)(\s+[\w$]+\[)", r".b8\1"),
    "a fourth operand of atom.exch.b32": _sub(r"(\batom\.[\w.:]*exch\.b32[^;]*\][^;,]*,[^;,]*),[^;,]*;", r"\1;"),
    "elements that a vector register lacks, written": _elements,
    "the name of an instruction as that of a variable": _named_as_opcodes,
    "integers behind a number in a vector": _sub(r"(\bmov\.[^;{]*\{\s*)(\w+)(\s*,\s*)[^{},]+\}", r"\1\2\3\2}"),
    "the type of a tensor map's address": _sub(
        r"([^\n;]*\bcp\.(?:reduce\.)?async\.bulk\.tensor[^;\[]*(?:\[[^\];,]*\]\s*,\s*)?\[\s*)%\w+(\s*,[^;]*;)",
        r"{ .reg .b64 %map; \1%map\2 }",
    ),
    "a result that no call gives": _sub(r"\n[^\n;{}]*\bld\.param\S*\s+%\w+,\s*\[\s*retval\d+[^;]*;", "\n"),
    "two minus signs": _sub(r"(\b(?:add|sub)\.[\w.]*f32\s+[^,;]+,\s*)-(%\w+\s*,\s*)-(?=%\w)", r"\1\2"),
    "the name of a parameter again, in a range": _sub(r"(\.param\s+\.\w+\s+)%(\w+)(?=\s*[,)])", r"\1parameter_\2"),
    "_ as the name of a parameter": _sub(r"(\.param\s+\.\w+\s+)_(?=\s*[,)])", r"\1parameter"),
}
"""What ptxas overlooks, and how a text says it as ptxlab wants it."""


def rewritten(text: str) -> Iterator[str]:
    """The text without what ptxas overlooks: one thing, or two."""
    seen, first = {text}, []
    for change in REWRITES.values():
        first += [once for once in change(text) if once not in seen]
    yield from first
    for once in first:
        for change in REWRITES.values():
            for twice in change(once):
                if twice not in seen:
                    seen.add(twice)
                    yield twice


REFUSED: Final[tuple[tuple[str, str, str], ...]] = (
    (
        r"does not support \.target",
        r"(?ms)^[ \t]*\.target\b.*^[ \t]*\.target\b",
        "a second .target, which ptxas compares with the version as if it were the first",
    ),
    (
        r"be an incomplete array",
        r"\[(?:4294967296|9223372036854775808|18446744073709551616)\]",
        "an extent of which ptxas keeps 32 bits, which are zero",
    ),
    (
        r"Alignment of argument does not match formal parameter",
        r"\.reg\s+\.align|\.align\s+\w+\s+\.reg",
        "a register with an alignment in an instruction for which ptxas calls a function of its own (redux, say)",
    ),
    (
        r"Feature 'unified Functions' requires command line option",
        r"\.unified\b",
        "a function that an option of ptxas is about",
    ),
    (
        r"Call to '\w+' requires call prototype|Illegal call target",
        r"(?ms)^\s*(\w+):.*\bcall\b[^;]*\b\1\b",
        "a label with the name of a function, which hides it for calls that follow",
    ),
    (
        r"Constant overflow",
        r"(?<![\w.])(?:\d{20,}|0[xX][0-9a-fA-F]{17,}|0[0-7]{22,}|0[bB][01]{65,})",
        "a number of more than 64 bits: ptxas cuts some and refuses others",
    ),
)
"""What ptxas says, what stands in the text, and why ptxlab takes it."""


def refused(text: str, said: str) -> str | None:
    """Why ptxlab takes what ptxas refuses with such words; None where nothing explains it."""
    return next((why for words, there, why in REFUSED if re.search(words, said) and re.search(there, text)), None)
