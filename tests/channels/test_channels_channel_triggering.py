"""Channels that are started by messages on their transmission queues, and the initiation queues for it."""

from __future__ import annotations

import pytest
from helper_network import CHANNEL, TRIGGER, network, refused

from libremq.mqi import constants as C

QUIESCE = C.MQMODE_QUIESCE


@pytest.mark.parametrize("how", ["TRIGDATA", "USERDATA", "XMITQ"])
def test_a_message_on_the_transmission_queue_starts_the_channel(how: str) -> None:
    net, one, two = network()
    more = {}
    if how == "TRIGDATA":
        more = {"TRIGDATA": CHANNEL}
    elif how == "USERDATA":
        one.qm.define("PROCESS", "P", {"USERDATA": CHANNEL})
        more = {"PROCESS": "P"}
    one.qm.alter("QLOCAL", "QM2", {**TRIGGER, **more})
    one.put("TARGET", b"go", qmgr="QM2")
    net.run()
    assert one.states == {CHANNEL: "RUNNING"} and two.content("TARGET") == [b"go"]
    assert one.depth("SYSTEM.CHANNEL.INITQ") == 0


def test_a_trigger_that_names_nothing_is_said_and_dropped() -> None:
    net, one, _ = network()
    one.qm.alter("QLOCAL", "QM2", {**TRIGGER, "TRIGDATA": "NOWHERE"})
    one.put("TARGET", b"go", qmgr="QM2")
    net.run()
    assert "NOWHERE" in one.last_said(9603) and "PCF" not in one.last_said(9603)
    one.put("SYSTEM.CHANNEL.INITQ", b"nonsense")
    one.put("SYSTEM.CHANNEL.INITQ", b"nonsense", Format="MQTRIG")
    net.run()
    assert one.times_said(9603) == 3 and one.states == {} and one.depth("SYSTEM.CHANNEL.INITQ") == 0


def test_triggers_do_not_start_what_is_stopped_nor_hasten_a_retry() -> None:
    net, one, _ = network(trigger=TRIGGER, SHORTTMR=100)
    net.down.add("qm2")
    one.put("TARGET", b"one", qmgr="QM2")
    net.run()
    assert one.states == {CHANNEL: "RETRYING"} and len(net.dialled) == 1
    one.get("QM2")
    one.put("TARGET", b"two", qmgr="QM2")
    net.run()
    assert len(net.dialled) == 1
    one.initiator.stop(CHANNEL, QUIESCE)
    one.get("QM2")
    one.put("TARGET", b"three", qmgr="QM2")
    net.pass_time(1000)
    assert len(net.dialled) == 1 and one.states == {CHANNEL: "STOPPED"}
    assert one.times_said(9603) == 0
    assert one.times_said(9001) == 0 and "it did not run" in one.last_said(9528)


def test_messages_that_come_while_a_channel_disconnects_start_it_again() -> None:
    net, one, two = network(trigger=TRIGGER, DISCINT=30)
    one.put("TARGET", b"one", qmgr="QM2")
    net.run()
    net.pass_time(31)
    assert one.states == two.states == {} and one.times_said(9001) == two.times_said(9001) == 1
    one.put("TARGET", b"two", qmgr="QM2")
    net.run()
    assert two.content("TARGET") == [b"one", b"two"]


def test_start_chinit_reads_another_queue() -> None:
    net, one, _ = network()
    one.define("QLOCAL", "MY.INITQ")
    one.qm.alter("QLOCAL", "QM2", {**TRIGGER, "INITQ": "MY.INITQ"})
    one.put("TARGET", b"go", qmgr="QM2")
    net.run()
    assert one.states == {}
    one.initiator.serve("MY.INITQ")
    net.run()
    assert one.states == {CHANNEL: "RUNNING"}
    assert one.initiator.initiation_queues == ["SYSTEM.CHANNEL.INITQ", "MY.INITQ"]
    with refused(C.MQRC_OBJECT_IN_USE):
        one.initiator.serve("MY.INITQ")
    with refused(C.MQRC_UNKNOWN_OBJECT_NAME):
        one.initiator.serve("NOWHERE")
    one.define("QLOCAL", "THIRD.INITQ")
    one.initiator.serve("THIRD.INITQ")
    one.define("QLOCAL", "FOURTH.INITQ")
    with refused(C.MQRCCF_CHANNEL_INITIATOR_ERROR):
        one.initiator.serve("FOURTH.INITQ")


def test_schinit_manual_reads_none() -> None:
    net, one, _ = network(trigger=TRIGGER)
    one.qm.alter("QMGR", "", {"SCHINIT": "MANUAL"})
    one.crash()
    one.put("TARGET", b"go", qmgr="QM2")
    net.run()
    assert one.states == {} and one.initiator.initiation_queues == []
    one.initiator.serve()
    net.run()
    assert one.states == {CHANNEL: "RUNNING"}


def test_an_initiation_queue_whose_gets_are_inhibited_is_read_when_they_are_not() -> None:
    net, one, _ = network(trigger=TRIGGER)
    one.put("SYSTEM.CHANNEL.INITQ", b"first")
    one.qm.alter("QLOCAL", "SYSTEM.CHANNEL.INITQ", {"GET": "DISABLED"})
    net.run()
    one.qm.alter("QLOCAL", "SYSTEM.CHANNEL.INITQ", {"GET": "ENABLED"})
    net.run()
    assert one.depth("SYSTEM.CHANNEL.INITQ") == 0 and one.initiator.initiation_queues
    one.put("TARGET", b"go", qmgr="QM2")
    net.run()
    assert one.states == {CHANNEL: "RUNNING"}
