"""The command server: when it runs a command, as whom, where its answers go, and what never stops it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helper_pcf import COMMAND_QUEUE, Reply, Sender, command, failure, named

from libremq import connect
from libremq.admin.command_server import place_of
from libremq.admin.mqsc_lines import CommandText
from libremq.admin.mqsc_session import DONE, FAILED
from libremq.client.escape import EscapeSession
from libremq.client.queue_manager import QueueManager
from libremq.host.embedded import EmbeddedQueueManager
from libremq.kernel.authority import object_authority
from libremq.kernel.state.waiting_gets import Got
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.pcf import MQCFGR, MQCFH, pack_message, unpack_message
from libremq.mqi.structs import MQDLH, MQGMO, MQMD, MQOD, MQPMO
from libremq.testing import temporary_queue_manager
from libremq.testing.faulty_files import FaultyFiles
from libremq.testing.serving import served_queue_manager
from libremq.testing.virtual_clock import VirtualClock

NAME = C.MQCA_Q_NAME
LOCAL = {C.MQIA_Q_TYPE: C.MQQT_LOCAL}
PING = command(C.MQCMD_PING_Q_MGR)


def create(name: str) -> bytes:
    return command(C.MQCMD_CREATE_Q, {NAME: name, **LOCAL})


def exists(qm: QueueManager, name: str) -> bool:
    (answer,) = qm.mqsc(f"DISPLAY QUEUE({name})")
    return not answer.reason


def done(qm: QueueManager, text: str) -> None:
    (answer,) = qm.mqsc(text)
    assert not answer.reason, answer.lines


def depth(qm: QueueManager, name: str) -> int:
    (answer,) = qm.mqsc(f"DISPLAY QLOCAL({name}) CURDEPTH")
    found: int = answer.rows[0]["curdepth"]
    return found


@pytest.fixture
def qm() -> Iterator[QueueManager]:
    with temporary_queue_manager() as made:
        yield made


@pytest.fixture
def sender(qm: QueueManager) -> Iterator[Sender]:
    with Sender(qm.mqi) as made:
        yield made


# Over every binding


@pytest.mark.parametrize("binding", ["mq", "local"])
def test_commands_over_a_server(tmp_path: Path, binding: str) -> None:
    with served_queue_manager(folder=tmp_path) as served, connect(served.url(binding)) as qm, Sender(qm.mqi) as sender:
        sender.done(C.MQCMD_CREATE_Q, {NAME: "NEW", **LOCAL, C.MQIA_MAX_Q_DEPTH: 7})
        (reply,) = sender.done(C.MQCMD_INQUIRE_Q, {NAME: "NEW"})
        assert reply[C.MQIA_MAX_Q_DEPTH] == 7
        assert len(sender.done(C.MQCMD_INQUIRE_Q, {NAME: "SYSTEM.*"})) > 20
        assert sender.refused(C.MQCMD_DELETE_Q, {NAME: "NONE"})[0] == C.MQRC_UNKNOWN_OBJECT_NAME


def test_commands_of_one_connection_are_answered_to_another(qm: QueueManager, sender: Sender) -> None:
    """The reply is put by the queue manager, so it waits for whoever reads the queue."""
    with connect(f"embedded:{qm.name}?data={Path(qm.folder).parent.parent}") as other:
        md = MQMD(Format=C.MQFMT_ADMIN, MsgType=C.MQMT_REQUEST, ReplyToQ=sender.queue)
        other.mqi.MQPUT1(MQOD(ObjectName=COMMAND_QUEUE), md, MQPMO(), PING)
        assert sender.replies(md)[0].reason == C.MQRC_NONE


# Units of work


def test_a_command_in_a_unit_of_work_is_run_when_that_is_committed(qm: QueueManager, sender: Sender) -> None:
    def put(data: bytes) -> MQMD:
        md = MQMD(Format=C.MQFMT_ADMIN, MsgType=C.MQMT_REQUEST, ReplyToQ=sender.queue, CodedCharSetId=1208)
        sender.mqi.MQPUT1(MQOD(ObjectName=COMMAND_QUEUE), md, MQPMO(Options=C.MQPMO_SYNCPOINT), data)
        return md

    put(create("NEVER"))
    sender.mqi.MQBACK()
    md = put(create("LATER"))
    assert not exists(qm, "LATER")
    sender.mqi.MQCMIT()
    assert sender.replies(md)[0].reason == C.MQRC_NONE
    assert exists(qm, "LATER") and not exists(qm, "NEVER")


def test_many_commands_at_once_are_all_answered_in_order(qm: QueueManager, sender: Sender) -> None:
    sent: list[MQMD] = []
    for number in range(250):
        md = MQMD(Format=C.MQFMT_ADMIN, MsgType=C.MQMT_REQUEST, ReplyToQ=sender.queue, CodedCharSetId=1208)
        data = create("SAME") if number % 2 else command(C.MQCMD_DELETE_Q, {NAME: "SAME"})
        sender.mqi.MQPUT1(MQOD(ObjectName=COMMAND_QUEUE), md, MQPMO(Options=C.MQPMO_SYNCPOINT), data)
        sent.append(md)
    sender.mqi.MQCMIT()
    reasons = [sender.replies(md)[0].reason for md in sent]
    assert reasons == [C.MQRC_UNKNOWN_OBJECT_NAME] + [C.MQRC_NONE] * 249
    assert depth(qm, COMMAND_QUEUE) == 0


# The descriptor of the answer


def test_the_answer_has_the_ids_that_the_report_options_ask_for(sender: Sender) -> None:
    mine = b"correlation".ljust(24, b"\0")
    md = sender.put(PING, CorrelId=mine, Report=C.MQRO_PASS_CORREL_ID | C.MQRO_PASS_MSG_ID, Priority=7)
    got = MQMD(Version=C.MQMD_VERSION_2, CorrelId=mine)
    gmo = MQGMO(Version=2, MatchOptions=C.MQMO_MATCH_CORREL_ID)
    sender.mqi.MQGET(sender.hobj, got, gmo)
    assert (got.MsgId, got.CorrelId, got.Priority) == (md.MsgId, mine, 7)
    assert (got.MsgType, got.Format.strip(), got.Expiry) == (C.MQMT_REPLY, "MQADMIN", C.MQEI_UNLIMITED)
    (reply,) = sender.replies(sender.put(PING))
    assert reply.md.MsgId != reply.md.CorrelId
    assert reply.md.UserIdentifier == md.UserIdentifier


def test_expiry_is_passed_on_if_asked(sender: Sender) -> None:
    options = C.MQRO_PASS_DISCARD_AND_EXPIRY | C.MQRO_DISCARD_MSG
    (reply,) = sender.replies(sender.put(PING, Expiry=6000, Report=options))
    assert 0 < reply.md.Expiry <= 6000
    assert reply.md.Report == C.MQRO_DISCARD_MSG


def test_an_answer_is_as_persistent_as_its_command(qm: QueueManager, sender: Sender) -> None:
    done(qm, "DEFINE QLOCAL(ANSWERS)")
    for persistence in (C.MQPER_PERSISTENT, C.MQPER_NOT_PERSISTENT):
        sender.put(PING, ReplyToQ="ANSWERS", Persistence=persistence)
        with qm.queue("ANSWERS") as answers:
            assert answers.get().md.Persistence == persistence


def test_a_confirmation_of_delivery(qm: QueueManager, sender: Sender) -> None:
    done(qm, "DEFINE QLOCAL(ANSWERS)")
    sender.put(PING, ReplyToQ="ANSWERS", Report=C.MQRO_COD)
    with qm.queue("ANSWERS") as answers:
        found = {answers.get().md.MsgType for _ in range(2)}
    assert found == {C.MQMT_REPORT, C.MQMT_REPLY}


# Datagrams


@pytest.mark.parametrize(
    ("report", "on_success", "on_failure"),
    [
        (C.MQRO_NONE, False, False),
        (C.MQRO_PAN, True, False),
        (C.MQRO_NAN, False, True),
        (C.MQRO_PAN | C.MQRO_NAN, True, True),
    ],
)
def test_a_datagram_is_answered_if_it_asks(sender: Sender, report: int, on_success: bool, on_failure: bool) -> None:
    sender.put(PING, MsgType=C.MQMT_DATAGRAM, Report=report)
    assert sender.nothing_more() is not on_success
    sender.put(command(C.MQCMD_CLEAR_Q), MsgType=C.MQMT_DATAGRAM, Report=report)
    assert sender.nothing_more() is not on_failure


def test_a_command_without_a_reply_queue_is_run(qm: QueueManager, sender: Sender) -> None:
    sender.put(create("QUIET"), MsgType=C.MQMT_DATAGRAM, ReplyToQ="")
    assert exists(qm, "QUIET")


# What is no command, and answers that nobody can have


@pytest.fixture
def dead(qm: QueueManager) -> QueueManager:
    done(qm, "DEFINE QLOCAL(DEAD)")
    done(qm, "ALTER QMGR DEADQ(DEAD)")
    return qm


def buried(qm: QueueManager) -> tuple[MQDLH, bytes]:
    with qm.queue("DEAD") as queue:
        data = queue.get().data
    return MQDLH.unpack(data), data[MQDLH.size(1) :]


def test_what_is_no_pcf_is_refused(sender: Sender) -> None:
    assert failure(sender.replies(sender.put(b"hello", Format="MQSTR"))) == (C.MQRCCF_MD_FORMAT_ERROR, 0)
    assert failure(sender.replies(sender.put(b"hello"))) == (C.MQRCCF_MSG_LENGTH_ERROR, 0)
    assert failure(sender.replies(sender.put(PING, Encoding=0xF))) == (C.MQRCCF_ENCODING_ERROR, 0)


@pytest.mark.parametrize("descriptor", [{"Format": "MQSTR"}, {"MsgType": C.MQMT_REPLY}, {"MsgType": C.MQMT_REPORT}])
def test_what_is_no_command_and_wants_no_answer_is_a_dead_letter(
    dead: QueueManager, sender: Sender, descriptor: dict[str, Any]
) -> None:
    sender.put(PING, **{"MsgType": C.MQMT_DATAGRAM, "ReplyToQ": "", **descriptor})
    header, data = buried(dead)
    assert (header.DestQName, header.Reason, data) == (COMMAND_QUEUE, C.MQRCCF_MD_FORMAT_ERROR, PING)
    assert sender.send(C.MQCMD_PING_Q_MGR)[0].reason == C.MQRC_NONE


def test_without_a_dead_letter_queue_it_is_dropped(qm: QueueManager, sender: Sender) -> None:
    sender.put(b"hello", Format="MQSTR", MsgType=C.MQMT_DATAGRAM, ReplyToQ="")
    assert depth(qm, COMMAND_QUEUE) == 0
    assert sender.send(C.MQCMD_PING_Q_MGR)[0].reason == C.MQRC_NONE


def test_an_answer_for_a_queue_that_is_gone(dead: QueueManager, sender: Sender) -> None:
    sender.put(create("DONE"), ReplyToQ="GONE")
    header, data = buried(dead)
    assert (header.DestQName, header.Reason) == ("GONE", C.MQRC_UNKNOWN_OBJECT_NAME)
    assert unpack_message(data)[0].Reason == C.MQRC_NONE
    assert exists(dead, "DONE")
    sender.put(create("DONE.TOO"), ReplyToQ="GONE", Report=C.MQRO_DISCARD_MSG | C.MQRO_PASS_DISCARD_AND_EXPIRY)
    assert exists(dead, "DONE.TOO")
    assert depth(dead, "DEAD") == 0


def test_an_answer_that_does_not_fit(dead: QueueManager, sender: Sender) -> None:
    done(dead, "DEFINE QLOCAL(SMALL) MAXDEPTH(1)")
    sender.put(command(C.MQCMD_INQUIRE_Q, {NAME: "SYSTEM.DEFAULT.*"}), ReplyToQ="SMALL")
    assert depth(dead, "SMALL") == 1
    assert depth(dead, "DEAD") >= 3


def test_an_answer_to_the_command_queue_itself_comes_to_an_end(dead: QueueManager, sender: Sender) -> None:
    done(dead, f"DEFINE QALIAS(ROUND) TARGET({COMMAND_QUEUE})")
    for target in (COMMAND_QUEUE, "ROUND"):
        sender.put(command(C.MQCMD_INQUIRE_Q, {NAME: "SYSTEM.DEFAULT.LOCAL.QUEUE"}), ReplyToQ=target)
        header, _ = buried(dead)
        assert header.DestQName == COMMAND_QUEUE
        assert depth(dead, COMMAND_QUEUE) == depth(dead, "DEAD") == 0


def test_an_answer_for_another_queue_manager_goes_to_its_transmission_queue(qm: QueueManager, sender: Sender) -> None:
    done(qm, "DEFINE QLOCAL(OTHER) USAGE(XMITQ)")
    sender.put(PING, ReplyToQ="FAR", ReplyToQMgr="OTHER")
    assert depth(qm, "OTHER") == 1


def test_an_error_inside_is_answered_and_the_next_command_is_run(qm: QueueManager, sender: Sender) -> None:
    access: Any = qm._access
    executor = access.embedded.executor
    real = executor.steps

    def broken(command: Any, issuer: Any) -> Any:
        if command.name == "BROKEN":
            raise KeyError("broken")
        return real(command, issuer)

    executor.steps = broken
    assert sender.refused(C.MQCMD_CLEAR_Q, {NAME: "BROKEN"}) == (C.MQRCCF_UNEXPECTED_ERROR, 0)
    sender.done(C.MQCMD_CREATE_Q, {NAME: "WHOLE", **LOCAL})
    assert not access.embedded.manager.core.units


# When it runs


def test_commands_wait_while_gets_are_inhibited(qm: QueueManager, sender: Sender) -> None:
    done(qm, f"ALTER QLOCAL({COMMAND_QUEUE}) GET(DISABLED)")
    md = sender.put(create("WAITS"))
    assert not exists(qm, "WAITS")
    done(qm, f"ALTER QLOCAL({COMMAND_QUEUE}) GET(ENABLED)")
    assert sender.replies(md)[0].reason == C.MQRC_NONE
    assert exists(qm, "WAITS")


def test_an_application_may_read_the_queue_itself(qm: QueueManager, sender: Sender) -> None:
    hobj = sender.mqi.MQOPEN(MQOD(ObjectName=COMMAND_QUEUE), C.MQOO_INPUT_EXCLUSIVE)
    md = sender.put(create("MINE"))
    assert not exists(qm, "MINE")
    sender.mqi.MQCLOSE(hobj)
    assert sender.replies(md)[0].reason == C.MQRC_NONE


def test_commands_that_waited_for_a_restart(tmp_path: Path) -> None:
    def started() -> Any:
        return temporary_queue_manager(folder=tmp_path)

    with started() as qm:
        for text in ("DEFINE QLOCAL(ANSWERS)", "ALTER QMGR SCMDSERV(MANUAL)", "DEFINE QLOCAL(OLD)"):
            done(qm, text)
    with started() as qm, Sender(qm.mqi) as sender:
        persistent = {"ReplyToQ": "ANSWERS", "Persistence": C.MQPER_PERSISTENT}
        sender.put(create("NEW"), **persistent)
        sender.put(command(C.MQCMD_DELETE_Q, {NAME: "OLD"}), **persistent)
        sender.put(create("LOST"), **{**persistent, "Persistence": C.MQPER_NOT_PERSISTENT})
        assert depth(qm, COMMAND_QUEUE) == 3
        done(qm, "ALTER QMGR SCMDSERV(QMGR)")
        assert depth(qm, COMMAND_QUEUE) == 3
    with started() as qm:
        assert exists(qm, "NEW") and not exists(qm, "OLD") and not exists(qm, "LOST")
        with qm.queue("ANSWERS") as answers:
            assert [unpack_message(answers.get().data)[0].Reason for _ in range(2)] == [C.MQRC_NONE] * 2
        assert depth(qm, COMMAND_QUEUE) == depth(qm, "ANSWERS") == 0


def test_it_can_be_stopped_and_started(qm: QueueManager, sender: Sender) -> None:
    access: Any = qm._access
    server, lock = access.embedded.command_server, access.embedded.lock
    with lock:
        server.stop()
    assert not server.running
    (answer,) = qm.mqsc("DISPLAY QMSTATUS CMDSERV")
    assert answer.rows[0]["cmdserv"] == "STOPPED"
    md = sender.put(create("WAITS"))
    assert not exists(qm, "WAITS")
    with lock:
        server.start()
    assert server.running
    assert sender.replies(md)[0].reason == C.MQRC_NONE


# In the kernel, step by step


class Rig:
    """An embedded queue manager on a disk that can lose what was not forced, at a standstill in time."""

    def __init__(self) -> None:
        self.clock, self.files = VirtualClock(), FaultyFiles()
        self.said: list[str] = []
        self.start(create=True)

    def start(self, *, create: bool = False) -> None:
        self.embedded = EmbeddedQueueManager.start(
            "qm", "QM1", create=create, files=self.files, clock=self.clock, log_config=LogConfig(file_pages=64),
            say=self.said.append, background=False,
        )  # fmt: skip
        self.kernel = self.embedded.manager
        self.kernel.core.authorities.external_users = True
        self.kernel.core.authorities.administrators = frozenset({"boss"})
        self.embedded.serve_commands()

    def connect(self, user: str, *, privileged: bool = False) -> int:
        return self.kernel.connect(user, "program", privileged=privileged)

    def grant(self, user: str, name: str, *given: int, object_type: int = C.MQOT_Q) -> None:
        object_authority.set_authority(self.kernel.core, name, object_type, principals=[user], add=list(given))

    def put(self, hconn: int, data: bytes, reply_to: str, **descriptor: Any) -> MQMD:
        fields = {"Format": C.MQFMT_ADMIN, "MsgType": C.MQMT_REQUEST, "ReplyToQ": reply_to, "CodedCharSetId": 1208}
        md = MQMD(Version=2, **fields, **descriptor)
        self.kernel.put1(hconn, MQOD(ObjectName=COMMAND_QUEUE), md, MQPMO(), data)
        return md

    def get(self, hconn: int, name: str) -> Reply:
        hobj = self.kernel.open(hconn, MQOD(ObjectName=name), C.MQOO_INPUT_SHARED)
        md = MQMD(Version=2)
        got = self.kernel.get(hconn, hobj, md, MQGMO())
        assert isinstance(got, Got)
        self.kernel.close(hconn, hobj)
        header, parameters = unpack_message(got.data, charset="utf-8")
        return Reply(header, md, parameters)

    def is_defined(self, name: str) -> bool:
        return self.kernel.find("QUEUE", name) is not None


@pytest.fixture
def rig() -> Rig:
    made = Rig()
    made.kernel.define("QLOCAL", "ANSWERS", {})
    return made


def test_an_expired_command_is_not_run(rig: Rig) -> None:
    rig.kernel.alter("QLOCAL", COMMAND_QUEUE, {"GET": "DISABLED"})
    admin = rig.connect("boss", privileged=True)
    rig.put(admin, create("LATE"), "ANSWERS", Expiry=100)
    rig.clock.advance(11)
    rig.kernel.alter("QLOCAL", COMMAND_QUEUE, {"GET": "ENABLED"})
    assert not rig.is_defined("LATE")
    assert rig.kernel.depth(COMMAND_QUEUE) == rig.kernel.depth("ANSWERS") == 0


@pytest.mark.parametrize("persistence", [C.MQPER_PERSISTENT, C.MQPER_NOT_PERSISTENT])
def test_an_answer_that_was_seen_is_true_after_a_crash(rig: Rig, persistence: int) -> None:
    """Whoever gets the answer waits for the log: then what it tells of cannot be lost."""
    admin = rig.connect("boss", privileged=True)
    rig.put(admin, create("NEW"), "ANSWERS", Persistence=persistence)
    reader = rig.connect("reader", privileged=True)
    assert rig.kernel.connection(reader).lsn == 0
    assert rig.get(reader, "ANSWERS").reason == C.MQRC_NONE
    rig.kernel.force(rig.kernel.connection(reader).lsn)
    for disk in rig.files.disk_states():
        other = Rig.__new__(Rig)
        other.clock, other.files, other.said = rig.clock, disk, []
        other.start()
        assert other.is_defined("NEW")


def test_an_answer_to_an_inquiry_depends_on_what_it_shows(rig: Rig) -> None:
    """The definition of another is in the log, but not on disk yet: no answer may tell of it before that."""
    admin = rig.connect("boss", privileged=True)
    lsn = rig.kernel.define("QLOCAL", "FRESH", {})
    assert rig.kernel.durable_lsn <= lsn
    rig.put(admin, command(C.MQCMD_INQUIRE_Q, {NAME: "FRESH"}), "ANSWERS")
    reader = rig.connect("reader", privileged=True)
    assert rig.get(reader, "ANSWERS")[NAME] == "FRESH"
    assert rig.kernel.connection(reader).lsn >= lsn


def test_a_crash_before_the_answer_runs_a_persistent_command_again_or_has_run_it(rig: Rig) -> None:
    """Whatever was on disk at a crash: the command is not lost, its effect and the command message never both are."""
    admin = rig.connect("boss", privileged=True)
    rig.put(admin, create("NEW"), "ANSWERS", Persistence=C.MQPER_PERSISTENT)
    rig.kernel.force(rig.kernel.connection(admin).lsn)
    for disk in rig.files.disk_states():
        other = Rig.__new__(Rig)
        other.clock, other.files, other.said = rig.clock, disk, []
        other.start()
        other.kernel.core.authorities.administrators = frozenset({"boss"})
        other.embedded.run_clock()
        assert other.is_defined("NEW")
        assert other.kernel.depth("ANSWERS") == 1


# As whom


def test_a_command_needs_the_authority_of_its_user(rig: Rig) -> None:
    rig.grant("app", "self", C.MQAUTH_CONNECT, object_type=C.MQOT_Q_MGR)
    app = rig.connect("app")
    rig.grant("app", COMMAND_QUEUE, C.MQAUTH_OUTPUT)
    rig.grant("app", "ANSWERS", C.MQAUTH_OUTPUT, C.MQAUTH_INPUT)
    rig.put(app, create("NEW"), "ANSWERS")
    assert rig.get(app, "ANSWERS").reason == C.MQRC_NOT_AUTHORIZED
    assert rig.get(app, "ANSWERS").reason == C.MQRCCF_COMMAND_FAILED
    assert not rig.is_defined("NEW")
    rig.grant("app", "**", C.MQAUTH_CREATE, C.MQAUTH_DISPLAY, object_type=C.MQOT_Q)
    rig.grant("app", "self", C.MQAUTH_CREATE, object_type=C.MQOT_Q_MGR)
    rig.put(app, create("NEW"), "ANSWERS")
    assert rig.get(app, "ANSWERS").reason == C.MQRC_NONE
    assert rig.is_defined("NEW")


def test_who_may_set_the_identity_may_act_as_another_and_a_blank_user_as_nobody(rig: Rig) -> None:
    admin = rig.connect("boss", privileged=True)
    rig.grant("weak", "ANSWERS", C.MQAUTH_OUTPUT)
    object_authority.set_authority(rig.kernel.core, "ANSWERS", C.MQOT_Q, groups=["nobody"], add=[C.MQAUTH_OUTPUT])
    for user in ("weak", ""):
        md = MQMD(
            Version=2, Format=C.MQFMT_ADMIN, MsgType=C.MQMT_REQUEST, ReplyToQ="ANSWERS", CodedCharSetId=1208,
            UserIdentifier=user,
        )  # fmt: skip
        od, pmo = MQOD(ObjectName=COMMAND_QUEUE), MQPMO(Options=C.MQPMO_SET_IDENTITY_CONTEXT)
        rig.kernel.put1(admin, od, md, pmo, create("NEW"))
        assert rig.get(admin, "ANSWERS").reason == C.MQRC_NOT_AUTHORIZED
        assert rig.get(admin, "ANSWERS").reason == C.MQRCCF_COMMAND_FAILED
    assert not rig.is_defined("NEW")


def test_nobody_writes_with_an_answer_where_he_may_not_write(rig: Rig) -> None:
    rig.kernel.define("QLOCAL", "DEAD", {})
    rig.kernel.alter("QMGR", "", {"DEADQ": "DEAD"})
    rig.kernel.define("QLOCAL", "SECRET", {})
    rig.grant("app", "self", C.MQAUTH_CONNECT, C.MQAUTH_DISPLAY, object_type=C.MQOT_Q_MGR)
    rig.grant("app", COMMAND_QUEUE, C.MQAUTH_OUTPUT)
    app = rig.connect("app")
    rig.put(app, PING, "SECRET")
    assert rig.kernel.depth("SECRET") == 0
    assert rig.kernel.depth("DEAD") == 1


def test_an_embedded_queue_manager_trusts_the_application(qm: QueueManager, sender: Sender) -> None:
    """Also as a user whom the system does not know."""
    data = create("MINE")
    md = MQMD(Format=C.MQFMT_ADMIN, MsgType=C.MQMT_DATAGRAM, CodedCharSetId=1208, UserIdentifier="stranger")
    sender.mqi.MQPUT1(MQOD(ObjectName=COMMAND_QUEUE), md, MQPMO(Options=C.MQPMO_SET_IDENTITY_CONTEXT), data)
    assert exists(qm, "MINE")


# Command events


def test_a_command_event_tells_of_a_command_that_was_done(qm: QueueManager, sender: Sender) -> None:
    done(qm, "ALTER QMGR CMDEV(ENABLED)")
    with qm.queue("SYSTEM.ADMIN.COMMAND.EVENT") as queue:
        sender.done(C.MQCMD_CREATE_Q, {NAME: "NEW", **LOCAL})
        sender.refused(C.MQCMD_CREATE_Q, {NAME: "NEW", **LOCAL})
        found = []
        while True:
            try:
                header, groups = unpack_message(queue.get().data, charset="utf-8")
            except MQError:
                break
            if header.Reason == C.MQRC_COMMAND_PCF:
                found.append(groups)
    (groups,) = found
    context, data = groups
    assert isinstance(context, MQCFGR) and isinstance(data, MQCFGR)
    told = Reply(MQCFH(), MQMD(), list(context.Parameters))
    assert (told[C.MQIACF_EVENT_ORIGIN], told[C.MQIACF_COMMAND]) == (C.MQEVO_MSG, C.MQCMD_CREATE_Q)
    assert Reply(MQCFH(), MQMD(), list(data.Parameters))[NAME] == "NEW"


def test_mqsc_over_the_command_server_keeps_its_characters(qm: QueueManager) -> None:
    session = EscapeSession(qm, "", 20)
    for text in ("DEFINE QLOCAL(SHOP) DESCR('Bücher & 本')", "DISPLAY QLOCAL(SHOP) DESCR"):
        answer = session.run(CommandText([text], text))
        assert answer.state == DONE, answer.lines
    assert any("Bücher & 本" in line for line in answer.lines)
    text = "DISPLAY QLOCAL(NONE)"
    answer = session.run(CommandText([text], text))
    assert (answer.state, answer.reason) == (FAILED, C.MQRC_UNKNOWN_OBJECT_NAME)


def test_a_big_endian_command(sender: Sender) -> None:
    data = pack_message(MQCFH(Command=C.MQCMD_PING_Q_MGR), [], big_endian=True)
    found = sender.replies(sender.put(data, Encoding=C.MQENC_NORMAL))
    assert found[0].reason == C.MQRC_NONE, named(found)


def test_commands_while_the_log_is_full(rig: Rig) -> None:
    """A unit of work of somebody has filled the log. Commands make it give way, and each is answered."""
    filler = rig.connect("filler", privileged=True)
    rig.kernel.define("QLOCAL", "HEAP", {"MAXDEPTH": 100_000})
    hobj = rig.kernel.open(filler, MQOD(ObjectName="HEAP"), C.MQOO_OUTPUT)
    with pytest.raises(MQError):
        for _ in range(10_000):
            md = MQMD(Persistence=C.MQPER_PERSISTENT)
            rig.kernel.put(filler, hobj, md, MQPMO(Options=C.MQPMO_SYNCPOINT), bytes(50_000))
    admin = rig.connect("boss", privileged=True)
    reasons = []
    for number in range(20):
        rig.put(admin, create(f"NEW.{number}"), "ANSWERS", Persistence=C.MQPER_PERSISTENT)
        reasons.append(rig.get(admin, "ANSWERS").reason)
        assert rig.kernel.depth(COMMAND_QUEUE) == rig.kernel.depth("ANSWERS") == 0
    assert reasons == [C.MQRC_NONE] * 20
    assert all(rig.is_defined(f"NEW.{number}") for number in range(20))


def test_a_connection_of_the_owner_under_a_name_lends_nothing_to_others_of_the_name(rig: Rig) -> None:
    """Commands may be served when the one who put them is gone, and somebody else of the same name is there."""
    rig.grant("app", "self", C.MQAUTH_CONNECT, object_type=C.MQOT_Q_MGR)
    rig.grant("app", COMMAND_QUEUE, C.MQAUTH_OUTPUT)
    rig.grant("app", "ANSWERS", C.MQAUTH_OUTPUT)
    owner = rig.connect("app", privileged=True)
    rig.kernel.alter("QLOCAL", COMMAND_QUEUE, {"GET": "DISABLED"})
    app = rig.connect("app")
    rig.put(app, create("NEW"), "ANSWERS")
    rig.kernel.disconnect(app)
    rig.kernel.alter("QLOCAL", COMMAND_QUEUE, {"GET": "ENABLED"})
    assert rig.get(owner, "ANSWERS").reason == C.MQRC_NOT_AUTHORIZED
    assert not rig.is_defined("NEW")


def test_an_unexpected_error_is_told_without_the_values_of_the_message() -> None:
    """As an exception shows them: what a command says may be a password."""
    with pytest.raises(ValueError) as caught:
        int("s3cr3t")
    text = place_of(caught.value)
    assert text.startswith("ValueError (test_admin_command_server.py:")
    assert "s3cr3t" not in text
