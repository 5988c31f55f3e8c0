"""Deletion: all of a queue manager goes, nothing else does, and cut short anywhere it can be done again."""

from __future__ import annotations

import pytest

from libremq.common import configuration
from libremq.common.configuration import Configuration, LogSettings
from libremq.host import deletion, lifecycle
from libremq.log import LogConfig
from libremq.mqi.errors import MQError
from libremq.testing import FaultyFiles, VirtualClock

CONFIG = LogConfig(file_pages=64, type="LINEAR", second_folder="logs/two")


def made() -> FaultyFiles:
    files = FaultyFiles()
    lifecycle.create(files, "qm", "QM1", VirtualClock(), CONFIG, log_folder="logs/one")
    return files


def test_folder_and_both_logs_go() -> None:
    files = made()
    assert deletion.delete(files, "qm", "QM1") == []
    assert not files.exists("qm") and not files.exists("logs/one") and not files.exists("logs/two")


def test_what_is_not_of_the_log_stays() -> None:
    files = made()
    for name in ("S0000000.LOG.gz", "LETTER", "S1.LOG"):
        files.open(f"logs/one/{name}", create=True)
    assert deletion.delete(files, "qm", "QM1") == ["logs/one"]
    assert files.list("logs/one") == ["LETTER", "S0000000.LOG.gz", "S1.LOG"]


def test_one_that_is_open_or_not_there_is_refused() -> None:
    files = made()
    manager = lifecycle.start(files, "qm", "QM1", VirtualClock())
    before = files.list("qm")
    with pytest.raises(MQError, match="has the queue manager in qm open"):
        deletion.delete(files, "qm", "QM1")
    assert files.list("qm") == before
    manager.end()
    with pytest.raises(MQError, match="no queue manager in elsewhere"):
        deletion.delete(files, "elsewhere", "QM1")


def test_a_log_that_cannot_be_found_is_told_before_anything_goes() -> None:
    files = made()
    file = files.open("qm/qm.ini")
    file.truncate(0)
    file.write(0, b"Log:\n  LogPrimaryFiles=9999\n")
    with pytest.raises(MQError, match="LogPrimaryFiles=9999"):
        deletion.delete(files, "qm", "QM1")
    file.truncate(0)
    configuration.save(files, "qm", Configuration(LogSettings(file_pages=64, type="LINEAR", path="logs/one")))
    lifecycle.start(files, "qm", "QM1", VirtualClock()).end()


def test_cut_short_anywhere_it_is_no_queue_manager_or_a_whole_one() -> None:
    """At every removal of a file: what is left starts, or can be deleted, or made again."""
    cut = 0
    while True:
        files = made()
        files.fail("remove", after=cut)
        try:
            deletion.delete(files, "qm", "QM1")
            break
        except OSError:
            cut += 1
        if lifecycle.exists(files, "qm"):
            lifecycle.start(files, "qm", "QM1", VirtualClock()).end()
        again = files.copy()
        if files.list("qm"):
            assert deletion.can_be_deleted(files, "qm")
            assert deletion.delete(files, "qm", "QM1") == []
            assert not files.exists("qm") and not files.exists("logs/one")
        if not lifecycle.exists(again, "qm"):
            lifecycle.create(again, "qm", "QM1", VirtualClock(), CONFIG, log_folder="logs/one")
            lifecycle.start(again, "qm", "QM1", VirtualClock()).end()
    assert cut > 5
