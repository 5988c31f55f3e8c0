"""The fault-injecting files: what they promise to break, and only that."""

from __future__ import annotations

import errno
import random
from collections.abc import Callable

import pytest

from libremq.testing import FaultyFiles, PowerCut


def disk(**contents: bytes) -> FaultyFiles:
    """A disk with durable files in /d."""
    files = FaultyFiles()
    files.make_folder("/d")
    for name, data in contents.items():
        file = files.open(f"/d/{name}", create=True)
        file.write(0, data)
        file.sync()
    files.sync_folder("/d")
    files.operations = 0
    return files


def outcomes(files: FaultyFiles, name: str = "f", rng: random.Random | None = None) -> list[bytes | None]:
    return [state.content(f"/d/{name}") if state.exists(f"/d/{name}") else None for state in files.disk_states(rng)]


def test_reads_see_unsynced_writes_and_sparse_zeros() -> None:
    files = disk(f=b"")
    file = files.open("/d/f")
    file.write(5000, b"abc")
    file.write_many(4094, [b"xy", memoryview(b"z")])
    assert file.size() == 5003
    assert file.read(4090, 10) == b"\0\0\0\0xyz\0\0\0"
    assert file.read(4999, 100) == b"\0abc"
    file.truncate(4095)
    file.truncate(4097)
    assert file.read(4090, 100) == b"\0\0\0\0x\0\0"


def test_nothing_and_everything_come_first() -> None:
    files = disk(f=b"old.")
    file = files.open("/d/f")
    file.write(0, b"new")
    file.truncate(3)
    assert outcomes(files)[:2] == [b"old.", b"new"]
    assert set(outcomes(files)) == {b"old.", b"new", b"new.", b"old"}


def test_a_sync_makes_only_its_own_file_durable() -> None:
    files = disk(f=b"1", g=b"1")
    f, g = files.open("/d/f"), files.open("/d/g")
    f.write(0, b"2")
    g.write(0, b"2")
    g.sync()
    assert set(outcomes(files, "f")) >= {b"1", b"2"}
    assert set(outcomes(files, "g")) == {b"2"}


def test_a_later_write_may_survive_an_earlier_one() -> None:
    files = disk(f=b"..", g=b"..")
    files.open("/d/f").write(0, b"A")
    files.open("/d/g").write(1, b"B")
    pairs = {(s.content("/d/f"), s.content("/d/g")) for s in files.disk_states()}
    assert pairs >= {(b"..", b".."), (b"A.", b".B"), (b"A.", b".."), (b"..", b".B")}


def test_the_last_write_is_torn_at_sectors_and_inside_one() -> None:
    files = disk(f=b"." * 2048)
    files.open("/d/f").write(0, b"x" * 1536)
    found = outcomes(files)
    assert b"x" * 512 + b"." * 1536 in found
    assert b"x" * 1024 + b"." * 1024 in found
    assert b"." * 512 + b"x" * 1024 + b"." * 512 in found
    garbage = [data for data in found if data is not None and set(data) - set(b".x")]
    assert garbage
    assert all(data is not None and data[1536:] == b"." * 512 for data in found)


def test_creation_and_rename_wait_for_the_folder() -> None:
    files = disk(f=b"old")
    new = files.open("/d/f.new", create=True)
    new.write(0, b"new")
    new.sync()
    files.rename("/d/f.new", "/d/f")
    assert files.content("/d/f") == b"new"
    assert set(outcomes(files)) == {b"old", b"new"}
    files.sync_folder("/d")
    assert outcomes(files) == [b"new"]
    assert not files.exists("/d/f.new")


def test_a_rename_may_survive_the_data_it_was_made_for() -> None:
    files = disk(f=b"old")
    new = files.open("/d/f.new", create=True)
    new.write(0, b"new")
    files.rename("/d/f.new", "/d/f")
    files.sync_folder("/d")
    assert b"" in outcomes(files)


def test_removal_waits_for_the_folder() -> None:
    files = disk(f=b"1")
    files.remove("/d/f")
    assert outcomes(files) == [b"1", None]
    files.sync_folder("/d")
    assert outcomes(files) == [None]


