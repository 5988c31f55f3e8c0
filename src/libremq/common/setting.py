"""A setting of qm.ini as a row: its key, default and range, and what a value has to be like."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from libremq.common.files.stanza_file import shown

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Section = TypeVar("Section", bound="DataclassInstance")

LOG = "Log"
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}\Z")
_USERS = re.compile(r"([A-Za-z0-9_.@$#+-]{1,64}( *, *[A-Za-z0-9_.@$#+-]{1,64}){0,99})?\Z")
_MESSAGES = re.compile(r"((AMQ)?[0-9]{4}( *, *(AMQ)?[0-9]{4}){0,19})?\Z", re.IGNORECASE)
_CONTROL = re.compile(r"[\0\r\n]")


class Setting(NamedTuple):
    """One key of the file. A number has a range, a word its choices, anything else is a path or a name."""

    stanza: str
    key: str
    field: str
    default: int | str
    fixed: bool
    """Fixed when the queue manager is created; otherwise a restart changes it."""
    meaning: str
    lowest: int = 0
    highest: int = 0
    choices: tuple[str, ...] = ()
    messages: bool = False
    """Numbers of messages."""
    users: bool = False
    """Names of users."""
    flag: str = ""
    """The flag of crtmqm, if it has one."""
    flag_help: str = ""
    """What crtmqm says of it, with `{range}` for what may be written."""

    @property
    def range(self) -> str:
        """What may be written, for people."""
        if isinstance(self.default, int):
            either = f"{self.default} or " if self.default < self.lowest else ""
            return f"{either}{self.lowest} to {self.highest}"
        if self.messages:
            return "up to 20 numbers of messages with commas between them"
        if self.users:
            return "names of users with commas between them"
        return ", ".join(self.choices) or ("any text" if self.key == "Name" else "the path of a folder")


class ConfigurationError(ValueError):
    """Settings that cannot be used. `problems` has a sentence for each."""

    def __init__(self, problems: list[str], where: str = "") -> None:
        self.problems = tuple(problems)
        super().__init__((f"{where}: " if where else "") + "; ".join(problems))


def checked_section(
    section: Section,
    settings: Iterable[Setting],
    together: Callable[[Any], list[str]] = lambda _: [],
    show: Callable[[str], str] = shown,
) -> tuple[Section, list[str]]:
    """A section, which has a field for each setting, with the values that apply, and warnings where they are others.

    `together` says what is wrong with values that are right one by one, `show` is how a bad word is quoted.
    ConfigurationError for what cannot be used.
    """
    values: dict[str, Any] = {}
    problems: list[str] = []
    warnings: list[str] = []
    for setting in settings:
        try:
            values[setting.field], warning = usable(setting, getattr(section, setting.field), show)
        except ValueError as error:
            problems.append(str(error))
        else:
            warnings += [warning] if warning else []
    if not problems:
        section = replace(section, **values)
        problems = together(section)
    if problems:
        raise ConfigurationError(problems)
    return section, warnings


def usable(setting: Setting, value: object, show: Callable[[str], str] = shown) -> tuple[int | str, str]:
    """The value that applies, and a warning if it is not the one given. ValueError if it cannot be used."""
    key = setting.key
    if isinstance(setting.default, int):
        if isinstance(value, str):
            if _NUMBER.match(value) is None:
                raise ValueError(f"{key}={show(value)} is not a whole number; choose {setting.range}")
            value = int(value)
        elif not isinstance(value, int) or isinstance(value, bool):
            raise ValueError(f"{key} is a whole number, not {value!r}; choose {setting.range}")
        if value > setting.highest:
            kind = "log size not valid: " if setting.stanza == LOG else ""
            raise ValueError(f"{kind}{key}={value} is more than {setting.highest}; choose {setting.range}")
        if value < setting.lowest and value != setting.default:
            warning = f"{key}={value} is less than {setting.lowest}: the default, {setting.default}, applies"
            return setting.default, warning
        return value, ""
    if not isinstance(value, str):
        raise ValueError(f"{key} is text, not {value!r}; choose {setting.range}")
    if setting.choices:
        for choice in setting.choices:
            if choice.casefold() == value.casefold():
                return choice, ""
        raise ValueError(f"{key}={show(value)} is not known; choose {' or '.join(setting.choices)}")
    if setting.messages:
        if _MESSAGES.match(value) is None:
            raise ValueError(f"{key}={show(value)} is not known; choose {setting.range}")
        return ",".join(f"{number:04}" for number in message_numbers(value)), ""
    if setting.users:
        if _USERS.match(value) is None:
            raise ValueError(f"{key}={show(value)} is not known; choose {setting.range}")
        return re.sub(" +", "", value), ""
    if _CONTROL.search(value) or value != value.strip():
        raise ValueError(f"{key}={show(value)} cannot be a path here: line ends, or blanks around it")
    return value, ""


def message_numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"[0-9]{4}", text))
