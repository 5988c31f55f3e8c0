"""The logger's counters in a small file, so that a command in another process can show them.

The counters live in the queue manager's process. It writes them here at each checkpoint and at its end; a reader gets
the figures of that moment, whole, and is told which moment it is. They are a view of the books, not part of what is
promised: the file is replaced without a sync, and a write that fails stops nobody.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import Any

from libremq.common.files.file_layer import Files
from libremq.log.log_errors import LogError
from libremq.log.log_statistics import LogStatistics

FILE_NAME = "logger-statistics.json"
_FORMAT = "libremq logger statistics"
_VERSION = 1
_BYTES_MAX = 1 << 20


@dataclass(frozen=True, slots=True)
class SavedStatistics:
    """What the file holds. `figures` has every field of a LogStatistics, by name, as plain JSON types."""

    queue_manager: str
    at: float
    """When it was written, in seconds since 1970."""
    event: str
    """What made the queue manager write it: `checkpoint` or `end`."""
    figures: dict[str, Any]

    def statistics(self) -> LogStatistics:
        """The counters as the log gives them. LogError if the file was written by another release."""
        known = {field.name for field in fields(LogStatistics)}
        if known - self.figures.keys():
            missing = ", ".join(sorted(known - self.figures.keys()))
            raise LogError(f"the statistics were written by another release: they lack {missing}")
        return LogStatistics(**{name: _tuples(value) for name, value in self.figures.items() if name in known})


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def save_statistics(
    files: Files,
    folder: str,
    statistics: LogStatistics,
    *,
    queue_manager: str = "",
    at: float = 0.0,
    event: str = "checkpoint",
) -> bool:
    """Replace the file in the queue manager's folder; False if that was not possible, which changes nothing else."""
    content = {
        "format": _FORMAT,
        "version": _VERSION,
        "queue_manager": queue_manager,
        "at": at,
        "event": event,
        "figures": asdict(statistics),
    }
    path = f"{folder}/{FILE_NAME}"
    data = json.dumps(content, indent=1).encode() + b"\n"
    try:
        try:
            _write(files, path + ".new", data, create=True)
            files.rename(path + ".new", path)
        except OSError:
            # Over the one before, in its blocks: the disk may be full
            if files.exists(path + ".new"):
                files.remove(path + ".new")
            _write(files, path, data)
    except OSError:
        return False
    return True


def _write(files: Files, path: str, data: bytes, *, create: bool = False) -> None:
    file = files.open(path, create=create)
    try:
        file.write(0, data)
        file.truncate(len(data))
    finally:
        file.close()


def load_statistics(files: Files, folder: str) -> SavedStatistics:
    """Read the file. LogError if there is none, or none that can be used."""
    path = f"{folder}/{FILE_NAME}"
    try:
        file = files.open(path)
    except FileNotFoundError:
        raise LogError(
            f"{path}: there are no statistics yet: a queue manager writes them at its checkpoints and at its end"
        ) from None
    except OSError as error:
        raise LogError(f"{path}: the statistics cannot be read: {error.strerror or error}") from error
    try:
        data = file.read(0, _BYTES_MAX)
    except OSError as error:
        raise LogError(f"{path}: the statistics cannot be read: {error.strerror or error}") from error
    finally:
        file.close()
    try:
        content = json.loads(data)
        if content["format"] != _FORMAT or content["version"] != _VERSION:
            raise ValueError("unknown format or version")
        figures = dict(content["figures"])
        return SavedStatistics(str(content["queue_manager"]), float(content["at"]), str(content["event"]), figures)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise LogError(
            f"{path}: the statistics cannot be used ({error}); the next checkpoint of the queue manager writes new ones"
        ) from error
