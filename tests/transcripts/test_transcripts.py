"""Every transcript replies what it says. LIBREMQ_TRANSCRIPTS=update rewrites the replies; review them as prose then."""

from __future__ import annotations

import difflib
import os
from pathlib import Path

import pytest
from transcript_runner import run, scripts

_UPDATE = os.environ.get("LIBREMQ_TRANSCRIPTS") == "update"


@pytest.mark.parametrize("script", scripts(), ids=lambda path: path.stem)
def test_transcript(script: Path) -> None:
    expected = script.read_text(encoding="utf-8")
    actual = run(expected)
    if _UPDATE:
        script.write_text(actual, encoding="utf-8")
    elif actual != expected:
        difference = difflib.unified_diff(
            expected.splitlines(), actual.splitlines(), script.name, "this run", lineterm="", n=6
        )
        pytest.fail("\n".join(difference), pytrace=False)


def test_a_wrong_reply_is_noticed() -> None:
    script = "# No such queue\nA put NOSUCH 'x'\n----\nok\n"
    assert run(script) == "# No such queue\nA put NOSUCH 'x'\n----\nMQRC_UNKNOWN_OBJECT_NAME (2085) failed\n"


def test_two_runs_are_the_same() -> None:
    script = scripts()[0].read_text(encoding="utf-8")
    assert run(script) == run(script)
