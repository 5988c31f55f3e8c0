"""All verbs at once: every transcript replies what it says. Over networks tests/transcripts has them, and all fields.

They are the first tests of putting, getting, matching, groups, opening, inquiry, consumers and distribution lists: who
changes a verb finds here what it must go on to reply.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from transcript_runner import run, scripts


@pytest.mark.parametrize("script", scripts(), ids=lambda path: path.stem)
def test_verbs_reply_as_their_transcript_says(script: Path) -> None:
    expected = script.read_text(encoding="utf-8")
    assert run(expected).splitlines() == expected.splitlines()
