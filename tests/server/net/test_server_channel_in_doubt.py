"""A batch in doubt, decided by hand: what the operator sees, what each decision does, and what a wrong one leads to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helper_in_doubt import CHANNEL, Doubt, doubt_in
from helper_lines import ANSWERS, QUESTIONS
from helper_peers import wait_until

NEVER = "0" * 16


@pytest.fixture
def doubt(tmp_path: Path) -> Iterator[Doubt]:
    with doubt_in(tmp_path) as doubt:
        yield doubt


def run_on(doubt: Doubt, expected: list[int]) -> None:
    """The channel works again, and two more messages arrive."""
    doubt.start()
    doubt.until_status("QM1", "RUNNING")
    wait_until(lambda: doubt.depth("QM1", "QM2") == 0)
    doubt.put(2)
    wait_until(lambda: len(doubt.arrived()) == len(expected) + 2)
    assert doubt.arrived()[:-2] == expected
    wait_until(lambda: doubt.status("QM1", "SAVED")["indoubt"] == "NO")
    one, two = (doubt.status(name, "SAVED") for name in ("QM1", "QM2"))
    for field in ("lstluwid", "lstseqno"):
        assert one[field] == two[field], field


def test_what_is_seen_while_the_channel_waits_for_the_answer(doubt: Doubt) -> None:
    doubt.begin_doubt(ANSWERS, 3)
    current, saved, other = doubt.status("QM1"), doubt.status("QM1", "SAVED"), doubt.status("QM2", "SAVED")
    assert (current["status"], current["indoubt"], current["curmsgs"], current["curseqno"]) == ("RUNNING", "YES", 3, 3)
    assert current["lstluwid"] == saved["lstluwid"] == NEVER
    assert current["conname"] == saved["conname"] == f"127.0.0.1({doubt.line.port})"
    assert (saved["indoubt"], saved["curmsgs"], saved["curseqno"], saved["lstseqno"]) == ("YES", 3, 3, 0)
    assert current["curluwid"] == saved["curluwid"] == other["lstluwid"] != NEVER
    assert (other["indoubt"], other["lstseqno"]) == ("NO", 3)
    assert doubt.arrived() == [1, 2, 3]
    for command in (f"RESOLVE CHANNEL({CHANNEL}) ACTION(COMMIT)", f"RESET CHANNEL({CHANNEL})"):
        assert doubt.mqsc("QM1", command)[0].startswith("AMQ9514E")
    assert doubt.status("QM1")["indoubt"] == "YES"


@pytest.mark.parametrize("held", [QUESTIONS, ANSWERS])
def test_the_channel_settles_it_by_itself(doubt: Doubt, held: int) -> None:
    doubt.leave_in_doubt(held)
    assert doubt.status("QM1", "SAVED")["indoubt"] == "YES"
    run_on(doubt, [1, 2, 3])


def test_commit_when_the_batch_has_arrived(doubt: Doubt) -> None:
    doubt.leave_in_doubt(ANSWERS)
    assert doubt.status("QM1", "SAVED")["curluwid"] == doubt.status("QM2", "SAVED")["lstluwid"]
    assert doubt.mqsc("QM1", f"RESOLVE CHANNEL({CHANNEL}) ACTION(COMMIT)") == ["AMQ8025I: LibreMQ channel resolved."]
    assert doubt.status("QM1", "SAVED")["indoubt"] == "NO"
    assert (doubt.depth("QM1", "QM2"), doubt.arrived()) == (0, [1, 2, 3])
    run_on(doubt, [1, 2, 3])


def test_backout_when_it_has_not(doubt: Doubt) -> None:
    doubt.leave_in_doubt(QUESTIONS)
    assert doubt.status("QM1", "SAVED")["indoubt"] == "YES"
    assert doubt.status("QM2", "SAVED") == {}
    assert (doubt.depth("QM1", "QM2"), doubt.arrived()) == (0, [])
    assert doubt.mqsc("QM1", f"RESOLVE CHANNEL({CHANNEL}) ACTION(BACKOUT)") == ["AMQ8025I: LibreMQ channel resolved."]
    assert (doubt.depth("QM1", "QM2"), doubt.arrived()) == (3, [])
    run_on(doubt, [1, 2, 3])


@pytest.mark.parametrize(
    ("held", "action", "mine", "theirs", "arrives"),
    [(QUESTIONS, "COMMIT", 6, 3, [1, 2]), (ANSWERS, "BACKOUT", 3, 6, [1, 2, 3, 4, 5, 3, 4, 5])],
)
def test_the_wrong_decision_shows_in_the_sequence_numbers(
    doubt: Doubt, held: int, action: str, mine: int, theirs: int, arrives: list[int]
) -> None:
    """COMMIT loses what had not arrived, BACKOUT sends once more what had; the channel does not start like that."""
    doubt.start()
    doubt.put(2)
    wait_until(lambda: doubt.status("QM1", "SAVED").get("lstseqno") == 2)
    doubt.stop()
    doubt.leave_in_doubt(held)
    doubt.mqsc("QM1", f"RESOLVE CHANNEL({CHANNEL}) ACTION({action})")
    one, two = (doubt.status(name, "SAVED") for name in ("QM1", "QM2"))
    assert (one["lstseqno"], two["lstseqno"]) == (mine - 1, theirs - 1)
    doubt.start()
    doubt.until_status("QM1", "RETRYING")
    for name in ("QM1", "QM2"):
        wait_until(lambda name=name: doubt.heard(name, "AMQ9526E", CHANNEL, f" {theirs} was expected, {mine} came"))
    assert doubt.depth("QM1", "QM2") == (0 if action == "COMMIT" else 3)
    doubt.stop()
    assert doubt.mqsc("QM1", f"RESET CHANNEL({CHANNEL}) SEQNUM({theirs})") == ["AMQ8023I: LibreMQ channel reset."]
    run_on(doubt, arrives)


def test_resolve_where_nothing_is_in_doubt(doubt: Doubt) -> None:
    doubt.put(1)
    doubt.start()
    wait_until(lambda: doubt.status("QM1", "SAVED").get("lstseqno") == 1)
    doubt.stop()
    before = [doubt.status(name, "SAVED") for name in ("QM1", "QM2")]
    for action in ("COMMIT", "BACKOUT"):
        (line, *_) = doubt.mqsc("QM1", f"RESOLVE CHANNEL({CHANNEL}) ACTION({action})")
        assert line.startswith("AMQ") and line[7] == "E", line
    assert [doubt.status(name, "SAVED") for name in ("QM1", "QM2")] == before
    assert doubt.mqsc("QM1", f"RESET CHANNEL({CHANNEL}) SEQNUM(2)") == ["AMQ8023I: LibreMQ channel reset."]


def test_while_in_doubt_the_channel_cannot_be_reset_or_deleted(doubt: Doubt) -> None:
    doubt.leave_in_doubt(ANSWERS)
    luwid = str(doubt.status("QM1", "SAVED")["curluwid"])
    for command in (f"RESET CHANNEL({CHANNEL})", f"DELETE CHANNEL({CHANNEL})"):
        (line, *_) = doubt.mqsc("QM1", command)
        assert line.startswith("AMQ9507E") and luwid in line, line
    run_on(doubt, [1, 2, 3])


@pytest.mark.parametrize(("held", "action"), [(ANSWERS, "COMMIT"), (QUESTIONS, "BACKOUT")])
def test_the_doubt_outlives_a_restart(tmp_path: Path, held: int, action: str) -> None:
    with doubt_in(tmp_path) as doubt:
        doubt.leave_in_doubt(held)
        before = doubt.status("QM1", "SAVED")
    with doubt_in(tmp_path, again=True) as doubt:
        assert doubt.status("QM1", "SAVED")["indoubt"] == "YES"
        assert doubt.status("QM1", "SAVED")["curluwid"] == before["curluwid"]
        assert doubt.mqsc("QM1", f"RESOLVE CHANNEL({CHANNEL}) ACTION({action})")[0].startswith("AMQ8025I")
        assert doubt.depth("QM1", "QM2") == (0 if action == "COMMIT" else 3)
        run_on(doubt, [1, 2, 3])
