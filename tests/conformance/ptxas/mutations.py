"""Real PTX with one or two mistakes drawn into it: lines, declarations, headers, directives, parameters, calls, labels, tokens,
characters. What neither the rows nor their neighbours show is found by them."""

# ruff: noqa: E501  (pools of words)

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

_TOKEN: Final = re.compile(
    r'"[^"\n]*"|//[^\n]*|0[xXfFdD][0-9a-fA-F]+U?|\d+\.\d+|\d+|\.[A-Za-z_]\w*(?:::\w+)*|[%$A-Za-z_][\w$]*|<<|>>|\s+|.',
    re.DOTALL,
)
_REGISTER: Final = re.compile(r"%(?:p|r|rd|f|fd|rs|h|rq|b|SP|SPL)\d*\b")
_NUMBER: Final = re.compile(r"(?<![\w.%$])(?:0[xXfFdD][0-9a-fA-F]+|\d+)(?![\w.])")
_NAME: Final = re.compile(r"(?<![\w.%$])[%$A-Za-z_][\w$]*")
_DECLARATION: Final = re.compile(r"^.*\.(?:reg|local|shared|global|const|param)\b[^;{}()]*?[;,)]?[^\n]*$", re.MULTILINE)

_TYPES: Final = (
    *(
        "b8",
        "b16",
        "b32",
        "b64",
        "b128",
        "u8",
        "u16",
        "u32",
        "u64",
        "s8",
        "s16",
        "s32",
        "s64",
        "f16",
        "f16x2",
        "f32",
        "f64",
    ),
    *("pred", "bf16", "bf16x2", "tf32", "e4m3", "e5m2", "u16x2", "s16x2", "f32x2", "texref", "samplerref", "surfref"),
    *("v2", "v4", "v3", "v8", "b1", "b4", "u4", "f8", "f128", "u128", "s128", "int", "x"),
)
_SPACES: Final = (
    "reg",
    "local",
    "shared",
    "global",
    "const",
    "param",
    "tex",
    "sreg",
    "shared::cta",
    "param::entry",
    "generic",
)
_NUMBERS: Final = (
    *(
        "0",
        "1",
        "2",
        "3",
        "4",
        "8",
        "16",
        "32",
        "64",
        "128",
        "255",
        "256",
        "1024",
        "65535",
        "65536",
        "2147483647",
        "2147483648",
    ),
    *(
        "4294967295",
        "4294967296",
        "9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
        "99999999999999999999",
    ),
    "-1",
    *(
        "-0",
        "+1",
        "-2147483649",
        "-4294967296",
        "017",
        "08",
        "0x10",
        "0X1f",
        "0b101",
        "0B1",
        "0b2",
        "0x",
        "0xG",
        "1U",
        "0x1U",
    ),
    *(
        "1u",
        "1L",
        "0x1FFFFFFFFFFFFFFFF",
        "1.0",
        "-1.0",
        "1.",
        ".5",
        "1e5",
        "1e",
        "1e-400",
        "1e400",
        "1.0f",
        "0f3F800000",
    ),
    *(
        "0F3f800000",
        "0f3F80",
        "0d3FF0000000000000",
        "0d3FF",
        "0x1p3",
        "0f7F800001",
        "'a'",
        "WARP_SZ",
        "(1+2)",
        "1+2",
        "!1",
        "~1",
    ),
    *(
        "-(3)",
        "1<<3",
        "1?2:3",
        "(1)",
        "1 2",
        "1,2",
        "%r1",
        "_",
        "{1}",
        "[1]",
        "1::2",
        "0777",
        "00",
        "0_1",
        "1 + 2",
        "(4*2)",
        "3-3",
    ),
    *("(.u64)1", "(.s64)-1", "7/0", "1==1", "2>1", "1.5+1", "sizeof", "nan", "inf", "$", "%", ""),
)
_VERSIONS: Final = (
    *(
        "1.0",
        "1.4",
        "2.0",
        "2.3",
        "3.0",
        "3.2",
        "4.0",
        "4.3",
        "5.0",
        "6.0",
        "6.3",
        "6.5",
        "7.0",
        "7.1",
        "7.4",
        "7.8",
        "8.0",
        "8.1",
    ),
    *(
        "8.3",
        "8.6",
        "8.7",
        "8.8",
        "9.0",
        "9.1",
        "9.2",
        "9.3",
        "9.4",
        "9.5",
        "9.6",
        "9.9",
        "9.10",
        "09.0",
        "9.00",
        "9",
        "9.0.1",
    ),
    *("0.1", "-9.0", "9,0", "8.9", "7.9", "9.0f", "nine"),
)
_TARGETS: Final = (
    *("sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_90a", "sm_100"),
    *("sm_100a", "sm_100f", "sm_103a", "sm_110a", "sm_120", "sm_120a", "sm_121a", "sm_90f", "sm_80a", "sm_95", "sm_20"),
    "sm_10",
    *(
        "compute_90",
        "compute_90a",
        "sm_090",
        "sm_90 a",
        "SM_90a",
        "sm_",
        "90a",
        "sm_90a, debug",
        "sm_90a, texmode_unified",
    ),
    *(
        "sm_90a, texmode_independent",
        "sm_90a, texmode_unified, texmode_independent",
        "texmode_unified, sm_90a",
        "sm_90a, sm_80",
    ),
    *(
        "sm_90a, foo",
        "sm_90a, map_f64_to_f32",
        "sm_90a debug",
        "sm_90a,",
        "sm_90a, texmode_raw",
        "debug",
        "sm_90a, sm_90a",
    ),
    *("sm_80, debug", "sm_13", "sm_90a, debug, debug", "sm_120f", "sm_107a"),
)
_DIRECTIVES: Final = (
    *(
        ".maxntid 128",
        ".maxntid 128, 1, 1",
        ".maxntid 0",
        ".maxntid 2048",
        ".maxntid 1, 2, 3, 4",
        ".maxntid",
        ".maxntid 128 1",
    ),
    *(
        ".reqntid 128",
        ".reqntid 32, 2",
        ".reqntid 0",
        ".reqntid 1025",
        ".minnctapersm 2",
        ".minnctapersm 0",
        ".minnctapersm 1, 1",
    ),
    *(
        ".maxnctapersm 2",
        ".maxnreg 64",
        ".maxnreg 0",
        ".maxnreg 999",
        ".maxnreg -1",
        ".noreturn",
        ".reqnctapercluster 2",
    ),
    *(
        ".reqnctapercluster 2, 2, 2",
        ".reqnctapercluster 0",
        ".reqnctapercluster 3, 7",
        ".explicitcluster",
        ".maxclusterrank 4",
    ),
    *(
        ".maxclusterrank 0",
        ".blocksareclusters",
        '.pragma "nounroll";',
        '.pragma "foo"',
        ".abi_preserve 8",
        ".abi_preserve_control 2",
    ),
    *(
        ".attribute(.unified(1, 2))",
        ".attribute(.managed)",
        ".attribute()",
        ".unified",
        ".visible",
        ".extern",
        ".weak",
        ".maxntid 8.0",
    ),
    *(
        ".maxntid 0x20",
        ".maxntid -1",
        ".maxnreg 32 .maxnreg 64",
        ".reqntid 64 .maxntid 64",
        ".language 1",
        ".noinline",
        ".ptr",
    ),
    *(
        '.pragma "nounroll", "x";',
        ".maxnreg 32;",
        ".explicitcluster .reqnctapercluster 2",
        ".reqntid (64)",
        ".maxntid 4294967297",
    ),
    *(".attribute(.unified(0x12, 0x34))", ".maxntid %r1", ".local_maxnreg 32", ".minnctapersm 4 .maxntid 64"),
)
_STATEMENTS: Final = (
    *(
        '.pragma "nounroll";',
        '.pragma "foo";',
        ".pragma nounroll;",
        ".pragma;",
        '.pragma "a", "b";',
        ".loc 1 2 3",
        ".loc 1 2",
        ".loc 9 1 1",
    ),
    *(
        '.file 1 "a.cu"',
        '.file 1 "a.cu", 1, 2',
        ".file 1 a.cu",
        '.file "a.cu"',
        ".section .debug_str { .b8 1, 2 }",
        ".section .foo { }",
    ),
    *(
        ".section .debug_abbrev { .b8 300 }",
        "{",
        "}",
        "{ }",
        "{ ret; }",
        ";",
        ";;",
        "// c",
        "/* c */",
        "/* c",
        "*/",
        '# 1 "a.cu"',
    ),
    *(
        "#pragma once",
        "#define A 1",
        "ret;",
        "exit;",
        "trap;",
        "brkpt;",
        "LX:",
        "LX: LX:",
        "LX: ret;",
        "bra LX;",
        "LX: bra LX;",
        "nop;",
    ),
    *(
        ".reg .b32 %zz;",
        ".reg .b32 %r1;",
        ".reg .b32 %zz<4>, %yy;",
        ".reg .b32 a b;",
        ".reg .b32;",
        ".reg %zz;",
        ".reg .v4 .b32 v;",
    ),
    *(
        ".shared .b32 zz;",
        ".shared .align 8 .b8 zz[16];",
        ".local .b64 zz[2];",
        ".global .b32 zz = 1;",
        ".const .b32 zz[2] = {1, 2};",
    ),
    *(
        ".extern .shared .b8 zz[];",
        ".param .b32 zz;",
        ".param .align 8 .b8 zz[16];",
        ".extern .global .b32 zz;",
        ".weak .global .b32 zz;",
    ),
    *(
        ".common .global .b32 zz;",
        ".common .global .b32 zz[4];",
        ".visible .global .b32 zz;",
        ".weak .func zz() { ret; }",
    ),
    *(
        ".func zz() { ret; }",
        ".func zz();",
        ".func zz;",
        ".extern .func zz();",
        ".visible .func (.param .b32 a) zz(.param .b32 b);",
    ),
    *(
        ".entry zz() { ret; }",
        ".entry zz { ret; }",
        ".visible .entry zz(.param .u64 a) { ret; }",
        ".entry zz();",
        ".func zz { }",
        ".func (.reg .u32 a) zz (.reg .u32 b) { ret; }",
    ),
    *(".alias zz, yy;", ".alias zz yy;", ".branchtargets A, B;", "T: .branchtargets LX;", "T: .calltargets zz;"),
    *(
        "P: .callprototype _ ();",
        "P: .callprototype (.param .b32 _) _ (.param .b64 _);",
        "P: .callprototype ();",
        ".callprototype _ ();",
    ),
    *(
        "call zz;",
        "call zz, ();",
        "call (a), zz, (b);",
        "call.uni zz;",
        "call (_), zz;",
        "brx.idx %r1, T;",
        "@%p1 ret;",
        "@!%p1 ret;",
    ),
    *(
        "@%p9999 ret;",
        "@%r1 ret;",
        "@p ret;",
        "@ret;",
        "@%p1;",
        "@%p1 { ret; }",
        "@%p1 LX: ret;",
        "@!!%p1 ret;",
        "@ %p1 ret;",
        "@%p1@%p1 ret;",
    ),
    *(
        ".version 9.0",
        ".target sm_90a",
        ".address_size 64",
        ".visible",
        ".extern",
        ".weak",
        ".common",
        ".entry",
        ".func",
    ),
    *(
        ".maxntid 32",
        ".noreturn",
        ".global .texref zz;",
        ".global .samplerref zz;",
        ".global .surfref zz;",
        ".tex .u32 zz;",
    ),
    *(
        ".global .attribute(.managed) .b32 zz;",
        ".global .attribute(.unified(1,2)) .b32 zz;",
        ".global .u64 zz = zz;",
        ".global .u64 zz = generic(zz);",
    ),
    *(
        ".global .b8 zz[2][2] = {{1,2},{3}};",
        ".global .b8 zz[] = {1,2};",
        ".global .b8 zz[];",
        ".global .b8 zz[0];",
        ".global .b8 zz[-1];",
    ),
    *(
        ".global .f32 zz = 1;",
        ".global .u32 zz = 1.0;",
        ".global .b8 zz = 300;",
        ".global .s8 zz = -1;",
        ".global .pred zz;",
        ".global .align 3 .b8 zz;",
    ),
    *(
        ".const .align 8 .b8 zz[70000];",
        ".blocksareclusters;",
        ".global .v4 .f32 zz = {1.0, 2.0, 3.0, 4.0};",
        ".global .b8 zz[4] = {1,};",
    ),
    *(
        ".func zz() .noreturn { ret; }",
        ".global .b32 zz, yy;",
        ".global .b32 zz = 1, yy = 2;",
        ".reg .b32 %zz = 1;",
        ".reg .b32 %zz[4];",
    ),
    *(
        ".reg .pred %zz<0>;",
        ".reg .b32 %zz<-1>;",
        ".reg .b32 %zz<1.0>;",
        ".reg .b32 %zz<>;",
        ".reg .b32 %zz<2><3>;",
        ".reg .align 4 .b32 %zz;",
    ),
    *(
        ".func (.param .b32 a, .param .b32 b) zz() { ret; }",
        ".visible .visible .global .b32 zz;",
        ".extern .visible .global .b32 zz;",
    ),
)
_CHARACTERS: Final = ",,;;{}[]()<>..::@!%+-=*/\"'#|&~?\\ \n\t_$0123xabzXU"
_MODIFIERS: Final = (
    *(
        "sync",
        "aligned",
        "rn",
        "rz",
        "ftz",
        "sat",
        "lo",
        "hi",
        "wide",
        "uni",
        "volatile",
        "relaxed",
        "gpu",
        "cta",
        "sys",
        "shared",
        "global",
    ),
    *(
        "local",
        "param",
        "const",
        "x",
        "y",
        "approx",
        "full",
        "cc",
        "to",
        "v2",
        "v4",
        "nc",
        "ca",
        "cg",
        "L1::evict_last",
        "shared::cta",
    ),
    *(
        "shared::cluster",
        "acquire",
        "release",
        "b128",
        "weak",
        "unified",
        "foo",
        "mmio",
        "L2::128B",
        "noftz",
        "param::func",
        "param::entry",
    ),
)


