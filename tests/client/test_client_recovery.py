"""The log and recovery from Python: figures, advice, extents, images, damaged queues, backups, and messages said."""

from __future__ import annotations

import logging
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from client_starting import Start

import libremq
from libremq import LogConfig, QueueManager
from libremq.common import configuration
from libremq.common.configuration import TuningSettings
from libremq.common.files.file_layer import RealFiles
from libremq.host.amq_logger import level_of
from libremq.mqi import constants as C
from libremq.testing import FaultyFiles, VirtualClock

LINEAR = LogConfig(type="LINEAR", file_pages=64)


@pytest.fixture
def linear(start: Start) -> Iterator[QueueManager]:
    with start(log_config=LINEAR) as qm:
        qm.define_local("ORDERS", defpsist="yes")
        yield qm


def next_extents(qm: QueueManager, count: int = 3) -> None:
    """Have the log go on through some extents."""
    qm.define_local("FILLER", defpsist="yes", replace=True)
    for _ in range(count * 13):
        qm.put("FILLER", bytes(20_000))
        qm.queue("FILLER").get()
    qm.checkpoint()


def states(qm: QueueManager) -> dict[str, str]:
    return {extent.name: extent.state for extent in qm.log_extents()}


# ---- figures and advice ----


def test_statistics_are_those_of_the_log(linear: QueueManager) -> None:
    before = linear.log_statistics()
    linear.put("ORDERS", bytes(5000))
    after = linear.log_statistics()
    assert (after.log_type, after.primary_files) == ("LINEAR", 3)
    assert after.records == before.records + 1
    assert after.logical_bytes > before.logical_bytes + 5000


def test_puts_outside_syncpoint_are_a_finding(linear: QueueManager) -> None:
    def found() -> dict[str, dict[str, Any]]:
        return {finding.id: finding.values for finding in linear.log_findings()}

    assert "PUTS_OUTSIDE_SYNCPOINT" not in found()
    with linear.transaction():
        linear.put("ORDERS", "in syncpoint")
    linear.put("ORDERS", "not logged", persistent=False)
    assert "PUTS_OUTSIDE_SYNCPOINT" not in found()
    linear.put("ORDERS", "outside")
    linear.put("ORDERS", "outside")
    assert found()["PUTS_OUTSIDE_SYNCPOINT"]["puts_outside_syncpoint"] == 2


def test_secondaries_in_use_are_a_finding(start: Start) -> None:
    config = LogConfig(primary_files=2, secondary_files=4, file_pages=64)
    with start(log_config=config) as qm:
        qm.define_local("ORDERS", defpsist="yes")
        with qm.transaction():
            for _ in range(35):
                qm.put("ORDERS", bytes(20_000))
        ids = [finding.id for finding in qm.log_findings()]
        assert "SECONDARIES_IN_USE" in ids
        assert qm.log_statistics().file_count > 2


# ---- extents ----


@pytest.mark.on_this_machine  # an archive is a folder beside the queue manager's own
def test_extents_become_unneeded_and_are_archived_and_deleted(linear: QueueManager, tmp_path: Path) -> None:
    linear.put("ORDERS", "kept")
    next_extents(linear)
    assert states(linear)["S0000000.LOG"] == "media"
    assert linear.archive_log(f"{tmp_path}/archive") == []
    assert linear.delete_log_extents() == []
    linear.record_images()
    unneeded = [name for name, state in states(linear).items() if state == "unneeded"]
    assert unneeded[0] == "S0000000.LOG"
    assert linear.archive_log(f"{tmp_path}/archive") == unneeded
    assert linear.archive_log(f"{tmp_path}/archive") == []
    assert sorted(os.listdir(tmp_path / "archive")) == unneeded
    assert linear.delete_log_extents() == unneeded
    assert not set(states(linear)) & set(unneeded)
    assert linear.queue("ORDERS").get().text == "kept"


@pytest.mark.embedded  # a function cannot be called by another process
def test_a_function_may_archive(linear: QueueManager) -> None:
    next_extents(linear)
    linear.record_images()
    paths: list[str] = []
    names = linear.archive_log(paths.append)
    assert [os.path.basename(path) for path in paths] == names != []
    assert all(extent.archived for extent in linear.log_extents() if extent.state == "unneeded")


