"""The core of the language: registers, and the one place where instructions are made."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn, cast

from ptxlab.diag import Diagnostic, Span, frame_at, user_span
from ptxlab.isa.bind import Instance
from ptxlab.isa.effects import Access, AsyncCopy, AsyncMma, Branch, Mbarrier, WarpWide
from ptxlab.isa.operands import Label, Not, Reg, Sreg
from ptxlab.isa.sregs import SREGS
from ptxlab.isa.targets import Version
from ptxlab.isa.types import TYPES, ScalarType
from ptxlab.lang.trace.binding import bind_call
from ptxlab.lang.trace.block import Block
from ptxlab.lang.trace.described import Operand
from ptxlab.lang.trace.options import Options
from ptxlab.lang.trace.types import held_as, register_class
from ptxlab.lang.trace.values import Address, Negated, Register, Registers
from ptxlab.ptx import tree

PREFIX = {
    "pred": "%p", "b16": "%rs", "u16": "%hu", "s16": "%hs", "f16": "%hf", "b32": "%r", "u32": "%u", "s32": "%s",
    "f32": "%f", "b64": "%rd", "u64": "%ud", "s64": "%sd", "f64": "%fd", "b128": "%rq",
}  # fmt: skip
"""Names of numbered registers, by the type they are declared with."""

Item = tree.Instruction | tree.Label | tree.Note
_VOLATILE = ("%clock", "%globaltimer", "%pm", "%smid", "%warpid")
_NOTED = frozenset({Access, AsyncCopy, AsyncMma, Branch, Mbarrier, WarpWide})


class Core:
    """Registers, instructions and labels of a kernel being traced.

    Attributes:
        options: what the kernel was declared with. target: what it is written for.
        version: the lowest PTX version that the instructions so far need.
        items: what has been emitted; entry: what stands in front of it.
        symbols: names of parameters and variables.
        stretch: number of the stretch of straight code that is being emitted; labels and branches begin another.
        blocks: `with` blocks that have been made.
        rebound: names of Python that they bind anew.
        described: what lies behind the matrix descriptors in registers.
    """

    def __init__(self, options: Options) -> None:
        self.options, self.target = options, options.target
        self.version: Version = (8, 0) if options.target.number >= 90 else (7, 0)
        self.items: list[Item] = []
        self.entry: list[Item] = []
        self.counts: dict[str, int] = {}  # numbered registers, by the name of the type that they are declared with
        self.named: dict[str, ScalarType] = {}
        self.symbols: set[str] = set()
        self._specials: dict[str, Register] = {}
        self._fixed: set[str] = set()
        self.stretch = 0
        self.described: dict[str, Operand] = {}
        self.blocks: list[Block[Any]] = []
        self.rebound: list[tree.Rebinding] = []
        self._labels: dict[str, Span | None] = {}  # where each was made; None: it has been placed
        self._spans: dict[tuple[str, int], Span] = {}
        self._place: Span | None = None

    # --- places ------------------------------------------------------------------------------------------------------
    def here(self, frame: FrameType | None = None) -> Span:
        """The user's line that is being traced."""
        if self._place is not None:
            return self._place
        span = user_span(frame or frame_at(1))
        return self._spans.setdefault((span.file, span.line), span)

    @contextmanager
    def at_entry(self, place: Span) -> Generator[None, None, None]:
        """Emit at the end of the kernel's entry rather than here, as from `place`."""
        kept = self.items, self._place
        self.items, self._place = self.entry, place
        try:
            yield
        finally:
            self.items, self._place = kept

    # --- registers ---------------------------------------------------------------------------------------------------
    def fresh(self, scalar: ScalarType) -> Any:
        """A new register for values of the type."""
        declared = held_as(scalar)
        name = declared.name
        number = self.counts.get(name, 0)
        self.counts[name] = number + 1
        return register_class(scalar)(self, Reg(f"{PREFIX[name]}{number}", declared))

    def several(self, scalar: ScalarType, count: int) -> Registers:
        """As many new registers for values of the type."""
        declared, cls = held_as(scalar), register_class(scalar)
        first = self.counts.get(declared.name, 0)
        self.counts[declared.name] = first + count
        prefix = PREFIX[declared.name]
        return Registers([cls(self, Reg(f"{prefix}{first + i}", declared)) for i in range(count)])

    def named_register(
        self, name: str, scalar: ScalarType, *, cls: type[Register] | None = None, fixed: bool = False
    ) -> Any:
        """A new register with a telling name, made unique if it has to be."""
        declared = held_as(scalar)
        unique, i = f"%{name}", 1
        while unique in self.named or unique in SREGS or _numbered(unique):
            unique, i = f"%{name}_{i}", i + 1
        self.named[unique] = declared
        if fixed:
            self._fixed.add(unique)
        return (cls or register_class(scalar))(self, Reg(unique, declared), fixed)

    def _allocate(self, scalar: ScalarType, count: int) -> Any:
        return self.several(scalar, count) if count else self.fresh(scalar)

    # --- instructions ------------------------------------------------------------------------------------------------
    def emit(self, opcode: str, args: Sequence[Any] = (), named: Mapping[str, Any] = {}, pred: Any = None) -> Any:
        """Emit one instruction.

        Args:
            opcode: with all modifiers. args, named: operands by position (results left out) and by name.
            pred: the guard: a predicate or its negation.

        Returns: the results that were allocated: None, one, or a tuple.

        Raises: Diagnostic at the user's line where the instruction is not legal.
        """
        counts = self.counts.copy()

        def release() -> None:
            self.counts = counts.copy()

        try:
            guard = None if pred is None else self._guard(pred)
            self._own(args)
            if named:
                self._own(named.values())
            bound = bind_call(opcode, args, named, self.target, self._allocate, release)
            if named and self._fixed:
                self._check_written(bound.instance.registers("w"))
        except Diagnostic as wrong:
            raise wrong.at(origin=self.here(frame_at(1))) from None
        if type(bound.instance.form.effect) in _NOTED:
            self._note(bound.instance, args, named, guard, frame_at(1))
        origin = self._place or self.here(frame_at(1))
        self.items.append(tree.Instruction(opcode, bound.operands, guard, bound.instance, origin=origin))
        if bound.version > self.version:
            self.version = bound.version
        results = bound.results
        return None if not results else results[0] if len(results) == 1 else tuple(results)

    def _note(
        self, inst: Instance, args: Sequence[Any], named: Mapping[str, Any], guard: Reg | Not | None, frame: FrameType
    ) -> None:
        if type(inst.form.effect) is Branch:
            self.stretch += 1
            return
        try:
            self.noted(inst, args, named, "" if guard is None else str(guard))
        except Diagnostic as wrong:
            raise wrong.at(origin=self.here(frame)) from None

    def noted(self, inst: Instance, args: Sequence[Any], named: Mapping[str, Any], guard: str) -> None:
        """Called of every instruction that copies, waits, multiplies or accesses memory, before it is emitted."""

    def _own(self, args: Iterable[Any]) -> None:
        """Values are this kernel's, those within sequences too. Raises: Diagnostic PTX2207."""
        for a in args:
            owner = getattr(a, "_k", None)
            if owner is self:
                continue
            if owner is not None:
                raise Diagnostic(
                    "PTX2207",
                    f"{a!r} was made while another kernel, or this one for other constants, was traced",
                    help="make it inside the kernel function; pass values through parameters",
                )
            if isinstance(a, tuple | list):
                self._own(cast("Sequence[Any]", a))

    def close(self) -> None:
        """The kernel has been traced: whatever is asked of it from now on is refused. Raises from then on: Diagnostic PTX2207."""

        def refuse(*_: Any, **__: Any) -> NoReturn:
            raise Diagnostic(
                "PTX2207",
                f"kernel `{self.options.name}` has been traced, so nothing can be added to it",
                help="use the builder and its registers inside the kernel function alone; pass values through parameters",
                origin=user_span(),
            )

        for name in ("emit", "here", "fresh", "several", "named_register", "label", "place"):
            self.__dict__[name] = refuse

    def _guard(self, pred: Any) -> Reg | Not:
        held = pred.inner if isinstance(pred, Negated) else pred
        self._own((held,))
        reg = getattr(held, "reg", None)
        if not isinstance(reg, Reg) or reg.type.kind != "p":
            raise Diagnostic(
                "PTX0104",
                f"the guard {pred!r} is no predicate",
                help="make one by a comparison: pred=(x < n) or pred=~p",
            )
        return Not(reg) if isinstance(pred, Negated) else reg

    def _check_written(self, registers: Sequence[Reg]) -> None:
        for r in registers:
            if r.name in self._fixed:
                raise Diagnostic(
                    "PTX2206",
                    f"`{r.name}` is set once at the kernel's entry and shared by all its uses",
                    help="copy it first: x = k.mov.u32(x)",
                )

    # --- labels and branches -----------------------------------------------------------------------------------------
    def label(self, name: str = "label") -> Label:
        """A new label; `k.place(label)` says where it stands.

        Args:
            name: how it begins in the PTX.

        PTX: bra

        Example:
            again = k.label("again")
            v = k.mov.u32(k.thread)
            k.place(again)
            v += 5
            k.bra(again, pred=v < 20)
            k.st.global_.u32(out[k.thread], v)
            # out[:3]: [20 21 22]
        """
        made = f"${name}_{len(self._labels) + 1}"
        self._labels[made] = self.here(frame_at(1))
        return Label(made)

    def place(self, label: Label) -> None:
        """The label stands here, once. Raises: Diagnostic PTX2208.

        Example: see k.label
        """
        known = isinstance(label, Label) and label.name in self._labels  # pyright: ignore[reportUnnecessaryIsInstance]
        if not known or self._labels[label.name] is None:
            raise Diagnostic(
                "PTX2208",
                f"label {label} stands in the kernel already" if known else f"{label!r} is no label of this kernel",
                help="make one for each place: again = k.label(), then k.place(again)",
                origin=self.here(frame_at(1)),
            )
        self._labels[label.name] = None
        self.stretch += 1
        self.items.append(tree.Label(label.name, origin=self.here(frame_at(1))))

    def check_labels(self) -> None:
        """Every label stands somewhere. Raises: Diagnostic PTX2208."""
        for name, made in self._labels.items():
            if made is not None:
                raise Diagnostic(
                    "PTX2208",
                    f"label {name} is made and never placed, so a branch to it leads nowhere",
                    help="say where it stands: k.place(label)",
                    origin=made,
                )

    # --- special registers -------------------------------------------------------------------------------------------
    def special(self, name: str) -> Any:
        """A special register's value: read once at the kernel's entry, or here and now for clocks and %smid, %warpid."""
        info = SREGS[name]
        if not info.need.target_ok(self.target):
            raise Diagnostic(
                "PTX1001", f"`{name}` does not exist on {self.target}", help=f"it needs {info.need}", origin=self.here()
            )
        self.version = max(self.version, info.need.version)
        source = Sreg(name, info.type)
        if name.startswith(_VOLATILE):
            return self.emit(f"mov.{info.type}", (source,))
        found = self._specials.get(name)
        if found is None:
            with self.at_entry(self.here()):
                found = self.named_register(name[1:].replace(".", "_"), info.type, fixed=True)
                self.set_fixed(found, f"mov.{info.type}", source)
            self._specials[name] = found
        return found

    def set_fixed(self, register: Register, opcode: str, *args: Any) -> None:
        """The one instruction that writes a fixed register."""
        self._fixed.discard(register.reg.name)
        self.emit(opcode, args, {"p" if register.scalar.kind == "p" else "d": register})
        self._fixed.add(register.reg.name)

    # --- addresses ---------------------------------------------------------------------------------------------------
    def offset_address(self, base: Reg, index: Register, scale: int) -> Reg:
        """A register with base + index * scale, by one instruction."""
        kind = "s" if index.scalar.kind == "s" else "u"
        if (
            index.scalar.kind not in "bus"
            or index.reg.type.bits not in (32, 64)
            or index.reg.type.bits > base.type.bits
        ):
            raise Diagnostic(
                "PTX0105",
                f"`{index.reg}` of type .{index.scalar} cannot be added to an address of {base.type.bits} bits",
                help="use a .u32 or .s32 register, or .u64 and .s64 for global memory; convert with k.cvt",
                origin=self.here(),
            )
        if base.type.bits == 64 and index.reg.type.bits == 32:
            return self.emit(f"mad.wide.{kind}32", (index, scale, base)).reg
        bits = base.type.bits
        if scale == 1:
            return self.emit(f"add.{kind}{bits}", (base, index)).reg
        return self.emit(f"mad.lo.{kind}{bits}", (index, scale, base)).reg

    def address_register(self, address: Address) -> Any:
        """The address as a register: its base where the offset is zero, else one add."""
        scalar = TYPES[f"u{address.base.type.bits}"]
        if not address.offset:
            return register_class(scalar)(self, address.base, address.base.name in self._fixed)
        return self.emit(f"add.{scalar}", (address.base, address.offset))


def _numbered(name: str) -> bool:
    stem = name.rstrip("0123456789")
    return stem != name and stem in PREFIX.values()
