"""Random litmus tests, to hold two deciders, the simulator or a race detector against each other.

Three styles. *Scattered*: instructions drawn one by one; few of them synchronize. *Chain*: one location is accessed by one thread
after another, in whatever proxy, and from each access to the next leads a hand-over: a flag, a barrier, an mbarrier, the completion
of a copy. Fences and waits are there or left out and scopes and orders are right or wrong by chance, so that about half of the
chains have a data race. *Fenced*: chains whose mbarriers are relaxed more often than not, between fences of all memory
or of shared memory.

The same seed gives the same text.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from ptxlab.memory_model.chains import Chain

SCOPES: Final = ("cta", "cluster", "gpu", "sys")
STYLES: Final = ("scattered", "chain", "fenced")
_DRAWN: Final = STYLES[:2]
"""Styles of which each seed draws one."""
_PLACES: Final = (
    "cta 0,gpu 0", "cta 0,gpu 0", "cta 1,gpu 0", "cta 1,cluster 0,gpu 0", "cta 0,cluster 0,gpu 0", "cta 0,gpu 1",
)  # fmt: skip
_INIT: Final = ".mbarrier m = 1; .shared s = 0; x = 0; y = 0;"
_ALIASES: Final = " z @ generic aliases x; c @ constant aliases x; d @ constant aliases z;"
_PLAIN: Final = {"ld": 8, "st": 8, "atom": 3, "red": 1, "fence": 4, "bar": 1}
_ASYNCHRONOUS: Final = 10
_OTHER_PROXIES: Final = {"constant": 1, "proxy": 2}


def random_test(
    seed: int, *, threads: int = 4, events: int = 6, style: str | None = None, runnable: bool = False
) -> str:
    """A random test in the litmus format.

    Args:
        threads: at most so many. events: at most so many; an atomic or an asynchronous operation and a cluster's barrier count as
            two, the commit of a group, the test of a loop and a wait behind all accesses as none.
        style: "scattered", "chain" or "fenced"; None: one of the first two by chance.
        runnable: draw what `memory_model.kernel` can emit: no aliases, no constants, one GPU, and no more arrivals on an
            mbarrier than it counts. A chain always is.

    Returns: its text. It asks for all registers and all global locations at the end.

    Example:
        from ptxlab import memory_model

        text = memory_model.random_test(7, threads=2, events=4)
        print(text == memory_model.random_test(7, threads=2, events=4))  # True
        px.litmus(text)
    """
    r = random.Random(seed)
    picked = style or r.choice(_DRAWN)
    if picked not in STYLES:
        raise ValueError(f"style={style!r}: there are {', '.join(STYLES)}")
    if picked != "scattered":
        return written(picked, *Chain(r, threads, events, fenced=picked == "fenced").parts())
    return _Scattered(r, runnable=runnable).test(threads, events)


class _Scattered:
    """Instructions drawn one by one."""

    def __init__(self, r: random.Random, *, runnable: bool) -> None:
        self.r, self.runnable = r, runnable
        self.asynchronous = r.random() < 0.5
        kinds = dict(_PLAIN)
        if self.asynchronous:
            kinds["async"] = _ASYNCHRONOUS
        if not runnable:
            kinds |= _OTHER_PROXIES
        self.kinds = kinds

    def test(self, most_threads: int, most_events: int) -> str:
        r = self.r
        threads = r.randint(1, most_threads)
        columns: list[list[str]] = [[] for _ in range(threads)]
        registers: list[str] = []
        names = ["x", "x", "y"]
        if not self.runnable and r.random() < 0.3:
            names = ["x", "x", "y", "y", "z"]
        left = r.randint(min(2, most_events), most_events)
        while left > 0:
            index = r.randrange(threads)
            mine = [n.split(":")[1] for n in registers if n.startswith(f"P{index}:")]
            cell, register, cost = self._cell(names, mine)
            arrives = "[m]" in cell and "arrive" in cell
            if cost > left or (arrives and self.runnable and any("arrive" in c for column in columns for c in column)):
                continue  # more arrivals than an mbarrier counts are undefined: the simulator stops there
            left -= cost
            columns[index].append(cell)
            if register:
                registers.append(f"P{index}:{register}")
        init = _INIT if self.runnable else _INIT + _ALIASES
        return written("random", init, self._places(threads), columns, [*registers, "x", "y"])

    def _places(self, threads: int) -> list[str]:
        """What uses shared memory runs in one CTA: the test does not say whose it is."""
        if not self.runnable:
            return [self.r.choice(_PLACES) for _ in range(threads)]
        if self.asynchronous:
            return ["cta 0,gpu 0"] * threads
        cluster = "cluster 0," if self.r.random() < 0.5 else ""
        return [f"cta {n},{cluster}gpu 0" for n in sorted(self.r.choices((0, 1), k=threads))]

    def _cell(self, names: list[str], mine: list[str]) -> tuple[str, str, int]:
        """An instruction, the register that it writes, and how many events it is."""
        r = self.r
        name, scope, register = r.choice(names), r.choice(SCOPES), f"r{len(mine)}"
        value = r.choice([*(n for n in mine if n.startswith("r")), "1", "2"])
        match r.choices(list(self.kinds), list(self.kinds.values()))[0]:
            case "ld":
                order = r.choice(("weak", f"relaxed.{scope}", f"acquire.{scope}"))
                return f"ld.{order} {register}, {name}", register, 1
            case "st":
                order = r.choice(("weak", f"relaxed.{scope}", f"release.{scope}"))
                return f"st.{order} {name}, {value}", "", 1
            case "atom":
                order = r.choice(("relaxed", "acquire", "release", "acq_rel"))
                update, values = r.choice((("add", "1"), ("exch", value), ("cas", "0, 1")))
                return f"atom.{order}.{scope}.{update} {register}, {name}, {values}", register, 2
            case "red":
                return f"red.{r.choice(('relaxed', 'release'))}.{scope}.add {name}, 1", "", 2
            case "fence":
                return f"fence.{r.choice(('sc', 'sc', 'acq_rel', 'acquire', 'release'))}.{scope}", "", 1
            case "bar":
                return f"bar.cta.{r.choice(('sync', 'sync', 'arrive'))} 1", "", 1
            case "constant":
                return f"cold.weak {register}, {r.choice('cd')}", register, 1
            case "async":
                return self._asynchronous(name, register)
            case _:
                return f"fence.proxy.{r.choice(('constant', 'alias'))}", "", 1

    def _asynchronous(self, name: str, register: str) -> tuple[str, str, int]:
        """An asynchronous operation or what belongs to one."""
        read = self.r.choice(("", ".read"))
        scope = self.r.choice(("cta", "cluster"))
        cells = (
            (f"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [{name}], 16, [m]", "", 2),
            (f"cp.async.bulk.global.shared::cta.bulk_group [{name}], [s], 16", "", 2),
            (f"cp.async.ca.shared.global [s], [{name}], 4", "", 2),
            ("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [s], 1, [m]", "", 2),
            (f"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [{name}], [s], 16", "", 2),
            ("st.weak s, 3", "", 1),
            (f"ld.weak {register}, s", register, 1),
            ("fence.proxy.async", "", 1),
            ("cp.async.bulk.commit_group", "", 0),
            (f"cp.async.bulk.wait_group{read} 0", "", 1),
            ("cp.async.wait_all", "", 1),
            ("cp.async.mbarrier.arrive.noinc.shared.b64 [m]", "", 1),
            (f"mbarrier.arrive.expect_tx.release.{scope}.shared::cta.b64 _, [m], 16", "", 1),
            (f"mbarrier.arrive.release.{scope}.shared::cta.b64 _, [m]", "", 1),
            (f"mbarrier.test_wait.parity.acquire.{scope}.shared::cta.b64 p{register}, [m], 0", "p" + register, 1),
        )
        return self.r.choice(cells)


def written(name: str, init: str, places: Sequence[str], columns: Sequence[Sequence[str]], shown: Sequence[str]) -> str:
    """A test's text: a column of instructions for each thread."""
    height = max(map(len, columns), default=0)
    rows = [[f"P{i}@{place}" for i, place in enumerate(places)]]
    rows += [[c[n] if n < len(c) else "" for c in columns] for n in range(height)]
    body = "".join(" | ".join(row) + " ;\n" for row in rows)
    return f"PTX {name}\n{{ {init} }}\n{body}locations [{'; '.join(shown)};]\n"
