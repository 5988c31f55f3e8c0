"""Where tables and dumps lie: a folder of this machine, or any storage that Spark has, by URI.

    place("mq-tables")                # a folder
    place("s3a://bucket/mq-tables")   # through Hadoop's file system, with what the Spark session has of it

A path with a scheme (`file:`, `hdfs:`, `s3a:`, `abfss:`, `gs:`, whatever the session's Hadoop knows) goes through
Hadoop and needs a Spark session that is running; any other is a folder of this machine. What is asked of a storage is
little, so that object stores have it too: list, read, write a whole object, delete. There is no rename and no lock
among it; `documents` says how a commit is made of these.
"""

from __future__ import annotations

import os
import re
import shutil
import uuid
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")

_HINTS = {
    "s3": "storage of Amazon's kind is spelled s3a://bucket/folder",
    "s3n": "storage of Amazon's kind is spelled s3a://bucket/folder",
    "s3a": "the session needs the jar hadoop-aws of Spark's Hadoop version, with what it needs itself",
    "abfs": "the session needs the jar hadoop-azure of Spark's Hadoop version, with what it needs itself",
    "abfss": "the session needs the jar hadoop-azure of Spark's Hadoop version, with what it needs itself",
    "gs": "the session needs the jar gcs-connector",
}


class StorageError(OSError):
    """The storage did not do what was asked of it; the text says what and why."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file or folder right below another."""

    name: str
    is_folder: bool
    size: int
    changed: float
    """Seconds since 1970; of a folder 0 where the storage does not know."""


class Files(Protocol):
    """What is asked of a storage."""

    def entries(self, path: str) -> list[Entry]:
        """What lies right below a folder, by name; nothing if it is not there."""

    def exists(self, path: str) -> bool: ...

    def read(self, path: str) -> bytes:
        """All of a file. FileNotFoundError if it is not there."""

    def write(self, path: str, data: bytes) -> None:
        """Write a file and the folders above it. Readers may see a part of it until this returns."""

    def delete(self, path: str) -> None:
        """Delete a file, or a folder with all below it; nothing is done where nothing is."""

    def fetch(self, path: str, local: str) -> None:
        """Copy a file to this machine."""


