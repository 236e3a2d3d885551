"""Micro-kernels for loads, stores, atomics, the stack."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ptxlab.conformance.micro.kernel import RAW, THREADS, Column, Micro, columns, listed
from ptxlab.conformance.rows.probes import Probe, choices, of_row
from ptxlab.isa.form import FORMS
from ptxlab.isa.types import TYPES

PER_ROW: Final = 12
_POLICY: Final = "createpolicy.fractional.L2::evict_first.b64 %policy;"
_WORDS: Final = tuple(Column(f"left{i}", "b64") for i in range(RAW // 8))
_LOADS: Final = ("ld", "ld.cached", "ld.volatile", "ld.strong", "ld.mmio", "ld.nc", "ldu")
_STORES: Final = ("st", "st.cached", "st.volatile", "st.strong", "st.mmio")
_CONST: Final = 4096
_ALL: Final = 1 << 30
"""More instances than any row has."""


def memory() -> list[Micro]:
    """Loads, stores, atomics and reductions in every space; what only hints."""
    return [*_loads(), *_stores(), *_atomics(), *_hints(), *_parameters()]


def _opcodes(row: str) -> list[Probe]:
    """Instances of a row in the spaces that a kernel has memory of; parameters are in `control`."""
    drawn = {p.opcode: p for p in of_row(FORMS[row], PER_ROW, 0) if _run(p)}
    return [*drawn.values(), *_left_out(row, list(drawn.values()))]


def _run(probe: Probe) -> bool:
    return not probe.mods.get("space", "").startswith("param") and not _broken(probe)


def _left_out(row: str, drawn: Sequence[Probe]) -> list[Probe]:
    """An instance for each value of a modifier that only instances which cannot be run were drawn with."""
    met = {choice for p in drawn for choice in p.mods.items()}
    left = choices(FORMS[row]) - met
    out: list[Probe] = []
    for probe in of_row(FORMS[row], _ALL, 0) if left else ():
        fresh = left & set(probe.mods.items())
        if fresh and not probe.variant and _run(probe):
            out.append(probe)
            left -= fresh
    return out


def _broken(probe: Probe) -> bool:
    """Vectors of eight narrow elements: ptxas 13.1 fails inside itself (C7907) on such loads, and stores only the first element."""
    narrow = probe.form.name.partition(".")[0] in ("ld", "ldu", "st") and TYPES[probe.mods["type"]].bits < 32
    return narrow and probe.mods.get("vec") == "v8"


def count_of(probe: Probe) -> int:
    return int(probe.mods.get("vec", "v1").removeprefix("v"))


def _policy(probe: Probe) -> tuple[str, str]:
    """What makes the policy, and the operand."""
    if "L2::cache_hint" not in probe.opcode:
        return "", ""
    return f".reg .b64 %policy; {_POLICY}", ", %policy"


def space_of(probe: Probe) -> str:
    """The space that it accesses; "" for generic addresses."""
    found = probe.mods.get("space")
    if found is not None:
        return found
    parts = probe.opcode.split(".")
    return next((s for s in ("global", "shared", "local", "const", "shared::cta", "shared::cluster") if s in parts), "")


def _place(space: str) -> tuple[str, str, str]:
    """Setup of %place, the operand, and the space for plain accesses to the same bytes."""
    if space.startswith("shared"):
        return f".reg .b32 %place; mad.lo.u32 %place, %t, {RAW}, %mem;", "[%place]", "shared"
    if space == "local":
        return f".local .align {RAW} .b8 own[{RAW}]; .reg .b64 %place; mov.u64 %place, own;", "[%place]", "local"
    return ".reg .b64 %place; mov.u64 %place, %slot;", "[%place]", "global"


def _fill(space: str) -> str:
    """Random bytes into the lane's memory."""
    moves = " ".join(
        f"ld.global.b64 %filled, [%raw+{i}]; st.{space}.b64 [%place+{i}], %filled;" for i in range(0, RAW, 8)
    )
    return f".reg .b64 %filled; {moves}"


def _read(space: str) -> str:
    return " ".join(f"ld.{space}.b64 %{c.name}, [%place+{8 * i}];" for i, c in enumerate(_WORDS))


def _shared(space: str) -> int:
    return RAW * THREADS if space.startswith("shared") else 0


def _wide(type_: str) -> str:
    """The type of a register that shows how a loaded value was extended."""
    bits = TYPES[type_].bits
    return type_ if bits >= 32 or type_.startswith(("f", "bf")) else "b32"


