"""Small programs made of the rows of `ptxlab.isa.order`: two accesses to one location, and a hand-over between them.

Each giver is put together with each taker of its carrier, in one CTA, over a cluster and over a GPU, with scopes that are wide
enough and one step narrower, with the location in every memory that the threads reach. `ordered` is what the rows say of that;
nothing here asks the model or the sanitizer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from ptxlab.isa.effects import SCOPES
from ptxlab.isa.order import (
    ALL,
    COPIES,
    GIVES,
    INITS,
    MEMORIES,
    NOTHING,
    OPERATION,
    PROXY_FENCES,
    SOURCES,
    TAKES,
    Give,
    Take,
    memory_seen,
    narrower,
)

PLACES = {
    "cta": ("P0@cta 0,gpu 0", "P1@cta 0,gpu 0"),
    "cluster": ("P0@cta 0,cluster 0,gpu 0", "P1@cta 1,cluster 0,gpu 0"),
    "gpu": ("P0@cta 0,gpu 0", "P1@cta 1,gpu 0"),
}
"""Where two threads run, by the scope that they need."""
BETWEEN_THREADS = ("flag", "phase", "barrier", "cluster")
"""Carriers between threads that programs are made of."""
OF_THREADS = ("cp.async-group", "bulk-group")
"""Carriers within a thread."""
_TX = "mbarrier::complete_tx::bytes"
_EXPECT = "mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [{m}], 16"
_BARRIER = (("bar.cta.sync 2",), ("bar.cta.sync 2",))
_MEET = {
    "cta": _BARRIER,
    "cluster": (("barrier.cluster.arrive", "barrier.cluster.wait"),) * 2,
    "phase": (
        ("mbarrier.arrive.release.cta.shared::cta.b64 _, [n]",),
        ("LC3: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [n], 0", "beq p, 0, LC3"),
    ),
}
"""How one thread goes on behind another."""


@dataclass(frozen=True, slots=True)
class Case:
    """A program, the two accesses that it is about, each as its thread and instruction, and whether the rows order them.

    kinder: whether the sanitizer asks for less unless it is strict. rows: the giver and the taker.
    """

    name: str
    text: str
    first: tuple[int, str]
    second: tuple[int, str]
    ordered: bool
    kinder: bool = False
    rows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Operation:
    """An asynchronous operation that accesses x.

    writes: it does, else it reads. before: what has to stand in front of it. by: its carrier. init: names that it needs.
    shared: whether x is shared memory.
    """

    name: str
    line: str
    writes: bool
    shared: bool
    by: str
    init: str
    before: tuple[str, ...] = ()
    proxy: str = "async"


OPERATIONS = (
    Operation(
        "a bulk load of x",
        f"cp.async.bulk.shared::cta.global.{_TX} [x], [y], 16, [{{m}}]",
        writes=True,
        shared=True,
        by="phase",
        init="y = 5; .mbarrier {m} @ cta {cta} = 1;",
        before=(_EXPECT,),
    ),
    Operation(
        "a bulk load from x",
        f"cp.async.bulk.shared::cta.global.{_TX} [t], [x], 16, [{{m}}]",
        writes=False,
        shared=False,
        by="phase",
        init=".shared t @ cta {cta} = 5; .mbarrier {m} @ cta {cta} = 1;",
        before=(_EXPECT,),
    ),
    Operation(
        "a bulk store from x",
        "cp.async.bulk.global.shared::cta.bulk_group [y], [x], 16",
        writes=False,
        shared=True,
        by="bulk-group",
        init="y = 5;",
    ),
    Operation(
        "a bulk store to x",
        "cp.async.bulk.global.shared::cta.bulk_group [x], [t], 16",
        writes=True,
        shared=False,
        by="bulk-group",
        init=".shared t @ cta {cta} = 5;",
    ),
    Operation(
        "a bulk reduction into x",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [x], [t], 16",
        writes=True,
        shared=False,
        by="bulk-group",
        init=".shared t @ cta {cta} = 5;",
    ),
    Operation(
        "cp.async to x",
        "cp.async.ca.shared.global [x], [y], 4",
        writes=True,
        shared=True,
        by="cp.async-group",
        init="y = 5;",
        proxy="generic",
    ),
    Operation(
        "cp.async from x",
        "cp.async.ca.shared.global [t], [x], 4",
        writes=False,
        shared=False,
        by="cp.async-group",
        init=".shared t @ cta {cta} = 5;",
        proxy="generic",
    ),
)


def _program(init: str, place: str, columns: Sequence[Sequence[str]]) -> str:
    """A litmus test of one or two threads."""
    heads = PLACES[place][: len(columns)]
    height = max(map(len, columns))
    rows = [" | ".join(c[i] if i < len(c) else "" for c in columns) for i in range(height)]
    shown = " ".join(f"P{n}:r0;" for n, c in enumerate(columns) if any("r0," in line for line in c))
    body = "".join(f"{row} ;\n" for row in (" | ".join(heads), *rows))
    held = "" if shown else " P0:r0 = 0;"
    return f"PTX order\n{{ {init}{held} }}\n{body}locations [{shown or 'P0:r0;'}]\n"


def _waits(lines: Sequence[str], label: str) -> list[str]:
    """The taker's lines, its poll as a loop."""
    if not lines or not lines[0].startswith(("ld", "mbarrier.t")):
        return list(lines)
    register = "q" if lines[0].startswith("ld") else "p"
    wrong = f"bne q, 1, {label}" if register == "q" else f"beq p, 0, {label}"
    return [f"{label}: {lines[0]}", wrong, *lines[1:]]


