"""What a channel exit sees, and what it can answer: the part that those who write exits need.

An exit is a function of one argument, an `ExitCall`. It answers None (go on), bytes (instead of the data it was given),
or a decision, which can be returned or raised. docs/reference/channel-exits.md has it all with examples.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from libremq.common.ccsid import charset_of
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD1, MQXQH
from libremq.wire.segments import header_bytes


class ExitDecision(Exception):
    """What an exit decides, beyond going on. The words are for the error log."""

    response: int
    """MQXCC_*, as MQ calls it."""

    def __init__(self, words: str = "") -> None:
        super().__init__(words)
        self.words = words


class CloseChannel(ExitDecision):
    """End the channel."""

    response = C.MQXCC_CLOSE_CHANNEL


class SuppressMessage(ExitDecision):
    """Do not send or put this message: it goes to the dead-letter queue with this reason, and the channel goes on.

    From a message-retry exit: do not try again.
    """

    response = C.MQXCC_SUPPRESS_FUNCTION

    def __init__(self, words: str = "", feedback: int = C.MQFB_STOPPED_BY_MSG_EXIT) -> None:
        super().__init__(words)
        self.feedback = feedback


class SuppressExit(ExitDecision):
    """Do not call this exit again before the channel ends."""

    response = C.MQXCC_SUPPRESS_EXIT


class SendSecurity(ExitDecision):
    """From a security exit: send this to the security exit at the other end. With `request` it has to answer."""

    def __init__(self, data: bytes, *, request: bool = False) -> None:
        super().__init__()
        self.data = data
        self.request = request

    @property
    def response(self) -> int:  # type: ignore[override]
        return C.MQXCC_SEND_AND_REQUEST_SEC_MSG if self.request else C.MQXCC_SEND_SEC_MSG


@dataclass(slots=True)
class Instance:
    """The running channel that exits are called for."""

    channel: str
    channel_type: int
    sending: bool
    queue_manager: str
    partner: str = ""
    connection_name: str = ""
    mca_user: str = ""
    remote_user: str = ""
    peer_name: str = ""
    issuer_name: str = ""
    conversation: int = 0


class ExitCall:
    """One call of an exit."""

    __slots__ = (
        "_instance", "_pristine", "_seen", "attempt", "ccsid", "data", "encoding", "exit_id", "exit_space", "mca_user",
        "raw_header", "reason", "retry_count", "retry_interval", "retry_reason", "user_area", "user_data",
    )  # fmt: skip

    def __init__(
        self,
        instance: Instance,
        exit_id: int,
        reason: int,
        user_data: str,
        user_area: dict[Any, Any],
        data: bytes = b"",
        *,
        raw_header: bytes = b"",
        encoding: int = C.MQENC_NATIVE,
        ccsid: int = 0,
    ) -> None:
        self._instance = instance
        self._seen: MQXQH | None = None
        self._pristine: MQXQH | None = None
        self.exit_id = exit_id
        """MQXT_*: which sort of exit is called."""
        self.reason = reason
        """MQXR_*: why."""
        self.user_data = user_data
        """MSGDATA, SENDDATA, ... of the definition."""
        self.user_area = user_area
        """Anything the exit wants to keep until the channel ends. Each exit of each running channel has its own."""
        self.data = data
        """The data of a message, a segment with its header, or what the security exit at the other end sent."""
        self.raw_header = raw_header
        """Of a message: the bytes of its MQXQH."""
        self.encoding = encoding
        self.ccsid = ccsid
        self.mca_user = instance.mca_user
        """MCAUserIdentifier. A security exit may set it."""
        self.exit_space = 0
        """A send exit sets it at MQXR_INIT: how many bytes it will add to a segment at most."""
        self.attempt = 0
        """Of a message-retry exit: how often the message could not be put, this time included."""
        self.retry_reason = 0
        """Why not, this time."""
        self.retry_count = 0
        """MRRTY of the definition. The exit decides."""
        self.retry_interval = 0
        """Milliseconds to the next attempt: MRTMR, until the exit sets it."""

    @property
    def channel(self) -> str:
        return self._instance.channel

    @property
    def channel_type(self) -> int:
        """MQCHT_*."""
        return self._instance.channel_type

    @property
    def sending(self) -> bool:
        """Is this the end that sends messages?"""
        return self._instance.sending

    @property
    def queue_manager(self) -> str:
        return self._instance.queue_manager

    @property
    def partner(self) -> str:
        """The queue manager at the other end. Blank at MQXR_INIT."""
        return self._instance.partner

    @property
    def connection_name(self) -> str:
        """The address of the other end. Blank at MQXR_INIT of a message channel."""
        return self._instance.connection_name

    @property
    def peer_name(self) -> str:
        """The distinguished name of the owner of the other end's certificate. Blank without TLS."""
        return self._instance.peer_name

    @property
    def issuer_name(self) -> str:
        """Who has issued that certificate."""
        return self._instance.issuer_name

    @property
    def remote_user(self) -> str:
        """Of a client: the user it says it is, from the call of the security exit on."""
        return self._instance.remote_user

    @property
    def conversation(self) -> int:
        """Of a client: which of those that share its socket. Each has exits of its own."""
        return self._instance.conversation

    @property
    def header_bytes(self) -> int:
        """The length of the header of a segment, which a send or receive exit must leave as it is: 28 or 36."""
        return header_bytes(self.data)

    @property
    def segment_type(self) -> int:
        """What a segment is: one of libremq.wire.protocol.Type; of an answer to a call, 0x10 more."""
        return self.data[header_bytes(self.data) - 19]

    @property
    def header(self) -> MQXQH:
        """The transmission header of a message. What a message exit changes in it, it changes in the message."""
        if self._seen is None:
            if not self.raw_header:
                raise AttributeError("only calls about a message have a header")
            big_endian = self.encoding & C.MQENC_INTEGER_MASK == C.MQENC_INTEGER_NORMAL
            self._seen = MQXQH.unpack(self.raw_header, big_endian=big_endian, charset=charset_of(self.ccsid))
            self._pristine = self._seen.copy()
        return self._seen

    @property
    def md(self) -> MQMD1:
        """The message descriptor in the header; what version 2 adds is in an MQMDE at the beginning of the data."""
        return self.header.MsgDesc

    def changed_header(self) -> bytes | None:
        """The bytes of the header if the exit changed it. Any exception if that cannot be one."""
        seen, before = self._seen, self._pristine
        if seen is None or before is None or seen == before:
            return None
        if seen.MsgDesc.Persistence != before.MsgDesc.Persistence:
            raise ValueError("Persistence was changed; how safe a message travels was settled before")
        if seen.StrucId != before.StrucId or seen.Version != before.Version:
            raise ValueError("StrucId or Version of the header was changed")
        big_endian = self.encoding & C.MQENC_INTEGER_MASK == C.MQENC_INTEGER_NORMAL
        return seen.pack(big_endian=big_endian, charset=charset_of(self.ccsid))

    def __repr__(self) -> str:
        return f"<ExitCall exit {self.exit_id} reason {self.reason} of channel {self.channel}, {len(self.data)} bytes>"
