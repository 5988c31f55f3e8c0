"""What lies in the folder of a queue manager, by name: whoever only looks need not load what makes and reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from libremq.common.configuration import LogSettings
    from libremq.common.files.file_layer import Files

LOCK = "qm.lock"
"""Whoever has the queue manager open holds the lock on this file."""
MARKER = "creating"
"""There while a queue manager is made: what an interrupted creation left is wiped by the next."""
CHECKPOINT = "amqalchk.fil"
BACKUP = "amqbkup.dat"
"""What makes a backup queue manager one."""
EXITS = "exits"  # the folder of channel exits
KEY_REPOSITORY = "ssl/key"
"""SSLKEYR of a new queue manager: the stem that MQ has for the files in its folder `ssl`."""


def exists(files: Files, folder: str) -> bool:
    """Is there a queue manager in the folder?"""
    return files.exists(f"{folder}/{CHECKPOINT}")


def is_backup(files: Files, folder: str) -> bool:
    return files.exists(f"{folder}/{BACKUP}")


def log_folder_of(folder: str, settings: LogSettings) -> str:
    return settings.path or f"{folder}/log"
