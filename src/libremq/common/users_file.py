"""The users of a queue manager, their passwords and groups: users.json in its folder.

A password is never stored, only its scrypt hash, with the salt and the costs it was made with, so that the costs of new
ones can be raised later. The file is replaced as a whole: a running queue manager sees a change with the next login. A
file that cannot be used raises UsersError rather than to look like one without users: a login must never get easier
because something is broken. The groups are those of the queue manager, beside what the operating system knows.

A check takes about 50 ms of a processor and 16 MiB, by intent: run it in a thread, and not many at a time.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Iterable
from typing import NamedTuple

from libremq.common.files.file_layer import FileLock, Files, replace_file

FILE_NAME = "users.json"
FILE_BYTES_MAX = 4 << 20
PASSWORD_BYTES_MAX = 256  # what the field of a client's connection parameters holds
USERS_MAX = 10_000
GROUPS_MAX = 256

_FORMAT = "libremq-users"
_VERSION = 1
_SALT_BYTES = 16
_HASH_BYTES = 32
_COST, _BLOCK, _PARALLEL = 1 << 14, 8, 1  # of new hashes; 128 * _COST * _BLOCK bytes of memory
_COST_MAX, _BLOCK_MAX, _PARALLEL_MAX = 1 << 18, 32, 16
_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@$#+-]{0,11}\Z")
_GROUP = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@$#+-]{0,63}\Z")


class UsersError(ValueError):
    """A user, a password or a file of users that cannot be used; the text says what to do."""


class _Hash(NamedTuple):
    cost: int
    block: int
    parallel: int
    salt: bytes
    digest: bytes
    groups: tuple[str, ...] = ()


def system_user(number: int) -> str:
    """The name of a user of the operating system; one without a name has its number for it."""
    import pwd  # here: clients load this, too, and on Windows there is none

    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"uid{number}"


def check_group_name(group: str) -> str:
    """The name itself; UsersError if no group can have it."""
    if _GROUP.match(group) is None:
        raise UsersError(
            f"{group[:80]!r} is not the name of a group: use 1 to 64 of the characters A-Z a-z 0-9 _ . @ $ # + -, "
            "the first a letter, a digit or _"
        )
    return group


def check_user_name(user: str) -> str:
    """The name itself; UsersError if no user can have it."""
    if _USER.match(user) is None:
        raise UsersError(
            f"{user[:64]!r} is not the name of a user: use 1 to 12 of the characters A-Z a-z 0-9 _ . @ $ # + -, "
            "the first a letter, a digit or _"
        )
    return user


def check_new_password(password: str) -> str:
    """The password itself; UsersError, which does not show it, if no user can have it."""
    if not password or len(_encoded(password)) > PASSWORD_BYTES_MAX:
        raise UsersError(f"a password has 1 to {PASSWORD_BYTES_MAX} bytes, this one has {len(_encoded(password))}")
    if not password.isprintable():
        raise UsersError("the password has characters that cannot be typed, such as a line end")
    return password


def set_password(files: Files, folder: str, user: str, password: str) -> None:
    """Give the user this password, whether it is new or has one. Durable on return."""
    import secrets

    check_user_name(user)
    check_new_password(password)
    salt = secrets.token_bytes(_SALT_BYTES)
    made = _Hash(_COST, _BLOCK, _PARALLEL, salt, b"")
    made = made._replace(digest=_digest(made, password))
    lock = _lock(files, folder)
    try:
        users = _load(files, folder)
        if len(users) >= USERS_MAX and user not in users:
            raise UsersError(f"{folder}/{FILE_NAME} has {USERS_MAX} users, which is the most it can have")
        users[user] = made._replace(groups=users[user].groups if user in users else ())
        _save(files, folder, users)
    finally:
        lock.release()


def set_groups(files: Files, folder: str, user: str, groups: Iterable[str]) -> None:
    """Put the user into these groups and no others. UsersError if it is not there. Durable on return."""
    wanted = tuple(sorted({check_group_name(group) for group in groups}))
    if len(wanted) > GROUPS_MAX:
        raise UsersError(f"a user can be in {GROUPS_MAX} groups, not in {len(wanted)}")
    lock = _lock(files, folder)
    try:
        users = _load(files, folder)
        if user not in users:
            raise UsersError(f"{user[:64]!r} is not a user in {folder}/{FILE_NAME}: set its password first")
        users[user] = users[user]._replace(groups=wanted)
        _save(files, folder, users)
    finally:
        lock.release()


def remove_user(files: Files, folder: str, user: str) -> bool:
    """Take the user's password away; False if there is none."""
    lock = _lock(files, folder)
    try:
        users = _load(files, folder)
        if users.pop(user, None) is None:
            return False
        _save(files, folder, users)
        return True
    finally:
        lock.release()


