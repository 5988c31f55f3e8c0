"""Messages that cannot go where they should, at either end of a channel: why, and what becomes of them.

The sender of a message may have asked for it to be thrown away rather than kept, or to hear of it. Else it goes to the
dead-letter queue here, behind a header with the reason. If that does not take it, the channel ends and the message is
where it was; only a fast one, which is nowhere else, is discarded.
"""

from __future__ import annotations

from dataclasses import dataclass

from libremq.channels.channel_environment import ChannelEnvironment
from libremq.common.messages.amq_messages import AmqMessage, amq
from libremq.kernel.objects.channel_definitions import MessageChannel
from libremq.kernel.state.connection import Connection
from libremq.kernel.verbs import channel_messages
from libremq.kernel.verbs.activities import Passage
from libremq.kernel.verbs.channel_messages import Fate
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.store.stored_message import Message

WAITING_HELPS = frozenset({C.MQRC_Q_FULL, C.MQRC_PUT_INHIBITED, C.MQRC_PAGESET_FULL})
"""Reasons for which MRRTY counts, as MQ documents them."""
NO_ROOM = frozenset({C.MQRC_RESOURCE_PROBLEM, C.MQRC_STORAGE_MEDIUM_FULL, C.MQRC_STORAGE_NOT_AVAILABLE})
"""The queue manager has no room: waiting may help, a dead-letter queue does not."""
ENDS_CHANNEL = NO_ROOM | {
    C.MQRC_BACKED_OUT, C.MQRC_SYNCPOINT_LIMIT_REACHED, C.MQRC_CONNECTION_BROKEN, C.MQRC_HCONN_ERROR, C.MQRC_HOBJ_ERROR,
    C.MQRC_Q_MGR_NOT_AVAILABLE, C.MQRC_Q_MGR_QUIESCING, C.MQRC_Q_MGR_STOPPING, C.MQRC_CONNECTION_QUIESCING,
    C.MQRC_CONNECTION_STOPPING, C.MQRC_UNEXPECTED_ERROR,
}  # fmt: skip
"""Nothing is wrong with the message, nor with its queue: it is sent again later."""

_MUST_NOT_USE = "the channel must not use the dead-letter queue (USEDLQ(NO))"
_HAS_NONE = "the queue manager has no dead-letter queue (DEADQ)"
_WORDS_S = 60.0
"""How often it is said that messages do not arrive."""


@dataclass(frozen=True, slots=True)
class Delivered:
    kind: Fate
    reason: int = C.MQRC_NONE
    """Why it is not on its queue."""
    after_ms: int = 0
    """When to try again: nothing has happened yet."""


PUT = Delivered(Fate.PUT)


class Undeliverable(Exception):
    """There is no place for the message: the channel has to end, and its unit of work to be backed out.

    `retry` says that the cause may go away by itself; else somebody has to remove it.
    """

    def __init__(self, message: AmqMessage, reason: int, *, retry: bool) -> None:
        super().__init__(message, reason)
        self.message = message
        self.reason = reason
        self.retry = retry


class Undelivered:
    """What one agent does with messages that it cannot deliver, and how many there were."""

    def __init__(self, environment: ChannelEnvironment, channel: MessageChannel, connection: Connection) -> None:
        self._manager = environment.manager
        self._say = environment.say
        self._channel = channel
        self._connection = connection
        self.dead_letters = 0
        self.discarded = 0
        self._told = (0, 0)
        self._next_word = 0.0  # monotonic

    def lay_aside(
        self,
        message: Message,
        queue: str,
        qmgr: str,
        error: MQError,
        *,
        syncpoint: bool,
        reason: int = 0,
        passage: Passage | None = None,
    ) -> Delivered:
        """Deal with a message for these names; `reason` if the header is to say another one than that of the error.

        `passage`: its route is traced, and this is the end of it.
        """
        if error.reason in ENDS_CHANNEL:
            raise Undeliverable(amq(9511, queue, error), error.reason, retry=True) from error
        reason = reason or error.reason
        uses_queue = self._channel.usedlq == C.MQUSEDLQ_YES
        if passage is not None:
            message = passage.undelivered(queue, qmgr, reason, uses_dead_letter_queue=uses_queue)
        try:
            fate, refusal = channel_messages.lay_aside(
                self._manager, self._connection, message, queue, qmgr, reason, syncpoint, uses_queue, passage
            )
        except MQError as trouble:
            raise Undeliverable(amq(9511, queue, trouble), trouble.reason, retry=True) from error
        if fate is None:
            raise self._no_place(error, reason, refusal) from error
        if fate is Fate.DEAD_LETTER:
            self.dead_letters += 1
        else:
            self.discarded += 1
        if self._manager.clock.monotonic() >= self._next_word:
            self.tell()
        return Delivered(fate, reason)

    def _no_place(self, error: MQError, reason: int, refusal: MQError | None) -> Undeliverable:
        """`refusal`: what the dead-letter queue said, if it was asked."""
        channel, deadq = self._channel.name, self._manager.definitions.qmgr.deadq
        if refusal is not None and deadq:
            return Undeliverable(amq(9566, channel, deadq, str(refusal).rstrip("."), error), reason, retry=True)
        why = _MUST_NOT_USE if refusal is None else _HAS_NONE
        return Undeliverable(amq(9565, channel, why, error), reason, retry=False)

    def tell(self) -> None:
        """Say how many messages did not reach their queues since the last time: the first one at once.

        A channel may be busy for weeks, so that neither a heartbeat nor its end is a time to wait for.
        """
        dead_letters, discarded = self.dead_letters - self._told[0], self.discarded - self._told[1]
        if not dead_letters and not discarded:
            return
        deadq = self._manager.definitions.qmgr.deadq
        self._say(amq(9544, self._channel.name, dead_letters, deadq, discarded))
        self._told = self.dead_letters, self.discarded
        self._next_word = self._manager.clock.monotonic() + _WORDS_S
