"""Activity reports and trace-route messages over several queue managers."""

from __future__ import annotations

import pytest
from helper_routes import Node, route, send

from libremq.common.dead_letter_header import strip
from libremq.kernel.messages import transmission
from libremq.kernel.verbs import activities
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQMD, MQOD, MQPMO
from libremq.mqi.trace_route import Activity, TraceRouteMessage

GET, SEND, RECEIVE, PUT = C.MQOPER_GET, C.MQOPER_SEND, C.MQOPER_RECEIVE, C.MQOPER_PUT
ASKS = {"Report": C.MQRO_ACTIVITY, "ReplyToQ": "REPLIES", "MsgType": C.MQMT_DATAGRAM}
TRACES = {**ASKS, "Report": C.MQRO_ACTIVITY | C.MQRO_DISCARD_MSG, "Format": "MQADMIN"}


@pytest.fixture
def nodes() -> tuple[Node, Node, Node]:
    """QM1 to QM3 by way of QM2; replies go back the same way."""
    one, two, three = Node("QM1", "QM2"), Node("QM2", "QM1", "QM3"), Node("QM3", "QM2")
    one.qm.define("QREMOTE", "QM3", {"RQMNAME": "QM3", "XMITQ": "QM2"})
    three.qm.define("QREMOTE", "QM1", {"RQMNAME": "QM1", "XMITQ": "QM2"})
    one.queue("REPLIES")
    three.queue("TARGET")
    for node in (one, two, three):
        node.queue("DLQ")
        node.alter(DEADQ="DLQ")
    return one, two, three


def bring_replies(one: Node, two: Node, three: Node) -> None:
    while three.depth("QM2"):
        send(three, two)
    while two.depth("QM1"):
        send(two, one)


def kinds(found: list[Activity]) -> list[list[int]]:
    return [[operation.kind for operation in activity.operations] for activity in found]


def test_every_agent_reports_on_a_message_that_asks_for_it(nodes: tuple[Node, Node, Node]) -> None:
    one, two, three = nodes
    put = one.put("TARGET", b"hello", "QM3", **ASKS)
    assert send(one, two) and send(two, three)
    assert three.get("TARGET")[1] == b"hello", "the message itself is as it was put"
    bring_replies(*nodes)

    md, data = one.get("REPLIES")
    assert (md.MsgType, md.Feedback, md.Format) == (C.MQMT_REPORT, C.MQFB_ACTIVITY, "MQHEPCF")
    assert md.CorrelId == put.MsgId and md.MsgId != put.MsgId
    one.put("REPLIES", data, Format=md.Format)
    found = sorted(one.activities_on("REPLIES"), key=lambda activity: activity.operations[0].qmgr)
    assert sorted(kinds(found)) == [[GET, SEND], [GET, SEND], [RECEIVE, PUT], [RECEIVE, PUT]]
    assert all(activity.trace is None for activity in found)
    last = found[-1]
    assert last.description == activities.RECEIVING
    received, placed = last.operations
    assert (received.channel, received.channel_type, received.remote_qmgr) == ("QM2.QM3", C.MQCHT_RECEIVER, "QM2")
    assert (placed.queue, placed.resolved, placed.remote_qmgr, placed.qmgr) == ("TARGET", "TARGET", "", "QM3")
    assert placed.length == 5 and placed.md is not None and placed.md.MsgId == put.MsgId


def test_ids_of_reports_follow_the_message(nodes: tuple[Node, Node, Node]) -> None:
    one, two, _ = nodes
    put = one.put(
        "TARGET", b"x", "QM3", **{**ASKS, "Report": C.MQRO_ACTIVITY | C.MQRO_PASS_MSG_ID | C.MQRO_PASS_CORREL_ID},
        CorrelId=b"C" * 24,
    )  # fmt: skip
    send(one, two)
    md, _ = one.get("REPLIES")
    assert (md.MsgId, md.CorrelId) == (put.MsgId, b"C" * 24)


@pytest.mark.parametrize(("where", "queue"), [("QUEUE", activities.ACTIVITY_QUEUE), ("MSG", "REPLIES")])
def test_activrec_says_where_reports_go(nodes: tuple[Node, Node, Node], where: str, queue: str) -> None:
    one, two, _ = nodes
    one.alter(ACTIVREC=where)
    one.put("TARGET", b"x", "QM3", **ASKS)
    send(one, two)
    assert kinds(one.activities_on(queue)) == [[GET, SEND]]


