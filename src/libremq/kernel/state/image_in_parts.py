"""One media image, logged part by part, while others go on between two parts.

An image of a deep queue takes time, and nobody should have to wait for it. So its parts describe the slots of the
queue in their order, each as it is when its part is logged, and say how far they have come (`upto`). What happens
meanwhile is in the log anyway: media recovery ignores a record about a message that was there before the image and is
not described yet, as the part to come tells what became of it. Messages that come later are not in the image.

An object that is not to be recovered (IMGRCOVO, IMGRCOVQ) has an image without messages: the catalogue needs that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from libremq.kernel.objects.attribute_tables import GENERIC_TYPES
from libremq.kernel.objects.catalogue import to_record
from libremq.kernel.objects.object_types import LocalQueue, MQObject
from libremq.kernel.state import journal
from libremq.log import RecordType
from libremq.mqi import constants as C
from libremq.store.space_handles import GET_PENDING, PERSISTENT, PRIORITY_MASK, PUT_PENDING

if TYPE_CHECKING:
    from libremq.kernel.state.core import Core
    from libremq.store.queue_store import QueueStore

PART_BYTES = 256 * 1024
"""A part of an image is ended when it has this size; with one message alone it may be larger."""

_SLOTS_MAX = 20_000  # that a part looks at, however few messages are in them
_IMAGE_FLAGS = PRIORITY_MASK | PUT_PENDING | GET_PENDING
_OF_DEFINITIONS = frozenset(
    {
        "LISTENER", "NAMELIST", "PROCESS", "QALIAS", "QREMOTE", "SERVICE",
        *GENERIC_TYPES["AUTHINFO"], *GENERIC_TYPES["CHANNEL"],
    }
)  # fmt: skip


class ImageGivenUp(Exception):
    """The object has a newer image, or is no longer there."""


def is_recoverable(core: Core, obj: MQObject) -> bool:
    """IMGRCOVO and IMGRCOVQ: is the object to be recovered from images?"""
    qmgr = core.catalogue.qmgr
    if isinstance(obj, LocalQueue):
        wanted = qmgr.imgrcovq if obj.imgrcovq == C.MQIMGRCOV_AS_Q_MGR else obj.imgrcovq
    elif obj.kind in _OF_DEFINITIONS:
        wanted = qmgr.imgrcovo
    else:
        return True
    return wanted == C.MQIMGRCOV_YES


class ImageInParts:
    """An image under way. All of it is called under the lock, which may be let go between two parts."""

    def __init__(self, core: Core, obj: MQObject) -> None:
        self._core = core
        self._obj = obj
        self._key = obj.kind, obj.name
        self._before = core.media.get(self._key)
        self._first = 0  # LSN of the first part
        self._slot = 0  # the next to be described
        self._sequence_end = 0  # messages with this number, and later ones, came after its beginning
        self._id = core.queue_files.get(obj.name, (0, ""))[0] if isinstance(obj, LocalQueue) else 0
        self._has_messages = False

    def log_part(self) -> bool:
        """Log the next part; True if it was the last. LogFull if there is no room: it can be tried again then."""
        core, log = self._core, self._core.log
        if core.media.get(self._key) != self._before or not self._is_there():
            raise ImageGivenUp
        # Others go on until the first part is logged: it tells of the moment in which it is, not of an earlier one
        header = self._continuation() if self._first else self._beginning()
        pieces: list[bytes] = []
        is_last, upto = True, 0
        if self._has_messages:
            assert isinstance(self._obj, LocalQueue)
            store = core.local_queue(self._obj).store
            upto = self._gather(store, pieces)
            is_last = upto >= len(store.handles)
            header["upto"] = upto
        flags = (journal.MEDIA_LAST if is_last else 0) | (journal.MEDIA_GOES_ON if self._first else 0)
        parts = journal.media_parts(header, pieces)
        lsn = log.append(RecordType.MEDIA_IMAGE, 0, 0, parts, keep=core.kept_bytes, flags=flags)
        if not self._first:
            self._first = core.images_begun[self._id] = lsn
        self._slot = upto
        if log.pressure:
            log.force(lsn)
        if is_last:
            core.media[self._key] = self._first
            core.imaged[self._key] = core.clock.monotonic()
            core.catalogue_changed = True
        return is_last

    def _beginning(self) -> dict[str, Any]:
        core = self._core
        obj = core.catalogue.find(*self._key)
        if obj is None:
            raise ImageGivenUp
        header: dict[str, Any] = {"kind": obj.kind, "name": obj.name, "first": 0, "object": to_record(obj)}
        if isinstance(obj, LocalQueue):
            header["id"], header["folder"] = core.queue_files[obj.name]
            self._has_messages = is_recoverable(core, obj)
            self._sequence_end = core.local_queue(obj).store.next_sequence if self._has_messages else 1
            header["next_sequence"] = self._sequence_end
            if not self._has_messages:
                header["bare"] = True
        return header

    def _continuation(self) -> dict[str, Any]:
        return {"kind": self._obj.kind, "name": self._obj.name, "first": self._first}

    def _is_there(self) -> bool:
        return not self._id or self._core.queue_files.get(self._obj.name, (0, ""))[0] == self._id

    def _gather(self, store: QueueStore, pieces: list[bytes]) -> int:
        """The messages that the next part describes, in whatever state they are; the slot behind them."""
        handles = store.handles
        end = min(len(handles), self._slot + _SLOTS_MAX)
        gathered = 0
        for slot in range(self._slot, end):
            flags = handles.flags[slot]
            if not flags & PERSISTENT or handles.sequence[slot] >= self._sequence_end:
                continue
            row = journal.media_row_parts(
                slot,
                handles.sequence[slot],
                flags & _IMAGE_FLAGS,
                store.backout_count(slot),
                handles.expiry_ms[slot],
                handles.unit[slot],
                store.message(slot).image_parts(),
            )
            pieces += row
            gathered += sum(map(len, row))
            if gathered >= PART_BYTES:
                return slot + 1
        return end
