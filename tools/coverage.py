"""`python -m tools.coverage`: which rows and modifiers the record of an H100 has no cases of, and why; cases by file of rows."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, Final

from numpy.typing import NDArray

from ptxlab.conformance.addresses.probes import PROBES
from ptxlab.conformance.micro.kernel import MicroBatch
from ptxlab.conformance.micro.run import micros
from ptxlab.conformance.rows.moves import moves
from ptxlab.conformance.rows.probes import Probe, choices, has_instances, probes
from ptxlab.conformance.rows.products import product_batches, products
from ptxlab.conformance.runner.conform import lines, records_folder
from ptxlab.conformance.runner.suites import SUITES
from ptxlab.conformance.tma import run as tma
from ptxlab.isa.effects import Hint
from ptxlab.isa.form import FORMS, Form
from ptxlab.ptx.lower import lower
from ptxlab.ptx.parser import parse
from tools.row_references import referenced

LEAST: Final = 1500
"""Cases that each file of `isa/rows/` is to have."""

UNCONFIRMED: Final = frozenset({"multimem"})
"""Files whose rows no machine at hand has run."""

Seen = dict[str, set[str]]
"""Rows by key, and `slot=value` that were met."""

_WIDTHS: Final = (
    "another width is the same sum for other columns: all widths are tried of one type, three or four of each"
)
_HINT: Final = "a hint, which changes no value"
_ONE_FENCE: Final = (
    "ptxas makes one instruction of all scopes up to .gpu; kernels that rebind maps ran with each of them"
)
_UNSIGNED: Final = (
    "ptxas makes the machine code of the unsigned type of it, or with .shared::cluster.s32 drops bits of addresses"
)
_ONE_ELEMENT: Final = "ptxas moves a part of a vector of one element, and puts what it likes above it"
LACKING: Final[Mapping[str, str]] = {
    "* vec=v8": "ptxas 13.1 stores or loads the first of eight 8- or 16-bit elements alone, or fails inside itself",
    "* L2::cache_hint=*": _HINT,
    "cp.async.bulk.tensor.load.* multicast::cluster=*": "recorded with whole kernels: products whose clusters share their loads",
    "cp.async.bulk.tensor.load.cta": "ptxas makes the instruction of .shared::cluster of it",
    "cp.async.bulk.tensor.load.im2col.cta": "ptxas makes the instruction of .shared::cluster of it",
    "call.ret.only*": "a call without parameters is recorded as `call`, one that returns a value as `call.ret`",
    "cvta* type=u32": "generic addresses of 32 bits belong to modules of 32-bit addresses, which sm_90a has not",
    "* no_membermask_overlap=*": "a promise to the assembler, which changes no value",
    "discard.L2": "what it leaves in memory is undefined",
    "fence.proxy.tensormap.* scope=*": _ONE_FENCE,
    "tensormap.cp_fenceproxy scope=*": _ONE_FENCE,
    "ld.cached space=param*": "parameters do not pass through caches that an operator could name",
    "multimem.*": "the switch between GPUs does it: no chip has confirmed these, and their rows say so",
    "mov.pack.b[136]*.1": _ONE_ELEMENT,
    "mov.unpack.b[136]*.1": _ONE_ELEMENT,
    "mov.shares*": "ptxas gives each element a share of the bits, and puts what it likes above it",
    "getctarank type=s*": _UNSIGNED,
    "mapa type=s*": _UNSIGNED,
    "setmaxnreg type=s32": "ptxas takes it for .u32",
    "st.cached space=param*": "parameters do not pass through caches that an operator could name",
    "trap": "it ends the launch",
    "vset cmp=gt": "its drawn cases write a part of the destination, or have a second operation",
    "wgmma.mma_async.* shape=*": _WIDTHS,
}
"""Rows, and values of their slots, that no kernel tries, by patterns, with the reason.

