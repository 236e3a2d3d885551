"""One type for everything that ptxlab has to say about a program."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from enum import StrEnum
from typing import Any

from ptxlab.diag.access import Access, Memory
from ptxlab.diag.codes import CODES
from ptxlab.diag.drawn import Drawn
from ptxlab.diag.html import styled
from ptxlab.diag.span import Span, user_span
from ptxlab.diag.text import fragments, plain


class Severity(StrEnum):
    r"""How bad it is: `error` (ptxas or the machine rejects it), `warning` (accepted, yet wrong or ignored),
    `lint` (a pattern that rarely means what it says), `note` (additional information).

    Attributes:
        ERROR, WARNING, LINT, NOTE: the four, worst first; each is its name in small letters.

    Example:
        found = px.check(".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k() { bad; ret; }")
        print(found[0].severity is px.Severity.ERROR, px.Severity.LINT == "lint")  # True True
    """

    ERROR = "error"
    WARNING = "warning"
    LINT = "lint"
    NOTE = "note"


class Diagnostic(Exception):
    """A finding with a stable code, a place and the way out. It can be raised, listed, compared and printed.

    Attributes:
        code: e.g. "PTX0212"; `ptxlab.diag.CODES` holds slug, title and explanation of each.
        message: one sentence that names what is wrong, with the values at hand.
        help: one line that names the way out.
        span: the place in the PTX text, if any.
        origin: the Python line that emitted it, if any.
        isa: section of the PTX ISA manual, if any.
        severity: defaults to the code's own.
        also: further diagnostics found in the same run, when this one is raised for all of them.
        notes: further lines, e.g. who waits on which barrier.
        other, other_origin: the second place, where two instructions clash: the one that came first.
        memory, accesses: for programs, which bytes the finding is about, and who accesses them: first who is at `span`.
        wait_graph: of a launch that hangs, who waits for whom, as data that JSON can hold; else None.
            docs/explanation/hangs.md has its fields.
        flag: of two accesses, who stores and who loads the flag between them that ought to order them; () where there is none.
        only_flag: whether nothing else is at fault but how that store and that load access it: weakly, or with too small a scope.
        alike: findings of the same cause that this one stands for, and has a note of.
        why: of two accesses, why they are not ordered, in a few words; "" where the finding is about something else.
        order: the happens-before graph, where there is one: see `graph`.

    Example:
        @px.kernel(threads=32)
        def wrong(k, x: px.Ptr[px.f32]):
            k.st.global_.f32(x[k.tid.x], k.tid.x)  # an integer is stored as a float

        try:
            wrong.ptx
        except px.Diagnostic as found:
            print(found.code, found.slug, found.severity, found.origin.line)  # PTX0105 operand-type error 5
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        help: str | None = None,  # the word that the renderer prints
        span: Span | None = None,
        origin: Span | None = None,
        isa: str | None = None,
        severity: Severity | None = None,
        notes: Sequence[str] = (),
        also: Sequence[Diagnostic] = (),
        other: Span | None = None,
        other_origin: Span | None = None,
        memory: Memory | None = None,
        accesses: Sequence[Access] = (),
    ) -> None:
        super().__init__(message)
        info = CODES[code]
        self.code = code
        self.slug = info.slug
        self.message = message
        self.help = help if help is not None else info.help
        self.span = span
        self.origin = origin
        self.isa = isa
        self.severity = severity or Severity(info.severity)
        self.notes = tuple(notes)
        self.also = tuple(also)
        self.other = other
        self.other_origin = other_origin
        self.memory = memory
        self.accesses = tuple(accesses)
        self.wait_graph: dict[str, Any] | None = None
        self.flag: tuple[Access, ...] = ()
        self.only_flag = False
        self.why = ""
        self.alike: tuple[Diagnostic, ...] = ()
        self.cause: object = None  # the same of findings that one change repairs
        self.order: Drawn | None = None

    def _key(self) -> tuple[object, ...]:
        return (self.code, self.message, self.help, self.span, self.origin, self.severity, self.notes, self.other)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Diagnostic) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple[Any, ...]:
        """So that one process can hand it to another: an exception by itself is pickled by its message alone."""
        return _unpickled, (type(self), self.code, self.message, {**self.__dict__, "cause": None})

    def __repr__(self) -> str:
        return f"Diagnostic({self.code!r}, {self.message!r})"

    def __str__(self) -> str:
        return "\n".join(plain(d) for d in self.told())

    def _repr_html_(self) -> str:
        return "".join(styled(fragments(d)) + _picture(d) for d in self.told())

    def told(self) -> list[Diagnostic]:
        """This one, and all that is found with it, each once and behind what it follows from: in the order in which they are shown.

        Example:
            found = px.Diagnostic("PTX2501", "one", also=[px.Diagnostic("PTX2501", "two")])
            print([d.message for d in found.told()])  # ['one', 'two']
        """
        out: dict[int, Diagnostic] = {id(self): self}
        for d in self.also:
            out |= {id(one): one for one in d.told() if id(one) not in out}
        return list(out.values())

    def graph(self) -> Drawn:
        """The happens-before graph of a finding: its two accesses, what orders events around them, and the edge that is missing.

        A notebook shows it as a picture, `save("race.svg")` writes that, and `str` has it in words.

        Raises: Diagnostic PTX2501 where there is none: the launch has to be simulated with `graphs=True`, and the finding has
            to be about two events.

        Example:
            @px.kernel(threads=64)
            def swap(k, out: px.Ptr[px.u32]):
                row = k.smem(px.u32, 64)
                k.st.shared.u32(row[k.tid.x], k.tid.x)
                k.st.global_.u32(out[k.tid.x], k.ld.shared.u32(row[k.tid.x ^ 32]))

            report = px.simulate(swap, grid=1, args=[np.zeros(64, np.uint32)], graphs=True)
            graph = report.findings[0].graph()
            print(graph.missing)  # nothing orders the two
            graph.save("race.svg")
        """
        if self.order is None:
            raise Diagnostic(
                "PTX2501",
                f"This {self.code} has no happens-before graph.",
                help="simulate with graphs=True; findings about two accesses, or about an access and an exit, have one then",
                origin=user_span(),
            )
        return self.order

    def at(self, span: Span | None = None, origin: Span | None = None) -> Diagnostic:
        """The same diagnostic, with its `span` and its `origin` filled in where it has none.

        Example:
            found = px.Diagnostic("PTX2501", "there is no such option", help="use stats=True")
            print(found.at(px.Span("kernel.py", 3)).span)  # kernel.py:3
        """
        self.span = self.span or span
        self.origin = self.origin or origin
        return self


