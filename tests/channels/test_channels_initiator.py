"""The channel initiator: starts, calls from partners, triggers, retries, stops, and what of it outlives a restart."""

from __future__ import annotations

from typing import Any

import pytest
from helper_network import CHANNEL, TRIGGER, Host, Network, answer, events, network, offer, refused, running

from libremq.channels.initiator import ChannelRules
from libremq.channels.retries import Retries
from libremq.common.configuration import ChannelSettings
from libremq.kernel.units import channel_batches
from libremq.mqi import constants as C
from libremq.wire.protocol import CAP1_REQUESTER, Status

FORCE, QUIESCE, TERMINATE = C.MQMODE_FORCE, C.MQMODE_QUIESCE, C.MQMODE_TERMINATE


# All four start combinations


@pytest.mark.parametrize("sender", ["SDR", "SVR"])
@pytest.mark.parametrize("receiver", ["RCVR", "RQSTR"])
def test_the_end_that_sends_calls(sender: str, receiver: str) -> None:
    net, one, two = network(sender, receiver)
    one.put("TARGET", b"hello", qmgr="QM2")
    running(net, one)
    assert two.states == {CHANNEL: "RUNNING"}
    assert two.content("TARGET") == [b"hello"]
    assert one.times_said(9002) == two.times_said(9002) == 1
    with refused(C.MQRCCF_CHANNEL_IN_USE):
        one.initiator.start(CHANNEL)
    if receiver == "RQSTR":
        with refused(C.MQRCCF_CHANNEL_IN_USE):
            two.initiator.start(CHANNEL)
    else:
        two.initiator.start(CHANNEL)
        assert two.states == {CHANNEL: "RUNNING"}, "there was nothing to do"


@pytest.mark.parametrize("conname", ["", "qm2(1414)"])
def test_a_requester_calls_a_server_which_sends_on_that_connection(conname: str) -> None:
    net, one, two = network("SVR", "RQSTR", CONNAME=conname)
    one.put("TARGET", b"hello", qmgr="QM2")
    two.initiator.start(CHANNEL)
    assert two.states == {CHANNEL: "BINDING"}
    net.run()
    assert one.states == two.states == {CHANNEL: "RUNNING"}
    assert two.content("TARGET") == [b"hello"]
    assert net.dialled == [CHANNEL]
    shown = one.shown(CHANNEL)
    assert (shown.channel_type, shown.partner, shown.xmitq) == (C.MQCHT_SERVER, "QM2", "QM2")


def test_a_requester_calls_a_sender_which_calls_back() -> None:
    net, one, two = network("SDR", "RQSTR")
    one.put("TARGET", b"hello", qmgr="QM2")
    two.initiator.start(CHANNEL)
    net.run()
    assert one.states == two.states == {CHANNEL: "RUNNING"}
    assert two.content("TARGET") == [b"hello"]
    assert net.dialled == [CHANNEL, CHANNEL]
    assert one.initiator.agents[0].sends and not two.initiator.agents[0].sends


def test_a_requester_waits_for_the_sender_but_not_for_ever() -> None:
    net, one, two = network("SDR", "RQSTR")
    two.initiator.start(CHANNEL)
    net.down.add("qm2")
    net.run()
    assert one.states == {CHANNEL: "RETRYING"}
    assert two.states == {CHANNEL: "REQUESTING"}
    net.pass_time(61)
    assert two.states == {}
    assert two.times_said(9524) == 1
    net.down.clear()
    net.pass_time(60)
    assert one.states == two.states == {CHANNEL: "RUNNING"}, "the sender has its retries"


def test_a_server_without_conname_waits_for_its_requester() -> None:
    net, one, _ = network("SVR", "RQSTR", CONNAME="")
    one.initiator.start(CHANNEL)
    net.run()
    assert one.states == {} and net.dialled == []


