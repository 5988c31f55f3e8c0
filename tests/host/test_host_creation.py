"""Creation: whoever makes a queue manager, or a backup of one, has its folder for itself until it is done."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from libremq.common.files import queue_manager_files
from libremq.host import deletion, lifecycle
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.testing import FaultyFiles, VirtualClock

CONFIG = LogConfig(file_pages=64, type="LINEAR")


class Meanwhile(FaultyFiles):
    """Before a certain folder is made, somebody else does something, once."""

    path = ""
    act: Callable[[FaultyFiles], None] | None = None

    def make_folder(self, path: str) -> None:
        if path == self.path and self.act is not None:
            act, self.act = self.act, None
            act(self)
        super().make_folder(path)


def make(files: FaultyFiles) -> None:
    lifecycle.create(files, "qm", "QM1", VirtualClock(), CONFIG)


def copy(files: FaultyFiles) -> None:
    lifecycle.create(files, "live", "QM1", VirtualClock(), CONFIG)
    lifecycle.create_backup(files, "live", "qm", "QM1")


def copy_of_another(files: FaultyFiles) -> None:
    lifecycle.create(files, "other", "QM1", VirtualClock(), CONFIG)
    lifecycle.create_backup(files, "other", "qm", "QM1")


@pytest.mark.parametrize("first", [make, copy])
@pytest.mark.parametrize("second", [make, copy_of_another])
def test_two_at_once_do_not_take_each_others_files_away(
    first: Callable[[FaultyFiles], None], second: Callable[[FaultyFiles], None]
) -> None:
    files = Meanwhile()

    def meanwhile(_: FaultyFiles) -> None:
        with pytest.raises(MQError, match="makes the queue manager in qm at this moment, or deletes it") as refused:
            second(files)
        assert refused.value.reason == C.MQRC_Q_MGR_NOT_AVAILABLE

    files.path, files.act = "qm/queues", meanwhile
    first(files)
    assert files.act is None
    if first is make:
        lifecycle.start(files, "qm", "QM1", VirtualClock()).end()
    else:
        lifecycle.start(files, "qm", "QM1", VirtualClock(), activate=True).end()


def test_one_that_is_being_made_is_not_deleted() -> None:
    files = Meanwhile()

    def meanwhile(_: FaultyFiles) -> None:
        with pytest.raises(MQError, match="makes the queue manager in qm at this moment, or deletes it"):
            deletion.delete(files, "qm", "QM1")

    files.path, files.act = "qm/queues", meanwhile
    make(files)
    assert queue_manager_files.LOCK not in files.list("qm")  # else it would look like one that ended badly
    lifecycle.start(files, "qm", "QM1", VirtualClock()).end()


def test_a_folder_of_something_else_stays_as_it_is() -> None:
    files = FaultyFiles()
    files.make_folder("qm")
    files.open("qm/letter", create=True).close()
    with pytest.raises(MQError, match="holds files that are no queue manager"):
        make(files)
    assert files.list("qm") == ["letter"]


def test_what_was_refused_before_anything_was_made_leaves_nothing() -> None:
    files = FaultyFiles()
    files.make_folder("logs")
    files.open("logs/letter", create=True).close()
    with pytest.raises(MQError, match="logs is not empty"):
        lifecycle.create(files, "data/qmgrs/QM1", "QM1", VirtualClock(), CONFIG, log_folder="logs")
    assert not files.exists("data")


def test_a_folder_with_nothing_but_a_lock_in_it_is_empty() -> None:
    # a creation was cut short at its very beginning
    files = FaultyFiles()
    files.make_folder("qm")
    files.open(f"qm/{queue_manager_files.LOCK}", create=True).close()
    make(files)
    lifecycle.start(files, "qm", "QM1", VirtualClock()).end()


class InterruptedAtTheEnd(FaultyFiles):
    """When nothing but the last sync of the folder is left."""

    def sync_folder(self, path: str) -> None:
        if path == "qm" and lifecycle.exists(self, "qm") and not self.exists(_MARKER):
            raise KeyboardInterrupt
        super().sync_folder(path)


_MARKER = f"qm/{queue_manager_files.MARKER}"


def test_interrupted_at_its_very_end_it_is_unfinished() -> None:
    """Whoever was interrupted takes it away then."""
    files = InterruptedAtTheEnd()
    with pytest.raises(KeyboardInterrupt):
        make(files)
    assert files.exists(_MARKER)
