"""LibreMQ itself in the table of servers: over TCP, over the local socket, and embedded in the application."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from urllib.parse import quote

from contenders import DATA, FAST, UNIT, Client, Contender
from daemons import LOOPBACK, free_port, own_folder, running

import libremq
from libremq import speed
from libremq.mqi import constants as C

_QMGR = "BENCH"
_DURABLE, _FAST, _REQUESTS = "BENCH.DURABLE", "BENCH.FAST", "BENCH.REQUESTS"
_UNIT_DATA = [DATA] * UNIT
# Whoever comes over this channel on this machine is the one who runs the benchmark
_OPEN_TO_US = """
ALTER QMGR CHLAUTH(DISABLED)
ALTER AUTHINFO(SYSTEM.DEFAULT.AUTHINFO.IDPWOS) AUTHTYPE(IDPWOS) CHCKCLNT(OPTIONAL)
ALTER CHANNEL(SYSTEM.DEF.SVRCONN) CHLTYPE(SVRCONN) MCAUSER('{user}')
"""
_CLIENT = "peer_libremq:LibreMQClient"


def _create(data: str) -> str:
    """A queue manager with the queues of the benchmark; its URL, embedded."""
    url = f"embedded:{_QMGR}?data={quote(data)}"
    with libremq.connect(f"{url}&create=1") as manager:
        for name in (_DURABLE, _FAST, _REQUESTS):
            manager.define_local(name, maxdepth=2_000_000)
        manager.mqsc(_OPEN_TO_US.format(user=getpass.getuser()))
    return url


_WITHOUT = (("LIBREMQ_SPEED", "no"),)
"""The environment of a row in Python alone."""


def _rows() -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
    """What is behind the names of rows, and the environment of their processes."""
    yield "", _WITHOUT
    if speed.is_in_use():
        yield ", libremq-speed", ()


@contextmanager
def serve(folder: str) -> Iterator[list[Contender]]:
    with ExitStack() as stack:
        contenders: list[Contender] = []
        for number, (suffix, environment) in enumerate(_rows()):
            home, port = own_folder(folder, f"libremq-{number}"), free_port()
            _create(str(home))
            command = [sys.executable, "-m", "libremq.commands.main", "strmqm", _QMGR, "--data", str(home)]
            command += ["--foreground", "-p", str(port), "-tp", "6"]
            stack.enter_context(running(command, home, port, dict(environment)))
            tcp = f"mq://{LOOPBACK}:{port}/{_QMGR}?channel=SYSTEM.DEF.SVRCONN"
            local = f"local:{_QMGR}?data={quote(str(home))}"
            ours = partial(Contender, client=_CLIENT, is_ours=True, environment=environment, with_speed=bool(suffix))
            contenders += [
                ours(f"LibreMQ TCP{suffix}", settings={"url": tcp}, server_port=port),
                ours(f"LibreMQ local{suffix}", settings={"url": local}),
            ]
        yield contenders


@contextmanager
def embedded(folder: str) -> Iterator[list[Contender]]:
    yield [
        Contender(
            f"LibreMQ embedded{suffix}",
            _CLIENT,
            {"url": _create(f"{folder}/libremq-embedded-{number}")},
            in_process=True,
            is_ours=True,
            environment=environment,
            with_speed=bool(suffix),
        )
        for number, (suffix, environment) in enumerate(_rows())
    ]


class LibreMQClient(Client):
    def __init__(self, url: str) -> None:
        self._manager = libremq.connect(url)
        self._durable = self._manager.queue(_DURABLE)
        self._fast = self._manager.queue(_FAST)
        self._requests = self._manager.queue(_REQUESTS)
        self._replies: libremq.Queue | None = None
        self._many = hasattr(self._durable, "put_many")

    def begin(self, operation: str) -> None:
        queue = {FAST[0]: self._fast, FAST[1]: self._fast, "respond": self._requests}.get(operation, self._durable)
        queue.handle("output" if operation.startswith("put") else "input")
        if operation == "request":
            self._replies = self._manager.dynamic_queue()

    def finish(self, operation: str) -> None:
        if self._replies is not None:
            self._replies.close()
            self._replies = None

    def put(self) -> int:
        self._durable.put(DATA, persistent=True)
        return 1

    def get(self) -> int:
        return 0 if self._durable.get_or_none() is None else 1

    def put_unit(self) -> int:
        with self._manager.transaction():
            if self._many:
                self._durable.put_many(_UNIT_DATA, persistent=True)
            else:
                for _ in range(UNIT):
                    self._durable.put(DATA, persistent=True)
        return UNIT

    def get_unit(self) -> int:
        with self._manager.transaction():
            if self._many:
                try:
                    return len(self._durable.get_many(UNIT))
                except libremq.NoMessageAvailable:
                    return 0
            got = 0
            while got < UNIT and self._durable.get_or_none() is not None:
                got += 1
        return got

    def put_fast(self) -> int:
        self._fast.put(DATA, persistent=False)
        return 1

    def get_fast(self) -> int:
        return 0 if self._fast.get_or_none() is None else 1

    def request(self) -> int:
        assert self._replies is not None
        sent = self._requests.put(DATA, persistent=False, reply_to=self._replies, message_type=C.MQMT_REQUEST)
        self._replies.get(10, correlation_id=sent)
        return 1

    def respond(self) -> int:
        request = self._requests.get_or_none(0.1)
        if request is None:
            return 0
        request.reply(request.data)
        return 1

    def close(self) -> None:
        self._manager.close()
