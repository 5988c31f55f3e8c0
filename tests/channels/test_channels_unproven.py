"""A partner that nothing proves: its messages are carried, and nobody obeys them, however they get to where one would.

Proven is a channel with a user (MCAUSER, a rule, an exit) or a certificate; the tests of the server have those.
"""

from __future__ import annotations

from typing import Any

import pytest
from helper_delivery import CHANNEL, Receiving, framed
from helper_network import Host
from test_channels_hops import line

from libremq.admin.command_server import CommandServer
from libremq.admin.executor import Executor
from libremq.admin.steps import run_through
from libremq.channels.delivery import Fate
from libremq.common.dead_letter_header import strip
from libremq.host import lifecycle
from libremq.kernel.authority.authority_records import set_authority
from libremq.kernel.messages import transmission
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.pcf import MQCFH, MQCFIN, MQCFST, pack_message
from libremq.mqi.structs import MQDLH, MQGMO, MQMD, MQOD, MQPMO, MQTM
from libremq.store.stored_message import Message, Origin

COMMANDS = "SYSTEM.ADMIN.COMMAND.QUEUE"
_INPUT = C.MQOO_INPUT_SHARED | C.MQOO_BROWSE | C.MQOO_SAVE_ALL_CONTEXT


def escape(text: str) -> bytes:
    """MQSC for a command server."""
    header = MQCFH(Type=C.MQCFT_COMMAND, Version=C.MQCFH_VERSION_1, Command=C.MQCMD_ESCAPE, ParameterCount=2)
    parameters = [MQCFIN(Parameter=C.MQIACF_ESCAPE_TYPE, Value=C.MQET_MQSC)]
    return pack_message(header, [*parameters, MQCFST(Parameter=C.MQCACF_ESCAPE_TEXT, String=text)])


EVIL = escape("DEFINE QLOCAL(EVIL)")
COMMAND: dict[str, Any] = {"Format": C.MQFMT_ADMIN, "UserIdentifier": "mqm", "MsgType": C.MQMT_DATAGRAM}


@pytest.fixture
def here() -> Receiving:
    here = Receiving()
    here.with_dead_letter_queue()
    here.core.authorities.trusting = False  # as in a server
    CommandServer(here.qm, Executor(here.qm)).start()
    here.qm.tick()
    return here


def _arrive(here: Receiving, data: bytes, **fields: Any) -> Fate:
    done = here.put(framed(data, **fields))
    here.commit()
    here.qm.tick()
    return done.kind


def _refused(here: Receiving, data: bytes, **fields: Any) -> None:
    """It goes to the dead-letter queue, with the reason."""
    before = here.depth("DLQ")
    assert _arrive(here, data, **fields) is Fate.DEAD_LETTER
    assert here.depth("DLQ") == before + 1
    md, dead = here.get("DLQ")
    header, rest = strip(dead, md.CodedCharSetId, md.Encoding)
    assert (header.Reason, rest) == (C.MQRC_NOT_AUTHORIZED, data)


def test_no_command_is_obeyed(here: Receiving) -> None:
    _refused(here, EVIL, queue=COMMANDS, **COMMAND)
    assert here.qm.find("QUEUE", "EVIL") is None


def test_the_same_command_over_a_proven_channel_is(here: Receiving) -> None:
    here.deliver_by(proven=True)
    assert _arrive(here, EVIL, queue=COMMANDS, **COMMAND) is Fate.PUT
    assert here.qm.find("QUEUE", "EVIL") is not None


@pytest.mark.parametrize(
    ("kind", "attributes"),
    [("QALIAS", {"TARGET": COMMANDS}), ("QALIAS", {"TARGET": "SYSTEM.CHANNEL.INITQ"}), ("QALIAS", {"TARGET": "XMIT"})],
)
def test_an_alias_leads_no_further(here: Receiving, kind: str, attributes: dict[str, str]) -> None:
    here.queue("XMIT", USAGE="XMITQ")
    here.queue("BY.ANOTHER.NAME", kind, **attributes)
    _refused(here, EVIL, queue="BY.ANOTHER.NAME", **COMMAND)


def test_a_queue_manager_alias_of_this_one_leads_no_further(here: Receiving) -> None:
    here.queue("ME", "QREMOTE", RQMNAME="QM1")
    _refused(here, EVIL, queue=COMMANDS, qmgr="ME", **COMMAND)


