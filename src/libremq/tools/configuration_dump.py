"""dmpmqcfg: the configuration of a queue manager as the commands of MQSC that make it again.

Everything is asked for with DISPLAY, so this works for any queue manager that takes commands. An object says only what
differs from what DEFINE would give it anyway: from the SYSTEM.DEFAULT object of its kind, which therefore comes before
the others; the SYSTEM.DEFAULT objects say what differs from the supplied values. Passwords are never shown, so they are
not here either.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from libremq.admin.command_lookup import is_bare
from libremq.admin.mqsc_session import DONE, Answer
from libremq.admin.plain_values import plain
from libremq.common.files.queue_manager_files import KEY_REPOSITORY
from libremq.kernel.objects.attribute_tables import GENERIC_TYPES, TABLES
from libremq.kernel.objects.attribute_tables_security import CHLAUTH_TABLES
from libremq.kernel.objects.attributes import Attribute, Kind, Source
from libremq.kernel.objects.catalogue import DEFAULT_OBJECTS
from libremq.kernel.objects.security_records import QMGR_PROFILE
from libremq.mqi import constants as C

Shown = Mapping[str, Any]

OBJECT_KINDS = (
    "QMGR", "QUEUE", "NAMELIST", "PROCESS", "CHANNEL", "AUTHINFO", "LISTENER", "SERVICE", "COMMINFO", "TOPIC",
)  # fmt: skip
_TYPE_OF = {"QUEUE": "type", "CHANNEL": "chltype", "AUTHINFO": "authtype"}
_KEY_OF = {"QUEUE": "queue"}
_TYPE_KEYWORDS = ("CHLTYPE", "AUTHTYPE", "TRPTYPE")

_NOTHING_FOUND = (
    C.MQRC_UNKNOWN_OBJECT_NAME, C.MQRCCF_CHANNEL_NOT_FOUND, C.MQRCCF_CHLAUTH_NOT_FOUND, C.MQRCCF_NONE_FOUND,
)  # fmt: skip


class TakesCommands(Protocol):
    def mqsc(self, commands: str) -> list[Answer]: ...


class DumpError(Exception):
    """The queue manager did not show what was asked for."""


@dataclass(frozen=True, slots=True)
class Definition:
    """One command of the dump: its head, its parameters, and what is told beside it."""

    head: str
    parameters: tuple[str, ...]
    comments: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        """As MQ writes it: one parameter a line."""
        pieces = [self.head, *self.parameters]
        for comment in self.comments:
            yield f"*  {comment}"
        for number, piece in enumerate(pieces):
            last = number == len(pieces) - 1
            yield f"{'' if number == 0 else '   '}{piece}{'' if last else ' +'}"

    def two_lines(self) -> Iterator[str]:
        """What it makes, and below all that is said of it."""
        yield self.head + (" +" if self.parameters else "")
        if self.parameters:
            yield "   " + " ".join(self.parameters)

    def one_line(self) -> str:
        return " ".join((self.head, *self.parameters))


def definitions(
    manager: TakesCommands, *, name: str = "*", kinds: Sequence[str] = OBJECT_KINDS, every: bool = False
) -> Iterator[Definition]:
    """The objects. `every` gives all attributes, not only those that need to be said."""
    for kind in kinds:
        if kind == "QMGR":
            for shown in _display(manager, "DISPLAY QMGR ALL"):
                if _means(name, str(shown["qmname"])):
                    yield _alter_qmgr(shown, every)
            continue
        found = _display(manager, f"DISPLAY {kind}({_quoted(name)}) ALL")
        bases = _default_objects(manager, kind)
        for shown in sorted(found, key=lambda one: _place(_name(kind, one))):
            if shown.get("type") != "QLOCAL" or shown.get("deftype") == "PREDEFINED":  # no dynamic queues
                yield _define(kind, shown, bases, every)


def sequence_resets(manager: TakesCommands, number: int, *, name: str = "*") -> Iterator[Definition]:
    """The commands that set the sequence numbers of the channels that send."""
    for shown in _display(manager, f"DISPLAY CHANNEL({_quoted(name)}) TYPE(ALL)"):
        if shown["chltype"] in ("SDR", "SVR", "CLUSSDR") and shown["channel"] not in DEFAULT_OBJECTS.values():
            yield Definition(f"RESET CHANNEL({_quoted(str(shown['channel']))})", (f"SEQNUM({number})",))


def command_level(manager: TakesCommands) -> int:
    (shown,) = _display(manager, "DISPLAY QMGR ALL")
    return int(shown["cmdlevel"])


def _place(name: str) -> tuple[bool, str]:
    """The default objects come first: the others are said in terms of them."""
    return name not in DEFAULT_OBJECTS.values(), name


def _display(manager: TakesCommands, command: str) -> list[Shown]:
    answer = manager.mqsc(command)[0]
    if answer.state == DONE:
        return list(answer.rows)
    if answer.reason in _NOTHING_FOUND:
        return []
    raise DumpError(f"{command}: {' '.join(answer.lines)}")


def _name(kind: str, shown: Shown) -> str:
    return str(shown[_KEY_OF.get(kind, kind.lower())])


def _type(kind: str, shown: Shown) -> str:
    return str(shown[_TYPE_OF[kind]]) if kind in _TYPE_OF else kind


def _default_objects(manager: TakesCommands, kind: str) -> dict[str, Shown]:
    """The default objects of a kind as they are now, by type."""
    found: dict[str, Shown] = {}
    for word in GENERIC_TYPES.get(kind, (kind,)):
        name = DEFAULT_OBJECTS.get(word)
        for shown in _display(manager, f"DISPLAY {kind}('{name}') ALL") if name else ():
            found[_type(kind, shown)] = shown
    return found


def _supplied(row: Attribute) -> Any:
    return plain(row, row.default)


def _alter_qmgr(shown: Shown, every: bool) -> Definition:
    # Nor what has a password among its parts, which is shown without: replayed, it would put an end to the password
    rows = [row for row in TABLES["QMGR"] if row.source is Source.DEFINED and not (row.secret or row.discreet)]
    texts = [
        parameter_text(row, shown[key])
        for row in rows
        if (key := row.keyword.lower()) in shown and _says(row, shown, every) and not _is_own(row, shown, every)
    ]
    fixed = [f"QMNAME({shown['qmname']})"]
    return Definition("ALTER QMGR", tuple(texts), tuple(fixed))


def _says(row: Attribute, shown: Shown, every: bool, base: Shown | None = None) -> bool:
    """Must it be said for the definition to become the same?"""
    value = shown[row.keyword.lower()]
    usual = _supplied(row) if base is None else base.get(row.keyword.lower(), _supplied(row))
    return every or value != usual


def _is_own(row: Attribute, shown: Shown, every: bool) -> bool:
    """Every queue manager has a key repository of its own to begin with: said elsewhere it would be another's."""
    return not every and row.keyword == "SSLKEYR" and str(shown["sslkeyr"]).endswith(f"/{KEY_REPOSITORY}")


