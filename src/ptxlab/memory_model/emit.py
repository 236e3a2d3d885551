"""A litmus test as a kernel, in one of two shapes.

*Many instances* (`emitted(program)`): one instance for each CTA, or for each group of CTAs that the test needs. Before they start,
the threads of an instance meet, as far as they are there at the same time, and then wait for a while that a seed draws. Registers
go to `out`, locations stay in `memory`.

*Alone* (`emitted(program, alone=True)`): one instance, without parameters. Its locations are variables of the module, and the
instructions of the test follow one another as the test has them, for a person or a tool to look at.

A thread of the test is the first lane of a warp of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ptxlab.diag import Diagnostic
from ptxlab.memory_model.condition import Name
from ptxlab.memory_model.emit_wgmma import Tiles
from ptxlab.memory_model.herd import operands_of
from ptxlab.memory_model.program import (
    BarrierStep,
    Branch,
    Compute,
    FenceStep,
    GroupStep,
    Load,
    MbarrierStep,
    Operand,
    Place,
    Pointer,
    Program,
    Register,
    Step,
    Store,
    Transfer,
    Update,
    Value,
    Variable,
)

ENTRY: Final = "litmus"
OUT: Final = "out"
"""Where a kernel that stands alone leaves its registers."""
_TYPES: Final = {"exch": "b32", "cas": "b32", "and": "b32", "or": "b32", "xor": "b32"}
_ARITHMETIC: Final = {
    "add": "add.s32",
    "sub": "sub.s32",
    "mul": "mul.lo.s32",
    "and": "and.b32",
    "or": "or.b32",
    "xor": "xor.b32",
}
_POLLS: Final = 512
_BOX: Final = 128
"""The alignment of what a copy through a tensor map brings to shared memory."""


@dataclass(frozen=True, slots=True, repr=False)
class Emitted:
    r"""A test as a kernel.

    Attributes:
        text: the PTX; its entry is `ENTRY`. Without parameters where it stands alone; otherwise with memory, out, gate (addresses),
            seed, and the bytes from one instance to the next and from one location to the next.
        ctas: of an instance. warps: of a CTA, or warpgroups where width is 128. cluster: whether the CTAs of an instance are one.
        locations: those in memory, in order, and what they hold at the start. registers: those in `out`, 4 bytes each.
        maps: those locations that are tensor maps of 128 bytes, and the location that each is a map of at the start: four words.
        aliased: whether it wants memory at two virtual addresses, the second one `alias` bytes behind the first.
        width: how many lanes stand for a thread of the test.
        steps: for the lines of the PTX, counted from 1, that do an instruction of the test: the thread, and which of its steps.

    Example:
        from ptxlab import memory_model

        text = r'''PTX MP
        { x = 0; flag = 0; }
        P0@cta 0,gpu 0        | P1@cta 1,gpu 0 ;
        st.weak x, 1          | ld.acquire.gpu r0, flag ;
        st.relaxed.gpu flag, 1 | ld.weak r1, x ;
        exists (P1:r0 == 1 /\ P1:r1 == 0)
        '''

        test = memory_model.kernel(text)
        module = px.parse(test.text)
        module["litmus"].launch(**test.shape, args=[], sanitize=False)
        seen = test.outcome(px.litmus(text).names, lambda name: module.symbol(name)[...])
        print(test.names, len(seen))  # ['x', 'flag'] 2
    """

    text: str
    ctas: int
    warps: int
    cluster: bool
    locations: tuple[tuple[str, int], ...]
    registers: tuple[Name, ...]
    steps: Mapping[int, tuple[str, int]]
    maps: Mapping[str, str]
    aliased: bool
    width: int

    def __repr__(self) -> str:
        size = f"{self.ctas} CTAs of {self.warps} warps"
        return f"<Emitted: {len(self.locations)} locations, {len(self.registers)} registers, {size}>"

    @property
    def names(self) -> list[str]:
        """Of the locations."""
        return [name for name, _ in self.locations]

    @property
    def shape(self) -> dict[str, Any]:
        """How one instance is launched: grid, block, and cluster where it needs one."""
        found: dict[str, Any] = {"grid": self.ctas, "block": self.width * self.warps}
        return {**found, "cluster": self.ctas} if self.cluster else found

    def outcome(self, names: Sequence[Name], words: Callable[[str], Sequence[int]]) -> tuple[int, ...]:
        """How a run of a kernel that stands alone ended: a value for each of `Verdict.names`.

        Args:
            words: what a variable of the module holds, as 32-bit words: `lambda name: module.symbol(name)[:]`.
        """
        held = dict(self.locations)
        return tuple(self._word(owner, name, held, words) for owner, name in names)

    def _word(self, owner: str, name: str, held: Mapping[str, int], words: Callable[[str], Sequence[int]]) -> int:
        if owner:
            found = words(OUT)[self.registers.index((owner, name))]
        elif _symbol(name) in self.text.partition("{\n")[2]:
            found = words(_symbol(name))[0]
        else:  # nothing accesses it
            found = held[name]
        return (int(found) + (1 << 31)) % (1 << 32) - (1 << 31)


def emitted(program: Program, *, alone: bool = False) -> Emitted:
    """The kernel of a test, of many instances or of one alone. Raises: Diagnostic PTX0604 for a test that has none."""
    return _Emitter(program, alone=alone).whole()


def refused(program: Program, why: str, step: Step | None = None) -> Diagnostic:
    """Why a test cannot be run."""
    return Diagnostic(
        "PTX0604",
        f"{program.name} cannot be run: {why}.",
        help="the model decides it without: leave --run out",
        span=step.span if step is not None else None,
    )


class _Emitter:
    def __init__(self, program: Program, *, alone: bool) -> None:
        self.program, self.alone = program, alone
        self.ctas = sorted({t.place.own_cta for t in program.threads})
        self.warps = [sum(t.place.own_cta == c for t in program.threads) for c in self.ctas]
        self.registers = sorted(
            {n for c in (program.condition, program.filter) if c is not None for n in c.names() if n[0]}
            | {n for n in program.shown if n[0]}
        )
        used = {n for t in program.threads for s in t.steps for n in _names(s)}
        held = [v for v in program.variables.values() if v.location == v.name]
        self.aliases = [v for v in program.variables.values() if v.location != v.name and v.name in used]
        self.shared = [v for v in held if v.space == "shared"]
        self.globals = [v for v in held if v.space == "global"]
        self.maps = {v.name: v.init.name for v in self.globals if isinstance(v.init, Pointer)}
        self.tiles = Tiles.of(program)
        self.width = 128 if self.tiles else 32
        self.barriers: dict[tuple[object, ...], int] = {}
        self.guarded = any(_together(s) for t in program.threads for s in t.steps)
        self.meetings = max(self._cluster_barriers(i) for i in range(len(program.threads)))
        self.home = {v.name: self._home(v) for v in self.shared}
        self.remote = any(self._away(i) for i in range(len(program.threads)))
        self.used: set[str] = set()

    def _cluster_barriers(self, index: int) -> int:
        """How often a thread comes to the barrier of its cluster."""
        steps = self.program.threads[index].steps
        return sum(isinstance(s, BarrierStep) and s.level == "cluster" and s.kind == "arrive" for s in steps)

    def _users(self, v: Variable) -> set[int]:
        """The CTAs whose threads name a variable."""
        return {t.place.cta for t in self.program.threads if any(v.name in _names(s) for s in t.steps)}

    def _home(self, v: Variable) -> int | None:
        """The CTA in whose shared memory a variable lies; None: the test does not say."""
        users = self._users(v)
        if v.owner is not None or len(self.ctas) == 1:
            return v.owner if v.owner is not None else self.ctas[0][-1]
        return users.pop() if len(users) == 1 else None if users else self.ctas[0][-1]

    def _away(self, index: int) -> bool:
        """Whether a thread reaches shared memory of another CTA."""
        thread = self.program.threads[index]
        if any(
            getattr(s, "multicast", None) is not None or (isinstance(s, Compute) and s.op == "mapa")
            for s in thread.steps
        ):
            return True
        return any(n in self.home and self.home[n] != thread.place.cta for s in thread.steps for n in _names(s))

    def whole(self) -> Emitted:
        self._check()
        body = [line for i in range(len(self.program.threads)) for line in self._thread(i)]
        cluster = self._cluster()
        meet = ["barrier.cluster.arrive;", "barrier.cluster.wait;"] if self.remote else []
        head = [*self._head(cluster), *self._begin(meet), *(meet * self.meetings), "bra END;"]
        lines = [*head, *(text for text, _ in body), "END:", *meet, "ret;", "}"]
        steps = {len(head) + n: of for n, (_, of) in enumerate(body, 1) if of is not None}
        text = "\n".join(lines) + "\n"
        locations = tuple((v.name, v.init if isinstance(v.init, int) else 0) for v in self.globals)
        return Emitted(
            text=text,
            ctas=len(self.ctas),
            warps=max(self.warps),
            cluster=cluster,
            locations=locations,
            registers=tuple(self.registers),
            steps=steps,
            maps=self.maps,
            aliased=bool(self.aliases),
            width=self.width,
        )

    def _check(self) -> None:
        program = self.program
        if any(v.proxy is not None or v.address != v.name for v in self.aliases):
            raise refused(program, "it reaches memory through textures, surfaces or constants")
        if self.aliases and self.alone:
            raise refused(program, "it has memory at two addresses, which a module's variables do not have")
        if any(v.space not in ("global", "shared", "reg") for v in program.variables.values()):
            raise refused(program, "it has constants")
        unused = [v.name for v in program.variables.values() if v.space == "reg" and v.name not in self.tiles.of_d]
        if unused:
            raise refused(program, f"{unused[0]} is the accumulator of no wgmma")
        if any(v.space != "global" and isinstance(v.init, Pointer) for v in program.variables.values()):
            raise refused(program, "shared memory holds an address at the start")
        if any(home is None for home in self.home.values()):
            raise refused(program, "several CTAs use shared memory, and the test does not say whose it is")
        owners = {c[-1] for c in self.ctas}
        if not owners >= set(self.home.values()):
            raise refused(program, "shared memory lies in a CTA that has no thread")
        if self.remote and not self._cluster():
            raise refused(program, "its CTAs use each other's shared memory, and are no cluster")
        if self.remote and self.meetings:
            self._check_meetings()
        if any(t.place.grid for t in program.threads):
            raise refused(program, "it has several grids")
        asked = {n for c in (program.condition, program.filter) if c is not None for n in c.names()}
        if any(not owner and program.variables[name].space == "shared" for owner, name in asked):
            raise refused(program, "it asks for shared memory at the end")

    def _check_meetings(self) -> None:
        """The kernel needs the cluster's barrier, too: all threads have to come to it equally often."""
        counts = {self._cluster_barriers(i) for i in range(len(self.program.threads))}
        for thread in self.program.threads:
            for at, step in enumerate(thread.steps):
                if not isinstance(step, Branch):
                    continue
                loop = thread.steps[step.target : at]
                if step.target > at or any(isinstance(s, BarrierStep) and s.level == "cluster" for s in loop):
                    raise refused(self.program, "its threads branch around barriers of the cluster", step)
        if len(counts) > 1:
            raise refused(self.program, "some of its threads do not come to a barrier of the cluster")

    def _cluster(self) -> bool:
        clusters = {(t.place.gpu, t.place.cluster) for t in self.program.threads}
        if all(c is None for _, c in clusters):
            # A CTA is a cluster of its own; what writes within one wants the launch to say so.
            return len(self.ctas) == 1 and any(
                ".shared::cluster" in s.text for t in self.program.threads for s in t.steps
            )
        if len(clusters) > 1:
            raise refused(self.program, "some of its CTAs are in one cluster and some are not")
        return True

    def _head(self, cluster: bool) -> Iterator[str]:
        yield from (".version 8.6", ".target sm_90a", ".address_size 64")
        if self.alone:
            for v in self.globals:
                if v.name in self.maps:
                    continue
                values = ", ".join([str(v.init if isinstance(v.init, int) else 0)] * 4)
                yield f".visible .global .align 16 .b32 {_symbol(v.name)}[4] = {{{values}}};"
            yield from (self._map(name, of) for name, of in self.maps.items())
            yield f".visible .global .align 16 .b32 {OUT}[{max(1, len(self.registers))}];"
            yield f".visible .entry {ENTRY}()"
        else:
            parameters = ".param .u64 memory, .param .u64 out, .param .u64 gate, .param .u64 alias, .param .u32 seed"
            yield f".visible .entry {ENTRY}({parameters}, .param .u32 instances, .param .u32 places)"
        if cluster:
            yield f".reqnctapercluster {len(self.ctas)}, 1, 1"
        yield "{"
        plain = [v.name for v in self.shared if v.name not in self.tiles.of_a and v.name not in self.tiles.of_b]
        boxes = {_shared(n) for t in self.program.threads for s in t.steps if _through_map(s) for n in _names(s)}
        for name in dict.fromkeys(_shared(n) for n in plain):
            yield f".shared .align {_BOX if name in boxes else 16} .b8 {name}[16];"
        yield from self.tiles.declared()
        yield ".reg .pred %lane0, %pp, %qq;"
        yield ".reg .b32 %cta, %instance, %warp, %aa, %bb, %cc, %seed;"
        yield ".reg .b64 %mem, %outs, %gates, %xx;"
        for v in () if self.alone else [*self.globals, *self.aliases]:
            yield f".reg .b64 %{_symbol(v.name)};"
        for v in self.shared if self.remote else ():
            yield f".reg .b32 %c_{_clean(v.name)};"
        for i, t in enumerate(self.program.threads):
            names = {n for s in t.steps for n in _named(s)} | {n for o, n in self.registers if o == t.name}
            for name in sorted(names | set(t.registers)):
                yield f".reg .b32 %t{i}_{_clean(name)};"

    def _begin(self, meet: list[str]) -> Iterator[str]:
        yield "mov.u32 %cta, %ctaid.x;"
        if self.alone:
            yield self._lane()
        else:
            yield from self._instance()
        if self.shared:
            yield "mov.u32 %aa, %tid.x; setp.ne.u32 %pp, %aa, 0; @%pp bra READY;"
            for v in self.shared:
                same = sum(_shared(v.name) == _shared(o.name) for o in self.shared) > 1
                if same:  # one variable, which begins with another value in each CTA
                    yield f"setp.eq.u32 %pp, %cta, {self._rank(v.name)};"
                yield from (f"@%pp {line}" if same else line for line in self._initial(v))
            yield "fence.mbarrier_init.release.cluster;"
            yield "READY:"
        if self.shared or not self.alone:
            yield "bar.sync 0;"
        yield from meet
        if self.shared:
            yield "fence.proxy.async;"  # in each CTA, behind the meeting, for what was there at the start
        for v in self.shared if meet else ():
            yield f"mov.u32 %aa, {_shared(v.name)};"
            yield f"mapa.shared::cluster.u32 %c_{_clean(v.name)}, %aa, {self._rank(v.name)};"
        if not self.alone:
            yield from self._start()
        for i, t in enumerate(self.program.threads):
            yield f"setp.eq.u32 %pp, %cta, {self.ctas.index(t.place.own_cta)};"
            yield f"setp.eq.and.u32 %pp, %warp, {self._warp(i)}, %pp;"
            yield f"@%pp bra T{i};"

    def _instance(self) -> Iterator[str]:
        """Which instance this is, and where its locations are."""
        yield f"div.u32 %instance, %cta, {len(self.ctas)};"
        yield f"rem.u32 %cta, %cta, {len(self.ctas)};"
        yield self._lane()
        yield "ld.param.u64 %mem, [memory]; ld.param.u64 %outs, [out]; ld.param.u64 %gates, [gate]; ld.param.u32 %seed, [seed];"
        yield "ld.param.u32 %aa, [instances]; ld.param.u32 %bb, [places];"
        yield "mul.wide.u32 %xx, %instance, %aa; add.u64 %mem, %mem, %xx;"
        for i, v in enumerate(self.globals):
            yield f"mul.wide.u32 %xx, %bb, {i}; add.u64 %{_symbol(v.name)}, %mem, %xx;"
        for v in self.aliases:
            yield f"ld.param.u64 %xx, [alias]; add.u64 %{_symbol(v.name)}, %{_symbol(v.location)}, %xx;"
        yield f"mul.wide.u32 %xx, %instance, {max(4, 4 * len(self.registers))}; add.u64 %outs, %outs, %xx;"
        yield "mul.wide.u32 %xx, %instance, 4; add.u64 %gates, %gates, %xx;"

    def _rank(self, name: str) -> int:
        """Of the CTA in whose shared memory a variable lies."""
        return [c[-1] for c in self.ctas].index(self.home[name] or 0)

    def _lane(self) -> str:
        """Which thread of the test this is, and whether it is the lane that does what the test says."""
        shift = self.width.bit_length() - 1
        return f"mov.u32 %aa, %tid.x; shr.u32 %warp, %aa, {shift}; and.b32 %aa, %aa, {self.width - 1}; setp.eq.u32 %lane0, %aa, 0;"

    def _map(self, name: str, of: str) -> str:
        """A tensor map as a variable of the module. The address of its tensor stands in its first eight bytes."""
        made = four_words(0)
        words = [int.from_bytes(made[i : i + 8], "little") for i in range(8, len(made), 8)]
        return (
            f".visible .global .align 128 .u64 {_symbol(name)}[16] = {{{_symbol(of)}, {', '.join(map(str, words))}}};"
        )

    def _initial(self, v: Variable) -> Iterator[str]:
        if v.count is not None:
            yield f"mbarrier.init.shared::cta.b64 [{_shared(v.name)}], {v.count};"
            return
        value = v.init if isinstance(v.init, int) else 0
        if v.name in self.tiles.of_a or v.name in self.tiles.of_b:
            yield from self.tiles.initial(v.name, value)
            return
        for i in range(4):
            yield f"st.shared.b32 [{_shared(v.name)}+{4 * i}], {value};"

    def _start(self) -> Iterator[str]:
        """Meet the other threads of the instance, if they come soon, and wait for a while that the seed draws."""
        total = len(self.program.threads)
        yield "@!%lane0 bra GO;"
        yield "mov.u32 %bb, 0; atom.relaxed.gpu.global.add.u32 %aa, [%gates], 1;"
        yield "GATE: ld.relaxed.gpu.global.u32 %aa, [%gates];"
        yield f"setp.ge.u32 %pp, %aa, {total}; @%pp bra MET;"
        yield f"add.u32 %bb, %bb, 1; setp.lt.u32 %pp, %bb, {_POLLS}; @%pp bra GATE;"
        yield "MET: mad.lo.u32 %aa, %instance, 2654435761, %seed;"
        yield "mad.lo.u32 %aa, %warp, 40503, %aa; mad.lo.u32 %aa, %cta, 30011, %aa;"
        yield "xor.b32 %aa, %aa, %seed; mul.lo.u32 %aa, %aa, 2246822519; shr.u32 %aa, %aa, 26;"
        yield "DELAY: setp.eq.u32 %pp, %aa, 0; @%pp bra GO; sub.u32 %aa, %aa, 1; bra DELAY;"
        yield "GO:"

    def _warp(self, index: int) -> int:
        mine = self.program.threads[index].place.own_cta
        return sum(t.place.own_cta == mine for t in self.program.threads[:index])

    # --- one thread --------------------------------------------------------------------------------------------------

    def _thread(self, index: int) -> Iterator[tuple[str, tuple[str, int] | None]]:
        """The lines of a thread, each with the step that it does."""
        thread = self.program.threads[index]
        yield f"T{index}:", None
        if not self.guarded:
            yield "@!%lane0 bra END;", None
        self.used = {n for o, n in self.registers if o == thread.name} | set(thread.registers)
        self.used |= {n for s in thread.steps for n in _named(s)}
        for name in sorted(self.used):
            found: Value = thread.registers.get(name, 0)
            yield f"mov.b32 %t{index}_{_clean(name)}, {found if isinstance(found, int) else 0};", None
        for line in self.tiles.begin():
            yield line, None
        targets = {s.target for s in thread.steps if isinstance(s, Branch)}
        for at, step in enumerate(thread.steps):
            if at in targets:
                yield f"T{index}_{at}:", None
            together = not self.guarded or _together(step) or isinstance(step, Branch)
            for line in self._step(index, thread.place, step):
                yield line if together else f"@%lane0 {line}", (thread.name, at)
        if len(thread.steps) in targets:
            yield f"T{index}_{len(thread.steps)}:", None
        for line in self._kept(index, thread.name):
            yield f"@%lane0 {line}" if self.guarded else line, None
        yield "bra END;", None

    def _kept(self, index: int, thread: str) -> Iterator[str]:
        """What registers hold at the end goes to `out`."""
        base = OUT if self.alone else "%outs"
        for i, (owner, name) in enumerate(self.registers):
            if owner == thread:
                yield f"st.global.b32 [{base}+{4 * i}], %t{index}_{_clean(name)};"

    def _step(self, index: int, place: Place, step: Step) -> Iterator[str]:
        match step:
            case Load(address=Pointer(name=name)) if self.program.variables[name].space == "reg":
                target = "%aa" if step.register is None else self._operand(index, step.register)
                yield f"mov.b32 {target}, {self.tiles.result(name)};"
            case Store(address=Pointer(name=name)) if self.program.variables[name].space == "reg":
                yield f"mov.b32 {self.tiles.result(name)}, {self._operand(index, step.value)};"
            case Transfer() if step.completion == "wgmma-group":
                yield self.tiles.operation(step)
            case Store(address=Pointer(name=name), value=Pointer(name=of)) if name in self.maps:
                yield from self._to_map(self._place(index, name), of)
            case Load(address=Pointer(name=name)) if name in self.maps:
                raise refused(self.program, "it loads from a tensor map", step)
            case Load() if step.proxy == "generic":
                space, address = self._address(index, step, step.address)
                target = "%aa" if step.register is None else self._operand(index, step.register)
                yield f"ld.{_ordered(step.order, step.scope)}{space}.b32 {target}, {address};"
            case Load() if step.text.startswith("ld.global.nc"):
                _, address = self._address(index, step, step.address)
                target = "%aa" if step.register is None else self._operand(index, step.register)
                yield f"ld.global.nc.b32 {target}, {address};"
            case Store() if step.proxy == "generic":
                space, address = self._address(index, step, step.address)
                yield f"st.{_ordered(step.order, step.scope)}{space}.b32 {address}, {self._operand(index, step.value)};"
            case Update() if step.proxy == "generic" and step.update in (
                "add",
                "exch",
                "cas",
                "and",
                "or",
                "xor",
                "min",
                "max",
            ):
                yield self._update(index, step)
            case FenceStep():
                if step.over is not None:
                    yield from self._written(index, step)
                    return
                plain = not step.joins and step.only is None and step.space is None
                yield f"fence.{step.order}.{step.scope};" if plain else f"{step.text};"
            case BarrierStep():
                yield self._barrier(place, step)
            case Compute(op="mapa", values=(Pointer(name=name), int() as rank)):
                yield f"mapa.shared::cluster.u32 {self._operand(index, step.register)}, {_shared(name)}, {rank};"
            case Compute() if step.op == "mov" or step.op in _ARITHMETIC:
                values = ", ".join(self._operand(index, v) for v in step.values)
                yield f"{_ARITHMETIC.get(step.op, 'mov.b32')} {self._operand(index, step.register)}, {values};"
            case Branch():
                if step.op is None:
                    yield f"bra T{index}_{step.target};"
                    return
                yield f"mov.b32 %aa, {self._operand(index, step.a)};"
                yield f"setp.{step.op}.s32 %pp, %aa, {self._operand(index, step.b)};"
                if self.guarded:  # the other lanes go where the first one goes
                    yield "and.pred %pp, %pp, %lane0;"
                    yield "vote.sync.any.pred %pp, %pp, 0xffffffff;"
                yield f"@%pp bra T{index}_{step.target};"
            case Transfer() | GroupStep() | MbarrierStep():
                yield from self._written(index, step)
            case _:
                raise refused(self.program, f"no kernel does `{step.text}`", step)

    def _to_map(self, place: str, of: str) -> Iterator[str]:
        """A write of a tensor map: it becomes one of another location."""
        if self.alone:
            yield f"mov.u64 %xx, {_symbol(of)};"
        value = "%xx" if self.alone else f"%{_symbol(of)}"
        yield f"tensormap.replace.tile.global_address.global.b1024.b64 {place}, {value};"

    def _update(self, index: int, step: Update) -> str:
        space, address = self._address(index, step, step.address)
        kind = _TYPES.get(step.update, "u32")
        values = ", ".join(self._operand(index, v) for v in step.values)
        said = f"{_ordered(step.order, step.scope)}{space}.{step.update}.{kind}"
        if step.register is None:
            return f"red.{said} {address}, {values};"
        return f"atom.{said} {self._operand(index, step.register)}, {address}, {values};"

    def _barrier(self, place: Place, step: BarrierStep) -> str:
        if step.level == "cluster":
            return f"{step.text};"
        key = (place.own_cta, *step.name)
        number = self.barriers.setdefault(key, len(self.barriers) + 1)
        count = step.count
        if count is None:
            here = [t for t in self.program.threads if t.place.own_cta == place.own_cta]
            count = sum(any(isinstance(s, BarrierStep) and s.name == step.name for s in t.steps) for t in here)
        if not isinstance(count, int) or any(isinstance(n, Register) for n in step.name) or number > 15:
            raise refused(self.program, "its barriers depend on registers, or are too many", step)
        return f"barrier.cta.{step.kind} {number}, {self.width * count};"

    def _written(self, index: int, step: Step) -> Iterator[str]:
        """An instruction that is written as PTX, with our names for what it names."""
        opcode, _, rest = step.text.partition(" ")
        out: list[str] = []
        predicate = ""
        for word in operands_of(rest):
            if word.startswith("["):
                if self._mapped(index, word[1:-1].strip()):
                    out.append(f"[%t{index}_{_clean(word[1:-1].strip())}]")
                    continue
                name, comma, rest = (part.strip() for part in word[1:-1].partition(","))
                if name not in self.program.variables:
                    raise refused(self.program, f"no kernel does `{step.text}`", step)
                place = self._place(index, name)
                out.append(f"{place[:-1]}, {rest}]" if comma else place)
            elif isinstance(step, MbarrierStep) and step.register is not None and word == step.register.name:
                out.append("%qq")
                predicate = self._operand(index, step.register)
            else:
                out.append(f"%t{index}_{_clean(word)}" if word in self.used else word)
        yield f"{opcode} {', '.join(out)};"
        if predicate:
            yield f"selp.b32 {predicate}, 1, 0, %qq;"

    def _place(self, index: int, name: str) -> str:
        if name in self.tiles.of_a or name in self.tiles.of_b:
            return self.tiles.place(name)
        if self.program.variables[name].space != "shared":
            return f"[{_symbol(name)}]" if self.alone else f"[%{_symbol(name)}]"
        return f"[%c_{_clean(name)}]" if self._remote(index, name) else f"[{_shared(name)}]"

    def _mapped(self, index: int, register: str) -> bool:
        """Whether a register holds an address in another CTA that mapa has made."""
        made = (s for s in self.program.threads[index].steps if isinstance(s, Compute) and s.register.name == register)
        return {s.op for s in made} == {"mapa"}

    def _remote(self, index: int, name: str) -> bool:
        """Whether a variable lies in the shared memory of another CTA than the thread's."""
        return self.home[name] != self.program.threads[index].place.cta

    def _address(self, index: int, step: Step, operand: Operand) -> tuple[str, str]:
        if isinstance(operand, Register) and self._mapped(index, operand.name):
            return ".shared::cluster", f"[{self._operand(index, operand)}]"
        if not isinstance(operand, Pointer):
            raise refused(self.program, f"`{step.text}` has its address in a register", step)
        shared = self.program.variables[operand.name].space == "shared"
        space = ".global" if not shared else ".shared::cluster" if self._remote(index, operand.name) else ".shared"
        return space, self._place(index, operand.name)

    def _operand(self, index: int, operand: Operand) -> str:
        if isinstance(operand, Pointer):
            raise refused(self.program, f"it computes with the address of {operand}")
        return str(operand) if isinstance(operand, int) else f"%t{index}_{_clean(operand.name)}"


