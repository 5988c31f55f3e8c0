"""DISPLAY QMSTATUS: the queue manager and its log as they are now."""

from __future__ import annotations

import os

from libremq.admin.command_context import Context
from libremq.common.names.host_name import host_name
from libremq.kernel.objects.attributes import Value
from libremq.kernel.objects.object_types import date_and_time
from libremq.mqi import constants as C

_MEGABYTE = 1 << 20


def queue_manager_status(context: Context) -> dict[str, Value]:
    manager = context.manager
    log = manager.log
    figures = log.statistics()
    started = date_and_time(manager.started)
    known: dict[str, Value] = {
        "QMNAME": manager.name,
        "TYPE": C.MQIACF_Q_MGR_STATUS_INFO_Q_MGR,
        "STATUS": C.MQQMSTA_QUIESCING if manager.quiescing else C.MQQMSTA_RUNNING,
        "CONNS": len(manager.connections),
        "CMDSERV": C.MQSVC_STATUS_RUNNING if manager.serves_commands else C.MQSVC_STATUS_STOPPED,
        "CHINIT": context.operations.initiator_status(),
        "HOSTNAME": host_name(),
        "DATPATH": manager.folder,
        "LOGPATH": log.folder,
        "LOGTYPE": C.MQLOGTYPE_LINEAR if log.config.linear else C.MQLOGTYPE_CIRCULAR,
        "LOGPRIM": figures.primary_files,
        "LOGSEC": figures.secondary_files,
        "LOGEXTSZ": log.config.file_pages * 4,
        "LOGINUSE": _in_use(figures.tail - figures.head, figures.primary_files * log.config.file_pages * 4096),
        "LOGUTIL": _in_use(figures.tail - figures.checkpoint, figures.primary_files * log.config.file_pages * 4096),
        "CURRLOG": figures.current_extent,
        "RECLOG": figures.restart_extent,
        "MEDIALOG": figures.media_extent,
        "DISKLSN": _sequence(figures.durable),
        "STARTDA": started[0],
        "STARTTI": started[1],
        "LOGSTRDA": started[0],
        "LOGSTRTI": started[1],
        "STANDBY": C.MQSTDBY_NOT_PERMITTED,
        "INSTNAME": "LibreMQ",
    }
    known |= _space("DAT", manager.folder) | _space("LOG", log.folder)
    return known


def _in_use(used: int, whole: int) -> int:
    """Per cent, as far as the primary files reach."""
    return max(0, min(100, 100 * used // whole)) if whole else 0


def _sequence(lsn: int) -> str:
    return f"<{lsn >> 48 & 0xFFFF}:{lsn >> 32 & 0xFFFF}:{lsn >> 16 & 0xFFFF}:{lsn & 0xFFFF}>"


def _space(prefix: str, folder: str) -> dict[str, Value]:
    """Size of the file system in megabytes, and how much of it is used in per cent."""
    try:
        room = os.statvfs(folder)
    except OSError:
        return {}
    size = room.f_blocks * room.f_frsize
    return {
        f"{prefix}FSSZ": size // _MEGABYTE,
        f"{prefix}FSUSE": 100 * (size - room.f_bavail * room.f_frsize) // size if size else 0,
    }
