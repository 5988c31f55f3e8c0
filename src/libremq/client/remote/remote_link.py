"""One socket to a queue manager, shared by the conversations on it.

Nobody reads it all the time. A thread that waits for a reply reads, and hands to others what is theirs; one of those
takes over when it has its own. So a program with one thread never changes threads for a call. While nobody waits, a
ticker looks once a second: it answers heartbeats, sends them, and notices that the queue manager is gone.

An interrupt (Ctrl-C) can strike anywhere. It does no harm while a thread waits; between reading and taking apart it
would lose bytes, so the socket is given up then, as if the network had failed.
"""

from __future__ import annotations

import os
import socket
import ssl
import threading
import time
import weakref
from collections import deque

from libremq.client.remote import remote_greeting as greeting
from libremq.client.remote.readiness import readable, writable
from libremq.client.urls import ClientAddress
from libremq.common.operating_system import in_child_after_fork
from libremq.common.silence import Silence, unacknowledged
from libremq.common.tls.tls_context import check_agreed, client_context
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.security.peer_names import check_partner
from libremq.wire import session_flows
from libremq.wire.messages import unpack_notification
from libremq.wire.protocol import (
    CLOSE_CHANNEL,
    CONFIRM_REQUEST,
    ERROR,
    MAX_SEGMENT,
    WHOLE,
    Action,
    Notice,
    ProtocolError,
    Type,
)
from libremq.wire.segments import FLOW_OVERHEAD, Flow, SegmentReader, frame, frame_plain

_READ_BYTES = 1 << 16  # more, and each read asks the system for memory anew, which costs more than to read
_TICK_S = 1.0
_ASYNC_MESSAGE = int(Type.ASYNC_MESSAGE)


class Slot:
    """What came for one conversation and was not taken yet."""

    __slots__ = ("deliveries", "explanation", "interrupted", "number", "quiescing", "replies")

    def __init__(self, number: int) -> None:
        self.number = number
        self.replies: deque[Flow] = deque()
        self.deliveries: deque[Flow] = deque()  # for consumers
        self.explanation: tuple[str, str] | None = None  # of the error that is on its way
        self.quiescing = False
        self.interrupted = False  # while it waited: what it waits for is still to come