def test_what_cannot_be_started_says_why() -> None:
    net, one, _ = network()
    one.define("QLOCAL", "PLAIN")
    for name, xmitq in (("NO.QUEUE", "MISSING"), ("PLAIN.QUEUE", "PLAIN"), ("SAME.QUEUE", "QM2")):
        one.define("SDR", name, XMITQ=xmitq, CONNAME="qm2(1414)")
    one.qm.define("CLUSSDR", "CLUSTER", {"CONNAME": "qm2(1414)"})
    running(net, one)
    for name, reason in (
        ("NOWHERE", C.MQRCCF_CHANNEL_NOT_FOUND),
        ("NO.QUEUE", C.MQRCCF_MQOPEN_FAILED),
        ("PLAIN.QUEUE", C.MQRCCF_NOT_XMIT_Q),
        ("SAME.QUEUE", C.MQRCCF_MQOPEN_FAILED),
        ("CLUSTER", C.MQRCCF_WRONG_CHANNEL_TYPE),
        ("SYSTEM.DEF.SVRCONN", C.MQRCCF_WRONG_CHANNEL_TYPE),
    ):
        with refused(reason):
            one.initiator.start(name)
    assert one.states == {CHANNEL: "RUNNING"}


# Retries


def retries_shown(host: Host, name: str = CHANNEL) -> tuple[int, int]:
    shown = host.shown(name)
    return shown.short_retries, shown.long_retries


def test_retries_count_down_and_end() -> None:
    assert Retries(2, 1).used() == Retries(1, 1)
    assert Retries(0, 1).used() == Retries(0, 0) == Retries(0, 0).used()
    net, one, _ = network(SHORTRTY=2, SHORTTMR=10, LONGRTY=1, LONGTMR=100)
    net.down.add("qm2")
    one.initiator.start(CHANNEL)
    net.run()
    seen = []
    for seconds in (9, 1, 10, 99):
        shown = one.shown(CHANNEL)
        seen.append((shown.status, shown.short_retries, shown.long_retries, len(net.dialled)))
        net.pass_time(seconds)
    retrying = C.MQCHS_RETRYING
    assert seen == [(retrying, 2, 1, 1), (retrying, 2, 1, 1), (retrying, 1, 1, 2), (retrying, 0, 1, 3)]
    net.pass_time(1)
    assert one.states == {CHANNEL: "STOPPED"} and len(net.dialled) == 4
    assert retries_shown(one) == (0, 0)
    assert one.times_said(9202) == 4 and one.times_said(9606) == 1
    net.pass_time(1000)
    assert len(net.dialled) == 4
    for stopped_again in (False, True):
        if stopped_again:
            one.initiator.stop(CHANNEL, QUIESCE)
        one.crash()
        assert (one.states, retries_shown(one)) == ({CHANNEL: "STOPPED"}, (0, 0))
    net.down.clear()
    running(net, one)
    assert retries_shown(one) == (2, 1)


def test_a_stop_leaves_the_retries_that_are_left() -> None:
    net, one, _ = network(SHORTRTY=2, SHORTTMR=10, LONGRTY=1)
    net.down.add("qm2")
    one.initiator.start(CHANNEL)
    net.pass_time(11)
    assert (one.states, retries_shown(one)) == ({CHANNEL: "RETRYING"}, (1, 1))
    one.initiator.stop(CHANNEL, QUIESCE)
    for _ in range(2):
        assert (one.states, retries_shown(one)) == ({CHANNEL: "STOPPED"}, (1, 1))
        one.crash()
    net.down.clear()
    running(net, one)
    one.initiator.stop(CHANNEL, QUIESCE)
    net.run()
    assert (one.states, retries_shown(one)) == ({CHANNEL: "STOPPED"}, (2, 1))
    one.define("SDR", "IDLE", XMITQ="QM2", CONNAME="qm2(1414)", SHORTRTY=7, LONGRTY=8)
    one.initiator.stop("IDLE", QUIESCE)
    assert retries_shown(one, "IDLE") == (7, 8)


