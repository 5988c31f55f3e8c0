"""A test of every row of a long table, as one test: `over_rows` in place of `pytest.mark.parametrize`.

Pytest takes milliseconds around each test, and a worker has to collect, report and remember it. For thousands of rows
that are checked in microseconds that was most of the time. All rows are tried, and those that fail are named.
For rows that share nothing: what a test changes through a fixture, the next row would see.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

import pytest

_SHOWN = 20
_PARAM = type(pytest.param())


def over_rows(
    names: str | Sequence[str], rows: Iterable[Any], ids: Callable[[Any], object] | Sequence[str] | None = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Call the test with each row; `names` and `ids` as `parametrize` has them. Other arguments are fixtures."""
    given, several = list(rows), not isinstance(names, str)
    wanted = (names,) if isinstance(names, str) else tuple(names)
    table = [row.values if isinstance(row, _PARAM) else row if several else (row,) for row in given]
    labels = _labels(given, ids)
    assert table and len(labels) == len(table)

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        @wraps(function)
        def test(**fixtures: Any) -> None:
            failures: list[tuple[str, Exception]] = []
            for label, row in zip(labels, table, strict=True):
                try:
                    function(**dict(zip(wanted, row, strict=True)), **fixtures)
                except Exception as error:
                    failures.append((label, error))
            if failures:
                shown = "\n".join(f"[{label}] {type(error).__name__}: {error}" for label, error in failures[:_SHOWN])
                raise AssertionError(f"{len(failures)} of {len(table)} rows:\n{shown}") from failures[0][1]

        signature = inspect.signature(function)
        left = [one for name, one in signature.parameters.items() if name not in wanted]
        test.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        test.pytestmark = getattr(function, "pytestmark", [])  # type: ignore[attr-defined]
        return test

    return decorate


def _labels(table: list[Any], ids: Callable[[Any], object] | Sequence[str] | None) -> list[str]:
    if ids is None:
        return [str(row.id) if isinstance(row, _PARAM) else repr(row) for row in table]
    return [str(ids(row)) for row in table] if callable(ids) else list(ids)
