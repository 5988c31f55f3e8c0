"""Put to a waiting getter: from the putter's hand to the getter's, with no queue and no log between.

Both must be outside syncpoint. Persistent messages may go this way too: they are never on disk, and who dies before the
getter has returned takes them along, which is MQ's bargain for a persistent message outside syncpoint on both sides
(docs/concepts.md, "From hand to hand").
"""

from __future__ import annotations

from zlib import crc32

from libremq.kernel.events import performance_events
from libremq.kernel.state.core import Core
from libremq.kernel.state.queue_state import QueueState
from libremq.kernel.state.waiting_gets import BROWSES, WHATEVER_COMES, Waiter
from libremq.kernel.verbs import getting, groups, reports
from libremq.kernel.verbs.matching import Wanted
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.store.stored_message import Message

_NOT_DIRECT = (
    C.MQGMO_SYNCPOINT | C.MQGMO_BROWSE_FIRST | C.MQGMO_BROWSE_NEXT | C.MQGMO_BROWSE_MSG_UNDER_CURSOR
    | C.MQGMO_LOGICAL_ORDER | C.MQGMO_COMPLETE_MSG | C.MQGMO_ALL_MSGS_AVAILABLE | C.MQGMO_ALL_SEGMENTS_AVAILABLE
)  # fmt: skip


def to_waiting_getter(core: Core, queue: QueueState, message: Message, now: float) -> bool:
    """Give the message to the getter whose turn it is, if it can take it so; False if there is none."""
    md = message.md
    if not groups.is_plain(md) or md.Report & (reports.COD_MASK | reports.COA_MASK):
        return False
    if queue.definition.trigger == C.MQTC_ON and queue.definition.trigtype == C.MQTT_EVERY:
        return False  # every message that arrives must trigger, so it must arrive
    persistent = md.Persistence == C.MQPER_PERSISTENT
    waiters = queue.waiters
    for waiter in waiters.in_turn([(crc32(md.MsgId), crc32(md.CorrelId))] if waiters.look_at_ids else None):
        if waiter.rank == BROWSES:
            continue
        if waiter.ids is not WHATEVER_COMES:
            wanted = Wanted(waiter.handle, waiter.md, waiter.gmo)
            if wanted.token is not None or not wanted.fits(md) or not wanted.selects(message):
                continue
        options = waiter.gmo.Options
        if options & _NOT_DIRECT or (persistent and options & C.MQGMO_SYNCPOINT_IF_PERSISTENT):
            return False  # its turn, but it gets the message by way of the queue
        if _hand_over(core, waiter, message):
            queue.statistics.enqueued += 1
            queue.statistics.dequeued += 1
            queue.statistics.last_put = queue.statistics.last_get = core.clock.now()
            if core.catalogue.qmgr.perfmev:
                performance_events.message_handed_over(core, queue)
            return True
        if not waiter.done:
            return False
    return False


def _hand_over(core: Core, waiter: Waiter, message: Message) -> bool:
    handle, gmo = waiter.handle, waiter.gmo
    out = message.md.copy()
    try:
        got, out = getting.shape(
            core, handle.connection, handle, message, out, message.data, waiter.md, gmo, waiter.buffer_length
        )
    except MQError as error:
        waiter.fail(error)
        return False
    if got.reason == C.MQRC_TRUNCATED_MSG_FAILED:
        return False  # it stays on the queue, and the waiter is told when it is there
    version = waiter.md.Version
    waiter.md.__dict__ = out.__dict__.copy()
    waiter.md.Version = version
    gmo.ResolvedQName = waiter.queue.name
    if gmo.Version >= C.MQGMO_VERSION_2:
        groups.fill_status(gmo, message.md, False)
    if gmo.Version >= C.MQGMO_VERSION_3:
        gmo.MsgToken = bytes(16)
        gmo.ReturnedLength = len(got.data)
    if handle.has(C.MQOO_SAVE_ALL_CONTEXT):
        handle.saved_context = message.md
    if handle.get_group is not None:
        getting.note_group(handle, message, gmo.Options, got)
    got.lsn = 0  # nothing of it is in the log
    waiter.complete(got)
    return True
