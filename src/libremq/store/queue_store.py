"""The message store of one local queue: handles, chains, buffers, queue file, and their checkpoints.

A message enters through `insert`, is seen by gets from `link` on, and leaves through `remove`. Its data stays in
a buffer (one for persistent messages, one for the others) until the buffer is full; then a batch of messages goes
to the queue file in one write, persistent ones only when the log that describes them is on disk (contract 3).

A checkpoint writes what the file does not hold yet, then the handles that changed. Blocks that the last completed
checkpoint describes are not used again before the next one completes. So at any instant the disk holds the state of
that checkpoint, whole, and a restart replays the log onto it.
"""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain, takewhile
from zlib import crc32

from libremq.common.files import Files
from libremq.mqi.structs import MQMD
from libremq.store.chains import Chains
from libremq.store.errors import StoreDamaged, StoreFull
from libremq.store.handle_file import ENTRY, ENTRY_SLOT, Entry, HandleFile, HandlePosition
from libremq.store.handles import (
    FRAGMENTED,
    GET_PENDING,
    GROUPED,
    IN_USE,
    LINKED,
    NEVER,
    NONE,
    PERSISTENT,
    PUT_PENDING,
    SAVED_FLAGS,
    HandleTable,
)  # fmt: skip
from libremq.store.message import ImageDamaged, Message, from_image
from libremq.store.queue_file import QueueFile
from libremq.store.space import BLOCK_BYTES, SpaceMap, blocks_for
from libremq.store.space import NONPERSISTENT as NONPERSISTENT_DATA
from libremq.store.space import PERSISTENT as PERSISTENT_DATA

DETAILS_MAX = 512
_LATEST_BYTES_MAX = 64 * 1024
_NO_ID = bytes(24)
# A file is cut when it is larger than needed by both of these
_OVERSIZE_BYTES = 16 * 1024
_OVERSIZE_PERCENT = 1


@dataclass(frozen=True)
class StoreLimits:
    """Sizes of the buffers of each queue (DefaultQBufferSize, DefaultPQBufferSize) and of its file."""

    nonpersistent_buffer_bytes: int = 128 * 1024
    persistent_buffer_bytes: int = 256 * 1024
    file_blocks_max: int = 2**31 - 1


@dataclass(frozen=True)
class LogGate:
    """What the store needs of the log: is a record on disk yet, and if it must be, put it there.

    Its id goes in the header of every file, so that one of another queue manager is not taken for ours.
    """

    durable: Callable[[], int]
    force: Callable[[int], None]
    log_id: bytes = bytes(8)


