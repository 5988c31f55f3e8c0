"""A served queue manager for tests: the real server, its loop in a thread of the test's process, real sockets."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.security.authorities import OBJECT_TYPES
from libremq.security.entities import NOBODY
from libremq.testing.virtual_clock import VirtualClock

if TYPE_CHECKING:
    import ssl

    from libremq.channels.initiator import ChannelRules
    from libremq.client.remote.remote_connection import RemoteConnection
    from libremq.common.clock import Clock
    from libremq.common.files.file_layer import Files
    from libremq.host.embedded import EmbeddedQueueManager
    from libremq.kernel.state.waiting_gets import Got
    from libremq.log import LogConfig
    from libremq.server.net.conversation import Conversation
    from libremq.server.net.event_loop import EventLoop, EventLoopLimits

_T = TypeVar("_T")
_PATIENCE_S = 240.0
_LOOK_S = 0.002


class Served:
    """A queue manager that listens on a free port and on its Unix-domain socket."""

    def __init__(self, event_loop: EventLoop, embedded: EmbeddedQueueManager, data: str) -> None:
        self.event_loop = event_loop
        self.embedded = embedded
        self.data = data

    @property
    def name(self) -> str:
        return self.embedded.name

    @property
    def port(self) -> int:
        return self.event_loop.ports[0]

    def url(self, binding: str = "mq", **keys: object) -> str:
        """A URL of it: `mq`, `mqs` or `local`."""
        if binding == "local":
            keys = {"data": self.data, **keys}
            where = f"local:{self.name}"
        else:
            where = f"{binding}://127.0.0.1:{self.port}/{self.name}"
        query = "&".join(f"{key}={quote(str(value))}" for key, value in keys.items())
        return f"{where}?{query}" if query else where

    def in_loop(self, work: Callable[[], _T]) -> _T:
        """Run something in the server's thread."""

        async def run() -> _T:
            return work()

        return self.run(run())

    def run(self, work: Coroutine[Any, Any, _T]) -> _T:
        return asyncio.run_coroutine_threadsafe(work, self.event_loop.loop).result(60)

    def waits(self, binding: RemoteConnection) -> bool:
        """Does a get of this connection wait, as the server sees it?"""
        return self.in_loop(lambda: any(found.waits for found in self._conversations(binding)))

    def is_ready(self, binding: RemoteConnection) -> bool:
        """Has the server nothing for the consumers of this connection, and knows that they may be called?"""
        return self.in_loop(lambda: any(found.ready for found in self._conversations(binding)))

    def _conversations(self, binding: RemoteConnection) -> list[Conversation]:
        every = [found for link in self.event_loop.links for found in link.conversations.values()]
        return [found for found in every if found.hconn == binding.hconn]


class WaitingGet:
    """A get in a thread of its own, for tests that take one step after the other.

    Whether it still waits is asked of the server, which knows: no step depends on how fast anything is.
    """

    def __init__(self, served: Served, binding: RemoteConnection, get: Callable[[], Got]) -> None:
        self._served = served
        self._binding = binding
        self._get = get
        self.result: Got | None = None
        self.error: MQError | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        while self._thread.is_alive() and not served.waits(binding):
            self._thread.join(_LOOK_S)

    def _run(self) -> None:
        try:
            self.result = self._get()
        except MQError as error:
            self.error = error

    @property
    def done(self) -> bool:
        if self._thread.is_alive() and self._served.waits(self._binding):
            return False
        self._thread.join(_PATIENCE_S)
        if self._thread.is_alive():
            raise AssertionError("the server has answered a get, and the client still waits")
        return True

    def outcome(self) -> Got | MQError | None:
        """What came of it; None while it waits."""
        return (self.result or self.error) if self.done else None


