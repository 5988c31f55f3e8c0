"""How a queue manager comes to be: its folder, its qm.ini, its log, its system objects.

Creation leaves a whole queue manager or none: a marker file is there while it is under way, and what an interrupted one
left is wiped by the next. The folder is locked meanwhile: to another creation it would look like an interrupted one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from libremq.common import configuration
from libremq.common.clock import Clock
from libremq.common.configuration import Configuration, LogSettings, TuningSettings
from libremq.common.files.file_layer import Files
from libremq.common.files.queue_manager_files import (
    CHECKPOINT,
    EXITS,
    KEY_REPOSITORY,
    LOCK,
    MARKER,
    exists,
    log_folder_of,
)
from libremq.common.names.object_names import check_queue_manager_name
from libremq.host.opener import lock_folder
from libremq.kernel.objects.catalogue import Catalogue
from libremq.kernel.objects.object_types import LocalQueue
from libremq.kernel.objects.system_objects import create_system_objects
from libremq.kernel.recovery import checkpoint
from libremq.kernel.state import media_image
from libremq.kernel.state.core import Core
from libremq.kernel.state.failure_reasons import FAILURES, as_creation_error
from libremq.log import CONTROL_FILE, Log, LogConfig, SlotFile
from libremq.log.extents import extent_number
from libremq.log.shadow import SHADOW_FILE
from libremq.log.tail import TAIL_FILE
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error


def create(
    files: Files,
    folder: str,
    name: str,
    clock: Clock,
    log_config: LogConfig | None,
    log_folder: str,
    tuning: TuningSettings | None,
) -> None:
    """Make a queue manager in the folder; its log in `log_folder` if that is not empty."""
    check_queue_manager_name(name)
    try:
        _check_none(files, folder, name)
        config = (log_config or LogConfig()).checked()
        settings = Configuration(LogSettings.of(config, log_folder), tuning or TuningSettings()).checked()
        with alone_in(files, folder, name):
            _check_none(files, folder, name)
            _create(files, folder, name, clock, config, settings)
    except FAILURES as error:
        raise as_creation_error(error, name, folder) from error
    except ValueError as error:
        raise mq_error(C.MQRC_RESOURCE_PROBLEM, name, str(error)) from error


def _check_none(files: Files, folder: str, name: str) -> None:
    if exists(files, folder):
        raise mq_error(C.MQRC_OBJECT_ALREADY_EXISTS, name, f"there is a queue manager in {folder} already")


def _create(files: Files, folder: str, name: str, clock: Clock, config: LogConfig, settings: Configuration) -> None:
    log_folder = log_folder_of(folder, settings.log)
    wipe_unfinished(files, folder, name)
    for elsewhere in filter(None, (settings.log.path, settings.log.second_folder)):
        if files.exists(elsewhere) and files.list(elsewhere):
            raise mq_error(
                C.MQRC_OBJECT_ALREADY_EXISTS, name, f"{elsewhere} is not empty; choose another folder for the log"
            )
    mark_unfinished(files, folder)
    files.make_folder(f"{folder}/queues")
    files.make_folder(f"{folder}/{EXITS}")
    configuration.save(files, folder, settings)
    log = Log.create(files, log_folder, config, clock=clock)
    try:
        catalogue = Catalogue(name, clock.now())
        catalogue.qmgr.sslkeyr = default_key_repository(folder)
        create_system_objects(catalogue, clock.now())
        core = Core(files, folder, catalogue, log, clock)
        for obj in catalogue:
            if isinstance(obj, LocalQueue):
                core.new_local_queue(obj)
        if config.linear:
            media_image.record_all(core)
        checkpoint.take(core, None, clean=True)
        slots = SlotFile.create(
            files,
            folder,
            CHECKPOINT,
            checkpoint.MAGIC,
            checkpoint.VERSION,
            log.checkpoint.to_bytes(8, "little"),
        )
        slots.close()
    finally:
        log.close()
    files.remove(f"{folder}/{MARKER}")
    try:
        files.sync_folder(folder)
    except BaseException:
        mark_unfinished(files, folder)  # nobody is told that it is there
        raise


def default_key_repository(folder: str) -> str:
    """SSLKEYR of a new queue manager, as MQ has it; blank, which means the same, if the name is too long."""
    path = f"{os.path.abspath(folder)}/{KEY_REPOSITORY}"
    return path if len(path.encode()) <= C.MQ_SSL_KEY_REPOSITORY_LENGTH else ""


@contextmanager
def alone_in(files: Files, folder: str, name: str) -> Iterator[None]:
    """Have the folder locked in which a queue manager comes to be. Refused, it is as it was, or not there."""
    check_wipeable(files, folder, name)  # before a lock file is made in it
    made: list[str] = []
    path = folder
    while path and not files.exists(path):
        made.append(path)
        path = os.path.dirname(path)
    files.make_folder(folder)
    lock = lock_folder(files, folder, name)
    try:
        yield
    finally:
        try:
            files.remove(f"{folder}/{LOCK}")  # it says who has opened the queue manager: nobody has yet
            while made and not files.list(made[0]):
                files.remove_folder(made.pop(0))
        except OSError:
            pass  # it is locked no more, and that is what counts
        lock.release()


def mark_unfinished(files: Files, folder: str) -> None:
    """Until the marker is removed, the folder holds no queue manager, and what is in it may be wiped."""
    files.make_folder(folder)
    marker = files.open(f"{folder}/{MARKER}", create=True)
    marker.sync()
    marker.close()
    files.sync_folder(folder)


def check_wipeable(files: Files, folder: str, name: str) -> None:
    """Refuse a folder that holds anything but what an interrupted creation left."""
    if not files.exists(folder) or files.list(folder) in ([], [LOCK]):
        return
    if not files.exists(f"{folder}/{MARKER}"):
        raise mq_error(
            C.MQRC_OBJECT_ALREADY_EXISTS,
            name,
            f"{folder} holds files that are no queue manager; choose another folder",
        )


def wipe_unfinished(files: Files, folder: str, name: str) -> None:
    """Remove what an interrupted creation left; refuse a folder that holds anything else."""
    check_wipeable(files, folder, name)
    if configuration.exists(files, folder):
        left = configuration.load(files, folder).log
        for elsewhere in filter(None, (left.path, left.second_folder)):
            remove_log(files, elsewhere)
    for file in files.list(folder):
        if file not in (MARKER, LOCK):
            remove_entry(files, f"{folder}/{file}")


def remove_entry(files: Files, path: str) -> None:
    """Remove what a folder of a queue manager has in it: a file, or a folder with its files."""
    try:
        files.list(path)
    except (NotADirectoryError, FileNotFoundError):
        files.remove(path)
    else:
        files.remove_folder(path)


def remove_log(files: Files, folder: str) -> bool:
    """Remove a log, and its folder if nothing else is in it."""
    if not files.exists(folder):
        return True
    for file in files.list(folder):
        name = file.removesuffix(".new")
        if name in (CONTROL_FILE, SHADOW_FILE, TAIL_FILE) or extent_number(name) is not None:
            files.remove(f"{folder}/{file}")
    if files.list(folder):
        return False
    files.remove_folder(folder)
    return True
