"""Launches on a GPU that come again: what an equal call was checked for is not checked anew.

A call is equal to an earlier one where its block, cluster and options are, and where the keys of its arguments are
(`abi.signatures`): types, dtypes, ranks, contiguity and devices of arrays, boxes and modes of tensor maps. Addresses, numbers,
streams and grids may differ; a grid is checked when it comes for the first time. Whatever is in doubt takes the long
way, which says what is wrong.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from ptxlab.abi.signatures import described
from ptxlab.launch.devices import place_of

if TYPE_CHECKING:
    from ptxlab.abi.options import LaunchOptions
    from ptxlab.abi.record import LaunchRecord
    from ptxlab.abi.rules import Rule
    from ptxlab.cuda.launch import Repeat
    from ptxlab.cuda.library import Library
    from ptxlab.launch.code import Code

REMEMBERED: Final = 1024
"""Launches of a kernel that are kept; the oldest goes first."""


class Repeats:
    """The launches of a kernel on GPUs that have passed all checks."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[Hashable, tuple[Repeat, Library]] = {}

    def launch(self, module: Code, extents: tuple[Any, ...], options: tuple[Any, ...], args: Any, stream: Any) -> bool:
        """Launch as an equal call was; False where there was none, or something is in doubt.

        Args:
            module: the kernel's. extents: of grid, block and cluster, and bytes of shared memory, as the call has them.
            options: device, programmatic, cooperative and lints. args, stream: of the call.

        Raises: Diagnostic as a prepared launch.
        """
        if not self._known or not _plain(extents) or type(args) not in (tuple, list) or place_of(stream) is not None:
            return False
        try:
            found = described(args)
            if found is None:
                return False
            keys, values = found
            grid, *others = extents
            known = self._known.get((*others, options, keys))
            if known is None:
                return False
            repeat, library = known
            target, block = repeat.target(grid), repeat.packed(values)
        except Exception:  # the long way meets it again, and says what is wrong
            return False
        module.last_library = library
        repeat.launch(target, block, stream)
        return True

    def remember(
        self,
        call: LaunchOptions,
        library: Library,
        record: LaunchRecord,
        rules: Mapping[str, Rule],
        owners: Sequence[Any],
    ) -> None:
        """Keep a launch that has passed all checks, where calls equal to it can be known again.

        Args:
            call: as the user wrote it. library, record: what it became.
            rules: what the kernel demands. owners: arrays among the arguments.
        """
        from ptxlab.abi.refill import Refill
        from ptxlab.cuda.launch import Repeat
        from ptxlab.cuda.streams import current_source

        extents = call.block, call.cluster, call.shared
        options, args = (call.device, call.programmatic, call.cooperative, call.lints), call.args
        if not _plain(extents) or type(args) not in (tuple, list) or place_of(call.stream) is not None:
            return
        try:
            found = described(args)
            if found is None:
                return
            keys, values = found
            hash(key := (*extents, options, keys))
            refill = Refill(record.program.params, args, rules)
            current = current_source(owners, library.device.ordinal)
            repeat = Repeat(library, record, refill, current)
            block = repeat.packed(values)
        except Exception:  # arguments of a kind that only the long way knows
            return
        if bytes(block.memory[block.start : block.start + len(record.params)]) != record.params:
            return
        if len(self._known) >= REMEMBERED:
            self._known.pop(next(iter(self._known)), None)
        self._known[key] = (repeat, library)


def _plain(extents: tuple[Any, ...]) -> bool:
    """Whether equal extents are the same: 4.0 is equal to 4, and is refused."""
    for x in extents:
        if type(x) is not int and x is not None and not (type(x) is tuple and _plain(cast("tuple[Any, ...]", x))):
            return False
    return True
