"""What the commands that look at a queue manager's files share: where those are, and how to say what went wrong."""

from __future__ import annotations

import sys

from libremq.client.urls import Address
from libremq.common.files import Files
from libremq.common.names import check_queue_manager_name


def queue_manager_folder(files: Files, name: str) -> str:
    """The folder of a queue manager, by the rule of `connect`. MQError for a bad name, ValueError if there is none."""
    check_queue_manager_name(name)
    folder = Address("embedded", name).folder
    if not files.exists(folder):
        raise ValueError(f"there is no queue manager {name} in {folder}; $LIBREMQ_DATA says where to look")
    return folder


def complain(command: str, error: object) -> None:
    """An error of a command, on standard error, after what it printed so far."""
    sys.stdout.flush()
    text = str(error).encode("utf-8", "backslashreplace").decode()  # names of files may hold any byte
    print(f"libremq {command}: {text}", file=sys.stderr)