def test_removing_a_folder() -> None:
    files = disk(f=b"1")
    files.make_folder("/d/e")
    files.open("/d/e/g", create=True)
    assert files.list("/d") == ["e", "f"]
    files.remove_folder("/d")
    assert not files.exists("/d") and files.list("/") == []
    assert {state.exists("/d") for state in files.disk_states()} == {True, False}
    files.sync_folder("/")
    assert {state.exists("/d") for state in files.disk_states()} == {False}


def workload(files: FaultyFiles) -> None:
    file = files.open("/d/g", create=True)
    file.write(0, b"1" * 600)
    file.sync()
    files.sync_folder("/d")
    file.truncate(10)
    files.rename("/d/g", "/d/h")
    files.remove("/d/h")


def test_every_operation_is_a_boundary() -> None:
    template = disk(f=b"1")
    trial = template.copy()
    workload(trial)
    assert trial.operations == 7
    crashes = []
    for n in range(1, 8):
        files = template.copy()
        files.crash_at = n
        with pytest.raises(PowerCut):
            workload(files)
        crashes.append(files.crashed_in.split()[0])
        for use in uses(files):
            with pytest.raises(PowerCut):
                use()
    assert crashes == ["create", "write", "sync", "sync", "truncate", "rename", "remove"]


def uses(files: FaultyFiles) -> list[Callable[[], object]]:
    return [
        lambda: files.open("/d/f"),
        lambda: files.list("/d"),
        lambda: files.exists("/d/f"),
        lambda: files.sync_folder("/d"),
        lambda: files.lock("/d/l"),
        lambda: files.make_folder("/e"),
        lambda: files.free_bytes("/"),
    ]


def test_a_crash_in_a_write_may_have_done_it_and_in_a_sync_may_have_not() -> None:
    template = disk(f=b"old")

    def change(files: FaultyFiles) -> None:
        file = files.open("/d/f")
        file.write(0, b"new")
        file.sync()

    for crash_at in (1, 2):
        files = template.copy()
        files.crash_at = crash_at
        with pytest.raises(PowerCut):
            change(files)
        assert {b"old", b"new"} <= set(outcomes(files))
    done = template.copy()
    change(done)
    assert outcomes(done) == [b"new"]


def test_copies_do_not_see_each_other() -> None:
    files = disk(f=b"1" * 5000)
    files.open("/d/f").write(0, b"2")
    first, second = files.copy(), files.copy()
    handle = first.open("/d/f")
    handle.write(1, b"3")
    handle.sync()
    second.open("/d/f").truncate(1)
    assert files.content("/d/f")[:3] == b"211"
    assert first.content("/d/f")[:3] == b"231"
    assert second.content("/d/f") == b"2"
    assert next(files.disk_states()).content("/d/f")[:2] == b"11"
    assert next(first.disk_states()).content("/d/f")[:2] == b"23"


def test_states_are_independent_disks_without_anything_pending() -> None:
    files = disk(f=b"1")
    files.open("/d/f").write(0, b"2")
    states = list(files.disk_states())
    states[0].open("/d/f").write(0, b"9")
    assert states[1].content("/d/f") == b"2"
    assert len(list(states[1].disk_states())) == 1
    assert len({state.label for state in states}) == len(states)


def test_random_states_follow_the_seed_and_the_limit() -> None:
    files = disk(f=b"." * 8192)
    file = files.open("/d/f")
    for n in range(8):
        file.write(n * 1000, bytes([65 + n]) * 1000)
    seen = outcomes(files, rng=random.Random(1))
    assert seen == outcomes(files, rng=random.Random(1))
    assert seen != outcomes(files, rng=random.Random(2))
    for limit in (1, 2, 5, 200):
        assert len(list(files.disk_states(random.Random(1), limit))) == limit
    assert len(list(files.disk_states(limit=5))) == 5


def test_a_failed_sync_loses_the_data_though_reads_still_show_it() -> None:
    files = disk(f=b"old")
    file = files.open("/d/f")
    file.write(0, b"new")
    files.fail("sync", "*/f")
    with pytest.raises(OSError) as caught:
        file.sync()
    assert caught.value.errno == errno.EIO and caught.value.filename == "/d/f"
    assert file.read(0, 3) == b"new"
    file.write(3, b"!")
    file.sync()
    assert outcomes(files) == [b"old!"]


