"""Two copies of the log: either may be lost, damaged or out of date; never both at the same place."""

from __future__ import annotations

import errno
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from libremq.common.files.direct_files import RealDirectFile, pays_off
from libremq.common.files.file_layer import Buffer, RealFile, RealFiles
from libremq.log import Log, LogConfig, LogDamaged, LogError, LogFailed, RecordType
from libremq.testing import FaultyFiles

FIRST, SECOND = "/one/log", "/two/log"
FOLDERS = (FIRST, SECOND)
CONFIG = LogConfig(2, 1, 64, second_folder=SECOND)
EXTENT = 64 * 4096


def open_log(files: FaultyFiles, said: list[str] | None = None, second: str | None = SECOND) -> Log:
    return Log.open(files, FIRST, second_folder=second, say=(said if said is not None else []).append)


def make(config: LogConfig = CONFIG, count: int = 30) -> tuple[FaultyFiles, Log]:
    files = FaultyFiles()
    log = Log.create(files, FIRST, config)
    add(log, range(count))
    return files, log


def add(log: Log, numbers: range) -> None:
    for number in numbers:
        log.force(log.append(RecordType.PUT, number, 0, (bytes(300 * (number % 7)),)))


def numbers(log: Log) -> list[int]:
    return [record.txn for record in log.scan(log.head)]


def copies_are_equal(files: FaultyFiles, log: Log) -> bool:
    """The control files, and the pages up to the end."""
    end = log.tail - log.tail % 4096
    for name in {name for folder in FOLDERS for name in files.list(folder) if name.endswith(".LOG")}:
        one, two = (files.content(f"{folder}/{name}")[:end] for folder in FOLDERS)
        if one != two:
            return False
    return True


def test_both_folders_hold_everything() -> None:
    files, log = make()
    log.close()
    assert files.list(FIRST) == files.list(SECOND)
    assert copies_are_equal(files, log)
    assert log.statistics().copies == 2
    said: list[str] = []
    log = open_log(files, said)
    assert numbers(log) == list(range(30)) and said == []
    assert log.config.second_folder == SECOND
    # The control file knows the second folder too.
    log.close()
    assert Log.open(files, FIRST).statistics().copies == 2


Damage = Callable[[FaultyFiles, str], None]


def lose_folder(files: FaultyFiles, folder: str) -> None:
    files.remove_folder(folder)


def lose_extent(files: FaultyFiles, folder: str) -> None:
    files.remove(f"{folder}/S0000000.LOG")


def cut_extent(files: FaultyFiles, folder: str) -> None:
    files.open(f"{folder}/S0000000.LOG").truncate(5000)


def lose_control(files: FaultyFiles, folder: str) -> None:
    files.remove(f"{folder}/amqhlctl.lfh")


def ruin_control(files: FaultyFiles, folder: str) -> None:
    for slot in (0, 4096):
        files.overwrite(f"{folder}/amqhlctl.lfh", slot + 40, b"\xff\xff\xff\xff\xff")


def ruin_pages(files: FaultyFiles, folder: str) -> None:
    for page in (0, 2, 3):
        files.overwrite(f"{folder}/S0000000.LOG", page * 4096 + 700, b"damage")


def blank_extent(files: FaultyFiles, folder: str) -> None:
    files.overwrite(f"{folder}/S0000000.LOG", 0, bytes(EXTENT))


@pytest.mark.parametrize("orderly", [True, False])
@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize(
    "damage", [lose_folder, lose_extent, cut_extent, lose_control, ruin_control, ruin_pages, blank_extent]
)
def test_damage_to_one_copy_is_survived_and_repaired(damage: Damage, folder: str, orderly: bool) -> None:
    files, log = make()
    if orderly:
        log.close()
    else:
        log.abandon()
    damage(files, folder)
    said: list[str] = []
    log = open_log(files, said)
    assert numbers(log) == list(range(30))
    assert any(folder in text for text in said), said
    add(log, range(30, 35))
    log.close()
    other = FOLDERS[1 - FOLDERS.index(folder)]
    assert copies_are_equal(files, log)
    # Now the repaired copy alone must do.
    lose_folder(files, other)
    assert numbers(open_log(files)) == list(range(35))


