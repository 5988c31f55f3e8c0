"""A queue manager behind a proxy, for tests of reconnection: connections are cut, and it is ended and started again."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from helper_proxy import Proxy

import libremq
from libremq import QueueManager
from libremq.client.verbs import MQI
from libremq.mqi import constants as C
from libremq.mqi.structs import MQSTS
from libremq.testing.serving import Served, served_queue_manager

LIMIT_S = 240.0


class Site:
    """Two queues, Q and OUT, whose messages are persistent."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._running: contextlib.AbstractContextManager[Served] | None = None
        self.start()
        self.proxy = Proxy(self.served.port)
        with self.direct() as qm:
            qm.define("QLOCAL", "Q", defpsist="YES")
            qm.define("QLOCAL", "OUT", defpsist="YES")

    def start(self) -> None:
        self._running = served_queue_manager(folder=self.folder)
        self.served = self._running.__enter__()

    def end(self) -> None:
        running, self._running = self._running, None
        if running is not None:
            running.__exit__(None, None, None)

    def restart(self) -> None:
        self.end()
        self.start()
        self.proxy.target = self.served.port

    def connect(self, **keys: object) -> QueueManager:
        """Through the proxy."""
        query = "&".join(f"{key}={value}" for key, value in {"reconnect": "yes", **keys}.items())
        return libremq.connect(f"mq://127.0.0.1:{self.proxy.port}/QM1?{query}")

    def cut(self, qm: QueueManager) -> None:
        """Cut all connections; returns when the one of this thread has noticed."""
        self.proxy.cut_all()
        until(lambda: is_lost(qm.mqi))

    def direct(self) -> QueueManager:
        return libremq.connect(self.served.url())

    def texts(self, queue: str = "Q") -> list[str]:
        with self.direct() as qm:
            return [message.text for message in qm.queue(queue).browse()]

    def __enter__(self) -> Site:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.proxy.__exit__(kind, error, trace)
        self.end()


def is_lost(mqi: MQI) -> bool:
    sts = MQSTS()
    mqi.MQSTAT(C.MQSTAT_TYPE_RECONNECTION, sts)
    return sts.Reason == C.MQRC_RECONNECTING


def until(condition: Callable[[], object]) -> None:
    """Wait for something that another thread does."""
    deadline = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.002)