def test_a_failed_sync_may_leave_half() -> None:
    files = disk(f=b"." * 2048)
    file = files.open("/d/f")
    file.write(0, b"x" * 2048)
    files.fail("sync", torn=True)
    with pytest.raises(OSError):
        file.sync()
    file.sync()
    (found,) = outcomes(files)
    assert found is not None and found[:512] == b"x" * 512 and found[1024:] == b"." * 1024
    assert found[512:1024] not in (b"x" * 512, b"." * 512)
    assert files.content("/d/f") == b"x" * 2048


def test_failures_wait_their_turn_and_end() -> None:
    files = disk(f=b"")
    file = files.open("/d/f")
    files.fail("write", "/d/*", OSError(errno.EDQUOT, "quota"), after=2, times=2)
    results = []
    for n in range(6):
        try:
            file.write(n, b"x")
            results.append(True)
        except OSError as error:
            assert error.errno == errno.EDQUOT
            results.append(False)
    assert results == [True, True, False, False, True, True]


def test_a_full_disk_takes_part_of_the_write() -> None:
    files = disk(f=b"12345")
    file = files.open("/d/f")
    files.set_free_space(4)
    assert files.free_bytes("/d") == 4
    file.write(0, b"abcde")
    with pytest.raises(OSError) as caught:
        file.write(3, b"0123456789")
    assert caught.value.errno == errno.ENOSPC
    assert file.read(0, 100) == b"abc012345"
    with pytest.raises(OSError):
        file.truncate(20)
    files.heal()
    file.truncate(20)


def test_what_is_cut_or_removed_gives_its_space_back() -> None:
    files = disk(f=b"12345", g=b"123")
    files.set_free_space(0)
    file = files.open("/d/f")
    file.truncate(1)
    assert files.free_bytes("/d") == 4
    files.remove("/d/g")
    assert files.free_bytes("/d") == 7
    file.allocate(8)
    assert file.size() == 8 and files.free_bytes("/d") == 0
    file.allocate(3)
    assert file.size() == 8
    with pytest.raises(OSError) as caught:
        file.allocate(9)
    assert caught.value.errno == errno.ENOSPC


def test_a_read_only_folder() -> None:
    files = disk(f=b"1")
    files.read_only("/d")
    for use in (
        lambda: files.open("/d/g", create=True),
        lambda: files.rename("/d/f", "/d/g"),
        lambda: files.remove("/d/f"),
        lambda: files.make_folder("/d/e"),
        lambda: files.lock("/d/lock"),
    ):
        with pytest.raises(PermissionError):
            use()
    files.open("/d/f").write(0, b"2")


def test_locks_end_with_release_or_power() -> None:
    files = disk()
    lock = files.lock("/d/l")
    with pytest.raises(BlockingIOError):
        files.lock("/d/l")
    lock.release()
    files.lock("/d/l")
    for state in files.disk_states():
        state.lock("/d/l")


def test_missing_files_and_folders() -> None:
    files = disk()
    with pytest.raises(FileNotFoundError):
        files.open("/d/none")
    with pytest.raises(FileNotFoundError):
        files.open("/none/f", create=True)
    with pytest.raises(FileNotFoundError):
        files.list("/none")
    with pytest.raises(FileNotFoundError):
        files.rename("/d/none", "/d/f")
    with pytest.raises(FileNotFoundError):
        files.remove("/d/none")
    with pytest.raises(IsADirectoryError):
        files.open("/d")


def test_overwrite_damages_what_is_on_disk() -> None:
    files = disk(f=b"12345")
    files.overwrite("/d/f", 2, b"!")
    assert outcomes(files) == [b"12!45"]


def test_relative_paths() -> None:
    files = FaultyFiles()
    files.make_folder("x/y")
    files.open("./x/f", create=True)
    assert files.list("x") == ["f", "y"] and files.list(".") == ["x"]
    files.sync_folder("x")
    assert [state.exists("x/f") for state in files.disk_states()] == [True]


def test_a_folder_made_anew_is_not_hit_by_the_removal_of_the_one_before() -> None:
    files = FaultyFiles()
    files.make_folder("/a/b")
    files.open("/a/b/old", create=True).sync()
    files.sync_folder("/a/b")
    files.remove_folder("/a/b")
    files.make_folder("/a/b")
    file = files.open("/a/b/new", create=True)
    file.write(0, b"kept")
    file.sync()
    files.sync_folder("/a/b")
    files.sync_folder("/a")
    for disk in files.disk_states():
        assert disk.list("/a/b") == ["new"], disk.label
        assert disk.content("/a/b/new") == b"kept"