def test_an_error_that_time_does_not_cure_leaves_the_retries_that_are_left() -> None:
    net, one, _ = network(SHORTRTY=3, SHORTTMR=10, LONGRTY=1, SEQWRAP=1000)  # the other end has another one
    net.down.add("qm2")
    one.initiator.start(CHANNEL)
    net.run()
    net.down.clear()
    net.pass_time(11)
    assert (one.states, retries_shown(one)) == ({CHANNEL: "STOPPED"}, (2, 1))


def test_a_channel_that_has_run_has_all_its_retries_again() -> None:
    net, one, two = network(SHORTRTY=3, SHORTTMR=10)
    net.down.add("qm2")
    one.initiator.start(CHANNEL)
    net.pass_time(21)
    assert one.shown(CHANNEL).short_retries == 1
    net.down.clear()
    net.pass_time(10)
    shown = one.shown(CHANNEL)
    assert (shown.status, shown.short_retries) == (C.MQCHS_RUNNING, 3)
    assert not one.qm.core.catalogue.channel_states
    net.cut()
    assert one.states == {CHANNEL: "RETRYING"} and two.states == {}
    assert one.shown(CHANNEL).short_retries == 3
    net.pass_time(10)
    assert one.states == two.states == {CHANNEL: "RUNNING"}


def test_start_tries_at_once_with_all_retries() -> None:
    net, one, _ = network(SHORTRTY=3, SHORTTMR=1000)
    net.down.add("qm2")
    one.initiator.start(CHANNEL)
    net.pass_time(1001)
    assert one.shown(CHANNEL).short_retries == 2
    one.initiator.start(CHANNEL)
    net.run()
    assert one.shown(CHANNEL).short_retries == 3
    net.down.clear()
    running(net, one)


def test_no_retries_stop_the_channel() -> None:
    net, one, _ = network(SHORTRTY=0, LONGRTY=0)
    net.down.add("qm2")
    one.initiator.start(CHANNEL)
    net.run()
    assert one.states == {CHANNEL: "STOPPED"}


def test_those_that_receive_are_not_tried_again() -> None:
    net, one, two = network("SVR", "RQSTR", CONNAME="")
    net.down.add("qm1")
    two.initiator.start(CHANNEL)
    net.run()
    assert two.states == {} and two.times_said(9202) == 1
    net.down.clear()
    two.initiator.start(CHANNEL)
    net.run()
    net.cut()
    net.run()
    assert one.states == two.states == {}, "a server without CONNAME cannot call either"


def test_retries_go_by_the_definition_of_the_moment() -> None:
    net, one, two = network(SHORTTMR=10, CONNAME="nowhere(1414)")
    one.initiator.start(CHANNEL)
    net.run()
    one.qm.alter("SDR", CHANNEL, {"CONNAME": "qm2(1414)"})
    net.pass_time(10)
    assert one.states == two.states == {CHANNEL: "RUNNING"}
    net.cut()
    one.qm.delete("SDR", CHANNEL)
    net.pass_time(10)
    assert one.states == {} and len(net.dialled) == 2


# Over a restart


@pytest.mark.parametrize("orderly", [True, False])
def test_stopped_and_retrying_channels_are_so_after_a_restart(orderly: bool) -> None:
    net, one, two = network(SHORTRTY=3, SHORTTMR=10)
    one.define("QLOCAL", "OTHER", USAGE=C.MQUS_TRANSMISSION)
    one.define("SDR", "OTHER", XMITQ="OTHER", CONNAME="qm2(1414)")
    one.initiator.stop("OTHER", QUIESCE)
    two.initiator.stop(CHANNEL, QUIESCE)
    net.down.add("qm2")
    one.initiator.start(CHANNEL)
    net.pass_time(10)
    for host in (two, one):
        host.restart() if orderly else host.crash()
    assert one.states == {CHANNEL: "RETRYING", "OTHER": "STOPPED"}
    assert one.shown(CHANNEL).short_retries == 2
    assert two.states == {CHANNEL: "STOPPED"}
    net.down.clear()
    net.run()
    assert one.states[CHANNEL] == "RETRYING", "the other end does not let it in"
    assert two.times_said(9534) >= 1
    two.initiator.start(CHANNEL)
    net.pass_time(10)
    assert one.states[CHANNEL] == "RUNNING"
    one.restart() if orderly else one.crash()
    net.run()
    assert one.states == {"OTHER": "STOPPED"}, "what was running waits for a start, or a trigger"


