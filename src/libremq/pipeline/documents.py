"""Small documents that say which files count: the commit of everything under the tables, on any storage.

Data files have names of their own and never change; nobody reads one that no document names. A document is written
after them, in one piece, as `<key>.<number>-<unique>.json`, and of each key the newest complete one holds. So a change
is there when its document is, whole, and a process that dies before leaves only files that nobody reads. Nothing is
renamed and nothing locked: storages that can do neither (object stores) are as good as a disk. The last line is the
digest of the rest: where a file can be seen before it is whole, one that is not does not count. Two writers at a time
write two documents under different names; the higher one holds, for both as for everybody else.
"""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock
from typing import Any

from libremq.pipeline.storage import Place

_NAME = re.compile(r"(?P<key>.+)\.(?P<number>\d{8})-(?P<unique>[0-9a-f]{8})\.json")
_READ_AT_ONCE = 16
_KEPT_MAX = 20_000


@dataclass(frozen=True, slots=True)
class Document:
    name: str
    key: str
    content: dict[str, Any]


_kept: dict[str, dict[str, Any]] = {}
"""What was read already, by full name: a document never changes."""
_guard = Lock()


class Documents:
    """The documents in one folder."""

    def __init__(self, folder: Place) -> None:
        self.folder = folder

    def newest(self) -> dict[str, Document]:
        """Of each key the newest document that is complete."""
        for _ in range(3):
            try:
                return self._newest()
            except FileNotFoundError:
                continue  # one was replaced, and deleted, between the listing and the reading
        return self._newest()

    def _newest(self) -> dict[str, Document]:
        names: dict[str, list[str]] = {}
        for entry in self.folder.entries():
            if found := _NAME.fullmatch(entry.name):
                names.setdefault(found["key"], []).append(entry.name)
        firsts = [max(each) for each in names.values()]
        found_of: dict[str, Document] = {}
        for key, name, content in zip(names, firsts, self._read_all(firsts)):
            while content is None:
                names[key].remove(name)
                if not names[key]:
                    break
                name = max(names[key])
                content = self._read(name)
            if content is not None:
                found_of[key] = Document(name, key, content)
        return found_of

    def _read_all(self, names: list[str]) -> list[dict[str, Any] | None]:
        if self.folder.is_local or len(names) < 2:
            return [self._read(name) for name in names]
        with ThreadPoolExecutor(_READ_AT_ONCE) as pool:
            return list(pool.map(self._read, names))

    def _read(self, name: str) -> dict[str, Any] | None:
        """The content of a document; None if it is not complete."""
        at = self.folder / name
        known = _kept.get(str(at))
        if known is not None:
            return known
        body, _, digest = at.read().rstrip(b"\n").rpartition(b"\n")
        if hashlib.sha256(body).hexdigest().encode() != digest:
            return None
        content: dict[str, Any] = json.loads(body)
        with _guard:
            if len(_kept) >= _KEPT_MAX:
                _kept.clear()
            _kept[str(at)] = content
        return content

    def write(self, key: str, content: dict[str, Any], before: Document | None = None) -> Document:
        """Put a document in the place of the one `before` with that key."""
        found = _NAME.fullmatch(before.name) if before is not None else None
        number = int(found["number"]) + 1 if found else 1
        name = f"{key}.{number:08d}-{uuid.uuid4().hex[:8]}.json"
        body = json.dumps(content, separators=(",", ":")).encode()
        (self.folder / name).write(b"%s\n%s\n" % (body, hashlib.sha256(body).hexdigest().encode()))
        return Document(name, key, content)

    def delete(self, names: Iterable[str]) -> None:
        for name in names:
            (self.folder / name).delete()

    def clear_replaced(self, current: Iterable[Document]) -> None:
        """Delete what these documents took the place of."""
        holding = {document.key: document.name for document in current}
        for entry in self.folder.entries():
            found = _NAME.fullmatch(entry.name)
            if found and entry.name < holding.get(found["key"], ""):
                (self.folder / entry.name).delete()
