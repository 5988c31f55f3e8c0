"""The event loop of a queue manager: sockets on one side, the kernel on the other, the log between call and reply.

Bytes come in, whole calls are run at once under the kernel's lock, and their replies are held until the log is on disk
as far as they depend on it (contract 2): `reply_release` holds them, forces, and lets them go.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from libremq.channels.initiator import ChannelRules
from libremq.common.messages.amq_messages import amq
from libremq.common.names.socket_paths import make_socket_folder
from libremq.common.tls.tls_alerts import NoCertificateError, last_words
from libremq.host.embedded import EmbeddedQueueManager
from libremq.host.embedded_access import EmbeddedAccess
from libremq.kernel.manager import QueueManager
from libremq.kernel.state.waiting_gets import Waiter
from libremq.mqi import constants as C
from libremq.security.address_patterns import network
from libremq.server.admission.admission_decision import Admission
from libremq.server.admission.tls_peers import farewell, handshake_event, handshake_failure
from libremq.server.diagnostics.unexpected import place_of
from libremq.server.net.client_link import Link
from libremq.server.net.handshake_turns import HandshakeTurns, whole_record
from libremq.server.net.message_channels import MessageChannels
from libremq.server.net.message_link import MessageLink
from libremq.server.net.reply_release import ReplyRelease
from libremq.server.net.socket_options import keep_alive as look_after
from libremq.server.net.stopped_channels import StoppedChannels
from libremq.server.net.strangers import Stranger, Strangers

if TYPE_CHECKING:
    import ssl

    from libremq.server.diagnostics.flow_trace import FlowTrace
    from libremq.server.net.conversation import Conversation

ListenAddress = tuple[Literal["unix"], str] | tuple[Literal["tcp"], str, int]
EndMode = Literal["quiesce", "immediate", "preemptive"]

_TICK_S = 1.0
_COMMAND_THREADS = 16  # a PING CHANNEL keeps one until the other end answers
_ACCEPT_PAUSE_S = 0.5
_SETTLED_A_TURN = 64  # gets that are answered and consumers that are served
_TOLD_EVERY_S = 60.0
_ACCEPTS_A_TURN = 16  # those that give way to them are closed in the next turn, and count until then
_REFUSED_IN_WORDS = 40  # sockets beyond the limit that are told why they are refused
_KEPT_LOCAL = 60  # and local ones that are let in: an administrator is, even if others fill the above and are silent
_LAST_WORDS_S = 0.5  # for the sockets to take what was written when they are closed


@dataclass(frozen=True, slots=True)
class EventLoopLimits:
    """What one queue manager takes on."""

    connections_max: int = 10_000
    """Connections of applications (hconns)."""
    links_max: int = 10_000
    """Sockets; local applications may have a few more."""
    buffer_bytes_max: int = 512 << 20
    """Of all messages that are being received and not complete yet."""
    handshake_s: float = 60.0
    """From accepting a socket to its first MQCONN."""
    flow_s: float = 60.0
    """For a flow that has begun to be complete; a second more for each kilobyte of it."""
    connect_s: float = 30.0
    """For an address that a message channel calls to answer, and again for TLS."""
    pending_max: int = 4000
    """Sockets from other machines over which nobody has logged in yet."""
    pending_per_address_max: int = 1000
    """Those of one address."""
    backlog: int = 512


class EventLoop:
    """Serves one queue manager that runs in this process. All methods are for the loop's thread."""

    def __init__(
        self,
        embedded: EmbeddedQueueManager,
        folder: str,
        *,
        limits: EventLoopLimits | None = None,
        say: Callable[[str], None] = lambda text: None,
        tls: Callable[[], ssl.SSLContext | None] = lambda: None,
        keep_alive: bool = True,
        pipeline_length: int = 1,
        channel_rules: ChannelRules | None = None,
    ) -> None:
        self.embedded: EmbeddedQueueManager = embedded
        self.manager: QueueManager = embedded.manager
        self.access: EmbeddedAccess = EmbeddedAccess(embedded, folder)
        self.folder = folder
        self.limits = limits or EventLoopLimits()
        self.say = say
        self.tls = tls
        self.keep_alive = keep_alive
        self.replies = ReplyRelease(self.manager.log, self.fail)
        self.lock = embedded.lock
        self.admission = Admission(self)
        self.links: set[Link] = set()
        self.conversations: dict[int, Conversation] = {}  # those with a connection, by its hconn
        self.buffered_bytes = 0  # of flows that are not complete
        self.instances: dict[str, int] = {}  # running instances by channel
        self.stopped_channels = StoppedChannels(self.manager)
        self.channels = MessageChannels(self, pipeline_length, channel_rules)
        self.message_links = self.channels.links
        self.initiator = self.channels.initiator
        self.ending: EndMode | None = None
        self.trace: FlowTrace | None = None  # of strmqtrc
        self.failed: asyncio.Future[str]
        self.loop: asyncio.AbstractEventLoop
        self.commands = ThreadPoolExecutor(_COMMAND_THREADS, thread_name_prefix="libremq-command")
        self._thread = 0
        self._tasks: list[asyncio.Task[None]] = []
        self._background: set[asyncio.Future[None]] = set()
        self._attaching: set[asyncio.Task[None]] = set()  # sockets that have not said anything yet
        self.sockets = 0
        self._handshakes = HandshakeTurns()
        self.strangers = Strangers(self.limits.pending_per_address_max, self.limits.pending_max, say, time.monotonic)
        self._not_accepted_told = -_TOLD_EVERY_S
        self._sockets: dict[socket.socket, int] = {}  # that are listened on, with their TCP ports
        self._asked_hosts: dict[socket.socket, str] = {}  # and with the hosts that were asked for
        self._unix_paths: list[str] = []
        self._completed: deque[tuple[Conversation, Waiter]] = deque()
        self._awake: dict[Conversation, None] = {}  # in the order in which they were woken
        self._settles_soon = False  # there are more of both than a turn may serve
        self._noted: set[tuple[object, ...]] = set()
        self._none_left: asyncio.Event

    # Start

    async def start(self, listeners: Sequence[ListenAddress]) -> None:
        """Listen. OSError if an address cannot be had."""
        self.prepare()
        try:
            for address in listeners:
                if address[0] == "unix":
                    await self.listen_unix(address[1])
                else:
                    await self.listen_tcp(address[1], address[2])
        except BaseException:
            self.stop_listening()
            raise

    def prepare(self) -> None:
        """Take the running loop. To be called before anything listens."""
        if self._thread:
            return
        self.loop = asyncio.get_running_loop()
        self.failed = self.loop.create_future()
        self._none_left = asyncio.Event()
        self._thread = threading.get_ident()
        self.replies.start(self.loop, self.manager.name)
        self._tasks.append(self.loop.create_task(self._tick()))

    async def listen_unix(self, path: str) -> None:
        make_socket_folder(path)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)  # the queue manager's lock is ours, so nobody listens there
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(path)
        os.chmod(path, 0o600)
        self._unix_paths.append(path)
        self._accept_from(listener, local=True)

    async def listen_tcp(self, host: str, port: int, backlog: int = 0) -> int:
        """Listen on all addresses that a host name has; the port, which the system chose if it was 0.

        `backlog`: how many may wait to be accepted; 0 is as the limits say.
        """
        found = await self.loop.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        listeners: list[socket.socket] = []
        try:
            for family, kind, protocol, _, address in sorted(set(found)):
                listener = socket.socket(family, kind, protocol)
                listeners.append(listener)
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                listener.bind((address[0], port, *address[2:]))
                port = listener.getsockname()[1]
        except BaseException:
            for listener in listeners:
                listener.close()
            raise
        for listener in listeners:
            self._accept_from(listener, local=False, backlog=backlog)
            self._asked_hosts[listener] = host
        return port

    @property
    def ports(self) -> list[int]:
        """TCP ports that are listened on. From any thread: a socket may be closed while it is looked at."""
        return sorted({port for listener, port in list(self._sockets.items()) if port and listener.fileno() >= 0})

    def _accept_from(self, listener: socket.socket, *, local: bool, backlog: int = 0) -> None:
        listener.setblocking(False)
        listener.listen(backlog or self.limits.backlog)
        self._sockets[listener] = 0 if local else listener.getsockname()[1]
        self.loop.add_reader(listener.fileno(), self._accept, listener, local)

    def _accept(self, listener: socket.socket, local: bool) -> None:
        """Take what knocks. Beyond the limit a few more are let in to be told so; beyond those, the door stays shut."""
        for _ in range(_ACCEPTS_A_TURN):
            try:
                accepted, peer = listener.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                now = time.monotonic()
                if now >= self._not_accepted_told + _TOLD_EVERY_S:  # it may last, and is tried twice a second
                    self._not_accepted_told = now
                    self.say(amq(9213, error.strerror))
                self.loop.remove_reader(listener.fileno())  # it would be ready again at once
                self.loop.call_later(_ACCEPT_PAUSE_S, self._accept_again, listener, local)
                return
            accepted.setblocking(False)
            if self.sockets >= self._sockets_max(local) + _REFUSED_IN_WORDS:
                self.say(amq(9513, f"{self.full_words()}; it came from {peer[0] if peer else 'this machine'}"))
                accepted.close()
                continue
            stranger, where = None, ""
            if not local:
                # The address is the one that came with the socket: one that is reset has none any more
                stranger = self._let_stand(peer)
                if stranger is None:
                    accepted.close()
                    continue
                where = f"{peer[0]}({peer[1]})"
            self.sockets += 1
            task = self.loop.create_task(self._attach(accepted, where, stranger))
            if stranger is not None:
                stranger.shut = task.cancel
            self._attaching.add(task)
            task.add_done_callback(functools.partial(self._attached, accepted))

    def _attached(self, accepted: socket.socket, task: asyncio.Task[None]) -> None:
        self._attaching.discard(task)
        if task.cancelled() and accepted.fileno() >= 0:  # before it had begun
            accepted.close()
            self.sockets -= 1

    def full_words(self) -> str:
        return f"{self.limits.links_max} sockets are open, as many as there may be"

    def _let_stand(self, peer: object) -> Stranger | None:
        """May a socket with this address wait for its log-in? None if not, or if it has no address."""
        host = str(peer[0]) if isinstance(peer, tuple) and peer else ""
        if not network(host):
            self.say(amq(9213, "it has no address"))
            return None
        return None if self.admission.blocks_address(host) else self.strangers.came(host)

    def _accept_again(self, listener: socket.socket, local: bool) -> None:
        if listener.fileno() >= 0:
            self.loop.add_reader(listener.fileno(), self._accept, listener, local)

    def _sockets_max(self, local: bool) -> int:
        return self.limits.links_max + (_KEPT_LOCAL if local else 0)

    def is_full(self, local: bool) -> bool:
        """Are more sockets open than there may be? What limits channels has no say: see `CurrentChannels.no_room`."""
        return self.sockets > self._sockets_max(local)

    async def _attach(self, accepted: socket.socket, where: str, stranger: Stranger | None) -> None:
        """Make a link of it. It has an address, unless it is local."""
        context = None
        local = stranger is None
        spare = None  # the loop closes its own when a handshake fails, and the client is to hear why
        made: list[Link] = []

        def make_link() -> Link:
            made.append(Link(self, accepted if local else None, where, stranger))
            return made[0]

        try:
            if not local:
                accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if self.keep_alive:
                    look_after(accepted)
                async with asyncio.timeout(self.limits.handshake_s):
                    context = await self._tls_for(accepted, where)
            if context is not None:
                spare = accepted.dup()
            await self.loop.connect_accepted_socket(
                make_link,
                accepted,
                ssl=context,
                ssl_handshake_timeout=self.limits.handshake_s if context is not None else None,
            )
        except BaseException as error:
            if made and made[0].has_socket and isinstance(error, asyncio.CancelledError):
                return  # it gave way just when it had become a link, whose end follows and is counted there
            try:
                if not isinstance(error, OSError | TimeoutError | EOFError):
                    raise
                if context is not None:
                    self.say(handshake_failure(error, where))
                    handshake_event(self, error, where)
                if words := last_words(error):
                    await farewell(spare or accepted, words)
            finally:
                accepted.close()
                self.sockets -= 1
                if stranger is not None:
                    stranger.leave()
        finally:
            if spare is not None:
                spare.close()

    async def _tls_for(self, accepted: socket.socket, where: str) -> ssl.SSLContext | None:
        """One port serves both: what a client sends first tells whether it speaks TLS."""
        while True:
            try:
                first = accepted.recv(1, socket.MSG_PEEK)
                break
            except (BlockingIOError, InterruptedError):
                await self._readable(accepted)
        if not first:
            raise EOFError("nothing was sent")
        if first != b"\x16":
            return None
        context = self.tls()
        if context is None:
            self.say(amq(9635, where))
            raise NoCertificateError
        await whole_record(accepted, self._readable)
        await self._handshakes.mine()
        return context

    async def _readable(self, accepted: socket.socket) -> None:
        ready = asyncio.Event()
        self.loop.add_reader(accepted.fileno(), ready.set)
        try:
            await ready.wait()
        finally:
            self.loop.remove_reader(accepted.fileno())

    # Failure

    def fail(self, failure: str) -> None:
        """The queue manager cannot go on (contract 4): no reply leaves any more."""
        with self.lock:
            self.manager.fail(failure)
        self.replies.drop_all()
        self._abort_links()
        if not self.failed.done():
            self.failed.set_result(self.manager.failure or failure)

    def _abort_links(self) -> None:
        for link in list(self.links):
            link.abort()
        self.channels.abort()

    def note_unexpected(self, peer: str, error: Exception) -> None:
        """An error that should not be: reported once for each place in the code, however often a client provokes it."""
        place = (type(error), *place_of(error))
        if place not in self._noted:
            self._noted.add(place)
            self.loop.call_exception_handler({"message": f"a call of {peer} failed unexpectedly", "exception": error})

    # What the kernel tells

    @property
    def is_prepared(self) -> bool:
        """Is there a loop?"""
        return bool(self._thread)

    def soon(self, work: Callable[[], object]) -> None:
        """Have the loop do something. From whatever thread."""
        if threading.get_ident() == self._thread:
            self.loop.call_soon(work)
        else:
            with contextlib.suppress(RuntimeError):
                self.loop.call_soon_threadsafe(work)

    def completed(self, conversation: Conversation, waiter: Waiter) -> None:
        """A waiting get has its result. From whatever thread ran the kernel."""
        if threading.get_ident() == self._thread:
            self._completed.append((conversation, waiter))
        else:
            with contextlib.suppress(RuntimeError):
                self.loop.call_soon_threadsafe(self._completed_elsewhere, conversation, waiter)

    def _completed_elsewhere(self, conversation: Conversation, waiter: Waiter) -> None:
        self._completed.append((conversation, waiter))
        self.settle()

    def wake(self, conversation: Conversation) -> None:
        """There may be something for its consumers. From whatever thread."""
        if threading.get_ident() == self._thread:
            self._awake[conversation] = None
        else:
            with contextlib.suppress(RuntimeError):
                self.loop.call_soon_threadsafe(self._woken_elsewhere, conversation)

    def _woken_elsewhere(self, conversation: Conversation) -> None:
        self._awake[conversation] = None
        self.settle()

    def settle(self, most: int = _SETTLED_A_TURN) -> None:
        """After calls were run: answer the gets and serve the consumers that they made ready.

        So many at most: one commit may have served thousands. The rest follows when others had their turn.
        """
        if self._completed or self._awake:
            touched: set[Link] = set()
            with self.lock:
                while most > 0 and (self._completed or self._awake):
                    if self._completed:
                        conversation, waiter = self._completed.popleft()
                        self._for_one(conversation, partial(conversation.waited, waiter))
                    else:
                        conversation = next(iter(self._awake))
                        del self._awake[conversation]
                        self._for_one(conversation, conversation.deliver)
                    touched.add(conversation.link)
                    most -= 1
            for link in touched:
                link.flush()
            if (self._completed or self._awake) and not self._settles_soon:
                self._settles_soon = True
                self.loop.call_soon(self._settle_rest)
        self.replies.relieve()
        if self.manager.failure is not None and not self.failed.done():
            self.fail(self.manager.failure)

    def _settle_rest(self) -> None:
        self._settles_soon = False
        self.settle()

    def _for_one(self, conversation: Conversation, work: Callable[[], None]) -> None:
        """What goes wrong with one must not keep the others from what they were given already."""
        try:
            work()
        except Exception as error:
            conversation.link.refuse_unexpected(error)

    # Time

    async def _tick(self) -> None:
        """Heartbeats, peers that are gone, handshakes that do not get on."""
        while True:
            await asyncio.sleep(_TICK_S)
            now = time.monotonic()
            for link in list(self.links):
                link.tick(now)
            self.channels.tick(now)
            self.strangers.tick()
            if self.manager.failure is not None and not self.failed.done():
                self.fail(self.manager.failure)

    # Message channels

    def became_message_link(self, link: Link) -> None:
        """A message link has taken the socket of this link."""
        self.links.discard(link)
        self.replies.forget(link)

    def message_link_lost(self, link: MessageLink) -> None:
        self.message_links.discard(link)
        self.sockets -= 1
        self.replies.forget(link)

    # Connections

    def connection_count(self) -> int:
        """Connections of applications: those that channels have here do not count."""
        connections = list(self.manager.connections.values())
        return sum(one.application_type != C.MQAT_QMGR for one in connections)

    @property
    def takes_no_more(self) -> bool:
        """Have as many applications connected as there may be? They are counted only if there are so many at all."""
        most = self.limits.connections_max
        return len(self.manager.connections) >= most and self.connection_count() >= most

    def link_lost(self, link: Link) -> None:
        self.links.discard(link)
        self.sockets -= 1
        self.replies.forget(link)
        if not self.links:
            self._none_left.set()

    # End

    def stop_listening(self) -> None:
        for listener in self._sockets:
            if listener.fileno() >= 0:
                self.loop.remove_reader(listener.fileno())
                listener.close()
        self._sockets.clear()
        self._asked_hosts.clear()
        for path in self._unix_paths:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
        self._unix_paths.clear()

    def listens_on(self, host: str, port: int) -> bool:
        """On this port of the host that was asked for? From any thread."""
        asked = list(self._asked_hosts.items())
        return any(its == host and self._sockets.get(one) == port and one.fileno() >= 0 for one, its in asked)

    def stop_listening_on(self, port: int, host: str | None = None) -> None:
        """STOP LISTENER: nobody new comes in there; who is connected stays. Without a host: on all it was asked for."""
        for listener in [one for one, its_port in self._sockets.items() if its_port == port]:
            if listener.fileno() >= 0 and host in (None, self._asked_hosts.get(listener)):
                self.loop.remove_reader(listener.fileno())
                listener.close()
                del self._sockets[listener]
                self._asked_hosts.pop(listener, None)

    def background(self, task: asyncio.Future[None]) -> None:
        """Keep a task that nobody awaits until it is done."""
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def end(self, mode: EndMode, reconnect: bool = False) -> None:
        """Returns when all connections have ended. A quicker mode may follow a slower one that still waits."""
        first = self.ending is None
        self.ending = mode
        self.channels.end(quiesce=mode == "quiesce")
        if first:
            if reconnect:
                for link in [link for link in self.links if link.reconnectable]:
                    link.end(reconnect)  # they come back by themselves, here or elsewhere
            with self.lock:
                self.manager.quiesce()
                self.manager.tell_end(quiescing=mode == "quiesce")
                self.manager.end_waits()
                for link in list(self.links):
                    link.quiesce()
            self.settle(sys.maxsize)  # all of them: the sockets may be closed next
            for link in list(self.links):
                link.flush()
        if mode != "quiesce":
            for link in list(self.links):
                link.end(reconnect)
        while any(link.conversations for link in self.links) or self.message_links:
            if self.failed.done():
                break
            await asyncio.sleep(0.02)
        self.stop_listening()
        for link in list(self.links):
            link.end(reconnect)
        self._none_left.clear()
        if self.links:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_LAST_WORDS_S):
                    await self._none_left.wait()
        await self.close()

    async def close(self) -> None:
        """Let go of everything, whatever state it is in."""
        self.stop_listening()
        self._abort_links()
        self.channels.close()
        for task in [*self._tasks, *self._attaching]:
            task.cancel()
        self.replies.stop()
        await self.loop.run_in_executor(None, self._stop_threads)

    def _stop_threads(self) -> None:
        self.commands.shutdown(wait=True, cancel_futures=True)
        self.admission.close()
        self.replies.join()
