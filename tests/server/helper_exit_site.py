"""A queue manager whose server-connection channel has exits, and clients of it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

import pytest
from helper_peers import Peer, wait_until

import libremq
from libremq.common import users_file
from libremq.kernel.authority.channel_authentication_records import set_chlauth
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.testing.serving import Served, served_queue_manager
from libremq.wire import calls, session_flows
from libremq.wire.protocol import CONFIRM_REQUEST, WHOLE, Action, Type
from libremq.wire.segments import frame, frame_plain

CHANNEL = "APP.SVRCONN"
QUEUE = "WORK"
AUTHINFO = "SYSTEM.DEFAULT.AUTHINFO.IDPWOS"
PASSWORD = "correct horse 4711"
OWNER = users_file.system_user(os.getuid())
PRELUDE = """
import json
from libremq.mqi import constants as C
from libremq.wire.protocol import Type
from libremq.channels.exits import CloseChannel, SendSecurity, SuppressExit

def note(*words):
    with open({path!r}, "a") as file:
        file.write(json.dumps(words) + "\\n")

REASONS = {{C.MQXR_INIT: "INIT", C.MQXR_TERM: "TERM", C.MQXR_XMIT: "XMIT", C.MQXR_INIT_SEC: "INIT_SEC"}}
"""
WHO = """
def who(call):
    note(REASONS[call.reason], call.channel, call.channel_type, call.queue_manager, call.connection_name,
         call.remote_user, call.mca_user, call.peer_name, call.conversation, call.user_data)
    if call.reason == C.MQXR_INIT_SEC and call.user_data:
        call.mca_user = call.user_data
"""
REFUSES = """
def doorman(call):
    if call.reason == C.MQXR_INIT_SEC and call.remote_user != "alice":
        raise CloseChannel(f"{call.remote_user} at {call.connection_name} is not on the list")
"""


@dataclass
class Site:
    """A queue manager with one channel, whose exits write down what they saw."""

    served: Served
    log: Path
    said: list[str] = field(default_factory=list)

    def run(self, work: Callable[[], Any]) -> None:
        self.served.embedded.admin(work)

    def write(self, text: str, name: str = "mine.py") -> Path:
        folder = Path(self.served.event_loop.folder) / "exits"
        folder.mkdir(mode=0o700, exist_ok=True)
        path = folder / name
        path.write_text(PRELUDE.format(path=str(self.log)) + text)
        path.chmod(0o600)
        return path

    def channel(self, name: str = CHANNEL, **attributes: Any) -> None:
        manager = self.served.event_loop.manager
        self.run(lambda: manager.define("CHANNEL", name, {"CHLTYPE": "SVRCONN", **attributes}))

    def alter(self, kind: str, name: str, **attributes: Any) -> None:
        self.run(lambda: self.served.event_loop.manager.alter(kind, name, attributes))

    def rule(self, rule_type: str, **attributes: Any) -> None:
        self.run(lambda: set_chlauth(self.served.event_loop.manager.core, CHANNEL, rule_type, attributes))

    @property
    def noted(self) -> list[list[Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []

    def url(self, user: str = "alice", password: str = "", channel: str = CHANNEL) -> str:
        secret = f":{quote(password)}" if password else ""
        return f"mq://{user}{secret}@127.0.0.1:{self.served.port}/QM1?channel={channel}"

    def acts_as(self, *who: str) -> str:
        links = self.served.event_loop.links
        with libremq.connect(self.url(*who)):
            (found,) = self.served.in_loop(lambda: [one.user for link in links for one in link.conversations.values()])
        self.is_idle()
        return found

    def is_idle(self) -> None:
        """Nothing is left of any client, and no instance is counted."""
        wait_until(lambda: not self.served.event_loop.links)
        assert not self.served.event_loop.instances

    def refuses(self, reason: int, *who: str, message: str, word: str = "") -> MQError:
        del self.said[:]
        with pytest.raises(MQError) as caught:
            libremq.connect(self.url(*who)).close()
        assert caught.value.reason == reason, caught.value
        found = [line for line in self.said if message in line]
        assert found and word in found[0], self.said
        assert not any("unexpected" in line or "Traceback" in line for line in self.said), self.said
        assert not list(Path(self.served.event_loop.folder).glob("errors/*.FDC"))
        self.is_idle()
        return caught.value

    def peer(self, **more: Any) -> Speaker:
        return Speaker(self.served.port, channel=CHANNEL, **more)

    def depth(self) -> int:
        core = self.served.event_loop.manager.core
        with self.served.event_loop.lock:
            return core.local_queue(core.catalogue.queues[QUEUE]).store.depth  # type: ignore[arg-type]


class Speaker(Peer):
    """A peer that can have several conversations."""

    def begin(self, number: int) -> Self:
        self.send(frame_plain(Type.SOCKET_ACTION, session_flows.pack_action(number, Action.START), letter=b"C"))
        assert self.answer().kind == Type.SOCKET_ACTION
        return self

    def finish(self, number: int) -> None:
        self.send(frame_plain(Type.SOCKET_ACTION, session_flows.pack_action(number, Action.END), letter=b"C"))

    def connect_on(self, number: int, user: str = "peer") -> int:
        """MQCONN of a conversation; its reason."""
        self.send(frame(Type.USERID_DATA, session_flows.pack_user(user), number) + connect_flow(number))
        return self.reply().reason

    def reply(self) -> calls.Api:
        """The next answer to a call, without what explains it to our own client."""
        while (flow := self.answer()).kind == Type.PING_DATA or not flow.body:
            pass
        return calls.unpack_api(flow.body)

    def refused(self) -> int:
        """The status with which the channel ends."""
        found = self.answer()
        assert found.kind == Type.STATUS_DATA, found
        assert self.receive() is None
        return session_flows.unpack_status(found.body)


def connect_flow(number: int = 1) -> bytes:
    body = session_flows.pack_connect(session_flows.Connect("", "peer", C.MQAT_UNIX))
    return frame(Type.MQCONN, calls.pack_api(0, 0, 0, len(body)) + body, number)


def initial_flow(channel: str = CHANNEL) -> bytes:
    body = session_flows.pack_initial(session_flows.InitialData(channel, heartbeat_s=300))
    return frame_plain(Type.INITIAL_DATA, body, flags=WHOLE | CONFIRM_REQUEST)


@contextmanager
def made(tmp_path: Path, *, secured: bool) -> Iterator[Site]:
    said: list[str] = []
    with served_queue_manager(folder=tmp_path / "data", secured=secured, say=said.append) as served:
        site = Site(served, tmp_path / "noted", said)
        site.run(lambda: served.event_loop.manager.define("QLOCAL", QUEUE, {"MAXMSGL": 4 << 20}))
        yield site
