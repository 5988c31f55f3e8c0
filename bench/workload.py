"""The queue manager under test and the loops that are timed: with the MQI verbs, and with the Python API.

An MQI application makes its descriptor and options once and uses them again, as such programs do; the ids are cleared
before each call, as they must be.
"""

from __future__ import annotations

import threading
import time
from functools import partial
from urllib.parse import quote

import libremq
from libremq.host.embedded import EmbeddedQueueManager
from libremq.host.embedded_connection import EmbeddedConnection
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO

QMGR = "BENCH"
QUEUE = "BENCH.QUEUE"
_NO_ID = bytes(24)
_OPEN = C.MQOO_INPUT_SHARED | C.MQOO_OUTPUT


def start(folder: str, *queues: str, log_config: LogConfig | None = None) -> EmbeddedQueueManager:
    """A queue manager in the folder, made if it is not there, with these queues."""
    embedded = EmbeddedQueueManager.start(f"{folder}/{QMGR}", QMGR, create=True, log_config=log_config)
    define(embedded, *queues)
    return embedded


def define(embedded: EmbeddedQueueManager, *queues: str) -> None:
    """Define the queues that are not there yet."""
    for name in queues:
        if embedded.manager.find("QLOCAL", name) is None:
            embedded.admin(partial(embedded.manager.define, "QLOCAL", name, {"MAXDEPTH": 2_000_000}))


class Application:
    """One connection with one queue open for input and output."""

    def __init__(self, embedded: EmbeddedQueueManager, queue: str = QUEUE) -> None:
        self.connection = EmbeddedConnection(embedded, "bench", "bench")
        self.hobj = self.connection.open(MQOD(ObjectName=queue), _OPEN)

    def close(self) -> None:
        self.connection.disconnect()

    def puts(self, count: int, data: bytes, persistence: int, options: int = C.MQPMO_NO_SYNCPOINT) -> float:
        """Seconds for this many puts."""
        put, hobj = self.connection.put, self.hobj
        md, pmo = MQMD(Version=2, Persistence=persistence), MQPMO(Options=options)
        started = time.perf_counter()
        for _ in range(count):
            md.MsgId = _NO_ID
            put(hobj, md, pmo, data)
        return time.perf_counter() - started

    def gets(self, count: int, options: int = C.MQGMO_NO_SYNCPOINT) -> float:
        """Seconds for this many gets of the next message."""
        get, hobj = self.connection.get, self.hobj
        md, gmo = MQMD(Version=2), MQGMO(Options=options)
        started = time.perf_counter()
        for _ in range(count):
            md.MsgId = md.CorrelId = _NO_ID
            get(hobj, md, gmo)
        return time.perf_counter() - started

    def pairs(self, count: int, data: bytes, persistence: int) -> float:
        """Seconds for this many times a put and a get of the same message."""
        put, get, hobj = self.connection.put, self.connection.get, self.hobj
        md, pmo = MQMD(Version=2, Persistence=persistence), MQPMO(Options=C.MQPMO_NO_SYNCPOINT)
        got, gmo = MQMD(Version=2), MQGMO(Options=C.MQGMO_NO_SYNCPOINT)
        started = time.perf_counter()
        for _ in range(count):
            md.MsgId = _NO_ID
            put(hobj, md, pmo, data)
            got.MsgId = got.CorrelId = _NO_ID
            get(hobj, got, gmo)
        return time.perf_counter() - started

    def put_units(self, units: int, size: int, data: bytes) -> float:
        """Seconds for this many units of work of persistent puts."""
        seconds = 0.0
        for _ in range(units):
            seconds += self.puts(size, data, C.MQPER_PERSISTENT, C.MQPMO_SYNCPOINT)
            seconds += _timed(self.connection.commit)
        return seconds

    def get_units(self, units: int, size: int) -> float:
        seconds = 0.0
        for _ in range(units):
            seconds += self.gets(size, C.MQGMO_SYNCPOINT)
            seconds += _timed(self.connection.commit)
        return seconds


class PythonApplication:
    """The same with the Python API, on a queue manager of its own."""

    def __init__(self, folder: str) -> None:
        self._manager = libremq.connect(f"embedded:PYTHON.BENCH?create=1&data={quote(folder)}")
        self._manager.define_local(QUEUE, replace=True)
        self._queue = self._manager.queue(QUEUE)

    def close(self) -> None:
        self._manager.close()

    def pairs(self, count: int, data: bytes, *, persistent: bool) -> float:
        put, get = self._queue.put, self._queue.get
        started = time.perf_counter()
        for _ in range(count):
            put(data, persistent=persistent)
            get()
        return time.perf_counter() - started


def _timed(call: object) -> float:
    started = time.perf_counter()
    call()  # type: ignore[operator]
    return time.perf_counter() - started


def puts_of_many(applications: list[Application], count: int, data: bytes) -> float:
    """Seconds until each of these has put its share of `count` persistent messages, all at the same time."""
    share = count // len(applications)
    threads = [
        threading.Thread(target=application.puts, args=(share, data, C.MQPER_PERSISTENT))
        for application in applications
    ]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - started