@dataclass(frozen=True)
class Mutant:
    """A module, what was changed in it, and the number it was drawn with."""

    text: str
    why: str
    number: int


class _Tokens:
    """The tokens of a text; blanks are tokens, too."""

    def __init__(self, text: str) -> None:
        self.all = _TOKEN.findall(text)
        self.solid = [i for i, t in enumerate(self.all) if not t.isspace()]

    def text(self) -> str:
        return "".join(self.all)


Change = Callable[[random.Random, str], str | None]


def _at_one(
    dice: random.Random, pattern: re.Pattern[str], text: str, make: Callable[[re.Match[str]], str | None]
) -> str | None:
    """The text with one match of a pattern replaced."""
    found = list(pattern.finditer(text))
    if not found:
        return None
    one = dice.choice(found)
    new = make(one)
    return None if new is None else text[: one.start()] + new + text[one.end() :]


# --- lines


def _line_out(dice: random.Random, text: str) -> str:
    lines = text.splitlines()
    del lines[dice.randrange(len(lines))]
    return "\n".join(lines) + "\n"


def _line_twice(dice: random.Random, text: str) -> str:
    lines = text.splitlines()
    at = dice.randrange(len(lines))
    lines.insert(dice.choice((at, dice.randrange(len(lines) + 1))), lines[at])
    return "\n".join(lines) + "\n"


