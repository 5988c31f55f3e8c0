"""The reserve: never more than half of what is free, cut to nothing when it is needed, found again at a start."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from libremq.common.files.file_layer import RealFiles
from libremq.store.reserve import BYTES_MAX, RESERVE_FILE, STEP_BYTES, USUAL_BYTES, DiskReserve
from libremq.testing.faulty_files import FaultyFiles

PATH = f"qm/{RESERVE_FILE}"


def made(free_bytes: int | None = None) -> tuple[FaultyFiles, DiskReserve]:
    files = FaultyFiles()
    files.make_folder("qm")
    files.set_free_space(free_bytes)
    return files, DiskReserve(files, "qm")


def size(files: FaultyFiles) -> int:
    return len(files.content(PATH))


def test_it_takes_its_usual_size_once() -> None:
    files, reserve = made()
    assert reserve.grow() and reserve.bytes == size(files) == USUAL_BYTES and reserve.is_kept
    operations = files.operations
    assert not reserve.grow() and files.operations == operations


@pytest.mark.parametrize(("free", "taken"), [(0, 0), (2, 1), (5, 2), (7, 3), (8, 4), (100, 4)])
def test_it_takes_half_of_what_is_free_at_most(free: int, taken: int) -> None:
    files, reserve = made(free * STEP_BYTES + 1)
    assert reserve.grow() == (taken > 0)
    assert reserve.bytes == taken * STEP_BYTES
    assert files.free_bytes("qm") == (free - taken) * STEP_BYTES + 1


def test_less_than_a_step_is_not_worth_it() -> None:
    files, reserve = made(2 * STEP_BYTES - 1)
    assert not reserve.grow() and not reserve.is_kept and not files.exists(PATH)


def test_it_grows_when_there_is_more_room() -> None:
    files, reserve = made(3 * STEP_BYTES)
    assert reserve.grow() and reserve.bytes == STEP_BYTES
    files.set_free_space(4 * STEP_BYTES)
    assert reserve.grow() and reserve.bytes == size(files) == 2 * STEP_BYTES
    assert not reserve.grow(), "it would be more than is free then"
    files.set_free_space(1000 * STEP_BYTES)
    assert reserve.grow() and reserve.bytes == size(files) == USUAL_BYTES


def test_let_go_it_gives_its_space_back_and_leaves_an_empty_file() -> None:
    files, reserve = made(10 * STEP_BYTES)
    reserve.grow()
    assert reserve.let_go() == USUAL_BYTES
    assert files.free_bytes("qm") == 10 * STEP_BYTES
    assert reserve.bytes == size(files) == 0 and reserve.is_kept
    assert reserve.let_go() == 0


def test_the_next_start_knows_whether_it_was_let_go() -> None:
    files, reserve = made()
    again = DiskReserve(files, "qm")
    again.find()
    assert not again.is_kept and not again.bytes
    reserve.grow()
    again.find()
    assert again.is_kept and again.bytes == USUAL_BYTES
    reserve.let_go()
    again = DiskReserve(files, "qm")
    again.find()
    assert again.is_kept and not again.bytes


def test_one_that_somebody_removed_gives_nothing_and_is_made_again() -> None:
    files, reserve = made()
    reserve.grow()
    files.remove(PATH)
    assert reserve.let_go() == 0 and reserve.bytes == 0
    assert reserve.grow() and size(files) == USUAL_BYTES


def test_a_large_checkpoint_makes_it_larger_up_to_a_limit() -> None:
    _, reserve = made()
    reserve.want(100)
    assert reserve.wanted == USUAL_BYTES
    reserve.want(9 * STEP_BYTES + 1)
    assert reserve.grow() and reserve.bytes == 10 * STEP_BYTES
    reserve.want(1 << 40)
    assert reserve.wanted == BYTES_MAX


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EDQUOT])
def test_a_quota_is_lack_of_space_too(error: int) -> None:
    files, reserve = made()
    files.fail("truncate", PATH, OSError(error, os.strerror(error)))
    assert not reserve.grow() and not reserve.bytes


def test_another_error_is_told() -> None:
    files, reserve = made()
    files.read_only("qm")
    with pytest.raises(PermissionError):
        reserve.grow()
    assert not reserve.bytes and not reserve.is_kept


def test_the_blocks_are_real(tmp_path: Path) -> None:
    reserve = DiskReserve(RealFiles(), str(tmp_path))
    assert reserve.grow()
    path = tmp_path / RESERVE_FILE
    assert path.stat().st_blocks * 512 >= USUAL_BYTES and path.stat().st_mode & 0o777 == 0o600
    path.unlink()
    with path.open("wb") as file:
        file.truncate(USUAL_BYTES)  # a copy may have come without them
    reserve.find()
    assert reserve.bytes == USUAL_BYTES and path.stat().st_blocks * 512 >= USUAL_BYTES
    assert reserve.let_go() == USUAL_BYTES and path.stat().st_size == 0
