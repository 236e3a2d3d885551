"""The end of a head: warps bring together what they have of its rows, and CTAs do where a head is cut.

Warps go through shared memory: half of those that are left hand over, the others take in, until one is left. CTAs go through
global memory: each writes its state and counts, and the last one of eight neighbours to come takes in theirs, shared out among its
warps by their numbers. Where there are more, the last one of those does the same with what these have left: many small steps at a
time are faster than one that reads everything. The order is the same in every run whoever comes last, and so are the bits.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import ptxlab as px
from ptxlab.kernels.attention.call import LARGEST
from ptxlab.kernels.attention.scores import row_of
from ptxlab.kernels.attention.softmax import LANES, Softmax
from ptxlab.kernels.decode.latent_rooms import LatentRooms
from ptxlab.kernels.decode.program import Program, Rooms
from ptxlab.kernels.decode.queries import Line, lines
from ptxlab.kernels.decode.schedule import Segment
from ptxlab.kernels.decode.tiling import WARP

VECTOR = 4
"""Numbers that a lane moves at once."""
AT_ONCE, MOST_NUMBERS = 16, 160
"""Numbers that are read before they are added, at least: more where that does not make more than so many with the results."""
GROUP = 8
"""CTAs whose states one of them takes in."""
BARRIER = 1
"""That of the first part; barrier 0 is the CTA's."""


@dataclass(frozen=True, slots=True)
class State:
    """What a warp has of 16 rows: the softmax, and results that are not divided by its sums yet."""

    k: px.Builder
    softmax: Softmax
    results: Sequence[Any]

    def begin(self) -> None:
        """Nothing yet."""
        self.softmax.begin()
        for x in self.results:
            self.k.mov.f32(0.0, d=x)

    @property
    def size(self) -> int:
        """Bytes that all lanes store."""
        return len(self._numbers()) * 4 * WARP

    def _numbers(self) -> list[Any]:
        return [*self.softmax.top, *self.softmax.total, *self.results]

    def shrink(self, factors: Sequence[Any], *, asks: bool = True) -> None:
        """Multiply the results of both rows.

        Args:
            asks: whether nothing is done where factors are 1: most of the time, as no score is larger than those before.
        """
        k = self.k
        with contextlib.ExitStack() as stack:
            if asks:
                same = (factors[0] == 1.0) & (factors[1] == 1.0)
                stack.enter_context(k.if_(~k.vote.sync.all.pred(same, LANES)))
            for i, x in enumerate(self.results):
                k.mul.rn.f32(x, factors[row_of(i)], d=x)

    def store(self, store: Callable[..., Any], place: px.Address) -> None:
        """To memory, where each lane finds its own part again. `place`: of the lane."""
        numbers = self._numbers()
        for i in range(0, len(numbers), VECTOR):
            store(place.at(i * 4 * WARP), numbers[i : i + VECTOR])

    def merge(self, load: Callable[..., Any], place: px.Address) -> None:
        """Take in what `store` has left."""
        top_and_total = load(place)
        factors = self.softmax.merge(top_and_total[:2], top_and_total[2:])
        several = max(AT_ONCE, MOST_NUMBERS - len(self.results))
        for i in range(0, len(self.results), several):
            mine = self.results[i : i + several]
            others = [x for j in range(0, len(mine), VECTOR) for x in load(place.at((VECTOR + i + j) * 4 * WARP))]
            for r, (x, other) in enumerate(zip(mine, others, strict=True)):
                own, its = factors[row_of(r)]
                self.k.fma.rn.f32(x, own, self.k.mul.rn.f32(other, its), d=x)