def test_activrec_disabled_reports_nothing(nodes: tuple[Node, Node, Node]) -> None:
    one, two, _ = nodes
    one.alter(ACTIVREC="DISABLED")
    one.put("TARGET", b"x", "QM3", **ASKS)
    send(one, two)
    assert one.depth("REPLIES") == one.depth(activities.ACTIVITY_QUEUE) == 0


def test_a_trace_route_message_collects_its_activities(nodes: tuple[Node, Node, Node]) -> None:
    one, two, three = nodes
    data = route(accumulate=C.MQROUTE_ACCUMULATE_IN_MSG, deliver=C.MQROUTE_DELIVER_YES)
    one.put("TARGET", data, "QM3", Format="MQADMIN")
    assert send(one, two) and send(two, three)
    md, data = three.get("TARGET")
    found = TraceRouteMessage.read(md.Format, data, md.Encoding, "latin-1")
    assert found is not None
    assert kinds(found.activities()) == [[GET, SEND], [RECEIVE, PUT], [GET, SEND], [RECEIVE, PUT]]
    assert (found.trace.recorded, found.trace.unrecorded, found.trace.discontinuities) == (4, 0, 0)
    onward = found.activities()[1].operations[1]
    assert (onward.queue, onward.resolved, onward.remote_queue, onward.remote_qmgr) == (
        "TARGET", "QM3", "TARGET", "QM3",
    )  # fmt: skip
    assert one.depth("REPLIES") == 0 and three.depth("QM2") == 0, "nobody asked for reports"


def test_a_message_that_is_not_to_be_delivered_is_discarded_at_its_end(nodes: tuple[Node, Node, Node]) -> None:
    one, two, three = nodes
    one.put("TARGET", route(), "QM3", **TRACES)
    assert send(one, two) and send(two, three)
    assert three.depth("TARGET") == three.depth("DLQ") == 0
    bring_replies(*nodes)
    found = sorted(one.activities_on("REPLIES"), key=lambda activity: activity.trace.recorded)  # type: ignore[union-attr]
    assert kinds(found) == [[GET, SEND], [RECEIVE, PUT], [GET, SEND], [RECEIVE, C.MQOPER_DISCARD]]
    end = found[-1].operations[-1]
    assert (end.feedback, end.queue, end.qmgr) == (C.MQFB_NOT_DELIVERED, "TARGET", "QM3")


def test_without_discard_it_goes_to_the_dead_letter_queue(nodes: tuple[Node, Node, Node]) -> None:
    one, two, three = nodes
    one.put("TARGET", route(), "QM3", **{**TRACES, "Report": C.MQRO_ACTIVITY | C.MQRO_EXCEPTION})
    send(one, two)
    send(two, three)
    assert three.depth("DLQ") == 1 and three.depth("TARGET") == 0
    assert strip(three.get("DLQ")[1])[0].Reason == C.MQFB_NOT_DELIVERED
    last = three.get("QM2")
    _, report = transmission.unwrap(last[1], last[0])
    assert report.md.Feedback == C.MQFB_NOT_DELIVERED, "the exception report comes first"
    last = three.get("QM2")
    _, report = transmission.unwrap(last[1], last[0])
    three.put("TARGET", report.data, Format=report.md.Format)
    (activity,) = three.activities_on("TARGET")
    assert kinds([activity]) == [[RECEIVE, PUT, C.MQOPER_PUT_REPORT]]
    assert activity.operations[1].queue == "DLQ"


def test_a_reply_has_all_that_was_accumulated(nodes: tuple[Node, Node, Node]) -> None:
    one, two, three = nodes
    data = route(accumulate=C.MQROUTE_ACCUMULATE_AND_REPLY)
    put = one.put("TARGET", data, "QM3", Format="MQADMIN", ReplyToQ="REPLIES", Report=C.MQRO_DISCARD_MSG)
    assert send(one, two) and send(two, three)
    bring_replies(*nodes)
    md, data = one.get("REPLIES")
    assert (md.MsgType, md.Feedback, md.Format, md.CorrelId) == (C.MQMT_REPLY, C.MQFB_NONE, "MQADMIN", put.MsgId)
    assert one.depth("REPLIES") == 0
    one.put("REPLIES", data, Format=md.Format)
    assert kinds(one.activities_on("REPLIES")) == [
        [GET, SEND], [RECEIVE, PUT], [GET, SEND], [RECEIVE, C.MQOPER_DISCARD, C.MQOPER_PUT_REPLY],
    ]  # fmt: skip