def _define(kind: str, shown: Shown, bases: Mapping[str, Shown], every: bool) -> Definition:
    name, of = _name(kind, shown), _type(kind, shown)
    base = None if name in DEFAULT_OBJECTS.values() else bases.get(of)
    texts = []
    for row in TABLES[of]:
        key = row.keyword.lower()
        if key not in shown:
            continue
        said = row.source is Source.DEFINED and not row.secret and _says(row, shown, every, base)
        if said or row.keyword in _TYPE_KEYWORDS:
            texts.append(parameter_text(row, shown[key]))
    word = of if kind == "QUEUE" else kind
    return Definition(f"DEFINE {word}({_quoted(name)})", (*texts, "REPLACE"))


# Values


def parameter_text(row: Attribute, value: Any) -> str:
    """An attribute as a command sets it; the value is a plain one, as DISPLAY gives it to Python."""
    if is_bare(row):
        return str(value)
    return f"{row.keyword}({_value(row, value)})"


def _value(row: Attribute, value: Any) -> str:
    if isinstance(value, list | tuple):
        return ",".join(_value(row, item) for item in value) or "' '"
    if isinstance(value, int) or row.kind in (Kind.ENUM, Kind.ENUM_LIST) or value in row.words:
        return str(value)
    return _quoted(str(value))


def _quoted(text: str) -> str:
    """Between quotes. A command is a line: what the Python API let into a text is a blank here."""
    return "'" + (text.replace("'", "''").replace("\r", " ").replace("\n", " ") or " ") + "'"


# Rules and records


