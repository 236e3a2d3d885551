"""Random programs: how they are drawn, what a record keeps of them, how a difference is found and made small."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from dataclasses import replace
from functools import cache
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from time import sleep

import numpy as np
import pytest

import ptxlab as px
from ptxlab.checks import lints_of
from ptxlab.conformance.micro.kernel import Bytes, Micro
from ptxlab.conformance.programs import run as programs
from ptxlab.conformance.programs.draw import drawn
from ptxlab.conformance.programs.operations import Ops, carrying, computing, multiplying, words_of
from ptxlab.conformance.programs.run import Kept
from ptxlab.conformance.programs.tree import Line, Nest, Program, rendered, size
from ptxlab.conformance.record.golden import Golden
from ptxlab.conformance.rows.probes import draw
from ptxlab.cuda import ptxas
from ptxlab.diag import Diagnostic
from ptxlab.isa.form import FORMS
from tools.programs import __main__ as commands
from tools.programs import compare as comparing
from tools.programs.apart import Apart, Hung, hangs, unsteady
from tools.programs.compare import Verdict, by_variant, compare
from tools.programs.shrink import listing, shrunk, statements
from tools.programs.trace import NBYTES, firsts, simulated_output, split, traced

SEED = 17


@cache
def small(word: str = "") -> int:
    """The number of a program of the seed that is short, and whose kernel holds a word."""
    return next(n for n in range(200) if statements(p := drawn(SEED, n)) < 150 and word in "".join(rendered(p.body)))


def test_a_seed_gives_the_same_programs_in_every_process() -> None:
    code = "from ptxlab.conformance.programs.draw import drawn; print(drawn(3, 1).text)"
    texts = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": hashed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hashed in ("1", "2")
    }
    assert texts == {drawn(3, 1).text + "\n"}
    assert drawn(3, 2).text != drawn(3, 1).text != drawn(4, 1).text


@pytest.mark.parametrize("form", [f.key for f in carrying()])
def test_every_row_of_carries_has_words_of_both_widths(form: str) -> None:
    for width in ("32", "64"):
        found = {p.opcode for p in words_of(FORMS[form], width)}
        assert found
        assert all(re.search(rf"\.[us]{width}$", opcode) for opcode in found)


def test_chains_of_carries_are_drawn_for_all_numbers() -> None:
    ops = Ops(random.Random(71))
    assert all(re.search(r"(add|sub|mad)\S*\.cc\.", ops.carry()) for _ in range(2000))


def lines_of(*wanted: str, count: int = 60) -> list[str]:
    """Lines of programs that hold a match of each expression."""
    texts = (drawn(SEED, n).text for n in range(count))
    return [line for text in texts for line in text.splitlines() if all(re.search(w, line) for w in wanted)]


def test_shifts_count_by_no_result_of_a_float_instruction() -> None:
    """ptxas converts such a count to an integer, where the shift has 64 bits."""
    found = lines_of(r"sh[lr]\.[bus]\d+ %\w+, [^,]+, %r\d+;")
    assert found
    assert all(re.search(r"or\.b32 (%r\d+), \1, %tw; (@!?%p\d )?sh[lr]\.\S+ %\w+, [^,]+, \1;", line) for line in found)


def test_narrow_stores_of_wider_registers_find_no_floats_there() -> None:
    """ptxas converts what a float instruction has left there, where a vector is stored."""
    store = r"\bst\.\S*v[24]\.[us](?:8|16|32) \[[^]]*\], \{(%x[^}]*)\}"
    found = lines_of(store)
    assert found
    for line in found:
        stored = re.search(store, line)
        assert stored is not None
        assert all(re.search(rf"or\.b64 {r}, {r}, %tx;.*\bst\.", line) for r in stored[1].split(", "))


def test_results_of_barriers_are_not_found_again_by_waiting_again() -> None:
    """ptxas 13.1 to 13.4 wait at the barrier anew where its result is read, in a loop of some lanes, too."""
    found = lines_of(r"\bbar(rier)?(\.cta)?\.red\.")
    assert len(found) > 20
    for line in found:
        for target in re.findall(r"\.red\.(?:popc|and|or)\S* (%[rpc]\d+), \d", line):
            assert re.search(rf"\.red\.\S* {target}, .*?mov\.u32 %t[vw], %ctaid\.z;.*?{target}", line)


def test_naps_are_taken_in_kernels_alone() -> None:
    """Behind a call of a function in which some lanes slept, ptxas takes a warp for converged that is not."""
    programs_ = [drawn(SEED, n) for n in range(60)]
    assert any("nanosleep" in "\n".join(rendered(p.body)) for p in programs_)
    assert not any("nanosleep" in "\n".join(rendered(p.functions)) for p in programs_)


def test_masks_and_policies_are_kept_in_registers_of_the_lanes() -> None:
    """Lanes that wait where others loop go ahead, and overwrite uniform registers that the others still read."""
    found = [
        m
        for line in lines_of(r"\bvote\.sync\.ballot")
        for m in re.findall(r"ballot\.b32 (%m\d+),[^;]*; ([^;]*; [^;]*;)", line)
    ]
    assert len(found) > 20
    for mask, following in found:
        assert following == f"mov.u32 %tw, %tid.z; or.b32 {mask}, {mask}, %tw;"
    for number in range(20):
        text = drawn(SEED, number).text
        assert re.search(r"\.b64 %policy;\s[^@]*%tid\.z;[^@]*or\.b64 %policy, %policy, %tx;", text)
        assert text.count("ld.param.b32 %mask,") == text.count("or.b32 %mask, %mask, %tw;")


@pytest.mark.parametrize("word", ["barrier.cluster", "call "])
def test_all_ways_to_simulate_give_the_same(word: str) -> None:
    found = by_variant(SEED, small(word))
    assert {name: (v.error, v.lines) for name, v in found.items() if not v.good} == {}
    assert {"late", "random", "stats", "debugger", "workers"} <= set(found)


@pytest.mark.ptxas
def test_an_assembler_takes_programs_without_a_warning() -> None:
    if ptxas.find() is None:
        pytest.skip("there is no ptxas: install the extra `ptxas`")
    taken = 0
    for number in range(8):
        program = drawn(6, number).text
        try:
            found = ptxas.assemble(program, "sm_90a").warnings
        except Diagnostic as died:
            if died.code != "PTX2403":
                raise
            continue
        # ptxas 13.5 says so of calls through pointers, which 13.1 takes without a word.
        stack = {"Stack size for entry function 'k0' cannot be statically determined."} if "call " in program else set()
        assert {d.message for d in found if d.severity != "note"} <= stack
        taken += 1
        if taken == 2:
            return
    raise AssertionError("ptxas dies of too many programs")


@pytest.mark.parametrize(("seed", "number"), [(20261122, 153), (20261122, 71), (777, 656), (1, 0)])
def test_programs_read_nothing_that_nobody_has_written(seed: int, number: int) -> None:
    """Functions did: what they found then depended on how they were assembled."""
    whole = px.parse(drawn(seed, number).text).program("k0")
    found = [d for one in (*whole.functions, whole) for d in lints_of(one) if d.code == "PTX5002"]
    assert [d for d in found if "prefetch" not in d.message] == []  # which changes nothing, wherever it goes


def test_what_differs_for_a_reason_is_not_drawn() -> None:
    ops = Ops(random.Random(1))
    texts = [ops.compute() for _ in range(3000)]
    parts = {tuple(t.split(" ")[1 if t.startswith("@") else 0].split(".")) for t in texts}
    assert not {p for p in parts if p[0] == "activemask"}
    # sums and products of floats that an assembler may contract have no rounding
    floats = {p for p in parts if p[0] in ("add", "sub", "mul") and p[-1].startswith(("f", "bf"))}
    assert len(floats) > 20
    assert all({"rn", "rz", "rm", "rp"} & set(p) for p in floats)


def test_halves_stand_in_registers_of_their_size() -> None:
    """ptxas leaves the rest of a wider one as it was."""
    ops = Ops(random.Random(4))
    halves = [m for t in (ops.compute() for _ in range(4000)) for m in re.findall(r"\bcvt\.\S*\.b?f16\.\w+ %(\w)", t)]
    assert len(halves) > 20
    assert set(halves) == {"h"}


def test_no_assembler_knows_the_operands_of_approximate_functions() -> None:
    ops = Ops(random.Random(3))
    seen: set[str] = set()
    for text in (ops.compute() for _ in range(8000)):
        found = re.search(r"(\w+)\.(approx|full)\S* \S+ ([^;]+);", text)
        if found is not None:
            seen.add(found[1])
            for source in found[3].split(", "):
                assert re.search(rf"or\.b\d+ {source}, {source}, %t[lwx];.*{re.escape(found[0])}", text), text
    assert {"rcp", "rsqrt", "ex2", "lg2", "sin", "cos", "tanh", "div"} <= seen


def test_every_row_that_computes_exactly_takes_part() -> None:
    dice = random.Random(2)
    for form in (*computing(), *carrying(), *multiplying()):
        probes = [draw(form, dice) for _ in range(8)]
        assert all(p is not None for p in probes), form.key
    keys = {f.key for f in computing()}
    assert {"fma.f16", "cvt.fp8", "lop3.pred", "mov.b128", "setp.bf16x2", "dp4a", "fns", "slct.f32"} <= keys


def test_statements_in_statements_are_counted_and_shown() -> None:
    nest = Nest(("if {", "} else {", "}"), ((Line("a;"), Line("b;")), (Line("c;"),)))
    assert size((nest, Line("d;"))) == 5
    assert list(rendered((nest, Line("d;")))) == ["if {", "a;", "b;", "} else {", "c;", "}", "d;"]
    assert list(listing((nest,))) == ["if {", "  a;", "  b;", "} else {", "  c;", "}"]


def test_a_program_shrinks_to_what_makes_the_difference() -> None:
    made = drawn(SEED, small("call "))

    def differs(one: Program) -> bool:
        return "call " in "".join(rendered(one.body))

    told: list[int] = []
    found = shrunk(made, differs, lambda p: told.append(statements(p)))
    assert differs(found)
    assert told == sorted(told, reverse=True)
    assert all(not f.parts[0] for f in found.functions)
    # what is left is the statement and those that it stands in, whose conditions may hold one, too
    assert statements(found) <= len(found.functions) + 5
    programs.simulator()(found.text, found.micro, SEED)


def test_a_difference_of_the_simulator_shrinks_on_the_command_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seed, number = SEED, small("prefetch")

    def other(text: str, micro: Micro, seed: int) -> Bytes:
        out = programs.simulator()(text, micro, seed)
        return out ^ np.uint8("prefetch" in text)

    monkeypatch.setattr(comparing, "variants", lambda: {"late": other})
    assert commands.main(["shrink", str(seed), str(number), "--against", "late"]) == 0
    shown = capsys.readouterr().out
    assert "prefetch" in shown
    assert "512 of 512 threads differ" in shown
    assert len(shown.splitlines()) < 30


def recorded(number: int) -> Golden:
    ran = programs.run(programs.simulator(), [f"program {number}"], SEED)
    return Golden(gpu="Chip", seed=SEED, results=ran.results, operands=ran.operands)


def test_a_record_outlives_other_draws_and_names_what_differs() -> None:
    key = f"program {small()}"
    found = recorded(small())
    kept = Kept.unpacked(found.results[key])
    assert kept.text == drawn(SEED, small()).text
    assert len(found.results[key]) < len(kept.text) / 2
    assert list(programs.check([key], found)) == []
    kept.lanes[7] ^= 1
    kept.columns[2] ^= 1
    (one,) = programs.check([key], replace(found, results={key: kept.packed()}))
    assert (one.count, one.of) == (1, programs.cases())
    assert one.examples[:2] == ("threads 7", "registers p2")
    assert one.examples[2].endswith(f"shrink {SEED} {small()}")


def test_a_damaged_record_and_one_of_other_operands_are_refused() -> None:
    key = f"program {small()}"
    found = recorded(small())
    with pytest.raises(Diagnostic, match="not those of the record"):
        list(programs.check([key], replace(found, seed=99)))
    with pytest.raises(Diagnostic, match="damaged"):
        list(programs.check([key], replace(found, results={key: found.results[key][:-40]})))


WORKER = """
import json, sys
seed, first, count = map(int, sys.argv[1:])
for n in range(first, first + count):
    if n == 3:
        sys.exit("it fell over")
    error = "the chip: it failed" if n == 5 else ""
    print(json.dumps({"seed": seed, "number": n, "lines": ["bad"] if n == 14 else [], "steady": True, "error": error}), flush=True)
