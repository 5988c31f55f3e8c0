"""Principals and groups: who exists, and who is in which group.

Both the operating system and the users file of the queue manager know users and groups; a user has the groups of both.
Everybody is in the group nobody. Fewer groups never give more authority, so where one of the two cannot be asked its
groups are left out. What the system says is remembered until `refresh`: asking may take long where users are kept
elsewhere. The users file is read again for every new connection, if it has changed.
"""

from __future__ import annotations

import os
from typing import Protocol

from libremq.common.files.file_layer import Files
from libremq.common.users_file import GroupReader, UsersError

NOBODY = "nobody"
ADMINISTRATORS = "mqm"
"""The group whose members may do everything."""
_REMEMBERED_MAX = 10_000


class UserDatabase(Protocol):
    """Where users and groups are looked up beside the users file."""

    def groups_of(self, user: str) -> frozenset[str] | None:
        """The groups of a user; None if there is no such user."""

    def has_group(self, group: str) -> bool: ...

    def number_of(self, user: str) -> int | None:
        """The number by which a system knows the user."""


class SystemUsers:
    """The users of the operating system."""

    def groups_of(self, user: str) -> frozenset[str] | None:
        import pwd  # here: clients load this, too, and on Windows there is none

        try:
            numbers = os.getgrouplist(user, pwd.getpwnam(user).pw_gid)
        except (KeyError, OSError, ValueError):
            return None
        return frozenset(name for number in numbers if (name := _group_name(number)))

    def number_of(self, user: str) -> int | None:
        import pwd

        try:
            return pwd.getpwnam(user).pw_uid
        except (KeyError, OSError, ValueError):
            return None

    def has_group(self, group: str) -> bool:
        import grp

        try:
            grp.getgrnam(group)
        except (KeyError, OSError, ValueError):
            return False
        return True


def _group_name(number: int) -> str:
    import grp

    try:
        return grp.getgrgid(number).gr_name
    except (KeyError, OSError):
        return ""


class Entities:
    """Who is known to one queue manager."""

    def __init__(self, files: Files, folder: str, system: UserDatabase | None = None) -> None:
        self._own = GroupReader(files, folder)
        self._system = system or SystemUsers()
        self._system_groups: dict[str, frozenset[str] | None] = {}
        self._groups: dict[str, frozenset[str]] = {}
        self._numbers: dict[str, int | None] = {}

    def refresh(self) -> None:
        """REFRESH SECURITY: forget what was asked."""
        self._system_groups.clear()
        self._groups.clear()
        self._numbers.clear()

    def number_of(self, user: str) -> int | None:
        """The number by which the operating system knows a user; None if it does not."""
        if user not in self._numbers:
            if len(self._numbers) >= _REMEMBERED_MAX:
                self._numbers.clear()
            self._numbers[user] = self._system.number_of(user) if user else None
        return self._numbers[user]

    def groups_of(self, user: str) -> frozenset[str]:
        """The groups of a user, who need not be known, as it begins a connection."""
        own = self._own_groups().get(user, ())
        found = self._system_groups_of(user) or frozenset()
        self._groups[user] = made = found.union(own, (NOBODY,))
        return made

    def remembered_groups_of(self, user: str) -> frozenset[str]:
        """The same without looking again: for a user that is named in every other call."""
        return self._groups.get(user) or self.groups_of(user)

    def has_principal(self, user: str) -> bool:
        return user == ADMINISTRATORS or user in self._own_groups() or self._system_groups_of(user) is not None

    def has_group(self, group: str) -> bool:
        if group in (NOBODY, ADMINISTRATORS) or self._system.has_group(group):
            return True
        return any(group in groups for groups in self._own_groups().values())

    def _own_groups(self) -> dict[str, tuple[str, ...]]:
        try:
            return self._own.groups()
        except (UsersError, OSError):
            return {}  # a login says that the file is broken

    def _system_groups_of(self, user: str) -> frozenset[str] | None:
        if user not in self._system_groups:
            if len(self._system_groups) >= _REMEMBERED_MAX:
                self.refresh()
            self._system_groups[user] = self._system.groups_of(user) if user else None
        return self._system_groups[user]
