"""Users and passwords: who gets in, what is on disk, and what becomes of it in a power cut or a broken file."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from libremq.common import users_file
from libremq.common.files.file_layer import RealFiles
from libremq.common.users_file import (
    UsersError,
    check_password,
    has_users,
    remove_user,
    set_password,
    user_names,
)
from libremq.testing import FaultyFiles
from libremq.testing.faulty_files import PowerCut

PATH = f"qm/{users_file.FILE_NAME}"
CHEAP = {"n": 2, "r": 1, "p": 1}


@pytest.fixture
def files() -> FaultyFiles:
    made = FaultyFiles()
    made.make_folder("qm")
    return made


def write(files: FaultyFiles, content: bytes) -> None:
    file = files.open(PATH, create=True)
    file.truncate(0)
    file.write(0, content)


def test_only_the_password_of_the_user_is_right(files: FaultyFiles) -> None:
    assert not has_users(files, "qm")
    assert not check_password(files, "qm", "app", "secret")
    set_password(files, "qm", "app", "secret")
    assert has_users(files, "qm")
    assert check_password(files, "qm", "app", "secret")
    for user, password in (("app", "Secret"), ("app", "secret "), ("App", "secret"), ("admin", "secret"), ("", "")):
        assert not check_password(files, "qm", user, password)


@pytest.mark.parametrize("password", ["", "x" * 257, "é" * 129, "\ud800", "secret\0", "secret\n"])
def test_passwords_that_nobody_can_have_are_wrong(files: FaultyFiles, password: str) -> None:
    set_password(files, "qm", "app", "secret")
    assert not check_password(files, "qm", "app", password)
    assert not check_password(files, "qm", "nobody", password)


def test_a_blank_is_no_way_in_for_a_password_that_is_too_long(files: FaultyFiles) -> None:
    set_password(files, "qm", "app", " ")
    assert check_password(files, "qm", "app", " ")
    assert not check_password(files, "qm", "app", "x" * 300)


def test_a_new_password_replaces_the_old_one_and_leaves_other_users(files: FaultyFiles) -> None:
    set_password(files, "qm", "app", "one")
    set_password(files, "qm", "admin", "pässwörd")
    set_password(files, "qm", "app", "two")
    assert not check_password(files, "qm", "app", "one")
    assert check_password(files, "qm", "app", "two")
    assert check_password(files, "qm", "admin", "pässwörd")
    assert user_names(files, "qm") == ["admin", "app"]


def test_a_new_password_leaves_the_user_in_its_groups(files: FaultyFiles) -> None:
    set_password(files, "qm", "app", "secret")
    users_file.set_groups(files, "qm", "app", ["staff", "mqm"])
    set_password(files, "qm", "app", "another")
    assert users_file.GroupReader(files, "qm").groups() == {"app": ("mqm", "staff")}
    remove_user(files, "qm", "app")
    set_password(files, "qm", "app", "secret")  # who comes back begins anew
    assert users_file.GroupReader(files, "qm").groups() == {"app": ()}


def test_a_removed_user_cannot_log_in(files: FaultyFiles) -> None:
    set_password(files, "qm", "app", "one")
    assert not remove_user(files, "qm", "admin")
    assert remove_user(files, "qm", "app")
    assert not remove_user(files, "qm", "app")
    assert not check_password(files, "qm", "app", "one")
    assert not has_users(files, "qm")


def test_the_file_has_a_format_and_a_version_and_no_password(files: FaultyFiles) -> None:
    set_password(files, "qm", "app", "secret")
    set_password(files, "qm", "admin", "secret")
    content = json.loads(files.content(PATH))
    assert (content["format"], content["version"]) == ("libremq-users", 1)
    assert b"secret" not in files.content(PATH)
    first, second = content["users"]["app"], content["users"]["admin"]
    assert first["salt"] != second["salt"] and first["hash"] != second["hash"]
    assert len(bytes.fromhex(first["salt"])) == 16
    assert 128 * first["n"] * first["r"] >= 16 << 20  # bytes of memory that a guess costs


def test_nobody_else_may_read_the_file(tmp_path: Path) -> None:
    set_password(RealFiles(), str(tmp_path), "app", "secret")
    assert check_password(RealFiles(), str(tmp_path), "app", "secret")
    assert (tmp_path / users_file.FILE_NAME).stat().st_mode & 0o777 == 0o600
    assert not (tmp_path / f"{users_file.FILE_NAME}.new").exists()


def test_hashes_with_other_costs_are_still_understood(files: FaultyFiles) -> None:
    made = users_file._Hash(4, 2, 3, b"salt", b"")
    digest = users_file._digest(made, "old")
    entry = {"n": 4, "r": 2, "p": 3, "salt": b"salt".hex(), "hash": digest.hex()}
    write(files, json.dumps({"format": "libremq-users", "version": 1, "users": {"app": entry}}).encode())
    assert check_password(files, "qm", "app", "old")
    assert not check_password(files, "qm", "app", "new")


@pytest.mark.parametrize("user", ["", "x" * 13, "a b", "-x", "a/b", "a\n", "é", "a\0"])
def test_names_that_no_user_can_have(files: FaultyFiles, user: str) -> None:
    with pytest.raises(UsersError, match="1 to 12"):
        set_password(files, "qm", user, "secret")
    assert not has_users(files, "qm")


@pytest.mark.parametrize("password", ["", "x" * 257, "é" * 129, "a\nb", "a\0b", "\ud800"])
def test_passwords_that_cannot_be_set_and_are_not_shown(files: FaultyFiles, password: str) -> None:
    with pytest.raises(UsersError) as error:
        set_password(files, "qm", "app", password)
    assert not password or password not in str(error.value)
    assert not has_users(files, "qm")


def entry(**changes: Any) -> dict[str, Any]:
    return {**CHEAP, "salt": "00", "hash": "00" * 32, **changes}


def with_users(made: object) -> bytes:
    return json.dumps({"format": "libremq-users", "version": 1, "users": made}).encode()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b"[" * 100_000,
        b"{}",
        b'{"format": "other", "version": 1, "users": {}}',
        b'{"format": "libremq-users", "version": 2, "users": {}}',
        b'{"format": "libremq-users", "version": 1}',
        with_users([]),
        with_users({"app": None}),
        with_users({"a b": entry()}),
        with_users({"app": entry(n=3)}),
        with_users({"app": entry(n=1 << 30)}),
        with_users({"app": entry(n=True)}),
        with_users({"app": entry(r=0)}),
        with_users({"app": entry(p="1")}),
        with_users({"app": entry(salt="")}),
        with_users({"app": entry(salt="xy")}),
        with_users({"app": entry(hash="00")}),
        with_users({"app": entry(hash=7)}),
        with_users({"app": {**CHEAP, "salt": "00"}}),
    ],
)
def test_a_broken_file_is_an_error_in_words_and_no_way_in(files: FaultyFiles, content: bytes) -> None:
    write(files, content)
    for ask in (
        lambda: check_password(files, "qm", "app", "secret"),
        lambda: has_users(files, "qm"),
        lambda: set_password(files, "qm", "app", "secret"),
        lambda: remove_user(files, "qm", "app"),
    ):
        with pytest.raises(UsersError, match=r"users\.json"):
            ask()
    assert files.content(PATH) == content


def test_a_file_that_is_too_large_is_not_read(files: FaultyFiles) -> None:
    files.open(PATH, create=True).truncate(users_file.FILE_BYTES_MAX + 1)
    with pytest.raises(UsersError, match="bytes"):
        has_users(files, "qm")


def test_two_changes_at_a_time_are_refused_rather_than_one_lost(files: FaultyFiles) -> None:
    lock = files.lock(f"{PATH}.lock")
    with pytest.raises(UsersError, match="try again"):
        set_password(files, "qm", "app", "secret")
    lock.release()
    set_password(files, "qm", "app", "secret")
    assert has_users(files, "qm")


def test_a_full_disk_leaves_the_old_passwords(files: FaultyFiles) -> None:
    set_password(files, "qm", "app", "one")
    files.set_free_space(10)
    with pytest.raises(OSError):
        set_password(files, "qm", "admin", "two")
    files.heal()
    assert user_names(files, "qm") == ["app"]
    assert check_password(files, "qm", "app", "one")


def test_a_power_cut_leaves_the_old_password_or_the_new_one(files: FaultyFiles) -> None:
    set_password(files, "qm", "app", "one")
    old = files.content(PATH)
    moment = 1
    while True:
        cut = files.copy()
        cut.crash_at = cut.operations + moment
        try:
            set_password(cut, "qm", "app", "two")
        except PowerCut:
            for state in cut.disk_states(random.Random(moment), limit=8):
                if state.content(PATH) != old:
                    assert user_names(state, "qm") == ["app"]
                    assert not check_password(state, "qm", "app", "one")
            moment += 1
            continue
        for state in cut.disk_states():
            assert check_password(state, "qm", "app", "two")
        break
    assert moment > 4
