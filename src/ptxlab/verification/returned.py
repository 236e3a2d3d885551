"""What a reference returns for a case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from ptxlab.diag import Diagnostic, Span
from ptxlab.verification.numbers.followed import Followed
from ptxlab.verification.numbers.formats import format_of
from ptxlab.verification.spec import Array, Case, Input, Mapped, Output


def returned(
    case: Case,
    reference: Callable[..., Any],
    contents: Sequence[Array],
    seen: Callable[[Array], Any],
    origin: Span | None,
) -> list[Any]:
    """What the arrays that are written are to hold.

    contents: of each array of the case. seen: an array as the reference sees it.

    Raises: Diagnostic PTX2342 where that does not fit the case.
    """
    held = dict(zip(map(id, case.arrays), contents, strict=True))
    given: list[Any] = []
    for one in case.args:
        array = one.array if isinstance(one, Mapped) else one
        if isinstance(array, Input):
            given.append(seen(held[id(array)]))
        elif not isinstance(array, Output):
            given.append(array)
    with np.errstate(all="ignore"):
        answer = reference(*given)
    found = list(cast("Sequence[Any]", answer)) if isinstance(answer, tuple | list) else [answer]
    if len(found) != len(case.written):
        message = f"The reference returns {len(found)} results; the case has {len(case.written)} arrays to write."
        raise _unfit(message, origin)
    for i, (one, array) in enumerate(zip(found, case.written, strict=True)):
        if one is None:
            raise _unfit("The reference returns None.", origin)
        shape = one.shape if isinstance(one, Followed) else np.shape(one)
        if shape != array.extents:
            message = f"The reference returns shape {shape} as result {i}; the array has {array.extents}."
            raise _unfit(message, origin)
        dtype = one.dtype if isinstance(one, Followed) else np.asarray(one).dtype
        if dtype.kind not in "biuf" and format_of(dtype) is None:
            raise _unfit(f"The reference returns {dtype} as result {i}, which are no numbers of an array's.", origin)
    return found


def _unfit(message: str, origin: Span | None) -> Diagnostic:
    help_ = "return what the outputs and updated inputs are to hold, in the order of the case's arguments"
    return Diagnostic("PTX2342", message, help=help_, origin=origin)


__all__ = ["returned"]