def _declared(memory: str, cta: int) -> str:
    return "x = 0;" if memory == "global" else f".shared x @ cta {cta} = 0;"


# --- from thread to thread -------------------------------------------------------------------------------------------


def between_threads() -> Iterator[Case]:
    """Each giver with each taker of its carrier."""
    for give, take in product(GIVES, TAKES):
        if give.by == take.by and give.by in BETWEEN_THREADS and give.lines and give.hands != COPIES:
            for place in PLACES:
                yield from _handed(give, take, place)


def _handed(give: Give, take: Take, place: str) -> Iterator[Case]:
    possible = {"phase": ("cta", "cluster"), "barrier": ("cta",), "cluster": ("cluster",)}.get(give.by, tuple(PLACES))
    if place not in possible:
        return
    alike = {"cta": [(0, "global"), (0, "first")], "gpu": [(0, "global")]}
    memories = alike.get(place, [(0, "global"), (0, "first"), (1, "second")])
    for scopes in _scopes(give, take, place):
        for cta, memory in memories:
            yield _made(give, take, place, scopes, cta, memory, writes=True)
        yield _made(give, take, place, scopes, *memories[-1], writes=False)


def _scopes(give: Give, take: Take, place: str) -> Iterator[tuple[str, str]]:
    """Scopes of both: wide enough, and, beside the first row of a carrier, one or the other narrower."""
    yield place, place
    plain = next(g for g in GIVES if g.by == give.by), next(t for t in TAKES if t.by == take.by)
    if place != "cta" and take is plain[1] and any("{scope}" in line for line in give.lines):
        yield "cta", place
    if place != "cta" and give is plain[0] and any("{scope}" in line for line in take.lines):
        yield place, "cta"


