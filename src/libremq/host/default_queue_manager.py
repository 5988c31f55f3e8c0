"""The default queue manager: the one that a command or a connection without a name means.

It is the entry Name of stanza DefaultQueueManager in `mqs.ini` of the data folder, as in MQ. Everything else in that
file stays as it is.
"""

from __future__ import annotations

import os

from libremq.common.files import queue_manager_files
from libremq.common.files.file_layer import Files, RealFiles, replace_file
from libremq.common.files.stanza_file import StanzaFile
from libremq.common.names.object_names import is_object_name, unfold

DEFAULTS_FILE = "mqs.ini"
"""In the data folder; its stanza DefaultQueueManager has the Name of the one that an empty name means."""
DEFAULT_STANZA = "DefaultQueueManager"

_PREFACE = "# What holds for all queue managers in this folder\n"
_BYTES_MAX = 1 << 20


def configured_default(data: str) -> str:
    """The name in mqs.ini of a data folder, "" if there is none."""
    try:
        with open(os.path.join(data, DEFAULTS_FILE), encoding="utf-8", errors="replace") as file:
            entry = StanzaFile(file.read(_BYTES_MAX)).find(DEFAULT_STANZA, "Name")
    except OSError:
        return ""
    return entry.value.strip() if entry else ""


def names_in(folder: str) -> list[str]:
    """The queue managers that there are in a folder of them."""
    try:
        entries = sorted(os.listdir(folder))
    except OSError:
        return []
    files, names = RealFiles(), []
    for entry in entries:
        try:
            name = unfold(entry)
        except ValueError:
            continue
        try:
            if is_object_name(name) and queue_manager_files.exists(files, os.path.join(folder, entry)):
                names.append(name)
        except OSError:
            continue  # somebody else's
    return names


def make_default(files: Files, data: str, name: str) -> None:
    """From now on an empty name means this one. OSError if that cannot be written."""
    path = os.path.join(data, DEFAULTS_FILE)
    content = StanzaFile(_read(files, path))
    content.set(DEFAULT_STANZA, "Name", name)
    replace_file(files, path, content.text().encode("utf-8", "surrogateescape"))


def forget_default(files: Files, data: str, name: str) -> bool:
    """There is no default any more, if it was this one; whether it was."""
    if configured_default(data) != name:
        return False
    make_default(files, data, "")
    return True


def _read(files: Files, path: str) -> str:
    if not files.exists(path):
        return _PREFACE
    file = files.open(path)
    try:
        return file.read(0, min(file.size(), _BYTES_MAX)).decode("utf-8", "surrogateescape")
    finally:
        file.close()