@pytest.mark.parametrize("linear", [False, True], ids=["circular", "linear"])
@pytest.mark.parametrize("folder", FOLDERS)
def test_any_file_of_one_copy_may_be_lost(folder: str, linear: bool) -> None:
    config = replace(CONFIG, type="LINEAR", secondary_files=3) if linear else CONFIG
    files, log = make(config, 0)
    for number in range(30):
        log.force(log.append(RecordType.PUT, number, 0, (bytes(30_000 if linear else 900),)))
    if linear:
        lsn = [record.lsn for record in log.scan(40)][-3]
        log.record_checkpoint(lsn, lsn)
        log.force(log.append(RecordType.PUT, 30, 0, (b"",)))
    log.abandon()
    open_log(files).abandon()  # which leaves a tail file
    names = files.list(folder)
    assert {"amqhlctl.lfh", "amqhlshd.lfh", "amqhltal.lfh", "S0000000.LOG"} < set(names)
    other = FOLDERS[1 - FOLDERS.index(folder)]
    for name in names:
        disk = files.copy()
        disk.remove(f"{folder}/{name}")
        said: list[str] = []
        log = open_log(disk, said)
        assert [record.txn for record in log.scan(40)] == list(range(30 + linear))
        assert name == "amqhltal.lfh" or any(f"{folder}/{name}" in text for text in said), name
        log.close()
        lose_folder(disk, other)
        assert [record.txn for record in open_log(disk).scan(40)] == list(range(30 + linear)), name


@pytest.mark.parametrize("orderly", [True, False], ids=["ended", "crashed"])
@pytest.mark.parametrize("folder", FOLDERS)
def test_a_flipped_bit_in_one_copy_is_made_good_and_told(folder: str, orderly: bool) -> None:
    """Anywhere in what the log consists of, up to its end: said with the file's path, and repaired for good."""
    files, log = make()
    if orderly:
        log.close()
    else:
        log.abandon()
    end = log.tail - log.tail % 4096
    other = FOLDERS[1 - FOLDERS.index(folder)]
    rng = random.Random(7)
    slot = 28 + 96 + 2 * 4 + len(SECOND)  # what comes after that in a slot of the control file is padding
    used = {
        "S0000000.LOG": range(end),
        "amqhlctl.lfh": [*range(slot), *range(4096, 4096 + slot)],
        "amqhlshd.lfh": range(4096),
    }
    for name, offsets in used.items():
        path = f"{folder}/{name}"
        content = files.content(path)
        for _ in range(40):
            offset = rng.choice(offsets)
            disk = files.copy()
            disk.overwrite(path, offset, bytes([content[offset] ^ 1 << rng.randrange(8)]))
            said: list[str] = []
            log = open_log(disk, said)
            assert numbers(log) == list(range(30))
            assert any(path in text for text in said), (path, offset, said)
            log.close()
            lose_folder(disk, other)
            assert numbers(open_log(disk)) == list(range(30)), (path, offset)


def test_different_pages_damaged_in_each_copy_make_one_whole_log() -> None:
    files, log = make()
    log.abandon()
    for page, folder in ((0, FIRST), (1, SECOND), (2, FIRST), (3, SECOND)):
        files.overwrite(f"{folder}/S0000000.LOG", page * 4096 + 100, b"damage")
    said: list[str] = []
    log = open_log(files, said)
    assert numbers(log) == list(range(30))
    assert [text.split(":")[0] for text in said] == [f"{FIRST}/S0000000.LOG", f"{SECOND}/S0000000.LOG"]
    assert "2 damaged or missing pages were repaired" in said[0]
    log.abandon()
    assert copies_are_equal(files, log)


def test_the_same_page_damaged_in_both_copies_is_refused() -> None:
    files, log = make()
    log.abandon()
    for folder in FOLDERS:
        files.overwrite(f"{folder}/S0000000.LOG", 2 * 4096 + 100, b"damage")
    operations = files.operations
    with pytest.raises(LogDamaged, match="stops at LSN 8192"):
        open_log(files)
    assert files.operations == operations


def test_reading_falls_back_page_by_page_while_running() -> None:
    files, log = make()
    files.overwrite(f"{FIRST}/S0000000.LOG", 4096 + 100, b"damage")
    files.overwrite(f"{SECOND}/S0000000.LOG", 8192 + 100, b"damage")
    records = list(log.scan(log.head))
    assert [record.txn for record in records] == list(range(30))
    assert [log.read(record.lsn) for record in records] == records
    files.fail("read", f"{FIRST}/*", times=None)
    files.overwrite(f"{SECOND}/S0000000.LOG", 8192 + 100, b"second")
    with pytest.raises(LogDamaged, match="checksum"):
        list(log.scan(log.head))


def test_a_copy_that_was_away_is_not_believed() -> None:
    """One folder is put back as it was some time ago, valid in itself."""
    for folder in FOLDERS:
        files, log = make()
        log.close()
        old = {name: files.content(f"{folder}/{name}") for name in files.list(folder)}
        log = open_log(files)
        add(log, range(30, 60))
        log.close()
        for name, content in old.items():
            files.overwrite(f"{folder}/{name}", 0, content)
        said: list[str] = []
        log = open_log(files, said)
        assert numbers(log) == list(range(60))
        assert any("older than the other" in text for text in said)
        log.close()
        assert copies_are_equal(files, log)