class Combine:
    """The end of segments, for a warp of a part.

    Args:
        part, member: numbers of the part and of the warp in it, px.u32. state: of the warp.
        slices: of a row's results, each of which has parts of its own. slice: which one the warp has.
    """

    def __init__(
        self,
        p: Program,
        rooms: Rooms | LatentRooms,
        part: Any,
        member: Any,
        state: State,
        *,
        slices: int = 1,
        slice: int = 0,
    ) -> None:
        self.k, self.p, self.rooms, self.state = p.k, p, rooms, state
        self.part, self.member, self.slice = part, member, slice
        self.first = member == 0
        self.size, self.units = state.size, slices * p.tiling.parts
        self.unit = part + slice * p.tiling.parts if slice else part

    def finish(self, segment: Segment, own: Any, last: Any) -> None:
        """Write results, or where other CTAs have a part in them what they need; the last one to come then writes results.

        Args:
            own, last: the CTAs that take the head's first and last block, px.s32.
        """
        k = self.k
        self._together()
        with k.if_(own == last):
            self._write(segment)
        with k.else_():
            step = k.mov.s32(1)
            with k.while_(lambda: step != 0):
                self._climb(segment, own, last, step)

    def _climb(self, segment: Segment, own: Any, last: Any, step: Any) -> None:
        """Hand over, and where all others have, take in what they left.

        Args:
            step: from one CTA to the next whose states belong together. It becomes that of their groups, or 0 at the end.
        """
        k = self.k
        cta = k.cvt.s32.u32(k.ctaid.x)
        group = own + (cta - own) // GROUP * GROUP
        alone = step == 1
        self._leave(k.selp.s32(cta, group, alone), own)
        first = k.selp.s32(group, own, alone)
        others = k.min.s32(last - first, k.selp.s32(GROUP - 1, LARGEST, alone)) // step
        counter = k.selp.s32(group, k.cvt.s32.u32(k.nctaid.x) + own, alone)
        with k.if_(self._comes_last(counter, others) == 1):
            self._take_in(own, first, first + others * step, step)
            k.mov.s32(k.selp.s32(GROUP, 0, (step == 1) & (last - own >= GROUP)), d=step)
            with k.if_(step == 0):
                self._write(segment)
        with k.else_():
            k.mov.s32(0, d=step)

    # --- warps -----------------------------------------------------------------------------------------------------------------
    def _sync(self) -> None:
        t = self.p.tiling
        if t.warps > 1:
            self.k.bar.sync(self.part + BARRIER, t.warps * WARP)
        else:
            self.k.bar.warp.sync(LANES)

    def _together(self) -> None:
        """The first warp gets what all warps of the part have."""
        k, t, states = self.k, self.p.tiling, self.rooms.states
        if states is None:
            return
        left = t.warps // 2
        while left:
            self._sync()
            with k.if_((self.member >= left) & (self.member < 2 * left)):
                self.state.store(k.st.shared.v4.f32, states[self.part][self.member - left].at(k.laneid * 4 * VECTOR))
            self._sync()
            with k.if_(self.member < left):
                self.state.merge(k.ld.shared.v4.f32, states[self.part][self.member].at(k.laneid * 4 * VECTOR))
            left //= 2

    # --- CTAs ------------------------------------------------------------------------------------------------------------------
    def _partial(self, cta: Any, own: Any) -> px.Address:
        """Where a CTA leaves its state: each has room for the head that it begins and for one that it goes on with."""
        k = self.k
        slot = k.cvt.u32.s32(cta * 2 + k.selp.s32(1, 0, cta == own))
        place = k.mad.wide.u32(slot * self.units + self.unit, self.size, self.p.partials.address().register())
        return px.Address.of(k.mad.wide.u32(k.laneid, 4 * VECTOR, place), space="global")

    def _leave(self, cta: Any, own: Any) -> None:
        """The first warp writes its state as that of a CTA."""
        with self.k.if_(self.first):
            self.state.store(self.k.st.global_.v4.f32, self._partial(cta, own))

    def _comes_last(self, counter: Any, others: Any) -> Any:
        """Count. Returns: 1 where all others have come before, px.u32.

        Args:
            counter: its number, px.s32. Where there are no others it may be that of another head, and is left alone.
        """
        k, found = self.k, self.rooms.last[self.unit].at(0)
        with k.if_(self.first):
            k.bar.warp.sync(LANES)
            with k.if_(k.laneid == 0):  # releases what the warp has written, and acquires what others released
                place = self.p.counters[k.cvt.u32.s32(counter) * self.units + self.unit]
                before, most = k.mov.u32(0), k.cvt.u32.s32(others)
                k.atom.acq_rel.gpu.global_.inc.u32(place, most, d=before, pred=most != 0)
                k.st.shared.u32(found, k.selp.u32(1, 0, before == most))
        self._sync()
        return k.ld.shared.u32(found)

    def _take_in(self, own: Any, first: Any, last: Any, step: Any) -> None:
        """Each warp takes in what some of the CTAs have left, and the first one gets it all."""
        k, t = self.k, self.p.tiling
        self.state.begin()
        with k.loop(last + 1, start=first + k.cvt.s32.u32(self.member) * step, step=step * t.warps) as cta:
            self.state.merge(k.ld.global_.v4.f32, self._partial(cta, own))
        self._together()

    # --- results ---------------------------------------------------------------------------------------------------------------
    def _write(self, segment: Segment) -> None:
        with self.k.if_(self.first):
            factor = self._factor(segment)
            rows = lines(self.p, segment, self.k.cvt.s32.u32(self.part))
            for r, (line, divisor) in enumerate(zip(rows, self.state.softmax.divisors(), strict=True)):
                with self.k.if_(line.row < self.p.rows * self.p.group):
                    scale = divisor if factor is None else self.k.mul.rn.f32(divisor, factor)
                    self._row(segment, r, line, scale)

    def _factor(self, segment: Segment) -> Any:
        """What all results are multiplied by; None: nothing."""
        if not self.p.form.narrow:
            return None
        given = self.p.factors[1]
        return self.k.ld.global_.f32(given[segment.head]) if isinstance(given, px.Ptr) else given

    def _row(self, segment: Segment, r: int, line: Line, scale: Any) -> None:
        """A row of the lane: of each 16 elements two and two, or four of fp8's values."""
        k, p, state = self.k, self.p, self.state
        column = self.slice * (len(state.results) * 2)
        pack = getattr(k.cvt.rn, f"{p.form.dtype.scalar.name}x2").f32
        place = p.results.at(k, segment.batch, line.query, line.head).at((k.laneid & 3) * (8 if p.form.narrow else 4))
        place = place.at(2 * column) if column else place
        mine = [k.mul.rn.f32(x, scale) for i, x in enumerate(state.results) if row_of(i) == r]
        for i in range(0, len(mine), 4):
            a, b, c, d = mine[i : i + 4]
            if p.form.narrow:
                k.st.global_.v2.b32(place.at(8 * i), [pack(c, a), pack(d, b)])
            else:
                k.st.global_.b32(place.at(8 * i), pack(b, a))
                k.st.global_.b32(place.at(8 * i + 16), pack(d, c))
        if p.logarithms is not None and not self.slice:
            number = (segment.batch * (p.heads * p.group) + line.head) * p.rows + line.query
            at = k.mad.wide.u32(k.cvt.u32.s32(number), 4, p.logarithms.address().register())
            k.st.global_.f32(px.Address.of(at, space="global"), state.softmax.logarithm(r), pred=(k.laneid & 3) == 0)
