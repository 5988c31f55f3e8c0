"""Partners that call: who may call whom, who takes over, and receivers that are defined for a call."""

from __future__ import annotations

from typing import Any

import pytest
from helper_network import CHANNEL, Network, answer, events, network, offer

from libremq.mqi import constants as C
from libremq.wire.protocol import CAP1_CLIENT, CAP1_MESSAGE_CHANNEL, CAP1_REQUESTER, Status


@pytest.mark.parametrize(
    ("kind", "caps", "status"),
    [
        ("RCVR", CAP1_REQUESTER, Status.CHANNEL_WRONG_TYPE),
        ("RQSTR", CAP1_REQUESTER, Status.CHANNEL_WRONG_TYPE),
        ("SDR", CAP1_MESSAGE_CHANNEL, Status.CHANNEL_WRONG_TYPE),
        ("SVR", CAP1_MESSAGE_CHANNEL, Status.CHANNEL_WRONG_TYPE),
        ("SVRCONN", CAP1_MESSAGE_CHANNEL, Status.CHANNEL_WRONG_TYPE),
        ("CLUSRCVR", CAP1_MESSAGE_CHANNEL, Status.CHANNEL_WRONG_TYPE),
        ("", CAP1_MESSAGE_CHANNEL, Status.NO_CHANNEL),
        ("", CAP1_REQUESTER, Status.NO_CHANNEL),
        ("SDR", CAP1_REQUESTER, Status.USER_CLOSED),
        ("RCVR", CAP1_MESSAGE_CHANNEL, None),
        ("RQSTR", CAP1_MESSAGE_CHANNEL, None),
        ("SVR", CAP1_REQUESTER, None),
    ],
)
def test_who_may_call_whom(kind: str, caps: int, status: int | None) -> None:
    net = Network("QM1", "QM2")
    two = net.hosts["qm2"]
    two.define("QLOCAL", "QM1", USAGE=C.MQUS_TRANSMISSION)
    more: dict[str, Any] = {"XMITQ": "QM1"} if kind in ("SDR", "SVR") else {}
    if kind in ("SDR", "RQSTR", "CLUSRCVR"):
        more["CONNAME"] = "qm1(1414)"
    if kind:
        two.qm.define(kind, CHANNEL, more)
    got = answer(net, offer(net, two, caps))
    assert (got.code if got is not None else None) == status
    assert bool(got and got.close_channel and status == Status.USER_CLOSED) == (status == Status.USER_CLOSED)
    if status not in (None, Status.USER_CLOSED):
        assert two.times_said({Status.NO_CHANNEL: 9519}.get(Status(status), 9502)) == 1
        assert two.states == {}


def test_a_partner_that_calls_again_takes_over() -> None:
    net, _, two = network()
    first = offer(net, two)
    assert answer(net, first) is None
    (old,) = two.initiator.agents
    second = offer(net, two)
    assert answer(net, second) is None
    (new,) = two.initiator.agents
    assert new is not old and old.ended is not None and first.far.closed
    assert two.times_said(9569) == 1


@pytest.mark.parametrize(
    ("wrong", "status"), [({"fap_level": 3}, Status.FAP_LEVEL), ({"sequence_wrap": 77}, Status.WRAP_VALUE_ERROR)]
)
def test_a_call_that_cannot_work_takes_nothing_over(wrong: dict[str, int], status: int) -> None:
    net, _, two = network()
    answer(net, offer(net, two))
    (old,) = two.initiator.agents
    got = answer(net, offer(net, two, **wrong))
    assert got is not None and got.code == status
    assert two.initiator.agents == [old] and old.ended is None


def test_a_partner_at_another_address_does_not_take_over_unless_it_may() -> None:
    net, _, two = network()
    answer(net, offer(net, two))
    (old,) = two.initiator.agents
    got = answer(net, offer(net, two, address="elsewhere"))
    assert got is not None and got.code == Status.CHANNEL_UNAVAILABLE
    assert two.initiator.agents == [old] and two.times_said(9571) == 1
    two.with_rules(adopt_from_anywhere=True)
    answer(net, offer(net, two))
    assert answer(net, offer(net, two, address="elsewhere")) is None
    two.with_rules(adopt=False)
    answer(net, offer(net, two))
    got = answer(net, offer(net, two))
    assert got is not None and got.code == Status.CHANNEL_UNAVAILABLE and two.times_said(9514) == 1


def test_a_requester_that_calls_again_frees_a_server_or_sender_that_hangs() -> None:
    for sender in ("SVR", "SDR"):
        net, one, two = network(sender, "RQSTR")
        two.initiator.start(CHANNEL)
        net.run()
        one.put("TARGET", b"lost", qmgr="QM2")
        two.crash()
        net.links.clear()  # the other end hears nothing of it
        assert one.states == {CHANNEL: "RUNNING"}
        two.initiator.start(CHANNEL)
        net.run()
        assert one.states == two.states == {CHANNEL: "RUNNING"}, sender
        assert one.times_said(9569) == 1
        assert two.content("TARGET") == [b"lost"]


def test_a_receiver_is_defined_for_a_partner_if_that_is_wanted() -> None:
    net, _, two = network()
    two.qm.delete("RCVR", CHANNEL)
    got = answer(net, offer(net, two))
    assert got is not None and got.code == Status.NO_CHANNEL
    two.qm.alter("QMGR", "", {"CHAD": "ENABLED", "CHADEV": "ENABLED"})
    two.qm.alter("RCVR", "SYSTEM.AUTO.RECEIVER", {"BATCHSZ": 7})
    assert answer(net, offer(net, two)) is None
    assert two.channel().kind == "RCVR" and two.channel().batchsz == 7
    got = answer(net, offer(net, two, channel="BAD NAME"))
    assert got is not None and got.code == Status.NO_CHANNEL
    got = answer(net, offer(net, two, CAP1_REQUESTER, channel="OTHER"))
    assert got is not None and got.code == Status.NO_CHANNEL and "OTHER" not in two.qm.core.catalogue.channels
    two.qm.alter("QMGR", "", {"CHADEXIT": "exit"})
    got = answer(net, offer(net, two, channel="OTHER"))
    assert got is not None and got.code == Status.NO_CHANNEL
    assert events(two)[:1] == [(C.MQRC_CHANNEL_AUTO_DEF_OK, None)]
    assert {reason for reason, _ in events(two)[1:]} <= {C.MQRC_CHANNEL_AUTO_DEF_ERROR}


def test_clients_are_told_that_it_is_no_channel_for_them() -> None:
    net, _, two = network()
    link = offer(net, two, CAP1_CLIENT, channel="SYSTEM.DEF.SVRCONN")
    got = answer(net, link)
    assert got is not None and got.code == Status.CHANNEL_WRONG_TYPE
