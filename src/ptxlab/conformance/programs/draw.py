"""Drawing random programs: control flow, and what stands in it.

A scope knows which lanes execute a statement for certain. There are four kinds: all threads of the cluster come (3), all of
the CTA (2), all of the warp (1), or some lanes (0), of which a register holds the mask where the flow is structured. Statements
that lanes execute together are drawn only where it is certain who comes; behind a branch that lanes take apart they meet again
at a bar.warp.sync.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from ptxlab.conformance.programs.hidden import ballot, opaque
from ptxlab.conformance.programs.memory import Memory, reduced
from ptxlab.conformance.programs.operations import Ops, absorb
from ptxlab.conformance.programs.tree import DECLARED, FILLED, Line, Nest, Node, Program, pools

_CLUSTER, _CTA, _WARP, _LANES = 3, 2, 1, 0
_ARGS: Final = ".param .b32 a, .param .b64 b, .param .b32 mask, .param .b32 depth"
_RESULT: Final = ".param .align 8 .b8 r[16]"
_MOST_PASSES: Final = 24
"""How often loops within loops may execute a statement."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a statement stands.

    Attributes:
        level: who executes it, see above.
        mask: register or immediate that holds the lanes that do; "" where nobody knows.
        depth: of statements around it.
        passes: how often loops may execute it.
        leave: labels that a lane may branch to from here, where no mask is to be kept.
        function: number of the function that it stands in; -1 in the kernel.
    """

    level: int
    mask: str
    depth: int = 0
    passes: int = 1
    leave: tuple[str, ...] = ()
    function: int = -1

    def inside(self, level: int, mask: str, passes: int = 1) -> Scope:
        """The scope of a statement in one that stands here."""
        return replace(self, level=level, mask=mask, depth=self.depth + 1, passes=self.passes * passes)


def drawn(seed: int, number: int) -> Program:
    """Program `number` of a seed."""
    return _Drawing(random.Random(f"programs:{seed}:{number}"), str(number)).program()


class _Drawing:
    """One program in the making."""

    def __init__(self, dice: random.Random, name: str) -> None:
        self.dice, self.name = dice, name
        self.cluster = dice.choice((0, 0, 0, 2, 2, 4))
        self._labels = self._registers = 0
        self.ops = Ops(dice)
        self.memory = Memory(dice, self.ops, self.label, self.cluster)
        # functions have no registers of 8 and 128 bits
        self._few = Ops(dice, narrow=False)
        self._local = Memory(dice, self._few, self.label, 0)
        self.synchronous: list[int] = []
        self.plain: list[int] = []
        self.recursive = -1

    def label(self) -> str:
        """A new label."""
        self._labels += 1
        return f"L{self._labels}"

    def number(self) -> int:
        """Number of a condition, mask and counter of a statement's own."""
        self._registers += 1
        return self._registers

    # --- the whole ------------------------------------------------------------------------------------------------------
    def program(self) -> Program:
        """The program."""
        calls = self.dice.random()
        functions = [self._function(i) for i in range(self.dice.randrange(1, 4) if calls < 0.6 else 0)]
        if calls < 0.2:
            functions.append(self._recursion(len(functions)))
        head = "\n".join(f".func ({_RESULT}) f{i}({_ARGS});" for i in range(len(functions)))
        tables = "\n".join(
            f".global .align 8 .u64 {name}[{len(some)}] = {{{', '.join(f'f{i}' for i in some)}}};"
            for name, some in (("masked", self.synchronous), ("unmasked", self.plain))
            if some and calls < 0.2
        )
        self.indirect = calls < 0.2
        level = _CLUSTER if self.cluster else _CTA
        body = self._block(Scope(level, "-1"), self.dice.randrange(24, 48))
        return Program(self.name, self.cluster, head, tuple(functions), tables, body)

    indirect = False

    def _function(self, index: int) -> Nest:
        """A function; those that look at other lanes know who calls them."""
        masked = self.dice.random() < 0.6
        (self.synchronous if masked else self.plain).append(index)
        scope = Scope(_LANES, "%mask" if masked else "", depth=2, function=index)
        return _framed(index, self._block(scope, self.dice.randrange(4, 12)))

    def _recursion(self, index: int) -> Nest:
        """A function that calls itself a few times."""
        self.recursive = index
        scope = Scope(_LANES, "", depth=3, function=index)
        again = (
            "sub.u32 %depth, %depth, 1; { .param .b32 y0, y2, y3; .param .b64 y1; .param .align 8 .b8 y[16]; "
            "st.param.b32 [y0], %r0; st.param.b64 [y1], %x0; st.param.b32 [y2], 0; st.param.b32 [y3], %depth; "
            f"call (y), f{index}, (y0, y1, y2, y3); ld.param.b32 %r1, [y]; ld.param.b64 %x1, [y+8]; }}"
        )
        end = self.label()
        deeper = Nest(
            (f"setp.eq.u32 %tp, %depth, 0; @%tp bra {end};", f"{end}:"), ((Line(again), *self._block(scope, 2)),)
        )
        return _framed(index, (*self._block(scope, 2), deeper, *self._block(scope, 1)))

    def _block(self, scope: Scope, count: int) -> tuple[Node, ...]:
        return tuple(self._statement(scope) for _ in range(count))

    def _statement(self, scope: Scope) -> Node:
        nested = scope.depth < 4 and self.dice.random() < (0.3 if scope.depth < 2 else 0.2)
        return self._nested(scope) if nested else Line(self._simple(scope))

    # --- statements without others in them ----------------------------------------------------------------------------------
    def _simple(self, scope: Scope) -> str:
        kernel = scope.function < 0
        ops, memory = (self.ops, self.memory) if kernel else (self._few, self._local)
        options: list[tuple[int, Callable[[], str]]] = [
            (12, ops.compute),
            (2, ops.carry),
            (1, lambda: memory.idle(naps=kernel)),
        ]
        if kernel:
            options += [(2, memory.load), (2, memory.store), (2, memory.atomic), (1, memory.add)]
            # lanes that waited apart are brought together where whole warps go on
            meet = " bar.warp.sync -1;" if scope.level >= _WARP else ""
            options.append((2, lambda: memory.copy() + meet))
            options.append((1, self._special))
            options += [(1, memory.remote)] if self.cluster else []
        else:
            options += [(1, lambda: memory.load(local=True)), (1, lambda: memory.store(local=True))]
        if scope.mask:
            options += [(4, lambda: ops.warp(scope.mask)), (1, lambda: self._elect(scope.mask))]
            options += [(2, lambda: memory.exchange(scope.mask))] if kernel else []
        if scope.level >= _WARP:
            options.append((4, ops.whole))
        if scope.level >= _CTA:
            options += [(3, lambda: memory.exchange_all(memory.together)), (2, lambda: memory.total(memory.together))]
        if scope.level == _CLUSTER:
            options.append((3, lambda: memory.distributed(memory.cluster_together)))
        callees = [i for i in self._callable(scope) if i < scope.function or kernel]
        if callees:
            options.append((2, lambda: self._call(scope, self.dice.choice(callees))))
        weights = [w for w, _ in options]
        return self.dice.choices([o for _, o in options], weights)[0]()

    def _callable(self, scope: Scope) -> list[int]:
        return [
            *(self.synchronous if scope.mask else ()),
            *self.plain,
            *([self.recursive] if self.recursive >= 0 else ()),
        ]

    def _special(self) -> str:
        """A special register, of those that say the same on every machine."""
        names = (
            "tid.x",
            "ntid.x",
            "ctaid.x",
            "nctaid.x",
            "laneid",
            "lanemask_lt",
            "lanemask_ge",
            "cluster_ctarank",
            "clusterid.x",
        )
        target = self.ops.register(32)
        return f"mov.u32 {target}, %{self.dice.choice(names)}; {absorb(32, target)}"

    def _elect(self, mask: str) -> str:
        target, chosen = self.ops.register(32), self.ops.register(1)
        return f"elect.sync {target}|{chosen}, {mask}; {absorb(32, target)} {absorb(1, chosen)}"

    def _call(self, scope: Scope, index: int) -> str:
        """A call by name, or by an address that lanes choose: those that choose the same come together."""
        a, b = self.ops.register(32), self.ops.register(64)
        some = self.synchronous if index in self.synchronous else self.plain
        into, wide = self.ops.register(32), self.ops.register(64)
        mask = scope.mask or "0"
        setup, callee, prototype = "", f"f{index}", ""
        if self.indirect and index in some and len(some) > 1 and scope.function < 0:
            table = "masked" if some is self.synchronous else "unmasked"
            name = self.label()
            setup = f"rem.u32 %tw, {self.ops.register(32)}, {len(some)}; mov.u64 %tx, {table}; mad.wide.u32 %tx, %tw, 8, %tx; "
            setup += "ld.global.u64 %tx, [%tx];"
            if some is self.synchronous:
                setup += f" match.any.sync.b32 %tv, %tw, {mask};"
                mask = "%tv"
            prototype = f"{name}: .callprototype ({_RESULT.replace(' r[', ' _[')}) _ ({_ARGS_TYPES});"
            callee = "%tx"
        depth = "0"
        if index == self.recursive:
            setup += f" and.b32 %tw, {self.ops.register(32)}, 1;"
            depth = "%tw"
        end = f", {prototype.partition(':')[0]}" if prototype else ""
        meet = f" bar.warp.sync {scope.mask};" if scope.mask else ""
        return (
            f"{setup} {prototype} {{ .param .b32 y0, y2, y3; .param .b64 y1; .param .align 8 .b8 y[16]; st.param.b32 [y0], {a}; "
            f"st.param.b64 [y1], {b}; st.param.b32 [y2], {mask}; st.param.b32 [y3], {depth}; "
            f"call (y), {callee}, (y0, y1, y2, y3){end}; ld.param.b32 {into}, [y]; ld.param.b64 {wide}, [y+8]; }}"
            f"{meet} {absorb(32, into)} {absorb(64, wide)}"
        )

    # --- statements of statements ----------------------------------------------------------------------------------------------
    def _nested(self, scope: Scope) -> Node:
        options: list[tuple[int, Callable[[Scope], Node]]] = [
            (5, self._if),
            (2, self._switch),
            (2, self._maze),
            (2, self._early),
        ]
        if scope.passes * 4 <= _MOST_PASSES:
            options.append((4, self._loop))
        if scope.leave and not scope.mask:
            options.append((4, self._leaving))
        return self.dice.choices([o for _, o in options], [w for w, _ in options])[0](scope)

    def _few_statements(self) -> int:
        return self.dice.choice((1, 1, 2, 2, 3, 4))

    def _level(self, scope: Scope) -> int:
        """Who takes the same way in a statement that stands here."""
        return self.dice.choice((_LANES, _LANES, scope.level, self.dice.randrange(scope.level + 1)))

    def _condition(self, level: int, name: str, scope: Scope) -> str:
        """What makes a predicate that all of a level agree on."""
        bit = f"and.b32 %tw, %tw, {1 << self.dice.randrange(5)}; setp.ne.u32 {name}, %tw, 0;"
        register = self.ops.register(32)
        if level == _LANES:
            return self.dice.choice(
                (
                    f"mov.pred {name}, {self.ops.register(1)};",
                    f"not.pred {name}, {self.ops.register(1)};",
                    f"mov.b32 %tw, {register}; {bit}",
                    f"xor.b32 %tw, {register}, %t; {bit}",
                    f"setp.lt.s32 {name}, {register}, {self.ops.register(32)};",
                    f"setp.lt.f32 {name}, {register}, {self.ops.register(32)};",
                )
            )
        if level == _WARP:
            return self.dice.choice(
                (
                    f"vote.sync.any.pred {name}, {self.ops.register(1)}, -1;",
                    f"vote.sync.all.pred {name}, {self.ops.register(1)}, -1;",
                    f"redux.sync.add.u32 %tw, {register}, -1; {bit}",
                    f"shfl.sync.idx.b32 %tw, {register}, {self.dice.randrange(32)}, 31, -1; {bit}",
                    f"shr.u32 %tw, %t, 5; add.u32 %tw, %tw, {self.dice.randrange(4)}; {bit}",
                )
            )
        if level == _CTA:
            popc = f"bar.red.popc.u32 %tw, {self.dice.randrange(8)}, {self.ops.register(1)}; {bit}"
            either = f"barrier.cta.red.or.pred {name}, {self.dice.randrange(8)}, {self.ops.register(1)};"
            return self.dice.choice(
                (
                    reduced(1, name, popc),
                    reduced(1, name, either),
                    f"mov.u32 %tw, %ctaid.x; add.u32 %tw, %tw, {self.dice.randrange(4)}; {bit}",
                )
            )
        return f"mov.u32 %tw, %clusterid.x; add.u32 %tw, %tw, {self.dice.randrange(32)}; {bit}"

    def _if(self, scope: Scope) -> Node:
        """One arm or two, in either order."""
        level, i = self._level(scope), self.number()
        condition, other, end = f"%c{i}", self.label(), self.label()
        setup = self._condition(level, condition, scope)
        masks, meet = (scope.mask, scope.mask), ""
        if (
            level == _LANES and scope.mask
        ):  # ptxas may make the condition again for the branch, and otherwise than for the mask
            setup = " ".join([setup, *opaque(1, [condition])])
            setup += (
                f" {ballot(f'%m{i}', condition, scope.mask)} not.b32 %n{i}, %m{i}; and.b32 %n{i}, %n{i}, {scope.mask};"
            )
            masks, meet = (f"%m{i}", f"%n{i}"), f" bar.warp.sync {scope.mask};"
        first = self._block(scope.inside(level, masks[0]), self._few_statements())
        if self.dice.random() < 0.4:
            return Nest((f"{setup} @!{condition} bra {end};", f"{end}:{meet}"), (first,))
        second = self._block(scope.inside(level, masks[1]), self._few_statements())
        uniform = ".uni" if level >= _WARP and self.dice.random() < 0.5 else ""
        head = f"{setup} @!{condition} bra{uniform} {other};"
        return Nest((head, f"bra{uniform} {end}; {other}:", f"{end}:{meet}"), (first, second))

    def _loop(self, scope: Scope) -> Node:
        """A few passes; lanes may make different numbers of them."""
        level, i = self._level(scope), self.number()
        top, end = self.label(), self.label()
        if level >= _WARP:
            setup = self._condition(level, f"%c{i}", scope)
            passes = f"selp.u32 %n{i}, {self.dice.randrange(1, 4)}, {self.dice.randrange(1, 4)}, %c{i};"
            head = " ".join([setup, passes, *opaque(32, [f"%n{i}"]), f"{top}:"])
            tail = f"sub.u32 %n{i}, %n{i}, 1; setp.ne.u32 %c{i}, %n{i}, 0; @%c{i} bra {top};"
            return Nest((head, tail), (self._block(scope.inside(level, scope.mask, 3), self._few_statements()),))
        setup = f"and.b32 %n{i}, {self.ops.register(32)}, 3;"
        if not scope.mask or self.dice.random() < 0.3:
            return self._free_loop(scope, i, setup)
        head = (
            f"{setup} mov.b32 %m{i}, {scope.mask}; {top}: setp.ne.u32 %c{i}, %n{i}, 0; "
            f"{ballot(f'%m{i}', f'%c{i}', f'%m{i}')} @!%c{i} bra {end};"
        )
        tail = f"sub.u32 %n{i}, %n{i}, 1; bra {top}; {end}: bar.warp.sync {scope.mask};"
        return Nest((head, tail), (self._block(scope.inside(_LANES, f"%m{i}", 3), self._few_statements()),))

    def _free_loop(self, scope: Scope, i: int, setup: str) -> Node:
        """A loop that lanes may leave, or begin again, in the middle."""
        top, following, end = self.label(), self.label(), self.label()
        meet = f" bar.warp.sync {scope.mask};" if scope.mask else ""
        inner = replace(scope.inside(_LANES, "", 3), leave=(following, end))
        head = f"{setup} {top}: setp.eq.u32 %c{i}, %n{i}, 0; @%c{i} bra {end};"
        tail = f"{following}: sub.u32 %n{i}, %n{i}, 1; bra {top}; {end}:{meet}"
        return Nest((head, tail), (self._block(inner, self._few_statements() + 1),))

    def _early(self, scope: Scope) -> Node:
        """A block that some lanes leave in the middle."""
        i, end = self.number(), self.label()
        setup = self._condition(_LANES, f"%c{i}", scope)
        before = self._block(scope.inside(scope.level, scope.mask), self._few_statements())
        if not scope.mask or self.dice.random() < 0.3:
            meet = f" bar.warp.sync {scope.mask};" if scope.mask else ""
            inner = replace(scope.inside(_LANES, ""), leave=(*(scope.leave if not scope.mask else ()), end))
            parts = (before, self._block(inner, self._few_statements() + 1))
            return Nest(("", f"{setup} @%c{i} bra {end};", f"{end}:{meet}"), parts)
        stay = f"not.pred %c{i}, %c{i}; {ballot(f'%m{i}', f'%c{i}', scope.mask)} @!%c{i} bra {end};"
        after = self._block(scope.inside(_LANES, f"%m{i}"), self._few_statements())
        return Nest(("", f"{setup} {stay}", f"{end}: bar.warp.sync {scope.mask};"), (before, after))

    def _leaving(self, scope: Scope) -> Node:
        """A branch out of what stands around."""
        i = self.number()
        return Line(f"{self._condition(_LANES, f'%c{i}', scope)} @%c{i} bra {self.dice.choice(scope.leave)};")

    def _switch(self, scope: Scope) -> Node:
        """An indirect branch; lanes that go to the same arm know each other."""
        i, count = self.number(), self.dice.randrange(2, 6)
        arms, end, targets = [self.label() for _ in range(count)], self.label(), self.label()
        level = self._level(scope)
        uniform, mask, meet = "", scope.mask, ""
        if level >= _WARP:
            number = self._condition(level, f"%c{i}", scope)
            index = f"{number} selp.u32 %n{i}, {self.dice.randrange(count)}, {self.dice.randrange(count)}, %c{i};"
            uniform = self.dice.choice(("", ".uni"))
        else:
            index = f"rem.u32 %n{i}, {self.ops.register(32)}, {count};"
            if scope.mask:
                index += f" match.any.sync.b32 %m{i}, %n{i}, {scope.mask};"
                mask, meet = f"%m{i}", f" bar.warp.sync {scope.mask};"
        head = f"{index} {targets}: .branchtargets {', '.join(arms)}; brx.idx{uniform} %n{i}, {targets}; {arms[0]}:"
        parts = tuple(self._block(scope.inside(level, mask), self.dice.randrange(1, 3)) for _ in arms)
        return Nest((head, *(f"bra {end}; {arm}:" for arm in arms[1:]), f"{end}:{meet}"), parts)

    def _maze(self, scope: Scope) -> Node:
        """Blocks that branch to each other in no order, until a lane's steps are used up."""
        i, count = self.number(), self.dice.randrange(2, 5)
        labels, end = [self.label() for _ in range(count)], self.label()
        inner = replace(scope.inside(_LANES, "", 5), leave=())
        frame = [f"and.b32 %n{i}, {self.ops.register(32)}, 3; add.u32 %n{i}, %n{i}, 3; {labels[0]}:"]
        for following in [*labels[1:], None]:
            condition = self._condition(_LANES, f"%c{i}", scope)
            steps = f"sub.u32 %n{i}, %n{i}, 1; setp.eq.u32 %tp, %n{i}, 0; @%tp bra {end};"
            ways = f"{steps} {condition} @%c{i} bra {self.dice.choice(labels)};"
            meet = f" bar.warp.sync {scope.mask};" if scope.mask else ""
            frame.append(
                f"{ways} {following}:" if following else f"{ways} bra {self.dice.choice(labels)}; {end}:{meet}"
            )
        parts = tuple(self._block(inner, self.dice.randrange(1, 3)) for _ in labels)
        return Nest(tuple(frame), parts)


