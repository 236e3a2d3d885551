"""What launches that run side by side hand on to each other through flags.

Each launch has a sanitizer and clocks of its own. So a strong write of global memory that publishes something is posted here, with
what its thread knows of its own launch; a thread of another launch that acquires it gets to know of the post, as of an operation
that is over, and hands that on within its launch as all else. Later a launch can be asked what a thread of it knew at a time.

A launch begins and ends with a fence of the system for each of its threads: that is how an event shows to any device what launches
in front of it have done. So a relaxed write publishes what was over when its launch began, and what a relaxed read has found is
known behind its launch.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from ptxlab.isa.order import ACQUIRING, OF_LAUNCHES, RELEASING
from ptxlab.sim.order.clocks import START, Clock, all_joined
from ptxlab.sim.order.views import View

if TYPE_CHECKING:
    from ptxlab.isa.action import Touch
    from ptxlab.sim.order.core import Core
    from ptxlab.sim.order.knowledge import Team

_FIRST: Final = -3
"""In the place of a cluster, posts at words: this is the first word, smaller numbers are further ones."""
_SC: Final = -1
"""In the place of a word: the order of all fence.sc."""
_BEGINS: Final = -2
"""In the place of a word, smaller numbers for further launches: that a launch has begun."""
Known = Mapping[int, int]
"""Bits of posts, by what stands for their word. Operations that are over may be among them."""
NOTHING: Final[Known] = {}


@dataclass(frozen=True, slots=True, eq=False)
class Post:
    """What a strong write has published.

    Attributes:
        by: the launch. near: what the thread knew of it and of others, as far as a scope of the device publishes that. far: as far
            as the scope .sys does; None: nothing.
        told_near, told_far: for who acquires it: that the post is known, and the posts that its thread knew.
    """

    by: Talk
    near: Clock
    far: Clock | None
    told_near: View
    told_far: View | None


@dataclass(frozen=True, slots=True)
class Written:
    """The last strong write to a word: by which launch, its scope, and what it and those before it in its release sequence post."""

    by: Talk
    scope: str
    posts: tuple[Post, ...]

    def meets(self, other: Talk, scope: str) -> bool:
        """Whether an access by a launch is in its scope, and the other way round."""
        return not self.by.is_far(other) or self.scope == scope == "sys"


class Board:
    """The posts of launches that may overlap.

    Each has two bits of its word: that what it says to its device is known, and that what it says to others is.
    """

    def __init__(self) -> None:
        self.members: list[Talk] = []
        self._posts: list[list[Post]] = []
        self._latest: dict[int, Written] = {}
        self._words: dict[int, int] = {}

    def found(self, word: int) -> Written | None:
        """The last strong write to a word."""
        return self._latest.get(word)

    def write(
        self, word: int, by: Talk, scope: str, clocks: tuple[Clock, Clock | None] | None, *, update: bool
    ) -> None:
        """A strong write to a word. clocks: what it publishes, as in `Post`. update: whether it is atomic, and so continues the
        release sequence."""
        found = self.found(word)
        before = found.posts if update and found is not None and found.meets(by, scope) else ()
        post = by.beginning if clocks is None else self.post(word, by, clocks)
        self._latest[word] = Written(by, scope, before if post in before else (*before, post))

    def post(self, word: int, by: Talk, clocks: tuple[Clock, Clock | None]) -> Post:
        """What a launch publishes by a write to a word. clocks: as for `write`."""
        number = self._words.setdefault(word, len(self._words))
        if number == len(self._posts):
            self._posts.append([])
        here, (near, far) = self._posts[number], clocks
        bit, key = 2 * len(here), _FIRST - number
        told_far = None if far is None else _told(far, key, 2 << bit)
        post = Post(by, near, far, _told(near, key, 3 << bit), told_far)
        here.append(post)
        by.own.append(post)
        for one in self.members:
            one.core.polls.changed()  # who asks again finds something new
        return post

    def clocks(self, done: Mapping[int, int]) -> Iterator[tuple[Post, Clock]]:
        """Of the posts that are known, what they say."""
        for key, bits in done.items():
            for post in self._posts[_FIRST - key] if key <= _FIRST else ():
                if bits & 1:
                    yield post, post.near
                elif bits & 2 and post.far is not None:
                    yield post, post.far
                bits >>= 2


def _told(clock: Clock, key: int, bits: int) -> View:
    known = {**posts_in(clock)}
    known[key] = known.get(key, 0) | bits
    return View(Clock({}, known, {}))


def posts_in(clock: Clock) -> Known:
    """The posts that a clock knows."""
    return {key: bits for key, bits in clock.done.items() if key <= _FIRST}


class Talk:
    """What a launch posts, and what its threads get to know of others' posts.

    Args:
        fences: whether the program has fences whose scopes include other launches.

    Attributes:
        board: of all. core: its sanitizer. own: what it has posted. missed: the launches whose posts it has read in a scope that
            does not include both. begun: those of which it has found relaxed writes.
    """

    def __init__(self, board: Board, core: Core, *, fences: bool) -> None:
        self.board, self.core, self._fences = board, core, fences
        self.missed: set[Talk] = set()
        self.begun: set[Talk] = set()
        self.own: list[Post] = []
        self._pending: dict[tuple[int, int], dict[Post, str]] = {}
        self._times: dict[tuple[int, int], list[int]] = {}
        self._known: dict[tuple[int, int], list[Mapping[int, int]]] = {}
        self._ordinal = core.machine.record.ordinal
        self._number = len(board.members)
        board.members.append(self)

    @cached_property
    def beginning(self) -> Post:
        """What was over when the launch began."""
        return self.board.post(_BEGINS - self._number, self, (START, START))

    def is_far(self, other: Talk) -> bool:
        """Whether another launch runs on another device, which the scope .gpu does not reach."""
        return self._ordinal != other._ordinal

    # -- what its threads do
    def accesses(self, team: Team, threads: Sequence[int], words: Sequence[int], touch: Touch, *, finds: bool) -> None:
        """Threads access words strongly, with the scope of the GPU or the system. finds: whether they see what was there."""
        for thread, word in zip(threads, words, strict=True):
            found, scope = self.board.found(word), touch.scope or ""
            if finds and found is not None and found.meets(self, scope):
                self._reads(team, thread, found.posts, touch)
            elif finds and found is not None:
                self.missed.add(found.by)
            if touch.writes:
                self.board.write(word, self, scope, self._publishes(team, thread, touch), update=touch.reads)

    def fence(self, team: Team, threads: Sequence[int], order: str, scope: str) -> None:
        """A fence lets threads acquire what their relaxed reads have found. One of the order sc comes behind all before it."""
        if order not in ACQUIRING or scope not in OF_LAUNCHES:
            return
        before = self.board.found(_SC) if order == "sc" else None
        for thread in threads:
            for post, by in self._pending.pop((team.at.cta, thread), {}).items():
                self._acquires(team, thread, post, scope if by == "sys" else by)
            for post in before.posts if before is not None else ():
                if post.by is not self:
                    self._acquires(team, thread, post, scope)

    def fenced(self, team: Team, threads: Sequence[int], order: str, scope: str) -> None:
        """A fence of the order sc publishes what its threads know."""
        for thread in threads if order == "sc" and scope in OF_LAUNCHES else ():
            clock = self.core.knowledge.publish(team, [thread]).clock
            self.board.write(_SC, self, "sys", (clock, clock if scope == "sys" else None), update=True)

    def _reads(self, team: Team, thread: int, found: Sequence[Post], touch: Touch) -> None:
        for post in found:
            if post.by is self:
                continue
            if post is post.by.__dict__.get("beginning"):
                self.begun.add(post.by)
            if touch.order in ACQUIRING:
                self._acquires(team, thread, post, touch.scope or "")
            else:
                self._pending.setdefault((team.at.cta, thread), {})[post] = touch.scope or ""

    def _told(self, post: Post, scope: str) -> View | None:
        """What an access of a scope gets to know by a post."""
        return post.told_near if not self.is_far(post.by) else post.told_far if scope == "sys" else None

    def _acquires(self, team: Team, thread: int, post: Post, scope: str) -> None:
        told = self._told(post, scope)
        if told is None:
            self.missed.add(post.by)
            return
        self.core.knowledge.learn(team, [thread], told)

    def _publishes(self, team: Team, thread: int, touch: Touch) -> tuple[Clock, Clock | None] | None:
        """What a strong write publishes by itself, or after a fence: on the device, and to others."""
        given: list[tuple[str, Clock]] = []
        if touch.order in RELEASING:
            given.append((touch.scope or "", self.core.knowledge.publish(team, [thread]).clock))
        if self._fences:
            given += [(scope, view.clock) for scope, view in team.fences_of(thread).publishes(team, thread).items()]
        near = [clock for scope, clock in given if scope in OF_LAUNCHES]
        if not near:
            return None
        far = [clock for scope, clock in given if scope == "sys" and touch.scope == "sys"]
        return all_joined(near), all_joined(far) if far else None

    # -- what they know
    def learns(self, cta: int, threads: Sequence[int], done: Mapping[int, int]) -> None:
        """Threads know more operations to be over, and maybe more posts."""
        if not any(key <= _FIRST for key in done):
            return
        knowledge = self.core.knowledge
        knowledge.now += knowledge.step  # what they do from now on is told from what they did before
        now = knowledge.now + 1 - knowledge.step  # of what machine code has noted, the time is that before it
        for thread in threads:
            self._times.setdefault((cta, thread), []).append(now)
            self._known.setdefault((cta, thread), []).append(done)

    def known(self, cta: int, thread: int, time: int) -> Mapping[int, int]:
        """What a thread knew to be over when it did something, posts among it; the same object for the same knowledge."""
        at = bisect_right(self._times.get((cta, thread), ()), time)
        return self._known[cta, thread][at - 1] if at else NOTHING

    def known_in_all(self) -> Known:
        """The posts that are known behind the launch: those that any thread has ever known, and those that it has found."""
        latest = {id(known[-1]): known[-1] for known in self._known.values()}
        found = {(post, scope) for posts in self._pending.values() for post, scope in posts.items()}
        told = (self._told(post, scope) for post, scope in found)
        out: dict[int, int] = {}
        for done in (*latest.values(), *(view.clock.done for view in told if view is not None)):
            for key, bits in done.items():
                if key <= _FIRST:
                    out[key] = out.get(key, 0) | bits
        return out
