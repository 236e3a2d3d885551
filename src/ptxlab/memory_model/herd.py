r"""The litmus format that herd7 and Dat3M use for PTX: threads in columns, one instruction a cell.

    PTX MP
    { x = 0; flag = 0; }
     P0@cta 0,gpu 0          | P1@cta 1,gpu 0           ;
     st.weak x, 1            | ld.acquire.gpu r0, flag  ;
     st.release.gpu flag, 1  | ld.weak r1, x            ;
    exists (P1:r0 == 1 /\ P1:r1 == 0)

Its accesses have no types and no brackets: they are written out as PTX, and bound to their rows like any PTX. What it has beyond
PTX is said here: branches (`beq r0, 1, LC00`), arithmetic on registers, the proxies of textures, surfaces and constants, a number
that tells one `bar` in the program from another, and updates that PTX lacks (sub, mul, div). A cell can also hold PTX as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from ptxlab.diag import Diagnostic, Span
from ptxlab.isa.bind import bind
from ptxlab.isa.effects import AsyncMma, both
from ptxlab.isa.form import FORMS
from ptxlab.isa.operands import Addr, Imm, Pair, Reg, Sink, Symbol, Vec
from ptxlab.isa.operands import Operand as PtxOperand
from ptxlab.isa.types import TYPES
from ptxlab.memory_model.bound import WARP, counted
from ptxlab.memory_model.bound import steps as bound_steps
from ptxlab.memory_model.condition import Name, parse_condition
from ptxlab.memory_model.names import check_names
from ptxlab.memory_model.program import (
    BarrierStep,
    Branch,
    Compute,
    FenceStep,
    Load,
    Operand,
    Place,
    Pointer,
    Program,
    Register,
    Step,
    Store,
    Thread,
    Transfer,
    Update,
    Value,
    Variable,
    registers_of,
)

_PROXIES: Final = {"t": "texture", "su": "surface", "co": "constant"}
"""Accesses through other proxies than the generic one, as the format spells them: tld, suld, sust, suatom, sured, cold."""
_FENCED: Final = ("texture", "surface", "constant", "generic")
_UPDATES: Final = {"plus": "add", "minus": "sub"}
_STRONGER: Final = {"acq_rel": "release", "acquire": "relaxed"}
"""What an order of red comes to, which in PTX is relaxed or release."""
_BITWISE: Final = ("exch", "cas", "and", "or", "xor")
_BRANCHES: Final = {"beq": "eq", "bne": "ne", "blt": "lt", "bgt": "gt", "ble": "le", "bge": "ge"}
_WGMMA: Final = ("wgmma.mma_async",)
_ARITHMETIC: Final = ("mov", "add", "sub", "mul", "div", "and", "or", "xor", "min", "max")
_LABEL: Final = re.compile(r"([A-Za-z_$][\w$]*)\s*:\s*")
_THREAD: Final = re.compile(
    r"\s*(P?\w+)\s*@\s*cta\s+(\d+)\s*,\s*(?:cluster\s+(\d+)\s*,\s*)?gpu\s+(\d+)\s*(?:,\s*grid\s+(\d+)\s*)?$"
)
_PAIR: Final = re.compile(r"(\.sync[\w.:]*\s+[%\w]+)\|(?=\s*%?\w+\s*,)")
"""Two destinations of an instruction, `elect.sync r0|p0, -1`: the bar between them ends no cell."""
_BAR: Final = "\0"
_END: Final = re.compile(r"^\s*(locations|filter|exists|~\s*exists|forall)\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Cell:
    """An instruction and where it stands."""

    text: str
    span: Span


def parse_herd(text: str, file: str = "<litmus>") -> Program:
    """The test that a text describes.

    Raises: Diagnostic PTX0600 where the text is not in the format, PTX0602 for an instruction that litmus tests do not model, and
        those of binding an instruction.
    """
    return _Parser(text, file).program()


class _Parser:
    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.text = _blanked(text)
        self.lines = text.splitlines()

    def span(self, at: int, length: int = 0) -> Span:
        line = self.text.count("\n", 0, at)
        column = at - (self.text.rfind("\n", 0, at) + 1) + 1
        shown = self.lines[line] if line < len(self.lines) else ""
        return Span(self.file, line + 1, column, column + max(length, 1), shown)

    def wrong(self, message: str, at: int, help: str, length: int = 0) -> Diagnostic:
        return Diagnostic("PTX0600", message, help=help, span=self.span(at, length))

    def program(self) -> Program:
        opened, closed = self.text.find("{"), self.text.find("}")
        header = self.text[:opened].split() if opened > 0 else []
        if len(header) < 1 or header[0].upper() != "PTX" or closed < opened:
            raise self.wrong(
                "The text is no litmus test.", 0, "begin with `PTX name`, then { x = 0; … } and the threads"
            )
        variables, registers = self._declared(opened + 1, closed)
        end = _END.search(self.text, closed)
        stop = end.start() if end else len(self.text)
        threads = self._threads(closed + 1, stop, registers, variables)
        shown, filter_, quantifier, condition = self._asked(stop)
        program = Program(
            name=" ".join(self.text[:opened].strip().splitlines()[0].split()[1:]) or "litmus",
            threads=threads,
            variables=variables,
            quantifier=quantifier,
            condition=None if condition is None else parse_condition(condition[0], condition[1]),
            filter=None if filter_ is None else parse_condition(filter_[0], filter_[1]),
            file=self.file,
            doc=_doc(self.lines),
            shown=tuple(shown),
        )
        check_names(program, self.span(stop), places=True)
        return program

    # --- { x = 0; P0:r1 = 2; y @ generic aliases x; } ----------------------------------------------------------------

    def _declared(self, start: int, stop: int) -> tuple[dict[str, Variable], dict[str, dict[str, Value]]]:
        variables: dict[str, Variable] = {}
        registers: dict[str, dict[str, Value]] = {}
        at = start
        for part in self.text[start:stop].split(";"):
            words = part.strip()
            place = at + len(part) - len(part.lstrip())
            at += len(part) + 1
            if words:
                self._declare(words, place, variables, registers)
        return variables, registers

    def _declare(
        self, words: str, at: int, variables: dict[str, Variable], registers: dict[str, dict[str, Value]]
    ) -> None:
        alias = re.fullmatch(r"([\w.$]+)\s*@\s*(\w+)\s+aliases\s+([\w.$]+)", words)
        if alias is not None:
            name, proxy, of = alias.groups()
            if of not in variables:
                raise self.wrong(f"{of} is not declared before its alias.", at, "declare it first", len(words))
            base = variables[of]
            address = name if proxy == "generic" else base.address
            variables[name] = Variable(name, base.location, address, None, None)
            return
        held = re.fullmatch(
            r"\.(global|shared|const|reg|mbarrier)\s+([\w.$]+(?:\+\d+)?)(?:\s*@\s*cta\s+(\d+))?(?:\s*=\s*&?\s*([\w.$-]+))?", words
        )
        if held is not None:
            self._hold(held, at, variables)
            return
        given = re.fullmatch(r"(?:(P?\w+)\s*:\s*)?([%\w.$]+(?:\+\d+)?)(?:\s*=\s*&?\s*([\w.$-]+))?", words)
        if given is None:
            raise self.wrong(
                f"`{words}` declares nothing.", at, "write x = 0, P0:r1 = 2, or y @ generic aliases x", len(words)
            )
        thread, name, text = given.groups()
        value = self._initial(text or "0", at)
        if thread is None:
            if isinstance(value, Pointer):
                variables.setdefault(value.name, Variable(value.name, value.name, value.name))
            variables[name] = Variable(name, name, name, init=value)
            return
        if isinstance(value, Pointer):
            variables.setdefault(value.name, Variable(value.name, value.name, value.name))
        registers.setdefault(_thread_name(thread), {})[name] = value

    def _hold(self, held: re.Match[str], at: int, variables: dict[str, Variable]) -> None:
        """A variable in a state space, or an mbarrier: `.shared s = 0`, `.mbarrier m = 1`, `.mbarrier m` for one without init."""
        space, name, cta, text = held.groups()
        number = name.rpartition(".")[2]  # s.1 is the s of CTA 1
        owner = int(cta) if cta is not None else int(number) if number.isdigit() and "." in name else None
        value = self._initial(text or "0", at)
        if space == "mbarrier":
            count = value if text and isinstance(value, int) else None
            variables[name] = Variable(name, name, name, space="shared", count=count, owner=owner)
            return
        variables[name] = Variable(name, name, name, init=value, space=space, owner=owner)

    def _initial(self, text: str, at: int) -> Value:
        found = initial(text)
        if found is None:
            raise self.wrong(f"{text} is no value.", at, "write a number or the name of a location")
        return found

    # --- threads -----------------------------------------------------------------------------------------------------

    def _threads(
        self, start: int, stop: int, registers: dict[str, dict[str, Value]], variables: dict[str, Variable]
    ) -> tuple[Thread, ...]:
        rows = list(self._rows(start, stop))
        if not rows:
            raise self.wrong("The test has no threads.", start, "write P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;")
        heads = rows[0]
        columns: list[list[_Cell]] = [[] for _ in heads]
        for row in rows[1:]:
            if len(row) > len(heads):
                raise Diagnostic(
                    "PTX0600", f"The row has {len(row)} cells for {len(heads)} threads.",
                    help="separate the threads' cells with |, and end the row with ;", span=row[-1].span,
                )  # fmt: skip
            for column, cell in zip(columns, row, strict=False):
                column.append(cell)
        made: list[Thread] = []
        places = [self._place(head) for head in heads]
        for (name, place), column in zip(places, columns, strict=True):
            warps = sum(p.own_cta == place.own_cta for _, p in places)
            steps = _Thread(column, variables, warps).steps()
            made.append(Thread(name, place, steps, registers.get(name, {})))
        return tuple(made)

    def _place(self, head: _Cell) -> tuple[str, Place]:
        found = place_of(head.text)
        if found is None:
            raise Diagnostic("PTX0600", f"`{head.text}` names no thread.", help="write P0@cta 0,gpu 0", span=head.span)
        return found

    def _rows(self, start: int, stop: int) -> Iterator[list[_Cell]]:
        at = start
        for row in self.text[start:stop].split(";"):
            cells: list[_Cell] = []
            here = at
            for cell in _PAIR.sub(rf"\1{_BAR}", row).split("|"):
                words = cell.strip().replace(_BAR, "|")
                where = here + len(cell) - len(cell.lstrip())
                cells.append(_Cell(words, self.span(where, len(words))))
                here += len(cell) + 1
            at += len(row) + 1
            if any(c.text for c in cells):
                yield cells

    # --- locations [x;]  filter …  exists … ---------------------------------------------------------------------------

    def _asked(self, start: int) -> tuple[list[Name], tuple[str, Span] | None, str | None, tuple[str, Span] | None]:
        shown: list[Name] = []
        filter_: tuple[str, Span] | None = None
        quantifier: str | None = None
        condition: tuple[str, Span] | None = None
        found = list(_END.finditer(self.text, start))
        for i, head in enumerate(found):
            stop = found[i + 1].start() if i + 1 < len(found) else len(self.text)
            word = head[1].replace(" ", "")
            body = self.text[head.end() : stop].strip().rstrip(";").strip()
            span = self.span(head.start() + len(head[0]) - len(head[0].lstrip()), len(head[1]))
            match word:
                case "locations":
                    shown += names_of(body)
                case "filter":
                    filter_ = (body, span)
                case _:
                    quantifier, condition = word, (body, span)
        return shown, filter_, quantifier, condition


class _Thread:
    """The steps of one column. warps: the threads of its CTA, each of which stands for a warp."""

    def __init__(self, cells: list[_Cell], variables: dict[str, Variable], warps: int) -> None:
        self.cells, self.variables, self.warps = cells, variables, warps

    def steps(self) -> tuple[Step, ...]:
        labels: dict[str, int] = {}
        code: list[_Cell] = []
        for cell in self.cells:
            text = cell.text
            while (found := _LABEL.match(text)) is not None and not text[found.end(1) :].startswith("::"):
                labels[found[1]] = len(code)
                text = text[found.end() :]
            if text:
                code.append(_Cell(text, cell.span))
        out: list[Step] = []
        places = [0]
        for cell in code:
            out += self._held(self._step(cell, labels))
            places.append(len(out))
        return tuple(replace(s, target=places[s.target]) if isinstance(s, Branch) else s for s in out)

    def _held(self, steps: list[Step]) -> list[Step]:
        """The same, with loads and stores of registers that belong to a wgmma, which are locations."""
        read = {r for s in steps for r in registers_of(s, written=False) if self._is_held(r)}
        written = {r for s in steps for r in registers_of(s, written=True) if self._is_held(r)}
        said = steps[0] if steps else None
        loads = [
            Load(register=Register(r), address=Pointer(r), text=said.text, span=said.span)
            for r in sorted(read)
            if said is not None
        ]
        stores = [
            Store(address=Pointer(r), value=Register(r), text=said.text, span=said.span)
            for r in sorted(written)
            if said is not None
        ]
        return [*loads, *steps, *stores]

    def _is_held(self, word: str) -> bool:
        return word in self.variables and self.variables[word].space == "reg"

    def _wrong(self, cell: _Cell, message: str, help: str) -> Diagnostic:
        return Diagnostic("PTX0602", message, help=help, span=cell.span)

    def _step(self, cell: _Cell, labels: dict[str, int]) -> list[Step]:
        opcode, _, rest = cell.text.partition(" ")
        words = [w.strip() for w in rest.split(",")] if rest.strip() else []
        if opcode == "goto" or opcode in _BRANCHES:
            return [self._branch(cell, opcode, words, labels)]
        if opcode in _ARITHMETIC or (opcode == "ld" and len(words) == 2):
            return [self._compute(cell, opcode, words)]
        first, *more = opcode.split(".")
        if first == "bar" and more[:2] in (["cta", "sync"], ["cta", "arrive"]) and words:
            return [self._barrier(cell, opcode, words)]
        if opcode.startswith("fence.proxy.") and more[-1] in _FENCED:
            joins = both("generic", more[-1])
            return [FenceStep(order="acq_rel", scope="thread", joins=joins, text=cell.text, span=cell.span)]
        prefix = next((p for p in _PROXIES if first in (f"{p}ld", f"{p}st", f"{p}atom", f"{p}red")), "")
        if first.removeprefix(prefix) in ("ld", "st", "atom", "red") and "[" not in rest:
            made = self._access(cell, [first.removeprefix(prefix), *more], operands_of(rest))
            return [replace(s, proxy=_PROXIES[prefix]) if prefix else s for s in made]
        if opcode in _WGMMA and words:
            return [self._wgmma(cell, words)]
        return self._ptx(cell, opcode, rest)

    def _branch(self, cell: _Cell, opcode: str, words: list[str], labels: dict[str, int]) -> Branch:
        *sides, label = words or [""]
        if label not in labels:
            raise self._wrong(cell, f"There is no label {label}.", f"write `{label}:` in a cell of this thread")
        if opcode == "goto":
            return Branch(target=labels[label], text=cell.text, span=cell.span)
        if len(sides) != 2:
            raise self._wrong(cell, f"`{cell.text}` compares no two values.", f"write {opcode} r0, 1, {label}")
        a, b = (self._value(s, cell) for s in sides)
        return Branch(target=labels[label], op=_BRANCHES[opcode], a=a, b=b, text=cell.text, span=cell.span)

    def _compute(self, cell: _Cell, opcode: str, words: list[str]) -> Compute:
        op = "mov" if opcode == "ld" else opcode
        if len(words) != (2 if op == "mov" else 3):
            raise self._wrong(cell, f"`{cell.text}` has the wrong number of operands.", f"write {opcode} r0, r1, 1")
        target, *values = (self._value(w, cell) for w in words)
        if not isinstance(target, Register):
            raise self._wrong(cell, f"`{cell.text}` writes no register.", "name a register first")
        return Compute(register=target, op=op, values=tuple(values), text=cell.text, span=cell.span)

    def _barrier(self, cell: _Cell, opcode: str, words: list[str]) -> Step:
        kind = opcode.rpartition(".")[2]
        values = [self._value(w, cell) for w in words]
        (made,) = self._bound(cell, f"barrier.cta.{kind}", [_imm(0), _imm(32)])
        assert isinstance(made, BarrierStep)
        name = (values[0], values[1] if len(values) > 1 else 0)
        return replace(made, name=name, count=values[2] if len(values) > 2 else None)

    def _access(self, cell: _Cell, parts: list[str], words: list[str]) -> list[Load | Store | Update]:
        """An access in the format's own spelling, with a type or without one, bound as the PTX that it means."""
        *body, last = parts
        typed = last if last in TYPES else ""
        body = body if typed else parts
        update, registers = None, int(parts[0] in ("ld", "atom"))
        if parts[0] in ("atom", "red"):
            update = _UPDATES.get(body[-1], body[-1])
            spelled = update if update not in ("sub", "mul", "div") else "add"
            if parts[0] == "red" and body[1] in _STRONGER:  # the row's red has no acquire: nobody gets what it reads
                body[1] = _STRONGER[body[1]]
            body = [*body[:-1], spelled]
            typed = typed or ("b32" if spelled in _BITWISE else "u32")
        typed = typed or "b32"
        if len(words) <= registers:
            raise self._wrong(cell, f"`{cell.text}` has too few operands.", "write e.g. ld.weak r0, x or st.weak x, 1")
        operands: list[PtxOperand] = [self._of_type(words[0], typed, cell)] if registers else []
        operands.append(self._address(words[registers], cell))
        operands += [self._of_type(w, typed, cell) for w in words[registers + 1 :]]
        made = [s for s in self._bound(cell, ".".join([*body, typed]), operands) if isinstance(s, Load | Store | Update)]
        return [replace(s, update=update) if isinstance(s, Update) and update else s for s in made]

    def _of_type(self, word: str, typed: str, cell: _Cell) -> PtxOperand:
        """A value of an access, or several in braces; registers have the size of its type."""
        if word.startswith("{"):
            return Vec(tuple(self._of_type(w, typed, cell) for w in operands_of(word[1:-1])))
        found = self._operand(word, cell)
        return replace(found, type=TYPES[f"b{max(32, 8 * TYPES[typed].bytes)}"]) if isinstance(found, Reg) else found

    def _ptx(self, cell: _Cell, opcode: str, rest: str) -> list[Step]:
        made = self._bound(cell, opcode, [self._operand(w, cell) for w in operands_of(rest)])
        return [counted(s, WARP * self.warps) if isinstance(s, BarrierStep) else s for s in made]

    def _bound(self, cell: _Cell, opcode: str, operands: list[PtxOperand]) -> list[Step]:
        try:
            return bound_steps(bind(opcode, operands), self._resolve, cell.text, cell.span)
        except Diagnostic as wrong:
            raise wrong.at(cell.span) from None

    def _resolve(self, operand: PtxOperand) -> Operand:
        match operand:
            case Imm():
                return int(operand.value)
            case Reg():
                named = operand.name in self.variables and not self._is_held(operand.name)
                return Pointer(operand.name) if named else Register(operand.name)
            case Addr(base=Reg() as base) if self._is_held(base.name):
                return Pointer(base.name)
            case Addr():
                return self._resolve(operand.base)
            case Symbol():
                return Pointer(operand.name)
            case _:
                return 0

    def _address(self, word: str, cell: _Cell) -> Addr:
        if word not in self.variables:
            if not re.fullmatch(r"[A-Za-z_$%][\w.$]*", word):
                raise self._wrong(cell, f"{word} is no location.", "write { x = 0; } at the start, and x here")
            if not re.fullmatch(r"%?r\w*\d", word):
                raise Diagnostic(
                    "PTX0600",
                    f"There is no location {word}.",
                    help=f"write {{ {word} = 0; }} at the start",
                    span=cell.span,
                )
        return Addr(Reg(word, TYPES["b64"]))

    def _operand(self, word: str, cell: _Cell) -> PtxOperand:
        if word.startswith("["):
            base, _, coordinates = word[1:-1].partition(",")
            address = self._address(base.strip(), cell)
            if not coordinates:
                return address
            items = tuple(self._operand(w, cell) for w in operands_of(coordinates.strip().strip("{}")))
            return replace(address, coords=Vec(items))
        if word.startswith("{"):
            return Vec(tuple(self._operand(w, cell) for w in operands_of(word[1:-1])))
        if "|" in word:
            first, second = (self._operand(w.strip(), cell) for w in word.split("|", 1))
            return Pair(first, second)
        if word == "_":
            return Sink()
        value = self._value(word, cell)
        if isinstance(value, int):
            return _imm(value)
        if isinstance(value, Pointer) and self.variables[word].space == "shared":
            return Symbol(word, "shared", size=16)
        if word.startswith(("p", "%p")):
            return Reg(word, TYPES["pred"])
        return Reg(word, TYPES["b64" if isinstance(value, Pointer) or word.startswith(("rd", "%rd")) else "b32"])

    def _wgmma(self, cell: _Cell, words: list[str]) -> Step:
        """`wgmma.mma_async d, a, b`: d is a location that stands for the accumulator's registers, a and b lie in shared memory.

        What the operation does is the row's: the form itself names descriptors, which a test does not have."""
        effect = next(f.effect for f in FORMS.values() if isinstance(f.effect, AsyncMma))
        assert isinstance(effect, AsyncMma)
        target, *sources = (Pointer(w) if w in self.variables else self._value(w, cell) for w in words)
        if len(sources) != 2 or not all(isinstance(o, Pointer) for o in (target, *sources)):
            raise self._wrong(cell, f"`{cell.text}` does not name three locations.", "write wgmma.mma_async d, a, b")
        return Transfer(
            source=sources[0],
            also=tuple(sources[1:]),
            target=target,
            proxy=effect.proxy,
            completion=effect.completion,
            inherits=False,
            text=cell.text,
            span=cell.span,
        )

    def _value(self, word: str, cell: _Cell) -> Operand:
        if re.fullmatch(r"-?(0x[0-9a-fA-F]+|\d+)", word):
            return int(word, 0)
        if word in self.variables and not self._is_held(word):
            return Pointer(word)
        if re.fullmatch(r"[A-Za-z_%$][\w.$]*", word):
            return Register(word)
        raise self._wrong(cell, f"{word or 'nothing'} is no operand.", "write a number, a register or a location")