@pytest.mark.parametrize("triggered", [True, False])
def test_a_batch_in_doubt_is_taken_up_if_the_queue_is_triggered(triggered: bool) -> None:
    net, one, two = network(trigger=TRIGGER if triggered else {})
    one.initiator.start(CHANNEL)
    one.put("TARGET", b"doubt", qmgr="QM2")
    net.run_until(lambda: bool(channel_batches.in_doubt(one.qm.core)))
    one.crash()
    assert len(channel_batches.in_doubt(one.qm.core)) == 1
    net.run()
    if not triggered:
        assert one.states == {}
        one.initiator.start(CHANNEL)
        net.run()
    assert one.states == {CHANNEL: "RUNNING"}
    assert not channel_batches.in_doubt(one.qm.core)
    assert two.content("TARGET") == [b"doubt"]


def test_what_waits_on_a_triggered_queue_starts_the_channel_after_a_crash() -> None:
    net, one, two = network(trigger=TRIGGER)
    one.initiator.stop(CHANNEL, QUIESCE)
    one.put("TARGET", b"one", qmgr="QM2")
    net.run()
    assert one.states == {CHANNEL: "STOPPED"}
    one.initiator.stop(CHANNEL, QUIESCE, after=C.MQCHS_INACTIVE)
    one.crash()
    net.run()
    assert one.states == {CHANNEL: "RUNNING"} and two.content("TARGET") == [b"one"]


# STOP CHANNEL


@pytest.mark.parametrize("mode", [QUIESCE, FORCE, TERMINATE])
@pytest.mark.parametrize("after", [C.MQCHS_STOPPED, C.MQCHS_INACTIVE])
def test_stop_ends_a_running_sender(mode: int, after: int) -> None:
    net, one, two = network()
    running(net, one)
    assert one.initiator.stop(CHANNEL, mode, after=after) == 1
    net.run()
    assert one.states == ({CHANNEL: "STOPPED"} if after == C.MQCHS_STOPPED else {})
    assert two.states == {}
    assert one.depth("QM2") == 0 and not one.initiator.agents


def test_stop_quiesce_waits_for_the_batch() -> None:
    net, one, two = network()
    running(net, one)
    one.put("TARGET", b"last", qmgr="QM2")
    net.run_until(lambda: bool(channel_batches.in_doubt(one.qm.core)))
    one.initiator.stop(CHANNEL, QUIESCE)
    assert one.states == {CHANNEL: "STOPPING"} and one.shown(CHANNEL).stop_requested
    with refused(C.MQRCCF_CHANNEL_IN_USE):
        one.initiator.start(CHANNEL)
    net.run()
    assert one.states == {CHANNEL: "STOPPED"} and two.content("TARGET") == [b"last"]
    running(net, one)


