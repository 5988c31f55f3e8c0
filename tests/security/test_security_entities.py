"""Who is in which group: the users file, the system, and what is remembered."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from libremq.common import users_file
from libremq.common.files.file_layer import RealFiles
from libremq.security.entities import NOBODY, Entities, SystemUsers


class Database:
    """A system with users that the test decides about."""

    def __init__(self) -> None:
        self.users: dict[str, frozenset[str]] = {"bob": frozenset({"staff", "apps"})}
        self.groups = {"staff", "apps", "wheel"}
        self.asked = 0

    def groups_of(self, user: str) -> frozenset[str] | None:
        self.asked += 1
        return self.users.get(user)

    def has_group(self, group: str) -> bool:
        return group in self.groups

    def number_of(self, user: str) -> int | None:
        self.asked += 1
        return 1000 if user in self.users else None


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tmp_path)


def write_users(folder: str, **groups: list[str]) -> None:
    entry = {"n": 2, "r": 1, "p": 1, "salt": "00", "hash": "00" * 32}
    content = {
        "format": "libremq-users",
        "version": 1,
        "users": {user: {**entry, "groups": names} for user, names in groups.items()},
    }
    Path(folder, users_file.FILE_NAME).write_text(json.dumps(content))


def test_a_user_has_the_groups_of_both(folder: str) -> None:
    write_users(folder, bob=["orders"], app=["orders", "billing"])
    entities = Entities(RealFiles(), folder, Database())
    assert entities.groups_of("bob") == {"staff", "apps", "orders", NOBODY}
    assert entities.groups_of("app") == {"orders", "billing", NOBODY}
    assert entities.groups_of("stranger") == {NOBODY}
    assert entities.groups_of("") == {NOBODY}


def test_who_is_known(folder: str) -> None:
    write_users(folder, app=["billing"])
    entities = Entities(RealFiles(), folder, Database())
    assert [name for name in ("bob", "app", "stranger", "") if entities.has_principal(name)] == ["bob", "app"]
    asked = ("staff", "wheel", "billing", NOBODY, "mqm", "orders", "bob")
    assert [name for name in asked if entities.has_group(name)] == ["staff", "wheel", "billing", NOBODY, "mqm"]


def test_the_system_is_asked_again_after_a_refresh(folder: str) -> None:
    database = Database()
    entities = Entities(RealFiles(), folder, database)
    before = entities.groups_of("bob")
    database.users["bob"] = frozenset({"wheel"})
    assert entities.groups_of("bob") == entities.remembered_groups_of("bob") == before
    assert database.asked == 1
    entities.refresh()
    assert entities.remembered_groups_of("bob") == entities.groups_of("bob") == {"wheel", NOBODY}


def test_the_users_file_counts_with_the_next_connection(folder: str) -> None:
    entities = Entities(RealFiles(), folder, Database())
    assert entities.groups_of("app") == {NOBODY}
    write_users(folder, app=["orders"])
    assert entities.remembered_groups_of("app") == {NOBODY}
    assert entities.groups_of("app") == entities.remembered_groups_of("app") == {"orders", NOBODY}


@pytest.mark.parametrize("content", ["{", "", '{"format": "libremq-users", "version": 1, "users": {"app": 1}}'])
def test_a_broken_users_file_gives_no_groups(folder: str, content: str) -> None:
    Path(folder, users_file.FILE_NAME).write_text(content)
    entities = Entities(RealFiles(), folder, Database())
    assert entities.groups_of("app") == {NOBODY}
    assert not entities.has_principal("app") and not entities.has_group("orders")


def test_groups_are_kept_with_the_user(folder: str) -> None:
    files = RealFiles()
    users_file.set_password(files, folder, "app", "secret")
    users_file.set_groups(files, folder, "app", ["orders", "billing", "orders"])
    assert users_file.GroupReader(files, folder).groups() == {"app": ("billing", "orders")}
    users_file.set_password(files, folder, "app", "another")
    assert users_file.GroupReader(files, folder).groups() == {"app": ("billing", "orders")}
    assert users_file.check_password(files, folder, "app", "another")
    users_file.set_groups(files, folder, "app", [])
    assert users_file.GroupReader(files, folder).groups() == {"app": ()}


@pytest.mark.parametrize(("user", "groups"), [("app", ["a b"]), ("app", [""]), ("stranger", ["x"])])
def test_groups_that_cannot_be(folder: str, user: str, groups: list[str]) -> None:
    files = RealFiles()
    users_file.set_password(files, folder, "app", "secret")
    with pytest.raises(users_file.UsersError):
        users_file.set_groups(files, folder, user, groups)
    assert users_file.GroupReader(files, folder).groups() == {"app": ()}


def test_the_real_system_knows_its_own_user() -> None:
    import grp
    import pwd

    entry = pwd.getpwuid(os.getuid())
    found = SystemUsers().groups_of(entry.pw_name)
    assert found is not None and grp.getgrgid(entry.pw_gid).gr_name in found
    assert SystemUsers().has_group(grp.getgrgid(entry.pw_gid).gr_name)
    assert SystemUsers().groups_of("no such user") is None and not SystemUsers().has_group("no such group")
    assert SystemUsers().groups_of("a\0b") is None and not SystemUsers().has_group("a\0b")
