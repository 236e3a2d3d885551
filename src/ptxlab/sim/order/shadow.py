"""Shadow memory: for each granule of memory, who wrote it last and who has read it since.

A granule is as long as the shortest access that a kernel makes, at most four bytes, so no access shares one with its neighbours.
Its cell is 32 bytes: the last write, and the reads since then by lanes of one warp at one time. Reads by others, and strong
writes that stand beside each other, go to a list beside it. All of it lies in the arena, where native code works on it, too.
Of global memory 32 granules are one line, with one cell for all as long as lanes of a warp access it in order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ptxlab.sim.order.native.arena import Arena
from ptxlab.sim.order.native.state import (
    COPY,
    LINE,
    LOST,
    MOST_SORTS,
    OPERATION,
    PROXY,
    RECORDED,
    SCOPE,
    SITE_BITS,
    SIZE,
    STRONG,
    UPDATE,
    Cell,
    Line,
    Node,
    Slot,
)
from ptxlab.sim.report.unwritten import Stored

Words = NDArray[np.uint32]
SCOPES = ("", "cta", "cluster", "gpu", "sys")
PROXIES = ("generic", "async", "tensormap", "texture")
WRITER, WRITE_TIME, WRITE_INFO, READER, READ_LANES, READ_TIME, READ_INFO, MORE = map(Cell.at, Cell.FIELDS)
"""The columns of `Region.cells`."""
_NODE = tuple(map(Node.at, ("agent", "lanes", "time", "info", "writes", "next")))
"""Where the words of an access are that is kept beside a cell."""


@dataclass(frozen=True, slots=True)
class Kind:
    """How somebody accesses memory.

    Attributes:
        site: the instruction, by its number. strong: whether it is anything but weak. scope: of a strong access.
        size: bytes of each element. proxy: by which way. update: whether it is atomic.
    """

    site: int
    strong: bool = False
    scope: str = ""
    size: int = 4
    proxy: str = "generic"
    update: bool = False

    @property
    def info(self) -> int:
        """In one word."""
        scope = SCOPES.index(self.scope) if self.scope in SCOPES else 0
        size = min(7, self.size.bit_length() - 1)
        word = self.site | self.strong << STRONG | scope << SCOPE | size << SIZE
        return word | PROXIES.index(self.proxy) << PROXY | self.update << UPDATE

    @staticmethod
    def is_strong(infos: Words) -> NDArray[np.bool_]:
        """Whether accesses are strong, by that word of each."""
        return (infos >> STRONG & 1).astype(bool)

    @staticmethod
    def of(info: int) -> Kind:
        """From that word."""
        return Kind(
            info & (1 << SITE_BITS) - 1,
            bool(info >> STRONG & 1),
            SCOPES[info >> SCOPE & 7],
            1 << (info >> SIZE & 7),
            PROXIES[info >> PROXY & 3],
            bool(info >> UPDATE & 1),
        )


@dataclass(frozen=True, slots=True)
class Past:
    """Somebody's access in the past: `agent` as in a cell (of a warp's lanes that of lane 0), the lanes, when, and how."""

    agent: int
    lanes: int
    time: int
    info: int
    writes: bool


class Region:
    """Memory that is shadowed: a buffer of global memory, or the shared memory of a CTA.

    Args:
        first: the word of the arena where its cells, or lines, begin. slot: that of the CTA.

    Attributes:
        first, slot: as above. space: "shared" or "global". base: what is subtracted from addresses. nbytes: of the memory.
        granule: bytes.
        cells: by granule. was_read: whether Python has seen anybody read any of it. name: says where a byte is, in words.
        key: tells it from others.
    """

    cells: Any  # rows of Cell.WORDS words, as an array or as _OfLines

    def __init__(
        self,
        arena: Arena,
        space: str,
        base: int,
        nbytes: int,
        name: Callable[[int], str],
        key: object,
        first: int,
        slot: int = 0,
    ) -> None:
        self.space, self.base, self.nbytes, self.name, self.key = space, base, nbytes, name, key
        self.arena, self.first, self.slot = arena, first, slot
        self.granule = arena.shared_granule if space == "shared" else arena.granule
        self.was_read = False
        self._make(-(-nbytes // self.granule))

    def _make(self, granules: int) -> None:
        words = self.arena.words[self.first : self.first + granules * Cell.WORDS]
        self.cells = words.reshape(-1, Cell.WORDS)

    def cell(self, granule: int) -> int:
        """The word of the arena where a granule's cell begins."""
        return int(self.cells_at(granule))

    def cells_at(self, where: Any) -> Any:
        """The words of the arena where granules' cells begin: of one, or of an array of them."""
        return self.first + where * Cell.WORDS

    def keep(self, where: NDArray[np.int64]) -> None:
        """Cells are about to be written, and what they hold may stand beside that unordered: it stays."""
        self._has_lists()
        cells = np.ascontiguousarray(self.cells_at(where))
        self.arena.native.keep_beside(cells.ctypes.data, len(cells))

    def write(self, where: NDArray[np.int64], who: Words, now: int, info: int) -> None:
        """Cells have been written last by these, by each its own."""
        rows = self.cells_at(where)[:, None] + np.array((WRITER, WRITE_TIME, WRITE_INFO))
        self.arena.words[rows] = np.stack((who, np.full_like(who, now), np.full_like(who, info)), axis=1)

    def granules(
        self, starts: NDArray[np.int64], nbytes: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The granules of runs of bytes, and of each the number of its run. Empty runs have none."""
        first = starts // self.granule
        counts = np.where(nbytes > 0, (starts + nbytes - 1) // self.granule - first + 1, 0)
        runs = np.repeat(np.arange(len(starts)), counts)
        inside = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
        return self._followed(first[runs] + inside, runs)

    def _followed(
        self, where: NDArray[np.int64], runs: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Those of these granules that have cells, which are brought up to date."""
        if self.slot:
            where = np.ascontiguousarray(where, np.int64)
            self.arena.native.settle_runs(self.slot, where.ctypes.data, len(where))
        return where, runs

    def has(self, word: int) -> bool:
        """Whether any cell has this word."""
        return bool(self.cells[:, word].any())

    def others(self, granule: int, *, reads: bool = True) -> list[Past]:
        """The accesses beside a cell, the oldest first. `reads`: also those that only read."""
        return others_of(self.arena, self.cell(granule), reads=reads)

    def all_others(self, wanted: Callable[[Words, Words, Words], NDArray[np.bool_]]) -> list[Past]:
        """What stands beside any cells, each once: those that are wanted by their agents, lanes and times."""
        where = np.flatnonzero(self.cells[:, MORE])
        nodes, found = self.cells[where, MORE].astype(np.int64), list[tuple[int, int, Past]]()
        columns = list(_NODE[:-1])
        depth = 0
        while len(nodes):
            rows = self.arena.words[nodes[:, None] + np.arange(Node.WORDS)]
            new = starts_of_runs(rows[:, columns])
            new = new[wanted(*rows[new][:, columns[:3]].T)]
            for g, row in zip(where[new].tolist(), rows[new][:, columns].tolist(), strict=True):
                agent, lanes, time, info, writes = row
                found.append((g, depth, Past(agent, lanes, time, info, bool(writes))))
            nodes, depth = rows[:, _NODE[-1]].astype(np.int64), depth - 1
            where, nodes = where[nodes != 0], nodes[nodes != 0]
        found.sort(key=lambda one: one[:2])  # by granule, the oldest first
        return list(dict.fromkeys(past for _, _, past in found))

    def remember(self, granule: int, past: Past) -> None:
        """Put an access beside a cell, in the place of those by the same lanes at the same place in the program."""
        self._has_lists()
        self.arena.native.put_beside(self.cell(granule), past.agent, past.lanes, past.time, past.info, past.writes)

    def _has_lists(self) -> None:
        """The CTA that comes after this one gives the nodes of its lists back."""
        Slot(self.first, self.arena.fast)[-1].lists = 1

    def forget(self, where: NDArray[np.int64]) -> None:
        """Forget what stands beside cells."""
        for granule in where[self.cells[where, MORE] != 0].tolist():
            if self.cells[granule, MORE]:
                self.arena.native.drop(self.cell(granule))

    def tile(self, starts: NDArray[np.int64], nbytes: NDArray[np.int64]) -> Tile | None:
        """The cells of runs of bytes, sorted by what they say. None: they say too many different things, or lie outside."""
        if not len(starts) or starts.min() < 0 or (starts + nbytes).max() > self.nbytes:
            return None
        counts = np.where(nbytes > 0, (starts + nbytes - 1) // self.granule - starts // self.granule + 1, 0)
        if self.slot:
            self.granules(starts, nbytes)
        starts, nbytes = np.ascontiguousarray(starts, np.int64), np.ascontiguousarray(nbytes, np.int64)
        which, some = np.empty(int(counts.sum()), np.int64), np.empty(MOST_SORTS, np.int64)
        tile = Tile(self, starts, nbytes, counts, which, some)
        found = self.arena.native.sort_cells(*tile.runs, tile.which.ctypes.data, tile.some.ctypes.data)
        tile.some = tile.some[: max(0, found)]
        return tile if found >= 0 else None


@dataclass(slots=True)
class Tile:
    """Cells of runs of bytes, sorted by what they say.

    Attributes:
        counts: cells of each run. which: of each cell its sort, -1 where it is not followed.
        some: a cell of each sort, as a word of the arena.
    """

    region: Region
    starts: NDArray[np.int64]
    nbytes: NDArray[np.int64]
    counts: NDArray[np.int64]
    which: NDArray[np.int64]
    some: NDArray[np.int64]

    @property
    def runs(self) -> tuple[int, bool, int, int, int]:
        """The region and the runs, for native code."""
        region, starts, nbytes = self.region, self.starts, self.nbytes
        return region.first, isinstance(region, Lines), len(starts), starts.ctypes.data, nbytes.ctypes.data

    def past(self, cell: int) -> tuple[Past | None, Past | None, list[Past]]:
        """What cells of a sort say: the last write, where threads did that by any lane of their warp, the last read, and others."""
        words = self.region.arena.words[cell : cell + Cell.WORDS]
        write = past_write(words)
        if write is not None and write.agent & OPERATION and write.agent & COPY:
            write = Past(write.agent & ~31, LOST, write.time, write.info, True)
        elif write is not None and not write.agent & OPERATION:
            write = Past(write.agent - (write.agent - 1) % 32, LOST, write.time, write.info, True)
        return write, past_read(words), others_of(self.region.arena, cell) if words[MORE] else []

    def note(self, agents: Words, info: int, superseded: Callable[[Past, int], bool], *, writes: bool) -> None:
        """An operation, whose part that does each run is `agents`, reads or writes all of it.

        superseded: whether a last read need not stay beside a new one by an agent.
        """
        found, who = np.unique(agents.astype(np.int64), return_inverse=True)
        who = np.ascontiguousarray(who.reshape(-1), np.int64)
        parts = len(found)
        keep = np.zeros(len(self.some) * parts, np.int64)
        if not writes:
            reads = [self.past(cell)[1] for cell in self.some.tolist()]
            met = self.which * parts + np.repeat(who, self.counts)
            pairs: list[int] = np.unique(met[self.which >= 0]).tolist() if any(reads) else []
            for pair in pairs:
                read = reads[pair // parts]
                keep[pair] = read is not None and not superseded(read, int(found[pair % parts]))
        pointers = (x.ctypes.data for x in (self.which, keep, found, who))
        self.region.arena.native.note_tile(*self.runs, *pointers, parts, info, writes)


class Lines(Region):
    """Global memory: granules get cells of their own when somebody asks for them."""

    def _make(self, granules: int) -> None:
        lines = -(-granules // LINE)
        words = self.arena.words[self.first : self.first + lines * Line.WORDS]
        self._lines = words.reshape(-1, Line.WORDS)[:, Line.at("cells")]
        self.cells = _OfLines(self.arena.words, self._lines)

    @property
    def line_cells(self) -> NDArray[np.uint32]:
        """Of each line, where its cells begin; 0, RECORDED or LOST where it has none."""
        return self._lines

    def has(self, word: int) -> bool:
        count = len(self._lines)
        whole = self.arena.words[self.first : self.first + count * Line.WORDS].reshape(-1, Line.WORDS)[:, word]
        if whole.any():
            return True
        if word == READER and (self._lines == RECORDED).any():
            return True
        return bool(self._of_cells(self._apart(), word).any())

    def _apart(self) -> NDArray[np.int64]:
        """The lines whose granules have cells of their own."""
        return np.flatnonzero((self._lines > RECORDED) & (self._lines != LOST))

    def _of_cells(self, lines: NDArray[np.int64], word: int) -> Words:
        """A word of all cells of such lines: a row for each line."""
        begin = self.arena.cells
        end = int(self.arena.header.cell)
        cells = self.arena.words[begin:end].reshape(-1, LINE, Cell.WORDS)
        return cells[(self._lines[lines] - begin) // (LINE * Cell.WORDS), :, word]

    def stored(self) -> Stored:
        """What has been written. Where there was no room to follow it, everything is taken for written."""
        count, words = len(self._lines), self.arena.words
        whole = words[self.first : self.first + count * Line.WORDS].reshape(-1, Line.WORDS)
        bits = np.where((whole[:, WRITER] != 0) | (self._lines == LOST), LOST, 0).astype(np.uint32)
        apart, plain = self._apart(), whole[self._lines == 0]
        written = self._of_cells(apart, WRITER) != 0
        bits[apart] = np.packbits(written).view(np.uint32)
        keeps = bool((self._lines == RECORDED).any())
        keeps = keeps or _uses(plain[:, READER], plain[:, WRITE_INFO], plain[:, WRITER] != 0)
        keeps = keeps or _uses(self._of_cells(apart, READER), self._of_cells(apart, WRITE_INFO), written)
        return Stored(self.granule, bits.view(np.uint8), keeps)

    def _has_lists(self) -> None:
        """Global memory stays as long as the launch."""

    def cells_at(self, where: Any) -> Any:
        return self._lines[where // LINE].astype(np.int64) + where % LINE * Cell.WORDS

    def _followed(
        self, where: NDArray[np.int64], runs: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        lines = where // LINE
        for line in np.unique(lines[self._lines[lines] <= RECORDED]).tolist():
            self.arena.native.expand(int(Line(self.first)[line]))
        lost = self._lines[lines] == LOST
        return (where[~lost], runs[~lost]) if lost.any() else (where, runs)


def _uses(readers: Words, infos: Words, written: NDArray[np.bool_]) -> bool:
    """Whether any granule is read and not written, or added to."""
    return bool((~written & (readers != 0)).any() or (infos & 1 << UPDATE).any())


class _OfLines:
    """Cells that are found by line."""

    def __init__(self, words: NDArray[np.uint32], lines: NDArray[np.uint32]) -> None:
        self._words, self._lines = words, lines

    def _at(self, key: Any) -> NDArray[np.int64]:
        where, word = cast("tuple[Any, int | None]", key if isinstance(key, tuple) else (key, None))
        where = np.asarray(where, np.int64)
        first = self._lines[where // LINE].astype(np.int64) + where % LINE * Cell.WORDS
        return first[..., None] + np.arange(Cell.WORDS) if word is None else first + word

    def __getitem__(self, key: Any) -> Any:
        return self._words[self._at(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._words[self._at(key)] = value


def others_of(arena: Arena, cell: int, *, reads: bool = True) -> list[Past]:
    """The accesses beside a cell, by its word of the arena, the oldest first. `reads`: also those that only read."""
    words, out = arena.fast, list[Past]()
    *at, wrote, following = _NODE
    here = words[cell + MORE]
    while here:
        writes = bool(words[here + wrote])
        if reads or writes:
            out.append(Past(*(words[here + i] for i in at), writes=writes))
        here = words[here + following]
    return out[::-1]


def starts_of_runs(rows: Words) -> NDArray[np.int64]:
    """The rows that are not equal to the one before."""
    return np.flatnonzero(np.concatenate(([True], (rows[1:] != rows[:-1]).any(axis=1)))) if len(rows) else np.arange(0)


def past_write(cell: NDArray[np.uint32]) -> Past | None:
    """The last write of a cell."""
    agent = int(cell[WRITER])
    return Past(agent, 1, int(cell[WRITE_TIME]), int(cell[WRITE_INFO]), True) if agent else None


def past_read(cell: NDArray[np.uint32]) -> Past | None:
    """The reads that a cell holds itself."""
    agent = int(cell[READER])
    return Past(agent, int(cell[READ_LANES]), int(cell[READ_TIME]), int(cell[READ_INFO]), False) if agent else None
