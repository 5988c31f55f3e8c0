"""Trace-route messages, activities and reports as bytes."""

from __future__ import annotations

import random

import pytest

from libremq.kernel.conversion.convert_message import convert
from libremq.mqi import constants as C
from libremq.mqi.pcf import MQCFGR, MQCFH, MQCFIN, MQCFST, MQEPH, pack_message, unpack_message
from libremq.mqi.structs import MQMD
from libremq.mqi.trace_route import (
    Activity,
    Operation,
    TraceRoute,
    TraceRouteMessage,
    pack_report,
    read_activities,
)

BIG = C.MQENC_INTEGER_NORMAL
MD = MQMD(
    Version=2, Report=C.MQRO_ACTIVITY | C.MQRO_DISCARD_MSG, MsgId=b"M" * 24, ReplyToQ="REPLIES", UserIdentifier="zoë",
    MsgFlags=C.MQMF_LAST_MSG_IN_GROUP, Expiry=600,
)  # fmt: skip
ACTIVITY = Activity(
    "teller", C.MQAT_UNIX, "Pays out",
    [
        Operation(C.MQOPER_GET, "QM1", "2026-01-02", "03:04:05", "ALIAS", "BASE", length=7, md=MD),
        Operation(C.MQOPER_SEND, "QM1", channel="C", channel_type=C.MQCHT_SENDER, xmitq="X", remote_qmgr="QM2"),
    ],
)  # fmt: skip


def test_a_trace_route_message_looks_as_documented() -> None:
    trace = TraceRoute(max_activities=9, accumulate=C.MQROUTE_ACCUMULATE_AND_REPLY, deliver=C.MQROUTE_DELIVER_YES)
    header, (group,) = unpack_message(TraceRouteMessage(trace).pack())
    assert (header.Type, header.Command, header.Version) == (C.MQCFT_TRACE_ROUTE, C.MQCMD_TRACE_ROUTE, 3)
    assert isinstance(group, MQCFGR) and group.Parameter == C.MQGACF_TRACE_ROUTE
    assert [(one.Parameter, one.Value) for one in group.Parameters if isinstance(one, MQCFIN)] == [
        (C.MQIACF_ROUTE_DETAIL, C.MQROUTE_DETAIL_MEDIUM),
        (C.MQIACF_RECORDED_ACTIVITIES, 0),
        (C.MQIACF_UNRECORDED_ACTIVITIES, 0),
        (C.MQIACF_DISCONTINUITY_COUNT, 0),
        (C.MQIACF_MAX_ACTIVITIES, 9),
        (C.MQIACF_ROUTE_ACCUMULATION, C.MQROUTE_ACCUMULATE_AND_REPLY),
        (C.MQIACF_ROUTE_FORWARDING, C.MQROUTE_FORWARD_IF_SUPPORTED),
        (C.MQIACF_ROUTE_DELIVERY, C.MQROUTE_DELIVER_YES),
    ]


@pytest.mark.parametrize("big_endian", [True, False])
@pytest.mark.parametrize("charset", ["latin-1", "cp037"])
def test_activities_are_added_in_the_encoding_of_the_message(big_endian: bool, charset: str) -> None:
    message = TraceRouteMessage(TraceRoute(), big_endian, charset, tail=b"tail")
    for _ in range(3):
        message.add(ACTIVITY)
    encoding = BIG if big_endian else C.MQENC_INTEGER_REVERSED
    again = TraceRouteMessage.read("MQADMIN ", message.pack(), encoding, charset)
    assert again is not None and again.tail == b"tail"
    assert again.pack() == message.pack()
    assert [activity.description for activity in again.activities()] == ["Pays out"] * 3
    got, sent = again.activities()[0].operations
    assert (got.queue, got.resolved, got.date, got.time, got.length) == ("ALIAS", "BASE", "2026-01-02", "03:04:05", 7)
    assert got.md is not None and got.md.UserIdentifier == "zo?", "what not every character set has"
    assert got.md.Report == MD.Report and got.md.MsgId == MD.MsgId and got.md.MsgFlags == MD.MsgFlags
    assert (sent.channel, sent.channel_type, sent.remote_qmgr, sent.length) == ("C", C.MQCHT_SENDER, "QM2", None)


