"""How the commands that work on messages and objects reach a queue manager, running or not.

A name means the server that runs it on this machine; else the command runs the queue manager itself for as long as it
needs it, unless it must be one that serves. A URL is taken as it is. Without a name the default one counts.
"""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING
from urllib.parse import quote

from libremq.client import connecting
from libremq.client.urls import ClientAddress
from libremq.commands.exit_codes import ExitCode
from libremq.commands.queue_manager_folders import Refused
from libremq.common.names import socket_paths
from libremq.common.names.object_names import check_queue_manager_name
from libremq.mqi.errors import MQError

if TYPE_CHECKING:
    from libremq.client.queue_manager import QueueManager


def url_of(name: str, data_folder: str = "", *, must_serve: bool = False) -> str:
    """The URL that a name means. Refused if it cannot be a name; MQError if there is no default queue manager."""
    name = name.strip()
    if ":" in name:
        return name
    data = os.path.expanduser(data_folder)
    if not data:
        found = connecting.url_for(name)
        if must_serve and found.startswith("embedded:"):
            return f"local:{found.removeprefix('embedded:')}"
        return found
    try:
        name = check_queue_manager_name(name or connecting.default_name(data))
    except MQError as error:
        raise Refused(ExitCode.NAME, error.detail) from error
    serves = must_serve or socket_paths.answers(ClientAddress("local", name, data=data).socket_path)
    return f"{'local' if serves else 'embedded'}:{quote(name, safe='')}?data={quote(data, safe='')}"


def connect(
    arguments: argparse.Namespace,
    command: str,
    *,
    must_serve: bool = False,
    user: str = "",
    password: str | None = None,
) -> QueueManager:
    """Connect to the queue manager of the arguments. MQError says why that is not possible."""
    url = url_of(arguments.qmgr or "", getattr(arguments, "data_folder", ""), must_serve=must_serve)
    return connecting.connect(url, user=user or None, password=password, application=command)
