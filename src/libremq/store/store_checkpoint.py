"""One checkpoint of one queue's store, in four steps, so that verbs go on while it is written.

`capture` notes the state, under the lock and without touching the disk: copies of the handle rows that changed,
and the messages whose images the file lacks, with blocks for them. `write` brings that to disk and may run in another
thread. `done` follows when the checkpoint record is on disk, `failed` when there will be none.

In between the disk may be asked for either state, that of the last completed checkpoint or the captured one. So what
either describes keeps its blocks until `done`, and a captured message stays in memory until its image is in the file.
After `failed` all is as if nothing had been captured, except that more is kept than must be.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import TYPE_CHECKING

from libremq.store import queue_file_images, spilling, tidying
from libremq.store.handle_file import ENTRY, Entry, HandlePosition
from libremq.store.queue_file_images import Image, Run
from libremq.store.space_handles import GET_PENDING, IN_USE, NONE, PERSISTENT, PUT_PENDING, SAVED_FLAGS, HandleSnapshot
from libremq.store.store_errors import failed_write

if TYPE_CHECKING:
    from libremq.store.queue_store import QueueStore

_BACKOUTS_MAX = 65535  # what an entry can hold
_SMALL_BYTES = 65536  # a handle file is not begun anew below this size


def capture(store: QueueStore, *, keep_nonpersistent: bool = False) -> StoreCheckpoint | None:
    """Begin a checkpoint of the present state; None if the last one still describes it."""
    forgotten = store.in_progress
    if forgotten is not None:
        # Its capture was interrupted on the way back to the caller
        assert not forgotten._write_begun, "the checkpoint before has neither ended nor failed"
        forgotten.failed()
    others = _others(store) if keep_nonpersistent and store.nonpersistent_count else set[int]()
    changed = store._changed | others if others else store._changed
    if not changed:
        tidying.tidy(store)
        return None
    checkpoint = StoreCheckpoint(store, changed, others)
    try:
        store.in_progress = checkpoint
        store.read_ahead.forget()
        checkpoint._capture()
    except BaseException:
        checkpoint.failed()
        raise
    return checkpoint


def _others(store: QueueStore) -> set[int]:
    """Non-persistent messages, but for those of units of work in doubt: no log says what becomes of them."""
    unlike = PERSISTENT | PUT_PENDING | GET_PENDING
    return {slot for slot, flags in enumerate(store.handles.flags) if flags & (IN_USE | unlike) == IN_USE}


class StoreCheckpoint:
    """A captured state on its way to disk. All but `write` is called under the lock."""

    __slots__ = (
        "_backouts", "_before", "_changed", "_count", "_fragments", "_gone", "_images", "_images_written", "_live",
        "_next_sequence", "_others", "_release", "_renew", "_rows", "_store", "_unsynced", "_write_begun", "_written",
    )  # fmt: skip

    def __init__(self, store: QueueStore, changed: set[int], others: set[int]) -> None:
        self._store = store
        self._changed = changed
        self._others = others  # non-persistent messages that it describes too
        self._images: list[Image] = []
        self._write_begun = False
        self._images_written = False
        self._written = False
        self._unsynced = (False, False)
        self._live: list[int] = []  # slots that changed and are described
        self._gone: list[int] = []  # slots that the checkpoint before may describe and this one does not
        self._release: list[Run] = []  # blocks that only the checkpoint before needs
        self._renew = False
        self._count = 0
        self._rows: HandleSnapshot | None = None
        self._backouts: dict[int, int] = {}
        self._fragments: dict[int, list[int]] = {}
        self._next_sequence = 0
        self._before = HandlePosition()  # what the record of the checkpoint before names

    @property
    def has_nonpersistent(self) -> bool:
        """Does it describe non-persistent messages (NPMCLASS(HIGH) at an orderly end)?"""
        return bool(self._others)

    @property
    def makes_files(self) -> bool:
        """Does `write` make the first file of the queue? Then its folder may be new: one sync of theirs is for all."""
        return self._unsynced[1] or not self._store._handle_file.position.generation

    @property
    def bytes(self) -> int:
        """About what `write` will write."""
        return sum(image.message.weight for image in self._images) + ENTRY.size * self._count

    def _capture(self) -> None:
        store, changed, others = self._store, self._changed, self._others
        self._place_images()
        flags = store.handles.flags
        live = [slot for slot in changed if flags[slot] & PERSISTENT or slot in others]
        # A file that has grown to several times the live handles is begun anew, with all of them; and so it is if they
        # are far fewer than those to be said gone: the checkpoint of a queue that was emptied needs next to no space
        handled = store._handle_file.position.length
        every = store.used_count - store.nonpersistent_count + len(others)
        self._renew = (
            handled > _SMALL_BYTES + 3 * ENTRY.size * (store._saved_count + len(live))
            or ENTRY.size * (len(changed) - every) > _SMALL_BYTES
        )
        self._next_sequence = store.next_sequence
        if self._renew:
            self._count = every
            self._rows = HandleSnapshot(store.handles)
            self._backouts = store._backout_counts.copy()
            scattered: Set[int] = store._fragments.keys()
        else:
            live.sort()
            self._count = len(changed)
            self._rows = HandleSnapshot(store.handles, live)
            self._backouts = {slot: store._backout_counts[slot] for slot in store._backout_counts.keys() & changed}
            scattered = store._fragments.keys() & changed
        self._fragments = {
            slot: store._fragments[slot] for slot in scattered if flags[slot] & PERSISTENT or slot in others
        }
        self._live = live
        self._note_saved()
        self._release, store._release_later = store._release_later, []
        store._changed = set()

    def _place_images(self) -> None:
        """Every message that is to be described and has no blocks yet is in its buffer, and goes to the file."""
        store, placed = self._store, self._images
        nonpersistent, persistent = store._buffers
        queue_file_images.place(store, persistent.items(), placed)
        if self._others:
            others = ((slot, nonpersistent[slot]) for slot in nonpersistent if slot in self._others)
            queue_file_images.place(store, others, placed)
        if placed:
            store._in_flight = {image.slot: image.message for image in placed}
        self._unsynced = store._file.take_unsynced(writes=bool(placed))

    def _note_saved(self) -> None:
        """From now on a slot counts as saved if either state describes it."""
        store, saved = self._store, self._store._saved
        if len(saved) < len(store.handles):
            saved.extend(bytes(len(store.handles) - len(saved)))
        fresh = [slot for slot in self._live if not saved[slot]]
        for slot in fresh:
            saved[slot] = 1
        store._saved_count += len(fresh)

    def write(self) -> HandlePosition:
        """Bring it to disk, durable when this returns, but for the folder that holds the queue's: see `makes_files`.

        The log is forced as far as the capture, and no lock is needed.

        StoreFull or OSError without space, StoreFailed if a sync failed; `failed` must follow either.
        """
        store = self._store
        self._write_begun = True
        self._before = store._handle_file.position
        latest = max((image.message.lsn for image in self._images), default=0)
        assert not latest or latest < store._log.durable(), "the log must be on disk before the data"
        if self._images:
            try:
                file = store._file.for_checkpoint()
                queue_file_images.write(file, self._images, sync=lambda: store._file.sync((True, False)))
            except OSError as error:
                raise failed_write(store.name, "write to", error) from error
        self._images_written = True
        store._file.sync(self._unsynced)
        self._gone = sorted(self._changed.difference(self._live))
        self._release = _joined(self._release)
        position = store._handle_file.append(
            self._count, self._entries(), self._fragments, self._next_sequence,
            renew=self._renew, folder_changed=self._unsynced[1],
        )  # fmt: skip
        self._written = True
        self._rows = None
        return position

    def _entries(self) -> Iterator[Entry]:
        """What the batch says: the rows that it describes, and the slots that are free again."""
        assert self._rows is not None
        backouts, others, changed = self._backouts, self._others, self._changed
        every = self._renew
        for row in self._rows.rows():
            slot, sequence, message_hash, correl_hash, expiry_ms, flags, length, block, unit = row
            if (flags & PERSISTENT or slot in others) and (every or slot in changed):
                count = min(backouts.get(slot, 0), _BACKOUTS_MAX)
                flags &= SAVED_FLAGS
                yield slot, sequence, message_hash, correl_hash, expiry_ms, flags, count, length, block, unit
        if not every:
            for slot in self._gone:
                yield slot, 0, 0, 0, 0, 0, 0, 0, NONE, 0

    def done(self) -> None:
        """The checkpoint record is on disk: give back what only the checkpoint before described.

        If `write` did not finish, the record names the position before, and this is the same as `failed`.
        """
        store = self._store
        if not self._written:
            self.failed()
            return
        if not self._end():
            return
        store._in_flight = {}
        saved = store._saved
        gone = [slot for slot in self._gone if saved[slot]]
        for slot in gone:
            saved[slot] = 0
        store._saved_count -= len(gone)
        store.space.release_all(self._release)
        # An orderly end saves non-persistent messages. Should the queue manager go on, the next checkpoint drops them.
        store._changed |= self._others
        try:
            store._handle_file.drop_other_generations()
        except OSError:
            pass  # nobody reads them; the next checkpoint tries again
        tidying.tidy(store)

    def failed(self, *, give_back: bool = False) -> None:
        """`write` failed, or the checkpoint as a whole: as if nothing had been captured.

        `give_back` the space, too, of what was written; only if no checkpoint record can name it.
        """
        store = self._store
        if not self._end():
            return
        store._changed |= self._changed
        store._release_later = self._release + store._release_later
        store._file.give_back_unsynced(self._unsynced)
        # Only a batch whose images are all in the file can be named by a checkpoint record, now or ever
        if give_back or not self._images_written:
            spilling.put_back(store, queue_file_images.take_back(store, self._images))
        store._in_flight = {}
        store._saved_count = store._saved.count(1)
        if give_back:
            if self._written:
                store._handle_file.take_back(self._before)
            tidying.cut_if_oversized(store)

    def _end(self) -> bool:
        """It is over; False if it was before, or if the store was closed meanwhile and only waited for this."""
        store = self._store
        if store.in_progress is not self:
            return False
        store.in_progress = None
        if store.is_closed:
            store.close()
            return False
        return True


def _joined(runs: list[Run]) -> list[Run]:
    """The same blocks in fewer runs: messages that were got in order lie one behind the other."""
    joined: list[Run] = []
    first, count = NONE, 0
    for block, more in runs:
        if block == first + count:
            count += more
        else:
            if count:
                joined.append((first, count))
            first, count = block, more
    if count:
        joined.append((first, count))
    return joined
