"""Every kernel writes the same bytes launch after launch, and those of its record.

`python -m tools.record repeats` launches each a thousand times.
"""

from __future__ import annotations

import pytest

from tools.record.repeats import every, large, repeated

pytestmark = pytest.mark.gpu

PARTS = 8


@pytest.mark.parametrize("part", range(PARTS))
def test_launches_agree_with_each_other_and_with_the_record(part: int) -> None:
    chosen = list(every())[part::PARTS]
    found = repeated(chosen, launches=20)
    assert found["different"] == []
    assert found["cases"] == len(chosen) > len(large()) // PARTS