@pytest.mark.embedded  # a function cannot be called by another process
def test_a_function_that_fails_to_archive_harms_nobody(linear: QueueManager) -> None:
    next_extents(linear)
    linear.record_images()

    def fail(path: str) -> None:
        raise OSError(28, "No space left on device", path)

    with pytest.raises(libremq.MQError, match=r"not all extents were archived: .*No space left"):
        linear.archive_log(fail)
    linear.put("ORDERS", "goes on")
    assert not any(extent.archived for extent in linear.log_extents())


def test_extents_archived_by_other_means(linear: QueueManager) -> None:
    next_extents(linear)
    linear.mark_log_archived("S0000000.LOG")
    assert [extent.name for extent in linear.log_extents() if extent.archived] == ["S0000000.LOG"]
    current = linear.log_statistics().current_extent
    for name in (current, "S9999999.LOG", "nonsense", ""):
        with pytest.raises(libremq.OptionsError, match="cannot have been archived"):
            linear.mark_log_archived(name)


def test_a_circular_log_keeps_nothing(queue_manager: QueueManager) -> None:
    assert {extent.state for extent in queue_manager.log_extents()} == {"active", "free"}
    calls: list[Callable[[], object]] = [
        queue_manager.delete_log_extents,
        lambda: queue_manager.mark_log_archived("S0000000.LOG"),
        queue_manager.record_images,
        lambda: queue_manager.recover_object("qlocal", "SYSTEM.DEFAULT.LOCAL.QUEUE"),
    ]
    for call in calls:
        with pytest.raises(libremq.MQError, match="log is circular") as caught:
            call()
        assert caught.value.reason == C.MQRC_ENVIRONMENT_ERROR
    queue_manager.define_local("STILL.THERE")


@pytest.mark.on_this_machine  # the folders are those of the queue manager's machine
def test_a_circular_log_is_not_archived_or_copied(queue_manager: QueueManager, tmp_path: Path) -> None:
    with pytest.raises(libremq.MQError, match="log is circular") as caught:
        queue_manager.archive_log(str(tmp_path))
    assert caught.value.reason == C.MQRC_ENVIRONMENT_ERROR
    with pytest.raises(libremq.MQError, match="AMQ7044E"):
        queue_manager.copy_to_backup(str(tmp_path / "standby"))
    queue_manager.define_local("STILL.THERE")


def test_a_client_may_not_name_files_of_another_machine(start: Start, binding: str, tmp_path: Path) -> None:
    with start(log_config=LINEAR) as qm:
        for command in (lambda: qm.archive_log(f"{tmp_path}/archive"), lambda: qm.copy_to_backup(f"{tmp_path}/backup")):
            if binding == "mq":
                with pytest.raises(libremq.NotAuthorized, match="names files of the queue manager's machine"):
                    command()
            else:
                command()
        assert (tmp_path / "backup").exists() == (binding != "mq")


# ---- media images and recovery ----


def damage(folder: str, queue: str) -> None:
    with Path(folder, "queues", queue, "q").open("r+b") as file:
        file.seek(6_000)
        file.write(b"\xff" * 5_000)


def test_a_damaged_queue_is_recovered_and_nothing_is_missing(start: Start, tmp_path: Path) -> None:
    with start(log_config=LINEAR) as qm:
        qm.define_local("ORDERS", defpsist="yes")
        for number in range(10):
            qm.put("ORDERS", f"{number}" * 3000)
        (image,) = qm.record_images("qlocal", "ORDERS")
        assert (image.kind, image.name, image.problem) == ("QLOCAL", "ORDERS", "")
        for number in range(10, 15):
            qm.put("ORDERS", f"{number}" * 3000)
        assert qm.queue("ORDERS").get().text == "0" * 3000
    damage(f"{tmp_path}/libremq/qmgrs/QM1", "ORDERS")
    with start() as qm:
        with pytest.raises(libremq.ObjectDamaged):
            [message.text for message in qm.queue("ORDERS").browse()]
        (recovered,) = qm.recover_object("qlocal", "ORDERS")  # the handles of this thread are not in the way
        assert (recovered.name, recovered.problem) == ("ORDERS", "")
        assert [message.text for message in qm.queue("ORDERS")] == [f"{number}" * 3000 for number in range(1, 15)]


def test_generic_names_give_results(linear: QueueManager) -> None:
    linear.define_local("ORDERS.LATE")
    assert {one.name for one in linear.record_images("ql", "ORD*")} == {"ORDERS", "ORDERS.LATE"}
    assert {one.name for one in linear.recover_object("QUEUE", "ORD*")} == {"ORDERS", "ORDERS.LATE"}
    assert linear.record_images("queue", "NOTHING*") == []
    assert [one.kind for one in linear.record_images("qmgr")] == ["QMGR"]
    assert len(linear.record_images()) > 50


