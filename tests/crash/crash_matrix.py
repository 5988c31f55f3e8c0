"""The kinds of log the crash tests run over: how each is set up, where its workloads start, what a crash does to it.

Extents are as small as they may be, and most starting points are a page or two before the end of one, so that even the
shortest workload, or the restart after it, goes on to the next: the ring turns, a secondary is inserted, a linear log
grows and lets old extents go.
"""

from __future__ import annotations

import posixpath
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import crash_driver as driver
from crash_background import (
    archive,
    checkpoint_meanwhile,
    checkpoint_meanwhile_objects,
    format_ahead,
    record_images,
    recover_queues,
)
from crash_driver import FOLDER, OPERATIONS, Life, Operation
from crash_model import Model

from libremq.log import CONTROL_FILE, LogConfig
from libremq.testing import FaultyFiles

LOG = f"{FOLDER}/log"
SECOND = "second"
PAGES_LEFT = 2
PAGE = 4096

Template = tuple[FaultyFiles, Model]
Damage = Callable[[FaultyFiles, random.Random, FaultyFiles], str]
"""Spoils a disk after a crash, by seed; also given the disk the workload started from. Says what it did."""


@dataclass(frozen=True)
class Configuration:
    """One row of the matrix."""

    name: str
    log: LogConfig
    start: Callable[[Life], None] | None = None
    atom_bytes: int = 0
    direct: bool = False
    """The log is written past the system's cache."""
    damage: Damage | None = None
    more: tuple[Operation, ...] = (checkpoint_meanwhile, checkpoint_meanwhile_objects)

    def __str__(self) -> str:
        return self.name

    @property
    def operations(self) -> tuple[Operation, ...]:
        return (*OPERATIONS, *self.more)

    def template(self) -> Template:
        """A queue manager that was ended in good order where the workloads start; the same object every time."""
        return _template(self)

    def states(
        self, disk: FaultyFiles, rng: random.Random, limit: int | None, *, damaged: bool = True
    ) -> Iterator[FaultyFiles]:
        """The disks that a power cut, and what comes with it here, may leave. `damaged` False: only the power fails.

        With a limit of 2: nothing or everything of what was not synced, and one of the states in between.
        """
        skipped = rng.randrange(2) if limit == 2 else None
        for number, state in enumerate(disk.disk_states(rng, 3 if limit == 2 else limit)):
            if number == skipped and disk.unsynced():
                continue
            if self.damage is not None and damaged:
                done = self.damage(state, rng, self.template()[0])
                state.label = f"{state.label}; {done}"
            yield state


@cache
def _template(configuration: Configuration) -> Template:
    files, model = driver.create(configuration.log, atom_bytes=configuration.atom_bytes, direct=configuration.direct)
    if configuration.start is None:
        return files, model
    life = Life(files, model, driver.NOW)
    configuration.start(life)
    # Every start uses up a page or two: what counts is how many are left after one
    while True:
        model = life.model.ended()
        life.qm.end()
        files = next(life.files.disk_states())
        life = Life(files.copy(), model, driver.NOW)
        if pages_left(life) <= PAGES_LEFT:
            life.qm.abandon()
            return files, model
        put_and_get(life, 60)


# Where workloads start


def pages_left(life: Life) -> int:
    """Of the extent that is written to."""
    log = life.qm.core.log
    extent_bytes = log.config.extent_bytes
    return (extent_bytes - log.tail % extent_bytes) // PAGE


def extent_of(life: Life) -> int:
    log = life.qm.core.log
    return log.tail // log.config.extent_bytes


def put_and_get(life: Life, size: int) -> None:
    driver._put(life, "B", size=size, priority=9)
    driver._get(life, "B", "")


def fill_extents(life: Life, extent: int, pages: int) -> None:
    """Until so many pages are left of this extent."""
    while extent_of(life) < extent or pages_left(life) > pages:
        put_and_get(life, 9000 if extent_of(life) < extent or pages_left(life) > pages + 8 else 60)


def turning(life: Life) -> None:
    """The last extent is nearly full and the first no longer needed."""
    fill_extents(life, life.qm.core.log.config.primary_files - 1, 12)
    driver.checkpoint(life, None)


def stretched(life: Life) -> None:
    """The last extent is nearly full, and a branch in doubt needs the first one."""
    driver.prepare_branch(life, None)
    fill_extents(life, life.qm.core.log.config.primary_files - 1, 12)


def growing(life: Life) -> None:
    """The second extent of a linear log is nearly full, and a restart needs nothing of the first."""
    fill_extents(life, 1, 12)
    driver.checkpoint(life, None)


# What may happen to one of two copies


def remove_file(disk: FaultyFiles, path: str) -> None:
    if disk.exists(path):
        disk.remove(path)
        disk.sync_folder(posixpath.dirname(path))


def replace_file(disk: FaultyFiles, path: str, content: bytes) -> None:
    disk.make_folder(posixpath.dirname(path))
    file = disk.open(path, create=True)
    file.truncate(0)
    file.write(0, content)
    file.sync()
    disk.sync_folder(posixpath.dirname(path))


