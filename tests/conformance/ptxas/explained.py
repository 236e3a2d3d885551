"""Where rows and ptxas differ on purpose. Everything else must agree."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ptxlab.isa.enumerate import Candidate
from ptxlab.isa.operands import Addr
from ptxlab.isa.targets import Version


@dataclass(frozen=True)
class Explained:
    """A difference: the instruction's name, what was tried, which side rejects ("rows" or "ptxas"), and why it stays.

    `key`: of the rows that it is about, where not all of that name are. `before`: the PTX version from which on it is gone.
    `since`, `until`: the releases of ptxas that it is there from and up to. `sampler`: where a sampler stands beside a texture.
    """

    name: str
    why: str
    rejected_by: str
    reason: str
    key: str = ".*"
    before: Version = (99, 0)
    since: tuple[int, int] = (13, 1)
    until: tuple[int, int] = (99, 0)
    sampler: bool = False

    def covers(self, candidate: Candidate, rejected_by: str, version: Version, release: tuple[int, int]) -> bool:
        """Whether this entry explains a difference."""
        return (
            rejected_by in self.rejected_by.split("|")
            and version < self.before
            and self.since <= release <= self.until
            and re.fullmatch(self.name, candidate.form.name) is not None
            and re.fullmatch(self.key, candidate.form.key) is not None
            and re.fullmatch(self.why, candidate.why) is not None
            and (not self.sampler or any(isinstance(o, Addr) and o.between for o in candidate.operands))
        )


EXPLAINED = [
    Explained(
        r"applypriority\.async\.bulk\.tensor",
        r"without \.[1-5]d",
        "rows",
        "a tensor has a number of dimensions; ptxas does not ask for it where rows are gathered or scattered",
    ),
    Explained(
        r"fabric\.try_pullred\.async",
        "(mask|operand [45]) as .*",
        "rows|ptxas",
        "all lanes take part: ptxas 13.3 and 13.4 take any register for their mask, and 13.3 no -1",
        until=(13, 4),
    ),
    Explained(
        r"fabric\.try_.*",
        r"a symbol of \.shared",
        "ptxas",
        "ptxas 13.3 adds to the address before it looks at what it is",
        until=(13, 3),
    ),
    Explained(
        "spcompress", "first as a float literal", "rows", "ptxas takes a register or a float literal, and no integer"
    ),
    Explained(
        r"cp\.async\.bulk\.tensor",
        r"gaddr as \.[bu]16",
        "rows",
        "an address of global memory has 64 bits; where a tile is loaded, ptxas takes 16",
        key=r".*\.at",
    ),
    Explained(
        r"prefetch\.tensormap",
        r"(a symbol of \.param::func|operand 0 as \[arg.*)",
        "ptxas",
        "whether a parameter is the function's own or one that it passes is asked of the module, not of the row",
    ),
    Explained(
        "tex.*|tld4",
        ".*",
        "ptxas",
        "whether samplers stand apart from textures is asked of the module, not of the row",
        sampler=True,
    ),
    Explained("tex.*", r"without \.(level|grad)", "rows", "what is left is an offset of one number; see below"),
    Explained(r"su(red|st)\..*", r"c as \.[buf]64", "rows", "32 bits; ptxas does not look at the register"),
    Explained(
        r"su(st|ld)\..*",
        r"([cd] without braces|without \.v[24])",
        "rows",
        "a vector has as many registers as its modifier says",
    ),
    Explained("tex.*|tld4|su.*", "a coordinate more", "rows", "ptxas overlooks a second coordinate of one dimension"),
    Explained("tex.*|tld4", "(offset|depth) as .*", "ptxas", "ptxas expands it to instructions that take no immediate"),
    Explained(
        "tex.*|tld4",
        r"(depth as (\.[us]32|-1|the integer 3)|offset without braces|an operand too many)",
        "rows",
        "a depth is a float, and an offset has as many elements as the texture has dimensions; ptxas takes any number for one",
    ),
    Explained(
        "tex.*|tld4",
        "with its modifiers in another order",
        "rows",
        "their order says what types and component are meant",
    ),
    Explained(
        r"tcgen05\.mma(\.sp)?",
        r"scale as .*",
        "rows",
        "a small number; ptxas does not look at it in products of .kind::i8, which have no scale",
    ),
    Explained("mov", ".* with a sink in it", "rows", "a sink is written, never read; ptxas packs an undefined value"),
    Explained(
        "mov",
        "a (without braces|as .*)",
        "rows",
        "ptxas takes a scalar apart into smaller elements than the type says",
        key=r"mov\.vector",
    ),
    Explained("mov", "a as a symbol", "rows", "no address has 128 bits"),
    Explained("testp", r"without \..*", "rows", "the manual has no testp without a property"),
    Explained(r"bar(rier)?\..*", "threads as 4294967296", "rows", "ptxas takes the count modulo 2^32"),
    Explained(
        r"call", "the last operand left out", "rows", "a call with return values has an argument list in the manual"
    ),
    Explained(
        r"cp\.async\.mbarrier\.arrive|[ls][td]matrix|mbarrier\.check_layout",
        r"a symbol of \.(global|local)",
        "rows",
        "the generic address must lie in shared memory; ptxas does not look at the symbol",
    ),
    Explained(
        r"(multimem\.)?cp\.(reduce\.)?async\.bulk(\.tensor)?|fabric\.try_.*",
        "an address without brackets",
        "rows",
        "the manual writes addresses in brackets",
    ),
    Explained(
        r"cp\.async\.bulk|fence\.proxy\.(tensormap|async::generic|(fabric|generic)::\w+)",
        r"with \..* at the end",
        "rows",
        "ptxas overlooks modifiers it does not know",
    ),
    Explained(
        r"fence\.proxy\.tensormap",
        r"(a float as address|a symbol of \..*)",
        "rows",
        "the tensor map lies in global memory; ptxas does not look at the operand",
    ),
    Explained(r"wgmma\..*|setmaxnreg", r"without \.aligned", "rows", "the manual makes .aligned mandatory"),
    Explained(
        r"wmma\..*", r"without \.aligned", "rows", "the manual makes .aligned mandatory from PTX 6.3 on", before=(6, 3)
    ),
    Explained("ldmatrix", "d with a sink in it", "rows", "the manual has no sink here"),
    Explained(
        "cvt",
        "(an operand too many|a as .*)",
        "rows",
        "ptxas takes a second operand of any type from bf16x2 and ue8m0x2 to so narrow types, and drops it",
        r"cvt\.(small\.pair|fp8\.bf16x2|ue8m0\.bf16x2|from_ue8m0|s2f6\.bf16x2)",
    ),
    Explained("cvt|atom", ".*", "crash", "ptxas dies without a word"),
    Explained(
        "cvt", "[ab] as a decimal fraction", "ptxas", "a decimal literal has 64 bits; ptxas cuts it to f32 elsewhere"
    ),
    Explained(r"(?!ldu?$).*", "a unified address", "rows", "the manual marks addresses of loads alone as unified"),
    Explained(
        "setp", "with its modifiers in another order", "rows", "the manual has the comparison first; ptxas takes both"
    ),
    Explained(
        "st", "b with a sink in it", "rows", "a sink is written, never read; ptxas stores an undefined value", "st.*"
    ),
    Explained(
        r"cp\.async\.bulk|tensormap\.query.*",
        "an address of 32 bits",
        "ptxas",
        "from sm_100 on ptxas widens 32-bit addresses with a mov of its own that does not fit some of these forms",
    ),
    Explained("st", "an address of 32 bits", "ptxas", "32-bit addresses of call parameters: nobody has them"),
    Explained(
        r"cp\.async", ".*", "rows", "`.shared::cta` came with PTX 7.8; ptxas takes it in cp.async before", before=(7, 8)
    ),
    Explained("w?mma.*", "d with a sink in it", "rows", "the manual has no sink here"),
    Explained(
        r"(wgmma\.mma_async|mma)\.sp|movmatrix|mma",
        r"(d|a|meta|scale_[ab]) as (\.pred|a float literal|a negated predicate)",
        "rows",
        "the operand is a register of 32 bits; ptxas does not look at it",
    ),
    Explained(r"mma\.sp", "a without braces", "rows", "a matrix of two registers; ptxas takes one for both"),
    Explained(
        r"mma\.sp|wmma\.(load|store)", r"with \.v2 at the end", "rows", "ptxas overlooks modifiers it does not know"
    ),
    Explained(
        r"cp\.async\.bulk\.tensor",
        r"mask as \.[bu]64",
        "rows",
        "ptxas takes it for a cache policy without its modifier",
    ),
    Explained(
        "mma",
        r".* in operand [03]",
        "ptxas",
        "on sm_100 and its like ptxas expands it to additions, whose vectors have one type; elsewhere it takes several",
        key=r"mma\.f8f6f4",
    ),
    Explained(
        r"wmma\.mma",
        r"-?\d+ in operand [12]",
        "ptxas",
        "numbers alone in A or B of integers: ptxas takes them for some targets and shapes",
        key=r"wmma\.mma\.int[48]",
    ),
    Explained(
        r"createpolicy\.cvt",
        r"(policy as (an immediate|the integer 3|-1)|operand 0 as \d+)",
        "rows",
        "a destination is a register",
    ),
    Explained(
        r"(st|red)\.async",
        r"(the last operand left out|without \.(mbarrier::complete_tx::bytes|release|gpu))",
        "rows",
        "the manual makes the barrier, or the order and its scope, mandatory",
    ),
    Explained(
        r"st\.async",
        r"(b without braces|without \.v[24])",
        "rows",
        "a vector has as many registers as its modifier says; ptxas does not count them",
    ),
    Explained(r"multimem\.ld_reduce", r"d as \.pred", "rows", "ptxas does not look at registers of 8-bit floats"),
    Explained(
        r"clusterlaunchcontrol\.query_cancel",
        "answer as (an immediate|the integer 3|-1)",
        "rows",
        "an immediate of 128 bits means nothing",
    ),
    Explained(
        r"cp\.async\.bulk(\.tensor)?",
        r"(mask|operand \d) as (-1|4294967295)",
        "ptxas",
        "16 or 32 bits: ptxas 13.1 cuts the number to them, later ones refuse what does not fit",
        since=(13, 4),
    ),
    Explained(
        r"cp\.(reduce\.)?async\.bulk\.tensor",
        r"with \..* at the end",
        "rows",
        "ptxas 13.5 overlooks modifiers it does not know in copies of tensors, too",
        since=(13, 5),
    ),
    Explained(
        r"mbarrier\.(test|try)_wait(\.parity)?",
        r"value as (an immediate|the integer 3|-1)",
        "rows",
        "a destination is a register",
        r".*\.value",
    ),
    Explained(r"bra|brx\.idx", ".*", "ptxas", "whether a label is one of code is asked of the module, not of the row"),
    Explained(
        "call", ".*", "ptxas", "whether the name in a call is a function's is asked of the module, not of the row"
    ),
    Explained(
        r"(multimem\.)?cp\.(reduce\.)?async\.bulk",
        r"(plain|without \.relaxed|all optional operands|with \.(cta|cluster|gpu|sys) put in)",
        "rows",
        "ptxas 13.2 takes a scope without an order, which came with PTX 9.3",
        since=(13, 2),
        until=(13, 2),
    ),
    Explained(
        r"mbarrier\.(test|try)_wait(\.parity)?",
        r"without \.phase_type::primary",
        "rows",
        "ptxas 13.2 takes a second predicate without .phase_type::primary, which came with PTX 9.3",
        since=(13, 2),
        until=(13, 2),
    ),
]


def explain(candidate: Candidate, rejected_by: str, version: Version, release: tuple[int, int]) -> Explained | None:
    """The entry that explains a difference with a release of ptxas; None when nothing does."""
    return next((e for e in EXPLAINED if e.covers(candidate, rejected_by, version, release)), None)