def test_what_others_put_in_the_message_stays() -> None:
    mine = MQCFST(Parameter=C.MQCACF_APPL_NAME, String="mine   ")
    group = TraceRoute(others=(MQCFIN(Parameter=7777, Value=1),)).group()
    other = MQCFGR(Parameter=8888, Parameters=[mine])
    data = pack_message(MQCFH(Type=C.MQCFT_TRACE_ROUTE, Command=C.MQCMD_TRACE_ROUTE), [mine, group, other]) + b"data"
    message = TraceRouteMessage.read("MQADMIN", data, C.MQENC_NATIVE, "latin-1")
    assert message is not None and message.pack() == data
    message.trace.recorded += 1
    message.add(ACTIVITY)
    header, parameters = unpack_message(message.pack())
    assert header.ParameterCount == 4
    assert isinstance(parameters[0], MQCFST) and parameters[0].StringLength == 7, "blanks, too"
    assert message.activities()[0].application == "teller" and message.pack().endswith(b"data")


def test_a_message_behind_an_embedded_header() -> None:
    front = MQEPH(
        Format="MQSTR", CodedCharSetId=819, Encoding=C.MQENC_NATIVE,
        PCFHeader=MQCFH(Type=C.MQCFT_TRACE_ROUTE, Command=C.MQCMD_TRACE_ROUTE), Parameters=[TraceRoute().group()],
    )  # fmt: skip
    data = front.pack() + b"text of a program"
    message = TraceRouteMessage.read("MQHEPCF", data, C.MQENC_NATIVE, "latin-1")
    assert message is not None and message.pack() == data
    message.add(ACTIVITY)
    packed = message.pack()
    again = MQEPH.unpack(packed)
    assert again.Format == "MQSTR" and len(again.Parameters) == 2
    assert packed[again.StrucLength :] == b"text of a program"
    header, groups = unpack_message(message.reply())
    assert header.Type == C.MQCFT_TRACE_ROUTE and len(groups) == 1


def test_a_report_can_be_read_and_converted() -> None:
    activity = Activity("teller", C.MQAT_UNIX, "Pays out", ACTIVITY.operations, TraceRoute(recorded=4))
    data = pack_report(activity, 819, "latin-1")
    front = MQEPH.unpack(data)
    assert (front.PCFHeader.Type, front.PCFHeader.Command) == (C.MQCFT_REPORT, C.MQCMD_ACTIVITY_MSG)
    converted = convert(data, "MQHEPCF", C.MQENC_NATIVE, 819, BIG, 37)
    assert converted.reason == C.MQRC_NONE
    found = read_activities("MQHEPCF", converted.data, BIG, "cp037")
    assert found is not None and found[0].operations[0].queue == "ALIAS"
    assert found[0].trace is not None and found[0].trace.recorded == 4


@pytest.mark.parametrize("data_format", ["MQADMIN", "MQHEPCF"])
def test_rubbish_is_no_trace_route_message(data_format: str) -> None:
    chance = random.Random(7)
    message = TraceRouteMessage(TraceRoute())
    message.add(ACTIVITY)
    good = message.pack() if data_format == "MQADMIN" else pack_report(ACTIVITY, 819, "latin-1")
    for length in range(0, len(good), 17):
        TraceRouteMessage.read(data_format, good[:length], C.MQENC_NATIVE, "latin-1")
        read_activities(data_format, good[:length], C.MQENC_NATIVE, "latin-1")
    for _ in range(500):
        bad = bytearray(good)
        for _ in range(chance.randrange(1, 6)):
            bad[chance.randrange(len(bad))] = chance.randrange(256)
        read = TraceRouteMessage.read(data_format, bytes(bad), C.MQENC_NATIVE, "latin-1")
        if read is not None:
            read.activities()
            read.pack()
        read_activities(data_format, bytes(bad), C.MQENC_NATIVE, "latin-1")
    assert TraceRouteMessage.read("MQSTR", good, C.MQENC_NATIVE, "latin-1") is None


def test_limits() -> None:
    assert not TraceRoute(recorded=5).is_exceeded, "unlimited"
    assert not TraceRoute(max_activities=5, recorded=2, unrecorded=2, discontinuities=1).is_exceeded
    assert TraceRoute(max_activities=5, recorded=3, unrecorded=2, discontinuities=1).is_exceeded
    assert TraceRoute(forward=1 << 20).forwarding_refused and TraceRoute(deliver=-(2**31)).delivery_refused
    assert not TraceRoute(forward=1).forwarding_refused, "only some options must be known"
