"""The soak of channels: short runs of it, and books that are wrong on purpose."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from soak.channels import books
from soak.channels.books import Collected, Figures
from soak.channels.network import Namespaces
from soak.channels.proxy import BACK, FORTH, Line
from soak.channels.topology import ANSWER, CHANNELS, COLLECTED, SENDERS, commands
from soak.ledger import Ledger

ROOT = Path(__file__).parents[1]
LIMIT_S = 1200  # a busy machine takes many times as long as a quiet one


def have_namespaces() -> bool:
    try:
        Namespaces().close()
    except OSError:
        return False
    return True


def run(command: list[str]) -> str:
    """What a soak says that finds nothing. One that takes too long is told to end, so that it leaves nothing behind."""
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            said, _ = process.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            process.terminate()
            said, _ = process.communicate()
    assert process.returncode == 0, said
    return said


@pytest.mark.parametrize("network", ["ports", "namespaces"])
def test_a_short_soak(network: str, tmp_path: Path) -> None:
    if network == "namespaces" and not have_namespaces():
        pytest.skip("network namespaces are not allowed here")
    command = [sys.executable, "-m", "soak.channels", "--network", network, "--folder", str(tmp_path), "--seed", "7"]
    said = run([*command, "--seconds", "5"])
    figures = dict(re.findall(r"^ *(.+?)  +(\d+)$", said, re.MULTILINE))
    assert int(figures["findings"]) == 0
    assert int(figures["faults"]) >= 3
    assert int(figures["persistent"]) > 100
    assert int(figures["answers that came back"]) > 20
    assert not list(tmp_path.iterdir())


# The books


class Round:
    """A round of which the books are right: every application has put two units of two messages."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ledgers: dict[str, Ledger] = {}
        self.collected: Collected = {(name, queue): [] for name, queues in COLLECTED.items() for queue in queues}
        for sender in SENDERS:
            self.ledgers[sender.name] = Ledger(folder / sender.name)
            for unit in (1, 2):
                numbers = [f"1.{sender.name}.{2 * unit - 1}", f"1.{sender.name}.{2 * unit}"]
                self.unit(sender.name, unit, numbers, "commit", "committed")
                for manager, queue, prefix in sender.checked:
                    self.collected[manager, queue] += [prefix + number for number in numbers]

    def unit(self, name: str, unit: int, numbers: list[str], *states: str, persistent: bool = True) -> None:
        self.ledgers[name].write("unit", unit, [[number, persistent] for number in numbers])
        for state in states:
            self.ledgers[name].write(state, unit)

    def findings(self) -> dict[str, int]:
        return dict(Counter(finding.kind for finding in books.check(self.folder, self.collected, Figures())))


@pytest.fixture
def round_(tmp_path: Path) -> Iterator[Round]:
    found = Round(tmp_path)
    yield found
    for ledger in found.ledgers.values():
        ledger.close()


def test_books_that_are_right(round_: Round) -> None:
    figures = Figures()
    assert books.check(round_.folder, round_.collected, figures) == []
    assert (figures.units, figures.committed, figures.persistent) == (10, 20, 20)
    assert figures.answers == 8


@pytest.mark.parametrize("number", ["1.A.2", "1.A.4"])
def test_a_message_that_did_not_arrive_is_lost(round_: Round, number: str) -> None:
    round_.collected["QM3", "ARRIVED"].remove(number)
    assert round_.findings() == {"lost": 1}


def test_an_answer_that_did_not_arrive_is_lost(round_: Round) -> None:
    round_.collected["QM1", "REPLIES"].remove(f"{ANSWER}1.B.3")
    assert round_.findings() == {"lost": 1}


def test_a_message_that_came_twice_is_doubled(round_: Round) -> None:
    round_.collected["QM1", "INBOX"].append("1.C.4")
    assert round_.findings() == {"doubled": 1}


def test_a_message_of_an_earlier_round_is_doubled(round_: Round) -> None:
    round_.collected["QM1", "INBOX"].append("0.C.4")
    assert round_.findings() == {"doubled": 1}


def test_messages_in_another_order(round_: Round) -> None:
    found = round_.collected["QM3", "INBOX"]
    found[1], found[2] = found[2], found[1]
    assert round_.findings() == {"out of order": 1}


def test_a_message_that_is_damaged(round_: Round) -> None:
    round_.collected["QM3", "INBOX"].append(None)
    assert round_.findings() == {"damaged": 1}


