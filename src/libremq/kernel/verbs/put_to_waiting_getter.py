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
from libremq.kernel.state.waiting_gets import BROWSES, WHATEVER_COMES, Got, PackPlain, Waiter
from libremq.kernel.verbs import groups, reports, taking
from libremq.kernel.verbs.matching import Wanted
from libremq.kernel.verbs.plain_gets import is_special
from libremq.mqi import constants as C
from libremq.mqi.descriptor_bytes import FLAGS_AT, FLAGS_END, PERSISTENCE_AT, REPORT_END
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO
from libremq.store.stored_message import Message

_NOT_DIRECT = (
    C.MQGMO_SYNCPOINT | C.MQGMO_BROWSE_FIRST | C.MQGMO_BROWSE_NEXT | C.MQGMO_BROWSE_MSG_UNDER_CURSOR
    | C.MQGMO_LOGICAL_ORDER | C.MQGMO_COMPLETE_MSG | C.MQGMO_ALL_MSGS_AVAILABLE | C.MQGMO_ALL_SEGMENTS_AVAILABLE
)  # fmt: skip
_NOTHING = bytes(4)
_NO_ID = bytes(24)
_NO_TOKEN = bytes(16)


def to_waiting_getter(core: Core, queue: QueueState, message: Message) -> bool:
    """Give the message to the getter whose turn it is, if it can take it so; False if there is none."""
    packed = _packed(message)
    if packed is None:
        md = message.md
        if not groups.is_plain(md) or md.Report & (reports.COD_MASK | reports.COA_MASK):
            return False
        persistent = md.Persistence == C.MQPER_PERSISTENT
    else:
        persistent = packed[PERSISTENCE_AT] == C.MQPER_PERSISTENT
    if queue.definition.trigger == C.MQTC_ON and queue.definition.trigtype == C.MQTT_EVERY:
        return False  # every message that arrives must trigger, so it must arrive
    message_id, correlation_id, _ = message.ids()
    left = core.turns.slice
    waiters = queue.waiters
    for waiter in waiters.in_turn([(crc32(message_id), crc32(correlation_id))] if waiters.look_at_ids else None):
        if waiter.rank == BROWSES or waiter.unfinished:
            continue
        if left <= 0:
            return False  # too many have been asked: the others are, one slice after the other, when it is on the queue
        pack_plain = waiter.pack_plain if packed is not None and waiter.handle.get_group is None else None
        if message.properties and not (waiter.gmo.MsgHandle and waiter.gmo.Options & C.MQGMO_PROPERTIES_IN_HANDLE):
            pack_plain = None
        if waiter.ids is not WHATEVER_COMES:
            left -= LOOK
            if pack_plain is not None:
                if not _has_ids(waiter, message_id, correlation_id):
                    continue
            else:
                wanted = Wanted(waiter.handle, waiter.md, waiter.gmo)
                if wanted.token is not None or not wanted.fits(message.md):
                    continue
                selected = wanted.selects(message)
                left -= wanted.cost
                if not selected:
                    continue
        options = waiter.gmo.Options
        if options & _NOT_DIRECT or (persistent and options & C.MQGMO_SYNCPOINT_IF_PERSISTENT):
            return False  # its turn, but it gets the message by way of the queue
        if pack_plain is not None and packed is not None and not is_special(packed, options):
            handed = _hand_over_packed(waiter, message, packed, pack_plain)
        else:
            handed = _hand_over(core, waiter, message)
        if handed:
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


def _packed(message: Message) -> bytes | None:
    """Its descriptor, if nobody has taken that apart and it asks for nothing: no group, no segment, no report."""
    if not message.is_packed or message.origin is not None:
        return None
    body = message.body
    return body if body[FLAGS_AT:FLAGS_END] == body[:REPORT_END] == _NOTHING else None


def _has_ids(waiter: Waiter, message_id: bytes, correlation_id: bytes) -> bool:
    """Are they those that a get for plain messages wants?"""
    md, match = waiter.md, waiter.gmo.MatchOptions
    return (not match & C.MQMO_MATCH_MSG_ID or md.MsgId in (_NO_ID, message_id)) and (
        not match & C.MQMO_MATCH_CORREL_ID or md.CorrelId in (_NO_ID, correlation_id)
    )


def _hand_over_packed(waiter: Waiter, message: Message, body: bytes, pack: PackPlain) -> bool:
    """What `_hand_over` comes to where there is nothing to decide, without taking the descriptor apart."""
    handle, data = waiter.handle, message.data
    got = Got(data, len(data), lsn=0)  # nothing of it is in the log
    filled = waiter.gmo.copy()
    filled.ResolvedQName = waiter.queue.name
    filled.GroupStatus = filled.SegmentStatus = filled.Segmentation = " "
    filled.MsgToken = _NO_TOKEN
    filled.ReturnedLength = len(data)
    try:
        got.reply = pack(handle.hobj, body, filled, data, message.properties)
    except MQError as error:
        waiter.fail(error)
        return False
    except Exception as error:
        waiter.fail(unexpected(error, waiter.queue.name))  # the message is for the next, or for the queue
        return False
    if handle.has(C.MQOO_SAVE_ALL_CONTEXT):
        handle.save_context(message)
    waiter.complete(got)
    return True


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
        filled.MsgToken = _NO_TOKEN
        filled.ReturnedLength = len(got.data)
    return filled
