"""How a queue manager ceases to be: its files, and those of its log wherever qm.ini says they are.

First it is marked as unfinished, as in its creation, and loses its checkpoint file: from then on it is none, and if the
deletion is cut short, another one, or a creation in the same place, does the rest. In a log folder elsewhere only what
a log consists of is removed.
"""

from __future__ import annotations

from libremq.common import configuration
from libremq.common.configuration import ConfigurationError
from libremq.common.files import queue_manager_files
from libremq.common.files.file_layer import Files
from libremq.host import creation
from libremq.host.opener import lock_folder
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error


def can_be_deleted(files: Files, folder: str) -> bool:
    """Is a queue manager there, or what an interrupted creation or deletion left of one?"""
    return queue_manager_files.exists(files, folder) or files.exists(f"{folder}/{queue_manager_files.MARKER}")


def delete(files: Files, folder: str, name: str) -> list[str]:
    """Delete the queue manager, which must have been ended. Returns the log folders that stay, as they hold more."""
    if not can_be_deleted(files, folder):
        raise mq_error(C.MQRC_Q_MGR_NAME_ERROR, name, f"there is no queue manager in {folder}")
    lock = lock_folder(files, folder, name)
    try:
        try:
            log = configuration.load(files, folder).log
        except ConfigurationError as error:
            raise mq_error(
                C.MQRC_Q_MGR_NOT_AVAILABLE, name, f"where its log is cannot be told: {error}; correct that first"
            ) from error
        files.open(f"{folder}/{queue_manager_files.MARKER}", create=True).close()
        files.sync_folder(folder)
        if queue_manager_files.exists(files, folder):
            files.remove(f"{folder}/{queue_manager_files.CHECKPOINT}")
            files.sync_folder(folder)
        kept = [path for path in (log.path, log.second_folder) if path and not creation.remove_log(files, path)]
        _remove_all(files, folder)
    finally:
        lock.release()
    return kept


def _remove_all(files: Files, folder: str) -> None:
    """The marker goes last: as long as anything is left, it says what that is."""
    for name in files.list(folder):
        if name not in (queue_manager_files.MARKER, queue_manager_files.LOCK):
            creation.remove_entry(files, f"{folder}/{name}")
    for path in (f"{folder}/{queue_manager_files.LOCK}", f"{folder}/{queue_manager_files.MARKER}"):
        if files.exists(path):
            files.remove(path)
    files.remove_folder(folder)
