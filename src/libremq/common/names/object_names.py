"""Names of objects: what is allowed, what a generic name matches, and how a name becomes a file name.

A queue is kept in a file named after it, so a name that comes from a program decides about a path. `fold`
therefore lets only harmless characters through, gives different names different files, and can be undone.
"""

from __future__ import annotations

import re

from libremq.mqi.constants import (
    MQ_OBJECT_NAME_LENGTH,
    MQRC_DYNAMIC_Q_NAME_ERROR,
    MQRC_Q_MGR_NAME_ERROR,
    MQRCCF_OBJECT_NAME_ERROR,
)
from libremq.mqi.errors import mq_error

_OBJECT_NAME = re.compile(r"[A-Za-z0-9._/%]{1,48}\Z")
_NAME_CHARACTERS = re.compile(r"[A-Za-z0-9._/%]*\Z")
_RULE = f"1 to {MQ_OBJECT_NAME_LENGTH} of the characters A-Z a-z 0-9 . / _ %"

# The asterisk of a dynamic queue name may be at this position (from 1) at most, so that 16 characters fit.
_DYNAMIC_ASTERISK_MAX = 33

_UNSAFE = re.compile(r"[^A-Za-z0-9_%./]")
_FOLDED = re.compile(r"#([0-9a-f]{2})")
_EMPTY_FOLDED = "#"
# Names some file systems keep for devices, whatever follows the first dot (which is folded away anyway).
_DEVICE = re.compile(r"(?:CON|PRN|AUX|NUL|COM[0-9]|LPT[0-9])\Z", re.IGNORECASE)


def is_object_name(name: str) -> bool:
    return _OBJECT_NAME.match(name) is not None


def check_object_name(name: str, reason: int = MQRCCF_OBJECT_NAME_ERROR) -> str:
    """The name itself, or the error for a name that MQ does not allow."""
    if _OBJECT_NAME.match(name) is None:
        raise mq_error(reason, object_name=name[:64], detail=f"{name[:64]!r} is not an object name: use {_RULE}")
    return name


def check_queue_manager_name(name: str) -> str:
    if _OBJECT_NAME.match(name) is None:
        raise mq_error(
            MQRC_Q_MGR_NAME_ERROR,
            object_name=name[:64],
            detail=f"{name[:64]!r} is not a queue manager name: use {_RULE}",
        )
    return name


def is_generic_name(pattern: str) -> bool:
    """Whether the pattern is valid where a generic name is: a start of a name and then an asterisk."""
    return (
        pattern.endswith("*")
        and len(pattern) <= MQ_OBJECT_NAME_LENGTH + 1
        and (_NAME_CHARACTERS.match(pattern[:-1]) is not None)
    )


def matches(pattern: str, name: str) -> bool:
    """Whether a name is meant by a generic name ("ABC*", "*") or a full one. An asterisk counts only at the end."""
    if pattern.endswith("*"):
        return name.startswith(pattern[:-1])
    return name == pattern


def dynamic_name(pattern: str, unique: str) -> str:
    """The name of a dynamic queue from the DynamicQName an application gave.

    A last asterisk is replaced by `unique`, cut from the left if the whole gets too long; a name without
    one is taken as it is.
    """
    name = pattern.split("\0", 1)[0].rstrip(" ")
    if name.endswith("*") and len(name) <= _DYNAMIC_ASTERISK_MAX:
        prefix = name[:-1]
        if _NAME_CHARACTERS.match(prefix) is not None:
            if not is_object_name(unique):
                raise ValueError(f"{unique!r} cannot be part of an object name")
            return prefix + unique[-(MQ_OBJECT_NAME_LENGTH - len(prefix)) :]
    elif is_object_name(name):
        return name
    raise mq_error(
        MQRC_DYNAMIC_Q_NAME_ERROR,
        object_name=name[:64],
        detail=(
            f"{name[:64]!r} is not a name for a dynamic queue: use {_RULE}, "
            f"or a start of a name and an asterisk within the first {_DYNAMIC_ASTERISK_MAX} positions"
        ),
    )


def _escape(text: str) -> str:
    return "".join(f"#{byte:02x}" for byte in text.encode("utf-8", "surrogatepass"))


def fold(name: str) -> str:
    """A file name for an object name: "." becomes "!", "/" becomes "&", anything unusual is escaped.

    Different names give different file names, case is kept, and no file name has a dot or a separator.
    """
    if not name:
        return _EMPTY_FOLDED
    if _DEVICE.match(name) is not None:
        return _escape(name[0]) + name[1:]
    if _UNSAFE.search(name) is not None:
        name = _UNSAFE.sub(lambda found: _escape(found.group()), name)
    return name.replace(".", "!").replace("/", "&")


def unfold(file_name: str) -> str:
    """The object name a file name was made from; ValueError if `fold` never gives this file name."""
    if file_name == _EMPTY_FOLDED:
        return ""
    data = bytearray()
    at = 0
    for found in _FOLDED.finditer(file_name):
        data += file_name[at : found.start()].replace("!", ".").replace("&", "/").encode("utf-8", "surrogatepass")
        data.append(int(found.group(1), 16))
        at = found.end()
    data += file_name[at:].replace("!", ".").replace("&", "/").encode("utf-8", "surrogatepass")
    try:
        name = data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        name = ""
    if fold(name) != file_name:
        raise ValueError(f"{file_name!r} is not the file name of an object")
    return name
