"""Being the only one who has a queue manager's files open: the locks to take, and what is said to whoever is second."""

from __future__ import annotations

from libremq.common.configuration import Configuration
from libremq.common.files import queue_manager_files
from libremq.common.files.file_layer import Files
from libremq.common.files.folder_lock import FolderLock
from libremq.log import CONTROL_FILE
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error


def lock_folder(files: Files, folder: str, name: str) -> FolderLock:
    """Lock a queue manager's folder, or what is left of one; MQRC_Q_MGR_NOT_AVAILABLE if it is open elsewhere."""
    try:
        lock = FolderLock(files, f"{folder}/{queue_manager_files.LOCK}")
        try:
            lock.add(f"{folder}/{queue_manager_files.CHECKPOINT}")
        except BaseException:
            lock.release()
            raise
        return lock
    except BlockingIOError as error:
        raise _open_elsewhere(files, error, folder, name) from None
    except OSError as error:
        raise mq_error(C.MQRC_Q_MGR_NOT_AVAILABLE, name, f"cannot write to {folder}: {error}") from error


def lock_log(lock: FolderLock, files: Files, folder: str, name: str, settings: Configuration) -> None:
    """Lock the control files of its log, too, as they are now."""
    try:
        for path in (queue_manager_files.log_folder_of(folder, settings.log), settings.log.second_folder):
            if path:
                lock.add(f"{path}/{CONTROL_FILE}")
        lock.add(f"{folder}/{queue_manager_files.CHECKPOINT}")
    except BlockingIOError as error:
        raise _open_elsewhere(files, error, folder, name) from None


def _open_elsewhere(files: Files, error: BlockingIOError, folder: str, name: str) -> MQError:
    why = f"{error.strerror} has the queue manager in {folder} open; close it there first, or have a server run it"
    if files.exists(f"{folder}/{queue_manager_files.MARKER}"):
        why = f"{error.strerror} makes the queue manager in {folder} at this moment, or deletes it; wait for that"
    return mq_error(C.MQRC_Q_MGR_NOT_AVAILABLE, name, why)