@contextmanager
def served_queue_manager(
    name: str = "QM1",
    *,
    folder: str | Path,
    files: Files | None = None,
    clock: Clock | None = None,
    log_config: LogConfig | None = None,
    limits: EventLoopLimits | None = None,
    say: Callable[[str], None] | None = None,
    tls: Callable[[], ssl.SSLContext | None] = lambda: None,
    channel_rules: ChannelRules | None = None,
    secured: bool = False,
) -> Iterator[Served]:
    """Create a queue manager if it is not there, serve it for a `with` block, and end it.

    With `files`, such as `FaultyFiles`, only its socket is in the folder. With a `VirtualClock` time stands still.
    Clients of this machine come in through every channel without a password, as whoever they say they are; with
    `secured` what a new queue manager does applies: channel authentication rules, and passwords of administrators.
    """
    from libremq.client.urls import Address
    from libremq.host.embedded import EmbeddedQueueManager
    from libremq.log import LogConfig

    where = Address("embedded", name, data=str(folder)).folder
    config = log_config or LogConfig(file_pages=1024)
    if files is not None:
        Path(where).mkdir(parents=True, exist_ok=True)
    embedded = EmbeddedQueueManager.start(
        where,
        name,
        create=True,
        files=files,
        clock=clock,
        log_config=config,
        say=say or (lambda text: None),
        background=not isinstance(clock, VirtualClock),
    )
    with ExitStack() as stack:
        stack.callback(embedded.end)
        if isinstance(clock, VirtualClock):
            stack.callback(clock.on_advance(embedded.run_clock))
        if not secured:
            open_to_clients(embedded)
        yield stack.enter_context(
            serve(embedded, where, data=str(folder), limits=limits, say=say, tls=tls, channel_rules=channel_rules)
        )


def open_to_clients(embedded: EmbeddedQueueManager) -> None:
    """Let everybody in, to everything: CHLAUTH(DISABLED), CHCKCLNT(OPTIONAL), all authorities for the group nobody.

    A wrong password is refused all the same. To be called before the queue manager is served.
    """
    manager = embedded.manager
    qmgr = manager.definitions.qmgr
    if qmgr.chlauth == C.MQCHLA_DISABLED:
        return  # it was done before
    connauth = qmgr.connauth

    def open_up() -> int:
        lsn = manager.alter("QMGR", "", {"CHLAUTH": "DISABLED"})
        if manager.find("IDPWOS", connauth) is not None:
            lsn = manager.alter("IDPWOS", connauth, {"CHCKCLNT": "OPTIONAL", "FAILDLAY": 0})
        for one in OBJECT_TYPES:
            profile = manager.name if one.value == C.MQOT_Q_MGR else "**"
            lsn = manager.set_authority(profile, one.value, groups=(NOBODY,), add=("ALL",)) or lsn
        return lsn

    embedded.admin(open_up)


@contextmanager
def serve(
    embedded: EmbeddedQueueManager,
    where: str,
    *,
    data: str,
    limits: EventLoopLimits | None = None,
    say: Callable[[str], None] | None = None,
    tls: Callable[[], ssl.SSLContext | None] = lambda: None,
    channel_rules: ChannelRules | None = None,
) -> Iterator[Served]:
    """Serve a queue manager that runs in this process for a `with` block; its socket is in the folder `where`."""
    from libremq.common.names.socket_paths import socket_path
    from libremq.server.net.event_loop import EventLoop
    from libremq.server.process.listeners import Listening
    from libremq.server.process.server_operations import ServerOperations
    from libremq.server.process.service_programs import Programs
    from libremq.server.process.services import Services

    tell = say or (lambda text: None)
    event_loop = EventLoop(embedded, where, limits=limits, say=tell, tls=tls, channel_rules=channel_rules)
    listening = Listening(event_loop, Services(tell, lambda name, error: None), tell, lambda: None)
    programs = Programs(embedded.manager, where, tell)
    ready: list[BaseException | None] = []
    started = threading.Event()
    ended = threading.Event()

    async def run() -> None:
        try:
            await event_loop.start([("unix", socket_path(where)), ("tcp", "127.0.0.1", 0)])
            embedded.executor.operations = ServerOperations(event_loop, listening, programs, lambda: "")
            embedded.serve_commands()
            event_loop.channels.start()
        except BaseException as error:
            ready.append(error)
            started.set()
            raise
        started.set()
        while not ended.is_set():
            await asyncio.sleep(0.01)
        await listening.stop_all()
        if not event_loop.failed.done():
            await event_loop.end("immediate")
        else:
            await event_loop.close()

    thread = threading.Thread(target=lambda: asyncio.run(run()), name=f"libremq-server-{embedded.name}", daemon=True)
    thread.start()
    started.wait(60)
    if ready and ready[0] is not None:
        raise ready[0]
    try:
        yield Served(event_loop, embedded, data)
    finally:
        ended.set()
        thread.join(60)
