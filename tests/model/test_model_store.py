"""Random puts, gets, units of work, checkpoints and restarts on one queue store, against a list of messages.

The buffers are so small that nearly everything spills; the log is a counter. The model knows what each message is and
where it must be; after every step the chains, the id indexes, the contents and the space map must agree with it, and
after a restart the store must be what the last completed checkpoint captured, however much happened since. Capture,
write and end of a checkpoint are steps like any other: puts and gets come between them, failures too, and the power
may go at each of these moments, with only part of what was not synced on the disk.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from random import Random
from zlib import crc32

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from id_collisions import colliding

from libremq.mqi.structs import MQMD
from libremq.store.handle_file import HandlePosition
from libremq.store.hash_index import HashIndex
from libremq.store.queue_store import DETAILS_MAX, LogGate, QueueStore, StoreLimits
from libremq.store.space_handles import FRAGMENTED, GET_PENDING, IN_USE, NONE, PERSISTENT, PUT_PENDING
from libremq.store.space_map import BLOCK_BYTES, FREE, FREE_UNBACKED, blocks_for
from libremq.store.space_map import NONPERSISTENT as NONPERSISTENT_DATA
from libremq.store.space_map import PERSISTENT as PERSISTENT_DATA
from libremq.store.store_checkpoint import StoreCheckpoint
from libremq.store.store_errors import StoreFailed, StoreFull
from libremq.store.stored_message import Message
from libremq.testing.faulty_files import FaultyFiles

EXAMPLES = int(os.environ.get("LIBREMQ_MODEL_EXAMPLES", "200"))
STEPS = 120
IDS = [*colliding(4), b"another id".ljust(24, b".")]
NO_ID = bytes(24)
LINKED, PUT, GOT = "linked", "put", "got"
CAPTURED, WRITTEN, BROKEN = "captured", "written", "broken"
seeds = st.integers(0, 2**32 - 1)


@dataclass
class Stored:
    """A message as the model knows it."""

    slot: int
    sequence: int
    priority: int
    persistent: bool
    msg_id: bytes
    correl_id: bytes
    group_id: bytes
    data: bytes
    state: str
    backouts: int = 0

    @property
    def place(self) -> tuple[int, int]:
        return -self.priority, self.sequence


Blocks = dict[int, tuple[int, int]]
"""Who has a block: slot and sequence number of the message."""


@dataclass
class Described:
    """What a checkpoint describes."""

    messages: dict[int, Stored]
    blocks: Blocks
    position: HandlePosition = field(default_factory=HandlePosition)


class StoreMachine(RuleBasedStateMachine):
    run = 0

    def __init__(self) -> None:
        super().__init__()
        self.files = FaultyFiles()
        self.files.make_folder("queues")
        self.lsn = 0
        self.durable = 0
        self.messages: dict[int, Stored] = {}
        self.saved = Described({}, {})  # by the last completed checkpoint
        self.captured = Described({}, {})  # by the one in progress
        self.given_up: list[Described] = []  # by those since: their records may have reached the disk after all
        self.checkpoint_in_progress: StoreCheckpoint | None = None
        self.progress = ""
        self.sequence = 0
        self.written = 0
        self._open()

    def _open(self) -> None:
        gate = LogGate(lambda: self.durable, self._force)
        self.limits = StoreLimits(nonpersistent_buffer_bytes=1500, persistent_buffer_bytes=2500)
        self.store = QueueStore(self.files, "queues/Q", 7, "Q", gate, self.limits)
        self.store.load(self.saved.position)

    def _force(self, lsn: int) -> None:
        self.durable = max(self.durable, lsn + 1)

    @initialize(run=seeds)
    def begin(self, run: int) -> None:
        self.run = run
        self.store.recovered()

    @rule(
        name=st.sampled_from(
            [
                name
                for name, weight in {
                    "put": 20, "put_many": 3, "get": 14, "thin_out": 4, "commit": 5, "back_out": 4, "force_log": 4,
                    "checkpoint": 2, "capture": 4, "write": 5, "done": 6, "fail": 2,
                    "search": 6, "read_all": 6, "clear": 1, "end": 1, "kill": 2,
                }.items()
                for _ in range(weight)
            ]
        ),
        seed=seeds,
    )  # fmt: skip
    def step(self, name: str, seed: int) -> None:
        getattr(self, name)(Random(f"{self.run} {name} {seed}"))

    # The steps

    def put(self, chance: Random) -> None:
        self._put(chance, chance.choice([1, 1, 40, 200, 200, 600]), in_unit=chance.random() < 0.4)

    def put_many(self, chance: Random) -> None:
        """Enough small messages for a file that is worth cutting."""
        for _ in range(chance.choice([8, 20, 50])):
            self._put(chance, 1, in_unit=False)
        self.durable = self.lsn

    def _put(self, chance: Random, size: int, *, in_unit: bool) -> None:
        persistent = chance.random() < 0.6
        self.written += 1
        data = (b"%d " % self.written) * size
        msg_id, correl_id = chance.choice(IDS), chance.choice(IDS)
        group_id = chance.choice([NO_ID, NO_ID, IDS[0], IDS[1]])
        message = Message(MQMD(Version=2, MsgId=msg_id, CorrelId=correl_id, GroupId=group_id), b"", data)
        priority = chance.choice([0, 4, 4, 9])
        self.store.make_room(message, persistent)
        slot = self.store.insert(message, priority, persistent, unit=11 if in_unit else 0)
        assert slot not in self.messages
        if persistent:
            message.lsn = self.lsn
            self.lsn += 1
        self.sequence += 1
        self.messages[slot] = Stored(
            slot, self.sequence, priority, persistent, msg_id, correl_id, group_id, data, PUT if in_unit else LINKED
        )
        assert self.store.handles.sequence[slot] == self.sequence
        if not in_unit:
            self.store.link(slot)

    def get(self, chance: Random) -> None:
        """Take one, from the front or anywhere, for good or in a unit of work."""
        linked = self._in_order()
        if not linked:
            return
        message = linked[0] if chance.random() < 0.5 else chance.choice(linked)
        if chance.random() < 0.4:
            self.store.unlink(message.slot, 11)
            message.state = GOT
        else:
            self.store.unlink(message.slot)
            self._remove(message)

    def thin_out(self, chance: Random) -> None:
        """Every other message goes: the file is full of holes too small for a large message."""
        for message in self._in_order()[:: chance.choice([2, 2, 3])]:
            self.store.unlink(message.slot)
            self._remove(message)

    def _remove(self, message: Stored) -> None:
        self.store.remove(message.slot)
        del self.messages[message.slot]

    def commit(self, chance: Random) -> None:
        for message in list(self.messages.values()):
            if message.state == PUT and chance.random() < 0.7:
                self.store.link(message.slot)
                message.state = LINKED
            elif message.state == GOT and chance.random() < 0.7:
                self._remove(message)

    def back_out(self, chance: Random) -> None:
        for message in list(self.messages.values()):
            if message.state == PUT and chance.random() < 0.7:
                self._remove(message)
            elif message.state == GOT and chance.random() < 0.7:
                message.backouts += 1
                self.store.set_backout_count(message.slot, message.backouts)
                self.store.link(message.slot)
                message.state = LINKED

    def force_log(self, chance: Random) -> None:
        self.durable = chance.randint(self.durable, self.lsn)

    def clear(self, chance: Random) -> None:
        for message in self._in_order():
            self.store.unlink(message.slot)
            self._remove(message)

    def _found(self, index: HashIndex, value: int) -> list[int]:
        chains = self.store.chains
        while index.rest != NONE:
            chains.index_some(index, 2)
        slots = [chains.first_with(index, value)]
        while slots[-1] != NONE:
            slots.append(chains.after_with(index, slots[-1]))
        return slots[:-1]

    def search(self, chance: Random) -> None:
        """By id: the index gives all that have the hash, in order; the ids are compared after that."""
        wanted = chance.choice(IDS)
        store = self.store
        found = self._found(store.chains.by_message(), crc32(wanted))
        by_message = [slot for slot in found if store.descriptor(slot).MsgId == wanted]
        assert by_message == [one.slot for one in self._in_order() if one.msg_id == wanted]
        found = self._found(store.chains.by_correlation(), crc32(wanted))
        by_correl = [slot for slot in found if store.descriptor(slot).CorrelId == wanted]
        assert by_correl == [one.slot for one in self._in_order() if one.correl_id == wanted]

    def checkpoint(self, chance: Random) -> None:
        """All steps at once."""
        self._finish()
        if self._capture():
            self._write()
            self._done()

    def capture(self, chance: Random) -> None:
        if self.checkpoint_in_progress is None:
            space = self.store.space
            if chance.random() < 0.1:
                space.blocks_max = space.file_blocks + chance.choice([0, 1, 3])
            try:
                self._capture()
            except StoreFull:
                assert self.store.in_progress is None and self.store.needs_checkpoint
            finally:
                space.blocks_max = self.limits.file_blocks_max

    def write(self, chance: Random) -> None:
        if self.progress != CAPTURED:
            return
        path = chance.choice(["*/q", "*/handles.*"])
        trouble = chance.random()
        if trouble < 0.15:
            no_space = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            self.files.fail("write", path, no_space, after=chance.choice([0, 0, 1, 2]), times=None)
        elif trouble < 0.2:
            self.files.fail("sync", path)
        try:
            self._write()
        except (OSError, StoreFull):
            self.progress = BROKEN
        except StoreFailed:
            self._restart(chance)  # that is the end of a queue manager
        finally:
            self.files.heal()

    def done(self, chance: Random) -> None:
        if self.progress == WRITTEN:
            self._done()

    def fail(self, chance: Random) -> None:
        if self.checkpoint_in_progress is not None:
            self._fail()

    def _capture(self, *, keep_nonpersistent: bool = False) -> bool:
        """Begin a checkpoint; False if there was nothing to do."""
        self.durable = self.lsn
        describes = {slot: one for slot, one in self.messages.items() if one.persistent or keep_nonpersistent}
        checkpoint = self.store.capture(keep_nonpersistent=keep_nonpersistent)
        self._file_is_cut(checkpoint is None)
        if checkpoint is None:
            assert self.saved.messages == describes
            return False
        assert checkpoint.has_nonpersistent == any(not one.persistent for one in describes.values())
        blocks = self._blocks_of(describes.values())
        self.captured = Described({slot: replace(message) for slot, message in describes.items()}, blocks)
        self.checkpoint_in_progress, self.progress = checkpoint, CAPTURED
        return True

    def _write(self) -> None:
        assert self.checkpoint_in_progress is not None
        position = self.checkpoint_in_progress.write()
        assert position == self.store.position
        self.captured.position = position
        self.progress = WRITTEN

    def _done(self) -> None:
        assert self.checkpoint_in_progress is not None
        self.saved, self.given_up = self.captured, []  # the checkpoint record is on disk
        self.checkpoint_in_progress.done()
        self._ended()
        self._file_is_cut(True)

    def _fail(self) -> None:
        assert self.checkpoint_in_progress is not None
        self.checkpoint_in_progress.failed()
        if self.progress == WRITTEN:
            self.given_up.append(self.captured)
        self._ended()
        assert self.store.needs_checkpoint

    def _finish(self) -> None:
        """Bring a checkpoint in progress to its end."""
        if self.progress == CAPTURED:
            self._write()
        if self.progress == WRITTEN:
            self._done()
        elif self.progress == BROKEN:
            self._fail()

    def _ended(self) -> None:
        self.checkpoint_in_progress, self.progress = None, ""
        self.captured = Described({}, {})
        assert self.store.in_progress is None

    def _file_is_cut(self, expected: bool) -> None:
        space = self.store.space
        excess = (space.file_blocks - space.required_blocks()) * BLOCK_BYTES
        assert not expected or excess <= 16384 or excess * 100 <= space.required_blocks() * BLOCK_BYTES

    def end(self, chance: Random) -> None:
        """An orderly end that keeps non-persistent messages too."""
        self._finish()
        for message in list(self.messages.values()):
            if message.state == PUT:
                self._remove(message)
            elif message.state == GOT:
                message.backouts += 1
                self.store.set_backout_count(message.slot, message.backouts)
                self.store.link(message.slot)
                message.state = LINKED
        if self._capture(keep_nonpersistent=True):
            self._write()
            if chance.random() < 0.2:
                self._fail()  # and so it goes on
                return
            self._done()
        if chance.random() < 0.8:
            self._restart(chance)
        # The start takes a checkpoint that forgets the others, so that a later crash does not bring them back
        if self._capture():
            for _ in range(chance.choice([0, 0, 1, 3])):
                self.get(chance)
            self._write()
            self.get(chance)
            self._done()

    def kill(self, chance: Random) -> None:
        self._restart(chance)

    def _restart(self, chance: Random) -> None:
        """Without a log the store is what the last completed checkpoint saw; unfinished units of work are undone."""
        self.store.close()
        self.files = chance.choice(list(self.files.disk_states(chance, limit=5)))
        if self.progress == WRITTEN:
            self.given_up.append(self.captured)
        self.checkpoint_in_progress, self.progress = None, ""
        self.captured = Described({}, {})
        self.saved, self.given_up = chance.choice([self.saved, *self.given_up]), []
        self.messages = {slot: replace(message) for slot, message in self.saved.messages.items()}
        self.durable = self.lsn
        self._open()
        assert self.store.space.file_blocks >= self.store._file.size_blocks(), "part of the file is forgotten"
        self.sequence = self.store.next_sequence - 1
        assert all(message.sequence <= self.sequence for message in self.messages.values())
        self._agree()
        self.store.recovered()
        self._contents_agree()
        for message in list(self.messages.values()):
            if message.state == PUT:
                self._remove(message)
            elif message.state == GOT:
                self.store.link(message.slot)
                message.state = LINKED

    # What must be true after every step

    def _in_order(self) -> list[Stored]:
        linked = [message for message in self.messages.values() if message.state == LINKED]
        return sorted(linked, key=lambda message: message.place)

    @invariant()
    def _agree(self) -> None:
        store = self.store
        assert list(store.chains) == [message.slot for message in self._in_order()]
        assert store.depth == sum(1 for message in self.messages.values() if message.state != GOT)
        assert store.used_count == len(self.messages) and store.is_empty == (not self.messages)
        assert store.nonpersistent_count == sum(1 for message in self.messages.values() if not message.persistent)
        weights = [sum(message.weight for message in buffer.values()) for buffer in store._buffers]
        assert store._buffer_bytes == weights
        assert store._saved_count == store._saved.count(1)
        assert {slot for slot, flags in enumerate(store.handles.flags) if flags} == set(self.messages)
        for slot, message in self.messages.items():
            flags = store.handles.flags[slot]
            assert flags & IN_USE and bool(flags & PERSISTENT) == message.persistent
            assert bool(flags & PUT_PENDING) == (message.state == PUT)
            assert bool(flags & GET_PENDING) == (message.state == GOT)
            assert store.backout_count(slot) == message.backouts
        groups: dict[bytes, set[int]] = {}
        for message in self._in_order():
            if message.group_id != NO_ID:
                groups.setdefault(message.group_id, set()).add(message.slot)
        assert {group: set(slots) for group, slots in store.groups.items()} == groups
        assert len(store._details) <= DETAILS_MAX

    def read_all(self, chance: Random) -> None:
        self._contents_agree()

    def teardown(self) -> None:
        self._contents_agree()

    def _contents_agree(self) -> None:
        for slot, message in self.messages.items():
            stored = self.store.message(slot)
            assert stored.data == message.data
            assert (stored.md.MsgId, stored.md.CorrelId) == (message.msg_id, message.correl_id)
            assert self.store.descriptor(slot).GroupId == message.group_id

    def _blocks_of(self, messages: Iterable[Stored]) -> Blocks:
        store = self.store
        owners: Blocks = {}
        for message in messages:
            slot = message.slot
            if store.handles.flags[slot] & FRAGMENTED:
                blocks = store._fragments[slot]
            elif store.handles.block[slot] != NONE:
                first = store.handles.block[slot]
                blocks = list(range(first, first + blocks_for(store.handles.length[slot])))
            else:
                continue
            for block in blocks:
                assert block not in owners, f"block {block} belongs to two messages"
                owners[block] = slot, message.sequence
        return owners

    @invariant()
    def _space_agrees(self) -> None:
        """A block that a handle names has the code of its message; what nobody names is free, or kept for a crash."""
        store = self.store
        owners = self._blocks_of(self.messages.values())
        released = list(store._release_later)
        if self.checkpoint_in_progress is not None:
            released += self.checkpoint_in_progress._release
        kept = [block for first, count in released for block in range(first, first + count)]
        assert len(set(kept)) == len(kept) and not set(kept) & set(owners)
        free = 0
        for block in range(1, store.space.file_blocks):
            code = store.space.code(block)
            if block in owners:
                persistent = self.messages[owners[block][0]].persistent
                assert code == (PERSISTENT_DATA if persistent else NONPERSISTENT_DATA)
            elif block in kept:
                assert code in (PERSISTENT_DATA, NONPERSISTENT_DATA)
            else:
                assert code == FREE, f"block {block} is nobody's and not free"
                free += 1
        assert free == store.space.free_blocks
        assert store.space.code(store.space.file_blocks) == FREE_UNBACKED
        for described in (self.saved, self.captured, *self.given_up):
            for block, owner in described.blocks.items():
                assert owners.get(block, owner) == owner, f"block {block} has been used again too early"
                assert store.space.code(block) in (PERSISTENT_DATA, NONPERSISTENT_DATA)


TestStore = StoreMachine.TestCase
TestStore.settings = settings(settings.default, max_examples=EXAMPLES, stateful_step_count=STEPS)
