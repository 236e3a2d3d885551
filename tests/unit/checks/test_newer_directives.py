"""Directives and special registers of PTX 9.2 to 9.5: where they stand, what they take, what they need."""

from __future__ import annotations

import pytest

from ptxlab.checks import check
from ptxlab.diag import Severity
from ptxlab.ptx.parser import parse
from ptxlab.ptx.printer import text

_HEAD = ".version {}\n.target {}\n.address_size 64\n"
_KERNEL = ".visible .entry k(.param .u64 a){}\n{{\n    .reg .b32 %r<9>;\n    .reg .b64 %rd<9>;\n    {}\n    ret;\n}}\n"


def _source(directives: str, body: str = "", before: str = "", version: str = "9.5", target: str = "sm_90a") -> str:
    return _HEAD.format(version, target) + before + _KERNEL.format(f"\n    {directives}" if directives else "", body)


def _codes(source: str) -> list[str]:
    return [d.code for d in check(source, lints=False) if d.severity is Severity.ERROR]


_READS = "mov.u32 %r1, %perctamemorysize;\n    mov.u64 %rd1, %perctamemoryoffset;"


@pytest.mark.parametrize(
    ("directives", "body"),
    [
        (".minperctamemory 1024", _READS),
        (".minperctamemory 0", ""),
        (".maxntid 32 .minperctamemory 1024", ""),
        ('.language "cuda c++"', ""),
        ('.language "CUDA C++", "nvvm"', ""),
        (".language 1", ""),
        ("", '.pragma "mma_throughput";'),
        ("", ".loc_intermediate 1 2 3"),
        ("", "mov.u32 %r1, %r2;\n    .loc_intermediate 0x1 2 3\n    mov.u32 %r1, %r2;"),
    ],
)
def test_they_are_taken_and_printed_as_they_stand(directives: str, body: str) -> None:
    source = _source(directives, body, '.file 1 "a.cu"\n')
    assert text(parse(source)) == source
    assert _codes(source) == []


@pytest.mark.parametrize(
    ("source", "code"),
    [
        (_source(".minperctamemory"), "PTX2020"),
        (_source(".minperctamemory 1, 2"), "PTX2020"),
        (_source(".minperctamemory 4294967296"), "PTX2020"),
        (_source(".minperctamemory 1", target="sm_75"), "PTX2025"),
        (_source(".minperctamemory 1", version="9.3"), "PTX2025"),
        (_source("", "mov.u32 %r1, %perctamemorysize;"), "PTX2021"),
        (_source("", "mov.u32 %r1, %locality_domain_id;"), "PTX1005"),
        (_source('.language "cuda"'), "PTX0018"),
        (_source('.language "nvvm"', version="9.1"), "PTX1008"),
        (_source("", before='.func f() .language "foo" { ret; }\n'), "PTX0018"),
        (_source("", ".loc_intermediate 1 2 3", version="9.3"), "PTX1008"),
        (_source("", before='.pragma "mma_throughput";\n'), "PTX0018"),
    ],
)
def test_what_is_wrong_with_them(source: str, code: str) -> None:
    assert code in _codes(source)


@pytest.mark.parametrize(
    "source",
    [
        _source(".language nvvm"),
        _source("", ".loc_intermediate 1 2"),
        _source("", before=".loc_intermediate 1 2 3\n"),
        _source("", before=".func f() .minperctamemory 3 { ret; }\n"),
        _source("", before='.func f() .language "nvvm" .noreturn { ret; }\n'),
    ],
)
def test_what_stands_nowhere(source: str) -> None:
    assert _codes(source)