Rows that sm_90a has not, that are not simulated (their rows say why), and hints, which change no value, need no entry.
"""

WAITING: Final[frozenset[str]] = frozenset()
"""Rows of which generators have instances that no record holds yet: `python -m tools.record suites FOLDER` adds them."""


def needed() -> Iterator[tuple[str, str]]:
    """Every row, with an empty choice, and every value of its slots that has to have a case."""
    for form in FORMS.values():
        if not excused(form):
            yield form.key, ""
            yield from ((form.key, f"{slot}={value}") for slot, value in sorted(choices(form)))


def excused(form: Form) -> str:
    """Why a row needs no case; "" where it needs some."""
    if form.unsimulated:
        return form.unsimulated
    if isinstance(form.effect, Hint):
        return "a hint changes no value"
    return "" if has_instances(form) else "sm_90a does not have it"


def lacking(seen: Seen) -> list[str]:
    """What has to have a case and has none: a row, or `row slot=value`."""
    out: list[str] = []
    for row, choice in needed():
        if row not in seen:
            out += [row] if not choice else []
        elif choice and choice not in seen[row]:
            out.append(f"{row} {choice}")
    return out


def unproven(recorded: Iterable[str], rows: Iterable[str]) -> list[str]:
    """Rows of which neither a record nor a meaning in plain Python says what they give.

    Args:
        recorded: the rows that a record has cases of. rows: those asked about.
    """
    return sorted({*rows} - {*recorded} - _referenced())


@cache
def _referenced() -> frozenset[str]:
    """Rows whose references are for all their probes."""
    known: dict[str, bool] = {}
    for probe in probes():
        known[probe.form.key] = known.get(probe.form.key, True) and referenced(probe)
    return frozenset(row for row, all_ in known.items() if all_)


WHAT_TO_DO: Final = (
    "say what these rows give: with `reference=` in the row, a function in plain Python (see ptxlab/isa/plain.py), "
    "or by what a GPU says: `python -m tools.record suites FOLDER`; without a GPU enter them in `YOUNGER` of "
    "tests/conformance/h100/test_rows.py"
)


def reason(what: str) -> str | None:
    """Why there are no cases of a row or a value; None where no reason is known."""
    return next((why for pattern, why in LACKING.items() if fnmatchcase(what, pattern)), None)


def recorded(*folders: Path) -> Seen:
    """What the records in folders have cases of."""
    held = {
        name: {key for folder in folders if (g := suite.read(folder)) is not None for key in g.keys}
        for name, suite in SUITES.items()
    }
    return _met(held["rows"], held["micro"], maps=bool(held["tma"]), addresses=held["addresses"])


def recorded_cases(*folders: Path) -> dict[str, int]:
    """Cases by family that the records in folders hold."""
    out = dict.fromkeys(lines(), 0)
    for suite, folder in product(SUITES.values(), folders):
        found = suite.read(folder)
        for unit in suite.recorded(found) if found is not None else ():
            out[unit.family] += unit.cases
        for family, cases in suite.counted(found) if found is not None else ():
            out[family] += cases
    return out


def generated() -> Seen:
    """What there are kernels for."""
    rows = {u.key for u in (*probes(), *products(), *moves())}
    return _met(rows, set(micros()), maps=True, addresses=set(PROBES))


def _met(rows: set[str], small: set[str], *, maps: bool, addresses: set[str]) -> Seen:
    out: Seen = {}
    for one in (*probes(), *moves()):
        if one.key in rows:
            probe = one if isinstance(one, Probe) else one.probe
            _note(out, probe.form.key, probe.mods)
    texts = [b.text for b in product_batches([p for p in products() if p.key in rows])]
    texts += [MicroBatch((m,)).text for m in micros().values() if m.key in small]
    texts += [*(_tensor_texts() if maps else ()), *(p.text for name, p in PROBES.items() if name in addresses)]
    for text in dict.fromkeys(texts):
        for row, mods in _instructions(text):
            _note(out, row, dict(mods))
    return out


def _note(out: Seen, row: str, mods: Mapping[str, str]) -> None:
    out.setdefault(row, set()).update(f"{slot}={value}" for slot, value in mods.items())


@cache
def _instructions(text: str) -> frozenset[tuple[str, tuple[tuple[str, str], ...]]]:
    """The instructions of a module: their rows and modifiers."""
    module = parse(text)
    programs = [lower(module, entry.name) for entry in module.entries()]
    ops = [op for p in programs for part in (p, *p.functions) for op in part.ops]
    return frozenset((op.inst.form.key, tuple(op.inst.mods.items())) for op in ops)


@cache
def _tensor_texts() -> tuple[str, ...]:
    """The kernels of tensor maps and copies."""
    listener = _Listener()
    tma.run(listener, 0)
    return tuple(dict.fromkeys(listener.texts))


class _Listener:
    """A device of `tma_run` that runs nothing and keeps the texts that it is to launch."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def put(self, data: NDArray[Any]) -> Any:
        """The data themselves."""
        return data

    def get(self, array: Any) -> NDArray[Any]:
        """What was put."""
        return array

    def address(self, array: Any) -> int:
        """Anything aligned."""
        return 1 << 20

    def launch(self, text: str, ctas: int, args: Sequence[Any], *more: Any, **options: Any) -> None:
        """Keep the text."""
        self.texts.append(text)


def main() -> int:
    """Print both lists; 1 where something lacks cases for no known reason."""
    left = lacking(generated())
    for what in left:
        print(f"{what}: {reason(what) or 'no reason is known'}")
    here = records_folder()
    for family, cases in recorded_cases(here, here.with_name("h200")).items():
        print(f"{family}: {cases:,} cases")
    return int(any(reason(what) is None for what in left))


if __name__ == "__main__":
    sys.exit(main())