@pytest.mark.parametrize("after", [C.MQCHS_STOPPED, C.MQCHS_INACTIVE])
@pytest.mark.parametrize("state", ["RETRYING", "BINDING", "STARTING", "REQUESTING"])
def test_stop_ends_what_only_waits(state: str, after: int) -> None:
    net, one, two = network("SDR", "RQSTR" if state == "REQUESTING" else "RCVR")
    host = one
    net.holding = state == "BINDING"
    if state == "STARTING":
        one.with_rules(active_max=1)
        one.clients = 1
    if state == "REQUESTING":
        host = two
        net.down.add("qm2")
    if state == "RETRYING":
        net.down.add("qm2")
    host.initiator.start(CHANNEL)
    net.run()
    assert host.states == {CHANNEL: state}
    assert host.initiator.stop(CHANNEL, QUIESCE, after=after) == 1
    left = {CHANNEL: "STOPPED"} if after == C.MQCHS_STOPPED else {}
    assert host.states == left
    one.clients, net.holding = 0, False
    one.initiator.stop(CHANNEL, QUIESCE, after=after)
    net.down.clear()
    net.pass_time(1000)
    assert host.states == left, "neither the call nor a retry brings it back"
    host.crash()
    assert host.states == left


def test_a_stopped_receiver_refuses_callers_until_it_is_started() -> None:
    net, one, two = network(SHORTTMR=10)
    running(net, one)
    assert two.initiator.stop(CHANNEL, QUIESCE) == 1
    net.run()
    assert two.states == {CHANNEL: "STOPPED"}
    assert one.states == {CHANNEL: "RETRYING"}
    net.pass_time(10)
    assert one.states == {CHANNEL: "RETRYING"} and two.times_said(9534) == 1
    two.initiator.start(CHANNEL)
    net.pass_time(10)
    assert one.states == two.states == {CHANNEL: "RUNNING"}


def test_stop_of_some_instances_leaves_the_others() -> None:
    net = Network("QM1", "QM2", "QM3")
    for name in ("QM1", "QM3"):
        host = net.hosts[name.lower()]
        host.define("QLOCAL", "QM2", USAGE=C.MQUS_TRANSMISSION)
        host.define("SDR", "TO.QM2", XMITQ="QM2", CONNAME="qm2(1414)", SHORTTMR=1000)
        host.initiator.start("TO.QM2") if name == "QM1" else None
    two = net.hosts["qm2"]
    two.define("RCVR", "TO.QM2")
    net.run()
    net.hosts["qm3"].initiator.start("TO.QM2")
    net.run()
    assert [one.partner for one in two.initiator.instances()] == ["QM1", "QM3"], "one for each partner"
    inactive = C.MQCHS_INACTIVE
    with refused(C.MQRCCF_PARM_CONFLICT):
        two.initiator.stop("TO.QM2", QUIESCE, partner="QM1")
    assert two.initiator.stop("TO.QM2", FORCE, after=inactive, partner="NONE") == 0
    assert two.initiator.stop("TO.QM2", FORCE, after=inactive, partner="QM1") == 1
    assert [one.partner for one in two.initiator.instances()] == ["QM3"]
    assert two.initiator.stop("TO.QM2", FORCE, after=inactive, connection_name="qm3") == 1
    assert two.states == {}


def test_stop_of_what_does_not_run() -> None:
    _, one, _ = network()
    inactive = C.MQCHS_INACTIVE
    with refused(C.MQRCCF_CHANNEL_NOT_FOUND):
        one.initiator.stop("NOWHERE", QUIESCE)
    with refused(C.MQRCCF_WRONG_CHANNEL_TYPE):
        one.initiator.stop("SYSTEM.DEF.SVRCONN", QUIESCE)
    assert one.initiator.stop(CHANNEL, QUIESCE, after=inactive) == 0
    assert one.initiator.stop(CHANNEL, QUIESCE) == 0
    assert one.states == {CHANNEL: "STOPPED"}
    assert one.initiator.stop(CHANNEL, QUIESCE, after=inactive) == 1
    assert one.states == {}


# Limits


