"""Which tiling should be fastest for a product: a model of the time that each candidate takes, in microseconds.

Its constants were fitted to what candidates took on an H200 for 57 shapes from 512³ to 8192 × 28672 × 8192, each replayed from a
CUDA graph. Held against 37 products of bf16, fp8 (with and without blocks), tf32 and int8 that were measured later, what it chooses
takes 1.004 times as long as the fastest of six to twelve candidates, in the geometric mean, and 1.04 at worst.

What loads, stores and copies by threads cost, sums through memory, short rows and few stages, was fitted to 2,700 tries of some 300
products drawn at random: what it chooses takes 1.03 times as long as the fastest of the tries, in the geometric mean.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from ptxlab import Diagnostic
from ptxlab.kernels.blocks.tiling import (
    BATCH,
    MOST_SHARES,
    NARROW,
    ROWS,
    SPAN,
    TILE_K,
    Tiling,
    in_flight,
    threads_can_load,
)

LAUNCH = 1.3
"""From one kernel to the next, with the first loads."""
TILE = 0.2
"""What the end of a tile costs the tensor cores: a drained pipeline, results written to shared memory."""
CYCLES_PER_US = 1447.0
"""The clock under load."""
POWER = 6.27e6
"""Multiply-adds per SM and microsecond that the power limit allows where a product runs long."""
L2_BYTES = 119e3
"""Bytes per SM and microsecond that TMA brings from the L2 cache."""
DRAM_BYTES = 4.0e6
"""Bytes per microsecond from memory."""
AGAIN = 12.0e6
"""Bytes per microsecond that L2 brings once more, while memory brings others."""
STAGE_CYCLES = 57.0
"""What each stage costs beside its products."""
TILE_PER_RESULT = 6.3e-5
"""More of it for each result of a tile."""
SKEWED = 2.07
"""How much more L2 reads where rows begin at odd multiples of 16 bytes: each lies in two lines."""
SECTOR = 32
SKEWED_BY_SECTORS, SKEWED_BY_HALVES = 1.6, 1.3
"""The same where they begin at multiples of 32 bytes, and of 64."""
STORE, STORE_MORE = 0.066, 2.0
"""Cycles of an SM for each store of a thread where threads store C, and how many times that where two warpgroups do."""
WRITES = 0.43
"""Cycles of shared memory for each line that TMA writes."""
CLUSTERED = 120 / 132
"""Share of the SMs that clusters of four and eight fill, as the driver counts them on an H200."""
ENOUGH = 0.53
"""Share of the SMs that it takes to keep the memory busy."""
EXCHANGE = 0.7
"""The barriers of a cluster, and the way through its shared memory; EXCHANGE_BYTES is what each CTA moves per microsecond."""
EXCHANGE_BYTES = 47.8e3
SHARE, SHARE_BYTES = 1.6, 160e3
"""Sums through memory: writing and counting, and what the last CTA reads per microsecond."""
JOINED = 0.4
"""How much later a cluster starts whose CTAs load for each other: they wait until all of them are there."""
SPLIT = 1.07
"""How much longer the CTAs of a cluster take for the same stages where the product is not swapped: measured, not understood."""
LOAD, LATENCY = {1: 55.0, 2: 55.0, 4: 36.0, 8: 36.0}, 0.5
"""Cycles that a warpgroup takes for each word that a thread loads, by the bytes of a load, and microseconds until it comes."""
ORDINARY = 1.86
"""How much longer memory takes to bring an operand that threads load."""
COPY, COPY_BYTES = 1.15, 2.3e6
"""Microseconds of a copy before the product, and bytes read and written per microsecond."""
PLAIN = (
    *((128, 256, 2), (128, 192, 2), (128, 128, 2), (128, 64, 2), (64, 256, 1), (64, 128, 1), (64, 64, 1)),
    (192, 128, 3),
)
"""Rows, columns and consumers of the tiles that are considered."""
TALL = ((256, 128, 2), (256, 192, 2))
"""Those with two blocks of rows a consumer."""
SWAPPED = ((64, 1), (128, 2), (256, 2))
"""Rows and consumers where M becomes columns."""
GATED = ((128, 1), (256, 2))
"""The same where pairs of results become one."""
CLUSTERS = ((1, 1), (2, 1), (1, 2))
"""Tiles of a cluster. CTAs load for each other where L2 is the limit; elsewhere that gained nothing."""
COLUMNS = (8, 16, 32, 64, 128, 192, 256)
MOST_SWAPPED = 512
"""M above which nothing is swapped."""
MOST_ROUNDS = 3
"""Rounds for which tiles are made to fit; MOST_SKEWED where L2 is the limit, and larger tiles do not make up for idle SMs."""
MOST_SKEWED = 8
MOST_TURNS = 8
"""Rounds in which the shares of tiles fill the SMs; NEXT is what it costs to start a CTA that is none of the first."""
NEXT = 1.0
DEEP = 4
"""How many times the sum of M and N K is, at least, where it is split among many CTAs."""
TURN = 0.085
"""What it costs to store a tile in one more turn of boxes than one for each 64 × 64 results."""
PROMOTED = 170.0
"""Cycles in which a warpgroup scales the sums of a stage, for each 64 rows."""
SHORT_RING = 1.02
"""How much longer a product takes whose ring has fewer than FEW_STAGES."""
FEW_STAGES = 4
"""A tile is stored at once where that leaves the ring so many stages."""
LOADED_STAGES = 4
"""Stages of a ring that threads fill."""
HOT, BURST = 0.0025, 0.006
"""Microseconds for which a line of the L2 cache is busy with each request: where all CTAs read the same few lines, they wait.
BURST is that of the first tiles, which all begin at one time, where a line has several rows."""
UNSHARED = 1.15
"""How much longer products take whose rows are short and begin at odd multiples of 16 bytes, unless CTAs load for each other."""
SHORT_TILE = 0.3
"""How much later a tile of one or two stages ends."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What the choice depends on: sizes, bytes of a result, how B lies in memory, and SMs.

    Attributes:
        m, k: rows of the product, and the length of each sum. item: bytes of a result.
        b_major: "K" where rows of B as wgmma reads it run along K, else "MN". sms: multiprocessors of the device.
        n: columns of sums, twice those of C where there is a gate. a_major: how A lies. size: bytes of an element of A and B.
        gated, promoted: as a `Tiling` has them.
        per_line: "a", "b" where each row of A, each column of B has its own scales along K; "c" where an epilogue reads a matrix of
            C's shape.
        loads_a, loads_b, stores: bytes that threads load at once of A and of B, and store of C; 0 where TMA does it.

    Example:
        from ptxlab.kernels.blocks.choice import Shape, choose

        shape = Shape(m=4096, n=4096, k=4096, item=2, b_major="K", sms=132)
        print(shape.cut(choose(shape)), shape.skewed, shape.short, shape.gains_by_sharing)  # 128x256-2c False False False
        odd = Shape(m=4096, n=4096, k=4095, item=2, b_major="K", sms=132, loads_a=2, loads_b=2)
        print(odd.loaded, odd.loads(choose(odd)) < odd.loading(choose(odd)), odd.stores, odd.skew("a"))  # True True 0 1.0
        print(odd.deep, Shape(m=64, n=64, k=8192, item=2, b_major="K", sms=132).deep)  # False True
    """

    m: int
    n: int
    k: int
    item: int
    b_major: str
    sms: int
    a_major: str = "K"
    size: int = 2
    gated: bool = False
    promoted: bool = False
    per_line: str = ""
    loads_a: int = 0
    loads_b: int = 0
    stores: int = 0

    @property
    def loaded(self) -> bool:
        """Whether threads load an operand."""
        return self.loads_a + self.loads_b > 0

    @property
    def deep(self) -> bool:
        """Whether K is split among many CTAs, which read the same of A and B again and again while memory brings it."""
        return self.k > DEEP * (self.m + self.n)

    def loads(self, t: Tiling) -> float:
        """Words of 32 bits that each thread loads for a stage, where threads load an operand."""
        return sum(words for _, words in self._loads(t))

    def loading(self, t: Tiling) -> float:
        """Cycles that a warpgroup takes to load a stage, where threads load an operand."""
        return sum(LOAD[each] * words for each, words in self._loads(t))

    def _loads(self, t: Tiling) -> Iterator[tuple[int, float]]:
        """Bytes of a load, and words of a thread, for each operand that threads load."""
        lines_a, lines_b = (t.columns, t.rows) if t.swapped else (t.rows, t.columns)
        for each, lines in ((self.loads_a, lines_a), (self.loads_b, lines_b)):
            if each:
                yield each, lines / 4

    @property
    def skewed(self) -> bool:
        """Whether rows that TMA loads begin at no multiples of 128 bytes, and a row along K is no multiple of 128 bytes either."""
        return max(self.skew("a"), self.skew("b")) > 1 and self.k * self.size % SPAN > 0

    @property
    def short(self) -> bool:
        """Whether rows along K are shorter than a line of 128 bytes, and no multiples of 32."""
        row = self.k * self.size
        return row < SPAN and row % SECTOR > 0

    @property
    def gains_by_sharing(self) -> bool:
        """Whether CTAs that load for each other may be faster: where rows begin at multiples of 32 bytes, they are not."""
        return self.skewed and not self.loaded and max(self.skew("a"), self.skew("b")) > SKEWED_BY_SECTORS

    def skew(self, name: str) -> float:
        """How much more L2 reads of an operand as its rows begin within lines of 128 bytes; 1 where threads load it.

        Args:
            name: "a" or "b".
        """
        loads = self.loads_a if name == "a" else self.loads_b
        major, across = (self.a_major, self.m) if name == "a" else (self.b_major, self.n)
        pitch = self.size * (self.k if major == "K" else across)
        if loads or pitch % SPAN == 0:
            return 1.0
        return SKEWED if pitch % SECTOR else SKEWED_BY_SECTORS if pitch % (2 * SECTOR) else SKEWED_BY_HALVES

    def cut(self, t: Tiling) -> Tiling:
        """A tiling for products of this kind."""
        spread = ("a" if t.swapped else "b") in self.per_line
        under = "c" in self.per_line
        return replace(t, size=self.size, gated=self.gated, promoted=self.promoted, spread=spread, under=under)


def candidates(s: Shape) -> list[Tiling]:
    """Tilings that can compute the product, and that are not plainly wasteful.

    Args:
        s: the product.

    Example:
        from ptxlab.kernels.blocks.choice import Shape, candidates

        print(len(candidates(Shape(64, 4096, 4096, 2, "K", 132))) > 1)  # True
    """
    found = [Tiling(*tile) for tile in PLAIN] + _fitting(s, swapped=False) if s.m > ROWS else []
    found += _fitting(s, swapped=True) + _low(s) + _slim(s) + [Tiling(*tile) for tile in TALL if s.m > ROWS]
    found.sort(key=lambda t: t.rows == 256 and not t.swapped)  # of equals, others read less shared memory
    out: dict[Tiling, None] = {}
    alone = [
        replace(tile, cluster=cluster)
        for tile in found
        for cluster in (CLUSTERS if s.gains_by_sharing else CLUSTERS[:1])
    ]
    for tile in alone:
        if s.loaded and not threads_can_load(tile):
            continue
        for splits in (1, 2, 4, 8) if not tile.shared else (1,):
            t = s.cut(replace(tile, splits=splits))
            if splits > 1 and (t.tiles(s.m, s.n) * splits > 2 * s.sms or -(-s.k // t.step) < 4 * splits):
                break
            for shares in _shares(s, t):
                try:
                    out[_stored_well(_staged_well(replace(t, shares=shares), s), s)] = None
                except Diagnostic:
                    break
    return [*out]


def _shares(s: Shape, t: Tiling) -> list[int]:
    """How many may share a tile through memory: one, as many as fill the SMs once, half of them, or as many as fill them best."""
    if t.shared or t.promoted:
        return [1]
    at_once, ctas = resident(s, t), t.tiles(s.m, s.n) * t.splits
    most = min(-(-s.k // t.step) // (FEW_STAGES * t.splits), MOST_SHARES)
    once = min(at_once // ctas, most)
    turns = [x for rounds in range(2, MOST_TURNS + 1) if 1 < (x := rounds * at_once // ctas) <= most]
    best = max(turns, key=lambda x: ctas * x / -(-ctas * x // at_once), default=1)
    return [1, *sorted({x for x in (once, once // 2, best) if x > 1})]


def _staged_well(t: Tiling, s: Shape) -> Tiling:
    """The tiling, with few stages where threads load: their loads go through what shared memory leaves of the L1 cache."""
    if not s.loaded:
        return t
    few = replace(t, stages=LOADED_STAGES)
    try:
        few.fitted(s.item, s.k, s.b_major, s.a_major)
    except Diagnostic:
        return t
    return few


def _stored_well(t: Tiling, s: Shape) -> Tiling:
    """The tiling, all its boxes stored at once where they are small and many. Raises: Diagnostic PTX2112 where it cannot be."""
    fitted = t.fitted(s.item, s.k, s.b_major, s.a_major)
    if s.stores or _turns(t, s) <= 1:
        return t
    at_once = replace(t, together=t.boxes(s.item))
    try:
        enough = at_once.fitted(s.item, s.k, s.b_major, s.a_major).stages >= min(fitted.stages, FEW_STAGES)
    except Diagnostic:
        return t
    return at_once if enough else t


def _turns(t: Tiling, s: Shape) -> int:
    """How many more stores a warpgroup's part of a tile takes than one for each 64 × 64 results."""
    if s.stores:
        return 0
    turns = t.blocks * -(-t.boxes(s.item) // t.together)
    return max(0, turns - -(-t.blocks * t.stored_columns // ROWS))


def _low(s: Shape) -> list[Tiling]:
    """Tiles whose columns are all of M, or an equal part of it."""
    least = {_wide(-(-s.m // parts), s, swapped=True) for parts in (1, 2, 3, 4) if 64 * parts < s.m or parts == 1}
    if s.deep:  # splits of a tile add up equal parts of its columns
        least |= {-(-c // step) * step for c in least if c > ROWS // 2 for step in (16, 32, ROWS)}
    if s.m <= MOST_SWAPPED:
        least |= {c for c in COLUMNS if 64 <= c < s.m}
    return [
        Tiling(r, c, w, True)
        for r, w in (GATED if s.gated else SWAPPED)
        for c in sorted(x for x in least if x)
        if r <= 128 or c >= 64 or s.gated
    ]


def _slim(s: Shape) -> list[Tiling]:
    """Tiles whose columns are all of a small N, as they are."""
    columns = _wide(s.n, s, swapped=False) if s.n <= ROWS < s.m else 0
    return [Tiling(rows, columns, rows // ROWS) for rows in (64, 128) if columns]


def _fitting(s: Shape, *, swapped: bool) -> list[Tiling]:
    """Tiles of such a width that all run at once, or in a few waves."""
    found: list[Tiling] = []
    height, width = (s.n, s.m) if swapped else (s.m, s.n)
    for rows, consumers in SWAPPED:
        down = -(-height // rows)
        for rounds in range(1, (MOST_SKEWED if s.skewed else MOST_ROUNDS) + 1):
            across = rounds * s.sms // down
            columns = _wide(-(-width // across), s, swapped=swapped) if across else 0
            if columns > 64:
                found.append(Tiling(rows, columns, consumers, swapped))
    return found


def _wide(columns: int, s: Shape, *, swapped: bool) -> int:
    """The least columns from so many on that wgmma takes and that can be loaded; 0 where there are none."""
    major = s.a_major if swapped else s.b_major
    loads = s.loads_a if swapped else s.loads_b
    if major == "MN" and columns <= NARROW[-1] and not (s.gated or loads):
        return min(x for x in NARROW if x >= columns)
    step = TILE_K * (2 if s.gated and not swapped else 1) if major == "MN" else 8 if swapped else 16
    if s.size == 1 and columns > 32:  # wgmma of integers has no other shape
        step = max(step, 16)
    found = -(-columns // step) * step
    return found if found <= COLUMNS[-1] else 0


def time_of(s: Shape, t: Tiling) -> float:
    """Microseconds that the product should take.

    Args:
        s: the product. t: a tiling, with its number of stages.

    Example:
        from ptxlab.kernels.blocks.choice import Shape, candidates, time_of

        shape = Shape(64, 4096, 4096, 2, "K", 132)
        print(all(time_of(shape, tiling) > 0 for tiling in candidates(shape)))  # True
    """
    tiles = t.tiles(s.m, s.n)
    ctas = tiles * t.parts
    rounds = -(-ctas // resident(s, t))
    stages = math.ceil(s.k / t.step / t.parts)
    blocks = t.rows // ROWS
    # wgmma of 64 × columns × 16: bound by the tensor cores, or by shared memory, 128 bytes a cycle, which TMA writes beside
    shared = blocks * (ROWS + t.columns) + WRITES * (t.rows + t.columns)
    cycles = max(2 * blocks * t.columns, shared) + STAGE_CYCLES + (PROMOTED * t.blocks if t.promoted else 0)
    (down, across), (left, right) = t.cluster, ("b", "a") if t.swapped else ("a", "b")
    loaded = (t.rows // across * s.skew(left) + t.columns // down * s.skew(right)) * SPAN
    multiplied, brought = cycles / CYCLES_PER_US, loaded / L2_BYTES
    stage = max(multiplied, brought)
    if s.skewed:  # where both are near each other, they are in each other's way
        stage = math.hypot(multiplied**4, brought**4) ** 0.25
    if s.loaded:
        batches = math.ceil(s.loads(t) / BATCH)
        brought = max(brought, s.loading(t) / CYCLES_PER_US, batches * BATCH * LATENCY / in_flight(t))
        stage = max(stage, brought)
    end = TILE + t.rows * t.columns * TILE_PER_RESULT + TURN * _turns(t, s)
    if stages <= 2:
        end += SHORT_TILE
    if s.stores:
        stores = t.rows * t.columns * s.item / t.slices / s.stores
        end += (STORE_MORE if t.consumers > 1 else 1.0) * STORE * stores / CYCLES_PER_US
    if t.splits > 1:
        end += EXCHANGE + t.rows * t.columns * 4 * t.splits / t.slices / EXCHANGE_BYTES
    if t.shares > 1:
        end += SHARE + t.rows * t.columns * 4 * t.shares / t.slices / SHARE_BYTES
    computed = rounds * (stages * stage + end)
    if rounds > 1 and t.parts == 1:  # the next tile is loaded while one ends
        computed = min(computed, stages * brought + rounds * max(stages * brought, stages * multiplied + end))
    # the power limit: what the whole product takes, if it runs long
    powered = ctas * t.rows * t.columns * stages * TILE_K / POWER / s.sms + rounds * end
    # what threads load comes as slowly as an SM asks for it: all of them have to
    filled = ctas / rounds / s.sms
    slow_a, slow_b = (
        ORDINARY / filled * min(1.0, filled / ENOUGH) if loads else 1.0 for loads in (s.loads_a, s.loads_b)
    )
    moved = s.size * s.k * (s.m * slow_a + s.n * slow_b) + s.item * s.m * s.n
    again = max(0.0, ctas * stages * loaded - moved) / AGAIN if s.deep else 0.0
    fetched = moved / DRAM_BYTES / min(1.0, filled / ENOUGH) + again + rounds * end
    if t.splits > 1 and not t.swapped:
        computed, powered, fetched = (x * SPLIT for x in (computed, powered, fetched))
    if t.room(s.item) < FEW_STAGES:
        computed, powered = computed * SHORT_RING, powered * SHORT_RING
    if s.short and rounds > 1 and not t.shared and not s.loaded:
        computed, powered, fetched = (x * UNSHARED for x in (computed, powered, fetched))
    started = NEXT * (rounds - 1) if t.parts > 1 else 0.0
    return LAUNCH + JOINED * t.shared + started + max(computed, powered, fetched, _crowded(s, t, ctas) + end)


def _crowded(s: Shape, t: Tiling, ctas: int) -> float:
    """Microseconds in which L2 answers the requests for the operand whose lines get most of them, from so many CTAs and tiles."""
    (down, across), sides = t.cluster, ((s.m, s.loads_a), (s.n, s.loads_b))
    (left, right) = reversed(sides) if t.swapped else sides
    width = min(SPAN, s.k * s.size)
    most = 0.0
    for (extent, by_threads), lines in ((left, t.rows / across), (right, t.columns / down)):
        if not by_threads:
            each = min(lines, extent) / max(1.0, extent * width / SPAN)
            first = min(ctas, resident(s, t)) * each
            most = max(most, (BURST if width < SPAN else HOT) * first + HOT * (ctas * each - first))
    return most


def resident(s: Shape, t: Tiling) -> int:
    """CTAs that the SMs take at once: clusters of four and eight do not fill the GPCs, which have 16 or 18 SMs."""
    return s.sms if t.ctas <= 2 else max(1, int(s.sms * CLUSTERED) // t.ctas) * t.ctas


def copy_time(size: int) -> float:
    """Microseconds that it takes to copy an operand before the product.

    Args:
        size: its bytes.

    Example:
        from ptxlab.kernels.blocks.choice import copy_time

        print(copy_time(0) < copy_time(1 << 20))  # True
    """
    return COPY + 2 * size / COPY_BYTES


@lru_cache(4096)
def choose(s: Shape) -> Tiling:
    """The candidate that should be fastest.

    Args:
        s: the product.

    Example: see Shape
    """
    return min(
        candidates(s), key=lambda t: time_of(s, t), default=s.cut(Tiling(64, 64, 1)) if s.promoted else s.cut(Tiling())
    )


def explained(s: Shape, chosen: Tiling, most: int = 6) -> str:
    """What was chosen for a product, and what the model says of the others.

    Args:
        s: the product. chosen: the tiling. most: how many candidates are listed.

    Example:
        from ptxlab.kernels.blocks.choice import Shape, choose, explained

        shape = Shape(64, 4096, 4096, 2, "K", 132)
        print(explained(shape, choose(shape), most=1).splitlines()[0][:16])  # 64 × 4096 × 4096
    """
    ranked = sorted(((time_of(s, t), str(t)) for t in candidates(s)), key=lambda x: x[0])
    lines = [f"{s.m} × {s.n} × {s.k}, B along {'K' if s.b_major == 'K' else 'N'}, {s.sms} SMs: {chosen}"]
    return "\n".join([*lines, *(f"  {name:<32} {us:9.1f} µs expected" for us, name in ranked[:most])])
