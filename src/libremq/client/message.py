"""A message as a Python program sees it: data, properties, and what the descriptor says in Python terms.

It is a copy: changing it changes nothing on a queue. The descriptor itself is at hand as `md` for everything that has
no attribute of its own here.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Self, Unpack

from libremq.client.options import Data, PutOptions
from libremq.common.ccsid import codec
from libremq.host.binding import GotItem, Received
from libremq.kernel.state.waiting_gets import Got
from libremq.mqi import constants as C
from libremq.mqi.byte_order import is_big_endian
from libremq.mqi.errors import mq_error
from libremq.mqi.rfh2 import PropertyValue
from libremq.mqi.structs import MQDLH, MQGMO, MQMD

if TYPE_CHECKING:
    from libremq.client.queue_manager import QueueManager

_SHOWN = 40
_STATE = ("_received", "data", "gmo", "length", "md", "properties", "warning")


class MessageContent:
    """What a message says; what one does with it differs between the blocking and the asyncio API."""

    __slots__ = ("_came", "_manager", "_received", "data", "length", "warning")

    def __init__(self, came: Received, manager: Any) -> None:
        """`came` is the message as a binding returned it: what is bytes there is taken apart when it is asked for."""
        self.data = came.data
        """The bytes of the message, without properties."""
        self.length = came.length
        """Length of the whole message, also where `data` was cut."""
        self.warning = came.reason
        """MQRC of a warning: cut (2079) or not converted (2110 and others). 0 if there was none."""
        self._came = came
        self._manager = manager
        self._received = datetime.now(UTC) if came.expires else None

    @property
    def md(self) -> MQMD:
        """The message descriptor."""
        return self._came.md

    @md.setter
    def md(self, md: MQMD) -> None:
        self._came = self._structures()._replace(md=md)

    @property
    def gmo(self) -> MQGMO:
        """The options of the get, with what it returned: group and segment status, message token."""
        return self._came.gmo

    @gmo.setter
    def gmo(self, gmo: MQGMO) -> None:
        self._came = self._structures()._replace(gmo=gmo)

    @property
    def properties(self) -> dict[str, PropertyValue]:
        """The message properties by name; those in folder `usr` have just their name."""
        return self._came.properties

    @properties.setter
    def properties(self, properties: dict[str, PropertyValue]) -> None:
        self._came = self._structures()._replace(properties=properties)

    @property
    def queue(self) -> str:
        """Name of the local queue it was on."""
        return self._came.queue

    def _structures(self) -> GotItem:
        """The message in structures."""
        got = Got(self.data, self.length, C.MQCC_WARNING if self.warning else C.MQCC_OK, self.warning)
        return GotItem(self.md, self.gmo, got, self.properties)

    # What it says

    @property
    def text(self) -> str:
        """The data as text, from whatever character set the descriptor names. ConversionFailed if it is none."""
        used = codec(self.md.CodedCharSetId)
        if used is None:
            raise mq_error(
                C.MQRC_SOURCE_CCSID_ERROR, self.queue, f"CCSID {self.md.CodedCharSetId} is not known; use .data"
            )
        try:
            return used.decode(self.data, big_endian=is_big_endian(self.md.Encoding))
        except UnicodeDecodeError as error:
            raise mq_error(
                C.MQRC_NOT_CONVERTED,
                self.queue,
                f"the data is no text in CCSID {self.md.CodedCharSetId} ({error.reason} at {error.start}); use .data",
            ) from None

    @property
    def message_id(self) -> bytes:
        """24 bytes."""
        return self.md.MsgId

    @property
    def correlation_id(self) -> bytes:
        """24 bytes, a shorter one filled with zeros; all zeros if the sender gave none."""
        return self.md.CorrelId

    @property
    def group_id(self) -> bytes:
        """24 bytes, all zeros outside a group."""
        return self.md.GroupId

    @property
    def persistent(self) -> bool:
        return self.md.Persistence == C.MQPER_PERSISTENT

    @property
    def priority(self) -> int:
        """0 (lowest) to 9."""
        return self.md.Priority

    @property
    def format(self) -> str:
        """What the data is: "MQSTR" for text, "" for plain bytes."""
        return self.md.Format.strip()

    @property
    def message_type(self) -> int:
        """MQMT_DATAGRAM, MQMT_REQUEST, MQMT_REPLY, MQMT_REPORT, or one of an application."""
        return self.md.MsgType

    @property
    def feedback(self) -> int:
        """Of a report: what it reports (MQFB_* or a reason code)."""
        return self.md.Feedback

    @property
    def backout_count(self) -> int:
        """How often a transaction that got it was backed out. A message that keeps coming back is poison."""
        return self.md.BackoutCount

    @property
    def reply_to(self) -> str:
        """The queue that a reply goes to, "" if the sender wants none."""
        return self.md.ReplyToQ

    @property
    def reply_to_manager(self) -> str:
        return self.md.ReplyToQMgr

    @property
    def user(self) -> str:
        """The user who put it."""
        return self.md.UserIdentifier

    @property
    def application(self) -> str:
        """The application that put it."""
        return self.md.PutApplName

    @property
    def put_time(self) -> datetime | None:
        """When it was put, in UTC; None if the sender put it without context."""
        try:
            return datetime.strptime(self.md.PutDate + self.md.PutTime + "0000", "%Y%m%d%H%M%S%f").replace(tzinfo=UTC)
        except ValueError:
            return None

    @property
    def expires(self) -> datetime | None:
        """When it would have expired on its queue, in UTC; None if never."""
        return None if self._received is None else self._received + timedelta(seconds=self.md.Expiry / 10)

    # Copies

    def without_dead_letter_header(self) -> tuple[MQDLH, Self]:
        """Of a message from the dead-letter queue: the header that says why, and the message as it was before."""
        from libremq.client import replies

        header, data, md = replies.without_dead_letter_header(self)
        return header, type(self)(GotItem(md, self.gmo, Got(data, len(data)), self.properties), self._manager)

    def __getstate__(self) -> dict[str, object]:
        """For pickle: all but the connection, which stays where it is."""
        return {name: getattr(self, name) for name in _STATE}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._manager = None
        for name in ("data", "length", "warning", "_received"):
            setattr(self, name, state[name])
        got = Got(self.data, self.length, C.MQCC_WARNING if self.warning else C.MQCC_OK, self.warning)
        self._came = GotItem(state["md"], state["gmo"], got, state["properties"])

    def __copy__(self) -> Self:
        new = type(self).__new__(type(self))
        new.__setstate__(self.__getstate__())
        new._manager = self._manager
        return new

    def __bytes__(self) -> bytes:
        return self.data

    def __repr__(self) -> str:
        whole: str | bytes = self.data[: 4 * _SHOWN + 4]  # more than what is shown, in any character set
        used = codec(self.md.CodedCharSetId) if self.format == "MQSTR" else None
        if used is not None:
            whole = used.decode(bytes(self), "replace", big_endian=is_big_endian(self.md.Encoding))
        parts = [f"{whole[:_SHOWN]!r}{'...' if len(whole) > _SHOWN or len(self.data) < self.length else ''}"]
        if self.queue:
            parts.append(f"from {self.queue}")
        parts.append("persistent" if self.persistent else "non-persistent")
        parts.append(f"priority {self.priority}")
        if self.properties:
            parts.append(f"properties {self.properties}")
        return f"<Message {', '.join(parts)}>"

    def _still_connected(self) -> Any:
        """The queue manager it came from."""
        if self._manager is None:
            raise mq_error(
                C.MQRC_HCONN_ERROR, self.queue, "a message that was pickled has no connection; put on a queue instead"
            )
        return self._manager


class Message(MessageContent):
    """What `get` and `browse` return."""

    __slots__ = ()

    _manager: QueueManager | None

    def reply(self, data: Data, **options: Unpack[PutOptions]) -> bytes:
        """Put a reply on the queue the sender named, and return its message id.

        The reply carries the id of this message as its correlation id (or what the sender asked for with MQRO_PASS_*),
        and is persistent if this message is. The arguments are those of `Queue.put`.
        """
        from libremq.client import replies

        return replies.reply(self._connected(), self, data, options)

    def report(self, feedback: int = C.MQFB_PAN) -> bytes | None:
        """Tell the sender what became of its message: MQFB_PAN (done), MQFB_NAN (refused) or a code of one's own.

        Nothing is sent and None returned if the sender did not ask for it (MQRO_PAN, MQRO_NAN).
        """
        from libremq.client import replies

        return replies.report(self._connected(), self, feedback)

    def _connected(self) -> QueueManager:
        manager: QueueManager = self._still_connected()
        return manager
