"""`k.print`: C's printf of registers. A GPU writes it when the host waits for the kernel, the simulator at once."""

from __future__ import annotations

import linecache
import os
import re
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np

from ptxlab.diag import Diagnostic, visible
from ptxlab.isa.bind import bind
from ptxlab.isa.operands import Addr, Params, Symbol
from ptxlab.isa.types import TYPES
from ptxlab.lang.flow.control import Control, negated
from ptxlab.lang.trace.values import Address, Negated, Register
from ptxlab.ptx import tree

FUNCTION = "vprintf"
ASSERT = "__assertfail"
MOST = 32
"""Values that the system's printf takes."""
_BUFFER = "print_values"
_FORMAT, _VALUES, _COUNT = "print_format", "print_pointer", "print_count"
SPEC = re.compile(r"%([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+)?)?(hh|h|ll|l|j|z|t)?([a-zA-Z%])")
_PLAIN = re.compile(r"%(?:%|[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+)?)?(?:hh|h|ll|l|j|z|t)?[diouxXcsfFeEgGaAp])")
_SHOWN = re.compile(r"<%[\w.]+ \.\w+>")  # a register, as Python shows it


@dataclass(frozen=True, slots=True)
class PrintSlot:
    """What a conversion takes: `word` as it is written, `letter` its class: i, u, f, s or p; and its bytes."""

    word: str
    letter: str
    nbytes: int


def slots(template: str) -> list[PrintSlot]:
    """What the values of a format have to be, in order.

    Raises: Diagnostic PTX2221 for what is no conversion of printf.
    """
    stray = _PLAIN.sub("", template)
    if "%" in stray:
        at = stray[stray.index("%") :][:6]
        raise _wrong(
            f"`{at.strip()}` is no conversion of printf", "write %d, %u, %x, %f, %p, %s …, and %% for a per cent sign"
        )
    out: list[PrintSlot] = []
    for found in SPEC.finditer(template):
        word, letter = found[0], found[5]
        if letter == "%":
            continue
        out += [PrintSlot("*", "i", 4)] * ((found[2] == "*") + (found[3] == "*"))
        wide = found[4] in ("l", "ll", "j", "z", "t")
        kind = {"d": "i", "i": "i", "s": "s", "p": "p"}.get(letter, "u" if letter in "ouxXc" else "f")
        out.append(PrintSlot(word, kind, 8 if wide or kind in "fsp" else 4))
    return out


def _wrong(what: str, help: str) -> Diagnostic:
    return Diagnostic("PTX2221", what, help=help)


