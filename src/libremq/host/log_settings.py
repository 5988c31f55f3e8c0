"""qm.ini applied: the log opened as the file has it, and the sizes of buffers."""

from __future__ import annotations

from dataclasses import replace

from libremq.common import configuration
from libremq.common.clock import Clock
from libremq.common.configuration import Configuration, ConfigurationError, TuningSettings
from libremq.common.files import queue_manager_files
from libremq.common.files.file_layer import Files, RealFiles
from libremq.common.log_stanza import changeable_values
from libremq.kernel.recovery.restart import Say
from libremq.log import Log
from libremq.store.queue_store import StoreLimits


def store_limits(tuning: TuningSettings) -> StoreLimits:
    return StoreLimits(tuning.queue_buffer_bytes, tuning.persistent_queue_buffer_bytes)


def open_log(files: Files, folder: str, settings: Configuration, clock: Clock, say: Say) -> Log:
    """Open the log as qm.ini has it. ConfigurationError if it asks for what was fixed at creation."""
    log_folder = queue_manager_files.log_folder_of(folder, settings.log)
    parallel = isinstance(files, RealFiles)  # on files that fail on purpose everything is to happen in one order
    if not configuration.exists(files, folder):
        return Log.open(files, log_folder, clock=clock, say=say, parallel_sync=parallel)
    wanted = settings.log
    log = Log.open(
        files,
        log_folder,
        clock=clock,
        say=say,
        parallel_sync=parallel,
        **changeable_values(wanted),
    )
    made = replace(wanted, type=log.config.type, file_pages=log.config.file_pages)
    try:
        configuration.changes(Configuration(made), Configuration(wanted))
    except ConfigurationError as error:
        log.abandon()
        raise ConfigurationError(list(error.problems), f"{folder}/{configuration.FILE_NAME}") from None
    if settings.tuning.log_write_time_trap_ms:
        log.on_slow_write(
            settings.tuning.log_write_time_trap_ms * 1000.0,
            lambda slow: say(f"A write of {slow.size} bytes to the log took {slow.time_us / 1000:.1f} ms."),
        )
    return log