def _loads() -> Iterator[Micro]:
    for row in _LOADS:
        for probe in _opcodes(row):
            space, type_ = space_of(probe), probe.mods["type"]
            setup, place, plain = _place(space)
            made, policy = _policy(probe)
            if space == "const":
                setup = (
                    f".reg .b64 %place; .reg .b32 %row; and.b32 %row, %g, {_CONST // RAW - 1}; mov.u64 %place, table; "
                    f"mad.wide.u32 %place, %row, {RAW}, %place;"
                )
                fill, module = "", table()
            elif plain == "global":
                setup, fill, module = ".reg .b64 %place; mov.u64 %place, %raw;", "", ""
            else:
                fill, module = _fill(plain), ""
            outputs, ready, target, after = _targets(type_, count_of(probe), wide=True)
            body = f"{setup} {fill} {made} {ready} {probe.opcode} {target}, {place}{policy}; {after}"
            text = f"{probe.opcode}"
            yield Micro("memory", row, text, (), outputs, body, shared=_shared(space), module=module)


def _targets(type_: str, count: int, *, wide: bool = False) -> tuple[tuple[Column, ...], str, str, str]:
    """Output columns, declarations, the operand, and what makes the columns of it."""
    if TYPES[type_].bits == 128:
        names = [f"%q{i}" for i in range(count)]
        registers = " ".join(f".reg .b128 {n};" for n in names)
        after = " ".join(f"mov.b128 {{%h{2 * i}, %h{2 * i + 1}}}, {n};" for i, n in enumerate(names))
        return columns("h", "b64", 2 * count), registers, "{" + ", ".join(names) + "}" if count > 1 else names[0], after
    made = columns("d", _wide(type_) if wide else type_, count)
    return made, "", listed(made), ""