_ARGS_TYPES: Final = ".param .b32 _, .param .b64 _, .param .b32 _, .param .b32 _"


def _framed(index: int, body: tuple[Node, ...]) -> Nest:
    """A function around its statements."""
    mixes = [f"mad.lo.u32 %r{i}, %a, {2654435761 * (2 * i + 1) % 2**32}, {40503 * i};" for i in range(16)]
    mixes += [f"mad.lo.u64 %x{i}, %wide, {0x9E3779B97F4A7C15 * (2 * i + 1) % 2**64}, {i};" for i in range(8)]
    mixes += [f"cvt.u16.u32 %h{i}, %r{i};" for i in range(8)]
    mixes += [f"and.b32 %tw, %r{i}, {1 << i + 7}; setp.ne.u32 %p{i}, %tw, 0;" for i in range(6)]
    head = f""".func ({_RESULT}) f{index}({_ARGS})
{{   {pools()} {DECLARED} .reg .b32 %a, %mask, %depth, %sum, %t; .reg .b64 %wide, %raw, %policy;
    ld.param.b32 %a, [a]; ld.param.b64 %wide, [b]; ld.param.b32 %mask, [mask]; ld.param.b32 %depth, [depth];
    {" ".join(opaque(32, ["%mask"]))}
    mov.u32 %t, %tid.x; mov.u32 %sum, %a; mov.u64 %lp, own; createpolicy.fractional.L2::evict_first.b64 %policy;
    st.local.v2.b64 [%lp], {{%wide, %wide}}; st.local.v2.b64 [%lp+16], {{%wide, %wide}};
    {" ".join(mixes)} {FILLED}"""
    tail = "st.param.b32 [r], %sum; st.param.b64 [r+8], %wide; ret;\n}"
    return Nest((head, tail), (body,))
