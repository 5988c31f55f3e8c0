"""Channel exits: functions of the user's that see, change or stop what a channel does.

A definition names them (SCYEXIT, MSGEXIT, SENDEXIT, RCVEXIT, MREXIT); they are loaded when the channel starts, and a
chain runs in the order of the definition. Whatever an exit does wrong ends its channel with a message that names it,
and nothing else: every call goes through `_call`. Exits run under the lock of the queue manager, so a slow one slows
all. A channel without exits pays nothing: `any_message` and the like say whether there is something to call.

Segments of a pair of send and receive exits: the segment header is not theirs to change, and its length is mended here.
Initial data, what ends a channel, and what begins or ends a conversation pass without exits: two ends which do not fit
can say so. A channel of clients has one `Exits` for each conversation (`another`), as if each were a channel.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

from libremq.channels.channel_environment import ChannelEnvironment
from libremq.channels.exit_calls import (
    CloseChannel,
    ExitCall,
    ExitDecision,
    Instance,
    SendSecurity,
    SuppressExit,
    SuppressMessage,
)
from libremq.channels.exit_files import ExitFiles, ExitFunction, ExitNotValid, describe
from libremq.channels.transport import Peer
from libremq.common.files.queue_manager_files import EXITS
from libremq.common.messages.amq_messages import AmqMessage, amq
from libremq.kernel.objects.channel_definitions import MessageChannel, ServerConnection
from libremq.mqi import constants as C
from libremq.mqi.structs import MQXQH
from libremq.security import channel_authentication
from libremq.wire.protocol import (
    CCSID,
    CLOSE_CHANNEL,
    ENCODING,
    ERROR,
    MAX_SEGMENT,
    MIN_SEGMENT,
    REQUEST_CLOSE,
    Status,
    Type,
)
from libremq.wire.segments import TSH_BYTES, header_bytes

__all__ = [
    "ChannelExitError",
    "CloseChannel",
    "ExitCall",
    "ExitDecision",
    "Exits",
    "Passed",
    "Retry",
    "SecurityAnswer",
    "SendSecurity",
    "SuppressExit",
    "SuppressMessage",
    "Suppressed",
]

_CHAINS = (
    ("scyexit", "scydata", C.MQXT_CHANNEL_SEC_EXIT),
    ("msgexit", "msgdata", C.MQXT_CHANNEL_MSG_EXIT),
    ("sendexit", "senddata", C.MQXT_CHANNEL_SEND_EXIT),
    ("rcvexit", "rcvdata", C.MQXT_CHANNEL_RCV_EXIT),
    ("mrexit", "mrdata", C.MQXT_CHANNEL_MSG_RETRY_EXIT),
)
# What may be answered, by the reason of the call, besides None, CloseChannel and SuppressExit
_ANSWERS: dict[int, tuple[type, ...]] = {
    C.MQXR_INIT: (),
    C.MQXR_TERM: (),
    C.MQXR_MSG: (bytes, SuppressMessage),
    C.MQXR_XMIT: (bytes,),
    C.MQXR_INIT_SEC: (SendSecurity,),
    C.MQXR_SEC_MSG: (SendSecurity,),
    C.MQXR_RETRY: (SuppressMessage,),
}
_HEADER_BYTES = MQXQH.size()
_SPACE_MAX = 16384  # bytes of a segment that send exits can have for themselves
_RETRY_MS_MAX = 999_999_999
_FEEDBACK_MAX = 999_999_999
_KIND_AT, _FLAGS_AT = -19, -18  # from the end of the header of a segment
_ABOUT_SOCKETS = (Type.INITIAL_DATA, Type.SOCKET_ACTION)
_BYTES = (bytes, bytearray, memoryview)
_ENDS = ERROR | CLOSE_CHANNEL | REQUEST_CLOSE


class ChannelExitError(Exception):
    """The channel has to end because of an exit: it wants that, or it does not work."""

    def __init__(self, message: AmqMessage, status: Status = Status.CLOSED_BY_EXIT) -> None:
        super().__init__(message.line)
        self.message = message
        self.status = status


@dataclass(frozen=True, slots=True)
class Passed:
    """The message, as the exits have left it."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Suppressed:
    """A message that is to go to the dead-letter queue, or is not to be tried again."""

    feedback: int
    """Of the dead-letter header, and of an exception report."""
    words: str
    exit: str


@dataclass(frozen=True, slots=True)
class Retry:
    """Try to put the message again."""

    interval_ms: int


