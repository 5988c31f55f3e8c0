"""Changes of objects: DEFINE, ALTER, MQSET, DELETE, CLEAR, and the records that are kept like objects.

Each is one log record. It either happened and is logged, or the definition is as it was. What is returned is the log
position that the answer depends on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from libremq.kernel.objects.attributes import GivenValue
from libremq.kernel.objects.catalogue import from_record, to_record
from libremq.kernel.objects.object_types import KeyedRecord, LocalQueue, MQObject
from libremq.kernel.state import journal, media_image
from libremq.kernel.state.core import Core
from libremq.kernel.state.queue_state import QueueState
from libremq.log import LogFull
from libremq.log import RecordType as R
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error
from libremq.store.store_errors import StoreDamaged


def define(
    core: Core,
    kind: str,
    name: str,
    attributes: Mapping[str, GivenValue],
    *,
    like: str | None = None,
    replace: bool = False,
) -> int:
    """DEFINE: make the object or replace it."""
    before = core.catalogue.target(kind, name, attributes)
    old = None if before is None else to_record(before)
    made = core.catalogue.define(kind, name, attributes, like=like, replace=replace, now=core.clock.now())
    if isinstance(made, LocalQueue) and before is None:
        core.new_local_queue(made)
    return log_object(core, made, old)


def alter(core: Core, kind: str, name: str, attributes: Mapping[str, GivenValue]) -> int:
    before = core.catalogue.target(kind, name, attributes)
    old = None if before is None else to_record(before)
    changed = core.catalogue.alter(kind, name, attributes, core.clock.now())
    return log_object(core, changed, old)


def set_attributes(core: Core, obj: MQObject, values: Mapping[int, int | str]) -> int:
    old = to_record(obj)
    core.catalogue.set_attributes(obj, values)
    core.definitions_version += 1
    if isinstance(obj, LocalQueue) and obj.is_temporary:
        return 0
    return log_object(core, obj, old)


def install_record(core: Core, record: KeyedRecord) -> int:
    """Log and install an authority record or a channel authentication rule, new or in place of the one before."""
    record.check()
    before = core.catalogue.find(record.kind, record.name)
    old = None if before is None else to_record(before)
    return log_object(core, core.catalogue.install(record), old)


def remove_record(core: Core, kind: str, name: str) -> int:
    """Take out the authority record or rule with this key."""
    return delete(core, kind, name)


def add_dynamic(core: Core, definition: LocalQueue) -> tuple[QueueState, int]:
    """A dynamic queue from a model. Temporary ones are not logged: they die with their creator."""
    core.catalogue.add_dynamic(definition)
    queue = core.new_local_queue(definition)
    return queue, 0 if definition.is_temporary else log_object(core, definition, None)


def log_object(core: Core, obj: MQObject, old: dict[str, Any] | None) -> int:
    """Log a definition that was made or changed. LogFull if there is no room: the old one is put back then."""
    place = core.queue_files[obj.name] if isinstance(obj, LocalQueue) else (0, "")
    try:
        lsn = core.log.append(R.OBJECT, 0, 0, journal.set_parts(to_record(obj), *place), keep=core.kept_bytes)
    except LogFull:
        if old is not None:
            core.catalogue.install(from_record(old))
        else:
            core.catalogue.delete(obj.kind, obj.name)
            if isinstance(obj, LocalQueue):
                core.drop_queue(core.queues[obj.name])
        raise
    core.catalogue_changed = True
    core.definitions_version += 1
    if core.log.config.linear:
        core.media.setdefault((obj.kind, obj.name), lsn)
    return lsn


def delete(
    core: Core, kind: str, name: str, *, purge: bool = False, first: Callable[[MQObject], object] = lambda obj: None
) -> int:
    """DELETE: refused for a queue that is open, or that holds messages unless `purge` says so.

    `first` is called when nothing speaks against it any more: for what must be gone before the object is.
    """
    obj = core.catalogue.find(kind, name)
    if isinstance(obj, LocalQueue):
        queue = _even_if_damaged(core, obj) if purge else core.local_queue(obj)
        if queue.open_handles:
            raise mq_error(C.MQRC_OBJECT_IN_USE, name, "it is open; end its users first")
        if has_uncommitted(core, queue):
            raise mq_error(C.MQRC_Q_NOT_EMPTY, name, "messages on it belong to unfinished units of work")
        if not purge and queue.store.depth:
            raise mq_error(C.MQRC_Q_NOT_EMPTY, name, "it holds messages; empty it or delete it with PURGE")
        first(obj)
        return delete_queue(core, queue)
    obj = core.catalogue.delete(kind, name)
    try:
        first(obj)
        return _log_deletion(core, obj, 0)
    except LogFull:
        core.catalogue.install(obj)
        raise


def _even_if_damaged(core: Core, definition: LocalQueue) -> QueueState:
    """For a deletion that throws away the messages in any case."""
    try:
        return core.local_queue(definition)
    except StoreDamaged:
        return core.queues[definition.name]


def delete_queue(core: Core, queue: QueueState) -> int:
    obj = queue.definition
    lsn = 0
    if queue.recoverable:
        lsn = _log_deletion(core, obj, queue.id)
    core.catalogue.delete(obj.kind, obj.name)
    core.drop_queue(queue)
    return lsn


def clear_queue(core: Core, queue: QueueState) -> int:
    """CLEAR: one record, however deep the queue is. The caller has seen to it that nobody uses the queue."""
    lsn = 0
    if queue.recoverable and len(queue.store.chains):
        parts = journal.clear_parts(queue.id)
        lsn = core.log.append(R.OBJECT, 0, 0, parts, reserve=True, keep=core.kept_bytes)
    slots = list(queue.store.chains)
    statistics = queue.statistics
    statistics.high_depth = max(statistics.high_depth, queue.store.depth)
    statistics.dequeued += len(slots)
    for slot in slots:
        queue.unlink(slot)
        queue.store.remove(slot)
    if lsn and core.media:
        media_image.record_if_empty(core, queue)
    if slots and core.catalogue.qmgr.perfmev:
        core.on_get(queue)
    return lsn


def _log_deletion(core: Core, obj: MQObject, queue_id: int) -> int:
    core.catalogue_changed = True
    core.definitions_version += 1
    parts = journal.delete_parts(obj.kind, obj.name, queue_id)
    lsn = core.log.append(R.OBJECT, 0, 0, parts, reserve=True, keep=core.kept_bytes)
    core.media.pop((obj.kind, obj.name), None)
    core.imaged.pop((obj.kind, obj.name), None)
    return lsn


def has_uncommitted(core: Core, queue: QueueState) -> bool:
    """Have units of work put or got messages on it, and not ended?"""
    if queue.damage is None:
        return queue.store.has_uncommitted
    # Its store has nothing, but what was done to it is still to be committed or backed out
    return any(operation.queue is queue for unit in core.units.values() for operation in unit.operations)
