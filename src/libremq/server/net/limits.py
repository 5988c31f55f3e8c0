"""How much a queue manager takes on: what qm.ini says, within what open files and memory allow.

A socket needs an open file, a connection some memory. So many are promised as can be kept, and one more is refused,
which is better than a queue manager that runs out of files in the middle of a checkpoint.
"""

from __future__ import annotations

import os
import resource
from typing import NamedTuple

from libremq.common.configuration import Configuration
from libremq.common.messages.amq_messages import amq

LINKS_MAX = 10_000
"""Sockets, if nothing else limits them and no more channels are wished for."""
LINKS_MIN = 10
CONNECTIONS_MAX = 20_000
"""MQCONNs: several may share a socket."""
FILES_KEPT = 256
"""For queue files, the log, checkpoints, listeners and commands; a quarter of the limit, if that is less."""
CONNECTION_BYTES = 64 << 10
"""Memory of an idle connection, with some room. Half of the memory may go to connections."""
BUFFER_BYTES_MAX = 512 << 20
"""Of messages that are being received; at most a quarter of the memory."""
_CGROUP_FILES = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


class ServerLimits(NamedTuple):
    """What applies in this process."""

    open_files: int
    memory_bytes: int
    """0 if it cannot be told."""
    links_max: int
    connections_max: int
    buffer_bytes_max: int
    pending_max: int
    """Sockets over which nobody has logged in yet, and those of one address."""
    pending_per_address_max: int
    warnings: tuple[str, ...] = ()


def raise_open_files() -> int:
    """Raise the soft limit on open files to the hard one; the limit that applies then."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = hard if hard != resource.RLIM_INFINITY else max(soft, 1 << 20)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
        except (OSError, ValueError):
            pass  # some systems have a lower limit that they do not tell
    return soft if soft != resource.RLIM_INFINITY else 1 << 20


def memory_bytes() -> int:
    """What this process may use: the machine's memory, or less if its container has less. 0: not known."""
    try:
        found = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        found = 0
    for path in _CGROUP_FILES:
        try:
            with open(path, encoding="ascii") as file:
                limit = int(file.read(64))
        except (OSError, ValueError):  # no such file, or "max"
            continue
        found = min(found, limit) if found else limit
    return found


def server_limits(settings: Configuration, open_files: int, memory: int) -> ServerLimits:
    """The limits that apply, and a warning for a wish that cannot be fulfilled."""
    possible = {"open files": open_files - min(FILES_KEPT, open_files // 4)}
    if memory:
        possible["memory"] = memory // 2 // CONNECTION_BYTES
    scarce = min(possible, key=lambda name: possible[name])
    most = max(LINKS_MIN, possible[scarce])
    channels = settings.channels
    wanted = min(filter(None, (channels.channels_max, channels.active_channels_max)), default=0)
    warnings = []
    if wanted > most:
        warnings.append(amq(9590, wanted, most, scarce))
    links = min(max(wanted, LINKS_MAX), most)  # fewer channels leave more sockets to local applications
    connections = max(links, min(CONNECTIONS_MAX, possible.get("memory", CONNECTIONS_MAX)))
    buffers = min(BUFFER_BYTES_MAX, memory // 4 or BUFFER_BYTES_MAX)
    # Who has logged in is never short of sockets because of those who have not
    pending = max(1, min(settings.tcp.pending_max, links // 2))
    of_address = max(1, min(settings.tcp.pending_per_address_max, links // 4))
    return ServerLimits(open_files, memory, links, connections, buffers, pending, of_address, tuple(warnings))