class LocalFiles:
    """Folders of this machine, or such as look like it (NFS)."""

    def entries(self, path: str) -> list[Entry]:
        found: list[Entry] = []
        with suppress(FileNotFoundError, NotADirectoryError), os.scandir(path) as scanned:
            for each in scanned:
                with suppress(FileNotFoundError):
                    told = each.stat()
                    found.append(Entry(each.name, each.is_dir(), told.st_size, told.st_mtime))
        return sorted(found, key=lambda entry: entry.name)

    def exists(self, path: str) -> bool:
        return os.path.exists(path)

    def read(self, path: str) -> bytes:
        return Path(path).read_bytes()

    def write(self, path: str, data: bytes) -> None:
        """Here a file is there whole or not at all, and stays when the machine fails."""
        folder = os.path.dirname(path)
        os.makedirs(folder, exist_ok=True)
        fresh = os.path.join(folder, f".{uuid.uuid4().hex}")
        try:
            with open(fresh, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(fresh, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(fresh)
            raise
        sync_folder(folder)

    def delete(self, path: str) -> None:
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(FileNotFoundError):
                os.unlink(path)

    def fetch(self, path: str, local: str) -> None:
        shutil.copyfile(path, local)


def sync_folder(folder: str) -> None:
    """Have the names of files in a folder survive a failure of the machine."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


class HadoopFiles:
    """Storage behind Hadoop's file systems, with the settings of the running Spark session."""

    def entries(self, path: str) -> list[Entry]:
        def listed(jvm: Any, fs: Any, at: Any) -> list[Entry]:
            try:
                statuses = fs.listStatus(at)
            except Exception as error:
                if _java_class(error) == "java.io.FileNotFoundException":
                    return []
                raise
            return [
                Entry(each.getPath().getName(), each.isDirectory(), each.getLen(), each.getModificationTime() / 1000)
                for each in statuses
            ]

        return sorted(self._ask(path, listed), key=lambda entry: entry.name)

    def exists(self, path: str) -> bool:
        return bool(self._ask(path, lambda jvm, fs, at: fs.exists(at)))

    def read(self, path: str) -> bytes:
        def whole(jvm: Any, fs: Any, at: Any) -> bytes:
            stream = fs.open(at)
            try:
                return bytes(jvm.org.apache.commons.io.IOUtils.toByteArray(stream))
            finally:
                stream.close()

        return bytes(self._ask(path, whole))

    def write(self, path: str, data: bytes) -> None:
        def written(jvm: Any, fs: Any, at: Any) -> None:
            stream = fs.create(at, True)
            # Object stores make the object when the stream is closed; a stream that failed must not be.
            stream.write(bytearray(data))
            stream.close()

        self._ask(path, written)

    def delete(self, path: str) -> None:
        self._ask(path, lambda jvm, fs, at: fs.delete(at, True))

    def fetch(self, path: str, local: str) -> None:
        def copied(jvm: Any, fs: Any, at: Any) -> None:
            # Raw, or a file with sums would be left beside the copy.
            fs.copyToLocalFile(False, at, jvm.org.apache.hadoop.fs.Path(f"file://{local}"), True)

        self._ask(path, copied)

    def _ask(self, path: str, work: Any) -> Any:
        from pyspark import SparkContext

        # Not the active session: that is one of the thread, and other threads ask too.
        context = SparkContext._active_spark_context
        if context is None:
            raise StorageError(f"{path} is reached through Spark, and no Spark session is running")
        jvm: Any = context._jvm
        try:
            at = jvm.org.apache.hadoop.fs.Path(path)
            fs = at.getFileSystem(context._jsc.hadoopConfiguration())
            return work(jvm, fs, at)
        except OSError:
            raise
        except Exception as error:
            raise _told(path, error) from None


def _java_class(error: BaseException) -> str:
    java = getattr(error, "java_exception", None)
    return str(java.getClass().getName()) if java is not None else ""


def _told(path: str, error: Exception) -> Exception:
    """What Java said, as one line of ours; errors that are not Java's stay what they are."""
    kind = _java_class(error)
    if not kind:
        return error
    java = error.java_exception  # type: ignore[attr-defined]
    said = str(java.getMessage() or "").strip().splitlines()
    if kind == "java.io.FileNotFoundException":
        return FileNotFoundError(2, "No such file", path)
    found = _SCHEME.match(path)
    scheme = found.group(1).lower() if found else ""
    missing = kind.endswith((".UnsupportedFileSystemException", ".ClassNotFoundException")) or (
        "ClassNotFoundException" in " ".join(said) or "NoClassDefFoundError" in kind
    )
    if missing:
        hint = _HINTS.get(scheme)
        return StorageError(f"{path}: this Spark session has no storage {scheme}:" + (f"; {hint}" if hint else ""))
    return StorageError(f"{path}: {said[0] if said else kind.rpartition('.')[2]}")


LOCAL = LocalFiles()
HADOOP = HadoopFiles()


def is_uri(path: str | os.PathLike[str]) -> bool:
    """Is this a path with a scheme, to be reached through Hadoop?

    >>> is_uri("s3a://bucket/t"), is_uri("file:///t"), is_uri("mq-tables"), is_uri("/a/b:c"), is_uri("c:x")
    (True, True, False, False, False)
    """
    return _SCHEME.match(os.fspath(path)) is not None


@dataclass(frozen=True, slots=True)
class Place:
    """A file or folder somewhere. What can be done with it is what every storage has."""

    files: Files
    path: str

    def __truediv__(self, name: str) -> Place:
        return Place(self.files, f"{self.path}/{name}")

    def __str__(self) -> str:
        return self.path

    @property
    def is_local(self) -> bool:
        return isinstance(self.files, LocalFiles)

    def entries(self) -> list[Entry]:
        return self.files.entries(self.path)

    def exists(self) -> bool:
        return self.files.exists(self.path)

    def read(self) -> bytes:
        return self.files.read(self.path)

    def write(self, data: bytes) -> None:
        self.files.write(self.path, data)

    def delete(self) -> None:
        self.files.delete(self.path)

    def fetch(self, local: str) -> None:
        self.files.fetch(self.path, local)


Root = str | os.PathLike[str] | Place
"""The root of the tables, as callers give it."""


def place(root: Root) -> Place:
    """The place that a path or a URI means. Whether it can be reached shows when something is asked of it."""
    if isinstance(root, Place):
        return root
    path = os.fspath(root)
    if is_uri(path):
        return Place(HADOOP, path.rstrip("/"))
    return Place(LOCAL, os.path.abspath(path))
