"""What can go wrong below the kernel, in words that name the file and say what to do."""

from __future__ import annotations


class StoreDamaged(Exception):
    """A file of the store is not what was written: names the object, the file, and what can be done."""

    def __init__(self, object_name: str, path: str, what: str, action: str) -> None:
        super().__init__(f"{object_name}: {path}: {what}. {action}")
        self.object_name = object_name
        self.path = path


class StoreFull(Exception):
    """The file system has no room for queue data. Nothing was changed; what is queued stays safe."""


class StoreFailed(Exception):
    """A sync of a queue file failed: what the file holds is unknown, so the queue manager must end (contract 4)."""
