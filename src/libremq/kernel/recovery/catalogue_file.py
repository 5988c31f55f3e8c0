"""The catalogue file QMQMOBJCAT: the definitions of all objects as a checkpoint saw them.

One generation a checkpoint that found changes; the checkpoint record names the generation that belongs to it, and
older ones go when the next checkpoint is complete. JSON behind a header with a checksum.

To make objects of it takes half of a start, so the last few contents are remembered as objects, by all their bytes:
crash tests and a program that connects again and again start the same one many times.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from libremq.common.checksum import crc32
from libremq.common.files.file_layer import Files
from libremq.kernel.objects.catalogue import RecordError, from_record
from libremq.kernel.objects.object_types import MQObject, new_object
from libremq.store.store_errors import READS, StoreDamaged, failed_sync

NAME = "QMQMOBJCAT"
MAGIC = b"LMQC"
VERSION = 1
_HEADER = struct.Struct("<4sHHII")  # magic, version, reserved, length, CRC-32 of the content
_REMEMBERED = 4
_REMEMBERED_BYTES = 256 * 1024  # each; one with thousands of queues is read once in a process, and large


class OtherVersion(StoreDamaged):
    """A catalogue of another release: it may be all right, so nothing is to be put in its place."""


def path_of(folder: str, generation: int) -> str:
    return f"{folder}/{NAME}.{generation:06d}"


def write(files: Files, folder: str, generation: int, content: dict[str, Any]) -> int:
    """Write a generation and make it durable; how many bytes it has. OSError if there is no room."""
    body = _encoded(content)
    path = path_of(folder, generation)
    file = files.open(path, create=True)
    try:
        file.truncate(0)
        file.write(0, _HEADER.pack(MAGIC, VERSION, 0, len(body), crc32(body)) + body)
        try:
            file.sync()
            files.sync_folder(folder)
        except OSError as error:
            raise failed_sync(path, error) from error
    except OSError:
        _forget(files, path)
        raise
    finally:
        file.close()
    return _HEADER.size + len(body)


def _encoded(content: Mapping[str, Any]) -> bytes:
    """As JSON, object by object: the encoder holds all threads up for as long as it runs."""
    pieces = []
    for name, value in content.items():
        text = f"[{','.join(map(_compact, value))}]" if name == "objects" else _compact(value)
        pieces.append(f"{_compact(name)}:{text}")
    return f"{{{','.join(pieces)}}}".encode()


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _forget(files: Files, path: str) -> None:
    """Of a generation that did not come about: what is there of it takes room that others need."""
    try:
        files.remove(path)
    except OSError:
        pass  # the next checkpoint removes it


class Entry(NamedTuple):
    """An object, and for a queue where it is."""

    made: MQObject
    queue_id: int
    folder: str
    media: int
    """Where its media recovery begins, in a linear log."""


class Content(NamedTuple):
    """What a file says."""

    log_id: str
    next_queue_id: int
    entries: list[Entry]


def load(files: Files, folder: str, generation: int) -> Content:
    """The objects of a generation. They are the caller's."""
    body = _read_body(files, folder, generation)
    try:
        if len(body) > _REMEMBERED_BYTES:
            return content_of(json.loads(body))
        return _copied(_remembered(body))
    except RecordError as error:
        raise OtherVersion(
            "object catalogue", path_of(folder, generation), str(error), "Use the release that wrote it"
        ) from error


def content_of(said: Mapping[str, Any]) -> Content:
    """The objects of a content as the file has it; RecordError if this release cannot read one of them."""
    entries = [
        Entry(from_record(one["object"]), one.get("id", 0), one.get("folder", ""), one.get("media", 0))
        for one in said["objects"]
    ]
    return Content(said["log_id"], said["next_queue_id"], entries)


@lru_cache(_REMEMBERED)
def _remembered(body: bytes) -> Content:
    return content_of(json.loads(body))


def _copied(content: Content) -> Content:
    """Whoever starts changes its objects. Their values cannot be changed."""
    entries = [
        Entry(new_object(type(made), made.name, made.__dict__), queue_id, folder, media)
        for made, queue_id, folder, media in content.entries
    ]
    return content._replace(entries=entries)


def read(files: Files, folder: str, generation: int) -> dict[str, Any]:
    """What a generation says, as it is written."""
    content: dict[str, Any] = json.loads(_read_body(files, folder, generation))
    return content


def _read_body(files: Files, folder: str, generation: int) -> bytes:
    """Its content. StoreDamaged if it is not what was written, however often it is read."""
    for _ in range(READS - 1):
        try:
            return _read_once(files, folder, generation)
        except StoreDamaged:
            pass
    return _read_once(files, folder, generation)


def _read_once(files: Files, folder: str, generation: int) -> bytes:
    path = path_of(folder, generation)
    action = "Restore the queue manager's folder from a backup"
    try:
        file = files.open(path)
    except FileNotFoundError:
        raise StoreDamaged("object catalogue", path, "the file is missing", action) from None
    try:
        data = file.read(0, file.size())
    finally:
        file.close()
    if len(data) < _HEADER.size:
        raise StoreDamaged("object catalogue", path, "the file is cut off", action)
    magic, version, _, length, crc = _HEADER.unpack_from(data)
    if magic != MAGIC:
        raise StoreDamaged("object catalogue", path, "this is not an object catalogue of LibreMQ", action)
    if version != VERSION:
        raise OtherVersion(
            "object catalogue",
            path,
            f"it has format version {version}, this release knows {VERSION}",
            "Use a newer release",
        )
    body = data[_HEADER.size : _HEADER.size + length]
    if len(body) != length or crc32(body) != crc:
        raise StoreDamaged("object catalogue", path, "its content does not match its checksum", action)
    return body


def drop_others(files: Files, folder: str, generation: int) -> None:
    for name in files.list(folder):
        if name.startswith(NAME + ".") and name != f"{NAME}.{generation:06d}":
            files.remove(f"{folder}/{name}")
