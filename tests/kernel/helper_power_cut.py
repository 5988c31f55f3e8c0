"""A queue manager that can lose power: a writer whose answers are still on their way, and a reader who has its own.

What the reader was answered must survive, although nobody has promised the writer anything yet.
"""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from libremq.client.remote.remote_access import RemoteAccess
from libremq.client.urls import ClientAddress, parse
from libremq.host.binding import Binding
from libremq.host.embedded import EmbeddedQueueManager
from libremq.host.embedded_connection import EmbeddedConnection
from libremq.kernel.manager import QueueManager
from libremq.kernel.state.waiting_gets import Got
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO
from libremq.testing.faulty_files import FaultyFiles
from libremq.testing.serving import Served, open_to_clients, serve
from libremq.testing.virtual_clock import VirtualClock

_T = TypeVar("_T")
_LOOK_S = 0.002
PERSISTENT = C.MQPER_PERSISTENT


def _start(files: FaultyFiles, *, create: bool = False) -> EmbeddedQueueManager:
    config = LogConfig(file_pages=64)
    return EmbeddedQueueManager.start(
        "qm", "QM1", create=create, files=files, clock=VirtualClock(), log_config=config, background=False
    )


class Site:
    """`reader` is an application over some binding; the writer's calls run in the kernel, and nobody answers them."""

    def __init__(self, files: FaultyFiles, embedded: EmbeddedQueueManager, served: Served | None) -> None:
        self._files = files
        self.embedded = embedded
        self._served = served
        self.writer = self.inside(lambda manager: manager.connect("alice", "writer"))
        self.reader: Binding
        self.connect_again: Callable[[], Binding]  # of a reader over a socket
        if served is None:
            self.reader = EmbeddedConnection(embedded, "bob", "reader")

    @property
    def served(self) -> Served:
        """Of a reader over a socket."""
        assert self._served is not None
        return self._served

    def inside(self, work: Callable[[QueueManager], _T]) -> _T:
        """In the turn of the kernel, with no force after it."""

        def locked() -> _T:
            with self.embedded.lock:
                return work(self.embedded.manager)

        return locked() if self._served is None else self._served.in_loop(locked)

    def command(self, work: Callable[[QueueManager], int]) -> None:
        """A command, with the force that its answer waits for."""
        if self._served is None:
            self.embedded.admin(lambda: work(self.embedded.manager))
        else:
            self._served.in_loop(lambda: self.embedded.admin(lambda: work(self.embedded.manager)))

    def settle(self) -> None:
        """Let the server notice what the writer's calls have brought to others."""
        if self._served is not None:
            self._served.in_loop(self._served.event_loop.settle)

    # The writer

    def put(self, data: bytes, *, queue: str = "Q", options: int = C.MQPMO_NO_SYNCPOINT, **fields: Any) -> None:
        md = MQMD(Version=2, Persistence=PERSISTENT, **fields)
        pmo = MQPMO(Options=options)
        self.inside(lambda manager: manager.put1(self.writer, MQOD(ObjectName=queue), md, pmo, data))

    def answer(self) -> None:
        """All that the writer has done so far is promised."""
        self.inside(lambda manager: manager.force(manager.core.log.tail - 1))

    def put_in_unit(self, data: bytes, **fields: Any) -> None:
        self.put(data, options=C.MQPMO_SYNCPOINT, **fields)

    def commit(self) -> None:
        self.inside(lambda manager: manager.commit(self.writer))

    # The reader

    def open(self, options: int = C.MQOO_INPUT_SHARED | C.MQOO_BROWSE, queue: str = "Q") -> int:
        return self.reader.open(MQOD(ObjectName=queue), options)

    def get(self, hobj: int, options: int, **wishes: Any) -> bytes:
        return self.reader.get(hobj, MQMD(Version=2, **wishes), MQGMO(Options=options)).data

    def waiting_get(self, hobj: int, options: int) -> Callable[[], bytes]:
        """Begin a get that waits; what is returned waits for its answer."""
        found: list[bytes] = []
        gmo = MQGMO(Options=options | C.MQGMO_WAIT, WaitInterval=C.MQWI_UNLIMITED)
        thread = threading.Thread(target=lambda: found.append(self.reader.get(hobj, MQMD(Version=2), gmo).data))
        thread.start()
        while thread.is_alive() and not self.inside(_waits):
            thread.join(_LOOK_S)

        def answer() -> bytes:
            thread.join()
            return found[0]

        return answer

    def answered(self, verb: Callable[[QueueManager, int], _T]) -> _T:
        """A call of the kernel by an application of this process, with the force that its answer waits for."""
        assert isinstance(self.reader, EmbeddedConnection)
        hconn = self.reader.hconn
        return self.embedded.call(hconn, lambda: verb(self.embedded.manager, hconn))

    # The disk fails, or the power

    def no_more_syncs(self) -> None:
        self._files.fail("sync", "*", OSError(errno.EIO, os.strerror(errno.EIO)))

    def after_power_cut(self, queue: str = "Q") -> list[bytes]:
        """What a restart finds on the queue, of a disk that has lost all that was not synced."""
        return self.restarted(lambda manager: list(_contents(manager, queue)))

    def restarted(self, question: Callable[[QueueManager], _T]) -> _T:
        """What a queue manager answers that was started from such a disk."""
        disk = next(self.inside(lambda manager: self._files.copy()).disk_states())
        again = _start(disk)
        answer = question(again.manager)
        again.manager.abandon()
        return answer


def _waits(manager: QueueManager) -> bool:
    return any(queue.waiters for queue in manager.core.queues.values())


def _contents(manager: QueueManager, queue: str) -> Iterator[bytes]:
    hconn = manager.connect("bob", "reader")
    hobj = manager.open(hconn, MQOD(ObjectName=queue), C.MQOO_BROWSE)
    while True:
        try:
            got = manager.get(hconn, hobj, MQMD(Version=2), MQGMO(Options=C.MQGMO_BROWSE_NEXT))
        except MQError as error:
            assert error.reason == C.MQRC_NO_MSG_AVAILABLE
            return
        assert isinstance(got, Got)
        yield got.data


@contextmanager
def site(binding: str, folder: Path) -> Iterator[Site]:
    """`embedded`, `local` or `mq`. There is one queue, Q, for which nothing was put."""
    files = FaultyFiles()
    embedded = _start(files, create=True)
    with ExitStack() as stack:
        stack.callback(embedded.end)
        embedded.admin(lambda: embedded.manager.define("QLOCAL", "Q", {}))
        if binding == "embedded":
            yield Site(files, embedded, None)
            return
        open_to_clients(embedded)
        served = stack.enter_context(serve(embedded, str(folder), data=str(folder)))
        address = parse(served.url(binding))
        assert isinstance(address, ClientAddress)
        access = RemoteAccess([address])
        stack.callback(access.close)
        found = Site(files, embedded, served)
        found.connect_again = lambda: access.connect("bob", "reader")
        found.reader = found.connect_again()
        yield found
