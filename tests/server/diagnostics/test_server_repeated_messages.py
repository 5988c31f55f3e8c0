"""Whose the messages are that a peer provokes, over real sockets: its address, whatever it calls itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helper_partners import Partner, define, receiver
from helper_peers import Peer

from libremq.common.users_file import set_password
from libremq.kernel.messages.transmission import frame as transmission_frame
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD
from libremq.server.diagnostics.repeated_messages import address_in
from libremq.testing.serving import Served, served_queue_manager
from libremq.wire import calls, message_channel, session_flows
from libremq.wire.protocol import REPLY, Type
from libremq.wire.segments import frame

MALLORY, LOOKS_LIKE_ANOTHER = "127.0.0.66", "10.0.0.1"


@pytest.fixture
def said() -> list[tuple[str, str]]:
    return []


@pytest.fixture
def served(tmp_path: Path, said: list[tuple[str, str]]) -> Iterator[Served]:
    def say(text: str) -> None:
        said.append((text[:8], address_in(text)))

    with served_queue_manager(folder=tmp_path, secured=True, say=say) as served:
        define(served, "CHANNEL", "APP.SVRCONN", CHLTYPE="SVRCONN")
        manager = served.event_loop.manager
        settings = {"FAILDLAY": 0}
        served.embedded.admin(lambda: manager.alter("IDPWOS", "SYSTEM.DEFAULT.AUTHINFO.IDPWOS", settings))
        served.event_loop.admission.refresh()
        set_password(manager.core.files, served.event_loop.folder, "pat", "secret")
        del said[:]
        yield served


@pytest.mark.parametrize(
    ("credentials", "expected"),
    [
        (None, ["AMQ8077W", "AMQ9557E"]),  # it lacks connect
        ((LOOKS_LIKE_ANOTHER, "a guess"), ["AMQ5534E", "AMQ5543I", "AMQ9557E"]),  # decided by a thread
        (("pat", "secret"), ["AMQ8077W", "AMQ9557E"]),  # by a thread, then by the kernel
    ],
)
def test_what_is_said_of_a_log_in(
    served: Served, said: list[tuple[str, str]], credentials: tuple[str, str] | None, expected: list[str]
) -> None:
    body = session_flows.pack_connect(session_flows.Connect("", "peer", C.MQAT_UNIX))
    with Peer(served.port, channel="APP.SVRCONN", source=MALLORY) as peer:
        peer.negotiate()
        peer.send(frame(Type.USERID_DATA, session_flows.pack_user(LOOKS_LIKE_ANOTHER), 1))
        if credentials is not None:
            peer.send(frame(Type.CONAUTH_INFO, session_flows.pack_credentials(*credentials), 1))
        peer.send(frame(Type.MQCONN, calls.pack_api(0, 0, 0, len(body)) + body, 1))
        while peer.answer().kind != Type.MQCONN + REPLY:
            pass
    assert said == [(message, MALLORY) for message in expected]


def test_what_is_said_of_a_message_of_a_partner(served: Served, said: list[tuple[str, str]]) -> None:
    receiver(served)
    commands = "SYSTEM.ADMIN.COMMAND.QUEUE"
    md = MQMD(Version=2, Priority=0, Persistence=1, MsgId=b"m" * 24, UserIdentifier=LOOKS_LIKE_ANOTHER)
    with Partner(served.port) as partner:
        partner.agree()
        partner.resynchronise()
        data = transmission_frame(commands, "QM1", md, b"x", 1208)
        for segment in message_channel.pack_message(data, sequence=1, luwid=b"batch__1", max_segment=32000):
            partner.send(segment)
        partner.send(message_channel.confirm_request(b"batch__1"))
        assert partner.receive() is not None  # it refuses the message, and says so first
    assert ("AMQ9589W", "127.0.0.1") in said
