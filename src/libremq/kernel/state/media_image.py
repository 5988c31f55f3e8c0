"""Media images: the whole state of an object in a linear log, so that it can be made anew from the log alone.

Media recovery needs the last image of an object and the log behind it; `Core.media` has the LSN where that begins for
each object, which is its creation as long as there is no image. A new image moves it forward, and the oldest of them
says which extents are still needed (MEDIALOG).

An image is logged in parts (`image_in_parts`). It counts from its last part on, so one that is cut short by a crash or
a full log only leaves the one before in force. Parts are not needed by a restart: an image may be larger than the log,
and checkpoints make room for it on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, NamedTuple

from libremq.common.messages.amq_messages import amq
from libremq.kernel.objects.object_types import LocalQueue, MQObject
from libremq.kernel.state.image_in_parts import ImageGivenUp, ImageInParts, is_recoverable
from libremq.kernel.state.unit_of_work import GET, Operation
from libremq.log import LogFull
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.store.store_errors import StoreDamaged

if TYPE_CHECKING:
    from libremq.kernel.running import RunningQueueManager
    from libremq.kernel.state.core import Core
    from libremq.kernel.state.queue_state import QueueState
    from libremq.store.queue_store import QueueStore

CATALOGUE = "CATALOG"
_IMAGES_AT_ONCE = 20  # applications have their turn after so many
_EMPTY_POSITION_BYTES = 64 * 1024  # saved handles of more bytes than this are not those of an empty queue

# The types of rcdmqimg and rcrmqobj, and the kinds that they mean
TYPES: dict[str, str] = {
    "all": "*", "*": "*",
    "queue": "QUEUE", "q": "QUEUE",
    "qlocal": "QLOCAL", "ql": "QLOCAL",
    "qalias": "QALIAS", "qa": "QALIAS",
    "qremote": "QREMOTE", "qr": "QREMOTE",
    "qmodel": "QMODEL", "qm": "QMODEL",
    "namelist": "NAMELIST", "nl": "NAMELIST",
    "process": "PROCESS", "prcs": "PROCESS",
    "channel": "CHANNEL", "chl": "CHANNEL",
    "clntconn": "CLNTCONN", "clcn": "CLNTCONN",
    "listener": "LISTENER", "lstr": "LISTENER",
    "service": "SERVICE", "srvc": "SERVICE",
    "topic": "TOPIC", "top": "TOPIC",
    "authinfo": "AUTHINFO",
    "comminfo": "COMMINFO",
    "syncfile": "CHSYNC",
    "qmgr": "QMGR",
    "catalog": CATALOGUE, "ctlg": CATALOGUE,
}  # fmt: skip
_KINDS = (
    "QMGR", "QUEUE", "PROCESS", "NAMELIST", "CHANNEL", "LISTENER", "SERVICE", "TOPIC", "AUTHINFO", "COMMINFO",
    "CHLAUTH", "AUTHREC", "CHSYNC", "CHSTATE", "XAHEUR",
)  # fmt: skip
_SYNC_KINDS = ("CHSYNC", "CHSTATE")  # one file in MQ
# Types of which this release has no objects: they are known, and there is nothing to do for them
_TYPES_WITHOUT_OBJECTS = {"clchltab"}


class MediaResult(NamedTuple):
    """What became of one object: `lsn` is where media recovery of it begins; `problem` is empty if all went well."""

    kind: str
    name: str
    lsn: int = 0
    problem: str = ""


def check_linear(core: Core) -> None:
    """Media recovery needs a log that keeps everything."""
    if not core.log.config.linear:
        raise mq_error(
            C.MQRC_ENVIRONMENT_ERROR,
            core.qmgr_name,
            amq(7044, core.qmgr_name, "media recovery"),
        )


def select(core: Core, type_name: str, pattern: str) -> list[MQObject]:
    """The objects that a type and a full or generic name mean. Temporary queues have no images: they do not last."""
    kind = TYPES.get(type_name.lower())
    if kind is None:
        if type_name.lower() in _TYPES_WITHOUT_OBJECTS:
            return []
        raise mq_error(
            C.MQRC_OBJECT_TYPE_ERROR, core.qmgr_name, f"{type_name!r} is not a type; use one of {', '.join(TYPES)}"
        )
    if kind == CATALOGUE:
        return []
    kinds = _KINDS if kind == "*" else _SYNC_KINDS if kind in _SYNC_KINDS else (kind,)
    found = [obj for one in kinds for obj in core.catalogue.select(one, pattern)]
    return [obj for obj in found if not (isinstance(obj, LocalQueue) and obj.is_temporary)]


def selects_catalogue(type_name: str) -> bool:
    return TYPES.get(type_name.lower()) == CATALOGUE


# One image


def record(core: Core, obj: MQObject, make_room: Callable[[], bool] = lambda: False) -> int:
    """Log an image of the object; the LSN from which media recovery begins now. StoreDamaged if it cannot be read.

    `make_room` is called when the log is full, and says whether there is room now; LogFull if not.
    """
    image = ImageInParts(core, obj)
    while True:
        try:
            if image.log_part():
                return core.media[obj.kind, obj.name]
        except LogFull:
            if not make_room():
                raise


# Images that are recorded without being asked for: they are small, and let go of old extents


def is_old(core: Core, kind: str, name: str) -> bool:
    """Is an extent before the current one needed for media recovery of the object?"""
    extent_bytes = core.log.config.extent_bytes
    return core.media.get((kind, name), 0) // extent_bytes < core.log.tail // extent_bytes


def _has_no_messages(store: QueueStore) -> bool:
    return store.used_count == store.nonpersistent_count


def record_if_empty(core: Core, queue: QueueState) -> None:
    """A message has left the queue: if that was the last persistent one, an image costs next to nothing."""
    if _has_no_messages(queue.store) and is_old(core, queue.definition.kind, queue.name):
        try:
            record(core, queue.definition)
        except LogFull:
            pass  # there will be other moments


def record_emptied(core: Core, operations: Iterable[Operation]) -> None:
    """A unit of work was committed: the same for the queues that it got messages from."""
    for queue in {queue for kind, queue, _, lsn in operations if kind == GET and lsn and not queue.out_of_use}:
        record_if_empty(core, queue)


def record_all(core: Core) -> None:
    """Images of all objects, when the queue manager is made."""
    for obj in core.catalogue:
        record(core, obj)


def record_cheap(core: Core) -> Iterator[None]:
    """Images of all objects but queues with messages; one in the current extent will do. In steps.

    Done at an orderly end, and where LogManagement removes extents at every checkpoint: otherwise an object that nobody
    touches would keep all of them.
    """
    recorded = 0
    for obj in list(core.catalogue):
        if not is_old(core, obj.kind, obj.name) or core.catalogue.find(obj.kind, obj.name) is not obj:
            continue
        recorded += 1
        if recorded % _IMAGES_AT_ONCE == 0:
            yield
            if core.catalogue.find(obj.kind, obj.name) is not obj:
                continue  # gone meanwhile
        try:
            if not isinstance(obj, LocalQueue) or (
                not obj.is_temporary and (not is_recoverable(core, obj) or _seems_empty(core, obj))
            ):
                record(core, obj)
        except LogFull:
            return
        except (StoreDamaged, OSError):
            continue  # it keeps the image that it has


def _seems_empty(core: Core, definition: LocalQueue) -> bool:
    queue = core.queues.get(definition.name)
    if queue is None:
        position = core.positions.get(core.queue_files[definition.name][0])
        if position is not None and position.length > _EMPTY_POSITION_BYTES:
            return False
        queue = core.local_queue(definition)
    return queue.damage is None and _has_no_messages(queue.store)


# rcdmqimg


def record_images(
    manager: RunningQueueManager,
    type_name: str = "all",
    pattern: str = "*",
    lock: AbstractContextManager[object] | None = None,
) -> list[MediaResult]:
    """Record images of the objects that are meant, and take a checkpoint. An object that fails does not stop others.

    The lock is held for one part of an image at a time. MQError on a circular log.
    """
    lock = lock or nullcontext()
    core = manager.core
    results: list[MediaResult] = []
    with lock:
        check_linear(core)
        chosen = select(core, type_name, pattern)
    for obj in chosen:
        with lock:
            if core.catalogue.find(obj.kind, obj.name) is not obj:
                continue
            recoverable = is_recoverable(core, obj)
        result = _record_one(manager, obj, lock)
        if recoverable:
            results.append(result)
        elif pattern == obj.name:
            results.append(MediaResult(obj.kind, obj.name, result.lsn, not_recoverable(obj)))
    with lock:
        if selects_catalogue(type_name):
            # It has no image: it consists of the definitions, which are in the images of all objects
            core.catalogue_changed = True
            results.append(MediaResult(CATALOGUE, core.qmgr_name, min(core.media.values())))
    if chosen or results:
        checkpoint(manager, lock)
    return results


def not_recoverable(obj: MQObject) -> str:
    """Why nobody can do that to an object, and what to do."""
    attribute = "IMGRCOVQ" if isinstance(obj, LocalQueue) else "IMGRCOVO"
    return f"{attribute}(NO): it is not recoverable from images. Alter that to YES, and record an image"


def _record_one(manager: RunningQueueManager, obj: MQObject, lock: AbstractContextManager[object]) -> MediaResult:
    """An image of one object. The lock is held for one part at a time."""
    core = manager.core

    def make_room() -> bool:
        await_checkpoint(manager)
        before = core.log.head
        manager.take_checkpoint()
        return core.log.head > before

    key = obj.kind, obj.name
    try:
        with lock:
            image = ImageInParts(core, obj)
        while True:
            with lock:
                try:
                    if image.log_part():
                        return MediaResult(*key, core.media[key])
                except LogFull:
                    if not make_room():
                        raise
    except (LogFull, StoreDamaged, ImageGivenUp, MQError, OSError) as error:
        problem = str(error) or "it was deleted, or recorded by somebody else, meanwhile"
        return MediaResult(*key, core.media.get(key, 0), problem)


def await_checkpoint(manager: RunningQueueManager) -> None:
    """Have no checkpoint under way. The lock may be given up meanwhile."""
    if manager.core.checkpoint is not None and manager.checkpoints is not None:
        manager.checkpoints.wait()
    if manager.core.checkpoint is not None:
        raise mq_error(C.MQRC_RESOURCE_PROBLEM, manager.name, "a checkpoint is under way; try again after it")


def checkpoint(manager: RunningQueueManager, lock: AbstractContextManager[object]) -> None:
    """Take a checkpoint that begins now."""
    with lock:
        await_checkpoint(manager)
    manager.run_checkpoint(lock)
