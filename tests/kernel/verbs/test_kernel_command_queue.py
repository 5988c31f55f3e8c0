"""Commands are taken from their queue under a unit of work, and answered in it."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest
from helper_qmgr import Session

from libremq.kernel.verbs.command_queue import COMMANDS_AT_ONCE, CommandQueue, TakenCommand
from libremq.log import LogFull
from libremq.mqi import constants as C

COMMANDS = "SYSTEM.ADMIN.COMMAND.QUEUE"


class Rig(Session):
    def __init__(self) -> None:
        super().__init__()
        self.queue("ANSWERS")
        self.commands = CommandQueue(self.qm)
        self.taken: list[TakenCommand] = []

    def command(self, data: bytes = b"do it", **fields: Any) -> None:
        self.put(COMMANDS, data, MsgType=C.MQMT_REQUEST, ReplyToQ="ANSWERS", **fields)

    def answer(self, taken: TakenCommand) -> Generator[None, None, bool]:
        self.taken.append(taken)
        return (yield from self.commands.answer(taken, [b"done: " + taken.data]))

    def keep(self, taken: TakenCommand) -> Generator[None, None, bool]:
        self.taken.append(taken)
        yield from ()
        return True


def test_a_command_is_answered_with_its_identifier() -> None:
    rig = Rig()
    rig.command(MsgId=b"m" * 24)
    assert not rig.commands.serve(rig.answer)
    md, data = rig.get("ANSWERS")
    assert (data, md.MsgType, md.CorrelId) == (b"done: do it", C.MQMT_REPLY, b"m" * 24)
    assert rig.depth(COMMANDS) == 0 and not rig.qm.core.units
    assert rig.taken[0].sender.user == "alice"


def test_no_more_at_once_than_lets_applications_have_their_turn() -> None:
    rig = Rig()
    for _ in range(COMMANDS_AT_ONCE + 1):
        rig.command()
    assert rig.commands.serve(rig.answer)
    assert len(rig.taken) == COMMANDS_AT_ONCE
    assert not rig.commands.serve(rig.answer)
    assert rig.depth("ANSWERS") == COMMANDS_AT_ONCE + 1


def test_an_answer_is_seen_when_all_before_it_is_on_disk() -> None:
    """It may tell of what somebody else has put and not forced yet."""
    rig = Rig()
    rig.command()
    rig.queue("OTHER")
    rig.put("OTHER", b"just logged", Persistence=C.MQPER_PERSISTENT)
    logged = rig.qm.last_lsn
    rig.commands.serve(rig.answer)
    reader = rig.qm.connect("bob", "reader")
    rig.hconn = reader
    rig.get("ANSWERS")
    assert rig.qm.connection(reader).lsn >= logged


def test_those_behind_one_that_waits_are_served() -> None:
    rig = Rig()
    rig.command(b"slow")
    rig.commands.serve(rig.keep)
    rig.command(b"quick")
    rig.commands.serve(rig.answer)
    assert rig.get("ANSWERS")[1] == b"done: quick"
    slow = rig.taken[0]
    rig.commands.answer_late(slow, [b"at last"])
    assert rig.get("ANSWERS")[1] == b"at last"
    assert not rig.qm.core.units


def test_of_an_application_that_reads_the_queue_alone_nothing_is_taken() -> None:
    rig = Rig()
    hobj = rig.open(COMMANDS, C.MQOO_INPUT_EXCLUSIVE)
    rig.command()
    rig.commands.serve(rig.answer)
    assert not rig.taken
    rig.close(hobj)
    rig.commands.serve(rig.answer)
    assert len(rig.taken) == 1


def test_a_command_whose_time_is_over_is_not_run() -> None:
    rig = Rig()
    rig.command(b"late", Expiry=10)
    rig.clock.advance(2)
    rig.command(b"in time", Expiry=100)
    rig.commands.serve(rig.answer)
    assert [taken.data for taken in rig.taken] == [b"in time"]
    assert rig.taken[0].md.Expiry == 100


def test_an_error_of_a_command_ends_nothing() -> None:
    rig = Rig()
    said: list[str] = []
    rig.qm.say = said.append
    rig.command()

    def broken(taken: TakenCommand) -> Generator[None, None, bool]:
        raise OSError(28, "No space left on device")

    assert not rig.commands.serve(broken)
    assert rig.qm.failure is None and "AMQ8506" in said[0]


def _gives_way(rig: Rig, monkeypatch: pytest.MonkeyPatch, full: int) -> list[str]:
    """Serve a command whose unit of work gives way while it runs; the log is full for so many gets after that."""
    said: list[str] = []
    monkeypatch.setattr(rig.qm, "say", said.append)
    monkeypatch.setattr(rig.qm, "make_log_room", lambda: True)
    take, left = rig.core.take, full

    def take_or_not(*args: Any) -> int:
        nonlocal left
        if left:
            left -= 1
            raise LogFull("no room")
        return take(*args)

    def run(taken: TakenCommand) -> Generator[None, None, bool]:
        rig.core.backout(taken.unit, counted=False)
        monkeypatch.setattr(rig.core, "take", take_or_not)
        return rig.answer(taken)

    rig.command(b"needs room", Persistence=C.MQPER_PERSISTENT)
    assert not rig.commands.serve(run)
    return said


@pytest.mark.parametrize("full", [0, 1])
def test_a_command_that_gave_way_is_taken_again_and_answered(monkeypatch: pytest.MonkeyPatch, full: int) -> None:
    rig = Rig()
    assert _gives_way(rig, monkeypatch, full) == []
    assert rig.get("ANSWERS")[1] == b"done: needs room"
    assert rig.depth(COMMANDS) == 0 and not rig.core.units


def test_a_command_that_gave_way_and_cannot_be_taken_again_stays_without_an_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rig = Rig()
    (text,) = _gives_way(rig, monkeypatch, full=2)
    assert text.startswith("AMQ8506")
    assert rig.depth("ANSWERS") == 0 and rig.depth(COMMANDS) == 1 and not rig.core.units
    monkeypatch.undo()
    rig.commands.serve(rig.answer)
    assert rig.get("ANSWERS")[1] == b"done: needs room"