def _line_moved(dice: random.Random, text: str) -> str:
    lines = text.splitlines()
    line = lines.pop(dice.randrange(len(lines)))
    lines.insert(dice.randrange(len(lines) + 1), line)
    return "\n".join(lines) + "\n"


def _lines_swapped(dice: random.Random, text: str) -> str | None:
    lines = text.splitlines()
    if len(lines) < 2:
        return None
    at = dice.randrange(len(lines) - 1)
    lines[at : at + 2] = lines[at + 1], lines[at]
    return "\n".join(lines) + "\n"


def _line_in(dice: random.Random, text: str) -> str:
    lines = text.splitlines()
    lines.insert(dice.randrange(len(lines) + 1), dice.choice(_STATEMENTS))
    return "\n".join(lines) + "\n"


# --- tokens and characters


def _token_out(dice: random.Random, text: str) -> str:
    tokens = _Tokens(text)
    tokens.all[dice.choice(tokens.solid)] = ""
    return tokens.text()


def _token_twice(dice: random.Random, text: str) -> str:
    tokens = _Tokens(text)
    at = dice.choice(tokens.solid)
    tokens.all[at] += dice.choice(("", " ")) + tokens.all[at]
    return tokens.text()


def _token_instead(dice: random.Random, text: str) -> str:
    tokens = _Tokens(text)
    tokens.all[dice.choice(tokens.solid)] = tokens.all[dice.choice(tokens.solid)]
    return tokens.text()


