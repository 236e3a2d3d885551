"""Every row has a meaning, a trap, or says why not; every compiled meaning compiles for many of its modifiers."""

from __future__ import annotations

import llvmlite.binding as llvm
import pytest

import ptxlab.isa
import ptxlab.sim.families.meanings
import ptxlab.sim.families.units  # noqa: F401  (registers the traps)
from ptxlab.isa.form import FORMS
from ptxlab.ptx.program import Op, Program
from ptxlab.sim.certify.peeks import PEEK
from ptxlab.sim.engine.compiled.compile import code
from ptxlab.sim.engine.compiled.emit import Handler, build
from ptxlab.sim.engine.compiled.registry import HALFWAY, MEANINGS, TRAPS
from ptxlab.sim.engine.decoded.decode import _Decoder
from ptxlab.sim.families.algebra.meaning import DEGREES, PREFIX
from ptxlab.sim.families.algebra.unit import REFUSED

from ..instances import instances

PER_ROW = 3


@pytest.mark.parametrize("key", sorted(FORMS))
def test_every_row_is_simulated_or_says_why_not(key: str) -> None:
    assert key in MEANINGS or key in TRAPS or FORMS[key].unsimulated, (
        f'write the meaning in src/ptxlab/sim/families under @meaning("{key}"), or say why there is none: unsimulated=… in the row'
    )


def test_no_meaning_without_a_row() -> None:
    own = [k for k in [*MEANINGS, *TRAPS] if not k.startswith("$") and k not in (REFUSED, PEEK)]
    known = [k.removeprefix(PREFIX).removeprefix(DEGREES) for k in own]
    assert set(known) <= set(FORMS)


def handlers_of(key: str) -> list[Handler]:
    made: list[Handler] = []
    for inst, registers in instances(FORMS[key], PER_ROW):
        targets = {"L": ("L", "L")} if key == "brx.idx" else {}
        ops = [Op(inst)]
        program = Program("k", None, None, registers=registers, ops=ops, labels={"L": 0}, targets=targets)  # type: ignore[arg-type]
        decoder = _Decoder(program)
        decoder._place_registers()
        made.append(decoder._op(program.ops[0])[0])
    return list(dict.fromkeys(made))


def test_handlers_of_all_rows_compile() -> None:
    features = code().features
    parts: list[str] = []
    declared: set[str] = set()
    for key in sorted(set(MEANINGS) & set(FORMS)):
        handlers = handlers_of(key)
        assert handlers, key
        for i, handler in enumerate(handlers):
            text, needs = build(handler, f"h{len(parts)}_{i}", features)
            parts.append(text)
            declared |= needs
    # Verified, not compiled: the records of rows are run with what LLVM makes of it (tests/conformance/h100/test_rows.py).
    llvm.parse_assembly("\n".join([*sorted(declared), *parts])).verify()


def test_what_may_turn_to_python_says_so() -> None:
    """A launch without such rows imports no units."""
    assert {k for k in MEANINGS if k in TRAPS} == HALFWAY
