r"""PTX kernels as litmus tests: the text as it is, and what is asked of it in comments.

    // P0@cta 0,gpu 0 | P1@cta 1,gpu 0
    // exists (P1:%r0 == 1 /\ P1:%r1 == 0)
    .version 8.0
    .target sm_90a
    .address_size 64
    .global .b32 x;
    .global .b32 flag;
    .entry P0() { st.weak.global.b32 [x], 1;  st.release.gpu.global.b32 [flag], 1;  ret; }
    .entry P1() { … }

A thread runs the entry of its name, or the only entry there is, which tells threads apart by %tid and %ctaid. Each stands for a
warp of its own. Where threads run in several CTAs, a shared variable s is called s.0, s.1 … after its CTA. Instructions are bound
to their rows by the parser that all other PTX goes through; `bound` says what they do here.

Registers that belong to a wgmma while it runs are locations of their thread: `P0.%r1`, of which a vector's first stands for all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from ptxlab.diag import Diagnostic, Span, raise_all
from ptxlab.isa.bind import Instance
from ptxlab.isa.effects import AsyncMma
from ptxlab.isa.effects import Branch as BranchEffect
from ptxlab.isa.effects import Compute as ComputeEffect
from ptxlab.isa.operands import Addr, Imm, Label, Reg, Sreg, Symbol, Vec
from ptxlab.isa.operands import Operand as PtxOperand
from ptxlab.memory_model.bound import WARP, counted
from ptxlab.memory_model.bound import steps as bound_steps
from ptxlab.memory_model.condition import Name, parse_condition
from ptxlab.memory_model.herd import initial, names_of, place_of
from ptxlab.memory_model.names import check_names
from ptxlab.memory_model.program import (
    BarrierStep,
    Branch,
    Compute,
    Load,
    Operand,
    Place,
    Pointer,
    Program,
    Register,
    Step,
    Store,
    Thread,
    Variable,
    registers_of,
)
from ptxlab.ptx.lower import lowered
from ptxlab.ptx.parser import parse
from ptxlab.ptx.program import Op
from ptxlab.ptx.program import Program as Kernel
from ptxlab.ptx.tree import Module
from ptxlab.ptx.variables import Var

_SAID: Final = re.compile(
    r"^\s*//\s*(exists|~\s*exists|forall|filter|locations|P\w+\s*@|\.mbarrier|[\w.$+]+\s*@|[\w.$+]+\s*=)(.*)$"
)
_UNSIGNED: Final = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
_ELEMENTS: Final = 64
"""How many elements of an array have names of their own: x, x+4, x+8 …"""


def is_kernel(text: str) -> bool:
    """Whether a text is a module of PTX."""
    return re.search(r"^\s*\.version\b", text, re.MULTILINE) is not None


def parse_kernel(text: str, file: str = "<litmus>") -> Program:
    """The test that a module of PTX is.

    Raises: Diagnostic PTX0600 where the comments do not say what the test is, PTX0602 for an instruction that litmus tests do not
        model, and what is wrong with the PTX.
    """
    return _Kernels(text, file).program()


class _Kernels:
    def __init__(self, text: str, file: str) -> None:
        self.text, self.file = text, file
        self.module: Module = parse(text, file)
        self.entries = {f.name: f for f in self.module.entries()}

    def program(self) -> Program:
        said = list(self._said())
        places = dict(self._places(said))
        if not places:
            raise self._wrong(
                "No comment names the threads.", Span(self.file, 1), "write // P0@cta 0,gpu 0 | P1@cta 1,gpu 0"
            )
        kernels = {name: self._kernel(name) for name in places}
        ctas = sorted({p.cta for p in places.values()})
        variables = self._variables(kernels.values(), ctas)
        for name, kernel in kernels.items():
            for register in set(_of_wgmma(kernel).values()):
                made = f"{name}.{register}"
                variables[made] = Variable(made, made, made, space="reg")
        self._declared(said, variables)
        made = self._asked(Program(_named(self.text, kernels), (), variables, None, None, file=self.file), said)
        asked = {n for c in (made.condition, made.filter) if c is not None for n in c.names()} | set(made.shown)
        threads = tuple(
            _Thread(kernels[name], name, place, _registers(name, places), several=len(ctas) > 1).thread(asked)
            for name, place in places.items()
        )
        made = replace(made, threads=threads)
        check_names(made, said[-1][2])
        return made

    def _wrong(self, message: str, span: Span | None, help: str) -> Diagnostic:
        return Diagnostic("PTX0600", message, help=help, span=span)

    def _said(self) -> Iterator[tuple[str, str, Span]]:
        for number, line in enumerate(self.text.splitlines(), 1):
            found = _SAID.match(line)
            if found is not None:
                yield found[1], found[2].strip(), Span(self.file, number, found.start(1) + 1, len(line) + 1, line)

    def _places(self, said: Sequence[tuple[str, str, Span]]) -> Iterator[tuple[str, Place]]:
        for word, rest, span in said:
            if word.endswith("@") and "aliases" not in rest:
                for head in f"{word}{rest}".split("|"):
                    found = place_of(head)
                    if found is None:
                        raise self._wrong(f"`{head.strip()}` names no thread.", span, "write P0@cta 0,gpu 0")
                    yield found

    def _kernel(self, thread: str) -> Kernel:
        if thread not in self.entries and len(self.entries) != 1:
            named = ", ".join(self.entries)
            raise self._wrong(
                f"No entry is called {thread}.", None, f"name the entries after the threads; there are {named}"
            )
        kernel, wrong = lowered(self.module, thread if thread in self.entries else next(iter(self.entries)))
        raise_all(wrong)
        return kernel

    def _variables(self, kernels: Iterable[Kernel], ctas: Sequence[int]) -> dict[str, Variable]:
        out: dict[str, Variable] = {}
        for kernel in kernels:
            for var in kernel.variables:
                owners = [f"{var.name}.{n}" for n in ctas] if var.space == "shared" and len(ctas) > 1 else [var.name]
                for name, value in ((o + e, v) for o in owners for e, v in _elements(var)):
                    out[name] = Variable(name, name, name, init=value, space=var.space)
            for param in kernel.params:
                out[param.name] = Variable(param.name, param.name, param.name)
        return out

    def _declared(self, said: Sequence[tuple[str, str, Span]], variables: dict[str, Variable]) -> None:
        """What comments say of variables: `// x = 1`, `// .mbarrier m = 1`."""
        for word, rest, span in said:
            if word.endswith("@") and "aliases" in rest:
                self._alias(word.rstrip("@").strip(), rest, span, variables)
            if word not in (".mbarrier",) and not word.endswith("="):
                continue
            name = (rest.partition("=")[0] if word == ".mbarrier" else word.rstrip("=")).strip()
            value = initial((rest.partition("=")[2] if word == ".mbarrier" else rest).strip() or "1")
            if name not in variables or value is None:
                raise self._wrong(
                    f"{name} is no variable that an instruction names, or has no such value.", span, "declare it"
                )
            if word == ".mbarrier":
                variables[name] = replace(variables[name], count=value if isinstance(value, int) else 1)
            else:
                variables[name] = replace(variables[name], init=value)

    def _alias(self, name: str, rest: str, span: Span, variables: dict[str, Variable]) -> None:
        """A texture or a surface of memory: `// t @ texture aliases x`; another address of it: `// y @ generic aliases x`."""
        found = re.fullmatch(r"(\w+)\s+aliases\s+([\w.$+]+)", rest)
        if found is None or not re.search(rf"^\s*[^/\s].*\b{re.escape(found[2])}\b", self.text, re.MULTILINE):
            raise self._wrong("The alias is of no variable.", span, "write // t @ texture aliases x")
        base = variables.setdefault(found[2], Variable(found[2], found[2], found[2]))
        address = name if found[1] == "generic" else base.address
        variables[name] = Variable(name, base.location, address, None, None)

    def _asked(self, program: Program, said: Sequence[tuple[str, str, Span]]) -> Program:
        shown: list[Name] = []
        for word, rest, span in said:
            match word.replace(" ", ""):
                case "exists" | "~exists" | "forall" as quantifier:
                    program = replace(program, quantifier=quantifier, condition=parse_condition(rest, span))
                case "filter":
                    program = replace(program, filter=parse_condition(rest, span))
                case "locations":
                    shown += names_of(rest)
                case _:
                    pass
        return replace(program, shown=tuple(shown))


def _named(text: str, kernels: Mapping[str, Kernel]) -> str:
    found = re.search(r"^\s*//\s*litmus:?\s+(.+)$", text, re.MULTILINE)
    return found[1].strip() if found else next(iter(kernels.values())).name


def _elements(var: Var) -> Iterator[tuple[str, int]]:
    """What the names of a variable's elements end in, and what they hold."""
    size = max(1, var.type.bytes)
    for i in range(min(max(1, var.size // size), _ELEMENTS)):
        held = (var.init or b"")[i * size : (i + 1) * size]
        yield f"+{i * size}" if i else "", int.from_bytes(held, "little")


def _registers(name: str, places: Mapping[str, Place]) -> dict[str, int]:
    """The special registers of a thread, as far as a test has them."""
    mine = places[name]
    cta = [n for n, p in places.items() if p.own_cta == mine.own_cta]
    cluster = sorted({p.cta for p in places.values() if p.own_cluster == mine.own_cluster})
    found = {
        "%tid.x": cta.index(name) * WARP,
        "%ntid.x": len(cta) * WARP,
        "%warpid": cta.index(name),
        "%ctaid.x": mine.cta,
        "%nctaid.x": max(p.cta for p in places.values()) + 1,
        "%cluster_ctarank": cluster.index(mine.cta),
        "%cluster_nctarank": len(cluster),
        "%laneid": 0,
    }
    return {**{f"%{r}.{d}": int(r.startswith("n")) for r in ("tid", "ntid", "ctaid", "nctaid") for d in "yz"}, **found}


def _of_wgmma(kernel: Kernel) -> dict[str, str]:
    """The registers that a wgmma reads and writes, and those that stand for them: the first of each vector."""
    vectors = (o for op in kernel.ops if isinstance(op.inst.form.effect, AsyncMma) for o in op.inst.operands.values())
    return {
        item.name: v.items[0].name
        for v in vectors
        if isinstance(v, Vec) and isinstance(v.items[0], Reg)
        for item in v.items
        if isinstance(item, Reg)
    }


class _Thread:
    """The steps of one thread."""

    def __init__(self, kernel: Kernel, name: str, place: Place, sregs: Mapping[str, int], *, several: bool) -> None:
        self.kernel, self.name, self.place, self.sregs, self.several = kernel, name, place, sregs, several
        self.first = _of_wgmma(kernel)
        self.held = set(self.first.values())
        self.before: list[Step] = []
        self.temporaries = 0

    def thread(self, asked: Iterable[Name]) -> Thread:
        """The thread. asked: the registers and locations that the question is about."""
        out: list[Step] = []
        starts: list[int] = []
        for op in self.kernel.ops:
            starts.append(len(out))
            out += self._steps(op, len(out))
        starts.append(len(out))
        out += [self._load(r) for r in sorted(self.held) if (self.name, r) in asked]
        # Jumps to instructions are written as negative numbers until it is known where their steps are.
        steps = tuple(
            replace(s, target=starts[-s.target - 1]) if isinstance(s, Branch) and s.target < 0 else s for s in out
        )
        return Thread(self.name, self.place, steps)

    def _steps(self, op: Op, at: int) -> list[Step]:
        self.before = []
        effect = op.inst.form.effect
        if isinstance(effect, BranchEffect):
            return self._branch(op, effect)
        if isinstance(effect, ComputeEffect):
            made = [self._compute(op, effect)]
        elif self._is_parameter(op.inst):
            made = [self._parameter(op)]
        else:
            found = bound_steps(op.inst, self._resolve, op.text, op.span)
            made = [counted(s, self.sregs["%ntid.x"]) if isinstance(s, BarrierStep) else s for s in found]
        steps = [*self.before, *made]
        if self.held:
            steps = self._held(op, steps)
        if op.guard is None or not steps:
            return steps
        skip = Branch(
            target=at + 1 + len(steps),
            op="ne" if op.guard_negated else "eq",
            a=Register(op.guard.name),
            b=0,
            text=f"@{'!' if op.guard_negated else ''}{op.guard}",
            span=op.span,
        )
        return [skip, *steps]

    def _held(self, op: Op, steps: list[Step]) -> list[Step]:
        """The same, with loads and stores of registers that belong to a wgmma."""
        read = {r for s in steps for r in registers_of(s, written=False)} & self.held
        written = {r for s in steps for r in registers_of(s, written=True)} & self.held
        if op.guard is not None:
            read |= {op.guard.name} & self.held
        stores = [
            Store(address=Pointer(f"{self.name}.{r}"), value=Register(r), text=op.text, span=op.span)
            for r in sorted(written)
        ]
        return [*(self._load(r, op) for r in sorted(read)), *steps, *stores]

    def _load(self, register: str, op: Op | None = None) -> Step:
        return Load(
            register=Register(register),
            address=Pointer(f"{self.name}.{register}"),
            text=f"reads {register}" if op is None else op.text,
            span=None if op is None else op.span,
        )

    def _wrong(self, op: Op, message: str, help: str) -> Diagnostic:
        return Diagnostic("PTX0602", message, help=help, span=op.span)

    def _branch(self, op: Op, effect: BranchEffect) -> list[Step]:
        if effect.kind == "branch":
            label = op.inst.operands.get(effect.to or "target")
            if not isinstance(label, Label):
                raise self._wrong(op, f"`{op.text}` goes to no label.", "use bra")
            target = -self.kernel.labels[label.name] - 1
        elif effect.kind in ("return", "exit"):
            target = -len(self.kernel.ops) - 1
        else:
            raise self._wrong(op, f"`{op.text}` is nothing that litmus tests model.", "use bra, ret and exit")
        if op.guard is None:
            return [Branch(target=target, text=op.text, span=op.span)]
        test = "eq" if op.guard_negated else "ne"
        return [Branch(target=target, op=test, a=Register(op.guard.name), b=0, text=op.text, span=op.span)]

    def _compute(self, op: Op, effect: ComputeEffect) -> Step:
        holds = effect.when is None or effect.when.eval(op.inst) is True
        target = op.inst.operands.get(effect.to)
        if effect.each is None or not holds or not isinstance(target, Reg):
            raise self._wrong(
                op, f"`{op.text}` computes what a litmus test cannot follow.", "use mov, add, sub, and, or, setp …"
            )
        values = tuple(self._resolve(op.inst.operands[name]) for name in effect.of)
        name = {"copy": "mov"}.get(effect.each, effect.each)
        if name == "compare":
            compared = op.inst.mod("cmp") or "eq"
            name = f"set.{_UNSIGNED.get(compared, compared)}"
        return Compute(register=Register(target.name), op=name, values=values, text=op.text, span=op.span)

    def _is_parameter(self, inst: Instance) -> bool:
        address = inst.operands.get("a")
        return isinstance(address, Addr) and isinstance(address.base, Symbol) and address.base.space.startswith("param")

    def _parameter(self, op: Op) -> Step:
        """A parameter is the address of a variable of its name."""
        target, address = op.inst.operands.get("d"), op.inst.operands["a"]
        assert isinstance(address, Addr)
        if not isinstance(target, Reg) or not isinstance(address.base, Symbol):
            raise self._wrong(op, f"`{op.text}` reads no whole parameter.", "load one pointer")
        found = Pointer(address.base.name)
        return Compute(register=Register(target.name), op="mov", values=(found,), text=op.text, span=op.span)

    def _resolve(self, operand: PtxOperand) -> Operand:
        match operand:
            case Imm():
                return int(operand.number)
            case Reg():
                return Register(self.first.get(operand.name, operand.name))
            case Sreg() if operand.name in self.sregs:
                return self.sregs[operand.name]
            case Symbol():
                return self._pointer(operand, operand.offset)
            case Addr(base=Reg()) if operand.offset:
                return self._moved(operand)
            case Addr(base=Symbol() as base):
                return self._pointer(base, base.offset + operand.offset)
            case Addr():
                return self._resolve(operand.base)
            case Vec(items=(Reg() as first, *_)) if first.name in self.held:
                return Pointer(f"{self.name}.{first.name}")
            case _:
                raise Diagnostic(
                    "PTX0602",
                    f"`{operand}` is no operand that a litmus test follows.",
                    help="use registers, numbers and variables",
                )

    def _pointer(self, symbol: Symbol, offset: int) -> Pointer:
        own = self.several and symbol.space.startswith("shared")
        name = f"{symbol.name}.{self.place.cta}" if own else symbol.name
        return Pointer(name + (f"+{offset}" if offset else ""))

    def _moved(self, address: Addr) -> Register:
        """The register that holds a base and its offset."""
        assert isinstance(address.base, Reg)
        self.temporaries += 1
        made = Register(f"{address.base.name}+{address.offset} {self.temporaries}")
        values = (Register(address.base.name), address.offset)
        self.before.append(Compute(register=made, op="add", values=values, text=str(address)))
        return made