def test_a_queue_that_others_have_open_is_not_recovered(linear: QueueManager) -> None:
    opened, done = threading.Event(), threading.Event()

    def use() -> None:
        linear.put("ORDERS", "from the other thread")
        linear.queue("ORDERS", exclusive=True)
        queue = linear.queue("ORDERS")
        queue.handle("browse")
        opened.set()
        done.wait(120)
        queue.close()

    other = threading.Thread(target=use)
    other.start()
    assert opened.wait(120)
    try:
        with pytest.raises(libremq.ObjectInUse):
            linear.recover_object("ql", "ORDERS")
        (result,) = linear.recover_object("ql", "ORDERS*")
        assert "MQRC_OBJECT_IN_USE" in result.problem
    finally:
        done.set()
        other.join()


def test_applications_go_on_while_images_are_recorded(linear: QueueManager) -> None:
    for _ in range(20):
        linear.put("ORDERS", bytes(10_000))
    stop = threading.Event()
    put = 0

    def work() -> None:
        nonlocal put
        linear.define_local("BUSY", defpsist="yes")
        while not stop.is_set():
            linear.put("BUSY", str(put))
            put += 1

    worker = threading.Thread(target=work)
    worker.start()
    try:
        for _ in range(5):
            assert not [one for one in linear.record_images() if one.problem]
            linear.checkpoint()
            linear.delete_log_extents()
    finally:
        stop.set()
        worker.join()
    assert [int(message.text) for message in linear.queue("BUSY")] == list(range(put))


# ---- backups ----


def ship(qm: QueueManager, backup: str) -> None:
    for file in sorted(Path(qm.folder, "log").iterdir()):
        if file.name != "amqhlctl.lfh":
            shutil.copy(file, f"{backup}/log/{file.name}")


@pytest.mark.on_this_machine  # a backup is made of files
def test_a_backup_takes_over(linear: QueueManager, tmp_path: Path) -> None:
    linear.put("ORDERS", "before the copy")
    backup = linear.copy_to_backup(f"{tmp_path}/standby")
    assert backup == f"{tmp_path}/standby/qmgrs/QM1"
    url = f"embedded:QM1?data={tmp_path}/standby"
    linear.put("ORDERS", "after it")
    ship(linear, backup)
    assert libremq.backup.is_backup(url) and not libremq.backup.is_backup(linear.folder)
    assert libremq.backup.replay(url) > 0
    with linear.transaction():
        linear.put("ORDERS", "committed")
    transaction = linear.transaction()
    with transaction:
        linear.put("ORDERS", "not committed")
        linear.checkpoint()  # brings the log to disk
        ship(linear, backup)
        transaction.backout()
    with pytest.raises(libremq.QueueManagerNotAvailable, match="backup queue manager"):
        libremq.connect(url)
    said: list[str] = []
    assert libremq.backup.replay(backup, say=said.append) > 0
    assert any(line.startswith("AMQ7230I") for line in said)
    libremq.backup.activate(backup)
    with libremq.connect(url) as qm:
        assert [message.text for message in qm.queue("ORDERS")] == ["before the copy", "after it", "committed"]
        assert qm.in_doubt() == []
    with pytest.raises(libremq.QueueManagerNotAvailable, match="no backup"):
        libremq.backup.replay(url)
    with pytest.raises(libremq.QueueManagerNotAvailable, match="no backup"):
        libremq.backup.activate(url)


@pytest.mark.embedded  # nobody serves a queue manager that has ended
def test_a_backup_of_one_that_has_ended(tmp_path: Path) -> None:
    url = f"embedded:QM1?create=1&data={tmp_path}/live"
    with libremq.connect(url, log_config=LINEAR) as qm:
        qm.define_local("ORDERS", defpsist="yes")
        qm.put("ORDERS", "copied")
        with pytest.raises(libremq.QueueManagerNotAvailable, match=f"process {os.getpid()} "):
            libremq.backup.create(url, f"{tmp_path}/standby")
    backup = libremq.backup.create(url, f"{tmp_path}/standby", log_folder=f"{tmp_path}/standby-log")
    assert (tmp_path / "standby-log" / "S0000000.LOG").exists()
    libremq.backup.activate(backup)
    with libremq.connect(f"embedded:QM1?data={tmp_path}/standby") as qm:
        assert qm.queue("ORDERS").get().text == "copied"
    with pytest.raises(libremq.ObjectExists):
        libremq.backup.create(url, f"{tmp_path}/standby")