def _made(give: Give, take: Take, place: str, scopes: tuple[str, str], cta: int, memory: str, *, writes: bool) -> Case:
    second_cta = 0 if place == "cta" else 1
    near = "cta" if place == "cta" else "cluster"
    gives = [line.format(scope=scopes[0], near=near) for line in give.lines]
    takes = _waits([line.format(scope=scopes[1], near="cta") for line in take.lines], "LC1")
    if give.by == "cluster":  # all threads arrive, and all wait
        takes, gives = ["barrier.cluster.arrive", *takes], [*gives, "barrier.cluster.wait"]
    if give.by == "barrier" and gives == takes:
        takes = ["bar.cta.sync 1"]
    first, second = ("st.weak x, 1", "ld.weak r0, x") if writes else ("ld.weak r0, x", "st.weak x, 2")
    init = {"flag": "f = 0;", "phase": f".mbarrier m @ cta {second_cta} = 1;"}.get(give.by, "")
    name = f"{give.name} ({scopes[0]}), {take.name} ({scopes[1]}), {place}, {memory}, {'write' if writes else 'read'} first"
    text = _program(f"{_declared(memory, cta)} {init}", place, [[first, *gives], [*takes, second]])
    home = None if memory == "global" else cta
    wide = SCOPES.index(place)
    ordered = (
        give.hands == take.gets == ALL
        and SCOPES.index(_least(give, scopes[0])) >= wide
        and SCOPES.index(_least(take, scopes[1])) >= wide
        and memory_seen(0, home) in MEMORIES[give.space]
        and memory_seen(second_cta, home) in MEMORIES[take.space]
    )
    return Case(name, text, (0, first), (1, second), ordered, rows=(give.name, take.name))


def _least(row: Give | Take, scope: str) -> str:
    """The scope of a row: the one that it has, or the narrowest that it names."""
    return scope if row.scope is None else narrower(row.scope, row.scope)


# --- from operations to threads --------------------------------------------------------------------------------------


def from_operations() -> Iterator[Case]:
    """Each operation with each way to wait for it, and with none, before an access of its thread, or of another one."""
    for operation in OPERATIONS:
        gives = [g for g in GIVES if g.by == operation.by and g.hands == OPERATION]
        for give, take in product(gives, (t for t in TAKES if t.by == operation.by)):
            for other in (False, True):
                yield from _waited(operation, give, take, other=other)
                if operation.by != "phase":
                    yield from _waited(operation, replace(give, lines=(), hands=NOTHING), take, other=other)
        if operation.by == "cp.async-group" and operation.writes:
            give = next(g for g in GIVES if g.hands == COPIES)
            for take in (t for t in TAKES if t.by == "phase"):
                with_phase = replace(operation, by="phase", init=operation.init + " .mbarrier {m} @ cta {cta} = 1;")
                yield from _waited(with_phase, give, take, other=True)


def _waited(operation: Operation, give: Give, take: Take, *, other: bool) -> Iterator[Case]:
    waits = [line.format(scope="cta", near="cta") for line in take.lines]
    by_phase = operation.by == "phase"
    end = _waits(["mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 p, [m], 0"], "LC2") if by_phase else []
    if operation.by == "bulk-group":
        end = ["cp.async.bulk.commit_group", "cp.async.bulk.wait_group.read 0"]
    if operation.by == "cp.async-group" or give.hands == COPIES:
        end = [*end, "cp.async.wait_all"]
    begin = [line.format(m="m") for line in (*operation.before, operation.line)]
    for write in (False, True):
        if not operation.writes and not write:
            continue
        access = "st.weak x, 2" if write else "ld.weak r0, x"
        if not other:
            columns = [[*begin, *give.lines, *_waits(waits, "LC1"), access, *end]]
        elif by_phase:
            columns = [[*begin, *give.lines, *end], [*_waits(waits, "LC1"), access]]
        else:
            columns = [[*begin, *give.lines, *waits, *_BARRIER[0], *end], [*_BARRIER[1], access]]
        memory = "own" if operation.shared else "global"
        over = give.hands in (OPERATION, COPIES) and (
            take.gets in (ALL, OPERATION) or (take.gets == SOURCES and not operation.writes)
        )
        name = f"{operation.name}, {give.name if give.hands != NOTHING else 'in no group'}, {take.name}, then {access}"
        name += " by another thread" if other else ""
        init = f"{_declared('global' if memory == 'global' else 'own', 0)} {operation.init.format(m='m', cta=0)}"
        text = _program(init, "cta", columns)
        ordered = over and memory in MEMORIES[take.space]
        yield Case(name, text, (0, operation.line.format(m="m")), (int(other), access), ordered)


