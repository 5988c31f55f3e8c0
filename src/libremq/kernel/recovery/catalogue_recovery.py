"""Definitions from the log alone: what the object catalogue held at some moment, when its file cannot be read.

In a linear log everything is there from the LSN on where media recovery of an object begins: its last image, or the
record that made it, and every change since. From the lowest of these LSNs on that makes the whole catalogue.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from libremq.common.messages.amq_messages import amq
from libremq.common.names.object_names import fold
from libremq.kernel.recovery.catalogue_file import Content, content_of
from libremq.kernel.recovery.record_contents import image_header
from libremq.kernel.recovery.replay import Purpose, Replay
from libremq.kernel.state import journal
from libremq.kernel.state.journal import CheckpointState, ObjectChange
from libremq.log import LogError, LogFailed, Record
from libremq.store.store_errors import StoreDamaged

if TYPE_CHECKING:
    from libremq.kernel.state.core import Core


class DefinitionHistory(Replay):
    """The definitions as the records that it is given say, in order."""

    purpose = Purpose.DEFINITIONS

    def __init__(self, log_folder: str) -> None:
        super().__init__(log_folder)
        self.entries: dict[tuple[str, str], dict[str, Any]] = {}  # as the catalogue file has them
        self.next_queue_id = 1
        self._begun: dict[tuple[str, str], tuple[int, dict[str, Any]]] = {}  # images without their last part yet

    def define(self, change: ObjectChange, record: Record) -> None:
        key = change.object["kind"], change.object["name"]
        before = self.entries.get(key)
        if key in self._begun:
            # The image says what the object was when it was begun
            first, header = self._begun[key]
            self._begun[key] = first, {**header, "object": change.object}
        self._set(key, change.object, change.id, record, record.lsn if before is None else before["media"])

    def delete(self, change: ObjectChange, record: Record) -> None:
        self.entries.pop((change.kind, change.name), None)
        self._begun.pop((change.kind, change.name), None)

    def install_sync(self, made: dict[str, Any], record: Record) -> None:
        self._set((made["kind"], made["name"]), made, 0, record, record.lsn)

    def image(self, record: Record) -> None:
        header = self.read(image_header, record)
        key = header["kind"], header["name"]
        if not header["first"]:
            self._begun[key] = record.lsn, header
        first, begun = self._begun.get(key, (0, {}))
        if record.flags & journal.MEDIA_LAST and first == (header["first"] or record.lsn):
            del self._begun[key]
            self._set(key, begun["object"], begun.get("id", 0), record, first)

    def _set(self, key: tuple[str, str], made: dict[str, Any], queue_id: int, record: Record, media: int) -> None:
        self.definition(made, record)
        entry = {"object": made, "media": media}
        if queue_id:
            entry["id"] = queue_id
            self.next_queue_id = max(self.next_queue_id, queue_id + 1)
        self.entries[key] = entry


def records(core: Core, from_lsn: int, what: str) -> Iterator[Record]:
    """The log from an LSN on, for media recovery; StoreDamaged, with the extent, if it cannot be read."""
    try:
        yield from core.log.scan(from_lsn)
    except LogFailed:
        raise
    except LogError as error:
        raise StoreDamaged(
            what, core.log.folder, f"media recovery needs the log from LSN {from_lsn} on, and cannot read it: {error}",
            "Put missing extents back from the archive and try again",
        ) from error  # fmt: skip


def rebuild(core: Core, state: CheckpointState, damage: StoreDamaged) -> Content:
    """The content of the catalogue file of a checkpoint, from the log. StoreDamaged if the log does not have it."""
    history = DefinitionHistory(core.log.folder)
    for record in records(core, core.log.media, f"object catalogue ({damage})"):
        if record.lsn >= state.redo:
            break
        history.apply(record)
    objects = list(history.entries.values())
    if not any(entry["object"]["kind"] == "QMGR" for entry in objects):
        raise damage
    for entry in objects:
        if "id" in entry:
            entry["folder"] = state.folders.get(entry["id"], fold(entry["object"]["name"]))
    core.say(amq(7475, core.qmgr_name, damage))
    next_queue_id = max([history.next_queue_id, *(queue_id + 1 for queue_id in state.queues)])
    said = {"log_id": core.log.log_id.hex(), "next_queue_id": next_queue_id, "objects": objects}
    return content_of(said)  # each was read before
