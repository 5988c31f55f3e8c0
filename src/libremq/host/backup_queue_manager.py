"""Backup queue managers: a copy elsewhere that is kept up to date from the log, and takes over when it must.

A backup begins as a copy of the live queue manager's files. Extents of the live log are then shipped to it (it must be
linear), and each replay repeats what they say: redo only, since what is unfinished here may be finished in the next
extent. The backup writes nothing to the log, so its checkpoints go to a file of their own (backup_state.py).

Activation replays what has come, then does what any restart does: unfinished units of work are backed out, and from
there on it is a queue manager with a log of its own. That is for good: it cannot be a backup of the live one again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import cast

from libremq.common import configuration, users_file
from libremq.common.clock import Clock
from libremq.common.files import queue_manager_files
from libremq.common.files.file_layer import Files
from libremq.common.messages.amq_messages import amq
from libremq.host import creation
from libremq.host.backup_state import BackupState, load_state, save_state
from libremq.host.log_settings import store_limits
from libremq.kernel.objects.catalogue import Catalogue
from libremq.kernel.objects.object_types import MQObject
from libremq.kernel.recovery import catalogue_file
from libremq.kernel.recovery.checkpoint import Checkpoint
from libremq.kernel.recovery.replay import Purpose, read_checkpoint
from libremq.kernel.recovery.restart import Restart, Say
from libremq.kernel.state.core import Core
from libremq.kernel.state.journal import CheckpointState
from libremq.kernel.state.queue_state import QueueState
from libremq.log import CONTROL_FILE, Log, LogConfig, LogError, Record, RecordFields, ShippedLog, log_identity
from libremq.log.extents import extent_name, extent_number
from libremq.log.log_control_file import open_control
from libremq.log.shipped import ShippedExtents
from libremq.log.tail import find_candidates
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error
from libremq.store.queue_store import StoreLimits
from libremq.store.store_errors import StoreDamaged

RUN_GAP = 86_400
"""Ids that a queue manager makes begin with the second of its start. What the live one did after the last extent that
came is not known here, and clocks differ: an activated backup begins a day later, where the live one has not been."""

_COPY_BYTES = 1 << 20


def refuse_backup(files: Files, folder: str, name: str) -> None:
    """A backup is not started as if it were a queue manager."""
    if queue_manager_files.is_backup(files, folder):
        raise mq_error(
            C.MQRC_Q_MGR_NOT_AVAILABLE, name,
            "it is a backup queue manager: replay shipped extents with strmqm -r, or activate it with strmqm -a",
        )  # fmt: skip


# Making one


def copy_from(files: Files, source: str, target: str, name: str, *, log_folder: str = "") -> None:
    """Make a backup in `target` of the queue manager in `source`, which nobody may change meanwhile.

    Its log goes to `log_folder` if that is not empty. It is there when this returns; cut short, it can be done again.
    """
    if queue_manager_files.is_backup(files, source):
        raise mq_error(C.MQRC_Q_MGR_NOT_AVAILABLE, name, f"{source} is a backup itself: copy the live queue manager")
    settings = configuration.load(files, source)
    source_log = queue_manager_files.log_folder_of(source, settings.log)
    log_id, config = log_identity(files, source_log)
    if not config.linear:
        raise mq_error(
            C.MQRC_FUNCTION_NOT_SUPPORTED, name,
            amq(7044, name, "a backup"),
        )  # fmt: skip
    state, first_lsn = _begin_state(files, source_log, log_id, config)
    folders = _queue_folders(files, source, name, state.checkpoint)
    own = replace(settings, log=replace(settings.log, path=log_folder, second_folder=""))
    _check_free(files, target, name)
    with creation.alone_in(files, target, name):
        _begin_folder(files, target, name, log_folder)
        configuration.save(files, target, own)
        save_state(files, target, state)  # before any other file: what is half copied must not pass for a queue manager
        _copy_log(files, source_log, queue_manager_files.log_folder_of(target, own.log), log_id, config, first_lsn)
        files.make_folder(f"{target}/queues")
        files.make_folder(f"{target}/{queue_manager_files.EXITS}")
        for queue in folders:
            if files.exists(f"{source}/queues/{queue}"):
                _copy_folder(files, f"{source}/queues/{queue}", f"{target}/queues/{queue}")
        files.sync_folder(f"{target}/queues")
        first_words = (catalogue_file.NAME, queue_manager_files.CHECKPOINT)
        _copy_folder(files, source, target, lambda file: file.startswith(first_words) or file == users_file.FILE_NAME)
        files.remove(f"{target}/{queue_manager_files.MARKER}")
        files.sync_folder(target)


def _begin_state(files: Files, log_folder: str, log_id: bytes, config: LogConfig) -> tuple[BackupState, int]:
    """What the copied files hold, and the LSN from which on the log is needed for them, or for media recovery."""
    control, last = open_control(files, log_folder)
    control.close()
    log = ShippedLog.open(files, log_folder, log_id, config.extent_bytes, from_lsn=last.checkpoint)
    try:
        state = read_checkpoint(log_folder, log.read(last.checkpoint))
    finally:
        log.close()
    state.replayed = True  # the record at `redo` only says that a checkpoint began
    return BackupState(state, last.media), min(last.head, last.media)


def _queue_folders(files: Files, source: str, name: str, state: CheckpointState) -> list[str]:
    """The folders that the checkpoint needs; the queue manager must be the one that is meant."""
    content = catalogue_file.read(files, source, state.catalogue_generation)
    for entry in content["objects"]:
        if entry["object"]["kind"] == "QMGR" and entry["object"]["name"] != name:
            raise mq_error(C.MQRC_Q_MGR_NAME_ERROR, name, f"{source} holds queue manager {entry['object']['name']}")
    return [entry["folder"] for entry in content["objects"] if "folder" in entry]


def _check_free(files: Files, target: str, name: str) -> None:
    """Refuse to copy over a queue manager; what a copy that was cut short has left is none."""
    if queue_manager_files.exists(files, target):
        marked = files.exists(f"{target}/{queue_manager_files.MARKER}")
        if not marked or not queue_manager_files.is_backup(files, target):
            raise mq_error(C.MQRC_OBJECT_ALREADY_EXISTS, name, f"there is a queue manager in {target} already")


def _begin_folder(files: Files, target: str, name: str, log_folder: str) -> None:
    """Have a folder with nothing but the mark in it that says that a creation is under way."""
    _check_free(files, target, name)
    if queue_manager_files.exists(files, target):
        # First of all, so that what a crash leaves has its role, or nothing that a start would look at
        files.remove(f"{target}/{queue_manager_files.CHECKPOINT}")
        files.sync_folder(target)
    creation.wipe_unfinished(files, target, name)
    if log_folder and files.exists(log_folder) and files.list(log_folder):
        raise mq_error(
            C.MQRC_OBJECT_ALREADY_EXISTS, name, f"{log_folder} is not empty; choose another folder for the log"
        )
    creation.mark_unfinished(files, target)


def _copy_log(files: Files, source: str, target: str, log_id: bytes, config: LogConfig, first_lsn: int) -> None:
    """The extents from an LSN on, each page in its latest version, which may be beside the log."""
    size = config.extent_bytes
    first = first_lsn // size
    _copy_folder(
        files, source, target,
        lambda file: file == CONTROL_FILE or ((number := extent_number(file)) is not None and number >= first),
    )  # fmt: skip
    extents = ShippedExtents(files, source, log_id, size)
    try:
        pages = find_candidates(files, [source], extents)
    finally:
        extents.close()
    for lsn, page in pages.items():
        path = f"{target}/{extent_name(lsn // size)}"
        if files.exists(path):
            file = files.open(path)
            try:
                file.write(lsn % size, page)
                file.sync()
            finally:
                file.close()


def _copy_folder(files: Files, source: str, target: str, wanted: Callable[[str], bool] = lambda file: True) -> None:
    files.make_folder(target)
    for name in files.list(source):
        if wanted(name):
            _copy_file(files, f"{source}/{name}", f"{target}/{name}")
    files.sync_folder(target)


def _copy_file(files: Files, source: str, target: str) -> None:
    reader = files.open(source)
    try:
        writer = files.open(target, create=True)
        try:
            writer.truncate(0)
            for at in range(0, reader.size(), _COPY_BYTES):
                writer.write(at, reader.read(at, _COPY_BYTES))
            writer.sync()
        finally:
            writer.close()
    finally:
        reader.close()


# Replay


class _ShippedView:
    """The shipped log in the place that a core has for its own. It is all on disk, and nothing can be added."""

    def __init__(self, log: ShippedLog, log_id: bytes, config: LogConfig, state: BackupState) -> None:
        self._log = log
        self.log_id = log_id
        self.config = config
        self.folder = log.folder
        self.durable = log.proven_lsn
        self.media = state.media

    def read(self, lsn: int) -> Record:
        return self._log.read(lsn)

    def scan(self, from_lsn: int) -> Iterator[Record]:
        return iter(self._log.scan(from_lsn, proven_only=True))

    def runs(self, from_lsn: int) -> Iterator[list[RecordFields]]:
        return self._log.runs(from_lsn, proven_only=True)

    def force(self, lsn: int | None = None) -> None:
        pass


class _Replay(Restart):
    """What a restart repeats, but over any number of checkpoints, starts and ends of the live queue manager."""

    purpose = Purpose.BACKUP

    def __init__(self, core: Core, say: Say, state: CheckpointState) -> None:
        super().__init__(core, say)
        self._nonpersistent = set(state.nonpersistent)
        self.next_message = state.next_message
        """As the live one's checkpoints say: which ids it has given out."""

    def checkpoint(self, state: CheckpointState) -> None:
        self.next_message = max(self.next_message, state.next_message)

    def queue(self, queue_id: int) -> QueueState:
        queue = super().queue(queue_id)
        if queue_id in self._nonpersistent:
            # The live one got them since, without a word in the log; it gave their slots to others
            self._nonpersistent.remove(queue_id)
            if queue.damage is None:
                queue.store.drop_nonpersistent()
        return queue

    def _install(self, made: MQObject, queue_id: int, folder: str, media: int) -> None:
        if folder in self.core.dropped_folders:
            # A checkpoint of the live one has freed it there; here the last state still needs what is in it
            folder = self.core.folder_for(made.name)
        super()._install(made, queue_id, folder, media)


