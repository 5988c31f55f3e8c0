"""qm.ini as a queue manager uses it: written at creation, read at each start, never a reason to lose anything."""

from __future__ import annotations

import pytest

from libremq.common.configuration import TuningSettings
from libremq.host import lifecycle
from libremq.kernel.manager import QueueManager
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.testing.faulty_files import FaultyFiles
from libremq.testing.virtual_clock import VirtualClock


class Setup:
    def __init__(self, config: LogConfig | None = None, **more: object) -> None:
        self.files, self.clock = FaultyFiles(), VirtualClock()
        self.said: list[str] = []
        config = config or LogConfig(file_pages=64)
        lifecycle.create(self.files, "qm", "QM1", self.clock, config, **more)  # type: ignore[arg-type]

    def start(self) -> QueueManager:
        self.said.clear()
        return lifecycle.start(self.files, "qm", "QM1", self.clock, say=self.said.append)

    def read(self) -> str:
        file = self.files.open("qm/qm.ini")
        text = file.read(0, file.size()).decode()
        file.close()
        return text

    def write(self, text: str) -> None:
        file = self.files.open("qm/qm.ini")
        file.truncate(0)
        file.write(0, text.encode())
        file.close()

    def change(self, old: str, new: str) -> None:
        text = self.read()
        assert old in text
        self.write(text.replace(old, new))


def test_creation_writes_what_was_asked_for() -> None:
    setup = Setup(LogConfig(primary_files=4, secondary_files=3, file_pages=128, type="LINEAR"))
    text = setup.read()
    for line in ("LogPrimaryFiles=4", "LogSecondaryFiles=3", "LogFilePages=128", "LogType=LINEAR"):
        assert line in text


def test_a_restart_changes_primaries_secondaries_buffer_and_integrity() -> None:
    setup = Setup()
    setup.change("LogPrimaryFiles=3", "LogPrimaryFiles=5")
    setup.change("LogSecondaryFiles=2", "LogSecondaryFiles=7")
    setup.change("LogBufferPages=0", "LogBufferPages=64")
    setup.change("LogWriteIntegrity=TripleWrite", "LogWriteIntegrity=SingleWrite")
    log = setup.start().core.log
    assert (log.config.primary_files, log.config.secondary_files) == (5, 7)
    assert (log.config.buffer_pages, log.config.write_integrity) == (64, "SingleWrite")


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("LogFilePages=64", "LogFilePages=128", "LogFilePages"),
        ("LogType=CIRCULAR", "LogType=LINEAR", "LogType"),
    ],
)
def test_what_was_fixed_at_creation_is_refused_and_can_be_put_back(old: str, new: str, key: str) -> None:
    setup = Setup()
    setup.change(old, new)
    with pytest.raises(MQError) as refused:
        setup.start()
    assert refused.value.reason == C.MQRC_Q_MGR_NOT_AVAILABLE
    assert key in str(refused.value) and "qm.ini" in str(refused.value)
    setup.change(new, old)
    setup.start()


def test_a_number_that_is_too_high_stops_the_start_and_one_too_low_gives_the_default() -> None:
    setup = Setup()
    setup.change("LogPrimaryFiles=3", "LogPrimaryFiles=511")
    with pytest.raises(MQError, match="log size not valid"):
        setup.start()
    setup.change("LogPrimaryFiles=511", "LogPrimaryFiles=1")
    assert setup.start().core.log.config.primary_files == 3
    assert any("LogPrimaryFiles=1" in text and "default" in text for text in setup.said)


@pytest.mark.parametrize(
    "config", [LogConfig(primary_files=511), LogConfig(secondary_files=510), LogConfig(file_pages=65536)]
)
def test_a_log_that_is_too_large_is_not_created(config: LogConfig) -> None:
    with pytest.raises(MQError, match="log size not valid"):
        Setup(config)


def test_without_the_file_the_log_tells_how_it_was_made() -> None:
    setup = Setup(LogConfig(file_pages=128, type="LINEAR"))
    setup.files.remove("qm/qm.ini")
    log = setup.start().core.log
    assert (log.config.file_pages, log.config.type) == (128, "LINEAR")
    assert any("qm.ini" in text for text in setup.said)


def test_the_log_may_be_in_another_folder() -> None:
    setup = Setup(log_folder="elsewhere/log")
    assert "LogPath=elsewhere/log" in setup.read()
    assert setup.files.exists("elsewhere/log/S0000000.LOG") and not setup.files.exists("qm/log")
    setup.start().end()
    setup.start()


def test_a_log_folder_that_is_not_empty_is_left_alone() -> None:
    files, clock = FaultyFiles(), VirtualClock()
    lifecycle.create(files, "one", "ONE", clock, LogConfig(file_pages=64), log_folder="logs")
    for _ in range(2):
        with pytest.raises(MQError) as refused:
            lifecycle.create(files, "two", "TWO", clock, LogConfig(file_pages=64), log_folder="logs")
        assert refused.value.reason == C.MQRC_OBJECT_ALREADY_EXISTS
    lifecycle.start(files, "one", "ONE", clock).end()


def test_tuning_parameters_apply() -> None:
    setup = Setup(tuning=TuningSettings(checkpoint_records_max=1000, persistent_queue_buffer_bytes=8192))
    manager = setup.start()
    assert manager.tuning.checkpoint_records_max == 1000
    assert manager.core.limits.persistent_buffer_bytes == 8192
    assert "CheckPointLogRecdMax=1000" in setup.read()


def test_a_garbled_file_is_refused_with_its_line() -> None:
    setup = Setup()
    setup.change("LogSecondaryFiles=2", "LogSecondaryFiles=two")
    with pytest.raises(MQError, match=r"line \d+.*LogSecondaryFiles"):
        setup.start()