def operands_of(text: str) -> list[str]:
    """Operands, at the commas outside of brackets."""
    parts = re.findall(r"(?:\[[^\]]*\]|\{[^}]*\}|[^,\[{])+", text)
    return [p.strip() for p in parts if p.strip()]


def _imm(value: int) -> Imm:
    return Imm(value, str(value))


def _thread_name(name: str) -> str:
    return f"P{name}" if name.isdigit() else name


def place_of(text: str) -> tuple[str, Place] | None:
    """A thread's name and place: `P0@cta 0,gpu 0`; None for anything else."""
    found = _THREAD.match(text)
    if found is None:
        return None
    name, cta, cluster, gpu, grid = found.groups()
    return _thread_name(name), Place(int(cta), int(gpu), None if cluster is None else int(cluster), int(grid or 0))


def initial(text: str) -> Value | None:
    """What memory or a register holds at the start: a number, or the address of a variable; None for anything else."""
    if re.fullmatch(r"-?(0x[0-9a-fA-F]+|\d+)", text):
        return int(text, 0)
    return Pointer(text) if re.fullmatch(r"[A-Za-z_$][\w.$]*", text) else None


def names_of(text: str) -> list[Name]:
    """Registers and locations: `[P0:r0; x;]`."""
    out: list[Name] = []
    for word in re.findall(r"(?:P?\d+:)?[%\w.$+]+", text):
        thread, colon, register = word.rpartition(":")
        out.append((_thread_name(thread), register) if colon else ("", word))
    return out


def _blanked(text: str) -> str:
    """The text without comments and quoted descriptions, each character where it was."""
    return re.sub(r'\(\*.*?\*\)|"[^"]*"|//[^\n]*', lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.DOTALL)


def _doc(lines: list[str]) -> str:
    found = re.search(r'"([^"]*)"', "\n".join(lines))
    return " ".join(found[1].split()) if found else ""
