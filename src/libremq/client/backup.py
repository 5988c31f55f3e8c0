"""Backup queue managers from Python: `libremq.backup.create`, `replay` and `activate`.

A backup is a copy of a queue manager with a linear log, under another data folder, perhaps on another machine. Copy the
extents that the live one writes to its log folder, and replay them; when the live one is lost, activate the backup and
connect to it. Here it is named by its URL (`embedded:QM1?data=/standby`) or by its folder.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from libremq.client import urls
from libremq.client.urls import Address
from libremq.common.clock import SystemClock
from libremq.common.files import queue_manager_files
from libremq.common.files.file_layer import RealFiles
from libremq.common.names.object_names import check_queue_manager_name, unfold
from libremq.host import lifecycle
from libremq.host.amq_logger import to_logger
from libremq.mqi import constants as C
from libremq.mqi.argument_errors import bad_value, wrong_type
from libremq.mqi.errors import mq_error

if TYPE_CHECKING:
    from libremq.kernel.recovery.restart import Say


def create(source: str, data: str, *, log_folder: str = "") -> str:
    """Make a backup, under the data folder `data`, of a queue manager that has been ended; the folder of the backup.

    Of one that runs, `QueueManager.copy_to_backup` makes one.
    """
    folder, name = located(source)
    for what, path in (("data", data), ("log_folder", log_folder)):
        if not isinstance(path, str):
            raise wrong_type(C.MQRC_OPTIONS_ERROR, name, f"{what} is the path of a folder, not {path!r}")
    if not data:
        raise bad_value(C.MQRC_OPTIONS_ERROR, name, "data is the folder under which the backup is to be")
    target = Address("embedded", name, data=os.path.expanduser(data)).folder
    copy(folder, target, name, os.path.abspath(os.path.expanduser(log_folder)) if log_folder else "")
    return target


def copy(source: str, target: str, name: str, log_folder: str) -> None:
    """The same between folders of queue managers."""
    lifecycle.create_backup(RealFiles(), source, target, name, log_folder=log_folder)


def replay(where: str, *, say: Say | None = None) -> int:
    """Bring a backup up to date from the extents in its log folder (strmqm -r); how many records that were.

    It can be done again whenever more has come. An extent that is still being written is replayed as far as it goes.
    """
    folder, name = located(where)
    return lifecycle.replay_backup(RealFiles(), folder, name, SystemClock(), say or to_logger(name))


def activate(where: str, *, say: Say | None = None) -> None:
    """Make a backup a queue manager like any other (strmqm -a), for good. It is not running afterwards: connect to it.

    What was unfinished where its log ends is backed out, what was in doubt stays so.
    """
    folder, name = located(where)
    files = RealFiles()
    if lifecycle.exists(files, folder) and not is_backup(folder):
        raise mq_error(C.MQRC_Q_MGR_NOT_AVAILABLE, name, f"the queue manager in {folder} is no backup")
    manager = lifecycle.start(files, folder, name, SystemClock(), say=say or to_logger(name), activate=True)
    manager.after_checkpoint = manager.save_statistics
    manager.end()


def is_backup(where: str) -> bool:
    """Is what is there a backup that was not activated?"""
    return queue_manager_files.is_backup(RealFiles(), located(where)[0])


def located(where: str) -> tuple[str, str]:
    """The folder and the name of a queue manager that is given by its URL or its folder."""
    if not isinstance(where, str):
        raise wrong_type(C.MQRC_Q_MGR_NAME_ERROR, "", f"the URL or the folder of a queue manager, not {where!r}")
    scheme = where.partition(":")[0]
    if scheme in urls.SCHEMES or os.sep not in where:
        address = urls.parse(where)
        if not isinstance(address, Address):
            raise bad_value(C.MQRC_Q_MGR_NAME_ERROR, address.name, "name the backup by an embedded: URL or its folder")
        return address.folder, address.name
    folder = os.path.abspath(os.path.expanduser(where))
    try:
        return folder, check_queue_manager_name(unfold(os.path.basename(folder)))
    except ValueError:
        raise bad_value(C.MQRC_Q_MGR_NAME_ERROR, "", f"{folder} is not the folder of a queue manager") from None