@pytest.mark.parametrize("queue", ["SYSTEM.DEFAULT.INITIATION.QUEUE", "SYSTEM.CHANNEL.INITQ", "MY.INITQ", "XMIT"])
def test_queues_whose_messages_make_somebody_act(here: Receiving, queue: str) -> None:
    here.queue("MY.INITQ")
    here.queue("XMIT", USAGE="XMITQ")
    here.queue("TRIGGERED", TRIGGER="TRIGGER", INITQ="MY.INITQ")
    _refused(here, b"whatever", queue=queue)


def test_a_queue_is_an_initiation_queue_from_one_message_to_the_next(here: Receiving) -> None:
    for _ in range(3):
        assert _arrive(here, b"not yet") is Fate.PUT
    here.queue("TRIGGERED", TRIGGER="TRIGGER", INITQ="TARGET")
    _refused(here, b"now it is")


def test_a_trigger_message_is_refused_wherever_it_goes(here: Receiving) -> None:
    """A trigger monitor may read any queue, also one that no queue names as its INITQ yet."""
    made_up = {"Format": C.MQFMT_TRIGGER, "PutApplType": C.MQAT_QMGR, "PutApplName": "QM1"}
    trigger = MQTM(QName="TARGET", ApplType=C.MQAT_UNIX, ApplId="rm").pack()
    assert _arrive(here, b"so that the short way is known") is Fate.PUT
    _refused(here, trigger, **made_up)


def test_it_is_said_and_there_is_an_event(here: Receiving) -> None:
    said: list[str] = []
    here.core.say = said.append
    here.qm.alter("QMGR", "", {"AUTHOREV": "ENABLED"})
    before = here.depth("SYSTEM.ADMIN.QMGR.EVENT")
    _refused(here, EVIL, queue=COMMANDS, **COMMAND)
    assert any("AMQ9589" in line and COMMANDS in line and "'mqm'" in line for line in said)
    assert here.depth("SYSTEM.ADMIN.QMGR.EVENT") == before + 1


# What happens to it later


def test_the_mark_outlives_a_restart_and_the_dead_letter_queue(here: Receiving) -> None:
    """Whoever passes the context on, as runmqdlq does, passes that on, too."""
    assert _arrive(here, EVIL, queue=COMMANDS, **COMMAND) is Fate.DEAD_LETTER
    here.core.log.force()
    here.qm.abandon()
    qm = lifecycle.start(here.files, "qm", "QM1", here.clock)
    hconn = qm.connect("root", "a dead-letter handler")
    hobj = qm.open(hconn, MQOD(ObjectName="DLQ"), _INPUT)
    md = MQMD(Version=2)
    qm.get(hconn, hobj, md, MQGMO(Options=C.MQGMO_BROWSE_FIRST))
    pmo = MQPMO(Options=C.MQPMO_SYNCPOINT | C.MQPMO_SET_ALL_CONTEXT, Context=hobj)  # it says from where it has it
    with pytest.raises(MQError) as caught:
        qm.put1(hconn, MQOD(ObjectName=COMMANDS), md.copy(), pmo, EVIL)
    assert caught.value.reason == C.MQRC_NOT_AUTHORIZED
    qm.get(hconn, hobj, md, MQGMO(Options=C.MQGMO_SYNCPOINT))
    for option in (C.MQPMO_PASS_ALL_CONTEXT, C.MQPMO_PASS_IDENTITY_CONTEXT):
        pmo = MQPMO(Options=C.MQPMO_SYNCPOINT | option, Context=hobj)
        with pytest.raises(MQError) as caught:
            qm.put1(hconn, MQOD(ObjectName=COMMANDS), md.copy(), pmo, EVIL)
        assert caught.value.reason == C.MQRC_NOT_AUTHORIZED


def test_a_message_that_was_moved_to_the_command_queue_has_no_user(here: Receiving) -> None:
    assert _arrive(here, EVIL, **COMMAND) is Fate.PUT
    here.delivery.release()
    source, target = here.core.catalogue.queues["TARGET"], here.core.catalogue.queues[COMMANDS]
    run_through(here.qm.move(source, target, add=True))  # type: ignore[arg-type]
    here.qm.commands_wait = True
    here.qm.tick()
    assert here.depth(COMMANDS) == 0
    assert here.qm.find("QUEUE", "EVIL") is None


