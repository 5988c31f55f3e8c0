"""What makes written bytes durable: the call of the system that returns when they would survive a power cut.

On Linux that is fdatasync for the content of a file and fsync for a folder. On macOS fsync only hands the bytes to the
drive, which keeps them in its cache: F_FULLFSYNC is what has it write them. A file system that does not know that call,
such as one of a server, gets the best it has. Every other failure is the caller's, and final.
"""

from __future__ import annotations

import errno
import os

try:
    import fcntl
except ImportError:  # no queue manager here, but clients load this, too
    _FULL: int | None = None
else:
    _FULL = getattr(fcntl, "F_FULLFSYNC", None)

_NOT_KNOWN = (errno.EINVAL, errno.ENOTSUP, errno.ENOTTY)
_content = getattr(os, "fdatasync", os.fsync)


def sync_content(descriptor: int) -> None:
    """Make all that was written to a file durable, with its size."""
    if _FULL is None:
        _content(descriptor)
    else:
        _sync_fully(descriptor, _FULL)


def sync_all(descriptor: int) -> None:
    """Make a folder durable, or a file with all that is known about it."""
    if _FULL is None:
        os.fsync(descriptor)
    else:
        _sync_fully(descriptor, _FULL)


def _sync_fully(descriptor: int, full: int) -> None:
    try:
        fcntl.fcntl(descriptor, full)
    except OSError as error:
        if error.errno not in _NOT_KNOWN:
            raise
        os.fsync(descriptor)
