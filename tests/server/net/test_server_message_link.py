"""Sockets of message channels: partners that call, partners that misbehave, and what becomes of the socket."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helper_partners import OFFER, Partner, define, initial, receiver
from helper_peers import wait_until
from helper_power_cut import site

import libremq
from libremq.kernel.messages.transmission import frame as transmission_frame
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD
from libremq.server.net.event_loop import EventLoopLimits
from libremq.testing.serving import Served, served_queue_manager
from libremq.wire import message_channel as flows
from libremq.wire import session_flows
from libremq.wire.protocol import MAX_SEGMENT, Status, Type
from libremq.wire.segments import frame, frame_plain


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def served(tmp_path: Path, said: list[str]) -> Iterator[Served]:
    with served_queue_manager(folder=tmp_path / "libremq", say=said.append) as served:
        receiver(served)
        yield served


def states(served: Served) -> list[int]:
    with served.event_loop.lock:
        return [one.status for one in served.event_loop.initiator.instances()]


def check_nothing_left(served: Served) -> None:
    """No link, no instance, no memory of it, and the next partner is welcome."""
    wait_until(lambda: not served.event_loop.message_links)
    assert served.in_loop(lambda: served.event_loop.buffered_bytes) == 0
    assert states(served) == []
    assert not list(served.event_loop.manager.core.catalogue.select("CHSYNC"))
    with Partner(served.port) as partner:
        partner.agree()
        partner.resynchronise()
        assert states(served) == [C.MQCHS_RUNNING]
    wait_until(lambda: not served.event_loop.message_links)


def test_a_partner_is_answered_and_runs(served: Served) -> None:
    with Partner(served.port) as partner:
        agreed = partner.agree(batch_size=1000)
        assert (agreed.queue_manager, agreed.channel, agreed.sharing) == ("QM1", "TO.QM1", 0)
        assert agreed.batch_size == 50
        assert partner.resynchronise().sequence == 0
        (instance,) = served.in_loop(served.event_loop.initiator.instances)
        assert (instance.status, instance.partner) == (C.MQCHS_RUNNING, "PARTNER")
        assert (instance.bytes_received > 100, instance.bytes_sent > 100) == (True, True)
        assert instance.connection_name == "127.0.0.1"
        loop = served.event_loop
        assert (len(loop.message_links), len(loop.links), loop.sockets) == (1, 0, 1)
    check_nothing_left(served)
    assert served.in_loop(lambda: served.event_loop.sockets) == 0


def test_all_in_one_piece_and_byte_by_byte(served: Served) -> None:
    data = initial() + flows.Resync(0).pack() + flows.heartbeat()
    for pieces in ([data], [data[at : at + 1] for at in range(len(data))]):
        with Partner(served.port) as partner:
            for piece in pieces:
                partner.send(piece)
            kinds = [flow.kind for flow in (partner.receive(), partner.receive(), partner.receive()) if flow]
            assert kinds == [Type.INITIAL_DATA, Type.RESYNC_DATA, Type.HEARTBEAT]
        wait_until(lambda: not served.event_loop.message_links)


@pytest.mark.parametrize(
    ("values", "status", "number"),
    [
        ({"channel": "NOWHERE"}, Status.NO_CHANNEL, "AMQ9519"),
        ({"channel": ""}, Status.NO_CHANNEL, "AMQ9519"),
        ({"channel": "SYSTEM.DEF.SVRCONN"}, Status.CHANNEL_WRONG_TYPE, "AMQ9502"),
        ({"channel": "SYSTEM.DEF.SENDER"}, Status.CHANNEL_WRONG_TYPE, "AMQ9502"),
        ({"fap_level": 3}, Status.FAP_LEVEL, "AMQ9504"),
        ({"fap_level": 0}, Status.FAP_LEVEL, "AMQ9504"),
        ({"queue_manager": ""}, Status.PROTOCOL_ID_ERROR, "AMQ9207"),
        ({"queue_manager": "NOT A NAME"}, Status.PROTOCOL_ID_ERROR, "AMQ9207"),
        ({"sequence_wrap": 1000}, Status.WRAP_VALUE_ERROR, "AMQ9505"),
    ],
)  # fmt: skip
def test_initial_data_that_is_refused(
    served: Served, said: list[str], values: dict[str, object], status: Status, number: str
) -> None:
    with Partner(served.port) as partner:
        partner.bind(**values)
        assert partner.refused().code == status
    assert any(number in line for line in said), said
    check_nothing_left(served)


def test_initial_data_that_is_cut_short(served: Served, said: list[str]) -> None:
    body = session_flows.pack_initial(OFFER)
    for length, status in ((60, Status.FAP_LEVEL), (20, Status.PROTOCOL_ID_ERROR), (0, Status.PROTOCOL_ID_ERROR)):
        with Partner(served.port) as partner:
            partner.send(frame_plain(Type.INITIAL_DATA, body[:length]))
            assert partner.refused().code == status
    check_nothing_left(served)


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (initial(), Status.PROTOCOL_ID_ERROR),
        (b"GET / HTTP/1.1\r\nHost: example\r\n\r\n", Status.PROTOCOL_INVALID_DATA),
        (bytes(200), Status.PROTOCOL_INVALID_DATA),
        (b"TSH " + (MAX_SEGMENT + 1).to_bytes(4, "big") + bytes(20), Status.PROTOCOL_LENGTH_ERROR),
        (b"TSH " + (5).to_bytes(4, "big") + bytes(20), Status.PROTOCOL_LENGTH_ERROR),
        (b"TSH " + (28).to_bytes(4, "big") + bytes([7, 4, 0x30, 0]) + bytes(16), Status.PROTOCOL_INVALID_DATA),
        (frame(Type.HEARTBEAT, b"", 1), Status.PROTOCOL_SEGMENT_TYPE),
        (frame_plain(Type.MQCONN, b"x" * 200), Status.PROTOCOL_SEGMENT_TYPE),
        (frame_plain(Type.SOCKET_ACTION, b"x" * 20), Status.PROTOCOL_SEGMENT_TYPE),
        (frame_plain(Type.RESYNC_DATA, b"x"), Status.PROTOCOL_LENGTH_ERROR),
        (frame_plain(Type.MESSAGE_DATA, b"x" * 100), Status.PROTOCOL_SEGMENT_TYPE),
    ],
    ids=[
        "replayed bind", "http", "zeros", "oversize", "too short", "byte order", "conversation ids", "client call",
        "socket action", "resync cut short", "message before resync",
    ],
)  # fmt: skip
def test_a_partner_that_speaks_nonsense_after_the_bind(
    served: Served, said: list[str], data: bytes, status: Status
) -> None:
    with Partner(served.port) as partner:
        partner.agree()
        partner.send(data)
        assert partner.refused().code == status
    assert any("AMQ9504E" in line and "TO.QM1" in line for line in said), said
    check_nothing_left(served)


def test_a_bind_that_is_replayed_in_the_same_packet(served: Served) -> None:
    with Partner(served.port) as partner:
        partner.send(initial() + initial())
        partner.answer(Type.INITIAL_DATA)
        assert partner.refused().code == Status.PROTOCOL_ID_ERROR
    check_nothing_left(served)


def test_a_bind_that_is_replayed_on_a_running_channel(served: Served) -> None:
    with Partner(served.port) as partner:
        partner.agree()
        partner.resynchronise()
        partner.send(initial())
        assert partner.refused().code == Status.PROTOCOL_ID_ERROR
    check_nothing_left(served)


def test_garbage_behind_the_bind_in_the_same_packet(served: Served) -> None:
    with Partner(served.port) as partner:
        partner.send(initial() + b"no segment begins like this, nor ends so")
        partner.answer(Type.INITIAL_DATA)
        assert partner.refused().code == Status.PROTOCOL_INVALID_DATA
    check_nothing_left(served)


def test_a_message_that_is_longer_than_the_channel_takes(served: Served) -> None:
    receiver(served, "SMALL", MAXMSGL=1000)
    with Partner(served.port) as partner:
        partner.agree(channel="SMALL")
        partner.resynchronise()
        segments = flows.pack_message(bytes(200_000), sequence=1, luwid=b"LUWID..1", max_segment=4096)
        for segment in segments:
            try:
                partner.send(segment)
            except OSError:
                break  # it has heard enough
        wait_until(lambda: not served.event_loop.message_links)
    check_nothing_left(served)


_LONG = 100 << 20


def _take_long_messages(served: Served) -> None:
    with served.event_loop.lock:
        served.event_loop.manager.alter("QMGR", "", {"MAXMSGL": _LONG})


def test_who_has_only_agreed_gets_no_room_for_a_message(served: Served) -> None:
    """It has not even said where it stands: nobody knows it, and it gives way to nobody for what it holds."""
    _take_long_messages(served)
    receiver(served, MAXMSGL=_LONG)
    loop = served.event_loop
    most = 0
    with Partner(served.port) as partner:
        assert partner.agree(max_message=_LONG).max_message == _LONG
        segments = flows.pack_message(bytes(32 << 20), sequence=1, luwid=b"LUWID..1", max_segment=32_000)[:-1]
        for at in range(0, len(segments), 16):
            try:
                partner.send(b"".join(segments[at : at + 16]))
            except OSError:
                break  # it has heard enough
            most = max(most, served.in_loop(lambda: loop.buffered_bytes))
        assert most < 2 << 20
        wait_until(lambda: not loop.message_links)
    check_nothing_left(served)


def test_who_says_where_it_stands_may_send_a_long_message_at_once(served: Served) -> None:
    _take_long_messages(served)
    receiver(served, MAXMSGL=_LONG)
    define(served, "QLOCAL", "Q", MAXMSGL=_LONG)
    md = MQMD(Version=2, Persistence=C.MQPER_NOT_PERSISTENT, Priority=0, MsgId=b"m" * 24)
    data = transmission_frame("Q", "QM1", md, bytes(4 << 20), 1208)
    segments = flows.pack_message(data, sequence=1, luwid=b"batch__1", max_segment=32_000)
    with Partner(served.port) as partner:
        partner.agree(max_message=_LONG)
        partner.send(flows.Resync(0).pack() + b"".join(segments) + flows.confirm_request(b"batch__1"))
        partner.answer(Type.RESYNC_DATA)
        assert flows.unpack_status(partner.answer(Type.STATUS_DATA)).accepted
        assert served.in_loop(lambda: served.event_loop.manager.depth("Q")) == 1


def test_what_a_partner_was_told_survives(tmp_path: Path) -> None:
    """It will never send the batch again that was confirmed to it (contract 2)."""
    md = MQMD(Version=2, Persistence=C.MQPER_PERSISTENT, Priority=0, MsgId=b"m" * 24)
    data = transmission_frame("Q", "QM1", md, b"new", 1208)
    segments = flows.pack_message(data, sequence=1, luwid=b"batch__1", max_segment=8192)
    with site("mq", tmp_path) as here:
        receiver(here.served)
        with Partner(here.served.port) as partner:
            partner.agree()
            partner.resynchronise()
            partner.send(b"".join(segments))
            assert here.after_power_cut() == []
            partner.send(flows.confirm_request(b"batch__1"))
            assert flows.unpack_status(partner.answer(Type.STATUS_DATA)).accepted
            assert here.after_power_cut() == [b"new"]


def test_sockets_beyond_the_limit(tmp_path: Path) -> None:
    said: list[str] = []
    limits = EventLoopLimits(links_max=1)
    with served_queue_manager(folder=tmp_path / "libremq", limits=limits, say=said.append) as served:
        receiver(served)
        receiver(served, "OTHER")
        with Partner(served.port) as first:
            first.agree()
            with Partner(served.port) as second:
                second.bind(channel="OTHER", queue_manager="OTHER")
                assert second.refused().code == Status.CHANNEL_UNAVAILABLE
            assert any("AMQ9513E" in line for line in said)
            first.resynchronise()


def test_a_partner_that_asks_and_never_reads(served: Served) -> None:
    """What is kept of the answers is bounded; and the end of the queue manager does not wait for it."""
    with Partner(served.port) as partner:
        partner.agree()
        partner.resynchronise()
        ping = flows.ping(bytes(30_000))
        partner.socket.settimeout(0.5)
        sent = 0
        try:
            while sent < 100 << 20:
                sent += partner.socket.send(ping)
        except TimeoutError:
            pass
        assert sent < 50 << 20, "it reads on and on"
        assert served.in_loop(lambda: served.event_loop.buffered_bytes) < 4 << 20
    wait_until(lambda: not served.event_loop.message_links)


def test_the_queue_manager_ends_while_partners_are_connected(tmp_path: Path) -> None:
    with served_queue_manager(folder=tmp_path / "libremq") as served:
        receiver(served)
        running, binding = Partner(served.port), Partner(served.port)
        running.agree()
        running.resynchronise()
        binding.bind(channel="SYSTEM.DEF.RECEIVER", queue_manager="OTHER")
        binding.answer(Type.INITIAL_DATA)
    with running, binding:
        assert running.refused().code in (Status.QM_TERMINATING, Status.USER_CLOSED)
        assert binding.refused().code in (Status.QM_TERMINATING, Status.USER_CLOSED)


def test_a_channel_that_was_stopped(served: Served, said: list[str]) -> None:
    with Partner(served.port) as partner:
        partner.agree()
        partner.resynchronise()
        with served.event_loop.lock:
            assert served.event_loop.initiator.stop("TO.QM1", C.MQMODE_FORCE) == 1
        assert partner.refused().code == Status.USER_CLOSED
    with Partner(served.port) as partner:
        partner.bind()
        assert partner.refused().code == Status.CHANNEL_UNAVAILABLE
    with served.event_loop.lock:
        served.event_loop.initiator.start("TO.QM1")
    check_nothing_left(served)


# Channel authentication


@pytest.fixture
def secured(tmp_path: Path, said: list[str]) -> Iterator[Served]:
    """The rules of a new queue manager apply; whoever a channel acts as may do everything."""
    with served_queue_manager(folder=tmp_path / "libremq", say=said.append) as served:
        with served.event_loop.lock:
            served.event_loop.manager.alter("QMGR", "", {"CHLAUTH": "ENABLED"})
        receiver(served)
        yield served


def rule(served: Served, profile: str, kind: str, **attributes: object) -> None:
    with libremq.connect(served.url("local")) as qm:
        words = " ".join(f"{key}({value})" for key, value in attributes.items())
        qm.mqsc(f"SET CHLAUTH({profile}) TYPE({kind}) {words}")


def user_of(served: Served) -> str:
    (link,) = served.event_loop.message_links
    assert link.agent is not None
    return str(link.agent.peer.mca_user)


def test_a_new_queue_manager_lets_partners_in_but_not_over_system_channels(secured: Served, said: list[str]) -> None:
    with Partner(secured.port) as partner:
        partner.agree()
        assert user_of(secured) == "None"
    with Partner(secured.port) as partner:
        partner.bind(channel="SYSTEM.DEF.RECEIVER")
        assert partner.refused().code == Status.SECURITY_FAILURE
    assert any("AMQ9777E" in line and "PARTNER" in line for line in said), said


def test_rules_by_the_name_of_the_queue_manager(secured: Served, said: list[str]) -> None:
    rule(secured, "TO.QM1", "QMGRMAP", QMNAME="'BAD*'", USERSRC="NOACCESS")
    rule(secured, "TO.QM1", "QMGRMAP", QMNAME="PARTNER", USERSRC="MAP", MCAUSER="'alice'")
    rule(secured, "TO.QM1", "QMGRMAP", QMNAME="OTHER", USERSRC="CHANNEL")
    with Partner(secured.port) as partner:
        partner.bind(queue_manager="BADLY")
        assert partner.refused().code == Status.SECURITY_FAILURE
    assert any("AMQ9777E" in line and "BADLY" in line for line in said), said
    for name, user in (("PARTNER", "alice"), ("OTHER", "None")):
        with Partner(secured.port) as partner:
            partner.agree(queue_manager=name)
            assert user_of(secured) == user
        wait_until(lambda: not secured.event_loop.message_links)


def test_rules_by_address_and_by_host_name(secured: Served) -> None:
    rule(secured, "TO.QM1", "ADDRESSMAP", ADDRESS="'127.0.0.*'", USERSRC="MAP", MCAUSER="'bob'")
    with Partner(secured.port) as partner:
        partner.agree()
        assert user_of(secured) == "bob"
    wait_until(lambda: not secured.event_loop.message_links)
    # A host name has to be looked up, by a thread; whatever it finds, the rule without names stays in force
    rule(secured, "TO.QM1", "ADDRESSMAP", ADDRESS="'nobody.invalid'", USERSRC="NOACCESS")
    with Partner(secured.port) as partner:
        partner.agree()
        assert user_of(secured) == "bob"
        partner.resynchronise()


def test_blocked_users_are_about_clients(secured: Served) -> None:
    rule(secured, "TO.QM1", "BLOCKUSER", USERLIST="'carol'")
    receiver(secured, MCAUSER="carol")
    with Partner(secured.port) as partner:
        partner.agree()


def test_a_channel_with_a_cipher_refuses_plain_text(served: Served, said: list[str]) -> None:
    receiver(served, "SECURE", SSLCIPH="ANY_TLS12_OR_HIGHER")
    with Partner(served.port) as partner:
        partner.bind(channel="SECURE")
        assert partner.refused().code == Status.CIPHER_SPEC
    assert any("AMQ9639E" in line for line in said), said


def test_over_the_unix_socket_there_are_no_message_channels(served: Served) -> None:
    import socket

    from libremq.common.names.socket_paths import socket_path

    with Partner(served.port) as partner:
        partner.socket.close()
        partner.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        partner.socket.settimeout(60)
        partner.socket.connect(socket_path(served.event_loop.folder))
        partner.bind()
        assert partner.refused().code == Status.CHANNEL_WRONG_TYPE
    assert not served.event_loop.message_links
    define(served, "QLOCAL", "STILL.HERE")