class Printing(Control):
    """Output of a kernel."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._strings: dict[str, str] = {}
        self._calls: list[tuple[Symbol, Symbol, Symbol]] = []
        self._failures: list[tuple[Symbol, ...]] = []
        self._buffer = ""
        self._print_bytes = 0

    def print(self, template: str, *values: Any, pred: Any = None) -> None:
        """Print, once for each thread: C's printf, with its conversions and without a newline of its own.

        A matrix is printed once for each warp: the last value may be the registers of one (`k.accumulator`, `k.fragment`), or
        a tile of shared memory. Its conversion is that of each element. What stands in front of it begins every line, with the
        number of the row; a line has up to 16 columns. For registers, all threads of the warp execute this, as lanes hand
        their elements over by shfl; each warp of a warpgroup prints its own rows. A tile is printed by the first thread that
        is there.

        About ten instructions and a call; for a matrix some fifty and a call for each 16 columns, in a loop over rows. In the
        simulator the text appears at once, lane by lane; a GPU keeps it in a buffer of 1 MiB and writes it when the host
        synchronises.

        Args:
            template: of printf: %d %u %x %c for integers up to 32 bits, %ld %lu %lx up to 64, %f %e %g %a for .f16, .bf16, .f32
                and .f64, %p for pointers and addresses, %s for a Python string.
            values: registers, predicates (0 or 1), pointers, tiles, matrices, and Python's numbers and strings.
            pred: only threads for which it holds; for the registers of a matrix the same in all threads of a warp.

        Raises: Diagnostic PTX2221 where format and values do not go together, and for a matrix of more than 16,384 elements.

        Example:
            v = k.ld.global_.f32(x[k.thread])
            k.print("thread %u: %g\\n", k.thread, v, pred=k.thread == 3)
            tile = k.smem(px.f32, (4, 8))
            k.st.shared.f32(tile.at(k.laneid * 4), v, pred=k.warp == 0)
            k.bar.sync(0)
            k.print("tile %5.1f", tile, pred=k.warp == 0)  # tile[0]   0.0   1.0   2.0 …
        """
        place = self.here()
        try:
            wanted = self._wanted(template, values)
            with self.if_(pred) if pred is not None else nullcontext():
                if not self._print_matrix(template, wanted, values):
                    self._print(template, wanted, values)
        except Diagnostic as wrong:
            raise wrong.at(origin=place) from None

    def note(self, text: str) -> None:
        """A mark on the timeline of a simulation: which threads come here, and when. No instruction of PTX.

        It stands in `report.trace` as an event of the kind "note", and in pictures and Chrome's format with the others. The PTX
        has a comment, so that it costs nothing on a GPU, nor in a simulation without a trace.

        Args:
            text: what is noted.

        Raises: Diagnostic PTX2221 where the text is no string.

        Example:
            @px.kernel(threads=64)
            def halves(k):
                with k.if_(k.tid.x < 8):
                    k.note("the first eight")

            trace = px.simulate(halves, grid=1, args=[], trace=True).trace
            print([(e.track, e.args["threads"]) for e in trace if e.name == "the first eight"])  # [('cta 0 warp 0', '0-7')]
        """
        place = self.here()
        if not isinstance(text, str) or not text.strip():  # pyright: ignore[reportUnnecessaryIsInstance]
            raise Diagnostic(
                "PTX2221", f"the note {text!r} is no string", help='write k.note("the tile is full")', origin=place
            )
        comment = visible(text.encode("ascii", "backslashreplace").decode())
        self.items.append(tree.Note(f"// note: {comment}", terminated=False, text=text, origin=place))

    def debug_assert(self, condition: Any, message: str = "") -> None:
        """Stop the launch where the predicate does not hold for a thread: C's assert, kept unless it is traced without.

        In the simulator the launch ends with PTX9018, which names this line, the message and the thread. A GPU writes the message
        and stops with the error of an assert. With PTXLAB_DEBUG_ASSERT=0 in the environment while the kernel is traced it emits
        nothing, for the speed of a release; else it is a comparison, a branch and a call.

        Args:
            condition: a predicate or its negation, e.g. `i < n`.
            message: what must be true; default: the source line.

        Raises: Diagnostic PTX2208 where the condition is no predicate, PTX2221 where the message is no string.
            ISA: "call".

        Example:
            @px.kernel(threads=32)
            def checked(k):
                k.debug_assert(k.tid.x < 8, "eight threads are enough")


            try:
                checked[1]()
            except px.Diagnostic as stopped:
                print(stopped.code, "eight threads are enough" in stopped.message)  # PTX9018 True
        """
        place = self.here()
        try:
            if not isinstance(message, str) or "\0" in message:  # pyright: ignore[reportUnnecessaryIsInstance]
                raise _wrong(f"the message {message!r} is no string", 'write k.debug_assert(i < n, "i is inside")')
            fails = negated(condition)
            if os.environ.get("PTXLAB_DEBUG_ASSERT", "1") == "0":
                return
            text = message or linecache.getline(place.file, place.line).strip() or "assertion"
            with self.if_(fails):
                self._fail(text, place.file, place.line)
        except Diagnostic as wrong:
            raise wrong.at(origin=place) from None

    def _fail(self, text: str, file: str, line: int) -> None:
        """Call the system's __assertfail."""
        number = len(self._failures)
        sizes = (8, 8, 4, 8, 8)
        names = [self._reserve(f"assert_{number}_{i}") for i in range(len(sizes))]
        params = tuple(Symbol(n, "param::func", 0, size, size) for n, size in zip(names, sizes, strict=True))
        self._failures.append(params)
        values = (self._string(text), self._string(os.path.basename(file)), line, self._string(self.options.name), 1)
        for param, value in zip(params, values, strict=True):
            self.emit(f"st.param.b{8 * param.size}", (Addr(param), value))
        operands = (Symbol(ASSERT, "func"), Params(params))
        made = bind("call.uni", operands)
        self.items.append(tree.Instruction("call.uni", operands, None, made, origin=self.here()))
        self.stretch += 1

    def _wanted(self, template: str, values: tuple[Any, ...]) -> list[PrintSlot]:
        if not isinstance(template, str) or "\0" in template:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise _wrong(f"{template!r} is no format", 'give a string, e.g. "%u: %f\\n"')
        wanted = slots(template)
        if len(wanted) != len(values):
            raise _wrong(
                f"the format {template!r} takes {len(wanted)} value{'s' * (len(wanted) != 1)}; {len(values) or 'none'} given",
                self._advice(template, wanted),
            )
        if len(wanted) > MOST:
            raise _wrong(f"printf takes {MOST} values, not {len(wanted)}", "print in several calls")
        return wanted

    @staticmethod
    def _advice(template: str, wanted: list[PrintSlot]) -> str:
        if _SHOWN.search(template):
            return "an f-string has the register's name in it: write %u, %f … there, and give the register behind the format"
        if "{" in template and not wanted:
            return "write printf's conversions, such as %d and %f, not Python's braces"
        return "give one value for each conversion; %% is a per cent sign"

    def _print_matrix(self, template: str, wanted: list[PrintSlot], values: tuple[Any, ...]) -> bool:
        """Print a matrix, where one is among the values: see `print_matrix`."""
        return False

    def _print(self, template: str, wanted: list[PrintSlot], values: tuple[Any, ...]) -> None:
        ready = [self._value(slot, value) for slot, value in zip(wanted, values, strict=True)]
        self._buffer = self._buffer or self._reserve(_BUFFER)
        buffer = Symbol(self._buffer, "local", 0, 8)
        at = 0
        for slot, (type_, value) in zip(wanted, ready, strict=True):
            at = -(-at // slot.nbytes) * slot.nbytes
            self.emit(f"st.local.{type_}", (Addr(buffer, at), value))
            at += slot.nbytes
        self._print_bytes = max(self._print_bytes, at)
        where = self._generic(buffer) if at else 0
        self._call(self._string(template), where)

    def _call(self, template: Any, values: Any) -> None:
        number = len(self._calls)
        first, second = (Symbol(self._reserve(f"{n}_{number}"), "param::func", 0, 8, 8) for n in (_FORMAT, _VALUES))
        result = Symbol(self._reserve(f"{_COUNT}_{number}"), "param::func", 0, 4, 4)
        self._calls.append((first, second, result))
        self.emit("st.param.b64", (Addr(first), template))
        self.emit("st.param.b64", (Addr(second), values))
        operands = (Params((result,)), Symbol(FUNCTION, "func"), Params((first, second)))
        made = bind("call.uni", operands)
        self.items.append(tree.Instruction("call.uni", operands, None, made, origin=self.here()))
        self.stretch += 1

    def _reserve(self, name: str) -> str:
        """A name that no parameter or variable has."""
        while name in self.symbols:
            name += "_"
        self.symbols.add(name)
        return name

    # -- values
    def _value(self, slot: PrintSlot, value: Any) -> tuple[str, Any]:
        """A value as the conversion takes it, and the type to store it with."""
        if slot.letter == "s":
            if not isinstance(value, str) or "\0" in value:
                raise _wrong(f"`{slot.word}` takes a Python string, not {value!r}", "print numbers with %d, %x or %f")
            return "b64", self._string(value)
        if slot.letter == "p":
            return "b64", self._pointer(slot, value)
        if isinstance(value, Negated):
            value = self.emit("not.pred", (value.inner,))
        if isinstance(value, Register):
            return self._real(slot, value) if slot.letter == "f" else self._whole(slot, value)
        if slot.letter == "f" and _is_number(value):
            return "f64", float(value)
        if _is_number(value) and not isinstance(value, float | np.floating):
            bits = 8 * slot.nbytes
            if not -(1 << (bits - 1)) <= int(value) < 1 << bits:
                raise _wrong(f"{value} does not fit `{slot.word}`, which prints {bits} bits", "use %ld, %lu or %lx")
            return f"b{bits}", int(value)
        raise _wrong(f"`{slot.word}` cannot print {value!r}", "give a register or a number that fits the conversion")

    def _real(self, slot: PrintSlot, value: Register) -> tuple[str, Any]:
        name = value.scalar.name
        if name in ("f16", "bf16"):
            value, name = self.emit(f"cvt.f32.{name}", (value,)), "f32"
        if name == "f32":
            value, name = self.emit("cvt.f64.f32", (value,)), "f64"
        if name != "f64":
            raise _wrong(
                f"`{slot.word}` prints floating-point numbers, and `{value.reg}` is .{name}",
                "print its bits with %x, or move it into a register of a float type",
            )
        return "f64", value

    def _whole(self, slot: PrintSlot, value: Register) -> tuple[str, Any]:
        scalar = value.scalar
        if scalar.kind == "p":
            value, scalar = self.emit("selp.u32", (1, 0, value)), TYPES["u32"]
        packed = scalar.name.endswith("x2")
        if (scalar.kind == "f" and not packed) or scalar.bits > 64:
            raise _wrong(
                f"`{slot.word}` prints integers, and `{value.reg}` is .{scalar}",
                "use %f, %e or %g" if scalar.kind == "f" else "print its halves",
            )
        bits = value.reg.type.bits
        if bits > 8 * slot.nbytes:
            letter = slot.word[-1]
            raise _wrong(
                f"`{slot.word}` prints {8 * slot.nbytes} bits, and `{value.reg}` has {bits}", f"write %l{letter}"
            )
        if bits < 8 * slot.nbytes:
            sign = "s" if scalar.kind == "s" or (scalar.kind == "b" and slot.letter == "i") else "u"
            value = self.emit(f"cvt.{sign}{8 * slot.nbytes}.{sign}{bits}", (value,))
        return f"b{8 * slot.nbytes}", value

    def _pointer(self, slot: PrintSlot, value: Any) -> Any:
        address = getattr(value, "address", None)
        if callable(address):
            value = address()
        if isinstance(value, Address):
            value = self.address_register(value)
        if not isinstance(value, Register) or value.reg.type.bits not in (32, 64):
            raise _wrong(f"`{slot.word}` prints an address, not {value!r}", "give a pointer, a tile or a register")
        return value if value.reg.type.bits == 64 else self.emit(f"cvt.u64.{_unsigned(value)}", (value,))

    def _string(self, text: str) -> Any:
        """The address of a string in global memory."""
        if text not in self._strings:
            self._strings[text] = self._reserve(f"print_text_{len(self._strings)}")
        return self._generic(Symbol(self._strings[text], "global", 0, 1, len(text.encode()) + 1))

    def _generic(self, symbol: Symbol) -> Any:
        return self.emit(f"cvta.{symbol.space}.u64", (self.emit("mov.u64", (symbol,)),))

    # -- declarations
    def print_declarations(self) -> tuple[list[tree.TopItem], list[tree.Item]]:
        """What printing needs outside and inside the function."""
        if not self._calls and not self._failures:
            return [], []
        heads = [_function()] if self._calls else []
        if self._failures:
            heads.append(_assert_function())
        outside: list[tree.TopItem] = [*heads, *(_text(name, text) for text, name in self._strings.items())]
        inside: list[tree.Item] = []
        if self._print_bytes:
            inside.append(tree.variable("local", TYPES["b8"], self._buffer, self._print_bytes, align=8))
        inside += [
            tree.variable("param", TYPES[f"b{8 * s.size}"], s.name)
            for call in (*self._calls, *self._failures)
            for s in call
        ]
        return outside, inside


def _is_number(value: object) -> TypeGuard[int | float | np.integer[Any] | np.floating[Any]]:
    return isinstance(value, int | float | np.integer | np.floating)


def _unsigned(value: Register) -> str:
    return f"u{value.reg.type.bits}"


def _function() -> tree.Function:
    params = tuple(tree.Param(TYPES["b64"], name) for name in ("print_format", "print_values"))
    returns = (tree.Param(TYPES["b32"], "print_count"),)
    return tree.Function("func", FUNCTION, params, returns, linkage=".extern")


def _assert_function() -> tree.Function:
    sizes = {"message": 64, "file": 64, "line": 32, "function": 64, "size": 64}
    params = tuple(tree.Param(TYPES[f"b{bits}"], f"assert_{name}") for name, bits in sizes.items())
    return tree.Function("func", ASSERT, params, linkage=".extern")


def _text(name: str, text: str) -> tree.VarDecl:
    raw = text.encode() + b"\0"
    init = tree.InitList(tuple(tree.number(byte) for byte in raw))
    one = tree.Declarator(name, (tree.number(len(raw)),), init)
    return tree.VarDecl("global", TYPES["b8"], (one,), tree.number(1))


__all__ = ["Printing", "slots"]