# --- between proxies -------------------------------------------------------------------------------------------------


def between_proxies() -> Iterator[Case]:
    """An access by a thread, then an operation: of itself, of another thread, of another CTA; with each fence, and with none."""
    fences = [f for f in PROXY_FENCES if "Fence async" in f.effects and len(f.lines) == 1]
    for operation in (o for o in OPERATIONS if o.proxy == "async"):
        for write in (True, False) if operation.writes else (True,):
            yield _fenced(operation, None, "same", 0, write=write)
            for fence, way in product(fences, ("same", "cta", "cluster")):
                for by in (0,) if way == "same" else (0, 1):
                    yield _fenced(operation, (fence.lines[0], fence.space), way, by, write=write)
            for way in ("cta", "cluster", *(("phase",) if operation.shared else ())):
                yield _fenced(operation, None, way, 0, write=write)


def _fenced(operation: Operation, fence: tuple[str, str | None] | None, way: str, by: int, *, write: bool) -> Case:
    """`way`: same, cta or cluster: who issues the operation. `by`: the thread that fences."""
    cta = 1 if way == "cluster" else 0
    access = "st.weak x, 1" if write else "ld.weak r0, x"
    line = operation.line.format(m="m")
    issue = [*(b.format(m="m") for b in operation.before), line]
    end = ["cp.async.bulk.commit_group", "cp.async.bulk.wait_group.read 0"]
    if operation.by == "phase":
        end = _waits(["mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 p, [m], 0"], "LC2")
    fences = [] if fence is None else [fence[0]]
    if way == "same":
        columns = [[access, *fences, *issue, *end]]
    else:
        came, goes_on = _MEET[way]
        mine, its = (fences, []) if by == 0 else ([], fences)
        columns = [[access, *mine, *came], [*goes_on, *its, *issue, *end]]
    place = "cluster" if way == "cluster" else "cta"
    memory = "own" if operation.shared else "global"
    init = f"{_declared(memory, cta)} {operation.init.format(m='m', cta=cta)}"
    if way == "phase":
        init += ".mbarrier n @ cta 0 = 1;"
    where = 0 if way == "same" else by
    fencing_cta = cta if where == 1 else 0
    home = cta if operation.shared else None
    ordered = fence is not None and fencing_cta == cta and memory_seen(fencing_cta, home) in MEMORIES[fence[1]]
    said = "no fence" if fence is None else f"{fence[0]} by P{by}"
    name = f"{access}, {said}, then {operation.name}, {way}"
    text = _program(init, place, columns)
    kinder = way == "phase" and not write and operation.writes
    return Case(name, text, (0, access), (len(columns) - 1, line), ordered, kinder)


# --- initializations of mbarriers ------------------------------------------------------------------------------------


def initializations() -> Iterator[Case]:
    """A thread makes an mbarrier, and another one of the cluster arrives there."""
    made, used = "mbarrier.init.shared::cta.b64 [n], 1", "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [n]"
    takes = [t for t in TAKES if t.by in ("flag", "cluster") and t.gets == ALL]
    for give, take in product(GIVES, takes):
        if give.by != take.by:
            continue
        gives = [line.format(scope="cluster") for line in give.lines]
        waits = _waits([line.format(scope="cluster") for line in take.lines], "LC1")
        if give.by == "cluster":
            gives, waits = [*gives, "barrier.cluster.wait"], ["barrier.cluster.arrive", *waits]
        init = ".mbarrier n @ cta 0;" + (" f = 0;" if give.by == "flag" else "")
        text = _program(init, "cluster", [[made, *gives], [*waits, used]])
        name = f"mbarrier.init, {give.name}, {take.name}"
        yield Case(name, text, (0, made), (1, used), give.hands in (ALL, INITS))
