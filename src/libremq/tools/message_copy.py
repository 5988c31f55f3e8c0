"""Copying and moving messages between queues and files, as dmpmqmsg does.

A source gives messages one after the other, a sink takes them, and `copy` goes between them in batches: first the sink
makes a batch safe (a put is in the unit of work, a file is on disk), then the source lets it go (commit). So whatever
happens, a message that was moved is in one of the two places; it is in both only if the machine fails between the
write to a file and the commit. Context, ids, properties and data of a message stay as they are.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from io import UnsupportedOperation
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, Protocol

from libremq.client.options import wait_interval
from libremq.common.dead_letter_header import strip
from libremq.common.files.durable_sync import sync_all
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, NoMessageAvailable
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO
from libremq.tools import message_file
from libremq.tools.message_file import FiledMessage, FileOptions

if TYPE_CHECKING:
    from libremq.client.queue_manager import QueueManager

BATCH = 200
CONTEXTS = {
    "A": C.MQPMO_SET_ALL_CONTEXT,
    "I": C.MQPMO_SET_IDENTITY_CONTEXT,
    "d": C.MQPMO_DEFAULT_CONTEXT,
    "n": C.MQPMO_NO_CONTEXT,
}
_CONTEXT_OPENS = {"A": C.MQOO_SET_ALL_CONTEXT, "I": C.MQOO_SET_IDENTITY_CONTEXT}
_DEAD = C.MQFMT_DEAD_LETTER_HEADER.strip()
_RFH2 = C.MQFMT_RF_HEADER_2.strip()
_ALL_PROPERTIES = "%"


class Selection(NamedTuple):
    """Which messages are copied."""

    first: int = 1
    """By their place in the source, from 1."""
    last: int | None = None
    message_id: bytes | None = None
    correlation_id: bytes | None = None
    group_id: bytes | None = None
    older_s: float | None = None
    """At least so old."""
    younger_s: float | None = None
    """At most so old."""
    holds: tuple[bytes, ...] = ()
    """Each of these is somewhere in the data."""
    lacks: tuple[bytes, ...] = ()

    def fits(self, message: FiledMessage, now: datetime) -> bool:
        md = message.md
        if self.message_id is not None and md.MsgId != self.message_id:
            return False
        if self.correlation_id is not None and md.CorrelId != self.correlation_id:
            return False
        if self.group_id is not None and md.GroupId != self.group_id:
            return False
        if self.older_s is not None or self.younger_s is not None:
            age = age_of(md, now)
            if age is None or age < (self.older_s or 0) or (self.younger_s is not None and age > self.younger_s):
                return False
        return all(text in message.data for text in self.holds) and not any(text in message.data for text in self.lacks)


def age_of(md: MQMD, now: datetime) -> float | None:
    """Seconds since the message was put; None if it does not say."""
    try:
        put = datetime.strptime(md.PutDate + md.PutTime[:6], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None
    return max(0.0, (now - put).total_seconds())


def parse_range(text: str) -> tuple[int, int | None]:
    """`3..7`, `3..`, `3#5` (five from the third), `#5` (the first five), `3`. ValueError if it is none of them."""
    found = re.fullmatch(r"(?P<first>[0-9]{1,9})?(?:(?P<sign>\.\.|#)(?P<second>[0-9]{1,9})?)?", text)
    if found is None or not text:
        raise ValueError(f"{text[:40]!r} is no range: write 3..7, 3#5, #5 or 3")
    first = int(found["first"] or 1)
    second = int(found["second"]) if found["second"] else None
    if found["sign"] is None:
        last: int | None = first
    elif found["sign"] == "#":
        if second is None:
            raise ValueError(f"{text[:40]!r}: how many? Write #5 or 3#5")
        last = first + second - 1
    else:
        last = second
    if first < 1 or (last is not None and last < first):
        raise ValueError(f"{text[:40]!r} holds no message")
    return first, last


# Sources and sinks


class Source(Protocol):
    def messages(self) -> Iterator[FiledMessage]: ...

    def release(self) -> None:
        """What was given so far is safe at its target."""


class Sink(Protocol):
    def take(self, message: FiledMessage, number: int) -> None: ...

    def secure(self) -> None:
        """Make what was taken last."""


class QueueSource:
    """The messages of a queue: looked at, or with `take` got in units of work.

    Messages are browsed and only the chosen ones taken, so that the others keep their place and their backout count.
    """

    def __init__(
        self,
        manager: QueueManager,
        queue: str,
        selection: Selection | None = None,
        *,
        take: bool = False,
        wait_s: float | None = None,
        ccsid: int = 0,
    ) -> None:
        self._manager = manager
        self._mqi = manager.mqi
        self._name = queue
        self._selection = selection or Selection()
        self._take = take
        self._wait_s = wait_s
        self._ccsid = ccsid
        options = C.MQOO_BROWSE | C.MQOO_FAIL_IF_QUIESCING | (C.MQOO_INPUT_AS_Q_DEF if take else 0)
        self._hobj = self._mqi.MQOPEN(MQOD(ObjectName=queue), options)
        self._hmsg = self._mqi.MQCRTMH()

    @property
    def handle(self) -> int:
        """Through which the messages are read."""
        return self._hobj

    def messages(self) -> Iterator[FiledMessage]:
        selection = self._selection
        number = 0
        while selection.last is None or number < selection.last:
            message = self._next()
            if message is None:
                return
            number += 1
            if number >= selection.first and selection.fits(message, datetime.now(UTC)):
                if self._take and not self._taken():
                    continue  # somebody else was faster
                yield message

    def _next(self) -> FiledMessage | None:
        md = MQMD(Version=C.MQMD_VERSION_2)
        gmo = MQGMO(
            Version=C.MQGMO_VERSION_4,
            Options=C.MQGMO_BROWSE_NEXT | C.MQGMO_FAIL_IF_QUIESCING | C.MQGMO_PROPERTIES_IN_HANDLE,
            MatchOptions=C.MQMO_NONE,
            MsgHandle=self._hmsg,
        )
        if self._wait_s is not None:
            gmo.Options |= C.MQGMO_WAIT
            gmo.WaitInterval = wait_interval(self._wait_s, self._name)
        if self._ccsid:
            gmo.Options |= C.MQGMO_CONVERT
            md.CodedCharSetId = self._ccsid
        try:
            got = self._mqi.MQGET(self._hobj, md, gmo)
        except NoMessageAvailable:
            return None
        return FiledMessage(md, got.data, self._properties(md))

    def _properties(self, md: MQMD) -> bytes:
        try:
            return self._mqi.MQMHBUF(self._hmsg, None, _ALL_PROPERTIES, md).buffer
        except MQError as error:
            if error.reason == C.MQRC_PROPERTY_NOT_AVAILABLE:
                return b""
            raise

    def _taken(self) -> bool:
        options = C.MQGMO_MSG_UNDER_CURSOR | C.MQGMO_SYNCPOINT | C.MQGMO_ACCEPT_TRUNCATED_MSG | C.MQGMO_NO_PROPERTIES
        gmo = MQGMO(Version=C.MQGMO_VERSION_4, Options=options, MatchOptions=C.MQMO_NONE)
        try:
            self._mqi.MQGET(self._hobj, MQMD(Version=C.MQMD_VERSION_2), gmo, 0)
        except MQError as error:
            if error.reason in (C.MQRC_NO_MSG_AVAILABLE, C.MQRC_NO_MSG_UNDER_CURSOR):
                return False
            raise
        return True

    def release(self) -> None:
        if self._take:
            self._mqi.MQCMIT()


class FileSource:
    """The messages of a file."""

    def __init__(self, file: BinaryIO, selection: Selection | None = None) -> None:
        self._file = file
        self._selection = selection or Selection()

    def messages(self) -> Iterator[FiledMessage]:
        selection = self._selection
        now = datetime.now(UTC)
        for number, message in enumerate(message_file.read_messages(self._file), 1):
            if selection.last is not None and number > selection.last:
                return
            if number >= selection.first and selection.fits(message, now):
                yield message

    def release(self) -> None:
        """A file keeps what it has."""


class QueueSink:
    """Puts messages on a queue, each batch in a unit of work.

    `read_through` is the handle of the queue that they come from: where a message has come from, over which channel,
    goes with it. Otherwise a copy would make an identity that nobody has proven one of this queue manager.
    """

    def __init__(
        self,
        manager: QueueManager,
        queue: str,
        *,
        context: str = "A",
        strip_headers: bool = False,
        read_through: int = 0,
    ) -> None:
        self._mqi = manager.mqi
        self._context = context
        self._read_through = read_through
        self._strip = strip_headers
        od = MQOD(ObjectName=queue)
        self._hobj = self._mqi.MQOPEN(od, C.MQOO_OUTPUT | C.MQOO_FAIL_IF_QUIESCING | _CONTEXT_OPENS.get(context, 0))
        self._hmsg = self._mqi.MQCRTMH()

    def take(self, message: FiledMessage, number: int) -> None:
        if self._strip:
            message = without_headers(message)
        md = message.md.copy()
        md.BackoutCount = 0
        options = C.MQPMO_SYNCPOINT | C.MQPMO_FAIL_IF_QUIESCING | CONTEXTS[self._context]
        pmo = MQPMO(Version=C.MQPMO_VERSION_3, Options=options, Context=self._read_through)
        if message.properties:
            described = md.copy()
            described.Format, described.CodedCharSetId = _RFH2, 1208
            self._mqi.MQBUFMH(self._hmsg, None, described, message.properties)
            pmo.OriginalMsgHandle = self._hmsg
        self._mqi.MQPUT(self._hobj, md, pmo, message.data)

    def secure(self) -> None:
        self._mqi.MQCMIT()


class FileSink:
    """Writes messages to a file; what is secured is on disk."""

    def __init__(self, file: BinaryIO, options: FileOptions, source: str = "", *, ages: bool = False) -> None:
        self._file = file
        self._options = options
        self._ages = ages
        start = "" if file.seekable() and file.tell() else message_file.first_lines(options, source)
        self._file.write(start.encode())

    def take(self, message: FiledMessage, number: int) -> None:
        comments = []
        if self._ages:
            age = age_of(message.md, datetime.now(UTC))
            comments.append("put at a time not known" if age is None else f"on the queue for {age:.0f} seconds")
        text = message_file.written(message, number, self._options, comments)
        self._file.write(text.encode("utf-8", "surrogatepass"))

    def secure(self) -> None:
        self._file.flush()
        try:
            sync_all(self._file.fileno())
        except UnsupportedOperation:
            pass  # no file of the system
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # a pipe or terminal has nothing to keep
                raise


class NumberedFileSink:
    """Writes each message to a file of its own: `%n` in the name is its number."""

    def __init__(self, pattern: str, opened: Callable[[str], BinaryIO], options: FileOptions, source: str = "") -> None:
        self._pattern = pattern
        self._opened = opened
        self._options = options
        self._source = source

    def take(self, message: FiledMessage, number: int) -> None:
        with self._opened(self._pattern.replace("%n", str(number))) as file:
            sink = FileSink(file, self._options, self._source)
            sink.take(message, number)
            sink.secure()

    def secure(self) -> None:
        """Each file was made safe when it was written."""


class NoSink:
    """Takes messages and forgets them: to count what is looked at."""

    def take(self, message: FiledMessage, number: int) -> None: ...

    def secure(self) -> None: ...


def without_headers(message: FiledMessage) -> FiledMessage:
    """A message without the dead-letter header in front of its data, if it has one."""
    md = message.md
    if md.Format.strip() != _DEAD:
        return message
    dlh, data = strip(message.data, md.CodedCharSetId, md.Encoding)
    md = md.copy()
    md.Format, md.Encoding, md.CodedCharSetId = dlh.Format, dlh.Encoding, dlh.CodedCharSetId
    return FiledMessage(md, data, message.properties)


# Between them


class Copied(NamedTuple):
    messages: int
    data_bytes: int


class CopyError(Exception):
    """It stopped on the way: `done` messages are safe at their target, and of the rest nothing is."""

    def __init__(self, done: int, cause: Exception) -> None:
        super().__init__(str(cause))
        self.done = done
        self.cause = cause


def copy(
    source: Source,
    sink: Sink,
    *,
    batch: int = BATCH,
    each: Callable[[FiledMessage, int], None] = lambda message, number: None,
    back_out: Callable[[], None] = lambda: None,
) -> Copied:
    """Copy all that the source gives. `each` is called for every message; CopyError says how far it came.

    `back_out` undoes the unit of work of a batch that could not be done.
    """
    secured = taken = data_bytes = 0
    try:
        for message in source.messages():
            taken += 1
            sink.take(message, taken)
            data_bytes += len(message.data)
            each(message, taken)
            if taken - secured >= batch:
                sink.secure()
                source.release()
                secured = taken
        sink.secure()
        source.release()
    except (MQError, OSError, ValueError) as error:
        back_out()
        raise CopyError(secured, error) from error
    return Copied(taken, data_bytes)