def _tokens_swapped(dice: random.Random, text: str) -> str:
    tokens = _Tokens(text)
    at = dice.randrange(len(tokens.solid) - 1)
    one, other = tokens.solid[at : at + 2]
    tokens.all[one], tokens.all[other] = tokens.all[other], tokens.all[one]
    return tokens.text()


def _character(dice: random.Random, text: str) -> str:
    at = dice.randrange(len(text))
    how = dice.randrange(4)
    if how == 0:
        return text[:at] + text[at + 1 :]
    if how == 1:
        return text[:at] + dice.choice(_CHARACTERS) + text[at:]
    if how == 2:
        return text[:at] + dice.choice(_CHARACTERS) + text[at + 1 :]
    return text[:at] + text[at] + text[at:]


_PUNCTUATION: Final = re.compile(r"[,;{}()\[\]<>=:@!]")


def _punctuation(dice: random.Random, text: str) -> str | None:
    return _at_one(dice, _PUNCTUATION, text, lambda m: dice.choice(("", m[0] * 2, dice.choice(",;{}()[]<>=:@!."))))


def _comment(dice: random.Random, text: str) -> str:
    tokens = _Tokens(text)
    at = dice.choice(tokens.solid)
    tokens.all[at] += dice.choice(
        ("/**/", " /* x */ ", "// x\n", "\n", "\t", "/*", "//", "*/", "\f", "\\\n", "#", " \r\n", "/* // */", "\n# 7\n")
    )
    return tokens.text()


