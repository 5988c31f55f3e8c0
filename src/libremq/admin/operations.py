"""What only a server can do for a command: listeners, channels that run, services. The embedded binding has none.

Requests are accepted, not awaited: MQ answers START LISTENER when the request is taken. Implementations are called
under the kernel's lock, from any thread, and call back under it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from libremq.common.messages.amq_messages import AmqMessage
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error


@dataclass(frozen=True, slots=True)
class ChannelInstance:
    """A running instance of a channel, or one that was stopped, or waits to be tried again."""

    channel: str
    connection_name: str  # address of the other end
    channel_type: int = C.MQCHT_SVRCONN
    status: int = C.MQCHS_RUNNING
    user: str = ""
    started: float = 0.0
    last_message: float = 0.0
    messages: int = 0
    bytes_sent: int = 0
    bytes_received: int = 0
    buffers_sent: int = 0
    buffers_received: int = 0
    conversations: int = 0
    conversations_max: int = 0
    heartbeat_s: int = 0
    application: str = ""
    product: str = ""
    version: str = ""
    cipher: str = ""
    protocol: str = ""  # of TLS, such as TLSV13
    peer_name: str = ""  # subject of the other end's certificate
    issuer_name: str = ""
    local_address: str = ""
    stop_requested: bool = False
    # Message channels only
    substate: int = C.MQCHSSTATE_OTHER
    partner: str = ""  # RQMNAME
    xmitq: str = ""
    batches: int = 0
    batch_size: int = 0  # agreed on
    batch_sizes: tuple[int, int] = (0, 0)  # XBATCHSZ: of late, over a longer time
    queue_time: tuple[int, int] = (0, 0)  # XQTIME, microseconds, as all of these times
    network_time: tuple[int, int] = (0, 0)
    exit_time: tuple[int, int] = (0, 0)
    compression_time: tuple[int, int] = (0, 0)
    compression_rate: tuple[int, int] = (0, 0)
    header_compression: tuple[int, ...] = ()  # COMPHDR: agreed on, of the last message
    message_compression: tuple[int, ...] = ()
    current_luwid: str = ""  # 16 hexadecimal digits
    current_messages: int = 0
    current_sequence: int = 0
    last_luwid: str = ""
    last_sequence: int = 0
    in_doubt: bool = False
    fast: bool = True  # NPMSPEED as agreed on
    queued: int = 0  # XQMSGSA
    short_retries: int = 0  # left
    long_retries: int = 0
    monitoring: int = C.MQMON_OFF


@dataclass(frozen=True, slots=True)
class ListenerStatus:
    name: str
    status: int  # MQSVC_STATUS_*
    pid: int = 0
    started: float = 0.0
    address: str = ""
    port: int = 0
    backlog: int = 0


@dataclass(frozen=True, slots=True)
class ServiceStatus:
    name: str
    status: int  # MQSVC_STATUS_*
    pid: int = 0
    started: float = 0.0


@dataclass(frozen=True, slots=True)
class ConnectionPlace:
    """Where an application is that is connected: by hconn."""

    channel: str = ""
    connection_name: str = ""
    pid: int = 0
    thread: int = 0


class Operations(Protocol):
    def channel_instances(self) -> Sequence[ChannelInstance]: ...

    def start_channel(self, name: str) -> None:
        """Run a channel that can call its partner; any other that was stopped can be called again."""

    def stop_channel(self, name: str, mode: int, *, after: int, connection_name: str = "", partner: str = "") -> int:
        """End all instances, or those with an address or partner; how many there were.

        `after` is what the channel is then: MQCHS_STOPPED lets nothing but START CHANNEL start it again.
        """

    def forget_channel(self, name: str) -> None:
        """It was deleted, after it had been stopped."""

    def ping_channel(self, name: str, data: bytes, done: Callable[[AmqMessage | None], None]) -> None:
        """Have the other end send the data back. `done` is called once: without a message if it did."""

    def start_initiator(self, queue: str) -> None:
        """Start channels by the trigger messages of this queue too; blank is the usual one."""

    def initiator_status(self) -> int:
        """MQSVC_STATUS_*"""

    def start_listener(self, name: str) -> None: ...

    def stop_listener(self, name: str) -> None: ...

    def listeners(self) -> Sequence[ListenerStatus]: ...

    def start_service(self, name: str) -> None: ...

    def stop_service(self, name: str) -> None: ...

    def services(self) -> Sequence[ServiceStatus]: ...

    def stop_connection(self, hconn: int) -> None:
        """The application hears MQRC_CONNECTION_BROKEN at its next call."""

    def place(self, hconn: int) -> ConnectionPlace: ...

    def refresh_tls(self) -> None: ...

    def refresh_connection_authentication(self) -> None: ...


class NoOperations:
    """Of a queue manager inside an application: nothing listens, no service runs."""

    def __init__(self, name: str) -> None:
        self._name = name

    def _refused(self, what: str) -> Exception:
        return mq_error(
            C.MQRC_ENVIRONMENT_ERROR,
            self._name,
            f"an embedded queue manager has no {what}; start it with strmqm",
        )

    def channel_instances(self) -> Sequence[ChannelInstance]:
        return ()

    def start_channel(self, name: str) -> None:
        raise self._refused("channels that run")

    def stop_channel(self, name: str, mode: int, *, after: int, connection_name: str = "", partner: str = "") -> int:
        raise self._refused("channels that run")

    def forget_channel(self, name: str) -> None:
        """Nothing to do: nothing runs."""

    def ping_channel(self, name: str, data: bytes, done: Callable[[AmqMessage | None], None]) -> None:
        raise self._refused("channels that run")

    def start_initiator(self, queue: str) -> None:
        raise self._refused("channel initiator")

    def initiator_status(self) -> int:
        return C.MQSVC_STATUS_STOPPED

    def start_listener(self, name: str) -> None:
        raise self._refused("listeners")

    def stop_listener(self, name: str) -> None:
        raise self._refused("listeners")

    def listeners(self) -> Sequence[ListenerStatus]:
        return ()

    def start_service(self, name: str) -> None:
        raise self._refused("services")

    def stop_service(self, name: str) -> None:
        raise self._refused("services")

    def services(self) -> Sequence[ServiceStatus]:
        return ()

    def stop_connection(self, hconn: int) -> None:
        raise self._refused("connections that can be stopped")

    def place(self, hconn: int) -> ConnectionPlace:
        return ConnectionPlace()

    def refresh_tls(self) -> None:
        """Nothing to do: there is no TLS inside a process."""

    def refresh_connection_authentication(self) -> None:
        """Nothing to do: who is in the process is in."""