def test_the_old_copy_does_not_fill_gaps_of_the_new_one() -> None:
    files, log = make()
    log.close()
    old = {name: files.content(f"{SECOND}/{name}") for name in files.list(SECOND)}
    log = open_log(files)
    add(log, range(30, 60))
    log.close()
    for name, content in old.items():
        files.overwrite(f"{SECOND}/{name}", 0, content)
    files.overwrite(f"{FIRST}/S0000000.LOG", 100, b"damage")
    with pytest.raises(LogDamaged):
        open_log(files)


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("kind", ["write", "sync"])
def test_a_copy_that_cannot_be_written_ends_the_log(kind: str, folder: str) -> None:
    """Never carry on with less protection than was asked for; the restart has both copies, or says which is lost."""
    files, log = make()
    files.fail(kind, f"{folder}/*", OSError(errno.EIO, "no"), times=None)
    log.append(RecordType.PUT, 99, 0, (bytes(5000),))
    with pytest.raises(LogFailed, match=folder) as caught:
        log.force()
    assert "the other copy" in str(caught.value)
    with pytest.raises(LogFailed):
        log.append(RecordType.PUT, 99, 0, (b"",))
    log.abandon()
    with pytest.raises(LogError, match="open the log without a second copy"):
        open_log(files)
    lost = files.copy()
    lost.remove_folder(folder)
    said: list[str] = []
    assert numbers(open_log(lost, said))[:30] == list(range(30))
    assert any(folder in text for text in said)


class NamelessFile(RealFile):
    """A file whose writes or syncs fail without saying where, as those of the machine do."""

    failing = ""

    def write(self, offset: int, data: Buffer) -> None:
        if self.failing == "write":
            raise OSError(errno.EIO, "no")
        super().write(offset, data)

    def sync(self) -> None:
        if self.failing == "sync":
            raise OSError(errno.EIO, "no")
        super().sync()


class NamelessDirectFile(RealDirectFile):
    failing = ""

    def write(self, offset: int, data: memoryview) -> None:
        if self.failing:
            raise OSError(errno.EIO, "no")
        super().write(offset, data)


class NamelessFiles(RealFiles):
    __slots__ = ("direct", "failing", "opened")

    def __init__(self, direct: bool) -> None:
        self.direct = direct
        self.opened: list[NamelessFile | NamelessDirectFile] = []
        self.failing: tuple[str, str] | None = None

    def open(self, path: str, *, create: bool = False) -> RealFile:
        file = super().open(path, create=create)
        named = NamelessFile(file._fd, path)
        self.opened.append(named)
        return named

    def writes_directly(self, folder: str) -> bool:
        return self.direct

    def open_direct(self, path: str) -> RealDirectFile:
        named = NamelessDirectFile(path)
        self.opened.append(named)
        self.fail_now()
        return named

    def fail(self, folder: str, kind: str) -> None:
        self.failing = folder, kind
        self.fail_now()

    def fail_now(self) -> None:
        if self.failing is not None:
            folder, kind = self.failing
            for file in self.opened:
                if file.path.startswith(folder) and file._fd >= 0:
                    file.failing = kind


@pytest.mark.parametrize("copy", [0, 1])
@pytest.mark.parametrize("kind", ["write", "sync", "direct write"])
@pytest.mark.parametrize("parallel", [True, False], ids=["parallel", "in turn"])
def test_the_message_names_the_copy_that_failed(tmp_path: Path, parallel: bool, kind: str, copy: int) -> None:
    folders = [str(tmp_path / "one"), str(tmp_path / "two")]
    if kind == "direct write" and not pays_off(str(tmp_path)):
        pytest.skip("files here are not written past the cache")
    Log.create(RealFiles(), folders[0], LogConfig(2, 1, 64, second_folder=folders[1])).close()
    files = NamelessFiles(kind == "direct write")
    log = Log.open(files, folders[0], parallel_sync=parallel)
    lsn = log.append(RecordType.PUT, 1, 0, (b"x",))
    files.fail(folders[copy], kind)
    with pytest.raises(LogFailed) as caught:
        log.force(lsn)
    text = str(caught.value)
    assert text.startswith(f"{folders[copy]}: writing this copy of the log failed: [Errno 5] no: '{folders[copy]}")
    assert f"in the other copy, {folders[1 - copy]}." in text and "start it again" in text
    log.abandon()
    said: list[str] = []
    log = Log.open(RealFiles(), folders[0], say=said.append)
    assert len(numbers(log)) <= 1
    log.close()


def test_dual_logging_ended_and_begun_at_a_restart() -> None:
    files, log = make()
    log.close()
    log = open_log(files, second="")
    assert log.config.second_folder == "" and log.statistics().copies == 1
    add(log, range(30, 50))
    log.close()
    assert Log.open(files, FIRST).statistics().copies == 1
    said: list[str] = []
    log = open_log(files, said, SECOND)
    assert "a second copy of the log is made here" in said[0]
    add(log, range(50, 55))
    log.close()
    assert copies_are_equal(files, log)
    lose_folder(files, FIRST)
    assert numbers(open_log(files)) == list(range(55))