# --- declarations

_TYPE: Final = re.compile(r"\.(?:[busf](?:8|16|32|64|128)|f16x2|pred|v[248])\b")
_DECLARED: Final = re.compile(
    r"^(?=.*\.(?:reg|local|shared|global|const|param)\s+[^\[]*[\w\]>)]\s*(?:=.*)?[;,]?\s*$).*$", re.MULTILINE
)
_SPACE: Final = re.compile(r"\.(?:reg|local|shared|global|const|param)\b")
_EXTENT: Final = re.compile(r"(?<=\w)\[\d*\]|<\d+>")
_END: Final = re.compile(r"(?<=[\w\]>])(?=;)")


def _in_declaration(change: Callable[[random.Random, str], str | None]) -> Change:
    """A change within one line that declares something."""

    def made(dice: random.Random, text: str) -> str | None:
        return _at_one(dice, _DECLARED, text, lambda m: change(dice, m[0]))

    return made


def _type(dice: random.Random, line: str) -> str | None:
    return _at_one(dice, _TYPE, line, lambda m: dice.choice(("", m[0] * 2, *(f".{t}" for t in _TYPES))))


def _space(dice: random.Random, line: str) -> str | None:
    return _at_one(dice, _SPACE, line, lambda m: dice.choice(("", m[0] * 2, *(f".{s}" for s in _SPACES))))


_BEFORE_TYPE: Final = re.compile(r"(?=\.(?:[busf](?:8|16|32|64|128)|f16x2|pred)\b)")


def _before_type(dice: random.Random, line: str) -> str | None:
    align = f".align {dice.choice(('0', '1', '2', '3', '4', '8', '16', '128', '256', '1073741824', '2147483648', '-4', '4.0', '0x8', ''))} "
    more = (
        align,
        align,
        ".v2 ",
        ".v4 ",
        ".v3 ",
        ".v8 ",
        ".ptr ",
        ".volatile ",
        ".attribute(.managed) ",
        ".attribute(.unified(1, 2)) ",
    )
    return _at_one(dice, _BEFORE_TYPE, line, lambda _: dice.choice(more))


_AFTER_TYPE: Final = re.compile(r"(?<=\.[busf]\d\d)(?=\s)")


def _after_type(dice: random.Random, line: str) -> str | None:
    spaces = ("", " .global", " .shared", " .const", " .local", " .param", " .generic")
    aligns = ("", " .align 16", " .align 3", " .align 0", " .align 4096", " .align")
    return _at_one(
        dice, _AFTER_TYPE, line, lambda _: " .ptr" * (dice.random() < 0.8) + dice.choice(spaces) + dice.choice(aligns)
    )