def test_routerec_queue_keeps_the_reply_here(nodes: tuple[Node, Node, Node]) -> None:
    one, two, three = nodes
    three.alter(ROUTEREC="QUEUE")
    data = route(accumulate=C.MQROUTE_ACCUMULATE_AND_REPLY, deliver=C.MQROUTE_DELIVER_YES)
    one.put("TARGET", data, "QM3", Format="MQADMIN", ReplyToQ="REPLIES")
    send(one, two)
    send(two, three)
    assert three.depth("TARGET") == 1 and three.depth("QM2") == 0
    assert len(three.activities_on(activities.TRACE_ROUTE_QUEUE)) == 4


def test_routerec_disabled_leaves_a_gap_that_is_counted(nodes: tuple[Node, Node, Node]) -> None:
    one, two, three = nodes
    two.alter(ROUTEREC="DISABLED")
    data = route(accumulate=C.MQROUTE_ACCUMULATE_IN_MSG, deliver=C.MQROUTE_DELIVER_YES)
    one.put("TARGET", data, "QM3", Format="MQADMIN")
    send(one, two)
    send(two, three)
    md, data = three.get("TARGET")
    found = TraceRouteMessage.read(md.Format, data, md.Encoding, "latin-1")
    assert found is not None and kinds(found.activities()) == [[GET, SEND], [RECEIVE, PUT]]
    assert (found.trace.recorded, found.trace.unrecorded, found.trace.discontinuities) == (2, 1, 1)


def test_low_detail_counts_the_agents_only(nodes: tuple[Node, Node, Node]) -> None:
    one, two, three = nodes
    data = route(detail=C.MQROUTE_DETAIL_LOW, accumulate=C.MQROUTE_ACCUMULATE_IN_MSG, deliver=C.MQROUTE_DELIVER_YES)
    one.put("TARGET", data, "QM3", **TRACES)
    send(one, two)
    send(two, three)
    md, data = three.get("TARGET")
    found = TraceRouteMessage.read(md.Format, data, md.Encoding, "latin-1")
    assert found is not None and found.activities() == []
    assert (found.trace.recorded, found.trace.unrecorded) == (0, 4)
    assert one.depth("REPLIES") == 0


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_the_limit_of_activities_ends_it(nodes: tuple[Node, Node, Node], limit: int) -> None:
    one, two, three = nodes
    one.put("TARGET", route(max_activities=limit, deliver=C.MQROUTE_DELIVER_YES), "QM3", **TRACES)
    sent = send(one, two)
    if limit > 1:
        sent = send(two, three)
    assert sent is (limit != 2), "an agent that sends keeps it, one that receives has it already"
    assert three.depth("TARGET") == 0
    bring_replies(*nodes)
    ends = [operation for activity in one.activities_on("REPLIES") for operation in activity.operations]
    assert [end.feedback for end in ends if end.kind == C.MQOPER_DISCARD] == [C.MQFB_MAX_ACTIVITIES]


def test_a_loop_comes_to_an_end() -> None:
    one, two = Node("QM1", "QM2"), Node("QM2", "QM1")
    for here, there in ((one, two), (two, one)):
        here.qm.define("QREMOTE", "NOWHERE", {"RQMNAME": "NOWHERE", "XMITQ": there.name})
    data = route(max_activities=20, accumulate=C.MQROUTE_ACCUMULATE_IN_MSG)
    one.put("Q", data, "NOWHERE", Format="MQADMIN", Report=C.MQRO_DISCARD_MSG)
    rounds = 0
    while send(one, two) and two.depth("QM1") and send(two, one) and one.depth("QM2"):
        rounds += 1
        assert rounds < 20
    assert rounds == 5 and one.depth("QM2") == two.depth("QM1") == 0


def test_a_partner_that_does_not_know_of_routes(nodes: tuple[Node, Node, Node]) -> None:
    one, two, _ = nodes
    one.put("TARGET", route(), "QM3", **TRACES)
    assert not send(one, two, supports=False)
    (activity,) = one.activities_on("REPLIES")
    assert activity.operations[-1].feedback == C.MQFB_NOT_FORWARDED

    one.put("TARGET", route(forward=C.MQROUTE_FORWARD_ALL), "QM3", **TRACES)
    assert send(one, two, supports=False)
    (activity,) = one.activities_on("REPLIES")
    assert kinds([activity]) == [[GET, SEND]]
    assert activity.trace is not None and activity.trace.discontinuities == 1


