"""The memory model of PTX, executable: what a few lines may do, and why."""

from __future__ import annotations

import os

from ptxlab.diag import Diagnostic, user_span
from ptxlab.diag.boundary import public
from ptxlab.diag.files import read_file
from ptxlab.memory_model.decision import decide
from ptxlab.memory_model.draw import svg
from ptxlab.memory_model.emit import Emitted, emitted
from ptxlab.memory_model.generate import random_test
from ptxlab.memory_model.herd import parse_herd
from ptxlab.memory_model.kernels import is_kernel, parse_kernel
from ptxlab.memory_model.program import Program
from ptxlab.memory_model.race import Access, Race, Racing
from ptxlab.memory_model.verdict import Verdict

__all__ = [
    "Access",
    "Emitted",
    "Race",
    "Racing",
    "Verdict",
    "decide",
    "kernel",
    "litmus",
    "parse",
    "random_test",
    "svg",
]

_MOST_BYTES = 1 << 20


@public
def parse(text: str, file: str = "<litmus>") -> Program:
    r"""The litmus test that a text describes: in the litmus format, or a module of PTX with its question in comments.

    Raises: Diagnostic PTX0600 and PTX0602, and those of its instructions.

    Example:
        from ptxlab import memory_model

        text = r'''PTX MP
        { x = 0; flag = 0; }
        P0@cta 0,gpu 0        | P1@cta 1,gpu 0 ;
        st.weak x, 1          | ld.acquire.gpu r0, flag ;
        st.relaxed.gpu flag, 1 | ld.weak r1, x ;
        exists (P1:r0 == 1 /\ P1:r1 == 0)
        '''

        program = memory_model.parse(text)
        print(program.name, len(program.threads))  # MP 2
    """
    return parse_kernel(text, file) if is_kernel(text) else parse_herd(text, file)


@public
def litmus(what: str | os.PathLike[str], *, race: bool = True, all_races: bool = False, hang: bool = True) -> Verdict:
    r"""What the memory model of PTX says of a litmus test.

    Args:
        what: the test's text, in the litmus format or as PTX with its question in comments; or the path of a file, which is
            what a string of one line that ends in ".litmus" or ".ptx" is.
        race: look for data races. all_races: look for all pairs of instructions that race, and say of each outcome which of them
            its executions have; otherwise the first race that is found is enough.
        hang: look for executions that do not end.

    Returns: the verdict: its outcomes, whether the question is answered with yes, data races and hangs, and an execution that
        shows it, or the cycle that forbids it. `print(verdict)` says it all, and `verdict.races` has the races as data: which two
        instructions, where they stand, and why nothing orders them.

    Raises: Diagnostic PTX0600 for what is no litmus test, PTX0602 for what litmus tests do not model, PTX0603 for a test that is
        too large to be decided, PTX2500 and PTX2504 for a file that cannot be read, and those of a wrong instruction.

    Example:
        text = r'''PTX MP
        { x = 0; flag = 0; }
        P0@cta 0,gpu 0        | P1@cta 1,gpu 0 ;
        st.weak x, 1          | ld.acquire.gpu r0, flag ;
        st.relaxed.gpu flag, 1 | ld.weak r1, x ;
        exists (P1:r0 == 1 /\ P1:r1 == 0)
        '''

        verdict = px.litmus(text)  # flag is seen, x is not: the store is relaxed
        print(verdict.holds, verdict.race is not None)  # True True
    """
    file = "<litmus>"
    if not isinstance(what, str | os.PathLike):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise Diagnostic(
            "PTX0600",
            f"A {type(what).__name__} is no litmus test.",
            help="give its text or its path",
            origin=user_span(),
        )
    if isinstance(what, os.PathLike) or (what.endswith((".litmus", ".ptx")) and "\n" not in what):
        file = os.fspath(what)
        what = read_file(file, _MOST_BYTES).decode("utf-8", "replace")
    return decide(parse(what, file), race=race, all_races=all_races, hang=hang)


@public
def kernel(what: str | Program) -> Emitted:
    r"""A litmus test as a kernel that the simulator and the GPU can run: one instance, without parameters.

    `kernel(text).text` is its PTX, `.shape` how to launch it, `.steps` which line does which instruction of the test.

    Raises: Diagnostic PTX0604 for a test that has no kernel, and what `parse` raises.

    Args:
        what: the test's text, or what `parse` returns.

    Example:
        from ptxlab import memory_model

        text = r'''PTX MP
        { x = 0; flag = 0; }
        P0@cta 0,gpu 0        | P1@cta 1,gpu 0 ;
        st.weak x, 1          | ld.acquire.gpu r0, flag ;
        st.relaxed.gpu flag, 1 | ld.weak r1, x ;
        exists (P1:r0 == 1 /\ P1:r1 == 0)
        '''

        emitted = memory_model.kernel(text)
        print(emitted.shape, ".entry litmus" in emitted.text)  # {'grid': 2, 'block': 32} True
    """
    return emitted(parse(what) if isinstance(what, str) else what, alone=True)
