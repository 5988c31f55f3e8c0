"""A queue manager with a linear log on files in memory, verbs for one application, and ways to damage a queue."""

from __future__ import annotations

import random
from typing import Any

from libremq.host import lifecycle
from libremq.kernel.objects.object_types import LocalQueue
from libremq.kernel.recovery import media_recovery
from libremq.kernel.state import media_image
from libremq.kernel.state.media_image import MediaResult
from libremq.kernel.state.waiting_gets import Got
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO
from libremq.store.queue_store import StoreLimits
from libremq.store.space_handles import GET_PENDING, PERSISTENT, PRIORITY_MASK, PUT_PENDING
from libremq.testing import FaultyFiles, VirtualClock

FOLDER = "qm"
NAME = "QM1"
LINEAR = LogConfig(primary_files=3, secondary_files=2, file_pages=64, type="LINEAR", log_management="Automatic")
SMALL_BUFFERS = StoreLimits(nonpersistent_buffer_bytes=2000, persistent_buffer_bytes=2000)


class Life:
    """One queue manager through its starts and ends."""

    def __init__(self, files: FaultyFiles | None = None, config: LogConfig = LINEAR) -> None:
        self.clock = VirtualClock()
        self.said: list[str] = []
        if files is None:
            files = FaultyFiles()
            lifecycle.create(files, FOLDER, NAME, self.clock, config)
        self.files = files
        self.start()

    def start(self) -> None:
        self.qm = lifecycle.start(
            self.files, FOLDER, NAME, self.clock, limits=SMALL_BUFFERS, say=self.said.append
        )  # fmt: skip
        self.core = self.qm.core
        self.application = self.qm.connect("alice", "teller")
        self.coordinator = self.qm.connect("bob", "coordinator")

    def restart(self, *, orderly: bool = True) -> None:
        self.stop(orderly=orderly)
        self.start()

    def stop(self, *, orderly: bool = True) -> None:
        if orderly:
            self.qm.end()
        else:
            self.core.log.force()
            self.qm.abandon()

    # Verbs

    def define(self, name: str, **attributes: Any) -> None:
        self.qm.define("QLOCAL", name, attributes)

    def put(
        self,
        queue: str,
        data: bytes,
        *,
        syncpoint: bool = False,
        persistent: bool = True,
        hconn: int = 0,
        **fields: Any,
    ) -> None:
        md = MQMD(Version=2, Persistence=C.MQPER_PERSISTENT if persistent else C.MQPER_NOT_PERSISTENT, **fields)
        pmo = MQPMO(Options=C.MQPMO_SYNCPOINT if syncpoint else C.MQPMO_NO_SYNCPOINT)
        self.qm.put1(hconn or self.application, MQOD(ObjectName=queue), md, pmo, data)

    def get(self, queue: str, *, syncpoint: bool = False, hconn: int = 0) -> bytes:
        hconn = hconn or self.application
        hobj = self.qm.open(hconn, MQOD(ObjectName=queue), C.MQOO_INPUT_SHARED)
        try:
            gmo = MQGMO(Options=C.MQGMO_SYNCPOINT if syncpoint else C.MQGMO_NO_SYNCPOINT)
            got = self.qm.get(hconn, hobj, MQMD(Version=2), gmo)
        finally:
            self.qm.close(hconn, hobj)
        assert isinstance(got, Got)
        return got.data

    def commit(self) -> None:
        self.qm.commit(self.application)

    def backout(self) -> None:
        self.qm.backout(self.application)

    def record(self, type_name: str = "all", pattern: str = "*") -> list[MediaResult]:
        return media_image.record_images(self.qm, type_name, pattern)

    def recover(self, type_name: str, pattern: str) -> list[MediaResult]:
        return media_recovery.recover_objects(self.qm, type_name, pattern)

    # What is there

    def media(self, name: str, kind: str = "QLOCAL") -> int:
        return self.core.media[kind, name]

    def extent(self, lsn: int) -> int:
        return lsn // self.core.log.config.extent_bytes

    def next_extent(self, through: str = "FILLER") -> None:
        """Have the log go on in the next extent."""
        if self.core.catalogue.find("QLOCAL", through) is None:
            self.define(through)
        current = self.extent(self.core.log.tail)
        while self.extent(self.core.log.tail) == current:
            self.put(through, bytes(30_000))
            self.get(through)

    def content(self, name: str) -> list[tuple[Any, ...]]:
        """All that the log promises about a queue's messages: which, in which order, in which state."""
        definition = self.core.catalogue.find("QLOCAL", name)
        assert isinstance(definition, LocalQueue)
        store = self.core.local_queue(definition).store
        handles = store.handles
        linked = [slot for slot in store.chains if handles.flags[slot] & PERSISTENT]
        pending = [
            slot
            for slot, flags in enumerate(handles.flags)
            if flags & PERSISTENT and flags & (PUT_PENDING | GET_PENDING)
        ]
        order = sorted(linked + pending, key=handles.sequence.__getitem__)
        assert len({handles.sequence[slot] for slot in order}) == len(order)
        assert not order or store.next_sequence > handles.sequence[order[-1]]
        rows: list[tuple[Any, ...]] = []
        for slot in linked + [slot for slot in order if slot in pending]:
            message = store.message(slot)
            flags = handles.flags[slot] & (PRIORITY_MASK | PUT_PENDING | GET_PENDING)
            rows.append(
                (
                    message.data, message.md.MsgId, message.md.GroupId, order.index(slot), flags,
                    store.backout_count(slot), handles.expiry_ms[slot],
                )
            )  # fmt: skip
        return [*rows, tuple(sorted((group, len(members)) for group, members in store.groups.items()))]

    # Damage

    def folder_of(self, name: str) -> str:
        return f"{FOLDER}/queues/{self.core.queue_files[name][1]}"

    def damage(self, name: str, rng: random.Random) -> str:
        """Do something to the files of a queue, on disk; what it was."""
        return damage(self.files, self.folder_of(name), rng, ("folder", *TO_FILES))


TO_FILES = ("file", "flip", "cut", "zeros")


def damage(files: FaultyFiles, folder: str, rng: random.Random, kinds: tuple[str, ...]) -> str:
    if not files.exists(folder) or not files.list(folder):
        return "nothing to damage"
    kind = rng.choice(kinds)
    if kind == "folder":
        files.remove_folder(folder)
        return kind
    path = f"{folder}/{rng.choice(files.list(folder))}"
    size = len(files.content(path))
    if kind == "file" or size == 0:
        files.remove(path)
    elif kind == "flip":
        at = rng.randrange(size)
        files.overwrite(path, at, bytes([files.content(path)[at] ^ 1 << rng.randrange(8)]))
    elif kind == "cut":
        files.open(path).truncate(rng.randrange(size))
    else:
        at = rng.randrange(size)
        files.overwrite(path, at, bytes(min(512, size - at)))
    return f"{kind} {path}"