def test_a_channel_waits_until_another_ends() -> None:
    net, one, two = network()
    one.with_rules(active_max=1)
    one.qm.alter("QMGR", "", {"CHLEV": "ENABLED"})
    one.define("QLOCAL", "MORE", USAGE=C.MQUS_TRANSMISSION)
    one.define("SDR", "MORE", XMITQ="MORE", CONNAME="qm2(1414)")
    two.define("RCVR", "MORE")
    running(net, one)
    one.initiator.start("MORE")
    net.run()
    assert one.states == {CHANNEL: "RUNNING", "MORE": "STARTING"}
    with refused(C.MQRCCF_CHANNEL_IN_USE):
        one.initiator.start("MORE")
    assert one.times_said(9573) == 1
    one.initiator.stop(CHANNEL, QUIESCE)
    net.run()
    assert one.states == {CHANNEL: "STOPPED", "MORE": "RUNNING"}
    assert one.times_said(9574) == 1
    one.initiator.stop("MORE", QUIESCE)
    net.run()
    one.clients = 1
    one.initiator.start("MORE")
    net.run()
    assert one.states["MORE"] == "STARTING"
    one.clients = 0
    one.initiator.tick()
    net.run()
    assert one.states["MORE"] == "RUNNING", "an application has left"
    reasons = [reason for reason, _ in events(one)]
    assert reasons.index(C.MQRC_CHANNEL_NOT_ACTIVATED) < reasons.index(C.MQRC_CHANNEL_ACTIVATED)


def test_no_more_channels_than_may_be() -> None:
    net, one, two = network()
    one.with_rules(channels_max=1)
    two.with_rules(channels_max=1)
    one.clients = 1
    one.qm.alter("QMGR", "", {"CHLEV": "ENABLED"})
    with refused(C.MQRC_MAX_CONNS_LIMIT_REACHED):
        one.initiator.start(CHANNEL)
    assert events(one) == [(C.MQRC_CHANNEL_NOT_AVAILABLE, C.MQRQ_MAX_CHANNELS)]
    one.clients = 0
    two.clients = 1
    got = answer(net, offer(net, two))
    assert got is not None and got.code == Status.CHANNEL_UNAVAILABLE and two.times_said(9513) == 1
    two.clients = 0
    running(net, one)


def test_the_rules_are_those_of_the_configuration() -> None:
    assert ChannelRules.of(ChannelSettings()) == ChannelRules()
    settings = ChannelSettings(5, 4, 1, 2, "NO", "QM")
    assert ChannelRules.of(settings) == ChannelRules(5, 4, 2, adopt=False, adopt_from_anywhere=True)


# Events


def test_events_tell_of_starts_and_ends() -> None:
    net, one, two = network(SHORTRTY=1, SHORTTMR=10, LONGRTY=0)
    for host in (one, two):
        host.qm.alter("QMGR", "", {"CHLEV": "ENABLED"})
    running(net, one)
    net.down.add("qm2")
    net.cut()
    net.pass_time(10)
    assert one.states == {CHANNEL: "STOPPED"}
    started, stopped = (C.MQRC_CHANNEL_STARTED, None), C.MQRC_CHANNEL_STOPPED
    assert events(one) == [
        started,
        (stopped, C.MQRQ_CHANNEL_STOPPED_RETRY),
        (stopped, C.MQRQ_CHANNEL_STOPPED_ERROR),
    ]
    assert events(two) == [started, (stopped, C.MQRQ_CHANNEL_STOPPED_ERROR)]
    net.down.clear()
    running(net, one)
    one.initiator.stop(CHANNEL, QUIESCE)
    net.run()
    assert events(one)[3:] == [
        started,
        (C.MQRC_CHANNEL_STOPPED_BY_USER, C.MQRQ_CHANNEL_STOPPED_DISABLED),
        (stopped, C.MQRQ_CHANNEL_STOPPED_DISABLED),
    ]
    assert events(two)[2:] == [started, (stopped, C.MQRQ_CHANNEL_STOPPED_OK)]


# PING CHANNEL