def test_a_third_folder_takes_the_place_of_the_second() -> None:
    files, log = make()
    log.close()
    log = open_log(files, second="/three")
    add(log, range(30, 33))
    log.close()
    lose_folder(files, FIRST)
    log = Log.open(files, FIRST, second_folder="/three")
    assert numbers(log) == list(range(33))


def test_foreign_logs_are_never_written_over() -> None:
    files, log = make()
    log.close()
    Log.create(files, "/other", replace(CONFIG, second_folder="")).close()
    before = {name: files.content(f"/other/{name}") for name in files.list("/other")}
    with pytest.raises(LogDamaged, match="two different logs"):
        open_log(files, second="/other")
    lose_folder(files, FIRST)
    with pytest.raises(LogDamaged, match="no log control file"):
        open_log(files, second="/other")
    with pytest.raises(LogError, match="already"):
        Log.create(files, "/new", replace(CONFIG, second_folder="/other"))
    with pytest.raises(ValueError, match="of its own"):
        Log.create(files, "/new", replace(CONFIG, second_folder="/new/"))
    assert {name: files.content(f"/other/{name}") for name in files.list("/other")} == before


def test_an_extent_of_another_log_in_one_copy_is_refused() -> None:
    files, log = make()
    log.close()
    foreign, other = make()
    other.close()
    files.overwrite(f"{SECOND}/S0000000.LOG", 0, foreign.content(f"{SECOND}/S0000000.LOG"))
    with pytest.raises(LogDamaged, match="another log"):
        open_log(files)


def test_a_ring_with_secondaries_in_two_copies() -> None:
    files, log = make(count=0)
    for number in range(9):
        lsn = log.append(RecordType.PUT, number, 0, (bytes(60_000),))
        log.force(lsn)
    assert log.statistics().file_numbers == (0, 1, 2)
    log.abandon()
    lose_folder(files, FIRST)
    log = open_log(files)
    assert log.statistics().file_numbers == (0, 1, 2)
    assert numbers(log) == list(range(9))


def test_a_second_copy_of_a_linear_log_has_the_old_extents_too() -> None:
    files = FaultyFiles()
    log = Log.create(files, FIRST, LogConfig(2, 1, 64, "LINEAR", second_folder=SECOND))
    for number in range(20):
        lsn = log.append(RecordType.PUT, number, 0, (bytes(60_000),))
        log.force(lsn)
        log.record_checkpoint(lsn, lsn)
    log.close()
    for folder in FOLDERS:
        lose_folder(files, folder)
        said: list[str] = []
        log = open_log(files, said)
        assert [record.txn for record in log.scan(40)] == list(range(20))
        assert len([text for text in said if "was copied" in text]) >= 5
        log.close()


def test_two_copies_on_a_real_disk(tmp_path: Path) -> None:
    one, two = str(tmp_path / "one"), str(tmp_path / "two")
    log = Log.create(RealFiles(), one, LogConfig(2, 1, 64, second_folder=two))
    add(log, range(50))
    log.close()
    for path in (tmp_path / "one").iterdir():
        path.unlink()
    log = Log.open(RealFiles(), one, second_folder=two)
    assert numbers(log) == list(range(50))
    log.close()


def test_a_copy_that_lags_behind_is_repaired_however_many_inactive_extents_there_are() -> None:
    """Only a few inactive extents are open at a time: a repair must not hold on to one that was closed."""
    files = FaultyFiles()
    log = Log.create(files, "/log", LogConfig(type="LINEAR", file_pages=64, second_folder="/two"))
    older = b""
    for number in range(14):
        for _ in range(14):
            lsn = log.append(RecordType.PUT, 0, 0, (bytes(20_000),))
        lsn = log.append(RecordType.CHECKPOINT, 0, 0, (b"x",))
        log.record_checkpoint(lsn, lsn)
        if number == 12:
            control = files.open("/two/amqhlctl.lfh")
            older = control.read(0, control.size())
            control.close()
    log.close()
    control = files.open("/two/amqhlctl.lfh")
    control.write(0, older)
    control.close()
    extent = files.open("/two/S0000000.LOG")
    good = extent.read(3 * 4096, 100)
    extent.write(3 * 4096, b"Z" * 100)
    extent.close()
    said: list[str] = []
    Log.open(files, "/log", say=said.append, parallel_sync=False).close()
    assert any("/two/S0000000.LOG" in text for text in said)
    extent = files.open("/two/S0000000.LOG")
    assert extent.read(3 * 4096, 100) == good
    extent.close()