"""


def test_programs_that_take_their_process_with_them_are_named_and_the_others_go_on(tmp_path: Path) -> None:
    worker = tmp_path / "worker.py"
    worker.write_text(WORKER)
    told: list[Verdict] = []
    found = compare(1, 20, 2, told.append, (sys.executable, str(worker)))
    assert [v.number for v in found] == list(range(20))
    assert {v.number for v in found if not v.good} == {3, 5, 14}
    assert found[3].error == "its process ended: it fell over"
    assert sorted(v.number for v in told) == list(range(20))


def test_a_trace_finds_the_statement_where_machines_part() -> None:
    made = drawn(SEED, small())
    noted = traced(made)
    raw = simulated_output(noted.program.text, made.micro, SEED, NBYTES)
    columns, log = split(made.micro, raw)
    assert (columns == programs.simulator()(made.text, made.micro, SEED)).all()
    assert firsts(noted, log, log) == []
    notes = list(noted.notes(log[9]))
    assert len(notes) > 20
    assert notes[0].statement == 0
    # the first word behind a note's number is a register of that statement
    last = max(i for i, n in enumerate(notes) if n.values)
    at = sum(1 + sum(2 if name[1:2] in "xw" else 1 for name, _ in n.values) for n in notes[:last])
    other = log.copy()
    other[9, at + 1] ^= 1
    ((lane, before, chip, ours),) = firsts(noted, other, log)
    assert lane == 9
    assert before == notes[last - 1]
    assert ours == notes[last]
    assert chip is not None
    assert chip != ours


@pytest.mark.parametrize("plainly", [True, False])
def test_a_difference_that_ptxas_makes_is_told_from_one_of_the_simulator(*, plainly: bool) -> None:
    made = drawn(1, 0).micro
    right, wrong = (np.full(sum(c.bytes * made.lanes for c in made.outputs), v, np.uint8) for v in (1, 2))
    found = comparing.judged(1, 0, lambda *_: wrong, lambda *_: right, plain=lambda *_: right if plainly else wrong)
    assert found.lines
    assert found.optimiser is plainly
    assert found.good is plainly


def test_where_ptxas_dies_without_its_optimiser_a_difference_stays_one() -> None:
    made = drawn(1, 0).micro
    right, wrong = (np.full(sum(c.bytes * made.lanes for c in made.outputs), v, np.uint8) for v in (1, 2))

    def dies(*_: object) -> Bytes:
        raise Diagnostic("PTX2403", "it ended")

    found = comparing.judged(1, 0, lambda *_: wrong, lambda *_: right, plain=dies)
    assert (found.good, found.error) == (False, "")
    assert "PTX2403" in found.lines[-1]


@pytest.mark.parametrize(("code", "died"), [("PTX2403", True), ("PTX2421", False)])
def test_a_program_of_which_ptxas_dies_is_left_out_and_one_that_fails_is_not(code: str, *, died: bool) -> None:
    def chip(*_: object) -> Bytes:
        raise Diagnostic(code, "it ended")

    found = comparing.judged(1, 0, chip, chip)
    assert found.error == f"the chip: {code} it ended"
    assert (found.died, found.good) == (died, died)


def hanging(pipe: Connection) -> None:  # pyright: ignore[reportMissingTypeArgument]
    """Stands for a GPU: naps hang, `elect` gives several results, `trap` fails."""
    pipe.send("ready")
    for launch in count():
        text = pipe.recv().text
        pipe.send("assembled")
        if "nanosleep" in text:
            sleep(60)
        fault = ("PTX2421", "A kernel failed.")
        pipe.send(fault if "trap;" in text else np.full(8, launch if "elect" in text else 0, np.uint8))


def body(*texts: str) -> Program:
    """A program of some statements."""
    return replace(drawn(SEED, small()), functions=(), body=tuple(Line(t) for t in texts))


def test_a_launch_that_hangs_takes_its_process_with_it_alone() -> None:
    gpu = Apart(0.2, hanging)
    made, napping = body("pmevent 3;"), body("pmevent 3;", "nanosleep.u32 20;")
    with pytest.raises(Hung):
        gpu(napping.text, napping.micro, SEED)
    assert gpu(made.text, made.micro, SEED).tolist() == [0] * 8
    with pytest.raises(Diagnostic, match="A kernel failed"):
        gpu(body("trap;").text, made.micro, SEED)
    assert gpu(made.text, made.micro, SEED).tolist() == [0] * 8
    gpu.close()


def test_programs_that_hang_or_are_unsteady_are_made_small() -> None:
    gpu = Apart(0.2, hanging)
    naps = shrunk(body("pmevent 3;", "nanosleep.u32 20;", "pmevent 4;"), lambda made: hangs(gpu, made, SEED))
    assert [n.text for n in naps.body if isinstance(n, Line)] == ["nanosleep.u32 20;"]
    varies = shrunk(body("pmevent 3;", "elect.sync %r0|%p0, -1;"), lambda made: unsteady(gpu, made, SEED))
    assert [n.text for n in varies.body if isinstance(n, Line)] == ["elect.sync %r0|%p0, -1;"]
    assert not hangs(gpu, body("trap;"), SEED)
    assert not unsteady(gpu, body("trap;"), SEED)
    gpu.close()