def test_a_disk_that_writes_whole_pages_tears_between_them_only() -> None:
    files = FaultyFiles(atom_bytes=4096)
    files.make_folder("/d")
    file = files.open("/d/f", create=True)
    file.write(0, b"o" * 12288)
    file.sync()
    files.sync_folder("/d")
    file.write(4000, b"n" * 8192)  # the end of the first page, the second, the beginning of the third
    parts = [(0, 4096), (4096, 8192), (8192, 12288)]
    old = b"o" * 12288
    new = old[:4000] + b"n" * 8192 + old[12192:]
    seen = set()
    for copy in (files, files.copy()):
        for state in copy.disk_states(random.Random(1), 60):
            content = state.content("/d/f")
            assert state.atom_bytes == 4096
            pages = tuple(content[start:end] for start, end in parts)
            for page, (start, end) in zip(pages, parts):
                assert page in (old[start:end], new[start:end])
            seen.add(tuple(page == new[start:end] for page, (start, end) in zip(pages, parts)))
    assert len(seen) == 8
    files.fail("sync", torn=True)
    with pytest.raises(OSError):
        file.sync()
    half = next(files.disk_states()).content("/d/f")
    assert half == new[:4096] + old[4096:]


def direct_disk() -> FaultyFiles:
    files = disk(f=bytes(8192), g=b"")
    files.direct = True
    return files


def test_a_write_past_the_cache_is_durable_when_it_returns() -> None:
    files = direct_disk()
    file = files.open_direct("/d/f")
    file.write(4096, memoryview(b"x" * 4096))
    assert files.unsynced() == () and files.operations == 2
    assert set(outcomes(files)) == {bytes(4096) + b"x" * 4096}
    assert files.open("/d/f").read(4095, 2) == b"\0x"


def test_a_write_past_the_cache_is_cut_like_any_other() -> None:
    files = direct_disk()
    states = []
    for crash_at in (1, 2):
        cut = files.copy()
        cut.crash_at = crash_at
        with pytest.raises(PowerCut):
            cut.open_direct("/d/f").write(0, memoryview(b"x" * 4096))
        states.append(set(outcomes(cut, rng=random.Random(1))))
    assert {bytes(8192), b"x" * 512 + bytes(7680), bytes(3584) + b"x" * 512 + bytes(4096)} < states[0]
    assert len(states[0]) > 20
    assert states[1] == {b"x" * 4096 + bytes(4096)}


@pytest.mark.parametrize(
    ("lost", "torn", "left"), [(True, False, 0), (True, True, 1536), (False, False, 4096)], ids=["lost", "torn", "done"]
)
def test_what_a_failed_write_past_the_cache_left_is_what_is_read(lost: bool, torn: bool, left: int) -> None:
    files = direct_disk()
    files.fail("sync", data_lost=lost, torn=torn)
    with pytest.raises(OSError, match="Input/output"):
        files.open_direct("/d/f").write(0, memoryview(b"x" * 4096))
    content = files.content("/d/f")
    assert content[: left or 1] == (b"x" * left or b"\0") and content[4096:] == bytes(4096)
    assert outcomes(files) == [content]


def test_writes_past_the_cache_are_not_for_everything() -> None:
    files = direct_disk()
    assert files.writes_directly("/d") and files.copy().direct and next(files.disk_states()).direct
    file = files.open_direct("/d/f")
    with pytest.raises(OSError, match="Invalid"):
        file.write(512, memoryview(bytes(4096)))
    with pytest.raises(AssertionError, match="more than is on the disk"):
        file.write(8192, memoryview(bytes(4096)))
    files.open("/d/f").write(0, b"in the cache")
    file.write(4096, memoryview(bytes(4096)))
    with pytest.raises(AssertionError, match="was not synced"):
        file.write(0, memoryview(bytes(4096)))
    with pytest.raises(FileNotFoundError):
        files.open_direct("/d/h")
    with pytest.raises(OSError, match="Invalid"):
        disk(f=b"").open_direct("/d/f")