def test_half_of_a_unit_whose_commit_was_not_answered_is_torn(round_: Round) -> None:
    round_.unit("C", 3, ["1.C.5", "1.C.6"], "commit")
    assert round_.findings() == {}
    round_.collected["QM1", "INBOX"].append("1.C.5")
    assert round_.findings() == {"torn": 1}
    round_.collected["QM1", "INBOX"].append("1.C.6")
    assert round_.findings() == {}


@pytest.mark.parametrize("states", [(), ("backout", "undone"), ("commit", "undone")])
def test_a_unit_that_was_not_committed_is_revived(round_: Round, states: tuple[str, ...]) -> None:
    round_.unit("C", 3, ["1.C.5"], *states)
    assert round_.findings() == {}
    round_.collected["QM1", "INBOX"].append("1.C.5")
    assert round_.findings() == {"revived": 1}


def test_what_is_not_persistent_may_be_lost_but_not_doubled(round_: Round) -> None:
    round_.unit("C", 3, ["1.C.5"], "commit", "committed", persistent=False)
    assert round_.findings() == {}
    round_.collected["QM1", "INBOX"] += ["1.C.5", "1.C.5"]
    assert round_.findings() == {"doubled": 1}


def test_an_alarm_of_an_application_is_a_finding(round_: Round) -> None:
    round_.ledgers["D"].write("alarm", "something happened")
    assert round_.findings() == {"stopped": 1}


def test_every_queue_and_channel_is_defined() -> None:
    addresses = {channel.name: "127.0.0.1(1)" for channel in CHANNELS}
    text = {name: commands(name, addresses) for name in COLLECTED}
    for channel in CHANNELS:
        assert f"CHANNEL({channel.name}) CHLTYPE(SDR)" in text[channel.source]
        assert f"CHANNEL({channel.name}) CHLTYPE(RCVR)" in text[channel.target]
    for sender in SENDERS:
        assert f"QLOCAL({sender.queue})" in text[sender.to]


# The line


@pytest.fixture
def line() -> Iterator[tuple[Line, socket.socket, socket.socket]]:
    """A line, and both ends of a connection over it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        line = Line(lambda: server.getsockname()[1])
        with socket.create_connection(("127.0.0.1", line.port), timeout=60) as caller:
            called, _ = server.accept()
            with called:
                called.settimeout(60)
                yield line, caller, called
        line.close()


def is_broken(end: socket.socket) -> bool:
    try:
        return end.recv(1) == b""
    except ConnectionResetError:
        return True


def nobody_answers(port: int) -> bool:
    """A connection may even be broken before it is made."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=60) as another:
            return is_broken(another)
    except ConnectionError:
        return True


def test_a_line_carries_both_ways(line: tuple[Line, socket.socket, socket.socket]) -> None:
    _, caller, called = line
    for source, target in ((caller, called), (called, caller)):
        source.sendall(b"hello")
        assert target.recv(5, socket.MSG_WAITALL) == b"hello"
    caller.close()
    assert called.recv(1) == b""


def test_a_line_that_is_cut(line: tuple[Line, socket.socket, socket.socket]) -> None:
    cut, caller, called = line
    caller.sendall(b"x")
    assert called.recv(1) == b"x"
    cut.cut()
    assert is_broken(caller) and is_broken(called)
    assert nobody_answers(cut.port)
    assert cut.broken == 1


def test_a_line_that_is_cut_after_some_bytes(line: tuple[Line, socket.socket, socket.socket]) -> None:
    cut, caller, called = line
    cut.cut_after(3)
    caller.sendall(b"hello")
    assert is_broken(caller)
    received = b""
    try:
        while part := called.recv(9):
            received += part
    except ConnectionResetError:
        pass
    assert b"hel".startswith(received)


def test_a_line_that_is_stalled_goes_on_afterwards(line: tuple[Line, socket.socket, socket.socket]) -> None:
    stalled, caller, called = line
    stalled.stall(BACK)
    called.sendall(b"late")
    caller.sendall(b"in time")
    assert called.recv(7, socket.MSG_WAITALL) == b"in time"
    caller.setblocking(False)
    with pytest.raises(BlockingIOError):
        caller.recv(1)
    caller.settimeout(60)
    stalled.stall(FORTH)
    stalled.mend()
    assert caller.recv(4, socket.MSG_WAITALL) == b"late"
