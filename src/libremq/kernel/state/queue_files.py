"""Where local queues are kept: id and folder of each by its name, its name by the id, and which folders are taken.

Each question has a table of its own: a start asks for every queue that the log speaks of, and each definition of a
queue for a folder that is free.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from libremq.common.names.object_names import fold


class QueueFiles(Mapping[str, tuple[int, str]]):
    """Every recoverable local queue by its name: its id and folder."""

    def __init__(self) -> None:
        self._places: dict[str, tuple[int, str]] = {}
        self._names: dict[int, str] = {}
        self._folders: Counter[str] = Counter()
        self.elsewhere: dict[int, str] = {}
        """By id: the folders of queues that are not in the one named after them."""

    def __getitem__(self, name: str) -> tuple[int, str]:
        return self._places[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def name_of(self, queue_id: int) -> str | None:
        return self._names.get(queue_id)

    def is_taken(self, folder: str) -> bool:
        return folder in self._folders

    def place(self, name: str, queue_id: int, folder: str) -> None:
        """Have the queue in this folder, perhaps in place of one of the same name."""
        if name in self._places:
            self.forget(name)
        self._places[name] = queue_id, folder
        self._names[queue_id] = name
        self._folders[folder] += 1
        if folder != fold(name):
            self.elsewhere[queue_id] = folder

    def forget(self, name: str) -> None:
        """The queue is gone, or somewhere else."""
        queue_id, folder = self._places.pop(name)
        del self._names[queue_id]
        self.elsewhere.pop(queue_id, None)
        self._folders[folder] -= 1
        if not self._folders[folder]:
            del self._folders[folder]