@pytest.mark.parametrize("report", [C.MQRO_COA_WITH_FULL_DATA, C.MQRO_COD_WITH_FULL_DATA])
@pytest.mark.parametrize("queue", [COMMANDS, "SYSTEM.DEFAULT.INITIATION.QUEUE"])
def test_a_report_does_not_get_where_the_message_may_not(here: Receiving, report: int, queue: str) -> None:
    fields = {**COMMAND, "Report": report, "ReplyToQ": queue, "ReplyToQMgr": "QM1"}
    assert _arrive(here, EVIL, **fields) is Fate.PUT
    here.get("TARGET")
    assert (here.depth(queue), here.depth("DLQ")) == (0, 1)


def test_the_next_queue_manager_does_not_hear_the_user() -> None:
    """It may trust this one: what nobody has proven must not become true on the way."""
    net, one, two, three = line()
    one.put("TARGET", b"to the neighbour", qmgr="QM2")
    two.define("QLOCAL", "TARGET")
    one.put("TARGET", b"further", qmgr="QM3")
    net.run()
    assert _user(three) == ""
    one.put("TARGET", b"to the neighbour", qmgr="QM2")
    net.run()
    assert _user(two) == "alice"


def test_a_user_is_told_on_where_the_channel_has_one() -> None:
    net, one, two, three = line()
    two.qm.core.authorities.administrators |= {"carol"}
    two.qm.alter("RCVR", "QM1.TO.QM2", {"MCAUSER": "carol"})
    one.put("TARGET", b"further", qmgr="QM3")
    net.run()
    assert _user(three) == "alice"


def _user(host: Host) -> str:
    return host.get("TARGET")[0].UserIdentifier.strip()


# Reports go by the user of the channel


@pytest.fixture
def nobody() -> Receiving:
    """Its channel has a user that may put on TARGET and nowhere else; the messages say that they are of mqm."""
    here = Receiving()
    here.with_dead_letter_queue()
    here.queue("PAY")
    here.core.authorities.trusting = False
    here.core.authorities.external_users = True
    for profile, kind, add in (
        ("", C.MQOT_Q_MGR, (C.MQAUTH_CONNECT, C.MQAUTH_SET_ALL_CONTEXT)),
        ("TARGET", C.MQOT_Q, (C.MQAUTH_OUTPUT, C.MQAUTH_SET_ALL_CONTEXT)),
    ):
        here.qm.set_authority(profile, kind, principals=("nobody",), add=add)
    here.deliver_by("nobody")
    return here


_REPORTS = [C.MQRO_COA_WITH_FULL_DATA, C.MQRO_COD_WITH_FULL_DATA, C.MQRO_EXPIRATION_WITH_FULL_DATA]


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("report", _REPORTS)
def test_a_report_needs_what_the_put_needed(nobody: Receiving, report: int, restarted: bool) -> None:
    given = {"Report": report, "ReplyToQ": "PAY", "ReplyToQMgr": "QM1", "UserIdentifier": "mqm", "Expiry": 50}
    assert _arrive(nobody, b"a million", **given) is Fate.PUT
    if restarted:
        nobody.core.log.force()
        nobody.qm.abandon()
        nobody.qm = lifecycle.start(nobody.files, "qm", "QM1", nobody.clock)
        nobody.core = nobody.qm.core
        nobody.core.authorities.trusting = False
        nobody.reader = nobody.qm.connect("reader", "reader")
    if report == C.MQRO_EXPIRATION_WITH_FULL_DATA:
        nobody.clock.advance(10)
        nobody.depth()  # loads the queue
        nobody.qm.scan_expired()
    else:
        nobody.get("TARGET")
    assert (nobody.depth("PAY"), nobody.depth("DLQ")) == (0, 1)


def test_a_report_where_the_channel_may_put_arrives(nobody: Receiving) -> None:
    nobody.qm.set_authority("PAY", C.MQOT_Q, principals=("nobody",), add=(C.MQAUTH_OUTPUT,))
    given = {"Report": C.MQRO_COD, "ReplyToQ": "PAY", "ReplyToQMgr": "QM1", "UserIdentifier": "unknown"}
    assert _arrive(nobody, b"a million", **given) is Fate.PUT
    nobody.get("TARGET")
    assert (nobody.depth("PAY"), nobody.depth("DLQ")) == (1, 0)


