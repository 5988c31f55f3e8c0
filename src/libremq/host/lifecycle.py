"""How a queue manager is made, started and backed up: from a folder to a `QueueManager` that takes calls.

A start is restart recovery and then a checkpoint, under a lock on the folder that keeps a second opener out. What runs
after that, to the orderly end, is `libremq.kernel.running`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from libremq.common import configuration
from libremq.common.clock import Clock
from libremq.common.configuration import ConfigurationError, TuningSettings
from libremq.common.files import queue_manager_files
from libremq.common.files.file_layer import Files
from libremq.common.files.folder_lock import FolderLock
from libremq.common.messages.amq_messages import amq
from libremq.host import backup_queue_manager, creation, opener
from libremq.host.log_settings import open_log, store_limits
from libremq.host.missing_system_objects import complete_system_objects
from libremq.host.side_by_side import side_by_side
from libremq.kernel.events import queue_manager_events
from libremq.kernel.manager import QueueManager
from libremq.kernel.objects.catalogue import Catalogue
from libremq.kernel.recovery import checkpoint, disk_room, media_recovery
from libremq.kernel.recovery.replay import read_checkpoint
from libremq.kernel.recovery.restart import Restart, Say
from libremq.kernel.state import media_image
from libremq.kernel.state.core import Core
from libremq.kernel.state.failure_reasons import (
    FAILURES,
    as_creation_error,
    as_mq_error,
    as_start_error,
    is_final,
    is_lack_of_space,
)
from libremq.kernel.state.identifiers import Identifiers
from libremq.kernel.state.journal import CheckpointState
from libremq.log import CONTROL_FILE, Log, LogConfig, LogError, LogFull, RecordType, SlotFile
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error
from libremq.store.queue_store import StoreLimits
from libremq.store.store_errors import StoreDamaged, StoreFull


def _silent(text: str) -> None:
    """Nobody wants the start messages."""


def _nothing() -> None:
    """For a start that has nothing to do when its checkpoint is in force."""


def _check_same_moment(checkpoint_file: SlotFile, log: Log) -> None:
    """The checkpoint file is written after the record it names and before the log's control file."""
    lsn = int.from_bytes(checkpoint_file.payload, "little")
    what = "the data is of an earlier moment than the log"
    if lsn >= log.checkpoint:
        what = "the log is of an earlier moment than the data, or of another queue manager"
        try:
            if log.read(lsn).type == RecordType.CHECKPOINT:
                return
        except LogError:
            pass
    raise StoreDamaged("checkpoint", checkpoint_file.path, what, "Restore log and data from one backup")


def _remove_strays(core: Core) -> None:
    """Folders of temporary queues that a crash left behind: nothing knows them any more."""
    known = {folder for _, folder in core.queue_files.values()}.union(core.dropped_folders)
    for folder in core.files.list(f"{core.folder}/queues"):
        path = f"{core.folder}/queues/{folder}"
        if folder not in known and _is_queue_folder(core.files, path):
            core.files.remove_folder(path)


def _is_queue_folder(files: Files, path: str) -> bool:
    try:
        return all(name == "q" or name.startswith("handles.") for name in files.list(path))
    except OSError:
        return False


def exists(files: Files, folder: str) -> bool:
    """Is there a queue manager? OSError if nobody can tell."""
    return queue_manager_files.exists(files, folder)


def create(
    files: Files,
    folder: str,
    name: str,
    clock: Clock,
    log_config: LogConfig | None = None,
    *,
    log_folder: str = "",
    tuning: TuningSettings | None = None,
) -> None:
    """Make a queue manager with its system objects. It is there when this returns, or not at all."""
    creation.create(files, folder, name, clock, log_config, log_folder, tuning)


def start(
    files: Files,
    folder: str,
    name: str,
    clock: Clock,
    *,
    limits: StoreLimits | None = None,
    say: Say = _silent,
    activate: bool = False,
) -> QueueManager:
    """Start it: restart recovery, then ready. MQError with the reason if it cannot be started.

    `activate`: it has been a backup, and takes over from the live queue manager.
    """
    try:
        lock = _lock_folder(files, folder, name)
    except OSError as error:
        raise as_start_error(error, name) from error
    try:
        try:
            return _start(files, folder, name, clock, limits, say, lock, activate)
        except (OSError, LogError) as error:
            # Cut short anywhere, a start can be done again; and opening the log needs a little room
            if activate or not disk_room.let_go_for_start(files, folder, name, error, say):
                raise
            return _start(files, folder, name, clock, limits, say, lock, activate)
    except BaseException as error:
        lock.release()
        if isinstance(error, (*FAILURES, ConfigurationError)):
            raise as_start_error(error, name) from error
        raise


def _lock_folder(files: Files, folder: str, name: str) -> FolderLock:
    if not exists(files, folder):
        if queue_manager_files.is_backup(files, folder):
            raise mq_error(C.MQRC_Q_MGR_NOT_AVAILABLE, name, f"{folder}: the copy was cut short; make the backup again")
        if files.exists(f"{folder}/log/{CONTROL_FILE}") and not files.exists(f"{folder}/{queue_manager_files.MARKER}"):
            raise mq_error(
                C.MQRC_OBJECT_DAMAGED,
                name,
                f"{folder}/{queue_manager_files.CHECKPOINT}: the file is missing. Restore the folder from a backup",
            )
        raise mq_error(
            C.MQRC_Q_MGR_NAME_ERROR,
            name,
            f"there is no queue manager in {folder}; make it with 'libremq crtmqm {name}', or by ?create=1 in the URL",
        )
    return opener.lock_folder(files, folder, name)


