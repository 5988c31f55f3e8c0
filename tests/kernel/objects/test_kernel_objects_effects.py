"""What is accepted acts: every attribute has a reader, or its row and the reference page say that it has none.

Whoever acts on an attribute reads its slot (`definition.maxdepth`), or has its name in a table of its own ("chadev",
"MSGEXIT"). Where the queue manager acts is in the packages below; what only checks, shows or translates does not count.
A name alone proves little, as one reader may be about another type of object: for the types that have rooms of their
own it must be there.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from helper_rows import over_rows
from libremq.kernel.objects.attribute_tables import GENERIC_TYPES, IDLE_TYPES, QUEUE_TYPES, TABLES
from libremq.kernel.objects.attributes import Attribute, Effect, Kind, Source

ROOT = Path(__file__).parents[3]
SOURCE = ROOT / "src" / "libremq"
REFERENCE = ROOT / "docs" / "reference" / "objects.md"
ACTING = ("admin/command_server.py", "channels/", "host/", "kernel/", "security/", "server/")
# Tables, and what looks at a definition without doing anything for it
NOT_ACTING = (
    "kernel/objects/attribute", "kernel/objects/status_tables", "kernel/objects/system_objects",
    "kernel/objects/definition_checks", "kernel/recovery/log_dump", "host/developer_configuration",
)  # fmt: skip
ROWS = [
    pytest.param(kind, row, id=f"{kind}-{row.keyword}")
    for kind, table in TABLES.items()
    for row in table
    if row.source is Source.DEFINED and not (row.kind is Kind.ENUM and len(row.words) == 1)  # one value needs no reader
]
SECTIONS = {
    "QMGR": "Queue manager",
    **dict.fromkeys(QUEUE_TYPES, "Queues"),
    "PROCESS": "Processes",
    "NAMELIST": "Namelists",
    "LISTENER": "Listeners",
    "SERVICE": "Services",
    "TOPIC": "Topics",
    "COMMINFO": "Communication information",
    "CHLAUTH": "Channel authentication rules",
    "AUTHREC": "Authority records",
    **dict.fromkeys(GENERIC_TYPES["CHANNEL"], "Channels"),
    **dict.fromkeys(GENERIC_TYPES["AUTHINFO"], "Authentication information"),
}


@cache
def names_read() -> dict[str, set[str]]:
    """By name, in lower case: the files in which a value of that name is read, or it stands as a string."""
    found: dict[str, set[str]] = {}
    for path in SOURCE.rglob("*.py"):
        place = path.relative_to(SOURCE).as_posix()
        if not place.startswith(ACTING) or place.startswith(NOT_ACTING):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and id(node) not in called:
                found.setdefault(node.attr, set()).add(place)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "/objects/" not in place:
                found.setdefault(node.value.lower(), set()).add(place)
    return found


# Who deals with objects of a type, and so can act on it
_CHANNELS = ("channels/", "server/admission/", "server/net/dialing.py", "server/net/message_link.py",
             "server/net/socket_options.py")  # fmt: skip
ROOMS = {
    **dict.fromkeys(("SDR", "SVR", "RCVR", "RQSTR"), _CHANNELS),
    "SVRCONN": ("server/admission/", "server/net/", "channels/exits.py"),
    "LISTENER": ("server/process/", "kernel/objects/object_types.py"),  # whose properties are read there
    "SERVICE": ("server/process/",),
    "IDPWOS": ("server/admission/", "security/"),
    "PROCESS": ("kernel/verbs/triggers.py",),
}


def readers(row: Attribute, kind: str = "") -> set[str]:
    found = names_read().get(row.slot, set()) | names_read().get(row.keyword.lower(), set())
    return {place for place in found if place.startswith(ROOMS.get(kind, ("",)))}


@over_rows(("kind", "row"), ROWS)
def test_an_attribute_has_a_reader_or_is_marked(kind: str, row: Attribute) -> None:
    if row.effect is Effect.ACTS:
        assert readers(row, kind), f"nobody acts on {row.keyword} of {kind}: have somebody do it, or mark the row"


def test_nothing_is_said_to_act_of_types_that_are_only_kept() -> None:
    """Clusters, client tables, topics, AMQP, LDAP: whoever makes one of them work takes its type out of the list."""
    assert {kind for kind, table in TABLES.items() if table.idle} == IDLE_TYPES
    for kind in IDLE_TYPES:
        assert not [row.keyword for row in TABLES[kind] if row.alterable and row.effect is Effect.ACTS], kind


ACTED_ON = {row.slot for table in TABLES.values() for row in table if row.effect is Effect.ACTS}
# Other things of the same name: field of a descriptor, part of a distinguished name, authority, kind of object. And one
# that the catalogue compares, so that no two objects have the same
NAMESAKES = frozenset({"comminfo", "encoding", "pub", "sub", "topicstr", "userid", "wildcard"})


@over_rows(("kind", "row"), ROWS)
def test_a_marked_attribute_has_no_reader(kind: str, row: Attribute) -> None:
    if row.effect is Effect.NOT_YET and row.slot not in ACTED_ON | NAMESAKES:
        assert not readers(row), f"{row.keyword} of {kind} has a reader: is it marked rightly?"


def use_of(section: str, keyword: str) -> list[str]:
    """What the column Use of the reference page says of an attribute, in each of its rows."""
    part = REFERENCE.read_text(encoding="utf-8").split(f"## {section}")[1].split("\n## ")[0]
    lines = [[cell.strip() for cell in line[1:-1].split("|")] for line in part.splitlines() if line.startswith("|")]
    column = next(cells.index("Use") for cells in lines if cells[0] == "Keyword")
    return [cells[column] for cells in lines if cells[0] == keyword]


@over_rows(("kind", "row"), ROWS)
def test_the_reference_page_says_which_attributes_have_no_effect_yet(kind: str, row: Attribute) -> None:
    uses = [use for use in use_of(SECTIONS[kind], row.keyword) if "alter" in use]
    said = [says_idle(use, kind) for use in uses]
    assert said and all(one is (row.effect is Effect.NOT_YET) for one in said), (kind, row.keyword, uses)


def says_idle(use: str, kind: str) -> bool:
    """Does it say that the attribute has no effect yet, for all types of the row or for some, this one among them?"""
    _, found, types = use.partition(Effect.NOT_YET.value)
    return bool(found) and (not types or kind in types.removeprefix(" for ").split(", "))
