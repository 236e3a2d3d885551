"""Words that ptxas knows: every modifier and instruction has a row, or stands here with the reason why not.

Candidates are the words among the strings of the program; ptxas is asked which of them it knows. What a new release brings
fails this test until it has a row.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import oracle
import pytest

import ptxlab.isa  # noqa: F401  (enters the rows)
from ptxlab.isa.form import FORMS
from ptxlab.isa.match import root, split_opcode

_REASON = oracle.why_not()
pytestmark = [pytest.mark.ptxas, pytest.mark.skipif(_REASON is not None, reason=_REASON or "")]

_OWN = "of ptxas' own instructions, which it takes from no file"
_MODIFIERS = {
    **dict.fromkeys(("alloc_large", "alloc_same", "alloc_small"), "classes of tensor maps; no form takes them"),
    **dict.fromkeys(("thread", "multicast", "invall", "maxabs", "safeadd", "scratch", "en", "dis"), _OWN),
    **dict.fromkeys(
        ("evict_first", "evict_last", "evict_normal", "evict_unchanged", "no_allocate"), "asked for with a level"
    ),
    **dict.fromkeys(("matrix::A", "matrix::D", "matrix::scaleA", "matrix::scaleB", "matrix::sparseMetadata"), _OWN),
    "L2::no_allocate": "no form takes it",
    "mbarrier::meet_tx::bytes": "no form takes it",
}
_DIRECTIVES = frozenset(
    (
        *(
            "FORCE_INLINE",
            "MACRO",
            "IF",
            "abi_preserve",
            "abi_preserve_after",
            "abi_preserve_control",
            "address_size",
            "align",
        ),
        *(
            "allocno",
            "attribute",
            "blocksareclusters",
            "branchtargets",
            "byte",
            "callprototype",
            "calltargets",
            "common",
        ),
        *(
            "entry",
            "explicitcluster",
            "extern",
            "file",
            "func",
            "fused",
            "hidden",
            "language",
            "loc",
            "loc_intermediate",
        ),
        *(
            "local_maxnreg",
            "managed",
            "maxclusterrank",
            "maxnctapersm",
            "maxnreg",
            "maxntid",
            "metadata",
            "metadata_domain",
        ),
        *(
            "minnctapersm",
            "minperctamemory",
            "negA",
            "negB",
            "noreturn",
            "nv_intermediate_source_section",
            "pragma",
            "ptr",
        ),
        *(
            "reg",
            "reqnctapercluster",
            "reqntid",
            "reserved",
            "retaddr_allocno",
            "section",
            "target",
            "transA",
            "transB",
        ),
        *("unified", "unique", "version", "visible", "weak", "alias"),
    )
)
"""Words that ptxas reads as directives, or as parts of its own."""
_INSTRUCTIONS = {
    **dict.fromkeys(("cctl", "cctlu", "cctl.tex.invall"), _OWN),
    **dict.fromkeys((f"fabric.try_{what}.async.tensor" for what in ("get", "put", "red")), "ptxas has no form of it"),
    **dict.fromkeys(("vote.ballot", "tex.uni", "tld4.uni", "mad.cc"), "of PTX that no target of ptxas 13 has"),
    **dict.fromkeys(
        ("ld.nc", "fma.f32", "fma.f64", "rcp.approx.f64", "cvt.f16x2.f32", "cvt.tf32.f32.rna"), "parts of opcodes"
    ),
    **dict.fromkeys(("tcgen05.fence", "tcgen05.wait"), "go with ::before_thread_sync, ::ld and their like"),
}
_WORD = re.compile(rb"(?<![\w:])\.([A-Za-z]\w{0,39}(?:::\w{1,39}){0,4})(?![\w:])")
_NAME = re.compile(rb"(?<=\0)[a-z][a-z0-9_]{1,30}(?:\.[a-z][a-z0-9_]*)*(?=\0)")
_AT_ONCE = 4000


def _target() -> str:
    return "sm_107a" if oracle.release() >= (13, 4) else "sm_100a"


def _errors(lines: Sequence[str]) -> dict[int, str]:
    """The first error of each line; a syntax error hides those of all behind it."""
    tool = oracle.ptxas()
    assert tool is not None
    version = ".".join(map(str, oracle.newest()))
    head = f".version {version}\n.target {_target()}\n.address_size 64\n.entry k() {{ .reg .b32 %r<9>;\n"
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "k.ptx"
        source.write_text(head + "\n".join(lines) + "\nret; }\n")
        done = subprocess.run(
            [tool, f"-arch={_target().replace('sm_', 'compute_')}", str(source), "-o", f"{folder}/k.o"],
            capture_output=True,
            text=True,
            check=False,
        )
    out: dict[int, str] = {}
    for found in re.finditer(r"line (\d+); (?:error|fatal)\s*: (.*)", done.stdout + done.stderr):
        out.setdefault(int(found[1]) - 5, found[2])
    return out


def _known(words: Sequence[str], line: str, unknown: str) -> dict[str, str]:
    """The words that ptxas knows, with what it says of them."""
    out: dict[str, str] = {}
    for first in range(0, len(words), _AT_ONCE):
        left = list(words[first : first + _AT_ONCE])
        while left:
            errors = _errors([line.format(word) for word in left])
            out |= {left[i]: said for i, said in errors.items() if unknown not in said and 0 <= i < len(left)}
            rest = [word for i, word in enumerate(left) if i not in errors]
            if len(rest) == len(left):
                return out | dict.fromkeys(rest, "taken")
            left = rest
    return out


def _strings(pattern: re.Pattern[bytes]) -> list[str]:
    tool = oracle.ptxas()
    assert tool is not None
    found = pattern.finditer(Path(tool).read_bytes())
    return sorted({m[pattern.groups].decode() for m in found})


def test_every_modifier_has_a_row() -> None:
    words = {value for form in FORMS.values() for slot in form.slots for value in slot.values}
    tried = [word for word in _strings(_WORD) if len(word) > 2 or word.islower()]  # code looks like short words, too
    known = _known(tried, "add.{}.u32 %r1, %r2, %r3;", "Unknown modifier")
    modifiers = {word for word, said in known.items() if "syntax error" not in said}
    assert len(modifiers) > 150
    assert not words & set(_MODIFIERS), "these have rows"
    assert sorted(modifiers - words - set(_MODIFIERS) - _DIRECTIVES) == []
    assert sorted(set(known) - modifiers - words - set(_MODIFIERS) - _DIRECTIVES) == [], "directives"


def test_every_instruction_has_a_row() -> None:
    known = _known([w for w in _strings(_NAME) if len(w) > 2], "{};", "Not a name of any known instruction")
    assert len(known) > 150
    lacking = [name for name, said in known.items() if "Unknown modifier" not in said and not _reached(name)]
    assert sorted(set(lacking) - set(_INSTRUCTIONS)) == []


def _reached(name: str) -> bool:
    """Whether an opcode of the rows begins so."""
    first, *rest = split_opcode(name)
    state = root(first)
    for part in rest:
        state = state and state.step(part)
    return state is not None