def _unpickled(kind: type[Diagnostic], code: str, message: str, state: dict[str, Any]) -> Diagnostic:
    made = kind(code, message)
    made.__dict__.update(state)
    return made


def _picture(d: Diagnostic) -> str:
    return "" if d.order is None else d.order._repr_svg_()  # pyright: ignore[reportPrivateUsage]


def raise_all(found: Sequence[Diagnostic]) -> None:
    """Raise the first error of `found`, carrying the other errors in `also`; return when there is no error."""
    errors = [d for d in found if d.severity is Severity.ERROR]
    if errors:
        first = errors[0]
        first.also = (*first.also, *(d for d in errors[1:] if d not in first.also))
        raise first


def one_of_each(found: Iterable[Diagnostic], codes: Container[str] | None = None) -> list[Diagnostic]:
    """The first of those that say the same of other places, with a note of how many there are; all that have other codes."""
    alike: dict[object, list[Diagnostic]] = {}
    for d in found:
        key = (d.code, d.message) if codes is None or d.code in codes else id(d)
        alike.setdefault(key, []).append(d)
    for first, *rest in alike.values():
        if rest:
            first.notes = (*first.notes, f"and at {len(rest)} more place{'s' if len(rest) > 1 else ''}")
    return [first for first, *_ in alike.values()]


def one_of_each_line(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The first of those that are about the same lines of the source, with a note of how many there are; one that tells more
    goes before.

    A loop that is unrolled becomes many instructions, all of one line. Of PTX without a source all findings are told.
    """
    alike: dict[object, list[Diagnostic]] = {}
    for d in found:
        alone = d.origin is None
        alike.setdefault(id(d) if alone else (d.code, frozenset((d.origin, d.other_origin))), []).append(d)
    out: list[Diagnostic] = []
    for same in alike.values():
        first = max(same, key=lambda d: len(d.notes))
        rest = [d for d in same if d is not first]
        out.append(first)
        if rest:
            what = "pair" if first.other_origin is not None else "instruction"
            lines = "these lines" if first.other_origin not in (None, first.origin) else "this line"
            first.notes = (*first.notes, f"and {len(rest)} more {what}{'s' if len(rest) > 1 else ''} of {lines}")
    return out
