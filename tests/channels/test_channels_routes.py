"""Activities of the agents of a channel: in the unit of work of the message, whatever becomes of it."""

from __future__ import annotations

from typing import Any

import pytest
from helper_delivery import Receiving, framed
from test_channels_transit import Sending

from libremq.channels.undelivered import Delivered, Fate, Undeliverable
from libremq.kernel.units import channel_batches
from libremq.kernel.verbs import activities
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.trace_route import Activity, TraceRoute, TraceRouteMessage, read_activities

GET, SEND, RECEIVE, PUT, DISCARD = (
    C.MQOPER_GET, C.MQOPER_SEND, C.MQOPER_RECEIVE, C.MQOPER_PUT, C.MQOPER_DISCARD,
)  # fmt: skip
ASKS: dict[str, Any] = {"Report": C.MQRO_ACTIVITY, "ReplyToQ": "REPLIES", "ReplyToQMgr": "QM1"}
TRACES: dict[str, Any] = ASKS | {"Report": C.MQRO_ACTIVITY | C.MQRO_DISCARD_MSG, "Format": "MQADMIN"}


def route(**fields: int) -> bytes:
    return TraceRouteMessage(TraceRoute(**fields)).pack()


def found(here: Receiving, queue: str = "REPLIES") -> list[Activity]:
    activities = []
    while here.depth(queue):
        md, data = here.get(queue)
        read = read_activities(md.Format, data, md.Encoding, "latin-1")
        assert read is not None
        activities += read
    return activities


def kinds(activity: Activity) -> list[int]:
    return [operation.kind for operation in activity.operations]


@pytest.fixture
def here() -> Receiving:
    made = Receiving()
    made.queue("REPLIES")
    return made


@pytest.fixture
def sending() -> Sending:
    made = Sending(partner="QM2")
    made.queue("REPLIES")
    return made


def test_a_report_on_an_arrival_comes_with_its_batch(here: Receiving) -> None:
    for _ in range(2):
        assert here.put(framed(**ASKS)) == Delivered(Fate.PUT)
    with pytest.raises(MQError):
        here.get("REPLIES")
    here.commit()
    assert here.depth("TARGET") == 2
    first, second = found(here)
    assert kinds(first) == kinds(second) == [RECEIVE, PUT]
    assert (first.operations[0].channel, first.operations[0].channel_type) == ("FROM.QM2", C.MQCHT_RECEIVER)


def test_a_batch_that_is_backed_out_leaves_no_report(here: Receiving) -> None:
    here.put(framed(**ASKS))
    here.qm.backout(here.hconn)
    assert here.depth("TARGET") == here.depth("REPLIES") == 0


@pytest.mark.parametrize("syncpoint", [True, False])
def test_a_message_that_is_not_to_be_delivered(here: Receiving, syncpoint: bool) -> None:
    persistence = int(syncpoint)
    done = here.put(framed(route(), **TRACES, Persistence=persistence), syncpoint=syncpoint)
    assert done == Delivered(Fate.DISCARDED, C.MQFB_NOT_DELIVERED)
    if syncpoint:
        here.commit()
    (activity,) = found(here)
    assert kinds(activity) == [RECEIVE, DISCARD] and here.depth("TARGET") == 0


def test_what_is_tried_again_is_recorded_once(here: Receiving) -> None:
    here.deliver_by(mrrty=2, mrtmr=10)
    here.queue("FULL", maxdepth=0)
    data = framed(route(deliver=C.MQROUTE_DELIVER_YES, accumulate=C.MQROUTE_ACCUMULATE_IN_MSG), queue="FULL", **TRACES)
    for attempt in range(2):
        assert here.put(data, attempt=attempt).kind is Fate.RETRY
    here.qm.alter("QLOCAL", "FULL", {"MAXDEPTH": 5})
    assert here.put(data, attempt=2) == Delivered(Fate.PUT)
    here.commit()
    md, data = here.get("FULL")
    carried = TraceRouteMessage.read(md.Format, data, md.Encoding, "latin-1")
    assert carried is not None and carried.trace.recorded == 1
    assert [kinds(one) for one in carried.activities()] == [[RECEIVE, PUT]] == [kinds(one) for one in found(here)]


def test_a_queue_that_is_not_there_ends_on_the_dead_letter_queue(here: Receiving) -> None:
    here.with_dead_letter_queue()
    done = here.put(framed(queue="NOWHERE", **ASKS))
    assert done == Delivered(Fate.DEAD_LETTER, C.MQRC_UNKNOWN_OBJECT_NAME)
    here.commit()
    (activity,) = found(here)
    end = activity.operations[-1]
    assert (end.kind, end.queue, end.feedback) == (PUT, "DLQ", C.MQRC_UNKNOWN_OBJECT_NAME)


def test_without_a_dead_letter_queue_nothing_is_said(here: Receiving) -> None:
    with pytest.raises(Undeliverable):
        here.put(framed(queue="NOWHERE", **ASKS))
    here.qm.backout(here.hconn)
    assert here.depth("REPLIES") == 0


def test_a_report_on_a_departure_comes_with_its_batch(sending: Sending) -> None:
    sending.put_far(**ASKS)
    assert sending.arrived(sending.prepared())[1] == b"hello"
    sending.batch.sent(1)
    sending.committed()
    (activity,) = found(sending)
    assert kinds(activity) == [GET, SEND]
    sent = activity.operations[1]
    assert (sent.channel, sent.channel_type, sent.xmitq, sent.remote_qmgr) == (
        "TO.QM2", C.MQCHT_SENDER, "QM2", "QM2",
    )  # fmt: skip
    assert sent.md is not None and sent.embedded is not None and sent.md.CorrelId == sent.embedded.MsgId


def test_a_departure_that_is_backed_out_leaves_no_report(sending: Sending) -> None:
    sending.put_far(**ASKS)
    sending.prepared()
    channel_batches.back_out(sending.qm, sending.batch)
    assert sending.depth("QM2") == 1 and sending.depth("REPLIES") == 0


def test_a_trace_route_message_takes_its_activity_along(sending: Sending) -> None:
    sending.put_far(route(accumulate=C.MQROUTE_ACCUMULATE_IN_MSG), Format="MQADMIN")
    md, data = sending.arrived(sending.prepared())
    carried = TraceRouteMessage.read(md.Format, data, md.Encoding, "latin-1")
    assert carried is not None and [kinds(one) for one in carried.activities()] == [[GET, SEND]]


def test_a_partner_that_does_not_know_of_routes_gets_none() -> None:
    sending = Sending(partner="QM2", knows_routes=False)
    sending.queue("REPLIES")
    sending.put_far(route(), **TRACES)
    assert sending.prepared() is None
    sending.committed()
    (activity,) = found(sending)
    assert kinds(activity) == [GET, DISCARD] and activity.operations[1].feedback == C.MQFB_NOT_FORWARDED
    assert sending.transit.undelivered.discarded == 1


def test_a_refused_message_without_a_place_ends_the_channel() -> None:
    sending = Sending(partner="QM2", knows_routes=False)
    sending.put_far(route(), Format="MQADMIN")
    with pytest.raises(Undeliverable):
        sending.prepared()


def test_activity_of_agents_goes_to_the_system_queue_if_so_configured(here: Receiving) -> None:
    here.qm.alter("QMGR", "", {"ACTIVREC": "QUEUE"})
    here.put(framed(**ASKS))
    here.commit()
    assert here.depth("REPLIES") == 0
    assert [kinds(one) for one in found(here, activities.ACTIVITY_QUEUE)] == [[RECEIVE, PUT]]
