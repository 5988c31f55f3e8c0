"""An exception that nobody expected, told in one line."""

from __future__ import annotations

from libremq.server.diagnostics.unexpected import described, place_of


def _inner() -> None:
    raise LookupError("no such thing")


def _caught() -> LookupError:
    try:
        _inner()
    except LookupError as error:
        return error
    raise AssertionError


def test_it_is_told_with_its_innermost_place() -> None:
    error = _caught()
    line = _inner.__code__.co_firstlineno + 1
    assert place_of(error) == (_inner.__code__, line)
    assert described(error) == f"LookupError: no such thing (test_server_unexpected.py:{line})"


def test_one_that_was_never_raised_has_no_place() -> None:
    assert place_of(ValueError("x")) == (None, 0)
    assert described(ValueError("x")) == "ValueError: x"