@pytest.mark.parametrize(
    ("fields", "feedback"),
    [({"forward": 1 << 16}, C.MQFB_UNSUPPORTED_FORWARDING), ({"deliver": 1 << 17}, C.MQFB_UNSUPPORTED_DELIVERY)],
)
def test_options_that_must_be_known(nodes: tuple[Node, Node, Node], fields: dict[str, int], feedback: int) -> None:
    one, two, _ = nodes
    two.queue("HERE")
    one.put("HERE", route(**fields), "QM2", **TRACES)
    send(one, two)
    assert two.depth("HERE") == 0
    if two.depth("QM1"):
        send(two, one)
    found = [operation.feedback for activity in one.activities_on("REPLIES") for operation in activity.operations]
    assert feedback in found


def test_no_dead_letter_queue_keeps_a_refused_message() -> None:
    one, two = Node("QM1", "QM2"), Node("QM2")
    one.put("Q", route(), "QM2", Format="MQADMIN")
    with pytest.raises(MQError) as raised:
        send(one, two, supports=False)
    assert raised.value.reason == C.MQFB_NOT_FORWARDED and "MQFB_NOT_FORWARDED" in str(raised.value)


def test_other_pcf_and_other_data_pass_as_they_are(nodes: tuple[Node, Node, Node]) -> None:
    one, two, _ = nodes
    two.queue("HERE")
    for data in (b"", b"PCF?", bytes(36), route()[:40], route() + b"tail"):
        one.put("HERE", data, "QM2", Format="MQADMIN", Report=C.MQRO_DISCARD_MSG)
        send(one, two)
    assert two.depth("HERE") == 4, "the last one is a trace-route message, which is not to be delivered"
    assert [two.get("HERE")[1] for _ in range(4)] == [b"", b"PCF?", bytes(36), route()[:40]]


def test_what_is_behind_the_pcf_stays_there(nodes: tuple[Node, Node, Node]) -> None:
    one, two, _ = nodes
    two.queue("HERE")
    data = route(accumulate=C.MQROUTE_ACCUMULATE_IN_MSG, deliver=C.MQROUTE_DELIVER_YES) + b"tail"
    one.put("HERE", data, "QM2", Format="MQADMIN", GroupId=b"G" * 24, MsgFlags=C.MQMF_MSG_IN_GROUP)
    send(one, two)
    md, data = two.get("HERE")
    assert data.endswith(b"tail") and md.GroupId == b"G" * 24
    found = TraceRouteMessage.read(md.Format, data, md.Encoding, "latin-1")
    assert found is not None and found.trace.recorded == 2 and found.tail == b"tail"


def test_ordinary_messages_cost_one_look(nodes: tuple[Node, Node, Node]) -> None:
    one, _, _ = nodes
    one.put("TARGET", b"x" * 40, "QM3", Format="MQSTR", ReplyToQ="REPLIES", Report=C.MQRO_EXCEPTION_WITH_FULL_DATA)
    md, data = one.get("QM2")
    assert not activities.wants(data)
    assert not activities.wants(b"") and not activities.wants(data[:120])
    header, _ = transmission.unwrap(data, md)
    header.MsgDesc.Report = C.MQRO_ACTIVITY
    assert activities.wants(header.pack()) and activities.wants(header.pack(big_endian=True, charset="cp037"))
    header.MsgDesc.Report = C.MQRO_EXCEPTION_WITH_FULL_DATA
    assert not activities.wants(header.pack(big_endian=True))
    header.MsgDesc.Format = "MQADMIN"
    assert activities.wants(header.pack(charset="cp037"))


def test_resolve_local_q_tells_the_queue_that_is_here(nodes: tuple[Node, Node, Node]) -> None:
    one = nodes[0]
    for options, expected in ((0, ("TARGET", "QM3")), (C.MQOO_RESOLVE_LOCAL_Q, ("QM2", "QM1"))):
        od = MQOD(ObjectName="TARGET", ObjectQMgrName="QM3")
        hobj = one.qm.open(one.hconn, od, C.MQOO_OUTPUT | options)
        assert (od.ResolvedQName, od.ResolvedQMgrName) == expected
        pmo = MQPMO(Options=C.MQPMO_RESOLVE_LOCAL_Q if options else 0)
        one.qm.put(one.hconn, hobj, MQMD(), pmo, b"")
        assert (pmo.ResolvedQName, pmo.ResolvedQMgrName) == expected
        one.qm.close(one.hconn, hobj)