def check_password(files: Files, folder: str, user: str, password: str) -> bool:
    """Is that the user's password? Takes as long for a user that is not known. UsersError if the file is broken."""
    known = _load(files, folder).get(user)
    expected = known or _Hash(_COST, _BLOCK, _PARALLEL, bytes(_SALT_BYTES), bytes(_HASH_BYTES))
    # A password that nobody can have costs the same, but hashing a long one would cost more, and to scrypt nulls at the
    # end are as good as nothing
    usable = password.isprintable() and 0 < len(_encoded(password)) <= PASSWORD_BYTES_MAX
    matches = hmac.compare_digest(_digest(expected, password if usable else " "), expected.digest)
    return matches and usable and known is not None


def has_users(files: Files, folder: str) -> bool:
    """Has any user a password? UsersError if the file is broken."""
    return bool(_load(files, folder))


def user_names(files: Files, folder: str) -> list[str]:
    """The users that have passwords, sorted."""
    return sorted(_load(files, folder))


class GroupReader:
    """Who is in which group, read again only when the file has changed."""

    def __init__(self, files: Files, folder: str) -> None:
        self._files, self._folder = files, folder
        self._data = b""
        self._groups: dict[str, tuple[str, ...]] = {}

    def groups(self) -> dict[str, tuple[str, ...]]:
        """The groups of each user, who may be in none. UsersError if the file is broken."""
        data = _read(self._files, self._folder)
        if data != self._data:
            self._groups = {user: made.groups for user, made in _parse(data, f"{self._folder}/{FILE_NAME}").items()}
            self._data = data
        return self._groups


def _encoded(password: str) -> bytes:
    return password.encode("utf-8", "surrogatepass")


def _digest(made: _Hash, password: str) -> bytes:
    return hashlib.scrypt(
        _encoded(password),
        salt=made.salt,
        n=made.cost,
        r=made.block,
        p=made.parallel,
        maxmem=256 * made.cost * made.block * made.parallel,
        dklen=_HASH_BYTES,
    )


# The file


def _lock(files: Files, folder: str) -> FileLock:
    """Two changes at a time would lose one of them."""
    try:
        return files.lock(f"{folder}/{FILE_NAME}.lock")
    except BlockingIOError:
        raise UsersError(f"the users in {folder} are being changed by another process; try again") from None


def _load(files: Files, folder: str) -> dict[str, _Hash]:
    return _parse(_read(files, folder), f"{folder}/{FILE_NAME}")


def _read(files: Files, folder: str) -> bytes:
    """What is in the file; nothing if it is not there."""
    path = f"{folder}/{FILE_NAME}"
    try:
        file = files.open(path)
    except FileNotFoundError:
        return b""
    try:
        size = file.size()
        if size > FILE_BYTES_MAX:
            raise _broken(path, f"it has {size} bytes, more than {FILE_BYTES_MAX}")
        return file.read(0, size) or b" "  # which is no JSON: an empty file is a broken one
    finally:
        file.close()


def _parse(data: bytes, path: str) -> dict[str, _Hash]:
    if not data:
        return {}
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        raise _broken(path, "it is not JSON") from None
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise _broken(path, f'it does not have "format": "{_FORMAT}"')
    if content.get("version") != _VERSION:
        raise UsersError(
            f"{path}: it has format version {content.get('version')!r}, this release knows {_VERSION}: "
            "use the release that wrote it"
        )
    entries = content.get("users")
    if not isinstance(entries, dict):
        raise _broken(path, "it has no users")
    users: dict[str, _Hash] = {}
    for user, entry in entries.items():
        made = _read_entry(entry)
        if made is None or _USER.match(user) is None:
            raise _broken(path, f"the entry of user {user[:64]!r} cannot be used")
        users[user] = made
    return users


def _read_entry(entry: object) -> _Hash | None:
    if not isinstance(entry, dict):
        return None
    try:
        cost, block, parallel = (entry[key] for key in ("n", "r", "p"))
        salt, digest = (bytes.fromhex(entry[key]) for key in ("salt", "hash"))
        groups = tuple(check_group_name(group) for group in entry.get("groups", []))
    except (KeyError, TypeError, ValueError):
        return None
    if not isinstance(entry.get("groups", []), list):
        return None
    if not type(cost) is type(block) is type(parallel) is int or not salt or len(digest) != _HASH_BYTES:
        return None
    # Costs that are too high would be a way to keep the queue manager busy; scrypt wants a power of 2
    if not 1 < cost <= _COST_MAX or not 0 < block <= _BLOCK_MAX or not 0 < parallel <= _PARALLEL_MAX:
        return None
    return _Hash(cost, block, parallel, salt, digest, groups) if cost & (cost - 1) == 0 else None


def _save(files: Files, folder: str, users: dict[str, _Hash]) -> None:
    content = {
        "format": _FORMAT,
        "version": _VERSION,
        "users": {
            user: {
                "n": made.cost,
                "r": made.block,
                "p": made.parallel,
                "salt": made.salt.hex(),
                "hash": made.digest.hex(),
                **({"groups": list(made.groups)} if made.groups else {}),
            }
            for user, made in sorted(users.items())
        },
    }
    replace_file(files, f"{folder}/{FILE_NAME}", (json.dumps(content, indent=1) + "\n").encode())


def _broken(path: str, what: str) -> UsersError:
    return UsersError(f"{path}: {what}: put back the right file, or remove it and set the passwords again")
