"""A live queue manager with a linear log, and a backup of it on a disk of its own to which extents are shipped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from helper_media import FOLDER, NAME, SMALL_BUFFERS, Life

from libremq.host import lifecycle
from libremq.kernel.manager import QueueManager
from libremq.log import CONTROL_FILE, LogConfig
from libremq.mqi.errors import MQError
from libremq.testing import FaultyFiles, VirtualClock

LINEAR = LogConfig(primary_files=2, secondary_files=2, file_pages=64, type="LINEAR")
STANDBY = "standby"
LOG = f"{FOLDER}/log"


def is_shipped(name: str) -> bool:
    return name != CONTROL_FILE


def extents_only(name: str) -> bool:
    return name.endswith(".LOG")


class Standby(Life):
    """A backup; from `start` on an activated one."""

    def __init__(self, live: Life, *, hot: bool, log_folder: str = "") -> None:
        if hot:
            lifecycle.copy_to_backup(live.qm, STANDBY, log_folder=log_folder)
        else:
            live.stop()
            lifecycle.create_backup(live.files, FOLDER, STANDBY, NAME, log_folder=log_folder)
            live.start()
        # What a power cut leaves: all of it must be on disk
        self.files = next(live.files.disk_states())
        self.clock = live.clock
        self.said = []
        self.log = log_folder or f"{STANDBY}/log"
        self.active = False
        self.first = live.core.log.current_extent  # those before it have come with the copy
        live.files.remove_folder(STANDBY)
        if log_folder:
            live.files.remove_folder(log_folder)

    def ship(self, live: FaultyFiles, wanted: Callable[[str], bool] = is_shipped) -> list[str]:
        """Copy files of the live log as cp does, not synced. Extents that were full when the copy was made are not."""
        names = [name for name in live.list(LOG) if wanted(name) and not (extents_only(name) and name < self.first)]
        for name in names:
            self.place(name, live.content(f"{LOG}/{name}"))
        return names

    def place(self, name: str, content: bytes) -> None:
        file = self.files.open(f"{self.log}/{name}", create=True)
        file.truncate(0)
        file.write(0, content)

    def replay(self) -> int:
        return lifecycle.replay_backup(self.files, STANDBY, NAME, self.clock, self.said.append)

    def start(self) -> None:
        self.qm = lifecycle.start(
            self.files, STANDBY, NAME, self.clock,
            limits=SMALL_BUFFERS, say=self.said.append, activate=not self.active,
        )  # fmt: skip
        self.active = True
        self.core = self.qm.core
        self.application = self.qm.connect("alice", "teller")
        self.coordinator = self.qm.connect("bob", "coordinator")

    def folder_of(self, name: str) -> str:
        return f"{STANDBY}/queues/{self.core.queue_files[name][1]}"


def killed(live: Life) -> Life:
    """The live one as it is when it is killed now and started again, on a disk of its own."""
    again = Life.__new__(Life)
    again.files, again.clock, again.said = live.files.copy(), live.clock, []
    again.start()
    return again


def everything(life: Life) -> dict[str, Any]:
    """All that must be the same in an activated backup and in the live one after a restart."""
    core = life.core
    assert not core.damaged and not any(queue.damage for queue in core.queues.values()), life.said
    found: dict[str, Any] = {
        f"{obj.kind} {obj.name}": {key: value for key, value in vars(obj).items() if not key.startswith("_")}
        for obj in core.catalogue
    }
    for name in core.queue_files:
        if not name.startswith("SYSTEM."):
            found[f"content of {name}"] = life.content(name)
    found["in doubt"] = sorted(life.qm.xa_recover(life.application))
    found["units"] = len(core.units)
    return found


def make_live(config: LogConfig = LINEAR) -> Life:
    live = Life(config=config)
    for obj in list(live.core.catalogue):
        if obj.name.startswith("SYSTEM.") and obj.kind != "QMGR":
            live.qm.delete(obj.kind, obj.name, purge=True)
    live.define("A", NPMCLASS="HIGH")
    live.define("B")
    for number in range(6):
        live.put("A", b"first %d" % number)
    live.put("B", bytes(3000))
    return live


def refusal(reason: int, call: Any) -> str:
    with pytest.raises(MQError) as caught:
        call()
    assert caught.value.reason == reason, caught.value
    return str(caught.value)


def branch(life: Life, xid: bytes, *, prepare: bool = True) -> None:
    """Puts a message on A and gets one from B."""
    life.qm.xa_start(life.coordinator, xid)
    life.put("A", b"branch " + xid, syncpoint=True, hconn=life.coordinator)
    life.get("B", syncpoint=True, hconn=life.coordinator)
    life.qm.xa_end(life.coordinator, xid)
    if prepare:
        life.qm.xa_prepare(life.coordinator, xid)
    life.core.log.force()


def activated(live: Life, standby: Standby, *, damaged: bool = False) -> None:
    """Ship all that there is, activate, and compare with the live one killed at this moment."""
    live.core.log.force()
    standby.ship(live.files)
    standby.start()
    assert everything(standby) == everything(killed(live))
    # Media recovery could hide that something went wrong before
    assert any(text.startswith("AMQ7472E") for text in standby.said) == damaged, standby.said
    assert standby.core.log.media <= min(standby.core.media.values())


def lives_on(life: Life) -> None:
    """It is a queue manager like any other: verbs, an orderly end, a crash, a media image, media recovery."""
    life.put("A", b"new")
    life.put("A", b"unfinished", syncpoint=True)
    life.backout()
    life.restart()
    life.put("B", b"before the crash")
    before = everything(life)
    life.restart(orderly=False)
    assert everything(life) == before
    assert all(not result.problem for result in life.record())
    life.put("A", b"after the image")
    before = everything(life)
    life.qm.checkpoint()
    for result in life.recover("ql", "A"):
        assert not result.problem, result
    assert everything(life) == before


def activate(files: FaultyFiles, folder: str, name: str, clock: VirtualClock) -> QueueManager:
    return lifecycle.start(files, folder, name, clock, activate=True)