def test_an_expiry_on_the_way_goes_by_the_channel_that_brought_the_message(nobody: Receiving) -> None:
    nobody.queue("QM3", USAGE="XMITQ")
    nobody.qm.set_authority("QM3", C.MQOT_Q, principals=("nobody",), add=(C.MQAUTH_OUTPUT, C.MQAUTH_SET_ALL_CONTEXT))
    given = {"Report": C.MQRO_EXPIRATION, "ReplyToQ": "PAY", "ReplyToQMgr": "QM1", "UserIdentifier": "mqm"}
    assert _arrive(nobody, b"too late", qmgr="QM3", Expiry=50, **given) is Fate.PUT
    nobody.clock.advance(10)
    nobody.qm.scan_expired()
    assert (nobody.depth("QM3"), nobody.depth("PAY"), nobody.depth("DLQ")) == (0, 0, 1)


def test_a_forged_transmission_header_is_not_sent_on(here: Receiving) -> None:
    """Put on a transmission queue by its name, it would travel with any user that it likes."""
    here.queue("QM3", USAGE="XMITQ")
    inside = transmission.frame(COMMANDS, "QM3", MQMD(Version=2, **COMMAND), EVIL, 1208)
    _refused(here, inside, queue="QM3", Format="MQXMIT")
    header = MQDLH(DestQName="QM3", DestQMgrName="QM1", Format="MQXMIT", CodedCharSetId=1208, Encoding=546)
    assert _arrive(here, header.pack() + inside, queue="DLQ", Format=C.MQFMT_DEAD_LETTER_HEADER) is Fate.PUT
    slot = next(iter(here.core.queues["DLQ"].store.chains))
    assert here.core.queues["DLQ"].store.message(slot).origin == Origin("", False)


def test_every_part_of_a_message_knows_where_it_is_from(here: Receiving) -> None:
    here.queue("SMALL", MAXMSGL=16)
    flags = C.MQMF_SEGMENTATION_ALLOWED
    assert _arrive(here, bytes(40), queue="SMALL", MsgFlags=flags) is Fate.PUT
    store = here.core.queues["SMALL"].store
    assert [store.message(slot).origin for slot in store.chains] == [Origin("", False)] * 3


@pytest.mark.parametrize("syncpoint", [True, False])
@pytest.mark.parametrize(
    ("user", "attributes", "expected"),
    [
        ("", {}, [Origin("", False)] * 4),
        ("bob", {}, [Origin("bob", True)] * 4),
        ("", {"putaut": "CTX"}, [Origin("alice", False), Origin("carol", False)] * 2),
    ],
)
def test_those_that_follow_the_first_know_where_they_are_from(
    here: Receiving, user: str, attributes: dict[str, Any], expected: list[Origin], syncpoint: bool
) -> None:
    """The second message to a queue takes a shorter way than the first."""
    set_authority(here.core, "TARGET", C.MQOT_Q, principals=("alice", "bob", "carol"), add=(C.MQAUTH_ALL,), known=True)
    set_authority(here.core, "", C.MQOT_Q_MGR, principals=("bob",), add=(C.MQAUTH_ALL,), known=True)
    here.deliver_by(user, **attributes)
    persistence = C.MQPER_PERSISTENT if syncpoint else C.MQPER_NOT_PERSISTENT
    for number in range(4):
        sender = ("alice", "carol")[number % 2]
        data = framed(b"%d" % number, UserIdentifier=sender, Persistence=persistence)
        assert here.put(data, syncpoint=syncpoint).kind is Fate.PUT
    if syncpoint:
        here.commit()
    store = here.core.queues["TARGET"].store
    assert [store.message(slot).origin for slot in store.chains] == expected


def test_what_was_put_here_has_no_mark(here: Receiving) -> None:
    hconn = here.qm.connect("alice")
    here.qm.put1(hconn, MQOD(ObjectName="TARGET"), MQMD(Version=2), MQPMO(), b"mine")
    (slot,) = here.core.queues["TARGET"].store.chains
    assert here.core.queues["TARGET"].store.message(slot).origin is None
    assert Message(MQMD(Version=2), b"", b"").origin is None
    assert CHANNEL in here.core.catalogue.channels
