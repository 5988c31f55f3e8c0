"""Redis streams with redis-py: one server that forces its log before it answers, one that keeps nothing.

A get is two steps, as a consumer group has it: read (which moves the entry to the pending list), then acknowledge and
delete. Both are written to the log, so both wait for the disk.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from contenders import DATA, UNIT, Absent, Client, Contender
from daemons import LOOPBACK, free_port, own_folder, program, running

NAME = "Redis"
_STREAM, _GROUP, _CONSUMER = "bench", "getters", "getter"
_REQUESTS = "requests"
_UNIT_ENTRIES = [{"data": DATA}] * UNIT


@contextmanager
def serve(folder: str) -> Iterator[list[Contender]]:
    try:
        import redis
    except ImportError:
        raise Absent("the Python package redis is not installed") from None
    server = program("redis-server", "redis-server")
    common = [server, "--bind", LOOPBACK, "--save", "", "--daemonize", "no"]
    durable, fast = free_port(), free_port()
    home, other_home = own_folder(folder, "redis"), own_folder(folder, "redis-memory")
    forced = ["--port", str(durable), "--dir", str(home), "--appendonly", "yes", "--appendfsync", "always"]
    unforced = ["--port", str(fast), "--dir", str(other_home), "--appendonly", "no"]
    with running(common + forced, home, durable), running(common + unforced, other_home, fast):
        for port in (durable, fast):
            with redis.Redis(LOOPBACK, port) as connection:
                connection.xgroup_create(_STREAM, _GROUP, id="0", mkstream=True)
                version = connection.info("server")["redis_version"]
        settings = {"durable": durable, "fast": fast}
        name = f"{NAME} {version} streams, appendfsync always"
        yield [Contender(name, "peer_redis:RedisClient", settings, sets_goals=True)]


class RedisClient(Client):
    def __init__(self, durable: int, fast: int) -> None:
        import redis

        self._durable = redis.Redis(LOOPBACK, durable)
        self._fast = redis.Redis(LOOPBACK, fast)
        self._reply_key = f"replies-{self._fast.client_id()}"

    def put(self) -> int:
        self._durable.xadd(_STREAM, {"data": DATA})
        return 1

    def get(self) -> int:
        return self._get(self._durable, 1)

    def put_unit(self) -> int:
        with self._durable.pipeline(transaction=True) as unit:
            for entry in _UNIT_ENTRIES:
                unit.xadd(_STREAM, entry)
            unit.execute()
        return UNIT

    def get_unit(self) -> int:
        return self._get(self._durable, UNIT)

    def put_fast(self) -> int:
        self._fast.xadd(_STREAM, {"data": DATA})
        return 1

    def get_fast(self) -> int:
        return self._get(self._fast, 1)

    def _get(self, server: object, count: int) -> int:
        answer = server.xreadgroup(_GROUP, _CONSUMER, {_STREAM: ">"}, count=count)  # type: ignore[attr-defined]
        if not answer:
            return 0
        entries = answer[0][1] if isinstance(answer, list) else next(iter(answer.values()))[0]
        ids = [entry[0] for entry in entries]
        with server.pipeline(transaction=count > 1) as unit:  # type: ignore[attr-defined]
            unit.xack(_STREAM, _GROUP, *ids)
            unit.xdel(_STREAM, *ids)
            unit.execute()
        return len(ids)

    def request(self) -> int:
        with self._fast.pipeline(transaction=False) as both:  # one trip for the request and the wait
            both.rpush(_REQUESTS, self._reply_key.encode() + b" " + DATA)
            both.blpop([self._reply_key], timeout=10)
            return 1 if both.execute()[1] else 0

    def respond(self) -> int:
        request = self._fast.blpop([_REQUESTS], timeout=0.1)
        if request is None:
            return 0
        reply_key, _, data = request[1].partition(b" ")
        self._fast.rpush(reply_key, data)
        return 1

    def close(self) -> None:
        self._durable.close()
        self._fast.close()