def table() -> str:
    """A .const variable `table` of random words."""
    from ptxlab.conformance.rows.values import words

    data = words(_CONST // 8, "table").tolist()
    return f".const .align {RAW} .b64 table[{len(data)}] = {{{', '.join(map(hex, data))}}};"


def _sources(prefix: str, type_: str, count: int) -> tuple[tuple[Column, ...], str, str]:
    """Input columns, what makes registers of them, and the operand."""
    if TYPES[type_].bits == 128:
        made = columns(f"{prefix}h", "b64", 2 * count)
        names = [f"%{prefix}q{i}" for i in range(count)]
        setup = " ".join(
            f".reg .b128 {n}; mov.b128 {n}, {{%{prefix}h{2 * i}, %{prefix}h{2 * i + 1}}};" for i, n in enumerate(names)
        )
        return made, setup, "{" + ", ".join(names) + "}" if count > 1 else names[0]
    made = columns(prefix, _wide(type_) if TYPES[type_].bits < 16 else type_, count)
    return made, "", listed(made)


def _stores() -> Iterator[Micro]:
    for row in _STORES:
        for probe in _opcodes(row):
            space, type_ = space_of(probe), probe.mods["type"]
            setup, place, plain = _place(space)
            made, policy = _policy(probe)
            inputs, ready, source = _sources("b", type_, count_of(probe))
            body = f"{setup} {_fill(plain)} {made} {ready} {probe.opcode} {place}, {source}{policy}; {_read(plain)}"
            yield Micro("memory", row, probe.opcode, inputs, _WORDS, body, shared=_shared(space))


def _atomics() -> Iterator[Micro]:
    for form in FORMS.values():
        if form.family == "memory" and form.name.partition(".")[0] in ("atom", "red") and not form.unsimulated:
            for probe in _opcodes(form.key):
                yield _atomic(probe)


def _atomic(probe: Probe) -> Micro:
    """One operation on memory that is the lane's own; what it gave and what it left."""
    space, type_, count = space_of(probe), probe.mods["type"], count_of(probe)
    bits = TYPES[type_].bits
    setup, place, plain = _place(space)
    made, policy = _policy(probe)
    first, _, _ = _sources("m", type_, count)
    second, also, operand = _sources("b", type_, count)
    width = min(bits, 64)
    put = " ".join(f"st.{plain}.b{width} [%place+{i * width // 8}], %{c.name};" for i, c in enumerate(first))
    inputs, extra = (*first, *second), ""
    if probe.form.key == "atom.cas":
        third, more, swap = _sources("c", type_, count)
        inputs = (*inputs, *third, Column("hit", "pred"))
        # half of the lanes find what they compare with
        hits = " ".join(f"@%hit mov.b{width} %{b.name}, %{m.name};" for m, b in zip(first, second, strict=True))
        also, operand = f"{hits} {also} {more}", f"{operand}, {swap}"
    outputs: tuple[Column, ...] = _WORDS
    if probe.form.name.startswith("atom"):
        given, before, target, extra = _targets(type_, count)
        outputs = (*given, *_WORDS)
        call = f"{before} {probe.opcode} {target}, {place}, {operand}{policy};"
    else:
        call = f"{probe.opcode} {place}, {operand}{policy};"
    body = f"{setup} {_fill(plain)} {put} {made} {also} {call} {extra} {_read(plain)}"
    return Micro("memory", probe.form.key, probe.opcode, inputs, outputs, body, shared=_shared(space))


def _hints() -> Iterator[Micro]:
    """Hints leave values as they are."""
    for row in ("prefetch", "prefetch.evict", "prefetchu.L1", "applypriority.L2::evict_normal"):
        for opcode in dict.fromkeys(p.opcode for p in of_row(FORMS[row], PER_ROW, 0)):
            local = "local" in opcode
            setup, _, plain = _place("local" if local else "global")
            size = ", 128" if row.startswith("applypriority") else ""
            where = "and.b64 %line, %place, -128;" if size else "mov.u64 %line, %place;"
            hint = f".reg .b64 %line; {where} {opcode} [%line]{size};"
            body = f"{setup} {_fill(plain)} {hint} {_read(plain)}"
            yield Micro("memory", row, opcode, (), _WORDS, body)


_TURNED: Final = """.func (.param .b32 r) turned(.param .b32 x)
{ .reg .b32 %x; ld.param::func.b32 %x, [x]; brev.b32 %x, %x; st.param::func.b32 [r], %x; ret; }
"""


def _parameters() -> Iterator[Micro]:
    """Parameters of the kernel, read again, and of a function, under the names of their own spaces."""
    ab, given = (Column("a", "b64"), Column("b", "b32")), (Column("d", "b64"),)
    again = "ld.param::entry.b64 %d, [source]; sub.u64 %d, %d, %source; add.u64 %d, %d, %a;"
    yield Micro("memory", "ld", "ld.param::entry.b64", ab, given, again)
    call = "st.param::func.b32 [x], %b; call (r), turned, (x); ld.param::func.b32 %word, [r]; cvt.u64.u32 %d, %word;"
    body = f".reg .b32 %word; {{ .param .b32 x, r; {call} }} xor.b64 %d, %d, %a;"
    yield Micro("memory", "st", "st.param::func.b32", ab, given, body, module=_TURNED)


def stack() -> list[Micro]:
    """Memory that a thread takes from its stack keeps what is written, and comes back to the same place."""
    out: list[Micro] = []
    for type_ in ("u32", "u64"):
        for size, align in ((16, 8), (40, 16), (256, 64), (8, 128)):
            out.append(_alloca(type_, size, align))
    return out


def _alloca(type_: str, size: int, align: int) -> Micro:
    b = f"b{type_[1:]}"
    call = f"alloca.{type_} %p, %size, {align};"
    body = f"""
    .reg .{b} %p, %q, %saved; .reg .{b} %size, %low; .reg .pred %same; .reg .b32 %flag;
    mov.{b} %size, {size}; stacksave.{type_} %saved; {call}
    st.local.b64 [%p], %x; and.{b} %low, %p, {align - 1}; mov.{b} %q, %p;
    {call.replace("%p", "%q")} st.local.b64 [%q], %y;
    setp.eq.{b} %same, %p, %q; selp.b32 %apart, 0, 1, %same;
    ld.local.b64 %x2, [%p]; ld.local.b64 %y2, [%q];
    stackrestore.{type_} %saved; {call.replace("%p", "%q")}
    setp.eq.{b} %same, %p, %q; selp.b32 %back, 1, 0, %same;
    cvt.u32.{type_} %aligned, %low;
    """
    outputs = (Column("x2", "b64"), Column("y2", "b64"), Column("apart", "b32"), Column("back", "b32"))
    return Micro(
        *("stack", "alloca", f"{call} size={size}"),
        inputs=(Column("x", "b64"), Column("y", "b64")),
        outputs=(*outputs, Column("aligned", "b32")),
        body=body,
    )
