"""Records: fields by name in an array of words, for Python and for NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from ptxlab.codegen.records import Record, block, link, wide, word


class Point(Record):
    x = word()
    y = word()


class Shape(Record, at_least=32):
    count = word()
    where = wide()
    next = link("Shape")
    rows = word(2, 3)
    points = block(Point, 2)


class Named(Shape):
    name = word()


def test_fields_find_their_own_offsets() -> None:
    offsets = {name: field.offset for name, field in Shape.FIELDS.items()}
    assert offsets == {"count": 0, "where": 1, "next": 3, "rows": 4, "points": 10}
    assert Shape.WORDS == 32
    assert Named.at("name") == 32
    assert Named.at("rows") == 4
    assert Point.WORDS == 2


@pytest.mark.parametrize("kind", [np.asarray, memoryview, list])
def test_python_reads_and_sets_them(kind: type) -> None:
    words = np.zeros(100, np.uint32)
    shape = Shape(32, kind(words) if kind is not list else words)
    shape.count, shape.where, shape.next = -1, 1 << 40 | 7, Shape(64)
    shape.rows[1][2] = 5
    shape.points[1].y = 9
    assert (shape.count, shape.where, shape.next, int(shape.next)) == (0xFFFF_FFFF, 1 << 40 | 7, Shape(64), 64)
    assert shape.rows[1][2] == 5
    assert shape.rows.all().tolist() == [[0, 0, 0], [0, 0, 5]]
    assert (shape.points[1].y, len(shape.points)) == (9, 2)
    assert bool(shape.next.next) is False
    assert shape[1] == Shape(64)


def test_numpy_sees_many_of_them() -> None:
    words = np.zeros(32 + 2 * Shape.WORDS, np.uint32)
    for i in range(2):
        shape = Shape(32)[i]
        shape = Shape(shape, words)
        shape.where, shape.rows[0][1], shape.points[0].x = i + (1 << 33), 10 + i, 20 + i
    found = Shape.array(words, 32, 2)
    assert found["where"].tolist() == [1 << 33, (1 << 33) + 1]
    assert found["rows"][:, 0, 1].tolist() == [10, 11]
    assert found["points"]["x"][:, 0].tolist() == [20, 21]
    found["count"] = 3
    assert Shape(32, words).count == 3


def test_a_row_has_what_is_named_and_zeros() -> None:
    assert Point.row(y=4) == [0, 4]
    with pytest.raises(AssertionError, match="Point has no field z"):
        Point.row(z=4)


def test_what_lies_outside_is_refused() -> None:
    shape = Shape(32, np.zeros(100, np.uint32))
    with pytest.raises(AssertionError, match="rows has 2, not number 2"):
        shape.rows[2]
    with pytest.raises(AssertionError, match="points is a record"):
        shape.points = 3
