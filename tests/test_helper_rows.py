"""What `over_rows` promises: every row is tried, and no failure is lost."""

from __future__ import annotations

import pytest

from helper_rows import over_rows


def test_every_row_is_tried_and_those_that_fail_are_named() -> None:
    tried: list[int] = []

    @over_rows("number", range(5), ids=lambda number: f"row {number}")
    def odd(number: int) -> None:
        tried.append(number)
        assert number % 2 == 0, "odd"

    with pytest.raises(AssertionError) as failed:
        odd()
    assert tried == [0, 1, 2, 3, 4]
    assert str(failed.value).splitlines()[0] == "2 of 5 rows:"
    assert "[row 1] AssertionError: odd" in str(failed.value) and "[row 3]" in str(failed.value)
