"""The heart of the queue manager: objects, queues, units of work, and the log records that make them last.

The verbs are built on the few operations here. Each leaves memory and log in step: it either happened and is
logged, or nothing changed. Nothing here waits for its own record to be on disk; whoever answers an application first
asks the log to be forced as far as `Connection.lsn` says (contract 2). Clock, files and log are handed in (contract 1).

The disk is waited for where there is no other place left for what is to be kept, or it is nowhere else:
- a put that finds the log's buffer overfull forces it;
- one that fills the buffer of its queue writes to the queue file, without a sync, but after a force if a unit of work
  has filled it several times over;
- a record that needs another extent of the log, and finds none ready, has it made and synced: a secondary one of a
  circular log, or one of a linear log that is faster than whoever makes extents ahead;
- a queue is read when it is first used, and a message that is in the queue file only when it is got (by the verbs).
Checkpoints are not among these: they have a thread of their own where there is one (`running.checkpoint_due`), and a
call waits for one only when the log or the disk is full.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from libremq.common.clock import Clock
from libremq.common.files.file_layer import Files
from libremq.common.files.open_files import OpenFiles
from libremq.common.messages.amq_messages import amq
from libremq.common.names.object_names import fold
from libremq.kernel.objects.catalogue import Catalogue, to_record
from libremq.kernel.objects.object_types import ChannelSync, LocalQueue, MQObject
from libremq.kernel.state import journal, media_image, parts_of_puts, undo
from libremq.kernel.state.authority_state import AuthorityState
from libremq.kernel.state.connection import Connection, Destination, ObjectHandle
from libremq.kernel.state.event_state import EventState
from libremq.kernel.state.identifiers import Identifiers
from libremq.kernel.state.known_branches import KnownBranches
from libremq.kernel.state.queue_files import QueueFiles
from libremq.kernel.state.queue_state import QueueState, QueueStatistics
from libremq.kernel.state.turns import Turns
from libremq.kernel.state.unit_of_work import ACTIVE, GET, PREPARED, PUT, UNDOING, Operation, UnitOfWork
from libremq.kernel.state.wait_clock import WaitClock
from libremq.kernel.state.waiting_gets import Waiter
from libremq.kernel.state.woken import Woken
from libremq.log import Log, LogFull
from libremq.log import RecordType as R
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error
from libremq.security.entities import Entities
from libremq.store.handle_file import HandlePosition
from libremq.store.queue_store import LogGate, QueueStore, StoreLimits
from libremq.store.reserve import DiskReserve
from libremq.store.space_handles import PERSISTENT
from libremq.store.store_errors import StoreDamaged, StoreFull, damaged_queue
from libremq.store.stored_message import LongMessage, Message

if TYPE_CHECKING:
    from libremq.kernel.recovery.checkpoint import Checkpoint


_WHAT = itemgetter(0, 1)
"""Kind and queue of an operation."""


def _no_delivery(destination: Destination, message: Message, unit: UnitOfWork | None, now: float) -> None:
    raise AssertionError("the queue manager is not assembled yet")


def _one_after_the_other(tasks: Iterable[Callable[[], None]]) -> None:
    for task in tasks:
        task()


class Core:
    """State shared by all verbs. One thread at a time (contract 1)."""

    def __init__(
        self,
        files: Files,
        folder: str,
        catalogue: Catalogue,
        log: Log,
        clock: Clock,
        limits: StoreLimits | None = None,
        identifiers: Identifiers | None = None,
    ) -> None:
        self.files = files
        self.open_files = OpenFiles(files)  # of queues: there may be more of them than files that can be open
        self.folder = folder
        self.catalogue = catalogue
        self.log = log
        self.clock = clock
        self.limits = limits or StoreLimits()
        self.identifiers = identifiers or Identifiers(catalogue.qmgr.name)
        self.queues: dict[str, QueueState] = {}  # loaded local queues by name
        self.queues_by_id: dict[int, QueueState] = {}
        self.queue_files = QueueFiles()
        self.positions: dict[int, HandlePosition] = {}  # by queue id, what the last checkpoint saved
        self.next_queue_id = 1
        self.next_unit = 1
        self.catalogue_changed = True
        self.catalogue_generation = 0
        self.definitions_version = 0  # counts every change of a definition
        self.dropped_folders: dict[str, None] = {}  # of deleted queues, to be removed at the next checkpoint
        self.units: dict[int, UnitOfWork] = {}
        self.unfinished: dict[int, dict[QueueState, list[int]]] = {}
        """Units of work whose backout came to a stop, as the log was full, and the queues that have messages back."""
        self.branches = KnownBranches()
        self.connections: dict[int, Connection] = {}
        self.hconns = itertools.count(1)
        self.on_arrival: Callable[[Mapping[QueueState, Sequence[int]]], None] = lambda arrived: None
        # Set by the queue manager: gets were backed out, their messages are available again
        self.on_return: Callable[[Mapping[QueueState, Sequence[int]]], None] = lambda returned: None
        # Set by the queue manager: a backout came to a stop, somebody must go on with it
        self.on_unfinished: Callable[[], None] = lambda: None
        # Set by the queue manager: with PERFMEV on, messages were put on a queue or got from it
        self.on_put: Callable[[QueueState], None] = lambda queue: None
        self.on_get: Callable[[QueueState], None] = lambda queue: None
        self.events = EventState(clock.monotonic())
        self.started = clock.monotonic()
        self.resting_statistics: dict[int, QueueStatistics] = {}  # by queue id, of queues that were unloaded
        # The same: numbers of messages that were not persistent are not in the files, and must not be given out twice
        # while an image that goes by them is under way
        self.resting_sequences: dict[int, int] = {}
        self.logged_operations = 0  # puts and gets of persistent messages, for the checkpoint interval
        self.puts_outside_syncpoint = 0  # of persistent messages: each waits for the log
        self.undo_bytes = 0  # of the log: kept free, so that every unit of work can be ended
        self.checkpoint_bytes = 8 * 4096  # of the log: kept free for a checkpoint that frees more of it
        # Set by the queue manager: put a message that the queue manager itself makes (reports, trigger messages)
        self.deliver: Callable[[Destination, Message, UnitOfWork | None, float], None] = _no_delivery
        self.waiters: set[Waiter] = set()
        self.wait_clock = WaitClock()
        self.turns = Turns()
        self.long_bytes, self.part_bytes = parts_of_puts.LONG_BYTES, parts_of_puts.PART_BYTES
        self.long_puts: dict[parts_of_puts.PutUnderWay, None] = {}  # those that are under way
        self.woken = Woken()
        self.alias_handles: dict[str, set[ObjectHandle]] = {}  # by alias: who reads from a queue through it
        self.quiescing = False
        self.checkpoint: Checkpoint | None = None  # the one under way
        self.checkpoint_wanted = False  # without waiting until one is due
        self.checkpoint_start = 0, -1  # LSN where the last one began, and the end of records then
        self.damaged: dict[int, str] = {}  # by queue id: queues that cannot be used
        self.recovering: dict[int, str] = {}  # by queue id: folders in which media recovery makes queues anew
        self.media: dict[tuple[str, str], int] = {}  # of a linear log: where media recovery of an object begins
        self.images_begun: dict[int, int] = {}  # by queue id: LSN of the latest image, complete or not, since the start
        self.imaged: dict[tuple[str, str], float] = {}  # when its image was recorded; not if before the start
        self.say: Callable[[str], None] = lambda text: None
        # Set by the host, which may have threads for that: do things that wait for the disk
        self.side_by_side: Callable[[Iterable[Callable[[], None]]], None] = _one_after_the_other
        self.authorities = AuthorityState(Entities(files, folder))
        self.reserve = DiskReserve(files, folder)
        self.disk_full = ""  # if not empty: why nothing is taken that needs room on the disk
        self.idle_queues: set[str] = set()  # unreferenced at the last checkpoint: unloaded at the next

    @property
    def qmgr_name(self) -> str:
        return self.catalogue.qmgr.name

    # Local queues

    def local_queue(self, definition: LocalQueue) -> QueueState:
        """The queue with its store, loaded if it is not yet."""
        queue = self.queues.get(definition.name)
        if queue is None:
            queue_id, folder = self.queue_files[definition.name]
            queue = self._new_state(definition, queue_id, folder)
            try:
                self.load(queue)
            except BaseException:
                # Half of it in memory must not pass for the whole
                del self.queues[definition.name], self.queues_by_id[queue_id]
                queue.store.close()
                raise
            if queue.damage is None:
                queue.store.recovered()
                self.go_on_counting(queue)
        if queue.damage is not None:
            raise queue.damage.again()
        return queue

    def go_on_counting(self, queue: QueueState) -> None:
        """Number messages from where it was when the queue was unloaded."""
        store = queue.store
        store.next_sequence = max(store.next_sequence, self.resting_sequences.pop(queue.id, 0))

    def load(self, queue: QueueState) -> None:
        """Read what the last checkpoint saved of the queue, or mark it as damaged."""
        if queue.id in self.damaged:
            # Files that can be read may be those of an earlier moment
            queue.damage = damaged_queue(queue.name, queue.store.folder, self.damaged[queue.id])
            return
        try:
            queue.store.load(self.positions.get(queue.id, HandlePosition()))
        except StoreDamaged as error:
            self.note_damage(queue, error)

    def note_damage(self, queue: QueueState, damage: StoreDamaged) -> None:
        """The queue is out of use, also after a restart, until it is recovered or deleted. The others go on."""
        if queue.damage is None and not queue.deleted:
            queue.damage = damage
            self.damaged[queue.id] = damage.what
            self.say(amq(7472, queue.name, "queue", damage))

    def new_store(self, name: str, queue_id: int, folder: str) -> QueueStore:
        gate = LogGate(lambda: self.log.durable, self.log.force, self.log.log_id)
        return QueueStore(self.open_files, f"{self.folder}/queues/{folder}", queue_id, name, gate, self.limits)

    def _new_state(self, definition: LocalQueue, queue_id: int, folder: str) -> QueueState:
        queue = QueueState(definition, queue_id, folder, self.new_store(definition.name, queue_id, folder))
        queue.statistics = self.resting_statistics.pop(queue_id, queue.statistics)
        self.queues[definition.name] = self.queues_by_id[queue_id] = queue
        return queue

    def folder_for(self, name: str) -> str:
        """A folder named after the queue, with a mark if one of that name still waits for its end.

        From the third on the mark has a number that only media recovery can have used: one is found at once.
        """
        folder = fold(name)
        numbered = (f"{folder}#{number}" for number in itertools.count(self.next_queue_id))
        return next(one for one in itertools.chain((folder, f"{folder}#"), numbered) if not self._is_taken(one))

    def _is_taken(self, folder: str) -> bool:
        if self.queue_files.is_taken(folder) or folder in self.dropped_folders:
            return True
        return folder in self.recovering.values()  # few, if any

    def new_local_queue(self, definition: LocalQueue) -> QueueState:
        """Give a new local queue its id and folder. The definition is in the catalogue already."""
        queue_id = self.next_queue_id
        self.next_queue_id += 1
        folder = self.folder_for(definition.name)
        if not definition.is_temporary:
            self.queue_files.place(definition.name, queue_id, folder)
        queue = self._new_state(definition, queue_id, folder)
        queue.statistics.since = self.clock.monotonic()
        queue.store.load(HandlePosition())
        queue.store.recovered()
        return queue

    def drop_queue(self, queue: QueueState) -> None:
        """Forget a deleted queue; its files go when a checkpoint no longer needs them."""
        queue.deleted = True
        self.queues.pop(queue.name, None)
        self.queues_by_id.pop(queue.id, None)
        self.positions.pop(queue.id, None)
        self.damaged.pop(queue.id, None)
        self.resting_statistics.pop(queue.id, None)
        self.resting_sequences.pop(queue.id, None)
        if self.queue_files.get(queue.name, (0, ""))[0] == queue.id:
            self.queue_files.forget(queue.name)
        queue.store.close()
        self.dropped_folders[queue.folder] = None

    # Messages

    def syncpoint_unit(self, connection: Connection, *, limited: bool = True) -> UnitOfWork:
        """The connection's unit of work, begun now if there is none; refused when it is full.

        Not `limited` is the batch of a channel: how many messages it has was agreed on, and reports come on top.
        """
        unit = connection.xa_unit or connection.unit
        if unit is None:
            unit = connection.unit = self.begin_unit()
        elif unit.state is not UNDOING and unit.message_count < self.catalogue.qmgr.maxumsgs:
            return unit
        closed = self.unit_closed_because(unit, limited=limited)
        if closed == C.MQRC_BACKED_OUT:
            raise undo.half_undone(self)
        if closed:
            raise mq_error(
                closed, self.qmgr_name, f"the unit of work has MAXUMSGS({unit.message_count}) messages; commit it"
            )
        return unit

    def unit_closed_because(self, unit: UnitOfWork, *, limited: bool = True, count: int = 1) -> int:
        """The reason why so many more messages cannot be put or got in a unit of work, or MQRC_NONE."""
        if unit.state is UNDOING:
            return C.MQRC_BACKED_OUT
        if limited and unit.message_count + count > self.catalogue.qmgr.maxumsgs:
            return C.MQRC_SYNCPOINT_LIMIT_REACHED
        return C.MQRC_NONE

    def in_syncpoint(self, connection: Connection) -> bool:
        """Has the application a unit of work under way?"""
        return connection.xa_unit is not None or (connection.unit is not None and bool(connection.unit.operations))

    def begin_unit(self) -> UnitOfWork:
        unit = UnitOfWork(self.next_unit)
        unit.started = self.clock.now()
        self.next_unit += 1
        self.units[unit.id] = unit
        return unit

    def put(
        self,
        queue: QueueState,
        message: Message,
        priority: int,
        persistent: bool,
        expiry_ms: int,
        unit: UnitOfWork | None,
    ) -> int:
        """Store a message; visible at once without a unit of work. Returns the log position it depends on."""
        if queue.damage is not None:
            raise queue.damage.again()
        store = queue.store
        if self.disk_full and (persistent or store.would_spill(message, persistent)):
            raise StoreFull(f"{queue.name}: {self.disk_full}")
        if queue.looked_at != self.definitions_version:
            self.look_at_definition(queue)
        if queue.is_limited:
            self._check_file_size(queue, message)
        if persistent and self.log.pressure:
            self.log.force(self.log.tail - 1)
        store.make_room(message, persistent)
        chain = queue.chain_for(priority)
        unit_id = unit.id if unit else 0
        slot = store.insert(message, chain, persistent, expiry_ms, unit_id)
        lsn = 0
        if persistent and queue.recoverable:
            sequence = store.handles.sequence[slot]
            if type(message) is LongMessage and (logged := self._logged_data(message, queue, unit)) is not None:
                parts = parts_of_puts.put_parts(queue.id, slot, sequence, chain, expiry_ms, message, logged)
            else:
                parts = journal.put_parts(queue.id, slot, sequence, chain, expiry_ms, message.image_parts())
            try:
                keep = self.keep_for(unit) if unit else self.kept_bytes
                lsn = self.log.append(R.PUT, unit_id, unit.last_lsn if unit else 0, parts, keep=keep)
            except LogFull:
                store.remove(slot)
                raise
            message.lsn = lsn
            self.logged_operations += 1
        if unit:
            unit.operations.append(Operation(PUT, queue, slot, lsn))
            if lsn:
                self.note_logged(unit, lsn)
        else:
            queue.link(slot)
            if lsn:
                queue.visible_lsn = lsn
                self.puts_outside_syncpoint += 1
        statistics = queue.statistics
        statistics.enqueued += 1
        statistics.last_put = self.clock.now()
        if queue.is_monitored:
            statistics.monitoring.came(slot, self.clock.monotonic())
        depth = store.depth
        if depth > statistics.high_depth:
            statistics.high_depth = depth
        if self.catalogue.qmgr.perfmev:
            self.on_put(queue)
        if unit:
            return 0
        if queue.attended:
            self.on_arrival({queue: (slot,)})
        return lsn

    def _logged_data(
        self, message: LongMessage, queue: QueueState, unit: UnitOfWork | None
    ) -> parts_of_puts.LoggedData | None:
        """The data of the message in the log, if its put may refer to that."""
        logged = message.logged
        assert isinstance(logged, parts_of_puts.LoggedData)
        return logged if logged.serves(self, queue, unit) else None

    def is_monitored(self, definition: LocalQueue) -> bool:
        """MONQ, of the queue or of the queue manager."""
        monq = definition.monq
        if monq == C.MQMON_Q_MGR:
            monq = self.catalogue.qmgr.monq
            return monq != C.MQMON_OFF and monq != C.MQMON_NONE
        return monq != C.MQMON_OFF and self.catalogue.qmgr.monq != C.MQMON_NONE

    def look_at_definition(self, queue: QueueState) -> None:
        """Definitions have changed since the last put: what of it, and of the queue manager, concerns each put."""
        queue.looked_at = self.definitions_version
        queue.is_monitored = self.is_monitored(queue.definition)
        if not queue.is_monitored:
            queue.statistics.monitoring.stop()
        queue.is_limited = queue.definition.maxfsize != C.MQQFS_DEFAULT
        if not queue.is_limited:
            queue.store.keep_within(C.MQQFS_DEFAULT)

    def _check_file_size(self, queue: QueueState, message: Message) -> None:
        """MAXFSIZE: what is on the queue fits in its file, or no more is taken."""
        store, megabytes = queue.store, queue.definition.maxfsize
        if store.megabytes_max != megabytes:
            store.keep_within(megabytes)
        if not store.has_room_for(message):
            what = f"its messages take the {store.file_bytes_max >> 20} MB of MAXFSIZE; get some, or raise it"
            raise mq_error(C.MQRC_Q_SPACE_NOT_AVAILABLE, queue.name, what)
        if store.holds_too_much:
            self.checkpoint_wanted = True

    def take(self, queue: QueueState, slot: int, unit: UnitOfWork | None, why: int = journal.GOT) -> int:
        """Get a message destructively. Returns the log position that handing it out depends on."""
        if queue.damage is not None:
            raise queue.damage.again()
        store = queue.store
        flags = store.handles.flags[slot]
        lsn = 0
        if flags & PERSISTENT and queue.recoverable:
            parts = journal.get_parts(queue.id, slot, store.handles.sequence[slot], why)
            if unit:
                lsn = self.log.append(R.GET, unit.id, unit.last_lsn, parts, keep=self.keep_for(unit))
            else:
                lsn = self.log.append(R.GET, 0, 0, parts, reserve=True, keep=self.kept_bytes)
            self.logged_operations += 1
        if unit:
            queue.unlink(slot, unit.id)
            unit.operations.append(Operation(GET, queue, slot, lsn))
            if lsn:
                self.note_logged(unit, lsn)
        else:
            queue.unlink(slot)
            store.remove(slot)
            if lsn and self.media:
                media_image.record_if_empty(self, queue)
        statistics = queue.statistics
        statistics.dequeued += 1
        statistics.last_get = self.clock.now()
        if queue.is_monitored and why == journal.GOT and self.is_monitored(queue.definition):
            statistics.monitoring.left(slot, self.clock.monotonic())
        depth = store.depth
        if depth >= statistics.high_depth:
            statistics.high_depth = depth + 1  # it was that deep when it was loaded
        if why == journal.GOT and self.catalogue.qmgr.perfmev:
            self.on_get(queue)
        return 0 if unit else lsn

    # Room in the log for the end of every unit of work, from its beginning

    @property
    def kept_bytes(self) -> int:
        return self.undo_bytes + self.checkpoint_bytes

    def keep_for(self, unit: UnitOfWork, count: int = 1) -> int:
        """What must be left of the log behind so many more operations of the unit of work."""
        more = count * journal.UNDO_BYTES
        if not unit.last_lsn:
            more += journal.END_BYTES
        return self.undo_bytes + self.checkpoint_bytes + more

    def note_logged(self, unit: UnitOfWork, lsn: int, count: int = 1) -> None:
        """The next operation of the unit of work has this log record; or so many have, of which it is the first."""
        more = count * journal.UNDO_BYTES
        if not unit.last_lsn:
            more += journal.END_BYTES
            unit.log_started = self.clock.now()
        unit.undo_bytes += more
        self.undo_bytes += more
        unit.logged(lsn)

    def _ended(self, unit: UnitOfWork) -> None:
        del self.units[unit.id]
        self.branches.remove(unit)
        self.undo_bytes -= unit.undo_bytes

    # The end of a unit of work

    def commit(self, unit: UnitOfWork, sync: ChannelSync | None = None) -> int:
        """Make it all visible. Returns the log position that the answer depends on (0: nothing was logged).

        `sync` becomes the sync record of its channel in the same log record: both last, or neither.
        """
        if unit.state is UNDOING:
            raise undo.half_undone(self)
        lsn = 0
        if sync is not None:
            sync.check()
            parts, keep = journal.commit_parts(to_record(sync)), 0 if unit.is_logged else self.kept_bytes
            lsn = self.log.append(R.COMMIT, unit.id, unit.last_lsn, parts, reserve=True, keep=keep)
            self.install_sync(sync, lsn)
        elif unit.is_logged:
            lsn = self.log.append(R.COMMIT, unit.id, unit.last_lsn, (), reserve=True)
        unit.end_lsn = lsn
        self._ended(unit)
        arrived: dict[QueueState, list[int]] = {}
        for (kind, queue), operations in groupby(unit.operations, key=_WHAT):
            if queue.out_of_use:
                continue
            if lsn:
                queue.visible_lsn = lsn
            slots = [operation[2] for operation in operations]
            if kind == PUT:
                queue.link_run(slots)
                arrived.setdefault(queue, []).extend(slots)
            else:
                queue.store.remove_run(slots)
        if lsn and self.media:
            media_image.record_emptied(self, unit.operations)
        unit.operations = []
        if arrived:
            self.on_arrival(arrived)
        return lsn

    def install_sync(self, sync: MQObject, lsn: int) -> None:
        """Have the sync record that was committed at this log position, which says all of it."""
        self.catalogue.install(sync)
        self.catalogue_changed = True
        if self.log.config.linear:
            self.media[sync.kind, sync.name] = lsn

    def backout(self, unit: UnitOfWork, *, counted: bool = True) -> int:
        """Undo it all, last operation first. Gets come back in their place, `counted` with the backout count raised.

        LogFull if there is no room for all of it; it goes on where it stopped when it is called again.
        """
        if self.units.get(unit.id) is not unit:
            return 0  # that was done since
        returned = self.unfinished.pop(unit.id, {})
        lsn = 0
        try:
            undo.undo_behind(self, unit, 0, counted, returned)
            unit.restore_groups()
            if unit.is_logged:
                lsn = self.log.append(R.BACKOUT, unit.id, unit.last_lsn, (), reserve=True)
        except BaseException:
            self._cannot_undo(unit, returned)
            raise
        self._ended(unit)
        if returned:
            self.on_return(returned)
        return lsn

    def _cannot_undo(self, unit: UnitOfWork, returned: dict[QueueState, list[int]]) -> None:
        """The log has no room: whatever its owner wants, it can only be backed out, when there is."""
        self.unfinished[unit.id] = returned
        if unit.state == ACTIVE:
            unit.state = UNDOING
        self.on_unfinished()

    @contextmanager
    def all_or_nothing(
        self, unit: UnitOfWork | None, *, behind: int | None = None, begun: UnitOfWork | None = None
    ) -> Iterator[UnitOfWork]:
        """Several operations of one verb: in the unit of work given, or one of their own that ends here. It may have
        been `begun` before.

        Behind it `end_lsn` of the unit of work is what the answer depends on. If one of them fails, those before it are
        undone, back to so many that were there before (`behind`; else as many as there are now). No backout count
        rises: the application has not seen the messages.
        """
        own = unit or begun or self.begin_unit()
        mark, count = len(own.operations) if behind is None else behind, own.message_count
        try:
            yield own
        except BaseException:
            if unit is None:
                self.backout(own, counted=False)
            else:
                try:
                    undo.undo_behind(self, own, mark, False, {})
                except BaseException:
                    self._cannot_undo(own, {})  # half a verb is in it
                    raise
                own.message_count = count
            raise
        if unit is None:
            self.commit(own)

    def prepare(self, unit: UnitOfWork, xid: bytes) -> int:
        """First phase: from now on only the transaction manager decides, also after a restart."""
        if unit.state is UNDOING:
            raise undo.half_undone(self)
        keep = 0 if unit.is_logged else self.keep_for(unit)
        parts = journal.prepare_parts(xid, unit.owner)
        flags = journal.PREPARED_BY_USER if unit.owner else 0
        lsn = self.log.append(R.PREPARE, unit.id, unit.last_lsn, parts, flags=flags, reserve=True, keep=keep)
        if unit.is_logged:
            unit.logged(lsn)
        else:
            self.note_logged(unit, lsn)
        unit.xid = xid
        unit.state = PREPARED
        return lsn

    def prepared_units(self) -> list[UnitOfWork]:
        """Those that transaction managers decide about: batches of channels are not among them."""
        return [unit for unit in self.units.values() if unit.state == PREPARED and not unit.is_batch]

    def active_units(self) -> list[UnitOfWork]:
        return [unit for unit in self.units.values() if unit.state != PREPARED]
