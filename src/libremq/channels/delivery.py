"""What the receiving agent does with one message that has arrived: put it where it belongs.

The message comes as it lay on the transmission queue at the other end. The names in its header are resolved here, its
descriptor becomes that of the message, with all its context. What cannot be put is tried again if waiting helps
(MRRTY, MRTMR), then it is dealt with as its sender asked, or goes to the dead-letter queue. What has no place there
either ends the channel, and is still at the other end; only fast messages, which are not, are discarded. Trouble of the
queue manager itself (no room in log or on disk) is never taken for trouble of the message.

A message for which a put means no more than to store it, and that is nearly every one, takes a short way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from libremq.channels.channel_environment import ChannelEnvironment
from libremq.channels.target_queues import Target, Targets
from libremq.channels.transmission_header import (
    CONTEXT,
    HEAD,
    HEADER_BYTES,
    IDS,
    MESSAGE_ID,
    NAMES_BYTES,
    REPLY_TO_Q,
    STAMP,
    USER,
    HeaderReader,
    check_kept,
)
from libremq.channels.undelivered import (
    ENDS_CHANNEL,
    NO_ROOM,
    PUT,
    WAITING_HELPS,
    Delivered,
    Undeliverable,
    Undelivered,
)
from libremq.common.messages.amq_messages import amq
from libremq.kernel.messages.message_context import put_date_time
from libremq.kernel.messages.put_plan import MAX_PRIORITY
from libremq.kernel.messages.transmission import FORMAT as TRANSMISSION_FORMAT
from libremq.kernel.objects.channel_definitions import ReceivingChannel
from libremq.kernel.verbs import channel_messages
from libremq.kernel.verbs.activities import Arrival
from libremq.kernel.verbs.channel_messages import Fate
from libremq.mqi import constants as C
from libremq.mqi.descriptor_bytes import GROUP_ID_AT, IDS_END, MESSAGE_ID_AT, STAMP_AT, packed_body
from libremq.mqi.descriptor_parts import REMEMBERED_MAX
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQMD
from libremq.mqi.trace_route import FORMATS
from libremq.store.stored_message import Message, Origin

__all__ = ["Delivered", "Delivery", "Fate", "Undeliverable"]

_NO_ID = bytes(24)
_QUIET_REPORTS = C.MQRO_PASS_MSG_ID | C.MQRO_PASS_CORREL_ID | C.MQRO_DISCARD_MSG | C.MQRO_PASS_DISCARD_AND_EXPIRY
# PCF may be a trace-route message
_LOUD_FORMATS = frozenset({C.MQFMT_MD_EXTENSION.strip(), C.MQFMT_TRIGGER.strip()}) | FORMATS
_PLAIN_TYPES = (C.MQMT_DATAGRAM, C.MQMT_REPLY, C.MQMT_REQUEST)
_NO_GROUP = packed_body(MQMD())[GROUP_ID_AT:]
_NO_NAME = b" " * 48


class _Head(NamedTuple):
    """What the first fields of a descriptor say, Report to Persistence."""

    fields: bytes  # as they are stored
    priority: int
    persistent: bool
    expiry: int
    is_request: bool


class Delivery:
    """The puts of one receiving agent. `hconn` is its connection, made with the user of the channel.

    `proven`: the partner was authenticated, so that the users in its messages are believed (`message_origin`).
    """

    def __init__(
        self,
        environment: ChannelEnvironment,
        channel: ReceivingChannel,
        hconn: int,
        *,
        partner: str = "",
        proven: bool = False,
    ) -> None:
        self._manager = environment.manager
        self._say = environment.say
        self._channel = channel
        self._connection = environment.manager.connection(hconn)
        self._targets = Targets(environment.manager, self._connection, channel.putaut)
        self._proven = proven
        self._origin = Origin(self._connection.user, proven)
        self._reader = HeaderReader(C.MQENC_NATIVE, environment.manager.definitions.qmgr.ccsid)
        self._by_header: dict[bytes, Target] = {}  # what the names, and the user if it counts, stood for the last time
        self._heads: dict[bytes, _Head | None] = {}
        self._contexts: dict[bytes, bytes] = {}
        self.undelivered = Undelivered(environment, channel, self._connection)
        self._tracer = channel_messages.tracer(
            environment.manager, self._connection, channel=channel.name, channel_type=channel.chltype, partner=partner
        )
        self.retry_exit: Callable[[bytes, int, int], int | None] | None = None
        """MREXIT: called with the data, the reason and the attempt; says in how many milliseconds to try again."""

    def put(self, data: bytes, *, encoding: int, ccsid: int, syncpoint: bool, attempt: int = 0) -> Delivered:
        """Put a message that has come: transmission header, descriptor and data, as message exits have left them.

        `syncpoint`: in the unit of work of the connection; without it, it is a fast one. After RETRY the same message
        is to be given again, with `attempt` one higher. Raises Undeliverable.
        """
        self._read_as(encoding, ccsid)
        targets = self._targets
        raw = data[:NAMES_BYTES] + data[USER] if targets.by_context else data[:NAMES_BYTES]
        target = self._by_header.get(raw)
        length = len(data) - HEADER_BYTES
        if target is not None and target.is_open and length >= 0 and not length > self._channel.maxmsgl > 0:
            plain = self._plain(data, target.origin or self._origin)
            if plain is not None:
                try:
                    if channel_messages.store(self._manager, self._connection, target.plan, *plain, syncpoint):
                        return PUT
                except MQError:
                    pass  # the ordinary way finds it, too, and knows what to do
        return self._put(raw, data, syncpoint, attempt)

    def _read_as(self, encoding: int, ccsid: int) -> None:
        """In another representation the same bytes mean something else: what is known of them is forgotten."""
        if encoding != self._reader.encoding or ccsid != self._reader.ccsid:
            self._reader = HeaderReader(encoding, ccsid)
            self._by_header.clear()
            self._heads.clear()
            self._contexts.clear()

    def _plain(self, data: bytes, origin: Origin) -> tuple[Message, int, bool, int] | None:
        """The message, priority, whether it is persistent, Expiry; None if a put of it means more than to store it."""
        raw = data[HEAD]
        head = self._heads[raw] if raw in self._heads else self._head(raw, data)
        message_id = data[MESSAGE_ID]
        if head is None or message_id == _NO_ID:
            return None
        raw = data[CONTEXT]
        context = self._contexts[raw] if raw in self._contexts else self._context(raw, data)
        if not context or (head.is_request and context[REPLY_TO_Q] == _NO_NAME):
            return None
        stamp = data[STAMP]
        if b"\0" in stamp or not stamp.isascii():
            return None
        body = b"".join((head.fields, data[IDS], context, stamp, _NO_GROUP))
        return Message.of_bytes(body, data[HEADER_BYTES:], origin), head.priority, head.persistent, head.expiry

    def _head(self, raw: bytes, data: bytes) -> _Head | None:
        """The first fields of a descriptor; None if they are special."""
        fields: dict[str, Any] = {}
        self._reader.parts.unpack(data, NAMES_BYTES, fields, version_1=True)
        md = MQMD(**fields)
        found = None
        if (
            md.MsgType in _PLAIN_TYPES
            and not md.Report & ~_QUIET_REPORTS
            and md.Format.strip() not in _LOUD_FORMATS
            and md.Persistence in (C.MQPER_PERSISTENT, C.MQPER_NOT_PERSISTENT)
            and 0 <= md.Priority <= MAX_PRIORITY
            and (md.Expiry > 0 or md.Expiry == C.MQEI_UNLIMITED)
            and md.CodedCharSetId != C.MQCCSI_Q_MGR
        ):
            persistent = md.Persistence == C.MQPER_PERSISTENT
            first = packed_body(md)[:MESSAGE_ID_AT]
            found = _Head(first, md.Priority, persistent, md.Expiry, md.MsgType == C.MQMT_REQUEST)
        if len(self._heads) >= REMEMBERED_MAX:
            self._heads.clear()
        self._heads[raw] = found
        return found

    def _context(self, raw: bytes, data: bytes) -> bytes:
        """BackoutCount to PutApplName as they are stored; nothing if they are special, or the stamp may be."""
        fields: dict[str, Any] = {}
        self._reader.parts.unpack_context(data, IDS.stop, fields)
        found = b""
        if "BackoutCount" not in fields and self._reader.has_ascii:
            found = packed_body(MQMD(**fields))[IDS_END:STAMP_AT]
        if len(self._contexts) >= REMEMBERED_MAX:
            self._contexts.clear()
        self._contexts[raw] = found
        return found

    # The ordinary way

    def _message(self, data: bytes) -> Message:
        """The message behind the header, with whose it is."""
        message = self._reader.message(data, self._origin)
        if not self._targets.by_context:
            return message
        return Message(message.md, b"", message.data, Origin(message.md.UserIdentifier, self._proven))

    def _put(self, raw: bytes, data: bytes, syncpoint: bool, attempt: int) -> Delivered:
        try:
            queue, qmgr = self._reader.names(data)
            message = self._message(data)
            check_kept(message.md, queue)
        except MQError as error:
            return self._bad_header(data, error, syncpoint)
        arrival = self._tracer.arriving(message)
        try:
            limit = self._channel.maxmsgl or self._manager.definitions.qmgr.maxmsgl
            if len(data) - HEADER_BYTES > limit:
                raise mq_error(C.MQRC_MSG_TOO_BIG_FOR_CHANNEL, queue, f"{len(data)} bytes; MAXMSGL is {limit}")
            target = self._targets.find(queue, qmgr, message.md.UserIdentifier)
            if arrival is not None:
                message = arrival.delivered(target.destination, queue)
            channel_messages.put(
                self._manager, self._connection, target.handle, target.destination, message, syncpoint, arrival
            )
        except MQError as error:
            return self._failed(data, message, (queue, qmgr), error, syncpoint, attempt, arrival)
        if len(self._by_header) >= REMEMBERED_MAX:
            self._by_header.clear()
        if target.plan.is_plain:
            self._by_header[raw] = target
            target.origin = message.origin
        return PUT

    def _failed(
        self,
        data: bytes,
        message: Message,
        names: tuple[str, str],
        error: MQError,
        syncpoint: bool,
        attempt: int,
        arrival: Arrival | None,
    ) -> Delivered:
        """The message could not be put: once more, somewhere else, or not at all."""
        wait_ms = self._retry_after_ms(data, error.reason, attempt)
        if wait_ms is not None:
            return Delivered(Fate.RETRY, error.reason, wait_ms)
        return self.undelivered.lay_aside(message, *names, error, syncpoint=syncpoint, passage=arrival)

    def _retry_after_ms(self, data: bytes, reason: int, attempt: int) -> int | None:
        """Shall it be tried again, and when? An exit decides that alone, but not about trouble of the queue manager."""
        if self.retry_exit is not None and reason not in ENDS_CHANNEL:
            return self.retry_exit(data, reason, attempt)
        if (reason in WAITING_HELPS or reason in NO_ROOM) and attempt < self._channel.mrrty:
            return self._channel.mrtmr
        return None

    def suppress(
        self, data: bytes, feedback: int, words: str, *, encoding: int, ccsid: int, syncpoint: bool
    ) -> Delivered:
        """A message exit does not let a message pass: it goes aside with the feedback of the exit."""
        self._read_as(encoding, ccsid)
        try:
            names, message = self._reader.names(data), self._message(data)
            check_kept(message.md, names[0])
        except MQError as error:
            return self._bad_header(data, error, syncpoint)
        suppressed = mq_error(C.MQRC_SUPPRESSED_BY_EXIT, names[0], words)
        return self.undelivered.lay_aside(message, *names, suppressed, syncpoint=syncpoint, reason=feedback)

    def _bad_header(self, data: bytes, error: MQError, syncpoint: bool) -> Delivered:
        """What is no message of a transmission queue, or cannot be kept, goes aside whole, as it came."""
        manager, reader = self._manager, self._reader
        md = MQMD(
            Version=C.MQMD_VERSION_2, Format=TRANSMISSION_FORMAT, Encoding=reader.encoding, CodedCharSetId=reader.ccsid,
            Persistence=C.MQPER_PERSISTENT if syncpoint else C.MQPER_NOT_PERSISTENT, Priority=0,
            MsgId=manager.new_id(), PutApplType=self._connection.application_type,
            PutApplName=self._connection.application, UserIdentifier=self._connection.user,
        )  # fmt: skip
        md.PutDate, md.PutTime = put_date_time(manager.clock.now())
        try:
            names = reader.names(data)
        except MQError:
            names = "", ""
        self._say(amq(9572, self._channel.name, error))
        return self.undelivered.lay_aside(Message(md, b"", data, self._origin), *names, error, syncpoint=syncpoint)

    # The end

    def release(self) -> None:
        """Close the queues that are open, as a heartbeat asks for, and say what went aside since the last time."""
        self.undelivered.tell()
        self._by_header.clear()
        self._targets.release()

    def close(self) -> None:
        self.release()
