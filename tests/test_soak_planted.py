"""The table of planted bugs: each still fits the source, and who looks for them notices, and says so if nobody does."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from soak import changed_source, planted
from soak.planted import BUGS
from soak.planted_bug import Bug

TESTS = Path(__file__).parent
_TIME = "kernel/messages/time_to_live.py"
_TEXT = "return 0 if expiry == C.MQEI_UNLIMITED else"


def test_every_bug_fits_the_source() -> None:
    """Its text is in the module once, and what comes of it is another module."""
    for bug in BUGS:
        assert planted.planted(bug)


def test_every_bug_names_tests() -> None:
    for bug in BUGS:
        assert bug.tests, bug.name
        for test in bug.tests:
            assert (TESTS / test).is_file(), f"{bug.name}: {test}"


def test_every_bug_has_a_name_of_its_own() -> None:
    assert len({bug.name for bug in BUGS}) == len(BUGS)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("there is no such text", "", "has 0 times"),
        ("now", "later", "times 'now'"),
        (_TEXT, _TEXT + " (", "never closed"),
        ("int(now * 1000) + expiry * 100", "(int(now * 1000) + expiry * 100)", "nothing changes"),
    ],
)
def test_a_row_that_does_not_fit_is_refused(old: str, new: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        planted.planted(Bug("a bug", _TIME, old, new, "test_none.py"))


def outcome_of(monkeypatch: pytest.MonkeyPatch, folder: Path, body: str, new: str) -> str:
    """Of a bug that is looked for by one test, with this body."""
    (folder / "tests").mkdir()
    (folder / "tests" / "test_life.py").write_text(
        f"from libremq.kernel.messages.time_to_live import expires_ms\n\ndef test_life():\n    {body}\n"
    )
    monkeypatch.setattr(changed_source, "HOME", folder)
    planted._without_bug.cache_clear()
    return planted.outcome(Bug("a message without expiry expires", _TIME, _TEXT, new, "test_life.py"))


def test_who_notices_a_bug_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said = outcome_of(monkeypatch, tmp_path, "assert expires_ms(-1, 5.0) == 0", "return")
    assert said == "found: FAILED tests/test_life.py::test_life"


def test_a_bug_that_nobody_notices_survives(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert outcome_of(monkeypatch, tmp_path, "assert expires_ms(10, 5.0) == 6000", "return") == ""


def test_a_test_that_fails_anyway_has_noticed_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said = outcome_of(monkeypatch, tmp_path, "assert expires_ms(10, 5.0) == 0", "return")
    assert said.startswith("NOT KNOWN: without the bug, too, FAILED tests/test_life.py::test_life")


def test_no_test_is_no_verdict(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(changed_source.NoTests):
        outcome_of(monkeypatch, tmp_path, "pass\n\ndel test_life", "return")
