"""The dead-letter queue: the last stop of messages that cannot reach their queue.

A message arrives there behind an MQDLH that says why and where it should have gone. Its sender has a say: with
MQRO_DISCARD_MSG it is thrown away instead, and with MQRO_EXCEPTION the sender hears of it, once the message itself
is dealt with.
"""

from __future__ import annotations

from libremq.kernel.messages import own_messages
from libremq.kernel.state.connection import Connection
from libremq.kernel.state.core import Core
from libremq.kernel.state.unit_of_work import UnitOfWork
from libremq.kernel.verbs import reports
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.store.stored_message import Message


def send(
    core: Core,
    message: Message,
    destination_queue: str,
    destination_qmgr: str,
    reason: int,
    unit: UnitOfWork | None,
    now: float,
    by: Connection | None = None,
) -> MQError | None:
    """Deal with an undeliverable message as its sender asked; `by` is the agent that could not deliver it.

    If it has to go to the dead-letter queue, and that does not take it: why. Nothing has happened then, and the caller
    still has the message.
    """
    if not message.md.Report & C.MQRO_DISCARD_MSG:
        refusal = own_messages.bury(core, message, destination_queue, destination_qmgr, reason, unit, now, by)
        if refusal is not None:
            return refusal
    reports.exception(core, message, reason, unit, now, by)
    return None
