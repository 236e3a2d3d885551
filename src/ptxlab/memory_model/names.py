"""Names that a litmus test uses and does not have: of threads, locations and registers."""

from __future__ import annotations

from ptxlab.diag import Diagnostic, Span
from ptxlab.memory_model.program import Load, Pointer, Program, Store, Thread, Update, registers_of


def check_names(program: Program, question: Span | None, *, places: bool = False) -> None:
    """Refuse a register that is read, or asked for, and that nothing writes, and other names that stand for nothing.

    Args:
        question: where the test asks. places: look for locations that are accessed, too.

    Raises: Diagnostic PTX0600.
    """
    for thread in program.threads:
        _check_steps(program, thread, places=places)
    written = {t.name: _written(t) for t in program.threads}
    asked = {n for c in (program.condition, program.filter) if c is not None for n in c.names()} | set(program.shown)
    for owner, name in sorted(asked):
        if owner and owner not in written:
            message, help = f"There is no thread {owner}.", f"the threads are {', '.join(sorted(written))}"
        elif owner and name not in written[owner]:
            has = ", ".join(sorted(written[owner]))
            message = f"Nothing in {owner} writes {name}, which the question is about."
            help = f"{owner} writes {has}" if has else f"write {owner}:{name} = 0 at the start, or ask for a location"
        elif not owner and name not in program.variables:
            message, help = f"There is no location {name}.", f"write {{ {name} = 0; }} at the start"
        else:
            continue
        raise Diagnostic("PTX0600", message, help=help, span=question)


def _check_steps(program: Program, thread: Thread, *, places: bool) -> None:
    written = _written(thread)
    for step in thread.steps:
        place = step.address if isinstance(step, Load | Store | Update) else None
        if places and isinstance(place, Pointer) and place.name not in program.variables:
            raise Diagnostic(
                "PTX0600",
                f"`{step.text}` accesses {place.name}, and there is no such location.",
                help=f"write {{ {place.name} = 0; }} at the start",
                span=step.span,
            )
        for name in registers_of(step, written=False):
            if name in written:
                continue
            raise Diagnostic(
                "PTX0600",
                f"`{step.text}` reads {name}, which is no location, and which nothing in {thread.name} writes.",
                help=f"write it first, or give it a value at the start: {{ {thread.name}:{name} = 0; }} for a register, "
                f"{{ {name} = 0; }} for a location",
                span=step.span,
            )


def _written(thread: Thread) -> set[str]:
    """The registers of a thread that have a value at some time."""
    return {name for step in thread.steps for name in registers_of(step, written=True)} | set(thread.registers)
