"""How a queue manager comes to be, starts, and ends; and the checkpoints in between.

Creation leaves a whole queue manager or none. A start is restart recovery and then a checkpoint; an orderly end is a
checkpoint too, so that the next start has nothing to replay. A failure below ends everything at once (contract 4).
"""

from __future__ import annotations

from typing import Self

from libremq.common.clock import Clock
from libremq.common.files import FileLock, Files, lock_holder
from libremq.common.names import check_queue_manager_name
from libremq.kernel import checkpoint
from libremq.kernel.core import Core
from libremq.kernel.definitions import Catalogue
from libremq.kernel.identifiers import Identifiers
from libremq.kernel.journal import CheckpointState
from libremq.kernel.objects import LocalQueue
from libremq.kernel.restart import Restart, Say
from libremq.kernel.system_objects import create_system_objects
from libremq.kernel.trouble import PASSING, TROUBLE, as_creation_error, as_start_error, is_lack_of_space
from libremq.log import CONTROL_FILE, Log, LogConfig, LogError, LogFull, RecordType, SlotFile
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error
from libremq.store.errors import StoreDamaged, StoreFull
from libremq.store.queue_store import StoreLimits

_CREATING = "creating"  # there while a creation is under way: what an interrupted one left may be wiped
_LOCK = "qm.lock"


def _silent(text: str) -> None:
    """Nobody wants the start messages."""


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
    known = {folder for _, folder in core.queue_files.values()}
    for folder in core.files.list(f"{core.folder}/queues"):
        path = f"{core.folder}/queues/{folder}"
        if folder not in known and _is_queue_folder(core.files, path):
            core.files.remove_folder(path)


def _is_queue_folder(files: Files, path: str) -> bool:
    try:
        return all(name == "q" or name.startswith("handles.") for name in files.list(path))
    except OSError:
        return False