def _extent(dice: random.Random, line: str) -> str | None:
    def new(m: re.Match[str]) -> str:
        inner, number = m[0][1:-1], dice.choice(_NUMBERS)
        near = str(int(inner or 0) // dice.choice((1, 2, 3, 8)) + dice.choice((-1, 0, 1)))
        value = dice.choice((number, near, near))
        return dice.choice((f"{m[0][0]}{value}{m[0][-1]}", f"{m[0]}[{value}]", "", f"[{value}]", f"<{value}>"))

    return _at_one(dice, _EXTENT, line, new)


def _initialised(dice: random.Random, line: str) -> str | None:
    names = ("zz", "generic(zz)", "0xFF(zz)", "zz+4", "generic(zz)+4", "zz-4")
    one = dice.choice((dice.choice(_NUMBERS), dice.choice(_NUMBERS), dice.choice(names)))
    many = ", ".join(dice.choice((one, dice.choice(_NUMBERS))) for _ in range(dice.randrange(5)))
    value = dice.choice((one, f"{{{many}}}", f"{{{{{many}}}, {one}}}", f'"{one}"'))
    return _at_one(dice, _END, line, lambda _: f" = {value}")


def _linkage(dice: random.Random, line: str) -> str:
    return (
        dice.choice((".visible", ".extern", ".weak", ".common", ".visible .weak", ".static", ".entry", ".func"))
        + " "
        + line.lstrip()
    )


def _declared_name(dice: random.Random, line: str) -> str | None:
    new = (
        "zz",
        "%zz",
        "_",
        "%tid",
        "%r1",
        "a.b",
        "$",
        "ret",
        "add",
        "%",
        "WARP_SZ",
        "b32",
        "1a",
        "_a",
        "%1",
        "a%b",
        "call",
    )
    return _at_one(
        dice, _NAME, line, lambda m: dice.choice((*new, m[0] + "0", m[0][:-1], m[0] + ", " + m[0], m[0] + ", zz"))
    )


# --- the header


_VERSION: Final = re.compile(r"(?<=\.version )\S+")
_TARGET: Final = re.compile(r"(?<=\.target )[^\n]+")
_SIZE: Final = re.compile(r"(?<=\.address_size )\S+")


def _version(dice: random.Random, text: str) -> str | None:
    return _at_one(dice, _VERSION, text, lambda _: dice.choice(_VERSIONS))


def _target(dice: random.Random, text: str) -> str | None:
    return _at_one(dice, _TARGET, text, lambda _: dice.choice(_TARGETS))


def _address_size(dice: random.Random, text: str) -> str | None:
    return _at_one(
        dice, _SIZE, text, lambda _: dice.choice(("32", "64", "16", "0x40", "64.0", "", "64 64", "64;", "-64", "128"))
    )


# --- functions

_OPENING: Final = re.compile(r"^\{", re.MULTILINE)
_DIRECTIVE: Final = re.compile(
    r"^\s*\.(?:maxntid|reqntid|minnctapersm|maxnreg|reqnctapercluster|explicitcluster|noreturn)\b.*$", re.MULTILINE
)
_FUNCTION: Final = re.compile(r"(?:\.(?:visible|extern|weak)\s+)?\.(?:entry|func)\b")
_PARAMETER: Final = re.compile(r"\.param[^,()\n]*[\w\]]")


def _directive_in(dice: random.Random, text: str) -> str | None:
    more = " ".join(dice.choice(_DIRECTIVES) for _ in range(dice.choice((1, 1, 1, 2))))
    return _at_one(dice, _OPENING, text, lambda _: f"{more}\n{{")


def _directive_changed(dice: random.Random, text: str) -> str | None:
    return _at_one(dice, _DIRECTIVE, text, lambda m: dice.choice(("", m[0] + m[0], *_DIRECTIVES)))


def _function(dice: random.Random, text: str) -> str | None:
    kinds = (
        ".visible .entry",
        ".entry",
        ".func",
        ".visible .func",
        ".extern .func",
        ".weak .func",
        ".weak .entry",
        ".extern .entry",
    )
    return _at_one(
        dice, _FUNCTION, text, lambda _: dice.choice((*kinds, ".common .func", ".entry .func", "", ".visible"))
    )


def _parameter(dice: random.Random, text: str) -> str | None:
    other = list(_PARAMETER.findall(text))

    def new(m: re.Match[str]) -> str | None:
        extra = (
            ".param .b32 zz",
            ".param .align 8 .b8 zz[16]",
            ".reg .b32 zz",
            ".param .u64 .ptr .global .align 16 zz",
            ".param .b32 zz[]",
            "...",
        )
        change: Sequence[str | None] = (
            "",
            f"{m[0]}, {m[0]}",
            f"{m[0]}, {dice.choice(extra)}",
            f"{dice.choice(extra)}, {m[0]}",
            dice.choice(extra),
            dice.choice(other),
            m[0].replace(".param", ".reg"),
            m[0] + dice.choice(("[4]", "[]", "[0]", "[2][2]", "[-1]", " = 1", "<4>", "[1]")),
            _type(dice, m[0]),
            _before_type(dice, m[0]),
            _after_type(dice, m[0]),
        )
        return dice.choice(change)

    return _at_one(dice, _PARAMETER, text, new)


# --- calls and labels

_CALL: Final = re.compile(r"\bcall\b[^;]*;", re.DOTALL)
_LABEL: Final = re.compile(r"^\s*[$\w]+:", re.MULTILINE)
_BRANCH: Final = re.compile(r"(?<=bra)(?:\.uni)?[ \t]+[$\w]+")
_PROTOTYPE: Final = re.compile(r"\.(?:callprototype|calltargets|branchtargets)\b[^;]*;")


def _call(dice: random.Random, text: str) -> str | None:
    def new(m: re.Match[str]) -> str:
        change = dice.choice((_token_out, _token_twice, _token_instead, _tokens_swapped, _punctuation, _use, _number))
        return change(dice, m[0]) or m[0]

    return _at_one(dice, dice.choice((_CALL, _PROTOTYPE)), text, new)


def _label(dice: random.Random, text: str) -> str | None:
    lines = text.splitlines()
    at = [i for i, line in enumerate(lines) if _LABEL.fullmatch(line)]
    if not at:
        return None
    chosen = dice.choice(at)
    line = lines[chosen]
    if dice.random() < 0.5:
        del lines[chosen]
    for _ in range(dice.choice((0, 1, 1))):
        to = dice.randrange(len(lines) + 1)
        lines[to:to] = dice.choice(
            ([line], [line], ["{", line, "}"], [line + line], [line + " ret;"], [line.replace(":", "::")])
        )
    return "\n".join(lines) + "\n"


def _branch(dice: random.Random, text: str) -> str | None:
    labels = _LABEL.findall(text)
    names = [name.strip(": \n\t") for name in labels]
    return _at_one(
        dice, _BRANCH, text, lambda _: " " + dice.choice((*names, "zz", "%r1", "1", "", *(f"{n}+4" for n in names[:1])))
    )


# --- uses


def _register(dice: random.Random, text: str) -> str | None:
    every = _REGISTER.findall(text)
    classes = (
        "%p1",
        "%r1",
        "%rd1",
        "%f1",
        "%fd1",
        "%rs1",
        "%r9999",
        "%tid.x",
        "%tid",
        "%clock64",
        "%zz",
        "%r0",
        "%r01",
        "%envreg3",
        "%laneid",
    )
    return _at_one(
        dice,
        _REGISTER,
        text,
        lambda m: dice.choice((dice.choice(every), dice.choice(classes), m[0] + ".x", "-" + m[0], "!" + m[0])),
    )


def _use(dice: random.Random, text: str) -> str | None:
    names = _NAME.findall(text)
    return _at_one(
        dice,
        _NAME,
        text,
        lambda m: dice.choice((dice.choice(names), dice.choice(names), m[0] + "x", "zz", m[0].swapcase())),
    )


def _number(dice: random.Random, text: str) -> str | None:
    return _at_one(dice, _NUMBER, text, lambda _: dice.choice(_NUMBERS))


_ADDRESS: Final = re.compile(r"\[[^\]\n{]+\]")


def _address(dice: random.Random, text: str) -> str | None:
    def new(m: re.Match[str]) -> str:
        inner, number = m[0][1:-1], dice.choice(_NUMBERS)
        near = (
            f"[{inner}+{number}]",
            f"[{inner}-4]",
            f"[{inner}+-4]",
            f"[{number}]",
            f"[{inner}+%r1]",
            f"[{inner}, 4]",
            f"[[{inner}]]",
        )
        return dice.choice(
            (
                *near,
                inner,
                f"[ {inner} ]",
                f"{inner}[4]",
                f"[{inner}]+4",
                f"[{inner}+4+4]",
                f"[4+{inner}]",
                f"[{inner}*2]",
                f"[-{inner}]",
                "[]",
            )
        )

    return _at_one(dice, _ADDRESS, text, new)


_OPCODE: Final = re.compile(r"^\s*(?:@!?%\w+\s+)?[a-z]\w*(?:\.[\w:]+)*", re.MULTILINE)


def _opcode(dice: random.Random, text: str) -> str | None:
    every = [m[0].split()[-1] for m in _OPCODE.finditer(text)]

    def new(m: re.Match[str]) -> str:
        head, _, last = m[0].rpartition("\t" if "\t" in m[0] else " ")
        parts = last.split(".")
        at = dice.randrange(len(parts))
        how = dice.randrange(6)
        if how == 0 and len(parts) > 1:
            del parts[at]
        elif how == 1:
            parts.insert(at, parts[at])
        elif how == 2:
            parts.insert(at + 1, dice.choice(_MODIFIERS))
        elif how == 3 and at:
            parts[at] = dice.choice((*_TYPES[:20], *_MODIFIERS))
        elif how == 4:
            parts = dice.choice(every).split(".")
        else:
            parts = [*parts[:1], *dice.sample(parts[1:], len(parts) - 1)]
        return f"{head}\t{'.'.join(parts)}"

    return _at_one(dice, _OPCODE, text, new)


_GUARDED: Final = re.compile(r"^[ \t]+(?:@!?%\w+[ \t]+)?(?=[a-z])", re.MULTILINE)


def _guard(dice: random.Random, text: str) -> str | None:
    guards = (
        "@%p1",
        "@!%p1",
        "@%r1",
        "@%p99",
        "@",
        "@!",
        "!%p1",
        "@%p1.x",
        "@1",
        "@%tid.x",
        "@!!%p1",
        "@%pt",
        "@(%p1)",
        "@-%p1",
        "",
    )
    return _at_one(dice, _GUARDED, text, lambda _: f"\t{dice.choice(guards)} ")


def _braces(dice: random.Random, text: str) -> str:
    lines = text.splitlines()
    first = dice.randrange(len(lines) + 1)
    last = dice.randrange(first, min(len(lines), first + 12) + 1)
    return "\n".join((*lines[:first], "{", *lines[first:last], "}", *lines[last:])) + "\n"


CHANGES: Final[dict[str, tuple[int, Change]]] = {
    "a line left out": (4, _line_out),
    "a line twice": (3, _line_twice),
    "a line moved": (3, _line_moved),
    "lines swapped": (2, _lines_swapped),
    "a statement more": (8, _line_in),
    "a token left out": (3, _token_out),
    "a token twice": (2, _token_twice),
    "a token of elsewhere": (3, _token_instead),
    "tokens swapped": (2, _tokens_swapped),
    "a character": (4, _character),
    "punctuation": (3, _punctuation),
    "a comment or gap": (3, _comment),
    "the type of a declaration": (4, _in_declaration(_type)),
    "the space of a declaration": (3, _in_declaration(_space)),
    "in front of a type": (3, _in_declaration(_before_type)),
    "behind a type": (2, _in_declaration(_after_type)),
    "an extent": (4, _in_declaration(_extent)),
    "an initialiser": (4, _in_declaration(_initialised)),
    "a linkage": (2, _in_declaration(_linkage)),
    "a declared name": (3, _in_declaration(_declared_name)),
    "the version": (3, _version),
    "the target": (3, _target),
    "the size of addresses": (1, _address_size),
    "a directive more": (4, _directive_in),
    "a directive": (2, _directive_changed),
    "a function's kind": (2, _function),
    "a parameter": (5, _parameter),
    "a call": (5, _call),
    "a label": (4, _label),
    "a branch": (2, _branch),
    "a register": (4, _register),
    "a name": (4, _use),
    "a number": (5, _number),
    "an address": (4, _address),
    "an opcode": (3, _opcode),
    "a guard": (3, _guard),
    "braces": (2, _braces),
}


def draw(sources: Sequence[Sequence[str]], count: int, seed: int = 0, first: int = 0) -> Iterator[Mutant]:
    """Mutants `first` to `first + count` of a seed. `sources`: the pieces of each file; every file comes up alike."""
    weights = [weight for weight, _ in CHANGES.values()]
    for number in range(first, first + count):
        dice = random.Random(f"{seed}:{number}")
        text = base = dice.choice(dice.choice(sources))
        done: list[str] = []
        wanted = 1 if dice.random() < 0.8 else 2
        while len(done) < wanted:
            name = dice.choices(list(CHANGES), weights)[0]
            made = CHANGES[name][1](dice, text)
            if made is not None and made not in (text, base):
                done.append(name)
                text = made
        yield Mutant(text, ", ".join(done), number)
