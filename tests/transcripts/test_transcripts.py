"""Every transcript replies what it says, over every binding.

LIBREMQ_TRANSCRIPTS=update rewrites the replies, those of the embedded binding; review them as prose then.

Over a network the replies are the same, and so are all fields of all structures that the transcripts do not show. What
cannot be the same is this, and nothing else:

    MQPUT with MQPMO_ASYNC_RESPONSE,    The reply is what nobody waits for, so the MQMD and MQPMO come back with the
    or to a queue with DEFPRESP(ASYNC)  message and correlation ids, which the client makes itself, and nothing else.
                                        That it could not be put is told by MQSTAT, as everywhere.
    An application whose get waits      Its other threads' calls wait for the get (MQCNO_HANDLE_SHARE_BLOCK), except
                                        MQCLOSE and MQDISC, which end it. No transcript does that.
"""

from __future__ import annotations

import difflib
import os
from contextlib import closing
from pathlib import Path

import pytest
from transcript_host import EmbeddedHost
from transcript_record import RecordingHost
from transcript_remote import RemoteHost
from transcript_runner import run, scripts

_UPDATE = os.environ.get("LIBREMQ_TRANSCRIPTS") == "update"


def _compare(script: Path, expected: list[str], actual: list[str]) -> None:
    if actual != expected:
        difference = difflib.unified_diff(expected, actual, script.name, "this run", lineterm="", n=6)
        pytest.fail("\n".join(difference), pytrace=False)


@pytest.mark.parametrize("script", scripts(), ids=lambda path: path.stem)
def test_transcript(script: Path) -> None:
    expected = script.read_text(encoding="utf-8")
    actual = run(expected)
    if _UPDATE:
        script.write_text(actual, encoding="utf-8")
    else:
        _compare(script, expected.splitlines(), actual.splitlines())


@pytest.mark.parametrize("binding", ["local", "mq"])
@pytest.mark.parametrize("script", scripts(), ids=lambda path: path.stem)
def test_transcript_over_a_network(script: Path, binding: str, tmp_path: Path) -> None:
    text = script.read_text(encoding="utf-8")
    embedded = RecordingHost(EmbeddedHost())
    run(text, embedded)
    with closing(RemoteHost(binding, tmp_path)) as host:
        remote = RecordingHost(host)
        _compare(script, text.splitlines(), run(text, remote).splitlines())
    _compare(script, embedded.record.calls, remote.record.calls)


def test_a_wrong_reply_is_noticed() -> None:
    script = "# No such queue\nA put NOSUCH 'x'\n----\nok\n"
    assert run(script) == "# No such queue\nA put NOSUCH 'x'\n----\nMQRC_UNKNOWN_OBJECT_NAME (2085) failed\n"


def test_two_runs_are_the_same() -> None:
    script = scripts()[0].read_text(encoding="utf-8")
    assert run(script) == run(script)