class Lifecycle:
    """A started queue manager, as far as it does not concern applications."""

    def __init__(self, core: Core, lock: FileLock, checkpoint_file: SlotFile, say: Say = _silent) -> None:
        self.core = core
        self.say = say
        self.failure: str | None = None
        self._lock = lock
        self._checkpoint_file = checkpoint_file
        self._checkpoint_due = self._records_due = self._records_at_checkpoint = 0
        self._plan_checkpoint()

    def end_connections(self) -> None:
        """Back out and close what applications left; the verbs know how."""
        raise AssertionError("a queue manager without verbs has no connections")

    @property
    def name(self) -> str:
        return self.core.qmgr_name

    # Creation, start and end

    @staticmethod
    def exists(files: Files, folder: str) -> bool:
        return files.exists(f"{folder}/{checkpoint.FILE_NAME}")

    @classmethod
    def create(cls, files: Files, folder: str, name: str, clock: Clock, log_config: LogConfig | None = None) -> None:
        """Make a queue manager with its system objects. It is there when this returns, or not at all."""
        check_queue_manager_name(name)
        if cls.exists(files, folder):
            raise mq_error(C.MQRC_OBJECT_ALREADY_EXISTS, name, f"there is a queue manager in {folder} already")
        try:
            cls._create(files, folder, name, clock, log_config)
        except TROUBLE as error:
            raise as_creation_error(error, name, folder) from error
        except ValueError as error:
            raise mq_error(C.MQRC_RESOURCE_PROBLEM, name, str(error)) from error

    @classmethod
    def _create(cls, files: Files, folder: str, name: str, clock: Clock, log_config: LogConfig | None) -> None:
        if files.exists(folder) and files.list(folder):
            if not files.exists(f"{folder}/{_CREATING}"):
                raise mq_error(
                    C.MQRC_OBJECT_ALREADY_EXISTS,
                    name,
                    f"{folder} holds files that are no queue manager; choose another folder",
                )
            for left in files.list(folder):
                if left not in (_CREATING, _LOCK, "log", "queues"):
                    files.remove(f"{folder}/{left}")
            files.remove_folder(f"{folder}/log")
            files.remove_folder(f"{folder}/queues")
        files.make_folder(folder)
        marker = files.open(f"{folder}/{_CREATING}", create=True)
        marker.sync()
        marker.close()
        files.sync_folder(folder)
        files.make_folder(f"{folder}/queues")
        log = Log.create(files, f"{folder}/log", log_config, clock=clock)
        try:
            catalogue = Catalogue(name, clock.now())
            create_system_objects(catalogue, clock.now())
            core = Core(files, folder, catalogue, log, clock)
            for obj in catalogue:
                if isinstance(obj, LocalQueue):
                    core.new_local_queue(obj)
            checkpoint.take(core, None, clean=True)
            slots = SlotFile.create(
                files,
                folder,
                checkpoint.FILE_NAME,
                checkpoint.MAGIC,
                checkpoint.VERSION,
                log.checkpoint.to_bytes(8, "little"),
            )
            slots.close()
        finally:
            log.close()
        files.remove(f"{folder}/{_CREATING}")
        files.sync_folder(folder)

    @classmethod
    def start(
        cls,
        files: Files,
        folder: str,
        name: str,
        clock: Clock,
        *,
        limits: StoreLimits | None = None,
        say: Say = _silent,
    ) -> Self:
        """Start it: restart recovery, then ready. MQError with the reason if it cannot be started."""
        if not cls.exists(files, folder):
            if files.exists(f"{folder}/log/{CONTROL_FILE}") and not files.exists(f"{folder}/{_CREATING}"):
                raise mq_error(
                    C.MQRC_OBJECT_DAMAGED,
                    name,
                    f"{folder}/{checkpoint.FILE_NAME}: the file is missing. Restore the folder from a backup",
                )
            raise mq_error(
                C.MQRC_Q_MGR_NAME_ERROR,
                name,
                f"there is no queue manager in {folder}; create it first (?create=1 does)",
            )
        try:
            lock = files.lock(f"{folder}/{_LOCK}")
        except BlockingIOError:
            raise mq_error(
                C.MQRC_Q_MGR_NOT_AVAILABLE,
                name,
                f"{lock_holder(f'{folder}/{_LOCK}')} has the queue manager in {folder} open; close it there first",
            ) from None
        except OSError as error:
            raise mq_error(C.MQRC_Q_MGR_NOT_AVAILABLE, name, f"cannot write to {folder}: {error}") from error
        try:
            return cls._start(files, folder, name, clock, limits, say, lock)
        except BaseException as error:
            lock.release()
            if isinstance(error, TROUBLE):
                raise as_start_error(error, name) from error
            raise

    @classmethod
    def _start(
        cls, files: Files, folder: str, name: str, clock: Clock, limits: StoreLimits | None, say: Say, lock: FileLock
    ) -> Self:
        say(f"LibreMQ queue manager '{name}' starting.")
        checkpoint_file = SlotFile.open(files, folder, checkpoint.FILE_NAME, checkpoint.MAGIC, checkpoint.VERSION)
        log = Log.open(files, f"{folder}/log", clock=clock)
        try:
            checkpoint_file.settle()
            _check_same_moment(checkpoint_file, log)
            state = CheckpointState.read(log.read(log.checkpoint).payload)
            core = Core(files, folder, Catalogue(name, clock.now()), log, clock, limits, Identifiers(name))
            core.identifiers.start_run(max(int(clock.now()), state.next_message + 1))
            restart = Restart(core, say)
            restart.run()
            if core.qmgr_name != name:
                raise StoreDamaged(name, folder, f"it holds queue manager {core.qmgr_name}", "Open it by that name")
            try:
                checkpoint.take(core, checkpoint_file)
            except (LogFull, StoreFull, OSError) as error:
                # Saved non-persistent messages must not be there after a crash: only a checkpoint sees to that
                if state.nonpersistent or not is_lack_of_space(error):
                    raise
                say(f"The checkpoint of queue manager '{name}' is postponed: {error}")
            _remove_strays(core)
            if files.exists(f"{folder}/{_CREATING}"):
                files.remove(f"{folder}/{_CREATING}")  # its creation was cut short by the end of it
            manager = cls(core, lock, checkpoint_file, say)
        except BaseException:
            log.abandon()
            checkpoint_file.close()
            raise
        say(f"LibreMQ queue manager '{name}' started.")
        return manager

    def end(self) -> None:
        """End in good order: connections ended, temporary queues gone, a last checkpoint taken."""
        if self.failure is None:
            for waiter in list(self.core.waiters):
                waiter.fail(mq_error(C.MQRC_Q_MGR_STOPPING, self.name, "the queue manager ended while the get waited"))
            try:
                self.end_connections()
                checkpoint.take(self.core, self._checkpoint_file, clean=True)
            except Exception as error:
                # What the log holds is enough for the next start, whatever went wrong here
                self.fail(f"the last checkpoint failed: {error}")
                self.say(f"Queue manager '{self.name}' did not end in good order: {error}")
        self._let_go()

    def _let_go(self) -> None:
        try:
            for queue in self.core.queues.values():
                queue.store.close()
            if self.failure is None:
                try:
                    self.core.log.close()
                except LogError as error:
                    self.fail(str(error))
            else:
                self.core.log.abandon()
            self._checkpoint_file.close()
        finally:
            self._lock.release()

    def abandon(self) -> None:
        """Stop as if the process had been killed: for tests, and after a failure."""
        self.fail("the queue manager was stopped without an orderly end")
        self._let_go()

    def fail(self, why: str) -> None:
        """Fail-stop (contract 4): nothing more is written, every waiting and later call is told why."""
        if self.failure is None:
            self.failure = why
            for waiter in list(self.core.waiters):
                waiter.fail(mq_error(C.MQRC_CONNECTION_BROKEN, self.name, why))
            for connection in self.core.connections.values():
                if connection.wake is not None:
                    connection.wake()

    def forsake(self, why: str) -> None:
        """In the child of a fork: this is a copy, the files are the parent's. The copy of the lock is let go."""
        self.failure = why
        self._lock.release()

    # Checkpoints and the clock

    def take_checkpoint(self) -> None:
        """Take a checkpoint now. A full disk or log only postpones it: the log still holds everything."""
        space = self.core.log.space()
        room = space.capacity_bytes - space.used_bytes - self.core.undo_bytes
        if room < space.capacity_bytes - space.limit_bytes and not checkpoint.frees_log(self.core):
            return  # it would only use up the room that is kept to end units of work
        try:
            checkpoint.take(self.core, self._checkpoint_file)
        except PASSING as error:
            self.say(f"The checkpoint of queue manager '{self.name}' is postponed: {error}")
        self._plan_checkpoint()

    def _plan_checkpoint(self) -> None:
        """The next one is due after RECORDS_MAX logged operations, or a quarter of the log, whichever comes first."""
        log = self.core.log
        self._records_due = self.core.logged_operations + checkpoint.RECORDS_MAX
        self._records_at_checkpoint = self.core.logged_operations
        self._checkpoint_due = log.tail + log.space().capacity_bytes // 4
