"""RabbitMQ with pika: classic and quorum queues, durable, with publisher confirms.

One at a time: publish and wait for the confirm; basic.get and acknowledge (an acknowledgement is never answered). For
units: a window of publishes whose confirms are awaited together, and a consumer that acknowledges a hundred at once.
The server has a node name, folders and a port mapper of its own, so that one that runs as a service is not touched.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from contenders import DATA, DURABLE, FAST, REPLIES, UNIT, Absent, Client, Contender
from daemons import LOOPBACK, free_port, own_folder, program, running

_REQUESTS = "requests"
_DIRECT_REPLIES = "amq.rabbitmq.reply-to"
_START_TRIES = 60


@contextmanager
def serve(folder: str) -> Iterator[list[Contender]]:
    try:
        import pika
    except ImportError:
        raise Absent("the Python package pika is not installed") from None
    server = program("rabbitmq-server", "rabbitmq-server", "/usr/lib/rabbitmq/bin")
    mapper = program("epmd", "erlang-base")
    home = own_folder(folder, "rabbitmq")
    port, mapper_port, distribution_port = free_port(), free_port(), free_port()
    (home / "enabled_plugins").write_text("[].")
    (home / "rabbitmq.conf").write_text(f"listeners.tcp.1 = {LOOPBACK}:{port}\nlog.console.level = warning\n")
    (home / "rabbitmq-env.conf").write_text("")
    environment = {
        "HOME": str(home),
        "ERL_EPMD_PORT": str(mapper_port),
        "ERL_EPMD_ADDRESS": LOOPBACK,
        "RABBITMQ_NODENAME": f"bench{os.getpid()}@localhost",
        "RABBITMQ_DIST_PORT": str(distribution_port),
        "RABBITMQ_CONFIG_FILE": str(home / "rabbitmq.conf"),
        "RABBITMQ_CONF_ENV_FILE": str(home / "rabbitmq-env.conf"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(home / "enabled_plugins"),
        "RABBITMQ_BASE": str(home),
        "RABBITMQ_MNESIA_BASE": str(home / "mnesia"),
        "RABBITMQ_LOG_BASE": str(home / "log"),
        "RABBITMQ_LOGS": "-",
        "RABBITMQ_PID_FILE": str(home / "pid"),
        "RABBITMQ_GENERATED_CONFIG_DIR": str(home / "generated"),
        "RABBITMQ_SCHEMA_DIR": str(home / "schema"),
    }
    mapper_home = own_folder(folder, "epmd")
    with (
        running([mapper, "-port", str(mapper_port), "-address", LOOPBACK], mapper_home, mapper_port),
        running([server], home, port, environment),
    ):
        connection = pika.BlockingConnection(_parameters(port))
        channel = connection.channel()
        channel.queue_declare("classic", durable=True)
        channel.queue_declare("quorum", durable=True, arguments={"x-queue-type": "quorum"})
        channel.queue_declare("fast", durable=False)
        channel.queue_declare(_REQUESTS, durable=False)
        version = connection._impl.server_properties["version"].rpartition(".")[0]
        connection.close()
        made = "peer_rabbitmq:RabbitMQClient"
        kinds = {"classic": DURABLE + FAST + REPLIES, "quorum": DURABLE}
        yield [
            Contender(
                f"RabbitMQ {version} {kind}, confirms",
                made,
                {"port": port, "queue": kind},
                operations,
                durable_confirmations=False,
            )
            for kind, operations in kinds.items()
        ]


def _parameters(port: int) -> Any:
    import pika

    # No heartbeats: a client that is not measured at the moment does nothing at all
    return pika.ConnectionParameters(LOOPBACK, port, heartbeat=0, connection_attempts=_START_TRIES, retry_delay=0.5)


class RabbitMQClient(Client):
    def __init__(self, port: int, queue: str) -> None:
        import pika

        self._port, self._queue = port, queue
        self._connection = pika.BlockingConnection(_parameters(port))
        self._channel = self._connection.channel()
        self._channel.confirm_delivery()
        self._persistent = pika.BasicProperties(delivery_mode=2)
        self._transient = pika.BasicProperties(delivery_mode=1)
        self._window: _ConfirmedWindow | None = None
        self._deliveries: Iterator[Any] = iter(())
        # Requests have a channel without confirms: the reply is the answer
        self._requests = self._connection.channel()
        self._replied = False

    def begin(self, operation: str) -> None:
        import pika

        if operation == "put_unit" and self._window is None:
            self._window = _ConfirmedWindow(self._port, self._queue)
        elif operation == "get_unit":
            self._channel.basic_qos(prefetch_count=2 * UNIT)
            self._deliveries = self._channel.consume(self._queue, inactivity_timeout=0.1)
        elif operation == "request":
            self._requests.basic_consume(_DIRECT_REPLIES, self._on_reply, auto_ack=True)
            self._direct = pika.BasicProperties(delivery_mode=1, reply_to=_DIRECT_REPLIES)
        elif operation == "respond":
            self._requests.basic_consume(_REQUESTS, self._on_request, auto_ack=True)

    def finish(self, operation: str) -> None:
        if operation == "get_unit":
            self._channel.cancel()  # what was prefetched goes back to the queue
            self._channel.basic_qos(prefetch_count=0)
        elif operation in REPLIES:
            self._requests.close()
            self._requests = self._connection.channel()

    def put(self) -> int:
        self._channel.basic_publish("", self._queue, DATA, self._persistent)
        return 1

    def get(self) -> int:
        method, _, _ = self._channel.basic_get(self._queue)
        if method is None:
            return 0
        self._channel.basic_ack(method.delivery_tag)
        return 1

    def put_unit(self) -> int:
        assert self._window is not None
        return self._window.put()

    def get_unit(self) -> int:
        got, tag = 0, 0
        for method, _, _ in self._deliveries:
            if method is None:
                break
            got, tag = got + 1, method.delivery_tag
            if got == UNIT:
                break
        if got:
            self._channel.basic_ack(tag, multiple=True)
        return got

    def put_fast(self) -> int:
        self._channel.basic_publish("", "fast", DATA, self._transient)
        return 1

    def get_fast(self) -> int:
        return 0 if self._channel.basic_get("fast", auto_ack=True)[0] is None else 1

    def request(self) -> int:
        self._replied = False
        self._requests.basic_publish("", _REQUESTS, DATA, self._direct)
        while not self._replied:
            self._connection.process_data_events(10)
        return 1

    def respond(self) -> int:
        self._connection.process_data_events(0.1)
        return 1

    def _on_reply(self, channel: Any, method: Any, properties: Any, body: bytes) -> None:
        self._replied = True

    def _on_request(self, channel: Any, method: Any, properties: Any, body: bytes) -> None:
        channel.basic_publish("", properties.reply_to, body)

    def close(self) -> None:
        if self._window is not None:
            self._window.close()
        self._connection.close()


class _ConfirmedWindow:
    """Publishes a unit and waits for all its confirms: pika's blocking connection would wait for each."""

    def __init__(self, port: int, queue: str) -> None:
        import pika

        self._queue = queue
        self._properties = pika.BasicProperties(delivery_mode=2)
        self._sent = 0
        self._open: set[int] = set()
        self._channel: Any = None
        self._connection = pika.SelectConnection(
            _parameters(port), on_open_callback=lambda connection: connection.channel(on_open_callback=self._opened)
        )
        self._connection.ioloop.start()

    def _opened(self, channel: Any) -> None:
        self._channel = channel
        channel.confirm_delivery(self._confirmed, callback=lambda _: self._connection.ioloop.stop())

    def _confirmed(self, frame: Any) -> None:
        method = frame.method
        assert method.NAME == "Basic.Ack", f"the server refused a message: {method}"
        if method.multiple:
            self._open = {tag for tag in self._open if tag > method.delivery_tag}
        else:
            self._open.discard(method.delivery_tag)
        if not self._open:
            self._connection.ioloop.stop()

    def put(self) -> int:
        publish = self._channel.basic_publish
        self._open = set(range(self._sent + 1, self._sent + UNIT + 1))
        self._sent += UNIT
        for _ in range(UNIT):
            publish("", self._queue, DATA, self._properties)
        self._connection.ioloop.start()
        return UNIT

    def close(self) -> None:
        self._connection.close()
        self._connection.ioloop.start()
