"""Which dumps a path or a URI means, and how those that lie elsewhere come here to be read."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from libremq.pipeline.smf.files import list_files
from libremq.pipeline.storage import Entry, Place, is_uri, place

_PATTERN = "*?["


@dataclass(frozen=True, slots=True)
class Dump:
    """A dump: what it is called in the tables, and the file to read."""

    name: str
    local: str
    problem: str = ""
    """Why it could not be fetched."""

    @property
    def is_fetched(self) -> bool:
        return self.local != self.name


def listed(paths: str | Iterable[str]) -> list[Dump]:
    """The dumps that paths mean: files, folders with all that is in them, patterns; here or by URI."""
    found: list[Dump] = []
    for given in [paths] if isinstance(paths, str) else paths:
        if is_uri(given):
            found += [Dump(path, "") for path in _by_uri(given)]
        else:
            found += [Dump(path, path) for path in list_files(given)]
    return list({dump.name: dump for dump in found}.values())


def _by_uri(given: str) -> list[str]:
    """The files that a URI means. A pattern may be in its last part."""
    import fnmatch

    above, _, last = given.rstrip("/").rpartition("/")
    folder = place(above)
    if any(sign in last for sign in _PATTERN):
        entries = [entry for entry in folder.entries() if fnmatch.fnmatchcase(entry.name, last)]
    else:
        entries = [entry for entry in folder.entries() if entry.name == last]
        if not entries and place(given).entries():
            entries = [Entry(last, True, 0, 0.0)]  # the root of a bucket is in nothing
    found = [path for entry in entries for path in _below(folder / entry.name, entry.is_folder)]
    if not found:
        raise FileNotFoundError(f"no dump at {given}: there is no such file, folder or match")
    return found


def _below(at: Place, is_folder: bool) -> Iterator[str]:
    if not is_folder:
        yield str(at)
        return
    for entry in at.entries():
        if not entry.name.startswith((".", "_")):
            yield from _below(at / entry.name, entry.is_folder)


@contextmanager
def fetched(dumps: list[Dump], tell: Callable[[str], None]) -> Iterator[list[Dump]]:
    """The dumps as files of this machine, for as long as the context lasts."""
    if all(dump.local for dump in dumps):
        yield dumps
        return
    scratch = tempfile.mkdtemp(prefix="libremq-dumps-")
    try:
        here: list[Dump] = []
        for number, dump in enumerate(dumps):
            if dump.local:
                here.append(dump)
                continue
            tell(f"fetching {dump.name}")
            local = os.path.join(scratch, f"{number:06d}")
            try:
                place(dump.name).fetch(local)
                here.append(replace(dump, local=local))
            except OSError as error:
                here.append(replace(dump, local=local, problem=error.strerror or str(error)))
        yield here
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