def _start(
    files: Files,
    folder: str,
    name: str,
    clock: Clock,
    limits: StoreLimits | None,
    say: Say,
    lock: FolderLock,
    activate: bool,
) -> QueueManager:
    say(f"LibreMQ queue manager '{name}' starting.")
    settings = configuration.load(files, folder)
    for warning in settings.warnings:
        say(warning)
    state: CheckpointState | None = None
    settled: Callable[[], None] = _nothing
    if activate:
        state = backup_queue_manager.begin_activation(files, folder, name, clock, say)
        settled = partial(backup_queue_manager.forget_role, files, folder)
    else:
        backup_queue_manager.refuse_backup(files, folder, name)
    opener.lock_log(lock, files, folder, name, settings)
    checkpoint_file = SlotFile.open(files, folder, queue_manager_files.CHECKPOINT, checkpoint.MAGIC, checkpoint.VERSION)
    try:
        log = open_log(files, folder, settings, clock, say)
    except BaseException:
        checkpoint_file.close()
        raise
    try:
        checkpoint_file.settle()
        if state is None:
            _check_same_moment(checkpoint_file, log)
            state = read_checkpoint(log.folder, log.read(log.checkpoint))
        limits = limits or store_limits(settings.tuning)
        core = Core(files, folder, Catalogue(name, clock.now()), log, clock, limits, Identifiers(name))
        core.say = say
        core.side_by_side = side_by_side
        disk_room.find(core)
        run = max(int(clock.now()), state.next_message + 1)
        core.identifiers.start_run(backup_queue_manager.first_run(state, clock.now()) if activate else run)
        Restart(core, say).run(state)
        media_recovery.recover_damaged(core)
        if core.qmgr_name != name:
            raise StoreDamaged(name, folder, f"it holds queue manager {core.qmgr_name}", "Open it by that name")
        complete_system_objects(core)
        try:
            disk_room.take_checkpoint(core, checkpoint_file, settled=settled)
        except (LogFull, StoreFull, OSError) as error:
            # Saved non-persistent messages must not be there after a crash: only a checkpoint sees to that
            if activate or state.nonpersistent or not is_lack_of_space(error):
                raise
            say(amq(7233, name, disk_room.described(core, error)))
        _remove_strays(core)
        if files.exists(f"{folder}/{queue_manager_files.MARKER}"):
            files.remove(f"{folder}/{queue_manager_files.MARKER}")  # its creation was cut short by the end of it
        core.authorities.configure(settings.security)
        opener.lock_log(lock, files, folder, name, settings)  # a control file that was missing is made by the start
        manager = QueueManager(core, lock, checkpoint_file, say, settings.tuning)
        queue_manager_events.queue_manager_started(core, activated=activate)
        queue_manager_events.logger_event(core)
    except BaseException:
        log.abandon()
        checkpoint_file.close()
        raise
    say(f"LibreMQ queue manager '{name}' started.")
    return manager


# Backup queue managers


def create_backup(files: Files, source: str, target: str, name: str, *, log_folder: str = "") -> None:
    """Make a backup in the folder `target` of the queue manager in `source`, which must have been ended."""
    lock = _lock_folder(files, source, name)
    try:
        _copy(files, source, target, name, log_folder)
    finally:
        lock.release()


def copy_to_backup(manager: QueueManager, target: str, *, log_folder: str = "") -> None:
    """Make a backup of this running one. Nothing else may happen meanwhile: to be called under the lock."""
    if manager.failure is not None:
        raise mq_error(C.MQRC_CONNECTION_BROKEN, manager.name, manager.failure)
    media_image.await_checkpoint(manager)
    try:
        manager.take_checkpoint()
        manager.core.log.force()  # nobody writes to it then
    except FAILURES as error:
        if is_final(error):
            manager.fail(str(error))
        raise as_mq_error(error, manager.name) from error
    _copy(manager.core.files, manager.core.folder, target, manager.name, log_folder)


def _copy(files: Files, source: str, target: str, name: str, log_folder: str) -> None:
    try:
        backup_queue_manager.copy_from(files, source, target, name, log_folder=log_folder)
    except (LogError, StoreDamaged, ConfigurationError) as error:
        raise mq_error(C.MQRC_OBJECT_DAMAGED, name, f"it cannot be copied: {error}") from error
    except FAILURES as error:
        raise as_creation_error(error, name, target) from error


def replay_backup(files: Files, folder: str, name: str, clock: Clock, say: Say = _silent) -> int:
    """Bring a backup up to date from the extents that were shipped to it; how many records that were."""
    lock = _lock_folder(files, folder, name)
    try:
        return backup_queue_manager.replay(files, folder, name, clock, say)
    except (*FAILURES, ConfigurationError) as error:
        raise as_start_error(error, name) from error
    finally:
        lock.release()
