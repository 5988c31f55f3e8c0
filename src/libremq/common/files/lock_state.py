"""Is a queue manager's lock file locked, and by whom? For those who only want to know: nothing is written.

The system knows whether a lock is held, and the note in the file says by whom. To ask is to try a shared lock for a
moment, so only a process that starts the queue manager in that very moment could be refused because of it.
"""

from __future__ import annotations

import os

from libremq.common.files.file_layer import lock_holder


def locked_by(path: str) -> str:
    """Who holds the lock, as `lock_holder` names it; "" if nobody does."""
    import fcntl  # here: on Windows there is none

    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return ""
    except OSError:
        return lock_holder(path)
    finally:
        os.close(fd)
