"""The address of a peer is the one that `accept` returned: a peer that is gone meanwhile has no other."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from helper_partners import define, initial, receiver
from helper_peers import wait_until

from libremq.kernel.authority.channel_authentication_records import set_chlauth
from libremq.kernel.messages.transmission import frame as transmission_frame
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD, MQOD, MQPMO
from libremq.server.admission.admission_decision import Applicant, Denied
from libremq.testing.serving import Served, served_queue_manager
from libremq.wire import calls, message_channel, session_flows
from libremq.wire.message_channel import Resync
from libremq.wire.protocol import CONFIRM_REQUEST, WHOLE, Type
from libremq.wire.segments import frame, frame_plain

QUEUE, CHANNEL = "TARGET", "APP.SVRCONN"
TRIES = 10


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def served(tmp_path: Path, said: list[str]) -> Iterator[Served]:
    with served_queue_manager(folder=tmp_path / "libremq", say=said.append) as served:
        define(served, "QLOCAL", QUEUE)
        define(served, "CHANNEL", CHANNEL, CHLTYPE="SVRCONN")
        manager = served.event_loop.manager
        served.embedded.admin(lambda: manager.alter("QMGR", "", {"CHLAUTH": "ENABLED"}))
        yield served


def lock_out(served: Served, profile: str) -> None:
    core = served.event_loop.manager.core
    rule = {"ADDRESS": "127.*", "USERSRC": "NOACCESS"}
    served.embedded.admin(lambda: set_chlauth(core, profile, "ADDRESSMAP", rule, "ADD"))


@contextmanager
def standing_still(served: Served) -> Iterator[None]:
    """The loop accepts nobody meanwhile."""
    stands, goes_on = threading.Event(), threading.Event()

    def stand() -> None:
        stands.set()
        goes_on.wait(60)

    served.event_loop.loop.call_soon_threadsafe(stand)
    assert stands.wait(60)
    try:
        yield
    finally:
        goes_on.set()


def send_and_reset(served: Served, data: bytes) -> None:
    for _ in range(TRIES):
        connection = socket.create_connection(("127.0.0.1", served.port))
        connection.sendall(data)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()


def client_says() -> bytes:
    offer = session_flows.InitialData(CHANNEL)
    connect = session_flows.pack_connect(session_flows.Connect("", "peer", C.MQAT_UNIX))
    put = calls.pack_put1(MQOD(ObjectName=QUEUE), MQMD(), MQPMO(Options=C.MQPMO_NO_SYNCPOINT), b"x")
    return (
        frame_plain(Type.INITIAL_DATA, session_flows.pack_initial(offer), flags=WHOLE | CONFIRM_REQUEST)
        + frame(Type.USERID_DATA, session_flows.pack_user("peer"), 1)
        + frame(Type.MQCONN, calls.pack_api(0, 0, 0, len(connect)) + connect, 1)
        + frame(Type.MQPUT1, put, 1)
    )


def partner_says() -> bytes:
    data = transmission_frame(QUEUE, "QM1", MQMD(Version=2, Priority=0, MsgId=b"m" * 24), b"x", 1208)
    segments = message_channel.pack_message(data, sequence=1, luwid=b"batch__1", max_segment=32000)
    confirm = message_channel.confirm_request(b"batch__1")
    return initial() + Resync(0).pack() + b"".join(segments) + confirm


@pytest.mark.parametrize("who", ["client", "partner"])
@pytest.mark.parametrize("ruled", [False, True])
def test_rules_see_the_address_of_who_has_reset(served: Served, said: list[str], who: str, ruled: bool) -> None:
    receiver(served)
    if ruled:
        lock_out(served, CHANNEL if who == "client" else "TO.QM1")
    with standing_still(served):
        send_and_reset(served, client_says() if who == "client" else partner_says())
    event_loop = served.event_loop
    if not ruled and who == "client":
        wait_until(lambda: event_loop.manager.depth(QUEUE) == TRIES)  # what makes the other case worth a test
        return
    if ruled:
        wait_until(lambda: sum(text.startswith("AMQ9777E") for text in list(said)) == TRIES)
        assert event_loop.manager.depth(QUEUE) == 0
        assert all(" from 127.0.0.1(" in text for text in said if text.startswith("AMQ9777E"))
    wait_until(lambda: not event_loop.sockets)
    assert not [text for text in said if "not known" in text or "'local'" in text]


def test_nobody_comes_in_over_the_network_without_an_address(served: Served, said: list[str]) -> None:
    """Rules with an address cannot see him: with none, and with what is none."""
    admission = served.event_loop.admission
    for address in ("", "local"):
        applicant = Applicant(False, "alice", channel=CHANNEL, address=address)
        assert isinstance(admission.decide(applicant), Denied)
        assert isinstance(admission.decide_channel(applicant), Denied)
    assert sum(text.startswith("AMQ9777E") for text in said) == 4
    assert (
        served.in_loop(lambda: [served.event_loop._let_stand(peer) for peer in ("", None, (), ("", 7))]) == [None] * 4
    )