def _files_in(disk: FaultyFiles, folder: str) -> list[str]:
    return [f"{folder}/{name}" for name in disk.list(folder)]


def _lose_folder(disk: FaultyFiles, folder: str, rng: random.Random, before: FaultyFiles) -> str:
    disk.remove_folder(folder)
    disk.sync_folder(posixpath.dirname(folder) or ".")
    return "is lost"


def _lose_file(disk: FaultyFiles, folder: str, rng: random.Random, before: FaultyFiles) -> str:
    path = rng.choice(_files_in(disk, folder))
    remove_file(disk, path)
    return f"has lost {posixpath.basename(path)}"


def _lose_control(disk: FaultyFiles, folder: str, rng: random.Random, before: FaultyFiles) -> str:
    remove_file(disk, f"{folder}/{CONTROL_FILE}")
    return "has lost its control file"


def _spoil_pages(disk: FaultyFiles, folder: str, rng: random.Random, before: FaultyFiles) -> str:
    path = rng.choice([path for path in _files_in(disk, folder) if disk.content(path)])
    size = len(disk.content(path))
    for _ in range(8):
        disk.overwrite(path, rng.randrange(-(-size // PAGE)) * PAGE, rng.randbytes(min(PAGE, size)))
    return f"has garbage in {posixpath.basename(path)}"


def _make_old(disk: FaultyFiles, folder: str, rng: random.Random, before: FaultyFiles) -> str:
    """As if it had been put back from a copy made before the workload."""
    disk.remove_folder(folder)
    disk.make_folder(folder)
    for path in _files_in(before, folder):
        replace_file(disk, path, before.content(path))
    return "is of an earlier moment"


_COPY_DAMAGES = (_lose_folder, _lose_file, _lose_control, _spoil_pages, _make_old)


def spoil_a_copy(disk: FaultyFiles, rng: random.Random, before: FaultyFiles) -> str:
    """One copy of the log is lost, or damaged, or out of date."""
    # Without qm.ini nothing but the first copy tells where the second one is
    folder = rng.choice((LOG, SECOND)) if disk.exists(f"{FOLDER}/qm.ini") else SECOND
    damage = rng.choice(_COPY_DAMAGES)
    return f"{folder} {damage(disk, folder, rng, before)}"


CIRCULAR = Configuration("circular", driver.SMALL_LOG)
LINEAR_OPERATIONS = (*CIRCULAR.more, format_ahead, record_images, recover_queues)

TURNING = Configuration("circular, turning", LogConfig(2, 1, 64), turning)
STRETCHED = Configuration("circular, secondaries", LogConfig(2, 4, 64), stretched)
SINGLE = Configuration(
    "circular, SingleWrite", LogConfig(2, 1, 64, write_integrity="SingleWrite"), turning, atom_bytes=PAGE
)
LINEAR = Configuration("linear, manual", LogConfig(2, 2, 64, "LINEAR"), growing, more=LINEAR_OPERATIONS)
AUTOMATIC = Configuration(
    "linear, automatic", LogConfig(2, 2, 64, "LINEAR", log_management="Automatic"), growing, more=LINEAR_OPERATIONS
)
ARCHIVE = Configuration(
    "linear, archive",
    LogConfig(2, 2, 64, "LINEAR", log_management="Archive"),
    growing,
    more=(*LINEAR_OPERATIONS, archive),
)
DUAL = Configuration("dual", LogConfig(2, 1, 64, second_folder=SECOND), turning)
DUAL_LINEAR = Configuration(
    "dual, linear",
    LogConfig(2, 2, 64, "LINEAR", log_management="Automatic", second_folder=SECOND),
    growing,
    more=LINEAR_OPERATIONS,
)
DUAL_SPOILT = Configuration("dual, one copy spoilt", DUAL.log, turning, damage=spoil_a_copy)
DUAL_LINEAR_SPOILT = Configuration(
    "dual, linear, one copy spoilt", DUAL_LINEAR.log, growing, damage=spoil_a_copy, more=LINEAR_OPERATIONS
)

DIRECT = Configuration("circular, past the cache", TURNING.log, turning, direct=True)
DIRECT_SINGLE = Configuration(
    "circular, SingleWrite, past the cache", SINGLE.log, turning, atom_bytes=PAGE, direct=True
)
DIRECT_DUAL_LINEAR = Configuration(
    "dual, linear, past the cache", DUAL_LINEAR.log, growing, direct=True, more=LINEAR_OPERATIONS
)

MATRIX = (
    CIRCULAR, TURNING, STRETCHED, SINGLE, LINEAR, AUTOMATIC, ARCHIVE, DUAL, DUAL_LINEAR, DUAL_SPOILT,
    DUAL_LINEAR_SPOILT, DIRECT, DIRECT_SINGLE, DIRECT_DUAL_LINEAR,
)  # fmt: skip
