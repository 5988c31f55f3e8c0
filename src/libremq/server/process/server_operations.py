"""What commands ask of the server around the kernel: channels, listeners, services, connections.

Called under the kernel's lock, from the thread that runs the command. What it reads changes under that lock only; what
it asks for is done by the event loop a moment later, as MQ does it: the request is accepted, the status shows the rest.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any

from libremq.admin.operations import ChannelInstance, ConnectionPlace, ListenerStatus, ServiceStatus
from libremq.common.messages.amq_messages import AmqMessage
from libremq.kernel.objects.object_types import Listener, ServerConnection, Service
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error
from libremq.server.process.listeners import Listening, listens_on
from libremq.server.process.service_programs import Programs
from libremq.server.process.start_options import HostPort

if TYPE_CHECKING:
    from libremq.server.net.client_link import Link
    from libremq.server.net.event_loop import EventLoop


_PRODUCT_BYTES = 4  # what an application says it is: LMQC00010000 is product LMQC, version 00010000


class ServerOperations:
    def __init__(
        self, event_loop: EventLoop, listening: Listening, programs: Programs, refresh_tls: Callable[[], str]
    ) -> None:
        self._event_loop = event_loop
        self._listening = listening
        self._programs = programs
        self._refresh_tls = refresh_tls
        self._one_at_a_time = asyncio.Lock()
        self._asked: dict[HostPort, str] = {}
        """Where a command wants it to listen, for which LISTENER, and the event loop has not come to it."""

    def _soon(self, work: Callable[[], object]) -> None:
        self._event_loop.loop.call_soon_threadsafe(work)

    def _run_soon(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._soon(lambda: self._event_loop.background(asyncio.ensure_future(work())))

    # Channels

    def channel_instances(self) -> Sequence[ChannelInstance]:
        links = [link for link in list(self._event_loop.links) if link.channel is not None and not link.local]
        running = [_instance(link) for link in links]
        names = {one.channel for one in running}
        stopped_names = sorted(self._event_loop.stopped_channels - names)
        stopped = [ChannelInstance(name, "", status=C.MQCHS_STOPPED) for name in stopped_names]
        running += self._event_loop.initiator.instances()
        return sorted(running, key=lambda one: (one.channel, one.connection_name, one.partner)) + stopped

    def _serves_clients(self, name: str) -> bool:
        return isinstance(self._event_loop.manager.find("CHANNEL", name), ServerConnection)

    def start_channel(self, name: str) -> None:
        if self._serves_clients(name):
            self._event_loop.stopped_channels.discard(name)
        else:
            self._event_loop.initiator.start(name)

    def stop_channel(self, name: str, mode: int, *, after: int, connection_name: str = "", partner: str = "") -> int:
        if not self._serves_clients(name):
            return self._event_loop.initiator.stop(
                name, mode, after=after, connection_name=connection_name, partner=partner
            )
        if after == C.MQCHS_STOPPED:
            self._event_loop.stopped_channels.add(name)
        found = [
            link
            for link in list(self._event_loop.links)
            if link.channel is not None
            and link.channel.name == name
            and connection_name in ("", _host(link), link.peer)
        ]
        for link in found:
            self._soon(link.stop if mode == C.MQMODE_QUIESCE else link.abort)
        return len(found)

    def forget_channel(self, name: str) -> None:
        self._event_loop.stopped_channels.discard(name)
        self._event_loop.initiator.forget(name)

    def ping_channel(self, name: str, data: bytes, done: Callable[[AmqMessage | None], None]) -> None:
        self._event_loop.initiator.ping(name, data, done)

    def start_initiator(self, queue: str) -> None:
        self._event_loop.initiator.serve(queue)

    def initiator_status(self) -> int:
        reads = self._event_loop.initiator.initiation_queues
        return C.MQSVC_STATUS_RUNNING if reads else C.MQSVC_STATUS_STOPPED

    # Listeners

    def _listener(self, name: str) -> Listener:
        found = self._event_loop.manager.find("LISTENER", name)
        if not isinstance(found, Listener):
            raise mq_error(C.MQRC_UNKNOWN_OBJECT_NAME, name, "there is no listener of this name")
        return found

    def start_listener(self, name: str) -> None:
        listener = self._listener(name)
        if (running := self._address(name)) is not None:
            raise mq_error(C.MQRCCF_LISTENER_RUNNING, name, f"it listens on {running}")
        address = listens_on(listener)
        if self._status(address) is not None:
            other = self._name(address)
            who = f"LISTENER({other}); STOP that" if other else "runmqlsr or strmqm -p; end that"
            detail = f"{address} is listened on already, by {who}, or give this one another PORT"
            raise mq_error(C.MQRCCF_LISTENER_CONFLICT, name, detail)
        self._asked[address] = name

        async def start() -> None:
            async with self._one_at_a_time:
                try:
                    await self._listening.start([address], must=False, names={address: name})
                finally:
                    self._asked.pop(address, None)

        self._run_soon(start)

    def stop_listener(self, name: str) -> None:
        listener = self._listener(name)
        address = self._address(name)
        if address is None:
            raise mq_error(C.MQRCCF_LISTENER_STOPPED, name, f"nothing listens on {listens_on(listener)} for it")

        async def stop() -> None:
            async with self._one_at_a_time:
                if self._listening.name_of(address) == name:
                    await self._listening.stop_one(address)

        self._run_soon(stop)

    def _name(self, address: HostPort) -> str:
        return self._listening.name_of(address) or self._asked.get(address, "")

    def _address(self, name: str) -> HostPort | None:
        """Where the LISTENER was started: ALTER LISTENER does not move one that runs. None: it does not run."""
        known = {**self._listening.names(), **self._asked}
        return next((one for one, its in known.items() if its == name and self._status(one) is not None), None)

    def _status(self, address: HostPort) -> int | None:
        """MQSVC_STATUS_*; None if nobody wants it to listen there."""
        state = self._listening.state_of(address)
        if state is not None:
            return state.status
        # Also one whose port another program has: it is tried again
        return C.MQSVC_STATUS_STARTING if address in self._asked or self._listening.is_tried(address) else None

    def _listener_state(self, listener: Listener) -> ListenerStatus | None:
        address = self._address(listener.name)
        status = self._status(address) if address is not None else None
        if address is None or status is None:
            return None
        state = self._listening.state_of(address)
        return ListenerStatus(
            listener.name,
            status,
            state.pid if state is not None else os.getpid(),
            state.started if state is not None else 0.0,
            listener.ipaddr,
            state.port if state is not None else address.port,
            listener.effective_backlog,
        )

    def listeners(self) -> Sequence[ListenerStatus]:
        """Those of LISTENER objects, then those without: of `strmqm -p`, `runmqlsr` and qm.ini. They have no name."""
        found = [one for one in self._event_loop.manager.definitions.select("LISTENER") if isinstance(one, Listener)]
        states = [state for state in map(self._listener_state, found) if state is not None]
        defined = {self._address(one.name) for one in found}
        return states + [
            ListenerStatus("", state.status, state.pid, state.started, address.host or "*", state.port)
            for address, state in self._listening.states().items()
            if address not in defined
        ]

    # Services

    def _service(self, name: str) -> Service:
        found = self._event_loop.manager.find("SERVICE", name)
        if not isinstance(found, Service):
            raise mq_error(C.MQRC_UNKNOWN_OBJECT_NAME, name, "there is no service of this name")
        return found

    def start_service(self, name: str) -> None:
        self._programs.start(self._service(name))

    def stop_service(self, name: str) -> None:
        self._programs.stop(self._service(name))

    def services(self) -> Sequence[ServiceStatus]:
        return self._programs.running()

    # Connections

    def stop_connection(self, hconn: int) -> None:
        conversation = self._event_loop.conversations.get(hconn)
        if conversation is None:
            raise mq_error(C.MQRCCF_CONNECTION_ID_ERROR, f"{hconn:016X}", "it is a part of the queue manager itself")
        self._soon(conversation.link.abort)

    def place(self, hconn: int) -> ConnectionPlace:
        conversation = self._event_loop.conversations.get(hconn)
        if conversation is None:
            one = next((agent for agent in self._event_loop.initiator.agents if agent.hconn == hconn), None)
            own = os.getpid()
            return ConnectionPlace(one.name, one.peer.host, own) if one is not None else ConnectionPlace(pid=own)
        link = conversation.link
        if link.local:
            return ConnectionPlace(pid=link.peer_pid)
        channel = link.channel.name if link.channel is not None else ""
        return ConnectionPlace(channel=channel, connection_name=_host(link), pid=link.peer_pid)

    # Security

    def refresh_tls(self) -> None:
        if wrong := self._refresh_tls():
            raise mq_error(C.MQRC_KEY_REPOSITORY_ERROR, self._event_loop.manager.name, wrong)
        # Who came in with a certificate that was revoked since must not stay: all that use TLS begin anew
        for link in list(self._event_loop.links):
            if link.tls is not None:
                self._soon(link.stop)
        for message_link in list(self._event_loop.message_links):
            if message_link.tls is not None:
                self._soon(message_link.refresh)

    def refresh_connection_authentication(self) -> None:
        self._event_loop.admission.refresh()


def _host(link: Link) -> str:
    return link.peer.partition("(")[0]


def _instance(link: Link) -> ChannelInstance:
    channel, tls = link.channel, link.tls
    assert channel is not None
    first = next(iter(link.conversations.values()), None)
    connection = first.connection if first is not None else None
    counters = link.counters
    return ChannelInstance(
        channel=channel.name,
        connection_name=_host(link),
        status=C.MQCHS_STOPPING if link.stopping else C.MQCHS_RUNNING,
        user=first.user if first is not None else "",
        started=counters.started,
        last_message=counters.last_call,
        messages=counters.calls,
        bytes_sent=counters.bytes_sent,
        bytes_received=counters.bytes_received,
        buffers_sent=counters.buffers_sent,
        buffers_received=counters.buffers_received,
        conversations=sum(1 for one in link.conversations.values() if one.connected),
        conversations_max=channel.sharing,
        heartbeat_s=link.heartbeat_s,
        application=connection.application if connection is not None else "",
        product=link.peer_product[:_PRODUCT_BYTES],
        version=link.peer_product[_PRODUCT_BYTES:],
        cipher=tls.cipher_spec if tls is not None else "",
        protocol=tls.protocol if tls is not None else "",
        peer_name=tls.subject if tls is not None else "",
        issuer_name=tls.issuer if tls is not None else "",
        exit_time=link.exits.exit_time.shown if link.exits is not None else (0, 0),
        stop_requested=link.stopping,
    )
