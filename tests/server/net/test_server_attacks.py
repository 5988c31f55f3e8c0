"""What a client that was let in as an unprivileged user must not be able to do, tried over real sockets."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helper_peers import Peer

import libremq
from libremq.client.kept_attributes import NoEffectYet
from libremq.kernel.authority import object_authority
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQMD, MQOD, MQPMO, MQTM
from libremq.testing.serving import Served, served_queue_manager
from libremq.tools.configuration_dump import setmqaut_lines
from libremq.tools.trigger_monitor import TriggerMonitor
from libremq.wire import calls, session_flows
from libremq.wire.protocol import FIRST, Status, Type
from libremq.wire.segments import frame

CHANNEL = "APP.SVRCONN"
INITQ = "SYSTEM.DEFAULT.INITIATION.QUEUE"


class Site:
    """A queue manager as it is created; alice may connect, and put to MINE and get from it."""

    def __init__(self, served: Served) -> None:
        self.served, self.manager = served, served.event_loop.manager
        self.define("CHANNEL", CHANNEL, CHLTYPE="SVRCONN")
        self.define("QLOCAL", "MINE")
        self.define("QLOCAL", "DEAD")
        served.embedded.admin(lambda: self.manager.alter("QMGR", "", {"deadq": "DEAD"}))
        self.give("", "QMGR", "CONNECT")
        self.give("MINE", "QUEUE", "PUT", "GET")

    def define(self, kind: str, name: str, **attributes: Any) -> None:
        self.served.embedded.admin(lambda: self.manager.define(kind, name, attributes))

    def give(self, profile: str, object_type: str, *authorities: str) -> None:
        self.served.embedded.admin(
            lambda: object_authority.set_authority(
                self.manager.core, profile, object_type, principals=("alice",), add=authorities, known=True
            )
        )

    def url(self, user: str = "alice") -> str:
        return f"mq://{user}@127.0.0.1:{self.served.port}/QM1?channel={CHANNEL}"

    def refuses(self, work: Any, *arguments: Any, **named: Any) -> MQError:
        with pytest.raises(MQError) as caught:
            work(*arguments, **named)
        assert caught.value.reason == C.MQRC_NOT_AUTHORIZED, caught.value
        return caught.value


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with served_queue_manager(folder=tmp_path / "data", secured=True) as served:
        yield Site(served)


def forged_trigger(bait: Path) -> bytes:
    return MQTM(QName="WORK", ProcessName="P", ApplType=C.MQAT_UNIX, ApplId=f"touch {bait};true").pack()


def run_monitor(site: Site) -> TriggerMonitor:
    with libremq.connect(site.served.url("local")) as owner:
        monitor = TriggerMonitor(owner)
        monitor.run_pending()
        monitor.stop()
    return monitor


@pytest.mark.parametrize("may_put", [False, True])
def test_no_report_passes_for_a_trigger_message(site: Site, tmp_path: Path, may_put: bool) -> None:
    """A report has the data of whoever asked for it and the signature of the queue manager."""
    if may_put:
        site.give(INITQ, "QUEUE", "PUT")
    with libremq.connect(site.url()) as qm:
        md = MQMD(
            Version=2, Format=C.MQFMT_TRIGGER, Report=C.MQRO_COA_WITH_FULL_DATA, ReplyToQ=INITQ,
            Encoding=C.MQENC_NATIVE, CodedCharSetId=819,
        )  # fmt: skip
        pmo = MQPMO(Options=C.MQPMO_NO_SYNCPOINT)
        qm.mqi.MQPUT1(MQOD(ObjectName="MINE"), md, pmo, forged_trigger(tmp_path / "bait"))
    monitor = run_monitor(site)
    assert (monitor.started, monitor.refused) == (0, int(may_put))
    assert not (tmp_path / "bait").exists()


def test_no_client_passes_for_a_queue_manager(site: Site, tmp_path: Path) -> None:
    """A client says itself what type of application it is."""
    site.give(INITQ, "QUEUE", "PUT")
    with Peer(site.served.port, channel=CHANNEL) as peer:
        peer.negotiate()
        body = session_flows.pack_connect(session_flows.Connect("", "QM1", C.MQAT_QMGR))
        peer.send(frame(Type.USERID_DATA, session_flows.pack_user("alice"), 1))
        assert peer.call(Type.MQCONN, calls.pack_api(0, 0, 0, len(body)) + body).reason == C.MQRC_NONE
        hobj = peer.open(INITQ, C.MQOO_OUTPUT)
        md = MQMD(Version=2, Format=C.MQFMT_TRIGGER, Encoding=C.MQENC_NATIVE, CodedCharSetId=819)
        put = calls.pack_put(hobj, md, MQPMO(Options=C.MQPMO_NO_SYNCPOINT), forged_trigger(tmp_path / "bait"))
        assert peer.call(Type.MQPUT, put).reason == C.MQRC_NONE
    monitor = run_monitor(site)
    assert (monitor.started, monitor.refused) == (0, 1)
    assert not (tmp_path / "bait").exists()


def test_the_owner_under_another_name_gets_reports_on_its_own_temporary_queue(site: Site) -> None:
    with libremq.connect(site.served.url("local"), user="batch") as qm:
        od = MQOD(ObjectName="SYSTEM.DEFAULT.MODEL.QUEUE")
        answers = qm.mqi.MQOPEN(od, C.MQOO_INPUT_SHARED)
        for reply_to, depth in ((od.ObjectName, 1), ("MINE", 1)):
            md = MQMD(Version=2, Report=C.MQRO_COA, ReplyToQ=reply_to)
            qm.mqi.MQPUT1(MQOD(ObjectName="DEAD"), md, MQPMO(Options=C.MQPMO_NO_SYNCPOINT), b"")
            assert site.manager.depth(od.ObjectName) == depth
        assert site.manager.depth("MINE") == 0  # as batch it may not put there
        qm.mqi.MQCLOSE(answers)


@pytest.mark.parametrize("keyword", ["chltype", "CHLTYPE", "ChlType"])
def test_replace_needs_the_authority_to_change_however_the_type_is_spelt(site: Site, keyword: str) -> None:
    site.give("@class", "CHANNEL", "CRT")
    site.give("SYSTEM.**", "CHANNEL", "DSP")
    with libremq.connect(site.url()) as qm:
        refused = site.refuses(qm.define, "channel", CHANNEL, replace=True, mcauser="mqm", **{keyword: "svrconn"})
        assert "lacks chg" in refused.detail
        site.define("CHANNEL", "OTHER", CHLTYPE="SVRCONN", MCAUSER="mqm")
        refused = site.refuses(qm.define, "channel", "NEW", like="OTHER", **{keyword: "svrconn"})
        assert "lacks dsp" in refused.detail
    found = site.manager.find("CHANNEL", CHANNEL)
    assert found is not None
    assert found.__dict__["mcauser"] == ""
    assert site.manager.find("CHANNEL", "NEW") is None


def test_a_client_connection_channel_is_not_a_channel(site: Site) -> None:
    """They are two types of object for authorities, although one command changes both."""
    site.define("CHANNEL", "TO.US", CHLTYPE="CLNTCONN", CONNAME="here(1414)")
    site.give("TO.US", "CHANNEL", "CHG", "DLT", "DSP")
    with libremq.connect(site.url()) as qm:
        site.refuses(qm.alter, "channel", "TO.US", conname="there(1414)")
        site.refuses(qm.alter, "channel", "TO.US", chltype="clntconn", conname="there(1414)")
        site.refuses(qm.delete, "channel", "TO.US")
        for text in ("DELETE CHANNEL(TO.US)", "DELETE CHANNEL(TO.US) CHLTABLE(CLNTTBL)", "DISPLAY CHANNEL(TO.US)"):
            assert qm.mqsc(text)[0].reason == C.MQRC_NOT_AUTHORIZED, text
        site.give("TO.US", "CLNTCONN", "CHG", "DLT", "DSP")
        with pytest.warns(NoEffectYet, match="CONNAME"):
            qm.alter("channel", "TO.US", conname="there(1414)")
        assert qm.mqsc("DISPLAY CHANNEL(TO.US)")[0].reason == C.MQRC_NONE
        assert qm.mqsc("DELETE CHANNEL(TO.US)")[0].reason == C.MQRC_NONE


def test_a_refused_reset_resets_nothing(site: Site) -> None:
    site.define("QLOCAL", "MINE.TOO")
    site.served.embedded.admin(lambda: site.manager.alter("QMGR", "", {"perfmev": "enabled"}))
    site.give("MINE", "QUEUE", "DSP")
    with libremq.connect(site.url()) as qm:
        qm.put("MINE", "counts")
        assert qm.mqsc("RESET QSTATS(MINE*)")[0].reason == C.MQRC_NOT_AUTHORIZED
        (answer,) = qm.mqsc("RESET QSTATS(MINE)")
        assert answer.rows[0]["msgsin"] == 1, answer


def test_messages_are_moved_only_where_their_context_may_go(site: Site) -> None:
    """On a transmission queue the data of a message is a header: with it anybody could be its sender."""
    site.define("QLOCAL", "OUT", USAGE="XMITQ")
    site.define("QLOCAL", "OTHER")
    with libremq.connect(site.url()) as qm:
        for name, needed in (("OUT", "SETALL"), ("OTHER", "PASSALL")):
            qm.put("MINE", "forged header")
            site.give(name, "QUEUE", "PUT", "PASSID")
            move = f"MOVE QLOCAL(MINE) TOQLOCAL({name})"
            assert qm.mqsc(move)[0].reason == C.MQRC_NOT_AUTHORIZED
            site.give(name, "QUEUE", needed)
            if needed == "SETALL":
                assert qm.mqsc(move)[0].reason == C.MQRC_NOT_AUTHORIZED
                site.give("", "QMGR", needed)
            assert qm.mqsc(move)[0].reason == C.MQRC_NONE


# Before anybody was let in


def ended_with(peer: Peer) -> Status:
    while True:
        flow = peer.answer()
        if flow.kind == Type.STATUS_DATA and flow.body:
            assert peer.receive() is None
            return Status(session_flows.unpack_status(flow.body))


def test_nothing_long_is_taken_from_who_was_not_let_in(site: Site) -> None:
    """The agreement on a channel is no proof of anything."""
    with Peer(site.served.port, channel=CHANNEL) as peer:
        peer.negotiate()
        peer.send(frame(Type.MQPUT, bytes(30_000), 1, flags=FIRST) + frame(Type.MQPUT, bytes(30_000), 1, flags=0) * 2)
        assert ended_with(peer) == Status.MESSAGE_LENGTH_ERROR


def test_not_much_is_kept_while_a_password_is_looked_at(site: Site) -> None:
    with Peer(site.served.port, channel=CHANNEL) as peer:
        peer.negotiate()
        body = session_flows.pack_connect(session_flows.Connect("", "peer", C.MQAT_UNIX))
        peer.send(
            frame(Type.CONAUTH_INFO, session_flows.pack_credentials("alice", "a guess"), 1)
            + frame(Type.MQCONN, calls.pack_api(0, 0, 0, len(body)) + body, 1)
            + frame(Type.MQPUT, bytes(30_000), 1) * 3
        )
        assert ended_with(peer) == Status.PROTOCOL_GENERAL


# Names


def test_commands_are_given_as_who_was_let_in(site: Site) -> None:
    """A second MQCONN that fails must not change who gives the commands of a connection for commands."""
    with Peer(site.served.port, channel=CHANNEL) as peer:
        peer.negotiate()
        body = session_flows.pack_connect(session_flows.Connect("", "peer", C.MQAT_UNIX, session_flows.COMMANDS_ONLY))
        connect = frame(Type.MQCONN, calls.pack_api(0, 0, 0, len(body)) + body, 1)
        peer.send(frame(Type.USERID_DATA, session_flows.pack_user("alice"), 1) + connect)
        assert calls.unpack_api(peer.answer().body).reason == C.MQRC_NONE
        peer.send(frame(Type.USERID_DATA, session_flows.pack_user("mallory"), 1) + connect)
        assert peer.answer().kind == Type.PING_DATA  # the explanation
        assert calls.unpack_api(peer.answer().body).reason == C.MQRC_ALREADY_CONNECTED
        (conversation,) = site.served.in_loop(
            lambda: [one for link in site.served.event_loop.links for one in link.conversations.values()]
        )
        assert conversation.user == "alice"


def test_the_name_of_a_client_is_one_word_for_a_shell(site: Site) -> None:
    """Who makes a permanent dynamic queue gets an authority record under its name, whatever that is."""
    hostile = "';id;'"
    site.define("QMODEL", "MODEL.KEPT", DEFTYPE="PERMDYN")
    core = site.manager.core
    for profile, of, add in (("", "QMGR", "CONNECT"), ("MODEL.KEPT", "QUEUE", "DSP"), ("MODEL.KEPT", "QUEUE", "GET")):
        site.served.embedded.admin(
            lambda profile=profile, of=of, add=add: object_authority.set_authority(
                core, profile, of, groups=("nobody",), add=(add,)
            )
        )
    with libremq.connect(site.url(), user=hostile) as qm:
        od = MQOD(ObjectName="MODEL.KEPT")
        qm.mqi.MQOPEN(od, C.MQOO_INPUT_SHARED)
    with libremq.connect(site.served.url("local")) as owner:
        (line,) = setmqaut_lines(owner, "QM1", od.ObjectName)
    words = shlex.split(line)
    assert words[words.index("-p") + 1] == hostile


def test_what_a_client_is_called_steers_no_terminal(site: Site) -> None:
    """DISPLAY shows names that applications have chosen, to administrators and to their scripts."""
    hostile = "x\x1b[2J)\nAMQ8276I: forged\x9b"
    site.give("MINE", "QUEUE", "CHG")
    with libremq.connect(site.url(), application=hostile) as qm, libremq.connect(site.served.url("local")) as owner:
        qm.alter("qlocal", "MINE", descr=hostile)
        for text in ("DISPLAY CONN(*) APPLTAG", "DISPLAY QLOCAL(MINE) DESCR"):
            lines = owner.mqsc(text)[0].lines
            assert any("x.[2J).AMQ8276I: forged." in line for line in lines), lines
            assert all(line.isprintable() for line in lines), lines
        qm.alter("qlocal", "MINE", descr="\u202ea\u2066b")  # what turns the direction of text
        assert any("DESCR(.a.b)" in line for line in owner.mqsc("DISPLAY QLOCAL(MINE) DESCR")[0].lines)