@dataclass(frozen=True, slots=True)
class SecurityAnswer:
    """What to do next in the exchange between the security exits of both ends."""

    send: bytes | None = None
    """The body of a SECURITY_DATA; an empty one says that this end is content."""
    done: bool = False
    """The channel can go on."""
    user: str | None = None
    """MCAUserIdentifier that the exit has set."""


@dataclass(slots=True)
class _Exit:
    name: str
    path: str
    function: ExitFunction
    exit_id: int
    user_data: str
    user_area: dict[Any, Any] = field(default_factory=dict)
    begun: bool = False  # it had its MQXR_INIT
    suppressed: bool = False


class Exits:
    """The exits of one running channel."""

    def __init__(self, instance: Instance, chains: dict[int, list[_Exit]], say: Callable[[str], None]) -> None:
        self._instance = instance
        self._mca_user = instance.mca_user  # of the definition
        self._chains = chains
        self._say = say
        self._security = chains.get(C.MQXT_CHANNEL_SEC_EXIT, [])
        self._retry_count = self._retry_ms = 0  # MRRTY, MRTMR
        self._opening = False  # the other end has not said its first word about security
        self._requested = False  # the exit here wants an answer
        self.any_security = C.MQXT_CHANNEL_SEC_EXIT in chains
        self.any_message = C.MQXT_CHANNEL_MSG_EXIT in chains
        self.any_send = C.MQXT_CHANNEL_SEND_EXIT in chains
        self.any_receive = C.MQXT_CHANNEL_RCV_EXIT in chains
        self.any_retry = C.MQXT_CHANNEL_MSG_RETRY_EXIT in chains
        self.send_space = 0
        """Bytes by which send exits may lengthen a segment: those that are packed must be so much shorter."""
        self.max_segment = MAX_SEGMENT
        """What was agreed."""
        self.microseconds = 0.0
        """In exits, for the latest message, segment or flow."""
        self.total_microseconds = 0.0

    @classmethod
    def load(
        cls,
        environment: ChannelEnvironment,
        channel: MessageChannel | ServerConnection,
        *,
        sending: bool,
        client: Peer | None = None,
    ) -> Exits:
        """Load the exits of a definition from the folder, and call each with MQXR_INIT.

        `client`: who it is, on a channel of clients. ChannelExitError if one is not there, may not be used, or does not
        want to begin.
        """
        manager = environment.manager
        folder = environment.exit_path or os.path.join(manager.folder, EXITS)
        instance = Instance(channel.name, channel.chltype, sending, manager.name, mca_user=channel.mcauser)
        if client is not None:
            instance.conversation = 1
            instance.connection_name = client.address
            instance.peer_name, instance.issuer_name = client.subject, client.issuer
        return cls._load(folder, instance, lambda name: getattr(channel, name, ""), environment.say)

    def another(self, conversation: int) -> Exits:
        """The same exits for another conversation of the client: nothing is read anew, all else begins anew."""
        instance = replace(self._instance, conversation=conversation, mca_user=self._mca_user, remote_user="")
        chains = {
            exit_id: [_Exit(one.name, one.path, one.function, exit_id, one.user_data) for one in chain]
            for exit_id, chain in self._chains.items()
        }
        exits = Exits(instance, chains, self._say)
        exits._begin()
        exits._check_space(self.max_segment)
        return exits

    @classmethod
    def from_folder(
        cls, folder: str, *, channel: str = "QM1.TO.QM2", queue_manager: str = "QM1", partner: str = "QM2",
        sending: bool = True, **definition: str | tuple[str, ...],
    ) -> Exits:  # fmt: skip
        """To try exits without a channel: `Exits.from_folder("exits", msgexit=("mine(sign)",), msgdata=("x",))`."""
        kind = C.MQCHT_SENDER if sending else C.MQCHT_RECEIVER
        instance = Instance(channel, kind, sending, queue_manager)
        exits = cls._load(folder, instance, lambda name: definition.get(name, ""), lambda text: None)
        exits.meet(partner, Peer(), max_segment=MAX_SEGMENT)
        return exits

    @classmethod
    def _load(
        cls, folder: str, instance: Instance, attribute_of: Callable[[str], Any], say: Callable[[str], None]
    ) -> Exits:
        files = ExitFiles(folder)
        chains: dict[int, list[_Exit]] = {}
        for attribute, data_attribute, exit_id in _CHAINS:
            if instance.sending and exit_id == C.MQXT_CHANNEL_MSG_RETRY_EXIT:
                continue
            data = _listed(attribute_of(data_attribute))
            for index, name in enumerate(_listed(attribute_of(attribute))):
                try:
                    function = files.function(name)
                except ExitNotValid as error:
                    raise ChannelExitError(amq(9535, instance.channel, name, error)) from None
                path = os.path.join(folder, name.partition("(")[0] + ".py")
                user_data = data[index] if index < len(data) else ""
                chains.setdefault(exit_id, []).append(_Exit(name, path, function, exit_id, user_data))
        exits = cls(instance, chains, say)
        exits._retry_count, exits._retry_ms = attribute_of("mrrty") or 0, attribute_of("mrtmr") or 0
        exits._begin()
        return exits

    def _begin(self) -> None:
        try:
            self._initialise()
        except ChannelExitError:
            self.end()
            raise

    def _initialise(self) -> None:
        for chain in self._chains.values():
            for exit in chain:
                call = self._new_call(exit, C.MQXR_INIT)
                exit.begun = True
                self._call(exit, call)
                if exit.exit_id == C.MQXT_CHANNEL_SEND_EXIT:
                    space = call.exit_space
                    if type(space) is not int or not 0 <= space <= _SPACE_MAX:
                        raise self._error(9185, exit, f"{_shown(space)} bytes; 0 to {_SPACE_MAX} are possible")
                    self.send_space += space
        if self.send_space > _SPACE_MAX:
            raise ChannelExitError(amq(9186, self._instance.channel, self.send_space, _SPACE_MAX))

    def end(self) -> None:
        """Call all that have begun with MQXR_TERM. What goes wrong is said, and changes nothing."""
        for chain in self._chains.values():
            for exit in chain:
                if exit.begun:
                    exit.begun = False
                    try:
                        self._call(exit, self._new_call(exit, C.MQXR_TERM))
                    except ChannelExitError as error:
                        self._say(error.message)

    def meet(self, partner: str, peer: Peer, *, max_segment: int, user: str | None = None) -> None:
        """Both ends have agreed: now the exits can be told who the other one is. `user`: that the channel works as."""
        instance = self._instance
        instance.partner, instance.connection_name = partner, peer.address
        instance.peer_name, instance.issuer_name = peer.subject, peer.issuer
        if user is not None:
            instance.mca_user = user
        self._check_space(max_segment)

    def _check_space(self, max_segment: int) -> None:
        self.max_segment = max_segment
        if max_segment - self.send_space < MIN_SEGMENT:
            self.end()
            raise ChannelExitError(amq(9186, self._instance.channel, self.send_space, max_segment - MIN_SEGMENT))

    # Calls

    def _new_call(self, exit: _Exit, reason: int, data: bytes = b"", **more: Any) -> ExitCall:
        return ExitCall(self._instance, exit.exit_id, reason, exit.user_data, exit.user_area, data, **more)

    def _call(self, exit: _Exit, call: ExitCall) -> object:
        """Its answer: None, or one of the types that this call may have. ChannelExitError for everything else."""
        reason = call.reason
        try:
            answer = exit.function(call)
        except ExitDecision as decision:
            answer = decision
        except BaseException as error:  # SystemExit and KeyboardInterrupt too: it ends its channel and nothing else
            raise self._error(9190, exit, describe(error, exit.path)) from None
        if answer is None:
            return None
        kind = type(answer)  # not isinstance, which asks the object
        if issubclass(kind, CloseChannel):
            raise self._error(9536, exit, _words(answer) or "it gave no reason")
        if issubclass(kind, SuppressExit):
            exit.suppressed = True
            return None
        if issubclass(kind, _BYTES):
            answer = self._bytes(exit, answer)
            kind = bytes
        if not issubclass(kind, _ANSWERS[reason]):
            raise self._error(9181, exit, f"{kind.__name__} to a call with reason {reason}")
        return answer

    def _bytes(self, exit: _Exit, value: object) -> bytes:
        if type(value) is bytes:
            return value
        try:
            return bytes(memoryview(value))  # type: ignore[arg-type]
        except (TypeError, ValueError, BufferError) as error:
            raise self._error(9181, exit, f"{_shown(value)}, which has no bytes: {describe(error)}") from None

    def _error(self, number: int, exit: _Exit, why: object) -> ChannelExitError:
        return ChannelExitError(amq(number, self._instance.channel, exit.name, why))

    def _took(self, began: float) -> None:
        self.microseconds = (perf_counter() - began) * 1e6
        self.total_microseconds += self.microseconds

    # Messages

    def message(self, data: bytes, *, encoding: int = ENCODING, ccsid: int = CCSID) -> Passed | Suppressed:
        """A message, MQXQH first: after it was got, or before it is put."""
        began = perf_counter()
        try:
            for exit in self._chains.get(C.MQXT_CHANNEL_MSG_EXIT, ()):
                if exit.suppressed:
                    continue
                header, rest = data[:_HEADER_BYTES], data[_HEADER_BYTES:]
                call = self._new_call(exit, C.MQXR_MSG, rest, raw_header=header, encoding=encoding, ccsid=ccsid)
                answer = self._call(exit, call)
                if isinstance(answer, SuppressMessage):
                    return self._suppressed(exit, answer)
                new_header = self._header_of(exit, call)
                if new_header is not None or answer is not None:
                    data = (new_header or header) + (rest if answer is None else answer)  # type: ignore[operator]
        finally:
            self._took(began)
        return Passed(data)

    def _header_of(self, exit: _Exit, call: ExitCall) -> bytes | None:
        try:
            return call.changed_header()
        except Exception as error:  # anything can be in its fields
            raise self._error(9181, exit, f"a header that is not valid: {describe(error)}") from None

    def _suppressed(self, exit: _Exit, answer: SuppressMessage) -> Suppressed:
        feedback = answer.feedback
        if type(feedback) is not int or not 0 < feedback <= _FEEDBACK_MAX:
            raise self._error(9181, exit, f"{_shown(feedback)} is no feedback code")
        return Suppressed(feedback, _words(answer), exit.name)

    def retry(
        self, data: bytes, *, attempt: int, reason: int, encoding: int = ENCODING, ccsid: int = CCSID
    ) -> Retry | Suppressed:
        """A message could not be put, for the `attempt`-th time: the message-retry exit decides."""
        began = perf_counter()
        try:
            for exit in self._chains.get(C.MQXT_CHANNEL_MSG_RETRY_EXIT, ()):
                if exit.suppressed:
                    continue
                header, rest = data[:_HEADER_BYTES], data[_HEADER_BYTES:]
                call = self._new_call(exit, C.MQXR_RETRY, rest, raw_header=header, encoding=encoding, ccsid=ccsid)
                call.attempt, call.retry_reason = attempt, reason
                call.retry_count, call.retry_interval = self._retry_count, self._retry_ms
                answer = self._call(exit, call)
                if isinstance(answer, SuppressMessage):
                    return self._suppressed(exit, answer)
                if exit.suppressed:
                    break
                chosen = call.retry_interval
                if type(chosen) is not int or not 0 <= chosen <= _RETRY_MS_MAX:
                    raise self._error(9181, exit, f"{_shown(chosen)} are no milliseconds")
                return Retry(chosen)
        finally:
            self._took(began)
        # Without an exit, or after it has taken its leave, the definition decides
        return Retry(self._retry_ms) if attempt <= self._retry_count else Suppressed(reason, "", "")

    # Segments

    def send(self, segment: bytes) -> bytes:
        """A segment before it is sent."""
        return self._transmission(C.MQXT_CHANNEL_SEND_EXIT, segment)

    def receive(self, segment: bytes) -> bytes:
        """A segment that came, before anything is made of it."""
        return self._transmission(C.MQXT_CHANNEL_RCV_EXIT, segment)

    def _transmission(self, exit_id: int, segment: bytes) -> bytes:
        head = header_bytes(segment)
        kind = segment[head + _KIND_AT]
        if kind in _ABOUT_SOCKETS or (kind == Type.STATUS_DATA and segment[head + _FLAGS_AT] & _ENDS):
            return segment
        began = perf_counter()
        try:
            for exit in self._chains.get(exit_id, ()):
                if exit.suppressed:
                    continue
                answer = self._call(exit, self._new_call(exit, C.MQXR_XMIT, segment))
                if isinstance(answer, bytes):
                    segment = self._mended(exit, segment, answer)
        finally:
            self._took(began)
        return segment

    def _mended(self, exit: _Exit, old: bytes, new: bytes) -> bytes:
        """The segment of an exit with its length in its header."""
        length, head = len(new), header_bytes(old)
        if not head <= length <= self.max_segment:
            raise self._error(9189, exit, f"a segment of {length} bytes; {head} to {self.max_segment} are possible")
        if new[:4] != old[:4] or new[8:head] != old[8:head]:
            raise self._error(9181, exit, f"a segment whose first {head} bytes it has changed")
        return new[:4] + length.to_bytes(4, "big") + new[8:]

    # Security: the end that was called speaks first, then they take turns

    def security_begin(self, *, caller: bool, announced: bool = False) -> SecurityAnswer:
        """Both ends have agreed on everything else.

        `announced`: the answer to our initial data said that the other end has a security exit and will speak first.
        """
        if caller and announced:
            self._opening = True
            return SecurityAnswer()
        answer = self._ask(C.MQXR_INIT_SEC, b"")
        if not caller:
            return SecurityAnswer(answer.send or b"", False, answer.user)
        if answer.send is not None:
            raise self._unanswered()
        return SecurityAnswer(None, True, answer.user)

    def security(self, data: bytes) -> SecurityAnswer:
        """The body of a SECURITY_DATA of the other end; an empty one says that it is content.

        Without an exit here nothing is answered: whether that will do is for the exit that asked.
        """
        opening, self._opening = self._opening, False
        if data:
            answer = self._ask(C.MQXR_SEC_MSG, data)
        elif opening:
            answer = self._ask(C.MQXR_INIT_SEC, b"")
        elif self._requested:
            raise self._unanswered()
        else:
            return SecurityAnswer(None, True)
        return answer if answer.send is not None else SecurityAnswer(b"", True, answer.user)

    def security_of_client(self, remote_user: str, user: str) -> str:
        """A client wants to connect, and may do so as `user`: as whom it does. ChannelExitError if it may not.

        Nobody at its end could answer a security exit. One that has left MCAUserIdentifier blank has no opinion.
        """
        instance = self._instance
        instance.remote_user, instance.mca_user = remote_user, user
        answer = self._ask(C.MQXR_INIT_SEC, b"")
        if answer.send is not None:
            raise self._unanswered()
        instance.mca_user = answer.user or user
        return instance.mca_user

    def _unanswered(self) -> ChannelExitError:
        instance = self._instance
        return ChannelExitError(amq(9552, instance.channel, instance.connection_name), Status.SECURITY_FAILURE)

    def _ask(self, reason: int, data: bytes) -> SecurityAnswer:
        began = perf_counter()
        instance = self._instance
        self._requested = False
        send: bytes | None = None
        user: str | None = None
        try:
            for exit in self._security:
                if exit.suppressed:
                    continue
                call = self._new_call(exit, reason, data)
                answer = self._call(exit, call)
                if call.mca_user != instance.mca_user:  # as it is, not as it would look: else it has chosen nobody
                    user = instance.mca_user = self._checked_user(exit, call.mca_user)
                if isinstance(answer, SendSecurity):
                    send = self._checked_flow(exit, answer)
                    self._requested = bool(answer.request)
        finally:
            self._took(began)
        return SecurityAnswer(send, False, user)

    def _checked_user(self, exit: _Exit, user: object) -> str:
        if type(user) is not str or len(user) > C.MQ_MAX_MCA_USER_ID_LENGTH or not user.isprintable():
            raise self._error(9181, exit, f"{_shown(user)} is no user id")
        user = user.strip()
        # Cut to what a descriptor holds, it could be the name of somebody else. Of clients admission says so
        if not self._instance.conversation and channel_authentication.cut(user) != user:
            why = f"{exit.name} has set it; a user whom a security exit chooses has at most 12 characters of Latin-1"
            raise ChannelExitError(amq(9787, f"'{user}'", self._instance.channel, why))
        return user

    def _checked_flow(self, exit: _Exit, answer: SendSecurity) -> bytes:
        data = answer.data
        if not issubclass(type(data), _BYTES):
            raise self._error(9181, exit, f"{_shown(data)} to be sent to the other security exit")
        data = self._bytes(exit, data)
        most = max(self.max_segment, MIN_SEGMENT) - TSH_BYTES - self.send_space
        if not 0 < len(data) <= most:
            raise self._error(9189, exit, f"{len(data)} bytes for the other security exit; 1 to {most} are possible")
        return data


def _listed(value: str | tuple[str, ...]) -> tuple[str, ...]:
    """Names of exits, or their data: of one exit, or of a chain."""
    values = (value,) if isinstance(value, str) else value
    return tuple(text.strip() for text in values) if any(text.strip() for text in values) else ()


def _words(decision: object) -> str:
    try:
        words = decision.words  # type: ignore[attr-defined]
    except Exception:  # a decision of somebody's own making
        return ""
    return words if type(words) is str else ""


def _shown(value: object) -> str:
    """A value of an exit in a message: not every object can be trusted to show itself."""
    return f"{value!r:.80}" if type(value) in (int, float, str, bytes, bool) else type(value).__name__
