"""What docs/reference/channels.md says of commands, defaults and messages is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import libremq
from libremq.common.messages.amq_messages import ROWS
from libremq.mqi import constants as C

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "channels.md").read_text(encoding="utf-8")
COMMANDS = re.compile(r"^(?:DEFINE|ALTER|SET) .*$", re.MULTILINE)


def blocks() -> list[str]:
    return re.findall(r"^```\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_its_definitions_are_understood(queue_manager: libremq.QueueManager) -> None:
    """In the order of the page; what only one of the two cities has is made up first."""
    queue_manager.mqsc("DEFINE CHANNEL(LONDON.PARIS) CHLTYPE(SDR) CONNAME('a(1)') XMITQ(PARIS)")
    done = 0
    for block in blocks():
        for command in COMMANDS.findall(block):
            if "CHLTYPE(RCVR)" in command and "LONDON.PARIS" in command:
                continue  # the sender's end is here
            if command.startswith("DEFINE CHANNEL(LONDON.PARIS)"):
                command += " REPLACE"
            (answer,) = queue_manager.mqsc(command)
            assert answer.state == "done", answer
            done += 1
    assert done >= 12


def test_its_receiving_end_is_understood(queue_manager: libremq.QueueManager) -> None:
    queue_manager.mqsc("DEFINE CHANNEL(LONDON.PARIS) CHLTYPE(RCVR)")
    found = [line for block in blocks() for line in COMMANDS.findall(block) if "(LONDON.PARIS) CHLTYPE(RCVR)" in line]
    assert len(found) == 2
    for command in found:
        (answer,) = queue_manager.mqsc(command)
        assert answer.state == "done", answer


BATCHES = ["BATCHSZ", "BATCHLIM", "BATCHINT"]
TIMES = ["DISCINT", "HBINT", "KAINT", "SHORTRTY", "SHORTTMR", "LONGRTY", "LONGTMR"]


@pytest.mark.parametrize(
    ("channel", "names"), [("SYSTEM.DEF.SENDER", BATCHES + TIMES), ("SYSTEM.DEF.RECEIVER", ["MRRTY", "MRTMR"])]
)
def test_its_defaults_are_those_of_the_supplied_channels(
    queue_manager: libremq.QueueManager, channel: str, names: list[str]
) -> None:
    (row,) = queue_manager.mqsc(f"DISPLAY CHANNEL({channel}) ALL")[0].rows
    for name in names:
        said = re.search(rf"^\|.*?\b{name}\((\w+)\)", PAGE, re.MULTILINE)
        assert said is not None, name
        assert str(row[name.lower()]) == said[1], name


def test_its_messages_are_there_with_their_severities() -> None:
    found = set(re.findall(r"AMQ(\d{4})([A-Z])", PAGE))
    assert len(found) > 30
    assert {(number, ROWS[int(number)].severity) for number, _ in found} == found


def test_its_states_are_those_that_there_are() -> None:
    table = PAGE[PAGE.index("## States") : PAGE.index("## When somebody dies")]
    states = set(re.findall(r"^\| ([A-Z]+) \|", table, re.MULTILINE)) - {"STATUS"}
    never = {"INACTIVE", "DISCONNECTED", "INITIALIZING", "SWITCHING"}
    assert states == {name.removeprefix("MQCHS_") for name in dir(C) if name.startswith("MQCHS_")} - never