class RemoteLink:
    """A connected socket after its negotiation."""

    def __init__(self, address: ClientAddress, host: tuple[str, int] | None) -> None:
        self.address = address
        self.where = f"{host[0]}:{host[1]}" if host else address.shown
        self._socket = self._connected(address, host)
        self._poller = readable(self._socket.fileno())
        self._reader = SegmentReader(MAX_SEGMENT, address.max_message_bytes + FLOW_OVERHEAD)
        self._changed = threading.Condition(threading.Lock())
        self._turn = threading.Lock()  # whoever has it reads
        self._followers = 0  # threads that wait for what another one reads
        self._ended = False  # nobody wants it any more
        self._polling = False  # by the one whose turn it is: an interrupt does no harm
        self._sending = threading.Lock()
        self._tls = isinstance(self._socket, ssl.SSLSocket)
        self._writer = writable(self._socket.fileno())
        self._at_tls = threading.Lock()  # it cannot read and write at the same time
        self.slots: dict[int, Slot] = {1: Slot(1)}
        self._next_number = 3
        self._first_free = True
        self.broken: MQError | None = None
        self.spoke = time.monotonic()
        self._silence = Silence(self.spoke)
        try:
            self.agreed = self._negotiate()
        except BaseException:
            self._socket.close()
            raise
        self._reader.max_segment = max(self.agreed.max_segment, 1024)
        self._socket.setblocking(False)  # whoever waits does so with poll, and can be woken
        interval = min(self.agreed.heartbeat_s, 60) or 60
        self._patience_ms = interval * 500  # between two looks at the line, while a call waits
        _watch(self)

    # Connecting

    @staticmethod
    def _connected(address: ClientAddress, host: tuple[str, int] | None) -> socket.socket:
        """OSError if there is nobody."""
        if host is None:
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.settimeout(address.connect_timeout_s)
            try:
                connection.connect(address.socket_path)
            except BaseException:
                connection.close()
                raise
            return connection
        connection = socket.create_connection(host, timeout=address.connect_timeout_s)
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            if address.tls is not None:
                context, name = client_context(address.tls, host[0], address.channel)
                secured = context.wrap_socket(connection, server_hostname=name)
                connection = secured
                check_agreed(address.tls, secured, address.name)
                if address.tls.peer_name:
                    check_partner(address.tls.peer_name, secured.getpeercert(), address.name)
        except ssl.SSLError as error:
            connection.close()
            raise greeting.tls_error(address, f"{host[0]}:{host[1]}", error) from error
        except BaseException:
            connection.close()
            raise
        return connection

    def _negotiate(self) -> session_flows.InitialData:
        address = self.address
        wanted = greeting.offer(address)
        flags = WHOLE | CONFIRM_REQUEST
        self._send_quickly(frame_plain(Type.INITIAL_DATA, session_flows.pack_initial(wanted), flags=flags))
        answer = greeting.read_answer(address, self.where, self._next_flow())
        if session_flows.corrected(answer):
            self._send_quickly(frame(Type.INITIAL_DATA, session_flows.pack_initial(answer), 1, flags=flags))
            greeting.read_answer(address, self.where, self._next_flow())
        return answer

    def _next_flow(self) -> Flow:
        while True:
            try:
                data = self._socket.recv(_READ_BYTES)
            except TimeoutError:
                raise mq_error(
                    C.MQRC_HOST_NOT_AVAILABLE, self.address.name, f"{self.where} took the connection and said nothing"
                ) from None
            except ssl.SSLError as error:
                raise greeting.tls_error(self.address, self.where, error) from error
            except ConnectionResetError:
                data = b""
            if not data:
                raise greeting.closed_at_once(self.address, self.where)
            try:
                flows = self._reader.feed(data)
            except ProtocolError as error:
                raise mq_error(
                    C.MQRC_HOST_NOT_AVAILABLE,
                    self.address.name,
                    f"what answers at {self.where} is no queue manager: {error.detail}",
                ) from error
            if flows:
                return flows[0]

    # Conversations

    def new_slot(self) -> Slot | None:
        """Begin another conversation; None if as many as were agreed share the socket already."""
        with self._changed:
            if self.broken is not None:
                return None
            if self._first_free:
                self._first_free = False
                return self.slots[1]
            if len(self.slots) >= self.agreed.sharing:
                return None
            slot = Slot(self._next_number)
            self._next_number += 2
            self.slots[slot.number] = slot
        begin = frame_plain(Type.SOCKET_ACTION, session_flows.pack_action(slot.number, Action.START), letter=b"C")
        self.exchange(slot, begin, time.monotonic() + self.address.connect_timeout_s)
        return slot

    def end_slot(self, slot: Slot) -> None:
        """The conversation is over; with the last one the socket is closed."""
        with self._changed:
            self.slots.pop(slot.number, None)
            last = not self.slots
            if last and self.broken is None:
                self.broken = mq_error(C.MQRC_HCONN_ERROR, self.address.name, "the connection was ended")
        flags = WHOLE | (CLOSE_CHANNEL if last else 0)
        body = session_flows.pack_action(slot.number, Action.END)
        try:
            with self._sending:
                self._send_quickly(frame_plain(Type.SOCKET_ACTION, body, flags=flags, letter=b"C"))
        except (OSError, MQError):
            pass
        if last:
            self.close()

    @property
    def has_room(self) -> bool:
        return self.broken is None and (self._first_free or len(self.slots) < self.agreed.sharing)

    # Sending

    def send(self, data: bytes, deadline: float | None = None) -> None:
        """MQError if the connection is lost; it may have been lost without anybody knowing yet."""
        if self.broken is not None:
            raise self.broken_again()
        try:
            with self._sending:
                self._send_quickly(data, deadline)
        except OSError as error:
            self._break(f"{self.where} is gone: {error.strerror or error}")
            raise self.broken_again() from error
        except MQError:
            raise
        except BaseException:
            # Part of it may have been sent: what follows would not be understood
            self._break("a call was interrupted while it was being sent")
            raise

    def _send_quickly(self, data: bytes, deadline: float | None = None) -> None:
        """Send all of it. The other end may take its time, as long as it takes something."""
        sent = self._send_some(data)
        self.spoke = time.monotonic()
        if sent == len(data):
            return
        left = memoryview(data)[sent:]
        while left:
            if not self._writer.poll(_TICK_S * 1000) and deadline is not None and time.monotonic() > deadline:
                raise TimeoutError("it does not take what is sent to it")
            if self.broken is not None:
                raise self.broken_again()
            sent = self._send_some(left)
            if sent:
                left = left[sent:]
                # More went than the system keeps for us: somebody at the other end reads
                self.spoke = self._silence.heard = time.monotonic()

    def _send_some(self, data: bytes | memoryview) -> int:
        try:
            if not self._tls:
                return self._socket.send(data)
            with self._at_tls:
                return self._socket.send(data)
        except (BlockingIOError, ssl.SSLWantWriteError, ssl.SSLWantReadError):
            return 0

    def call(self, slot: Slot, kind: int, body: bytes, deadline: float | None = None) -> Flow:
        """Send a call and wait for its reply."""
        return self.exchange(slot, frame(kind, body, slot.number, max_segment=self.agreed.max_segment), deadline)

    def exchange(self, slot: Slot, data: bytes, deadline: float | None = None) -> Flow:
        """Send something and wait for its reply. After an interrupt that reply would be taken for the next one's."""
        try:
            self.send(data, deadline)
            return self.receive(slot, deadline)
        except MQError:
            raise
        except BaseException:
            self._break("a call was interrupted; what was acknowledged is safe, connect again")
            raise

    # Receiving

    def receive(self, slot: Slot, deadline: float | None = None, *, deliveries: bool = False) -> Flow:
        """The next reply for the conversation, or the next call for its consumers.

        An interrupt while it waits loses nothing: what comes later is still there for the next one who asks, and the
        slot says so. One that strikes anywhere else breaks the line.
        """
        inbox = slot.deliveries if deliveries else slot.replies
        follows = slot.interrupted = False
        try:
            while True:
                if self._turn.acquire(blocking=False):
                    try:
                        while not inbox and self.broken is None:
                            if not self._read(deadline):
                                self._break(f"{self.where} did not answer in time")
                    finally:
                        self._release_turn()
                        if self._followers:
                            with self._changed:
                                self._changed.notify_all()
                else:
                    follows = True
                    self._follow(inbox, deadline)
                    follows = False
                if inbox:
                    return inbox.popleft()
                if self.broken is not None:
                    raise self.broken_again()
        except MQError:
            raise
        except BaseException:
            if follows or self._polling:
                self._polling = False
                slot.interrupted = True
            else:
                self._break("a call was interrupted; what was acknowledged is safe, connect again")
            raise

    def _follow(self, inbox: deque[Flow], deadline: float | None) -> None:
        """Wait until another thread has read something for this one, or it is this one's turn to read."""
        with self._changed:
            self._followers += 1
            try:
                while not inbox and self._turn.locked() and self.broken is None:
                    # The one who reads is woken by the system; a signal for this thread is seen twice a second
                    self._changed.wait(0.5)
                    if deadline is not None and time.monotonic() > deadline:
                        self._break(f"{self.where} did not answer in time")
            finally:
                self._followers -= 1

    def _read(self, deadline: float | None) -> bool:
        """Wait for bytes and take them apart; False if the deadline passed. Only for the one whose turn it is."""
        if not (self._tls and self._pending()):
            timeout_ms = self._patience_ms if deadline is None else int(self._patience(deadline) * 1000) + 1
            self._polling = True
            ready = self._poller.poll(timeout_ms)
            self._polling = False
            if not ready:
                if deadline is not None and time.monotonic() >= deadline:
                    return False
                self._look_after()
                return True
        self._take()
        return True

    def _pending(self) -> int:
        """Bytes that TLS has decrypted and nobody has read: the poll does not see them."""
        return self._socket.pending() if isinstance(self._socket, ssl.SSLSocket) else 0

    def _take(self) -> None:
        try:
            try:
                if self._tls:
                    with self._at_tls:
                        data = self._socket.recv(_READ_BYTES)
                else:
                    data = self._socket.recv(_READ_BYTES)
            except (ssl.SSLWantReadError, ssl.SSLWantWriteError, BlockingIOError, TimeoutError):
                return
            except OSError as error:
                self._break(f"{self.where} is gone: {error.strerror or error}")
                return
            if not data:
                self._break(f"{self.where} closed the connection")
                return
            flows = self._reader.feed(data)
        except ProtocolError as error:
            self._break(f"what {self.where} sent is not understood: {error.detail}")
            return
        except BaseException:
            self._break("it was interrupted while a reply was being read")
            raise
        self._silence.heard = time.monotonic()
        failed = self._reader.failed
        try:
            for flow in flows:
                if flow.kind >= 0x80 or flow.kind == _ASYNC_MESSAGE:  # nearly always
                    slot = self.slots.get(flow.conversation)
                    if slot is not None:
                        unasked = flow.kind == _ASYNC_MESSAGE and not flow.request
                        (slot.deliveries if unasked else slot.replies).append(flow)
                else:
                    self._dispatch(flow)
        except ProtocolError as error:
            failed = error
        if failed is not None:
            self._break(f"what {self.where} sent is not understood: {failed.detail}")
        if self._followers:
            with self._changed:
                self._changed.notify_all()  # what came may be for others

    def _dispatch(self, flow: Flow) -> None:
        """What is neither a reply nor a message."""
        kind = flow.kind
        slot = self.slots.get(flow.conversation)
        if kind == Type.HEARTBEAT:
            if flow.flags & CONFIRM_REQUEST:
                self._say(frame(Type.HEARTBEAT, b"", flow.conversation))
        elif kind == Type.PING_DATA:
            if slot is not None:
                slot.explanation = session_flows.unpack_explanation(flow.body)
        elif kind == Type.STATUS_DATA:
            if flow.flags & ERROR:
                self._break_with(greeting.status_error(self.address, flow))
            elif slot is not None:
                pass  # credentials were accepted: the reply to MQCONN says the rest
        elif slot is None:
            pass
        elif kind == Type.NOTIFICATION:
            notice = unpack_notification(flow.body, flow.big_endian)
            if notice.code == Notice.QM_QUIESCING:
                slot.quiescing = True
            elif notice.code == Notice.CONSUMER_CALL:
                slot.deliveries.append(flow)
            else:
                slot.replies.append(flow)
        else:
            slot.replies.append(flow)

    # Silence

    def _patience(self, deadline: float | None) -> float:
        """How long to wait for bytes before looking after the line."""
        limit = 60.0
        if self.agreed.heartbeat_s:
            limit = max(0.05, min(self.spoke, self._silence.heard) + self.agreed.heartbeat_s - time.monotonic())
        if deadline is not None:
            limit = min(limit, max(0.0, deadline - time.monotonic()))
        return min(limit, 60.0)

    def _look_after(self) -> None:
        """Send a heartbeat if nothing was sent or heard for long; give up if it is not answered."""
        interval = self.agreed.heartbeat_s
        if not interval:
            return
        now, silence = time.monotonic(), self._silence
        if now - silence.heard >= interval:
            silence.note_untaken(unacknowledged(self._socket.fileno()), now)
        if silence.is_gone(now, interval):
            self._break(f"{self.where} was silent for {now - silence.heard:.0f} seconds")
        elif now - self.spoke >= interval or (now - silence.heard >= interval and not silence.is_asking):
            silence.ask(now)
            number = next(iter(self.slots), 1)
            self._say(frame(Type.HEARTBEAT, b"", number, flags=WHOLE | CONFIRM_REQUEST))

    def _say(self, data: bytes) -> None:
        """A word by the way. It is left out if somebody is sending, or nothing can be sent: nobody waits here."""
        if not self._sending.acquire(blocking=False):
            return
        try:
            if not self._writer.poll(0):
                return
            self._send_quickly(data)
        except OSError as error:
            self._break(f"{self.where} is gone: {error.strerror or error}")
        except MQError:
            pass  # broken meanwhile
        finally:
            self._sending.release()

    def tick(self) -> None:
        """For the ticker: read what came while nobody waits."""
        if self.broken is not None or not self._turn.acquire(blocking=False):
            return
        try:
            while self.broken is None and (self._pending() or self._poller.poll(0)):
                self._take()
            if self.broken is None:
                self._look_after()
        finally:
            self._release_turn()
            with self._changed:
                self._changed.notify_all()

    # The end

    def _break(self, detail: str) -> None:
        self._break_with(mq_error(C.MQRC_CONNECTION_BROKEN, self.address.name, detail))

    def _break_with(self, error: MQError) -> None:
        if self.broken is None:
            self.broken = error
        self._close_socket()

    def broken_again(self) -> MQError:
        """A fresh exception for each thread."""
        assert self.broken is not None
        return mq_error(self.broken.reason, self.broken.object_name, self.broken.detail)

    def _close_socket(self) -> None:
        try:
            self._socket.shutdown(socket.SHUT_RDWR)  # wakes a thread that reads
        except OSError:
            pass

    def close(self) -> None:
        if self.broken is None:
            self.broken = mq_error(C.MQRC_HCONN_ERROR, self.address.name, "the connection was ended")
        self._close_socket()
        with self._changed:
            self._changed.notify_all()
        self._ended = True
        self._close_if_free()

    def _release_turn(self) -> None:
        self._turn.release()
        if self._ended:
            self._close_if_free()

    def _close_if_free(self) -> None:
        """Not under the hands of whoever reads: that one does it then, when its turn is over."""
        if self._turn.acquire(blocking=False):
            self._socket.close()
            self._turn.release()

    def forsake(self) -> None:
        """In the child of a fork: the socket is the parent's. The copy is closed without a word."""
        self._changed = threading.Condition(threading.Lock())
        self._sending = threading.Lock()
        self._turn = threading.Lock()
        self.broken = mq_error(
            C.MQRC_HCONN_ERROR, self.address.name, "it belongs to the parent of this process; connect after the fork"
        )
        descriptor = self._socket.detach()
        if descriptor >= 0:  # else the parent had closed it
            os.close(descriptor)


# One ticker for all links of a process

_links: weakref.WeakSet[RemoteLink] = weakref.WeakSet()
_guard = threading.Lock()
_ticker: threading.Thread | None = None


def _watch(link: RemoteLink) -> None:
    global _ticker
    with _guard:
        _links.add(link)
        if _ticker is None or not _ticker.is_alive():
            _ticker = threading.Thread(target=_tick, name="libremq-heartbeats", daemon=True)
            _ticker.start()


def _tick() -> None:
    while True:
        time.sleep(_TICK_S)
        with _guard:
            links = [link for link in _links if link.broken is None]
            for link in list(_links):
                if link.broken is not None:
                    _links.discard(link)
        for link in links:
            try:
                link.tick()
            except Exception as error:
                link._break(f"the line could not be looked after: {error}")
        del links


def _after_fork_in_child() -> None:
    global _guard, _ticker
    _guard = threading.Lock()
    _ticker = None
    for link in list(_links):
        link.forsake()
    _links.clear()


in_child_after_fork(_after_fork_in_child)
