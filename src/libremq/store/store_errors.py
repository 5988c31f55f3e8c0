"""What can go wrong below the kernel, in words that name the file and say what to do."""

from __future__ import annotations

from libremq.common.files.file_layer import SyncFailed
from libremq.common.files.open_files import OUT_OF_FILES

READS = 3
"""So often something is read until it is said to be damaged, which is for good: a bad read may be the only one."""


class StoreDamaged(Exception):
    """A file of the store is not what was written: names the object, the file, and what can be done."""

    def __init__(self, object_name: str, path: str, what: str, action: str) -> None:
        super().__init__(f"{object_name}: {path}: {what}. {action}")
        self.object_name = object_name
        self.path = path
        self.what = what
        self.action = action

    def again(self) -> StoreDamaged:
        """A fresh exception for each call that meets the damage: one raised twice would collect tracebacks."""
        return StoreDamaged(self.object_name, self.path, self.what, self.action)


def damaged_queue(name: str, path: str, what: str) -> StoreDamaged:
    """Damage to a file of a queue, with the ways out that there are."""
    return StoreDamaged(
        name, path, what,
        f"With a linear log media recovery makes the queue anew: rcrmqobj -t ql {name}. Otherwise restore the queue "
        "manager's folder from a backup, or delete the queue",
    )  # fmt: skip


class StoreFull(Exception):
    """The file system has no room for queue data. Nothing was changed; what is queued stays safe."""


def failed_write(name: str, what: str, error: OSError) -> StoreFull | StoreFailed | OSError:
    """What to raise when a queue file could not be made or written; too many open files are no matter of the disk."""
    if isinstance(error, SyncFailed):
        return failed_sync(name, error)
    return error if error.errno in OUT_OF_FILES else StoreFull(f"{name}: cannot {what} its queue file: {error}")


class StoreFailed(Exception):
    """A sync of a queue file failed: what the file holds is unknown, so the queue manager must end (contract 4)."""


def failed_sync(path: str, error: OSError) -> StoreFailed | OSError:
    """What to raise when a file, or its folder, could not be synced.

    A folder is opened for that. If there are too many open files, nothing was tried and nothing has failed: the
    checkpoint is postponed.
    """
    return error if error.errno in OUT_OF_FILES else StoreFailed(f"{path}: sync failed: {error}")
