"""The error log of a queue manager: `errors/AMQERR01.LOG`, and 02 and 03, which hold what is older.

Both processes of a queue manager write to it, entries at a time under a lock, and if qm.ini asks for it the same
entries as lines of JSON to `AMQERR01.json`. Nothing here ever raises: a full disk must not end a queue manager because
of what it had to say. A message that repeats itself without end is counted instead of written (`repeated_messages`);
qm.ini names those that are left out (ExcludeMessage), or written once in a while (SuppressMessage).
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections import deque
from collections.abc import Callable

from libremq.common import configuration
from libremq.common.configuration import Configuration, ConfigurationError
from libremq.common.files.file_layer import RealFiles
from libremq.common.messages.amq_messages import amq
from libremq.server.diagnostics.error_entry import Entry, Origin, summaries, utc
from libremq.server.diagnostics.repeated_messages import SAME_MAX, SAME_WINDOW_S, RepeatedMessages, address_in

FOLDER = "errors"
FILES = ("AMQERR01.LOG", "AMQERR02.LOG", "AMQERR03.LOG")
JSON_FILES = ("AMQERR01.json", "AMQERR02.json", "AMQERR03.json")
FILE_BYTES_MAX = 32 << 20

_LOCK = "AMQERR.LCK"
_WAITING_MAX = 1000
_RECENT = 40


class ErrorLog:
    """The error log in the folder of a queue manager. May be used from any thread, and by several processes."""

    def __init__(
        self,
        folder: str,
        queue_manager: str,
        program: str,
        *,
        file_bytes_max: int = FILE_BYTES_MAX,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.folder = f"{folder}/{FOLDER}"
        self.recent: deque[str] = deque(maxlen=_RECENT)
        """The last entries of this process, for a first-failure report."""
        self._file_bytes_max = file_bytes_max
        self._json = False
        self._excluded: frozenset[int] = frozenset()
        self._suppressed: frozenset[int] = frozenset()
        self._interval_s = SAME_WINDOW_S
        self._now = now
        self._guard = threading.Lock()
        self._waiting: dict[tuple[str, ...], list[bytes]] = {FILES: [], JSON_FILES: []}
        self._repeated = RepeatedMessages()
        self._origin = Origin(queue_manager, program)

    def configure(self, settings: Configuration) -> None:
        """What qm.ini says about the error log applies from now on."""
        error_log = settings.error_log
        with self._guard:
            self._file_bytes_max = error_log.file_bytes_max
            self._excluded = frozenset(error_log.excluded)
            self._suppressed = frozenset(error_log.suppressed)
            self._interval_s = error_log.suppress_interval_s
            self._json = settings.diagnostics.format == "json"

    def write(self, text: str) -> None:
        """Add an entry, and bring it to the file at once."""
        self.note(text)
        self.flush()

    def note(self, text: str) -> None:
        """Add an entry that `flush` brings to the file: for those who must not wait for a disk."""
        entry = Entry(text, self._now(), self._origin)
        with self._guard:
            number = int(entry.id[3:7]) if entry.id else 0
            if number in self._excluded:
                return
            window_s, most = (self._interval_s, 1) if number in self._suppressed else (SAME_WINDOW_S, SAME_MAX)
            key = entry.id or entry.text[:60]
            for left_out in (*self._repeated.ended(entry.at), *self._repeated.make_room()):
                self._add(Entry(amq(6290, *left_out), entry.at, self._origin))
            if self._repeated.is_written(key, address_in(text), entry.at, window_s, most):
                self._add(entry)

    def tell_left_out(self, *, all_of_them: bool = False) -> None:
        """Add how many messages were left out whose time has passed, or of all of them: nothing else may follow."""
        at = self._now()
        with self._guard:
            for left_out in self._repeated.all() if all_of_them else self._repeated.ended(at):
                self._add(Entry(amq(6290, *left_out), at, self._origin))

    def _add(self, entry: Entry) -> None:
        self.recent.append(f"{utc(entry.at)} {entry.text}")
        self._waiting[FILES].append(entry.as_text())
        if self._json:
            self._waiting[JSON_FILES].append(entry.as_json())
        for waiting in self._waiting.values():
            del waiting[:-_WAITING_MAX]  # if the disk has been full for so long, the oldest ones give way

    def flush(self) -> bool:
        """Write what has been noted. False if that is not possible now; it is kept for the next time."""
        with self._guard:
            if not any(self._waiting.values()):
                return True
            try:
                os.makedirs(self.folder, 0o700, exist_ok=True)
                lock = os.open(f"{self.folder}/{_LOCK}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX)
                    for names, waiting in self._waiting.items():
                        if waiting:
                            self._append(names, b"".join(waiting))
                            waiting.clear()
                finally:
                    os.close(lock)
            except OSError:
                return False
            return True

    def _append(self, names: tuple[str, ...], data: bytes) -> None:
        path = f"{self.folder}/{names[0]}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        fd = os.open(path, flags, 0o600)
        try:
            size = os.fstat(fd).st_size
            if size and size + len(data) > self._file_bytes_max:
                os.close(fd)
                fd = -1
                for older, newer in ((2, 1), (1, 0)):
                    if os.path.exists(f"{self.folder}/{names[newer]}"):
                        os.replace(f"{self.folder}/{names[newer]}", f"{self.folder}/{names[older]}")
                fd = os.open(path, flags, 0o600)
                size = 0
            if os.write(fd, data) != len(data):
                os.ftruncate(fd, size)  # half an entry is none; the disk is full
                raise OSError("the entry did not fit")
        finally:
            if fd >= 0:
                os.close(fd)


def configured_log(folder: str, queue_manager: str, program: str) -> ErrorLog:
    """The error log as qm.ini says, or as it is without one."""
    log = ErrorLog(folder, queue_manager, program)
    try:
        log.configure(configuration.load(RealFiles(), folder))
    except (ConfigurationError, OSError):
        pass  # whoever starts the queue manager tells of it
    return log


def last_entries(folder: str, bytes_max: int = 16384) -> list[str]:
    """The time and message of the last entries, whoever wrote them."""
    data = b""
    for name in FILES[:2]:
        try:
            with open(f"{folder}/{FOLDER}/{name}", "rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - (bytes_max - len(data))))
                data = file.read(bytes_max - len(data)) + data
        except OSError:
            continue
        if len(data) >= bytes_max:
            break
    return summaries(data.decode("utf-8", "replace"))