@pytest.mark.on_this_machine  # a backup is made of files
def test_a_backup_never_overwrites_a_log(linear: QueueManager, tmp_path: Path) -> None:
    log = Path(linear.folder, "log")
    before = {path.name: path.stat().st_size for path in log.iterdir()}
    with pytest.raises(libremq.ObjectExists, match="is not empty"):
        linear.copy_to_backup(f"{tmp_path}/standby", log_folder=str(log))
    with pytest.raises(libremq.ObjectExists):
        linear.copy_to_backup(f"{tmp_path}/libremq")
    with pytest.raises(libremq.QueueManagerNotAvailable):  # a cold copy is of one that has ended
        libremq.backup.create(linear.folder, f"{tmp_path}/standby", log_folder=str(log))
    assert {path.name: path.stat().st_size for path in log.iterdir()} == before
    assert not (tmp_path / "standby").exists()
    linear.put("ORDERS", "goes on")


# ---- misuse ----


@pytest.mark.on_this_machine  # over TCP some are refused whatever the arguments
def test_wrong_arguments_are_told(linear: QueueManager, tmp_path: Path) -> None:
    wrong: Any = linear
    backup: Any = libremq.backup
    calls: list[tuple[Callable[[], object], type[Exception]]] = [
        (lambda: wrong.record_images(5), libremq.WrongType),
        (lambda: wrong.record_images("qlocal", None), libremq.WrongType),
        (lambda: wrong.record_images("spoon"), libremq.ObjectTypeError),
        (lambda: wrong.record_images("qlocal", "A*B"), libremq.BadValue),
        (lambda: wrong.record_images("qlocal", "NOTHING"), libremq.UnknownObject),
        (lambda: wrong.recover_object("qlocal", "NOTHING"), libremq.UnknownObject),
        (lambda: wrong.recover_object("chl", "NOTHING"), libremq.UnknownObject),
        (lambda: wrong.recover_object(), TypeError),
        (lambda: wrong.archive_log(7), libremq.WrongType),
        (lambda: wrong.archive_log(""), libremq.BadValue),
        (lambda: wrong.archive_log("a\0b"), libremq.BadValue),
        (lambda: wrong.archive_log(os.path.join(linear.folder, "log")), libremq.OptionsError),
        (lambda: wrong.mark_log_archived(3), libremq.WrongType),
        (lambda: wrong.copy_to_backup(None), libremq.WrongType),
        (lambda: wrong.copy_to_backup(""), libremq.BadValue),
        (lambda: backup.replay(5), libremq.WrongType),
        (lambda: backup.replay("QM1"), libremq.BadValue),
        (lambda: backup.replay("http://QM1"), libremq.MQError),
        (lambda: backup.replay(f"embedded:NOBODY?data={tmp_path}"), libremq.MQError),
        (lambda: backup.activate(f"{tmp_path}/no.folder"), libremq.BadValue),
        (lambda: backup.activate(f"{tmp_path}/NOBODY"), libremq.MQError),
        (lambda: backup.create(5, "x"), libremq.WrongType),
        (lambda: backup.create(f"embedded:NOBODY?data={tmp_path}", 5), libremq.WrongType),
        (lambda: backup.create(f"embedded:NOBODY?data={tmp_path}", ""), libremq.BadValue),
        (lambda: backup.create(f"embedded:NOBODY?data={tmp_path}", f"{tmp_path}/s"), libremq.MQError),
    ]
    for call, error in calls:
        with pytest.raises(error):
            call()
    linear.put("ORDERS", "goes on")


