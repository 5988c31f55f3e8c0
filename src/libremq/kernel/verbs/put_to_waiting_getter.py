"""Put to a waiting getter: from the putter's hand to the getter's, with no queue and no log between.

Both must be outside syncpoint. Persistent messages may go this way too: they are never on disk, and who dies before the
getter has returned takes them along, which is MQ's bargain for a persistent message outside syncpoint on both sides
(docs/concepts.md, "From hand to hand").
"""

from __future__ import annotations

from libremq.common.checksum import crc32
from libremq.kernel.events import performance_events
from libremq.kernel.state.core import Core
from libremq.kernel.state.failure_reasons import unexpected
from libremq.kernel.state.queue_state import QueueState
from libremq.kernel.state.turns import LOOK
from libremq.kernel.state.waiting_gets import BROWSES, WHATEVER_COMES, Got, Waiter
from libremq.kernel.verbs import groups, reports, taking
from libremq.kernel.verbs.matching import Wanted
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO
from libremq.store.stored_message import Message

_NOT_DIRECT = (
    C.MQGMO_SYNCPOINT | C.MQGMO_BROWSE_FIRST | C.MQGMO_BROWSE_NEXT | C.MQGMO_BROWSE_MSG_UNDER_CURSOR
    | C.MQGMO_LOGICAL_ORDER | C.MQGMO_COMPLETE_MSG | C.MQGMO_ALL_MSGS_AVAILABLE | C.MQGMO_ALL_SEGMENTS_AVAILABLE
)  # fmt: skip


def to_waiting_getter(core: Core, queue: QueueState, message: Message) -> bool:
    """Give the message to the getter whose turn it is, if it can take it so; False if there is none."""
    md = message.md
    if not groups.is_plain(md) or md.Report & (reports.COD_MASK | reports.COA_MASK):
        return False
    if queue.definition.trigger == C.MQTC_ON and queue.definition.trigtype == C.MQTT_EVERY:
        return False  # every message that arrives must trigger, so it must arrive
    persistent = md.Persistence == C.MQPER_PERSISTENT
    left = core.turns.slice
    waiters = queue.waiters
    for waiter in waiters.in_turn([(crc32(md.MsgId), crc32(md.CorrelId))] if waiters.look_at_ids else None):
        if waiter.rank == BROWSES or waiter.unfinished:
            continue
        if left <= 0:
            return False  # too many have been asked: the others are, one slice after the other, when it is on the queue
        if waiter.ids is not WHATEVER_COMES:
            wanted = Wanted(waiter.handle, waiter.md, waiter.gmo)
            left -= LOOK
            if wanted.token is not None or not wanted.fits(md):
                continue
            selected = wanted.selects(message)
            left -= wanted.cost
            if not selected:
                continue
        options = waiter.gmo.Options
        if options & _NOT_DIRECT or (persistent and options & C.MQGMO_SYNCPOINT_IF_PERSISTENT):
            return False  # its turn, but it gets the message by way of the queue
        if _hand_over(core, waiter, message):
            queue.statistics.enqueued += 1
            queue.statistics.dequeued += 1
            queue.statistics.last_put = queue.statistics.last_get = core.clock.now()
            if core.is_monitored(queue.definition):
                queue.statistics.monitoring.passed_through()
            if core.catalogue.qmgr.perfmev:
                performance_events.message_handed_over(core, queue)
            return True
        if not waiter.done:
            return False
    return False


def _hand_over(core: Core, waiter: Waiter, message: Message) -> bool:
    handle, gmo = waiter.handle, waiter.gmo
    out = message.md.copy()
    group, grouped = None, handle.get_group is not None
    try:
        got, out = taking.shape(
            core, handle.connection, handle, message, out, message.data, waiter.md, gmo, waiter.buffer_length
        )
        if got.reason == C.MQRC_TRUNCATED_MSG_FAILED:
            return False  # it stays on the queue, and the waiter is told when it is there
        if grouped:
            group = taking.group_after(handle, message, gmo.Options, got)
        out.Version = waiter.md.Version
        filled = _filled(waiter, message, got)
        if waiter.pack is not None:
            got.reply = taking.packed(waiter.pack, handle, waiter.queue, out, filled, got)
    except MQError as error:
        waiter.fail(error)
        return False
    except Exception as error:
        waiter.fail(unexpected(error, waiter.queue.name))  # the message is for the next, or for the queue
        return False
    waiter.md.__dict__, gmo.__dict__ = out.__dict__, filled.__dict__
    if handle.has(C.MQOO_SAVE_ALL_CONTEXT):
        handle.save_context(message)
    if grouped:
        taking.note_group(handle, gmo.Options, group)
    got.lsn = 0  # nothing of it is in the log
    waiter.complete(got)
    return True


def _filled(waiter: Waiter, message: Message, got: Got) -> MQGMO:
    filled = waiter.gmo.copy()
    filled.ResolvedQName = waiter.queue.name
    if filled.Version >= C.MQGMO_VERSION_2:
        groups.fill_status(filled, message.md, False)
    if filled.Version >= C.MQGMO_VERSION_3:
        filled.MsgToken = bytes(16)
        filled.ReturnedLength = len(got.data)
    return filled
