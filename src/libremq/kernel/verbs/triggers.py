"""Triggering: a trigger message on an initiation queue tells a trigger monitor to start whoever serves a queue.

A queue with TRIGGER makes one when a message arrives that counts (TRIGMPRI): the first one (FIRST), each one
(EVERY), or the one that makes up TRIGDPTH (DEPTH, which then turns itself off). FIRST and DEPTH stay silent while
somebody has the queue open for input. All of it needs a process to start and a monitor that reads the initiation
queue; whatever was missing, the conditions are looked at again when it comes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import partial

from libremq.kernel.messages import own_messages
from libremq.kernel.objects.object_types import LocalQueue, Process
from libremq.kernel.state import object_changes
from libremq.kernel.state.core import Core
from libremq.kernel.state.queue_state import QueueState
from libremq.log import LogFull
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD, MQTM
from libremq.store.space_handles import IN_USE, PRIORITY_MASK
from libremq.store.store_errors import StoreFull
from libremq.store.stored_message import Message

_CONCERNS: frozenset[int | str] = frozenset(
    {
        "TRIGGER", "TRIGTYPE", "TRIGMPRI", "TRIGDPTH", "INITQ", "PROCESS", "GET", "PUT",
        C.MQIA_TRIGGER_CONTROL, C.MQIA_TRIGGER_TYPE, C.MQIA_TRIGGER_MSG_PRIORITY, C.MQIA_TRIGGER_DEPTH,
        C.MQCA_INITIATION_Q_NAME, C.MQCA_PROCESS_NAME, C.MQIA_INHIBIT_GET, C.MQIA_INHIBIT_PUT,
    }
)  # fmt: skip
# In `last_trigger_time` while the trigger message of a queue is being put: it may itself land on a triggered queue
# (a dead-letter queue with TRIGTYPE(EVERY), say), and that must end
_NOW_TRIGGERING = math.inf


def concerns(attributes: Iterable[int | str]) -> bool:
    """Whether a change of these attributes (MQSC keywords or selectors) is a matter for `attributes_changed`."""
    return not _CONCERNS.isdisjoint(name.upper() if isinstance(name, str) else name for name in attributes)


# The events


def message_arrived(core: Core, queue: QueueState, slots: Sequence[int]) -> None:
    """Messages became visible: by a put or a commit."""
    definition = queue.definition
    if definition.trigger == C.MQTC_OFF:
        return
    arrived = _counting(queue, slots)
    if not arrived:
        return
    kind = definition.trigtype
    if kind == C.MQTT_EVERY:
        _trigger(core, queue, arrived)
    elif queue.input_count == 0 and (
        (kind == C.MQTT_FIRST and (_count(queue, arrived + 1) <= arrived or _interval_over(core, queue)))
        or (kind == C.MQTT_DEPTH and _count(queue, definition.trigdpth) >= definition.trigdpth)
    ):
        _trigger(core, queue)


def queue_closed(core: Core, queue: QueueState) -> None:
    """An input handle was closed; the last one may have left messages that came between its last get and now."""
    definition = queue.definition
    if definition.trigger == C.MQTC_OFF or definition.trigtype == C.MQTT_EVERY:
        return
    _look_again(core, queue)


def gets_backed_out(core: Core, queue: QueueState) -> None:
    """Messages came back, perhaps after the server that had got them closed the queue. No new ones for EVERY."""
    queue_closed(core, queue)


def initiation_queue_opened(core: Core, queue: QueueState) -> None:
    """A queue was opened for input; if it is an initiation queue, a monitor may just have come to it."""
    if queue.input_count == 1:
        _look_again_at_served(core, queue)


def attributes_changed(core: Core, queue: QueueState) -> None:
    """Attributes that concern triggering were changed, on a triggered queue or on an initiation queue."""
    _look_again(core, queue)
    if queue.input_count:
        _look_again_at_served(core, queue)


def _look_again_at_served(core: Core, initiation_queue: QueueState) -> None:
    served = core.catalogue.triggered.served_by(initiation_queue.name)
    if served:
        for definition in sorted(served, key=partial(_order_of_definition, core)):
            _look_again(core, core.local_queue(definition))


def _order_of_definition(core: Core, definition: LocalQueue) -> int:
    loaded = core.queues.get(definition.name)
    return loaded.id if loaded is not None else core.queue_files[definition.name][0]


def _look_again(core: Core, queue: QueueState) -> None:
    """Trigger if what is on the queue already is enough."""
    definition = queue.definition
    if definition.trigger == C.MQTC_OFF or queue.deleted:
        return
    if queue.input_count and definition.trigtype != C.MQTT_EVERY:
        return
    enough = definition.trigdpth if definition.trigtype == C.MQTT_DEPTH else 1
    if _count(queue, enough) >= enough:
        _trigger(core, queue)


# Which messages count


def _counting(queue: QueueState, slots: Sequence[int]) -> int:
    """How many of these messages have the priority to count."""
    definition = queue.definition
    lowest = definition.trigmpri
    if not lowest:
        return len(slots)
    flags = queue.store.handles.flags
    if definition.msgdlvsq == C.MQMDS_PRIORITY:
        return sum(1 for slot in slots if flags[slot] & PRIORITY_MASK >= lowest)
    return sum(1 for slot in slots if flags[slot] & IN_USE and queue.store.descriptor(slot).Priority >= lowest)


def _count(queue: QueueState, enough: int) -> int:
    """How many messages on the queue count; where they must be read one by one, only until there are enough."""
    definition = queue.definition
    chains = queue.store.chains
    lowest = definition.trigmpri
    if not lowest:
        return len(chains)
    if definition.msgdlvsq == C.MQMDS_PRIORITY:
        return sum(chains.counts[lowest:])
    count = 0
    for slot in chains:
        if queue.store.descriptor(slot).Priority >= lowest:
            count += 1
            if count >= enough:
                break
    return count


def _interval_over(core: Core, queue: QueueState) -> bool:
    """Whether FIRST may remind the monitor of a queue that was not emptied (TRIGINT)."""
    last = queue.last_trigger_time
    return last is None or core.clock.monotonic() - last >= core.catalogue.qmgr.trigint / 1000


# The trigger message


def _trigger(core: Core, queue: QueueState, times: int = 1) -> None:
    """Put trigger messages, if there is a process to start and somebody to start it."""
    definition = queue.definition
    if queue.last_trigger_time == _NOW_TRIGGERING or definition.trigtype == C.MQTT_NONE:
        return
    if definition.get == C.MQQA_GET_INHIBITED:
        return
    trigger = _trigger_message(core, definition)
    monitored = _monitored(core, definition)
    if trigger is None or monitored is None:
        return
    now = core.clock.now()
    before, queue.last_trigger_time = queue.last_trigger_time, _NOW_TRIGGERING
    try:
        if definition.trigtype == C.MQTT_DEPTH:
            object_changes.set_attributes(core, definition, {C.MQIA_TRIGGER_CONTROL: C.MQTC_OFF})
        data = own_messages.header_bytes(trigger, core.catalogue.qmgr.ccsid)
        for _ in range(times):
            message = Message(_descriptor(core, monitored.definition, now), b"", data)
            own_messages.put(core, message, monitored.name, "", None, now)
        before = core.clock.monotonic()
    except (LogFull, StoreFull):
        pass  # the messages that should have been announced are safe, and the next event looks again
    finally:
        queue.last_trigger_time = before


def _trigger_message(core: Core, definition: LocalQueue) -> MQTM | None:
    """What to start; None if nothing is. Only a transmission queue needs no process: TRIGDATA names its channel."""
    trigger = MQTM(QName=definition.name, TriggerData=definition.trigdata, ApplType=C.MQAT_UNKNOWN)
    if not definition.process:
        return trigger if definition.is_transmission_queue else None
    process = core.catalogue.find("PROCESS", definition.process)
    if not isinstance(process, Process):
        return None
    trigger.ProcessName = process.name
    trigger.ApplType, trigger.ApplId = process.appltype, process.applicid
    trigger.EnvData, trigger.UserData = process.envrdata, process.userdata
    return trigger


def _monitored(core: Core, definition: LocalQueue) -> QueueState | None:
    """The initiation queue, if a trigger monitor reads it and nothing keeps a message from reaching it."""
    queue = core.queues.get(definition.initq)
    if queue is None or not queue.input_count or definition.initq == definition.name:
        return None
    target = queue.definition
    if target.is_transmission_queue or target.get == C.MQQA_GET_INHIBITED or target.put == C.MQQA_PUT_INHIBITED:
        return None
    return queue


def _descriptor(core: Core, initiation_queue: LocalQueue, now: float) -> MQMD:
    """Trigger messages are never persistent: after a restart the conditions themselves are looked at again."""
    md = MQMD(
        Version=C.MQMD_VERSION_2, CodedCharSetId=core.catalogue.qmgr.ccsid, Format=C.MQFMT_TRIGGER.strip(),
        Priority=initiation_queue.defprty, Persistence=C.MQPER_NOT_PERSISTENT, MsgId=core.identifiers.next_id(),
        ReplyToQMgr=core.qmgr_name,
    )  # fmt: skip
    own_messages.sign(core, md, now)
    return md