def test_after_the_close_everything_is_refused(start: Start) -> None:
    with start(log_config=LINEAR) as qm:
        pass
    calls: list[Callable[[], object]] = [
        qm.log_statistics, qm.log_findings, qm.log_extents, qm.delete_log_extents, qm.record_images,
        lambda: qm.archive_log("x"), lambda: qm.recover_object("ql", "*"), lambda: qm.copy_to_backup("x"),
        lambda: qm.mark_log_archived("S0000000.LOG"),
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(libremq.HandleError):
            call()


@pytest.mark.embedded  # a served one is interrupted by nobody's Ctrl-C
def test_an_interrupt_in_a_long_command_stops_the_queue_manager(tmp_path: Path) -> None:
    url = f"embedded:QM1?create=1&data={tmp_path}"
    armed = False

    def say(text: str) -> None:
        if armed and text.startswith("AMQ7467I"):  # Ctrl-C when the checkpoint after the images is complete
            raise KeyboardInterrupt

    with libremq.connect(url, log_config=LINEAR, say=say) as qm:
        qm.define_local("ORDERS", defpsist="yes")
        qm.put("ORDERS", "safe")
        armed = True
        with pytest.raises(KeyboardInterrupt):
            qm.record_images()
        with pytest.raises(libremq.ConnectionBroken):
            qm.put("ORDERS", "too late")
    with libremq.connect(url) as qm:
        assert [message.text for message in qm.queue("ORDERS")] == ["safe"]


def test_a_log_that_fails_in_a_long_command_stops_the_queue_manager(start: Start) -> None:
    files = FaultyFiles()
    clock = VirtualClock()
    with start(files=files, clock=clock, log_config=LINEAR) as qm:
        qm.define_local("ORDERS", defpsist="yes")
        qm.put("ORDERS", "safe")
        files.fail("sync", "*/log/S*")
        with pytest.raises(libremq.MQError):
            qm.record_images()
        with pytest.raises(libremq.ConnectionBroken):
            qm.put("ORDERS", "too late")


# ---- connect: how the embedded one is made, and what it says ----


@pytest.mark.embedded  # a served one is made with crtmqm
def test_connect_creates_with_settings(tmp_path: Path) -> None:
    url = f"embedded:QM1?create=1&data={tmp_path}"
    tuning = TuningSettings(checkpoint_records_max=2000)
    with libremq.connect(url, log_config=LINEAR, log_folder=f"{tmp_path}/log", tuning=tuning) as qm:
        settings = configuration.load(RealFiles(), qm.folder)
    assert (settings.log.path, settings.tuning) == (f"{tmp_path}/log", tuning)
    assert (tmp_path / "log" / "S0000000.LOG").exists()
    wrong: Any = libremq.connect
    for argument in ({"log_folder": 5}, {"tuning": {}}):
        with pytest.raises(libremq.WrongType):
            wrong(url, **argument)
    with pytest.raises(libremq.MQError):
        libremq.connect(f"embedded:QM2?create=1&data={tmp_path}", tuning=TuningSettings(checkpoint_records_max=10**9))


@pytest.mark.embedded  # a served one says it in its error log
def test_messages_go_to_the_logger_of_the_queue_manager(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "libremq")
    with libremq.connect(f"embedded:QM1?create=1&data={tmp_path}", log_config=LINEAR) as qm:
        qm.define_local("ORDERS", defpsist="yes")
        for _ in range(5):
            qm.put("ORDERS", bytes(3000))
        folder = qm.folder
    texts = [(record.name, record.levelname, record.getMessage().partition(":")[0]) for record in caplog.records]
    assert texts[0] == ("libremq.QM1", "INFO", "LibreMQ queue manager 'QM1' starting.")
    assert ("libremq.QM1", "INFO", "AMQ7229I") in texts
    caplog.clear()
    damage(folder, "ORDERS")
    shutil.rmtree(f"{folder}/queues/ORDERS")
    with libremq.connect(f"embedded:QM1?data={tmp_path}") as qm, pytest.raises(libremq.ObjectDamaged):
        qm.queue("ORDERS").get()
    assert "ERROR" in {record.levelname for record in caplog.records if "AMQ7472E" in record.getMessage()}


def test_the_letter_of_a_message_is_its_level() -> None:
    assert level_of("AMQ7467I: so") == logging.INFO
    assert level_of("AMQ7469W: so") == logging.WARNING
    assert level_of("AMQ7472E: so") == logging.ERROR
    assert level_of("AMQ6109S: so") == logging.CRITICAL
    assert level_of("AMQ7472E") == level_of("so: AMQ7472E: so") == logging.INFO


@pytest.mark.embedded  # a served one says it in its error log
def test_say_takes_the_messages_instead(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "libremq")
    said: list[str] = []
    with libremq.connect(f"embedded:QM1?create=1&data={tmp_path}", log_config=LINEAR, say=said.append):
        pass
    assert said[0] == "LibreMQ queue manager 'QM1' starting."
    assert caplog.records == []
