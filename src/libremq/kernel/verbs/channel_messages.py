"""What the agents of message channels do with one message, besides getting it: store it, put it, lay it aside.

These are verbs as those of applications are, with a connection of the agent's own; what an arriving message may do is
decided by the same plan (`put_plan`). A message comes with its descriptor, and keeps it as it is.
"""

from __future__ import annotations

from enum import Enum

from libremq.kernel.authority import object_authority
from libremq.kernel.events.channel_events import channel_event
from libremq.kernel.messages.put_plan import CHANNEL, PutPlan, plan_of
from libremq.kernel.messages.time_to_live import expires_ms
from libremq.kernel.state.connection import Connection, Destination, ObjectHandle
from libremq.kernel.state.verb_result import Answer
from libremq.kernel.verb_calls import VerbCalls, connection_verb, verb
from libremq.kernel.verbs import dead_letter, opening, putting, reports
from libremq.kernel.verbs.activities import Arrival, Departure, Passage, Tracer
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQOD
from libremq.store.stored_message import Message


class Fate(Enum):
    """What became of a message."""

    PUT = "put"
    DEAD_LETTER = "dead-letter"
    DISCARDED = "discarded"
    RETRY = "retry"


# Messages that arrive


@verb
def check_names(manager: VerbCalls, connection: Connection, od: MQOD, *, by_context: bool) -> None:
    """Refuse names that no message may arrive for.

    `by_context`: another user is to put it. The context of a message is the agent's to set all the same, so that is
    asked of its own user.
    """
    core = manager.core
    opening.check_put1(core, od)  # a model queue must not make a queue for every message
    if by_context:
        local = od.ObjectQMgrName in ("", core.qmgr_name)
        found = core.catalogue.find_queue(od.ObjectName) if local else None
        if found is not None or not local:
            object_authority.check_queue(core, connection, od, C.MQOO_SET_ALL_CONTEXT, found)


def plan_for(manager: VerbCalls, destination: Destination) -> PutPlan:
    """What the definitions say about puts there."""
    return plan_of(manager.core, destination)


@connection_verb
def store(
    manager: VerbCalls,
    connection: Connection,
    plan: PutPlan,
    message: Message,
    priority: int,
    persistent: bool,
    expiry: int,
    syncpoint: bool,
) -> Answer[bool]:
    """The short way, for a put that means no more than to store the message. False, with nothing done, if it does."""
    core, queue = manager.core, plan.queue
    unit = None
    if syncpoint:
        unit = connection.xa_unit or connection.unit
        if unit is None or core.unit_closed_because(unit, limited=CHANNEL.is_limited):
            return False, 0, connection
    elif queue.waiters:
        return False, 0, connection  # from hand to hand
    if connection.is_lost or plan.closed_because(core, C.MQPMO_NONE) or plan.no_room_because(len(message.data)):
        return False, 0, connection
    expires = expires_ms(expiry, core.clock.now())
    lsn = core.put(queue, message, priority, persistent, expires, unit)
    if unit is not None:
        unit.message_count += 1
    return True, lsn, connection


@connection_verb
def put(
    manager: VerbCalls,
    connection: Connection,
    handle: ObjectHandle,
    destination: Destination,
    message: Message,
    syncpoint: bool,
    arrival: Arrival | None,
) -> Answer[None]:
    """Put a message through an open queue, its descriptor as it is. `arrival`: its route is traced."""
    core, md = manager.core, message.md
    plan, unit = putting.open_for_arrival(core, connection, handle, destination, md, syncpoint=syncpoint)
    # A fast message is nobody's unit of work, whatever the agent has under way
    owner = connection if syncpoint or md.Persistence == C.MQPER_PERSISTENT else None
    by = None if handle.alternate_user else connection
    if arrival is None:
        return None, putting.deliver(core, owner, plan, message, unit, core.clock.now(), CHANNEL, by), connection
    with core.all_or_nothing(unit) as whole:  # a message that is tried again must not be there already
        putting.deliver(core, owner, plan, message, whole, core.clock.now(), CHANNEL, by)
        arrival.finish(whole)
    return None, whole.end_lsn, connection


# Messages that go no further, at either end


@connection_verb
def lay_aside(
    manager: VerbCalls,
    connection: Connection,
    message: Message,
    queue: str,
    qmgr: str,
    reason: int,
    syncpoint: bool,
    uses_dead_letter_queue: bool,
    passage: Passage | None,
) -> Answer[tuple[Fate | None, MQError | None]]:
    """Deal with a message that cannot be put, as its sender asked, with the report; None if there is no way to.

    Behind it what the dead-letter queue said, if it was asked and did not take the message.
    """
    core = manager.core
    if connection.is_lost:
        raise mq_error(C.MQRC_BACKED_OUT, queue, "the queue manager backed the batch out to release log space")
    now = core.clock.now()
    discards = bool(message.md.Report & C.MQRO_DISCARD_MSG)
    with core.all_or_nothing(core.syncpoint_unit(connection, limited=False) if syncpoint else None) as unit:
        fate, refusal = None, None
        if discards or uses_dead_letter_queue:
            refusal = dead_letter.send(core, message, queue, qmgr, reason, unit, now, connection)
            if refusal is None:
                fate = Fate.DISCARDED if discards else Fate.DEAD_LETTER
        if fate is None and not syncpoint and message.md.Persistence != C.MQPER_PERSISTENT:
            reports.exception(core, message, reason, unit, now, connection)
            fate = Fate.DISCARDED
        if fate is not None and passage is not None:
            passage.finish(unit)
    return (fate, refusal), unit.end_lsn, connection


@verb
def expire(manager: VerbCalls, connection: Connection, message: Message, syncpoint: bool) -> None:
    """It is discarded; if its sender asked to be told, that is in one unit of work with the get."""
    core = manager.core
    unit = core.syncpoint_unit(connection, limited=False) if syncpoint else None
    reports.expired(core, message, unit, core.clock.now(), in_transit=True)


@verb
def tell_conversion_failed(
    manager: VerbCalls, channel: str, reason: int, data_format: str, xmitq: str, connection_name: str
) -> None:
    """CONVERT(YES), and a message could not be converted: an event says so."""
    channel_event(
        manager.core, C.MQRC_CHANNEL_CONV_ERROR, channel=channel, xmitq=xmitq, connection_name=connection_name,
        conversion_reason=reason, data_format=data_format,
    )  # fmt: skip


# Routes


def tracer(
    manager: VerbCalls,
    connection: Connection,
    *,
    channel: str,
    channel_type: int,
    partner: str,
    xmitq: str = "",
    supports: bool = True,
) -> Tracer:
    """Records the activities of one agent; see `Tracer`."""
    return Tracer(
        manager.core, connection, channel=channel, channel_type=channel_type, partner=partner, xmitq=xmitq,
        supports=supports,
    )  # fmt: skip


@verb
def report_departure(manager: VerbCalls, connection: Connection, departure: Departure, syncpoint: bool) -> None:
    departure.finish(manager.core.syncpoint_unit(connection, limited=False) if syncpoint else None)
