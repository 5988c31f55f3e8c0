"""The message store of one local queue: handles, chains, buffers, queue file, and their checkpoints.

A message enters through `insert`, is seen by gets from `link` on, and leaves through `remove`. Its data stays in
a buffer (one for persistent messages, one for the others) until the buffer is full; then a batch of messages goes
to the queue file in one write, persistent ones only when the log that describes them is on disk (contract 3).

A checkpoint (store_checkpoint.py) writes what the file does not hold yet, then the handles that changed, while verbs
go on. Blocks that the last completed checkpoint describes are not used again before the next one completes. So at any
instant the disk holds the state of that checkpoint, whole, and a restart replays the log onto it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from libremq.common.checksum import crc32
from libremq.common.files.file_layer import Files
from libremq.mqi.structs import MQMD
from libremq.store import loading, spilling, store_checkpoint
from libremq.store.chains import Chains
from libremq.store.handle_file import HandleFile, HandlePosition
from libremq.store.queue_file import QueueFile
from libremq.store.queue_file_images import Run
from libremq.store.queue_file_read_ahead import ReadAhead
from libremq.store.space_handles import (
    FRAGMENTED,
    GET_PENDING,
    GROUPED,
    IN_USE,
    LINKED,
    NEVER,
    NONE,
    PERSISTENT,
    PRIORITY_MASK,
    PUT_PENDING,
    HandleTable,
    fill_rows,
)  # fmt: skip
from libremq.store.space_map import BLOCK_BYTES, SpaceMap, blocks_for
from libremq.store.store_checkpoint import StoreCheckpoint
from libremq.store.store_errors import damaged_queue
from libremq.store.stored_message import Message

DETAILS_MAX = 512
_LATEST_BYTES_MAX = 64 * 1024
_NO_ID = bytes(24)
_BLOCKS_A_MEGABYTE = 2**20 // BLOCK_BYTES
_EXCESS_PART = 8  # by so much of its limit a file may exceed it until somebody should do something about it


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
    """Messages of one queue. Not thread-safe: the kernel runs one verb at a time, a checkpoint's `write` aside."""

    def __init__(
        self, files: Files, folder: str, queue_id: int, name: str, log: LogGate, limits: StoreLimits | None = None
    ) -> None:
        self.queue_id = queue_id
        self.name = name
        self.folder = folder
        self._files = files
        self._log = log
        self._limits = limits or StoreLimits()
        self._buffer_limits = (self._limits.nonpersistent_buffer_bytes, self._limits.persistent_buffer_bytes)
        self.in_progress: StoreCheckpoint | None = None  # from its capture until it is done or has failed
        self.before_change: Callable[[], None] | None = None
        """Called before anything changes, if a checkpoint has begun and is still to capture the state as it is."""
        self.is_closed = False
        self.spilled_messages = 0
        self._empty()

    def _empty(self) -> None:
        """Have no messages and no open files: a new store, or one that could not be loaded."""
        self.handles = HandleTable()
        self.chains = Chains(self.handles)
        self.space = SpaceMap(self._limits.file_blocks_max)
        self.megabytes_max = -1
        self.groups: dict[bytes, list[int]] = {}  # the linked slots of each group
        self._group_ids: dict[int, bytes] = {}  # by slot: a commit must not have to read the file
        self.pending_puts = 0
        self.next_sequence = 1
        self._file = QueueFile(self._files, self.folder, self.queue_id, self.name, self._log.log_id)
        self.read_ahead = ReadAhead(self._file)
        self._handle_file = HandleFile(self._files, self.folder, self.queue_id, self.name, self._log.log_id)
        self._used = [0, 0]  # rows in use, by is-persistent
        self._message_blocks = 0  # what all messages take in the file, when they are all there
        self._buffers: tuple[dict[int, Message], dict[int, Message]] = ({}, {})  # by is-persistent
        self._buffer_bytes = [0, 0]
        self._in_flight: dict[int, Message] = {}  # captured: they have blocks, but their image may not be there yet
        self._spilled_at = -1  # how far the log was on disk when the buffer of persistent messages was last written out
        self._latest_slot = NONE  # the message read last: a search looks at it, then the get takes it
        self._latest: Message | None = None
        self._details: OrderedDict[int, MQMD] = OrderedDict()
        self._fragments: dict[int, list[int]] = {}
        self._backout_counts: dict[int, int] = {}
        self._changed: set[int] = set()  # slots that the next checkpoint must write
        self._saved = bytearray()  # by slot: does the last completed checkpoint describe it, or the one in progress
        self._saved_count = 0
        self._release_later: list[Run] = []  # blocks of messages that were saved: free when the next one is complete
        self._recovering = False

    # Messages in and out

    @property
    def depth(self) -> int:
        """CURDEPTH: committed messages that no unit of work has got, and uncommitted puts."""
        return self.chains.count + self.pending_puts

    @property
    def file_bytes(self) -> int:
        """Size of the queue file."""
        return self._file.size_blocks() * BLOCK_BYTES

    @property
    def file_bytes_max(self) -> int:
        """What it may grow to."""
        return self.space.blocks_wanted * BLOCK_BYTES

    @property
    def used_count(self) -> int:
        """Messages in whatever state, those that units of work have put or got among them."""
        return self._used[0] + self._used[1]

    @property
    def nonpersistent_count(self) -> int:
        """The non-persistent ones of these."""
        return self._used[0]

    @property
    def is_empty(self) -> bool:
        return not self.used_count

    @property
    def has_uncommitted(self) -> bool:
        """Are there messages that units of work have put or got? They are here, and not within reach of gets."""
        return self.used_count > self.chains.count

    def make_room(self, message: Message, persistent: bool) -> None:
        """Before a put: have buffer space for it, writing older messages to the file; StoreFull if that fails."""
        self.make_room_for(message.weight, persistent)

    def make_room_for(self, weight: int, persistent: bool) -> None:
        """The same, for messages of this weight."""
        limit = self._buffer_limits[persistent]
        if self._buffer_bytes[persistent] + weight > limit and (
            not persistent or self._log.durable() != self._spilled_at or self._buffer_bytes[1] > 4 * limit
        ):
            spilling.spill(self, persistent, limit)

    def has_buffer_for(self, weight: int, persistent: bool) -> bool:
        """Is the buffer large enough for it, once it is empty?"""
        return weight <= self._buffer_limits[persistent]

    def would_spill(self, message: Message, persistent: bool) -> bool:
        """Is the buffer too full for the message?"""
        return self._buffer_bytes[persistent] + message.weight > self._buffer_limits[persistent]

    # The limit of the file (MAXFSIZE)

    def keep_within(self, megabytes: int) -> None:
        """Have a file of this size at most; -1 for the largest that there is. A lower limit drops no messages."""
        self.megabytes_max = megabytes
        blocks_max = self.space.blocks_max
        self.space.blocks_wanted = blocks_max if megabytes < 0 else min(megabytes * _BLOCKS_A_MEGABYTE, blocks_max)

    def has_room_for(self, message: Message) -> bool:
        """Would the messages fit in a file of the size that it is to stay within, with this one?"""
        return self._message_blocks + blocks_for(message.weight) < self.space.blocks_wanted  # one is the header

    @property
    def holds_too_much(self) -> bool:
        """Is the file larger than it should be, for space that messages have left and the last checkpoint describes?"""
        wanted = self.space.blocks_wanted
        return self.space.used_blocks() > wanted + wanted // _EXCESS_PART

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
        if self.before_change is not None:
            self.before_change()
        handles = self.handles
        if slot == NONE:
            slot = handles.new_slot()
        else:
            handles.take_slot(slot)
            if handles.flags[slot]:
                raise damaged_queue(self.name, self.folder, f"the log puts a message in slot {slot}, which is in use")
        if not sequence:
            sequence = self.next_sequence
        if sequence >= self.next_sequence:
            self.next_sequence = sequence + 1
        message_id, correlation_id, group_id = message.ids()
        flags = IN_USE | priority
        if persistent:
            flags |= PERSISTENT
            self._changed.add(slot)
        if unit:
            flags |= PUT_PENDING
            self.pending_puts += 1
            handles.unit[slot] = unit
        if group_id != _NO_ID:
            flags |= GROUPED
            self._group_ids[slot] = group_id
        handles.flags[slot] = flags
        handles.sequence[slot] = sequence
        handles.message_hash[slot] = crc32(message_id)
        handles.correl_hash[slot] = crc32(correlation_id)
        handles.expiry_ms[slot] = expiry_ms
        self._used[persistent] += 1
        weight = message.weight
        self._message_blocks += (weight + BLOCK_BYTES - 1) // BLOCK_BYTES
        self._buffers[persistent][slot] = message
        self._buffer_bytes[persistent] += weight
        return slot

    def insert_run(
        self,
        messages: Sequence[Message],
        ids: list[bytes],
        priority: int,
        persistent: bool,
        expiry_ms: int = NEVER,
        unit: int = 0,
    ) -> list[int]:
        """`insert` for messages of no group; `ids`: MsgId and CorrelId of each."""
        if self.before_change is not None:
            self.before_change()
        handles = self.handles
        slots = handles.new_slots(len(messages))
        state = IN_USE | priority
        if persistent:
            state |= PERSISTENT
            self._changed.update(slots)
        if unit:
            state |= PUT_PENDING
            self.pending_puts += len(slots)
        fill_rows(
            slots, ids, state, self.next_sequence, expiry_ms, unit, handles.flags, handles.sequence,
            handles.message_hash, handles.correl_hash, handles.expiry_ms, handles.unit,
        )  # fmt: skip
        self.next_sequence += len(slots)
        self._used[persistent] += len(slots)
        bytes_, blocks = 0, 0
        for message in messages:
            weight = message.weight
            bytes_ += weight
            blocks += (weight + BLOCK_BYTES - 1) // BLOCK_BYTES
        self._message_blocks += blocks
        self._buffers[persistent].update(zip(slots, messages, strict=True))
        self._buffer_bytes[persistent] += bytes_
        return slots

    def withdraw_run(self, slots: Sequence[int]) -> None:
        """It was not to be: as if `insert_run` had not been called."""
        self.next_sequence = self.handles.sequence[slots[0]]
        for slot in reversed(slots):
            self.remove(slot)

    def link(self, slot: int) -> None:
        """Make it available to gets: put and committed, or a backed-out get."""
        if self.before_change is not None:
            self.before_change()
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

    def link_run(self, slots: Sequence[int]) -> None:
        """`link` for messages whose sequence numbers rise."""
        handles = self.handles
        flags, units = handles.flags, handles.unit
        priority = flags[slots[0]] & PRIORITY_MASK
        for slot in slots:
            if flags[slot] & (PRIORITY_MASK | GROUPED) != priority:
                for one in slots:
                    self.link(one)
                return
        if self.before_change is not None:
            self.before_change()
        for slot in slots:
            state = flags[slot]
            if state & (PUT_PENDING | GET_PENDING):
                if state & PUT_PENDING:
                    self.pending_puts -= 1
                flags[slot] = state & ~(PUT_PENDING | GET_PENDING)
                units[slot] = 0
                if state & PERSISTENT:
                    self._changed.add(slot)
        self.chains.link_run(slots)

    def unlink_run(self, slots: Sequence[int], unit: int = 0) -> None:
        """`unlink` for the first messages of a chain, in their order."""
        handles = self.handles
        flags = handles.flags
        for slot in slots:
            if flags[slot] & GROUPED:
                for one in slots:
                    self.unlink(one, unit)
                return
        if self.before_change is not None:
            self.before_change()
        self.chains.unlink_run(slots)
        if unit:
            for slot in slots:
                state = flags[slot]
                flags[slot] = state | GET_PENDING
                handles.unit[slot] = unit
                if state & PERSISTENT:
                    self._changed.add(slot)

    def unlink(self, slot: int, unit: int = 0) -> None:
        """Take it out of reach of other gets; with a unit of work until `link` or `remove`."""
        if self.before_change is not None:
            self.before_change()
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
        if self.before_change is not None:
            self.before_change()
        handles = self.handles
        state = handles.flags[slot]
        assert state & IN_USE and not state & LINKED
        persistent = bool(state & PERSISTENT)
        message = self._buffers[persistent].pop(slot, None)
        if message is not None:
            weight = message.weight
            self._buffer_bytes[persistent] -= weight
        else:
            weight = handles.length[slot]
        self._message_blocks -= (weight + BLOCK_BYTES - 1) // BLOCK_BYTES
        if self._in_flight:
            self._in_flight.pop(slot, None)
        self._used[persistent] -= 1
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

    def remove_run(self, slots: Sequence[int]) -> None:
        """`remove` for several."""
        if self.before_change is not None:
            self.before_change()  # first of all: a capture leaves other sets behind, and messages in flight
        handles = self.handles
        flags, block, units, free = handles.flags, handles.block, handles.unit, handles.free_slots
        lengths, in_file = handles.length, list[tuple[int, int]]()
        buffers, changed, saved = self._buffers, self._changed, self._saved
        if self._in_flight or self._details or self._backout_counts or self._recovering:
            for slot in slots:
                self.remove(slot)
            return
        rows, blocks, bytes_, used = len(saved), 0, [0, 0], [0, 0]
        for slot in slots:
            state = flags[slot]
            persistent = bool(state & PERSISTENT)
            message = buffers[persistent].get(slot)
            if state & (LINKED | PUT_PENDING | GROUPED | FRAGMENTED) or slot == self._latest_slot:
                self.remove(slot)
                continue
            assert state & IN_USE
            if message is not None:
                del buffers[persistent][slot]
                weight = message.weight
                bytes_[persistent] += weight
            else:
                weight = lengths[slot]
            count = blocks_for(weight)
            blocks += count
            used[persistent] += 1
            is_saved = slot < rows and saved[slot] == 1
            if block[slot] != NONE:
                (self._release_later if is_saved else in_file).append((block[slot], count))
                block[slot] = NONE
            if persistent:
                if is_saved:
                    changed.add(slot)
                else:
                    changed.discard(slot)
            flags[slot] = 0
            units[slot] = 0
            free.append(slot)
        if in_file:
            self.space.release_all(in_file)
        self._message_blocks -= blocks
        for persistent in (False, True):
            self._buffer_bytes[persistent] -= bytes_[persistent]
            self._used[persistent] -= used[persistent]

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
        """The message, from its buffer, from a checkpoint under way, or from the queue file."""
        state = self.handles.flags[slot]
        assert state & IN_USE
        message = self._buffers[bool(state & PERSISTENT)].get(slot)
        if message is None:
            if slot in self._in_flight:
                return self._in_flight[slot]
            if slot == self._latest_slot and self._latest is not None:
                return self._latest
            message = spilling.read(self, slot, state)
            if message.weight <= _LATEST_BYTES_MAX:
                self._latest_slot, self._latest = slot, message
        return message

    def messages(self, slots: Sequence[int]) -> list[Message]:
        """Of these, all persistent or none, the first that are at hand together: at least one."""
        buffer = self._buffers[bool(self.handles.flags[slots[0]] & PERSISTENT)]
        found = [buffer[slot] for slot in takewhile(buffer.__contains__, slots)]
        if not found and not self._in_flight:
            found = spilling.read_run(self, slots)
        return found or [self.message(slots[0])]

    def descriptor(self, slot: int) -> MQMD:
        """Its descriptor, from the details cache if it is there."""
        md = self._details.get(slot)
        if md is not None:
            self._details.move_to_end(slot)
            return md
        message = self.message(slot)
        if slot not in self._buffers[bool(self.handles.flags[slot] & PERSISTENT)]:
            self._remember(slot, message.md)
        return message.md

    def _remember(self, slot: int, md: MQMD) -> None:
        self._details[slot] = md
        if len(self._details) > DETAILS_MAX:
            self._details.popitem(last=False)

    def group_of(self, slot: int) -> bytes | None:
        """The group id of a message that has one."""
        return self._group_ids.get(slot)

    # Backout counts: few messages have one, so they are kept beside the handles

    def backout_count(self, slot: int) -> int:
        return self._backout_counts.get(slot, 0)

    def set_backout_count(self, slot: int, count: int) -> None:
        if self.before_change is not None:
            self.before_change()
        self._backout_counts[slot] = count
        if self.handles.flags[slot] & PERSISTENT:
            self._changed.add(slot)

    # Checkpoints

    @property
    def needs_checkpoint(self) -> bool:
        return bool(self._changed) or self.in_progress is not None

    @property
    def change_count(self) -> int:
        """How many handles the next checkpoint must write."""
        return len(self._changed)

    @property
    def position(self) -> HandlePosition:
        """Where the batch ends that was written last."""
        return self._handle_file.position

    def capture(self, *, keep_nonpersistent: bool = False) -> StoreCheckpoint | None:
        """Begin a checkpoint of the present state; None if nothing changed since the last capture.

        Its `write` must follow, then `done` or `failed`. With `keep_nonpersistent` (NPMCLASS(HIGH) at an orderly end)
        it describes the other messages too, those of units of work in doubt aside. If this fails, nothing happened.
        """
        return store_checkpoint.capture(self, keep_nonpersistent=keep_nonpersistent)

    # Load, close

    def load(self, position: HandlePosition) -> None:
        """Have the state that a checkpoint described; the log is replayed onto it. If this fails the store is empty."""
        assert not len(self.handles)
        try:
            loading.load(self, position)
        except BaseException:
            self._close_files()
            self._empty()
            raise
        self._recovering = True

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

    def drop_nonpersistent(self) -> None:
        """After `load`: have none of the non-persistent messages that an orderly end saved, on disk with a checkpoint.

        For a backup, which must not bring back what the live queue manager has got meanwhile.
        """
        for slot, flags in enumerate(self.handles.flags):
            if flags & (IN_USE | PERSISTENT) == IN_USE:
                self.unlink(slot)
                self.remove(slot)
                self._changed.add(slot)

    def close(self) -> None:
        """Close the files; when a checkpoint is in progress, as soon as that has ended: it may be writing to them."""
        self.is_closed = True
        if self.in_progress is None:
            self._close_files()

    def _close_files(self) -> None:
        self._file.close()
        self._handle_file.close()
