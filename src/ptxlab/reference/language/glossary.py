"""Our own words, in a sentence or two each: for the glossary and for `px.explain`."""

from __future__ import annotations

GLOSSARY = {
    "agent": (
        "Whoever accesses memory: a thread, or one operation of an asynchronous unit such as the copy engine "
        "or the tensor cores. Two agents race when they touch the same bytes, one of them writes, and nothing "
        "orders them."
    ),
    "bound": (
        "An instruction of a parsed module is *bound* once it is matched with its row: its operands have "
        "names and its modifiers values."
    ),
    "construct": (
        "A word of `k` that is not one instruction: a declaration (`k.smem`), a block (`k.if_`) or a pattern "
        "(`k.tma_load`)."
    ),
    "conformance": "The comparison of the simulator with records of an H100, row by row: `ptxlab conformance`.",
    "diagnostic": (
        "Everything that ptxlab has to say about a program: a code (PTX0212), a place, a sentence, and the way out."
    ),
    "eager, late, random": (
        "The three schedules. *eager*: an asynchronous operation happens as soon as it is issued. *late*: it "
        "happens only when something waits for it, so that a missing wait reads old data. *random*: a seed "
        "draws when it happens, which warp runs next, and for how long."
    ),
    "explore": "To run one launch under many schedules and compare what it leaves: `px.explore`.",
    "family": "The rows of related instructions, which stand in one file and on one page of the reference.",
    "finding": (
        "A diagnostic about what a launch did, e.g. a race. The launch goes on; an error is raised when it has ended."
    ),
    "form": (
        "One way to write an instruction: its opcode with a fixed kind of operands. `add` with integers and "
        "`add` with floats are two forms."
    ),
    "granule": (
        "The unit in which the sanitizer keeps track of memory: 4 bytes, split into single bytes where "
        "accesses differ in size."
    ),
    "lint": (
        "A warning about a pattern of instructions that is legal and rarely means what it says. Lints have "
        "codes PTX5xxx."
    ),
    "meaning": (
        "What an instruction computes, as a function in the simulator. Each row has one, or says why it has none."
    ),
    "pair": "A litmus test that allows an outcome, and one that differs in one thing and forbids it.",
    "part": (
        "Of an opcode: what stands between two dots. Of a tile: one of several equal pieces, `tile.part(index, count)`."
    ),
    "poison": (
        "A pattern, drawn from the seed, in registers and memory that nobody has written. A result that "
        "depends on it changes with the seed."
    ),
    "poll": (
        "To ask again and again whether something has happened, as a loop around `mbarrier.test_wait` or a "
        "flag in memory does. The simulator recognises such loops, so that a launch in which everybody polls "
        "in vain is reported as a hang."
    ),
    "record": (
        "What an H100 or H200 gave for an instruction or a kernel, kept with the GPU's name and driver. "
        "Inside the simulator: an instruction that is ready to run."
    ),
    "role": "The work of one warp or warpgroup within a kernel, e.g. loading while others multiply: `k.role`.",
    "round": (
        "One pass of all waiting warps through their polls. Where a full round changes nothing, the launch hangs."
    ),
    "row": (
        "Everything that ptxlab knows of a form, in one place in Python: syntax, operands, rules, needs and "
        "effect. Parser, printer, checker, language and reference are made from it."
    ),
    "sanitizer": (
        "The part of the simulator that looks for races, missing fences, wrong byte counts and reads of "
        "unwritten memory."
    ),
    "schedule": "The rule by which the simulator decides what happens when: *eager*, *late* or *random*.",
    "site": "One instruction of a kernel and what it did in a launch: `report.stats.sites`.",
    "slot": "One stage of a ring while a producer or a consumer holds it: `px.Slot`.",
    "stage": "One of the buffers of a ring, with a *full* and an *empty* barrier.",
    "suppression": (
        "A comment, or an entry in pyproject.toml, that says why a finding is expected. It is then not "
        "reported as an error."
    ),
    "tile": "A piece of shared memory that knows its type, its shape and its swizzle: `px.Tile`.",
    "trace": (
        "To *trace* a kernel is to call its function once with `k`, which notes the instructions. A *trace* "
        "of a launch is its timeline."
    ),
    "turn": (
        "One execution of a loop's body. In the simulator: the time during which one warp runs before another "
        "warp does."
    ),
    "zoo": "The sanitizer's own tests: right kernels, and faulty ones that were made from them by small edits.",
}