def test_ping_has_the_data_back_and_leaves_nothing() -> None:
    net, one, two = network()
    done: list[Any] = []
    one.initiator.ping(CHANNEL, b"x" * 1000, done.append)
    net.run()
    assert done == [None]
    assert [text[:8] for host in (one, two) for text in host.said if text.startswith("AMQ9")] == [
        "AMQ9002I",
        "AMQ9001I",
    ]
    assert one.states == two.states == {} and not one.initiator.agents and not two.initiator.agents
    running(net, one)
    with refused(C.MQRCCF_CHANNEL_IN_USE):
        one.initiator.ping(CHANNEL, b"x", done.append)


def test_ping_says_what_is_wrong() -> None:
    net, one, two = network()
    done: list[Any] = []
    with refused(C.MQRCCF_CHANNEL_NOT_FOUND):
        one.initiator.ping("NOWHERE", b"x", done.append)
    with refused(C.MQRCCF_WRONG_CHANNEL_TYPE):
        two.initiator.ping(CHANNEL, b"x", done.append)
    net.down.add("qm2")
    one.initiator.ping(CHANNEL, b"x", done.append)
    net.run()
    assert [message.number for message in done] == [9202]
    net.down.clear()
    two.qm.delete("RCVR", CHANNEL)
    one.initiator.ping(CHANNEL, b"x", done.append)
    net.run()
    assert done[1].number == 9520 and one.states == {}


# The end of the queue manager


def test_quiesce_ends_all_at_the_end_of_their_batches() -> None:
    net, one, two = network(SHORTTMR=10)
    running(net, one)
    one.put("TARGET", b"last", qmgr="QM2")
    net.run_until(lambda: bool(channel_batches.in_doubt(one.qm.core)))
    one.initiator.quiesce()
    assert one.initiator.agents
    with refused(C.MQRC_Q_MGR_QUIESCING):
        one.initiator.start(CHANNEL)
    got = answer(net, offer(net, one, CAP1_REQUESTER))
    assert got is not None and got.code == Status.QM_TERMINATING
    net.run()
    assert not one.initiator.agents and two.states == {} and two.content("TARGET") == [b"last"]
    assert one.initiator.next_deadline() is None
    assert not one.qm.core.catalogue.channel_states


def test_a_call_that_succeeds_after_the_end_finds_nobody() -> None:
    net, one, _ = network()
    net.holding = True
    one.initiator.start(CHANNEL)
    net.run()
    _, call = net.calls[0]
    one.initiator.end()
    assert call.cancelled
    link = net.connect(one, one)
    assert call.build(link.near, link.ends[link.far]) is None
    call.failed("too late")
    assert one.states == {}


# Trouble


def test_a_state_that_the_log_has_no_room_for_counts_all_the_same() -> None:
    net, one, _ = network(SHORTRTY=0, LONGRTY=0)
    net.down.add("qm2")
    one.initiator.start(CHANNEL)
    usual, one.qm.core.checkpoint_bytes = one.qm.core.checkpoint_bytes, 10**9  # as much as is to be kept free
    net.run()
    assert one.states == {CHANNEL: "STOPPED"} and one.times_said(9516) == 1
    assert not one.qm.core.catalogue.channel_states
    one.qm.core.checkpoint_bytes = usual
    net.pass_time(11)
    assert one.qm.core.catalogue.channel_states[CHANNEL].status == C.MQCHS_STOPPED
    one.crash()
    assert one.states == {CHANNEL: "STOPPED"}


def test_a_stop_that_cannot_be_kept_is_refused_and_changes_nothing() -> None:
    net, one, _ = network()
    running(net, one)
    usual, one.qm.core.checkpoint_bytes = one.qm.core.checkpoint_bytes, 10**9
    with refused(C.MQRC_RESOURCE_PROBLEM):
        one.initiator.stop(CHANNEL, FORCE)
    net.run()
    assert one.states == {CHANNEL: "RUNNING"}
    one.qm.core.checkpoint_bytes = usual
    one.initiator.stop(CHANNEL, FORCE)
    assert one.states == {CHANNEL: "STOPPED"}
