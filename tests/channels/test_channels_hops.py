"""Several queue managers in a line: names, aliases, replies and reports that find their way over triggered channels."""

from __future__ import annotations

from typing import Any

import pytest
from helper_network import TRIGGER, Host, Network

from libremq.mqi import constants as C


def line(*, compress: bool = False) -> tuple[Network, Host, Host, Host]:
    """QM1, QM2, QM3: neighbours have channels both ways, started by triggers; the ends know each other by QM2."""
    net = Network("QM1", "QM2", "QM3")
    one, two, three = net.hosts.values()
    more: dict[str, Any] = {}
    if compress:
        more = {"COMPMSG": (C.MQCOMPRESS_ZLIBFAST,), "COMPHDR": (C.MQCOMPRESS_SYSTEM,)}
    for here, there in ((one, two), (two, one), (two, three), (three, two)):
        channel = f"{here.name}.TO.{there.name}"
        here.define("QLOCAL", there.name, USAGE=C.MQUS_TRANSMISSION, TRIGDATA=channel, **TRIGGER)
        here.define("SDR", channel, XMITQ=there.name, CONNAME=f"{there.name.lower()}(1414)", **more)
        there.define("RCVR", channel, **more)
    one.define("QREMOTE", "QM3", RQMNAME="QM3", XMITQ="QM2")
    three.define("QREMOTE", "QM1", RQMNAME="QM1", XMITQ="QM2")
    for host in (one, two, three):
        host.define("QLOCAL", "DLQ")
        host.qm.alter("QMGR", "", {"DEADQ": "DLQ"})
    one.define("QLOCAL", "REPLIES")
    three.define("QLOCAL", "TARGET")
    return net, one, two, three


@pytest.mark.parametrize("compress", [False, True])
def test_a_request_over_two_hops_and_its_reply_back(compress: bool) -> None:
    net, one, two, three = line(compress=compress)
    one.put("TARGET", b"question " * 50, qmgr="QM3", MsgType=C.MQMT_REQUEST, ReplyToQ="REPLIES")
    net.run()
    request, data = three.get("TARGET")
    assert data == b"question " * 50
    assert (request.ReplyToQ.strip(), request.ReplyToQMgr.strip()) == ("REPLIES", "QM1")
    three.put(
        request.ReplyToQ.strip(), b"answer", qmgr=request.ReplyToQMgr.strip(), MsgType=C.MQMT_REPLY,
        CorrelId=request.MsgId,
    )  # fmt: skip
    net.run()
    reply, data = one.get("REPLIES")
    assert (data, reply.CorrelId) == (b"answer", request.MsgId)
    assert [host.depth("DLQ") for host in (one, two, three)] == [0, 0, 0]


def test_reports_come_back_over_the_channels() -> None:
    net, one, _, three = line()
    report = C.MQRO_COA | C.MQRO_COD | C.MQRO_PASS_CORREL_ID
    one.put("TARGET", b"tell me", qmgr="QM3", Report=report, ReplyToQ="REPLIES", CorrelId=b"k" * 24)
    net.run()
    arrived, _ = one.get("REPLIES")
    assert (arrived.MsgType, arrived.Feedback, arrived.CorrelId) == (C.MQMT_REPORT, C.MQFB_COA, b"k" * 24)
    three.get("TARGET")
    net.run()
    delivered, _ = one.get("REPLIES")
    assert (delivered.Feedback, delivered.CorrelId) == (C.MQFB_COD, b"k" * 24)


def test_an_exception_on_the_way_is_reported_and_the_message_kept_there() -> None:
    net, one, two, three = line()
    one.put("NOWHERE", b"lost?", qmgr="QM3", Report=C.MQRO_EXCEPTION_WITH_DATA, ReplyToQ="REPLIES")
    net.run()
    report, data = one.get("REPLIES")
    assert (report.Feedback, data) == (C.MQRC_UNKNOWN_OBJECT_NAME, b"lost?")
    assert (two.depth("DLQ"), three.depth("DLQ")) == (0, 1)
    # And one whose queue manager the middle does not know stays in the middle
    one.define("QREMOTE", "QM9", RQMNAME="QM9", XMITQ="QM2")
    one.put("ANY", b"further", qmgr="QM9")
    net.run()
    assert two.depth("DLQ") == 1


def test_aliases_of_queue_managers_and_of_reply_queues() -> None:
    net, one, two, three = line()
    # Under another name from here, renamed in the middle, and home at the end
    one.define("QREMOTE", "PAYMENTS", RNAME="TARGET", RQMNAME="BANK", XMITQ="QM2")
    two.define("QREMOTE", "BANK", RQMNAME="QM3")
    one.define("QREMOTE", "ANSWERS", RNAME="REPLIES", RQMNAME="SHOP")
    three.define("QREMOTE", "SHOP", RQMNAME="QM1", XMITQ="QM2")
    one.put("PAYMENTS", b"10", MsgType=C.MQMT_REQUEST, ReplyToQ="ANSWERS")
    net.run()
    request, _ = three.get("TARGET")
    assert (request.ReplyToQ.strip(), request.ReplyToQMgr.strip()) == ("REPLIES", "SHOP")
    three.put("REPLIES", b"paid", qmgr="SHOP")
    net.run()
    assert one.get("REPLIES")[1] == b"paid"
    assert two.depth("DLQ") == 0


def test_messages_arrive_once_though_the_middle_is_killed_again_and_again() -> None:
    net, one, two, three = line()
    expected = []
    for number in range(60):
        one.put("TARGET", b"%d" % number, qmgr="QM3")
        expected.append(b"%d" % number)
        net.run_until(lambda number=number: three.depth("TARGET") >= number // 2)
        if number % 7 == 3:
            two.crash()
            net.cut(two)
            net.pass_time(61)
    net.pass_time(200)
    assert three.content("TARGET") == expected
    assert (one.depth("QM2"), two.depth("QM3"), two.depth("DLQ")) == (0, 0, 0)


def test_a_message_in_a_circle_dies_of_old_age() -> None:
    net, one, two, _ = line()
    one.define("QREMOTE", "ROUND", RQMNAME="ROUND", XMITQ="QM2")
    two.define("QREMOTE", "ROUND", RQMNAME="ROUND", XMITQ="QM1")
    one.put("NOWHERE", b"x", qmgr="ROUND", Expiry=10, Report=C.MQRO_EXPIRATION, ReplyToQ="REPLIES")
    born = net.clock.now()
    while not one.depth("REPLIES"):
        net._step()
        net.clock.advance(0.001)
        assert net.clock.now() < born + 5
    net.run()
    assert (one.depth("QM2"), two.depth("QM1")) == (0, 0)


def test_expiry_goes_on_counting_on_the_way() -> None:
    net, one, _, three = line()
    net.down.add("qm2")
    one.put("TARGET", b"soon", qmgr="QM3", Expiry=600)
    one.put("TARGET", b"later", qmgr="QM3", Expiry=36000)
    net.pass_time(61)
    net.down.clear()
    net.pass_time(120)
    assert three.content("TARGET") == [b"later"]
    md, _ = three.get("TARGET")
    assert 0 < md.Expiry < 36000 - 600