def four_words(address: int) -> bytes:
    """A tensor map of four words: what copies through maps move in a test."""
    from ptxlab.layout.tensormap import TensorMap

    return TensorMap.tiled(dtype="u32", address=address, dims=(4,), strides=(), box=(4,)).encode()


def _through_map(step: Step) -> bool:
    """Whether it is a copy through a tensor map."""
    return isinstance(step, Transfer) and step.through is not None


def _together(step: Step) -> bool:
    """Whether all lanes do it: barriers, and what belongs to wgmma."""
    if isinstance(step, BarrierStep):
        return True
    return (isinstance(step, Transfer) and step.completion == "wgmma-group") or (
        isinstance(step, GroupStep) and step.group == "wgmma-group"
    )


def _ordered(order: str, scope: str | None) -> str:
    return order if scope is None or order == "weak" else f"{order}.{scope}"


def _shared(name: str) -> str:
    """What a shared variable is called in the kernel: s.0 and s.1 are the same one in two CTAs."""
    base, dot, number = name.rpartition(".")
    return f"s_{_clean(base if dot and number.isdigit() else name)}"


def _symbol(name: str) -> str:
    """What a location is called in the module of a kernel that stands alone."""
    return f"v_{_clean(name)}"


def _clean(name: str) -> str:
    return re.sub(r"\W", "_", name)


def _named(step: Step) -> Iterator[str]:
    """The registers that a step reads or writes."""
    for name in step.__dataclass_fields__:
        value: object = getattr(step, name)
        for one in value if isinstance(value, tuple) else (value,):  # pyright: ignore[reportUnknownVariableType]
            if isinstance(one, Register):
                yield one.name


def _names(step: Step) -> Iterator[str]:
    """The variables that a step names."""
    for field in step.__dataclass_fields__:
        value: object = getattr(step, field)
        for one in value if isinstance(value, tuple) else (value,):  # pyright: ignore[reportUnknownVariableType]
            if isinstance(one, Pointer):
                yield one.name