def replay(files: Files, folder: str, name: str, clock: Clock, say: Say) -> int:
    """Repeat what the extents that are there say, as far as it is certain; returns how many records that were.

    LogError, with nothing changed, if an extent is missing, damaged, or older than what was replayed before.
    """
    log_folder, log_id, config, limits = _prepare(files, folder, name)
    state = load_state(files, folder)
    if state.activating:
        raise mq_error(
            C.MQRC_Q_MGR_NOT_AVAILABLE, name, "its activation has begun, and its log is its own: finish it, strmqm -a"
        )
    redo = state.checkpoint.redo
    log = ShippedLog.open(files, log_folder, log_id, config.extent_bytes, from_lsn=redo)
    try:
        _check_there(log, redo, config)
        view = _ShippedView(log, log_id, config, state)
        core = Core(files, folder, Catalogue(name, clock.now()), cast(Log, view), clock, limits)
        core.say = say
        repeat = _Replay(core, say, state.checkpoint)
        try:
            repeat.replay(state.checkpoint)
            if core.qmgr_name != name:
                raise StoreDamaged(name, folder, f"it holds queue manager {core.qmgr_name}", "Open it by that name")
            if repeat.progress.records or state.checkpoint.nonpersistent:
                _make_durable(files, log_folder, redo // config.extent_bytes)
                core.identifiers.start_run(repeat.next_message)
                _save(core, repeat, repeat.last_lsn or redo)
        finally:
            for queue in core.queues.values():
                queue.store.close()
    finally:
        log.close()
    return repeat.progress.records


def _check_there(log: ShippedLog, redo: int, config: LogConfig) -> None:
    """The record that was replayed last must be there: the log goes on behind it."""
    if log.end_lsn <= redo:
        path = f"{log.folder}/{extent_name(redo // config.extent_bytes)}"
        raise LogError(
            f"{path}: the record at LSN {redo}, which was replayed before, is not in this copy of the extent. It is "
            "older than the one that was there, or not complete: ship it again"
        )


def _make_durable(files: Files, log_folder: str, first: int) -> None:
    """Whoever shipped the extents may not have synced them, and what is saved next cannot do without them."""
    for name in files.list(log_folder):
        number = extent_number(name)
        if number is not None and number >= first:
            file = files.open(f"{log_folder}/{name}")
            try:
                file.sync()
            finally:
                file.close()
    files.sync_folder(log_folder)


def _save(core: Core, repeat: Restart, reached: int) -> None:
    """The stores as they are now, and the record in the log behind which the next replay goes on."""
    for queue in repeat.recovering.values():
        if queue.damage is None:
            queue.store.recovered()
    media = min(core.media.values(), default=0)
    current = Checkpoint.of_backup(core, reached)
    try:
        current.write()
        saved = current.state()
        saved.replayed = True
        save_state(core.files, core.folder, BackupState(saved, media))
    except BaseException:
        current.give_up()
        raise
    current.complete()
    size = core.log.config.extent_bytes
    core.say(amq(7467, core.qmgr_name, extent_name(current.head // size)))
    core.say(amq(7468, core.qmgr_name, extent_name(media // size)))


# Activation


def begin_activation(files: Files, folder: str, name: str, clock: Clock, say: Say) -> CheckpointState:
    """Replay what has come, then make the shipped extents its own log. Returns the state to start it with.

    From then on it can only be activated: extents of the live one do not continue this log any more.
    """
    log_folder, _, _, _ = _prepare(files, folder, name)
    state = load_state(files, folder)
    if not state.activating:
        # First, so that what is left for the restart fits in the active log however much was shipped
        replay(files, folder, name, clock, say)
        state = load_state(files, folder)
        state.activating = True
        save_state(files, folder, state)
    redo = state.checkpoint.redo
    head = min([redo, *(one.first_lsn for one in state.checkpoint.transactions.values())])
    Log.adopt_shipped(files, log_folder, checkpoint_lsn=redo, head_lsn=head, media_lsn=state.media)
    return state.checkpoint


def first_run(state: CheckpointState, now: float) -> int:
    """What the ids of an activated backup begin with, see `RUN_GAP`."""
    return max(int(now), state.next_message) + RUN_GAP


def forget_role(files: Files, folder: str) -> None:
    """A checkpoint of its own is in its log: from now on it is a queue manager like any other."""
    files.remove(f"{folder}/{queue_manager_files.BACKUP}")
    files.sync_folder(folder)


def _prepare(files: Files, folder: str, name: str) -> tuple[str, bytes, LogConfig, StoreLimits]:
    if not queue_manager_files.is_backup(files, folder):
        raise mq_error(C.MQRC_Q_MGR_NOT_AVAILABLE, name, f"the queue manager in {folder} is no backup")
    if files.exists(f"{folder}/{queue_manager_files.MARKER}"):
        raise mq_error(C.MQRC_Q_MGR_NOT_AVAILABLE, name, f"{folder}: the copy was cut short; make the backup again")
    settings = configuration.load(files, folder)
    log_folder = queue_manager_files.log_folder_of(folder, settings.log)
    log_id, config = log_identity(files, log_folder)
    return log_folder, log_id, config, store_limits(settings.tuning)