def channel_rules(manager: TakesCommands, name: str = "*") -> Iterator[Definition]:
    """SET CHLAUTH for each rule."""
    for shown in _display(manager, f"DISPLAY CHLAUTH({_quoted(name)}) ALL"):
        texts = [
            parameter_text(row, shown[key])
            for row in CHLAUTH_TABLES[shown["type"]]
            if row.source is Source.DEFINED and (key := row.keyword.lower()) in shown and shown[key] not in ("", [])
            if row.keyword not in ("CHLAUTH", "TYPE") and not _says_nothing(row, shown)
        ]
        yield Definition(
            f"SET CHLAUTH({_quoted(shown['chlauth'])})", (f"TYPE({shown['type']})", *texts, "ACTION(REPLACE)")
        )


def _says_nothing(row: Attribute, shown: Shown) -> bool:
    return row.keyword in ("CHCKCLNT", "WARN") and bool(shown[row.keyword.lower()] == _supplied(row))


def authority_records(manager: TakesCommands, name: str = "*") -> Iterator[Definition]:
    """SET AUTHREC for each record, so that it holds exactly what it holds."""
    for shown in _display(manager, "DISPLAY AUTHREC"):
        if name != "*" and not _means(name, shown["profile"]):
            continue
        granted = [word for word in shown["authlist"] if word != "NONE"]
        profile = [] if shown["profile"] == QMGR_PROFILE else [f"PROFILE({_quoted(shown['profile'])})"]
        texts = [f"{shown['enttype']}({_quoted(shown['entity'])})", f"OBJTYPE({shown['objtype']})", "AUTHRMV(ALL)"]
        texts += [f"AUTHADD({','.join(granted)})"] if granted else ["AUTHADD(NONE)"]
        yield Definition("SET AUTHREC", (*profile, *texts))


def _means(pattern: str, profile: str) -> bool:
    return profile.startswith(pattern[:-1]) if pattern.endswith("*") else profile == pattern


def setmqaut_lines(manager: TakesCommands, qmgr: str, name: str = "*") -> Iterator[str]:
    """The same as commands of setmqaut."""
    for shown in _display(manager, "DISPLAY AUTHREC"):
        if name != "*" and not _means(name, shown["profile"]):
            continue
        flag = "-p" if shown["enttype"] == "PRINCIPAL" else "-g"
        words = " ".join(f"+{word.lower()}" for word in shown["authlist"] if word != "NONE") or "+none"
        which = "" if shown["profile"] == QMGR_PROFILE else f" -n {_shell_quoted(shown['profile'])}"
        who = f"{flag} {_shell_quoted(shown['entity'])}"
        yield f"setmqaut -m {qmgr}{which} -t {shown['objtype'].lower()} {who} -all {words}"


# IBM i has words of its own for types of objects and for what an administrator may do
_GRT_TYPES = {
    "QUEUE": "*Q", "QMGR": "*MQM", "PROCESS": "*PRC", "NAMELIST": "*NMLIST", "TOPIC": "*TOPIC", "CHANNEL": "*CHL",
    "CLNTCONN": "*CLTCN", "LISTENER": "*LSR", "SERVICE": "*SVC", "AUTHINFO": "*AUTHINFO", "COMMINFO": "*COMMINFO",
    "RQMNAME": "*RMTMQMNAME",
}  # fmt: skip
_GRT_WORDS = {"CHG": "*ADMCHG", "CLR": "*ADMCLR", "CRT": "*ADMCRT", "DLT": "*ADMDLT", "DSP": "*ADMDSP"}


def grtmqmaut_lines(manager: TakesCommands, qmgr: str, name: str = "*") -> Iterator[str]:
    """The same as commands of GRTMQMAUT. There users and groups are profiles alike."""
    for shown in _display(manager, "DISPLAY AUTHREC"):
        if name != "*" and not _means(name, shown["profile"]):
            continue
        words = " ".join(_GRT_WORDS.get(word, f"*{word}") for word in shown["authlist"])
        profile = qmgr if shown["profile"] == QMGR_PROFILE else shown["profile"]
        yield (
            f"GRTMQMAUT OBJ({_quoted(profile)}) OBJTYPE({_GRT_TYPES[shown['objtype']]}) "
            f"USER({_quoted(shown['entity'])}) AUT({words}) MQMNAME({_quoted(qmgr)})"
        )


def _shell_quoted(text: str) -> str:
    """One word for a shell. Who made a dynamic queue has a record under whatever name it came with."""
    return "'" + text.replace("'", "'\\''") + "'"
