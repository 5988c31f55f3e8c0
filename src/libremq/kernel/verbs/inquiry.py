"""MQINQ and MQSET: attributes of open objects by selector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from libremq.kernel.events import configuration_events
from libremq.kernel.objects.catalogue import Inquired, inquire
from libremq.kernel.objects.channel_definitions import Sender, Server
from libremq.kernel.objects.object_types import LocalQueue, MQObject
from libremq.kernel.state import object_changes
from libremq.kernel.state.connection import Connection, ObjectHandle
from libremq.kernel.state.core import Core
from libremq.kernel.state.event_state import EventContext
from libremq.kernel.units import channel_batches
from libremq.kernel.verbs import consumers, getting, triggers
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error


def inquire_object(core: Core, handle: ObjectHandle, selectors: Sequence[int]) -> Inquired:
    """MQINQ: the values in the order of the selectors."""
    if not handle.has(C.MQOO_INQUIRE):
        raise mq_error(C.MQRC_NOT_OPEN_FOR_INQUIRE, handle.object_name, "open it with MQOO_INQUIRE to inquire")
    obj = _current(handle)
    return inquire(obj, selectors, live_values(core, obj))


def _current(handle: ObjectHandle) -> MQObject:
    obj = handle.obj
    if obj is None:
        raise mq_error(
            C.MQRC_SELECTOR_NOT_FOR_TYPE, handle.object_name, "a queue of another queue manager has no attributes here"
        )
    if handle.queue is not None and handle.queue.deleted:
        raise mq_error(C.MQRC_Q_DELETED, handle.object_name, "the dynamic queue no longer exists")
    return obj


def live_values(core: Core, obj: MQObject) -> Mapping[int, int]:
    """What is not defined but counted: depth and open counts of a local queue, and what a channel still has to tell."""
    if isinstance(obj, Sender | Server):
        reset = channel_batches.pending_reset(core, obj.name, obj.xmitq)
        return {} if reset is None else {C.MQIACH_RESET_REQUESTED: reset.reset}
    if not isinstance(obj, LocalQueue) or _is_untouched(core, obj.name):
        return {}
    queue = core.local_queue(obj)
    return {
        C.MQIA_CURRENT_Q_DEPTH: queue.store.depth,
        C.MQIA_OPEN_INPUT_COUNT: queue.input_count,
        C.MQIA_OPEN_OUTPUT_COUNT: queue.output_count,
    }


def _is_untouched(core: Core, name: str) -> bool:
    """Is it a queue that nobody uses, and of which no checkpoint had to save anything? Then it need not be loaded."""
    if name in core.queues:
        return False
    queue_id, _ = core.queue_files[name]
    return queue_id not in core.positions and queue_id not in core.damaged


def set_object(core: Core, connection: Connection, handle: ObjectHandle, values: Mapping[int, int | str]) -> int:
    """MQSET: change the attributes that applications may change; logged like any definition. The log position."""
    if not handle.has(C.MQOO_SET):
        raise mq_error(C.MQRC_NOT_OPEN_FOR_SET, handle.object_name, "open it with MQOO_SET to set attributes")
    obj = _current(handle)
    before = configuration_events.copy_of(obj) if core.catalogue.qmgr.configev else None
    lsn = object_changes.set_attributes(core, obj, values)
    configuration_events.object_changed(core, before, obj, EventContext(connection.user, C.MQEVO_MQSET))
    getting.cancel_inhibited(core, obj)
    consumers.definition_changed(core, obj)
    if isinstance(obj, LocalQueue):
        queue = core.local_queue(obj)
        if triggers.concerns(values):
            triggers.attributes_changed(core, queue)
        core.on_arrival({queue: ()})
    return lsn
