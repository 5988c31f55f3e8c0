"""The two-slot file: always the state before or after a write, and no single damage matters."""

from __future__ import annotations

import pytest

from libremq.log import LogDamaged, SlotFile
from libremq.testing import FaultyFiles, PowerCut

MAGIC = b"TESTFILE"


def fresh(payload: bytes = b"one") -> FaultyFiles:
    files = FaultyFiles()
    files.make_folder("/d")
    SlotFile.create(files, "/d", "f", MAGIC, 1, payload).close()
    return files


def read(files: FaultyFiles) -> bytes:
    return SlotFile.open(files, "/d", "f", MAGIC, 1).payload


def test_written_payloads_come_back() -> None:
    files = fresh()
    slots = SlotFile.open(files, "/d", "f", MAGIC, 1)
    assert slots.payload == b"one"
    slots.write(b"two")
    slots.write(b"")
    assert read(files) == b"" and slots.sequence == 3
    with pytest.raises(ValueError):
        slots.write(bytes(4096))
    assert read(files) == b""


def test_a_power_cut_leaves_the_old_or_the_new() -> None:
    template = fresh()
    for crash_at in range(1, 9):
        files = template.copy()
        files.crash_at = crash_at
        done = b"one"
        under_way = b"one"
        with pytest.raises(PowerCut):
            slots = SlotFile.open(files, "/d", "f", MAGIC, 1)
            for under_way in (b"two" * 400, b"three" * 400, b""):
                slots.write(under_way)
                done = under_way
        for disk in files.disk_states():
            found = read(disk)
            assert found in (done, under_way), (crash_at, disk.label)
            # What one opener saw and settled, the next sees even if the one between was cut short in its own write.
            for second in range(1, 5):
                again = disk.copy()
                stays: set[bytes] = set()
                again.crash_at = second
                with pytest.raises(PowerCut):
                    slots = SlotFile.open(again, "/d", "f", MAGIC, 1)
                    slots.settle()
                    stays.add(found)
                    slots.write(b"four" * 300)
                allowed = {found, b"four" * 300} if stays else {done, under_way}
                assert {read(state) for state in again.disk_states()} <= allowed


@pytest.mark.parametrize("torn", [False, True])
@pytest.mark.parametrize("failing", range(6))
def test_what_is_read_after_a_failed_sync_stays_once_settled(failing: int, torn: bool) -> None:
    """The cache shows what the disk has not got, until it is written again."""
    failed = fresh()
    failed.fail("sync", "/d/f", after=failing, torn=torn)
    done = b"one"
    with pytest.raises(OSError):
        slots = SlotFile.open(failed, "/d", "f", MAGIC, 1)
        for payload in (b"two" * 800, b"three" * 500, b"four" * 700):
            slots.write(payload)
            done = payload
    seen = read(failed)

    def settle(files: FaultyFiles) -> None:
        SlotFile.open(files, "/d", "f", MAGIC, 1).settle()

    def write(files: FaultyFiles) -> None:
        SlotFile.open(files, "/d", "f", MAGIC, 1).write(b"next")

    settled = failed.copy()
    settle(settled)
    assert {read(disk) for disk in settled.disk_states()} == {seen}
    for act in (settle, write):
        trial = failed.copy()
        act(trial)
        for crash_at in range(1, trial.operations + 1):
            files = failed.copy()
            files.crash_at = crash_at
            with pytest.raises(PowerCut):
                act(files)
            assert {read(disk) for disk in files.disk_states()} <= {done, seen, b"next"}


@pytest.mark.parametrize("slot", [0, 1])
@pytest.mark.parametrize("offset", [0, 8, 12, 16, 24, 28, 30])
def test_one_damaged_slot_costs_nothing(slot: int, offset: int) -> None:
    files = fresh()
    SlotFile.open(files, "/d", "f", MAGIC, 1).write(b"two")
    at = slot * 4096 + offset
    files.overwrite("/d/f", at, bytes([files.content("/d/f")[at] ^ 0x40]))
    assert read(files) == b"two"
    SlotFile.open(files, "/d", "f", MAGIC, 1).write(b"three")
    files.overwrite("/d/f", (1 - slot) * 4096 + offset, b"\xee")
    assert read(files) == b"three"


def test_both_damaged_is_refused() -> None:
    files = fresh()
    for at in (29, 4096 + 29):
        files.overwrite("/d/f", at, b"\xff")
    with pytest.raises(LogDamaged, match=r"/d/f: both copies"):
        read(files)


def test_foreign_and_unknown_files_are_refused() -> None:
    files = fresh()
    with pytest.raises(LogDamaged, match="kind"):
        SlotFile.open(files, "/d", "f", b"SOMETHIN", 1)
    with pytest.raises(LogDamaged, match="version 1 is not known"):
        SlotFile.open(files, "/d", "f", MAGIC, 2)
    with pytest.raises(FileNotFoundError):
        SlotFile.open(files, "/d", "none", MAGIC, 1)
    files.open("/d/f").truncate(10)
    with pytest.raises(LogDamaged):
        read(files)


def test_creation_is_all_or_nothing() -> None:
    for crash_at in range(1, 7):
        files = FaultyFiles()
        files.make_folder("/d")
        files.operations = 0
        files.crash_at = crash_at
        try:
            SlotFile.create(files, "/d", "f", MAGIC, 1, b"one")
        except PowerCut:
            pass
        for disk in files.disk_states():
            assert not disk.exists("/d/f") or read(disk) == b"one", (crash_at, disk.label)
