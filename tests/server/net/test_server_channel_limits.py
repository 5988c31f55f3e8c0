"""MaxChannels and MaxActiveChannels: they count channels of clients and of partners; local applications come in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from helper_partners import Partner, receiver
from helper_peers import wait_until

import libremq
from libremq.channels.initiator import ChannelRules
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.pcf import MQCFIN, MQCFST, unpack_message
from libremq.server.net.event_loop import EventLoopLimits
from libremq.testing.serving import Served, served_queue_manager
from libremq.wire.protocol import Status

EVENTS = "SYSTEM.ADMIN.CHANNEL.EVENT"
CLIENT_CHANNEL = "SYSTEM.DEF.SVRCONN"
LIMITS = [
    pytest.param(
        ChannelRules(channels_max=2, active_max=100), "MaxChannels", C.MQRQ_MAX_CHANNELS, C.MQIA_MAX_CHANNELS,
        id="MaxChannels",
    ),
    pytest.param(
        ChannelRules(channels_max=100, active_max=2), "MaxActiveChannels", C.MQRQ_MAX_ACTIVE_CHANNELS,
        C.MQIA_ACTIVE_CHANNELS, id="MaxActiveChannels",
    ),
]  # fmt: skip


@contextmanager
def serving(folder: Path, rules: ChannelRules, said: list[str]) -> Iterator[Served]:
    data = folder / "libremq"
    with served_queue_manager(folder=data, channel_rules=rules, say=said.append) as served:
        receiver(served)
        with libremq.connect(served.url("local")) as qm:
            qm.alter("QMGR", "", CHLEV="EXCEPTION")
        yield served


def connected(served: Served, binding: str) -> libremq.QueueManager:
    qm = libremq.connect(served.url(binding))
    assert qm.queue(EVENTS).depth is not None
    return qm


def refused(served: Served, binding: str = "mq") -> MQError:
    with pytest.raises(MQError) as caught:
        connected(served, binding)
    return caught.value


def only_event(served: Served) -> dict[int, object]:
    with libremq.connect(served.url("local")) as qm:
        (message,) = qm.queue(EVENTS)
    header, parameters = unpack_message(message.data)
    assert header.Reason == C.MQRC_CHANNEL_NOT_AVAILABLE
    return {
        one.Parameter: one.Value if isinstance(one, MQCFIN) else one.String.rstrip()
        for one in parameters
        if isinstance(one, MQCFIN | MQCFST)
    }


def only_refusal(said: list[str]) -> str:
    (line,) = [line for line in said if "AMQ9513E" in line]
    return line


@pytest.mark.parametrize(("rules", "name", "qualifier", "limit"), LIMITS)
def test_a_client_beyond_the_limit(tmp_path: Path, rules: ChannelRules, name: str, qualifier: int, limit: int) -> None:
    said: list[str] = []
    with serving(tmp_path, rules, said) as served, ExitStack() as stack:
        for _ in range(4):  # they do not count
            stack.enter_context(connected(served, "local"))
        first, _ = [stack.enter_context(connected(served, "mq")) for _ in range(2)]
        assert refused(served).reason == C.MQRC_CHANNEL_NOT_AVAILABLE
        line = only_refusal(said)
        assert f"2 channels are in use ({name})" in line and CLIENT_CHANNEL in line
        values = only_event(served)
        assert (values[C.MQIACF_REASON_QUALIFIER], values[limit]) == (qualifier, 2)
        assert (values[C.MQCACH_CHANNEL_NAME], values[C.MQCACH_CONNECTION_NAME]) == (CLIENT_CHANNEL, "127.0.0.1")
        stack.enter_context(connected(served, "local"))
        assert sum(link.local for link in served.event_loop.links) >= 5
        first.close()
        wait_until(lambda: served.event_loop.instances.get(CLIENT_CHANNEL) == 1)
        stack.enter_context(connected(served, "mq"))
    assert not served.event_loop.instances


@pytest.mark.parametrize(("rules", "name", "qualifier", "limit"), LIMITS)
def test_a_partner_beyond_the_limit(tmp_path: Path, rules: ChannelRules, name: str, qualifier: int, limit: int) -> None:
    said: list[str] = []
    with serving(tmp_path, rules, said) as served, ExitStack() as stack:
        clients = [stack.enter_context(connected(served, "mq")) for _ in range(2)]
        with Partner(served.port) as partner:
            partner.bind()
            assert partner.refused().code == Status.CHANNEL_UNAVAILABLE
        line = only_refusal(said)
        assert f"2 channels are in use ({name})" in line and "TO.QM1" in line
        values = only_event(served)
        assert (values[C.MQIACF_REASON_QUALIFIER], values[limit]) == (qualifier, 2)
        assert (values[C.MQCACH_CHANNEL_NAME], values[C.MQCACH_CONNECTION_NAME]) == ("TO.QM1", "127.0.0.1")
        clients[0].close()
        wait_until(lambda: served.event_loop.instances.get(CLIENT_CHANNEL) == 1)
        with Partner(served.port) as partner:
            partner.agree()
            partner.resynchronise()


def test_an_administrator_comes_in_and_makes_room(tmp_path: Path) -> None:
    said: list[str] = []
    with serving(tmp_path, ChannelRules(channels_max=1, active_max=1), said) as served, Partner(served.port) as partner:
        partner.agree()
        partner.resynchronise()
        assert refused(served).reason == C.MQRC_CHANNEL_NOT_AVAILABLE
        with libremq.connect(served.url("local")) as qm:
            (shown,) = qm.mqsc("DISPLAY CHSTATUS(*)")
            assert any("TO.QM1" in line for line in shown.lines)
            (answer,) = qm.mqsc("STOP CHANNEL(TO.QM1) MODE(FORCE) STATUS(INACTIVE)")
            assert not answer.reason
        partner.refused()
        with connected(served, "mq"):
            pass


def test_local_applications_come_in_when_other_sockets_are_all_in_use(tmp_path: Path) -> None:
    """Up to a limit: each socket takes an open file."""
    limits = EventLoopLimits(links_max=2)
    said: list[str] = []
    with served_queue_manager(folder=tmp_path / "libremq", limits=limits, say=said.append) as served:
        with ExitStack() as stack:
            for _ in range(2):
                stack.enter_context(connected(served, "mq"))
            assert refused(served).reason == C.MQRC_CHANNEL_NOT_AVAILABLE
            assert "2 sockets are open" in only_refusal(said) and "MaxChannels" not in only_refusal(said)
            said.clear()
            stack.enter_context(connected(served, "local"))
            with pytest.raises(MQError):
                for _ in range(200):
                    stack.enter_context(connected(served, "local"))
            assert "sockets are open" in only_refusal(said)
        wait_until(lambda: not served.event_loop.sockets)
        with connected(served, "mq"):
            pass