class QueueStore:
    """Messages of one queue. Not thread-safe: the kernel runs one verb at a time."""

    def __init__(
        self, files: Files, folder: str, queue_id: int, name: str, log: LogGate, limits: StoreLimits | None = None
    ) -> None:
        self.queue_id = queue_id
        self.name = name
        self.folder = folder
        self._files = files
        self._log = log
        self._limits = limits or StoreLimits()
        self.handles = HandleTable()
        self.chains = Chains(self.handles)
        self.space = SpaceMap(self._limits.file_blocks_max)
        self.groups: dict[bytes, list[int]] = {}  # the linked slots of each group
        self._group_ids: dict[int, bytes] = {}  # by slot: a commit must not have to read the file
        self.pending_puts = 0
        self.next_sequence = 1
        self._file = QueueFile(files, folder, queue_id, name, log.log_id)
        self._handle_file = HandleFile(files, folder, queue_id, name, log.log_id)
        self._buffers: tuple[dict[int, Message], dict[int, Message]] = ({}, {})  # by is-persistent
        self._buffer_bytes = [0, 0]
        self._buffer_limits = (self._limits.nonpersistent_buffer_bytes, self._limits.persistent_buffer_bytes)
        self._latest_slot = NONE  # the message read last: a search looks at it, then the get takes it
        self._latest: Message | None = None
        self._details: OrderedDict[int, MQMD] = OrderedDict()
        self._fragments: dict[int, list[int]] = {}
        self._backout_counts: dict[int, int] = {}
        self._changed: set[int] = set()  # slots that the next checkpoint must write
        self._saved = bytearray()  # by slot: does the last checkpoint describe it
        self._saved_count = 0
        self._release_later: list[tuple[int, int]] = []  # blocks that the last checkpoint still describes
        self._release_next: list[tuple[int, int]] = []  # those that the checkpoint in progress no longer does
        self._recovering = False
        self.spilled_messages = 0

    # Messages in and out

    @property
    def depth(self) -> int:
        """CURDEPTH: committed messages that no unit of work has got, and uncommitted puts."""
        return self.chains.count + self.pending_puts

    def make_room(self, message: Message, persistent: bool) -> None:
        """Before a put: have buffer space for it, writing older messages to the file; StoreFull if that fails."""
        limit = self._buffer_limits[persistent]
        if self._buffer_bytes[persistent] + message.weight > limit:
            self._spill(persistent, limit)

    def insert(
        self,
        message: Message,
        priority: int,
        persistent: bool,
        expiry_ms: int = NEVER,
        unit: int = 0,
        *,
        slot: int = NONE,
        sequence: int = 0,
    ) -> int:
        """Give the message a handle; `link` makes it visible. Slot and sequence come from the log in a replay."""
        handles = self.handles
        if slot == NONE:
            slot = handles.new_slot()
        else:
            handles.take_slot(slot)
            if handles.flags[slot]:
                raise StoreDamaged(self.name, self.folder, f"slot {slot} is put twice by the log", "Keep the files")
        if not sequence:
            sequence = self.next_sequence
        if sequence >= self.next_sequence:
            self.next_sequence = sequence + 1
        md = message.md
        flags = IN_USE | priority
        if persistent:
            flags |= PERSISTENT
            self._changed.add(slot)
        if unit:
            flags |= PUT_PENDING
            self.pending_puts += 1
            handles.unit[slot] = unit
        if md.GroupId != _NO_ID:
            flags |= GROUPED
            self._group_ids[slot] = md.GroupId
        handles.flags[slot] = flags
        handles.sequence[slot] = sequence
        handles.message_hash[slot] = crc32(md.MsgId)
        handles.correl_hash[slot] = crc32(md.CorrelId)
        handles.expiry_ms[slot] = expiry_ms
        self._buffers[persistent][slot] = message
        self._buffer_bytes[persistent] += message.weight
        return slot

    def link(self, slot: int) -> None:
        """Make it available to gets: put and committed, or a backed-out get."""
        flags = self.handles.flags
        state = flags[slot]
        if state & (PUT_PENDING | GET_PENDING):
            if state & PUT_PENDING:
                self.pending_puts -= 1
            flags[slot] = state & ~(PUT_PENDING | GET_PENDING)
            self.handles.unit[slot] = 0
            if state & PERSISTENT:
                self._changed.add(slot)
        self.chains.link(slot)
        if state & GROUPED:
            self.groups.setdefault(self._group_ids[slot], []).append(slot)

    def unlink(self, slot: int, unit: int = 0) -> None:
        """Take it out of reach of other gets; with a unit of work until `link` or `remove`."""
        handles = self.handles
        self.chains.unlink(slot)
        state = handles.flags[slot]
        if unit:
            handles.flags[slot] = state | GET_PENDING
            handles.unit[slot] = unit
            if state & PERSISTENT:
                self._changed.add(slot)
        if state & GROUPED:
            group_id = self._group_ids[slot]
            members = self.groups[group_id]
            members.remove(slot)
            if not members:
                del self.groups[group_id]

    def remove(self, slot: int) -> None:
        """The message is gone: free its handle and its space. It must be unlinked."""
        handles = self.handles
        state = handles.flags[slot]
        assert state & IN_USE and not state & LINKED
        persistent = bool(state & PERSISTENT)
        message = self._buffers[persistent].pop(slot, None)
        if message is not None:
            self._buffer_bytes[persistent] -= message.weight
        if state & PUT_PENDING:
            self.pending_puts -= 1
        if handles.block[slot] != NONE or state & FRAGMENTED:
            self._free_blocks(slot, state)
        if self._details:
            self._details.pop(slot, None)
        if self._backout_counts:
            self._backout_counts.pop(slot, None)
        if state & GROUPED:
            del self._group_ids[slot]
        if slot == self._latest_slot:
            self._latest_slot, self._latest = NONE, None
        if persistent:
            if self._is_saved(slot):
                self._changed.add(slot)
            else:
                self._changed.discard(slot)
        if self._recovering:
            handles.flags[slot] = 0
            handles.block[slot] = NONE
            handles.unit[slot] = 0
        else:
            handles.free_slot(slot)

    def _free_blocks(self, slot: int, state: int) -> None:
        if state & FRAGMENTED:
            runs = [(block, 1) for block in self._fragments.pop(slot)]
        else:
            runs = [(self.handles.block[slot], blocks_for(self.handles.length[slot]))]
        if self._is_saved(slot):
            self._release_later += runs
        else:
            for first, count in runs:
                self.space.release(first, count)

    def _is_saved(self, slot: int) -> bool:
        return slot < len(self._saved) and self._saved[slot] == 1

    def message(self, slot: int) -> Message:
        """The message, from its buffer or from the queue file."""
        state = self.handles.flags[slot]
        assert state & IN_USE
        message = self._buffers[bool(state & PERSISTENT)].get(slot)
        if message is None:
            if slot == self._latest_slot and self._latest is not None:
                return self._latest
            message = self._read(slot, state)
            if message.weight <= _LATEST_BYTES_MAX:
                self._latest_slot, self._latest = slot, message
            self._remember(slot, message.md)
        return message

    def descriptor(self, slot: int) -> MQMD:
        """Its descriptor, from the details cache if it is there."""
        md = self._details.get(slot)
        if md is not None:
            self._details.move_to_end(slot)
            return md
        return self.message(slot).md

    def _remember(self, slot: int, md: MQMD) -> None:
        self._details[slot] = md
        if len(self._details) > DETAILS_MAX:
            self._details.popitem(last=False)

    def _read(self, slot: int, state: int) -> Message:
        length = self.handles.length[slot]
        if state & FRAGMENTED:
            blocks = self._fragments[slot]
            image = b"".join(
                self._file.read(block, min(BLOCK_BYTES, length - index * BLOCK_BYTES))
                for index, block in enumerate(blocks)
            )
        else:
            image = self._file.read(self.handles.block[slot], length)
        try:
            message = from_image(image)
        except ImageDamaged as error:
            raise self._file.damaged_block(self.handles.block[slot], str(error)) from None
        md = message.md
        if (crc32(md.MsgId), crc32(md.CorrelId)) != (self.handles.message_hash[slot], self.handles.correl_hash[slot]):
            raise self._file.damaged_block(self.handles.block[slot], "another message is there")
        return message

    # Backout counts: few messages have one, so they are kept beside the handles

    def backout_count(self, slot: int) -> int:
        return self._backout_counts.get(slot, 0)

    def set_backout_count(self, slot: int, count: int) -> None:
        self._backout_counts[slot] = count
        if self.handles.flags[slot] & PERSISTENT:
            self._changed.add(slot)

    # Writing to the queue file

    def _spill(self, persistent: bool, limit: int) -> None:
        """Write the buffer's messages to the file, all that the log permits, and drop them from memory."""
        buffer = self._buffers[persistent]
        slots: Iterable[int] = buffer
        if persistent:
            if self._buffer_bytes[1] > 4 * limit:
                # One unit of work has filled the buffer several times over and nobody forced the log for it
                self._log.force(max(message.lsn for message in buffer.values()))
            durable = self._log.durable()
            # The buffer is in the order of the log: the first that is not on disk yet ends the search
            slots = takewhile(lambda slot: buffer[slot].lsn < durable, buffer)
        slots = list(slots)
        self._write_images(slots)
        for slot in slots:
            message = buffer.pop(slot)
            self._buffer_bytes[persistent] -= message.weight
        self.spilled_messages += len(slots)

    def _write_images(self, slots: Iterable[int]) -> None:
        """Give these buffered messages blocks in the file; adjacent ones go out in one write."""
        handles = self.handles
        first, at, pieces = NONE, NONE, list[bytes]()
        written: list[tuple[int, int, int]] = []
        try:
            for slot in slots:
                state = handles.flags[slot]
                if handles.block[slot] != NONE or state & FRAGMENTED:
                    continue
                persistent = bool(state & PERSISTENT)
                message = self._buffers[persistent][slot]
                length = message.weight
                count = blocks_for(length)
                code = PERSISTENT_DATA if persistent else NONPERSISTENT_DATA
                if count > 1 and self._scattered(count):
                    self._write_scattered(slot, message.to_image(), count, code)
                    continue
                block = self.space.allocate_run(count, code)
                if block < 0:
                    raise StoreFull(f"{self.name}: the queue file has reached its largest size (MAXFSIZE)")
                written.append((slot, block, length))
                if block != at:
                    if pieces:
                        self._file.write(first, b"".join(pieces))
                    first, pieces = block, []
                at = block + count
                pieces += message.image_parts()
                pieces.append(bytes(count * BLOCK_BYTES - length))
            if pieces:
                self._file.write(first, b"".join(pieces))
        except (OSError, StoreFull) as error:
            # The messages are still in the buffer: only the space is given back
            for _, block, length in written:
                self.space.release(block, blocks_for(length))
            if isinstance(error, StoreFull):
                raise
            raise StoreFull(f"{self.name}: cannot write to its queue file: {error}") from error
        for slot, block, length in written:
            handles.block[slot] = block
            handles.length[slot] = length

    def _scattered(self, count: int) -> bool:
        """Use single blocks when more than half of the file is free and yet no gap is long enough."""
        space = self.space
        return space.free_blocks >= count and 2 * space.free_blocks > space.file_blocks and not space.has_gap(count)

    def _write_scattered(self, slot: int, image: bytes, count: int, code: int) -> None:
        blocks = self.space.allocate_scattered(count, code)
        try:
            for index, block in enumerate(blocks):
                self._file.write(block, image[index * BLOCK_BYTES : (index + 1) * BLOCK_BYTES])
        except OSError:
            for block in blocks:
                self.space.release(block, 1)
            raise
        self._fragments[slot] = blocks
        self.handles.flags[slot] |= FRAGMENTED
        self.handles.length[slot] = len(image)

    # Checkpoints

    @property
    def needs_checkpoint(self) -> bool:
        return bool(self._changed)

    @property
    def position(self) -> HandlePosition:
        return self._handle_file.position

    def checkpoint(self, *, keep_nonpersistent: bool = False) -> bool:
        """Bring the files up to the present state; the log is forced already. `checkpoint_done` must follow.

        With `keep_nonpersistent` (NPMCLASS(HIGH) at an orderly end) the other messages are saved too, those of units
        of work in doubt aside: no log says what became of them. Returns whether there were any.
        """
        flags = self.handles.flags
        others = set[int]()
        if keep_nonpersistent:
            unlike = PERSISTENT | PUT_PENDING | GET_PENDING
            others = {slot for slot in range(len(flags)) if flags[slot] & (IN_USE | unlike) == IN_USE}
            self._changed |= others
        if not self._changed:
            return False
        live = array(
            "i",
            (
                slot
                for slot in sorted(self._changed)
                if slot < len(flags) and (flags[slot] & PERSISTENT or slot in others)
            ),
        )
        self._write_images(live)
        self._file.sync()
        # A file that has grown to several times the live handles is begun anew
        renew = self._handle_file.position.length > 65536 + 3 * ENTRY.size * (self._saved_count + len(live))
        if renew:
            live = array("i", (slot for slot in range(len(flags)) if flags[slot] & PERSISTENT or slot in others))
        gone = [] if renew else sorted(self._changed.difference(live))
        entries = chain(map(self._entry, live), ((slot, 0, 0, 0, 0, 0, 0, 0, NONE, 0) for slot in gone))
        fragments = {slot: self._fragments[slot] for slot in live if flags[slot] & FRAGMENTED}
        self._handle_file.append(len(live) + len(gone), entries, fragments, self.next_sequence, renew=renew)
        self._note_saved(live)
        self._release_next += self._release_later
        self._release_later = []
        return bool(others)

    def _note_saved(self, live: array[int]) -> None:
        saved = self._saved
        if len(saved) < len(self.handles):
            saved.extend(bytes(len(self.handles) - len(saved)))
        for slot in self._changed:
            if slot < len(saved) and saved[slot]:
                saved[slot] = 0
                self._saved_count -= 1
        for slot in live:
            if not saved[slot]:
                saved[slot] = 1
                self._saved_count += 1
        self._changed = set()

    def checkpoint_done(self) -> None:
        """The checkpoint is complete on disk: give back what the one before it still described."""
        for first, count in self._release_next:
            self.space.release(first, count)
        self._release_next = []
        if self._handle_file.position.generation:
            self._handle_file.drop_other_generations()
        self._truncate_if_oversized()
        if not any(self.handles.flags) and not self._saved_count:
            self._shrink_tables()

    def _truncate_if_oversized(self) -> None:
        actual, required = self.space.file_blocks, self.space.required_blocks()
        excess = (actual - required) * BLOCK_BYTES
        if excess > _OVERSIZE_BYTES and excess * 100 > required * BLOCK_BYTES * _OVERSIZE_PERCENT:
            self._file.truncate(required)
            self.space.shrink(required)

    def _shrink_tables(self) -> None:
        """An empty queue gives its memory back (a deep one had some 50 bytes a message)."""
        if len(self.handles) > 1024:
            self.handles.clear()
            self.chains.clear()
            self._saved = bytearray()

    def _entry(self, slot: int) -> Entry:
        handles = self.handles
        return (
            slot, handles.sequence[slot], handles.message_hash[slot], handles.correl_hash[slot],
            handles.expiry_ms[slot], handles.flags[slot] & SAVED_FLAGS, min(self._backout_counts.get(slot, 0), 65535),
            handles.length[slot], handles.block[slot], handles.unit[slot],
        )  # fmt: skip

    # Load, clear, close

    def load(self, position: HandlePosition) -> None:
        """Have the state that a checkpoint described; the log is replayed onto it."""
        assert not len(self.handles)
        self._recovering = True
        if not position.generation:
            self._file.renew()
            return
        for batch in self._handle_file.load(position):
            self._load_entries(batch.entries)
            self._fragments.update(batch.fragments)
            self.next_sequence = batch.next_sequence
        if not any(self.handles.flags):
            self._file.renew()
            return
        self._load_space()
        self._load_chains()

    def _load_entries(self, entries: bytes) -> None:
        """Fill the rows straight from the file: a list of a million entries would take several times their memory."""
        if not entries:
            return
        handles = self.handles
        handles.extend_to(1 + max(slot for (slot,) in ENTRY_SLOT.iter_unpack(entries)))
        for row in ENTRY.iter_unpack(entries):
            slot, sequence, message_hash, correl_hash, expiry_ms, flags, backouts, length, block, unit = row
            handles.sequence[slot] = sequence
            handles.message_hash[slot] = message_hash
            handles.correl_hash[slot] = correl_hash
            handles.expiry_ms[slot] = expiry_ms
            handles.flags[slot] = flags
            handles.length[slot] = length
            handles.block[slot] = block
            handles.unit[slot] = unit
            if backouts:
                self._backout_counts[slot] = backouts
            elif self._backout_counts:
                self._backout_counts.pop(slot, None)
            if self._fragments and not flags & FRAGMENTED:
                self._fragments.pop(slot, None)

    def _load_space(self) -> None:
        """The space map is what the handles say; two that claim one block, or one outside the file, are damage."""
        handles, space = self.handles, self.space
        self._saved = bytearray(len(handles))
        file_blocks = self._file.size_blocks() + 1
        for slot, flags in enumerate(handles.flags):
            if not flags:
                continue
            code = PERSISTENT_DATA if flags & PERSISTENT else NONPERSISTENT_DATA
            block = handles.block[slot]
            if flags & FRAGMENTED:
                fine = all(space.claim(part, 1, code, file_blocks) for part in self._fragments[slot])
            else:
                fine = space.claim(block, blocks_for(handles.length[slot]), code, file_blocks)
            if not fine:
                raise self._file.damaged_block(block, f"handle {slot} points outside the file or into another message")
            self._saved[slot] = 1
            self._saved_count += 1
        space.back(file_blocks - 1)

    def _load_chains(self) -> None:
        handles = self.handles
        sequence = handles.sequence
        linked = array("i")
        latest, in_order = 0, True
        for slot, flags in enumerate(handles.flags):
            if flags & GROUPED:
                self._group_ids[slot] = self.descriptor(slot).GroupId
            if flags & PUT_PENDING:
                self.pending_puts += 1
            elif flags and not flags & GET_PENDING:
                linked.append(slot)
                in_order = in_order and sequence[slot] > latest
                latest = sequence[slot]
        if not in_order:
            linked = array("i", sorted(linked, key=sequence.__getitem__))
        self.chains.link_in_order(linked)
        if self._group_ids:
            for slot in linked:
                if slot in self._group_ids:
                    self.groups.setdefault(self._group_ids[slot], []).append(slot)

    def recovered(self) -> None:
        """The replay is over: rows may be given out again.

        Non-persistent messages that an orderly end saved are marked changed: the next checkpoint drops them from
        the saved state, so that a crash after it does not bring them back.
        """
        self._recovering = False
        self.handles.recount_free()
        flags = self.handles.flags
        for slot, saved in enumerate(self._saved):
            if saved and flags[slot] & (IN_USE | PERSISTENT) == IN_USE:
                self._changed.add(slot)

    def close(self) -> None:
        self._file.close()
        self._handle_file.close()

    def delete_files(self) -> None:
        """The queue is gone and a checkpoint knows it."""
        self.close()
        self._files.remove_folder(self.folder)
