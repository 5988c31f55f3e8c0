"""The catalogue of a queue manager: every object by name, and the rules for changing definitions.

All checks come before the first change, so a command either happens or leaves everything as it was. An
object that is altered or replaced stays the same Python object: who holds it sees the new values. The
catalogue is memory only; `to_record` and `from_record` turn objects into plain data for log and disk.
MQINQ and MQSET work on the same attribute rows, by selector instead of keyword.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, cast

from libremq.common.names.object_names import check_object_name, check_queue_manager_name, is_object_name, matches
from libremq.kernel.objects.attribute_tables import GENERIC_TYPES, QUEUE_SELECTORS, QUEUE_TYPES, TABLES, char_length
from libremq.kernel.objects.attribute_tables_channel import CHANNEL_TYPES
from libremq.kernel.objects.attribute_tables_security import AUTHINFO_TYPES
from libremq.kernel.objects.attributes import Attribute, AttributeTable, GivenValue, Kind, Source, Value, convert
from libremq.kernel.objects.definition_checks import (
    DEFAULT_OBJECTS,
    DEFINABLE,
    check_enforced,
    check_queue_manager_ccsid,
    check_together,
    check_topic_string,
    definable,
    reasons,
    typed,
)
from libremq.kernel.objects.object_types import (
    CLASSES,
    AnyQueue,
    ChannelState,
    ChannelSync,
    HeuristicOutcome,
    KeyedRecord,
    LocalQueue,
    MQObject,
    Namelist,
    Queue,
    QueueManagerObject,
    Topic,
    date_and_time,
    from_model,
    new_object,
)
from libremq.kernel.objects.triggered_queues import TriggeredQueues
from libremq.mqi.constants import (
    MQ_OBJECT_NAME_LENGTH,
    MQCA_NAMES,
    MQCC_OK,
    MQCC_WARNING,
    MQIAV_NOT_APPLICABLE,
    MQRC_NONE,
    MQRC_OBJECT_ALREADY_EXISTS,
    MQRC_OBJECT_TYPE_ERROR,
    MQRC_SELECTOR_ERROR,
    MQRC_SELECTOR_LIMIT_EXCEEDED,
    MQRC_SELECTOR_NOT_FOR_TYPE,
    MQRCCF_LIKE_OBJECT_WRONG_TYPE,
)
from libremq.mqi.errors import MQError, mq_error

__all__ = [
    "DEFAULT_OBJECTS",
    "Catalogue",
    "Inquired",
    "RecordError",
    "char_length",
    "from_model",
    "from_record",
    "inquire",
    "set_attributes",
    "to_record",
]

_QUEUE_MANAGER_ID_NAME_MAX = 28  # so that date and time fit in the 48 characters of a QMID
_SELECTORS_MAX = 256
_RECORD_VERSION = 1
_NAME = attrgetter("name")
_FIRST_SYSTEM_LEVEL = 1  # of the release that did not write it down


class Catalogue:
    """All objects of one queue manager. Queues of every type share one set of names.

    So do channels, except that client-connection channels have names of their own.
    """

    def __init__(self, qmgr_name: str, now: float) -> None:
        check_queue_manager_name(qmgr_name)
        date, clock = date_and_time(now)
        self.qmgr = new_object(QueueManagerObject, qmgr_name, QueueManagerObject.table.defaults)
        self.qmgr.qmid = f"{qmgr_name[:_QUEUE_MANAGER_ID_NAME_MAX]}_{date}_{clock}"
        self.qmgr.certlabl = "ibmwebspheremq" + qmgr_name.lower()
        self.qmgr.crdate, self.qmgr.crtime = self.qmgr.altdate, self.qmgr.alttime = date, clock
        self.qmgr.system_level = 0
        self.queues: dict[str, AnyQueue] = {}
        self.triggered = TriggeredQueues()
        self.processes: dict[str, MQObject] = {}
        self.namelists: dict[str, MQObject] = {}
        self.channels: dict[str, MQObject] = {}
        self.client_channels: dict[str, MQObject] = {}
        self.listeners: dict[str, MQObject] = {}
        self.services: dict[str, MQObject] = {}
        self.topics: dict[str, MQObject] = {}
        self.authinfos: dict[str, MQObject] = {}
        self.comminfos: dict[str, MQObject] = {}
        self.chlauths: dict[str, MQObject] = {}
        self.authrecs: dict[str, MQObject] = {}
        self.authrecs_version = 0  # counts their changes, for what was decided from them
        self.chlauths_version = 0
        self.channel_syncs: dict[str, ChannelSync] = {}  # no command sees them as objects, nor these
        self.channel_states: dict[str, ChannelState] = {}
        self.heuristic_outcomes: dict[str, HeuristicOutcome] = {}  # by XID in hexadecimal
        queues = cast("dict[str, MQObject]", self.queues)
        # Where the objects of each kind are: every type has one place, and so do all generic words but CHANNEL
        self._places: dict[str, tuple[dict[str, MQObject], ...]] = {
            **dict.fromkeys(("QUEUE", *QUEUE_TYPES), (queues,)),
            "PROCESS": (self.processes,),
            "NAMELIST": (self.namelists,),
            **dict.fromkeys(CHANNEL_TYPES, (self.channels,)),
            "CLNTCONN": (self.client_channels,),
            "CHANNEL": (self.channels, self.client_channels),
            "LISTENER": (self.listeners,),
            "SERVICE": (self.services,),
            "TOPIC": (self.topics,),
            **dict.fromkeys(("AUTHINFO", *AUTHINFO_TYPES), (self.authinfos,)),
            "COMMINFO": (self.comminfos,),
            "CHLAUTH": (self.chlauths,),
            "AUTHREC": (self.authrecs,),
            "CHSYNC": (cast("dict[str, MQObject]", self.channel_syncs),),
            "CHSTATE": (cast("dict[str, MQObject]", self.channel_states),),
            "XAHEUR": (cast("dict[str, MQObject]", self.heuristic_outcomes),),
        }

    # Finding

    def find_queue(self, name: str) -> AnyQueue | None:
        return self.queues.get(name)

    def find(self, kind: str, name: str) -> MQObject | None:
        """The object of this kind and name; the kinds QUEUE, CHANNEL and AUTHINFO find any type."""
        kind = kind.upper()
        if kind == "QMGR":
            return self.qmgr if name in ("", self.qmgr.name) else None
        found = self.holder(kind, name)
        return found if found is not None and (kind in GENERIC_TYPES or found.kind == kind) else None

    def holder(self, kind: str, name: str) -> MQObject | None:
        """The object that has the name, so that no other of the kind can: perhaps one of another type.

        CHANNEL means a CLNTCONN only if no channel of another type has the name.
        """
        for place in self._places_of(kind.upper()):
            if name in place:
                return place[name]
        return None

    def select(self, kind: str, pattern: str = "*") -> list[MQObject]:
        """The objects of a kind (or QUEUE, CHANNEL, AUTHINFO) that a full or generic name means, by name."""
        kind = kind.upper()
        if kind == "QMGR":
            return [self.qmgr] if matches(pattern, self.qmgr.name) else []
        found: list[MQObject] = []
        for place in self._places_of(kind):
            if not pattern.endswith("*"):
                found += [place[pattern]] if pattern in place else []
            elif pattern == "*":
                found += place.values()
            else:
                start = pattern[:-1]
                found += [one for name, one in place.items() if name.startswith(start)]
        if kind not in GENERIC_TYPES:
            found = [one for one in found if one.kind == kind]
        return sorted(found, key=_NAME)

    def __iter__(self) -> Iterator[MQObject]:
        """Every object: the queue manager, then each sort in order of definition."""
        yield self.qmgr
        for place in self._sorts():
            yield from place.values()

    def __len__(self) -> int:
        return 1 + sum(map(len, self._sorts()))

    def _sorts(self) -> Iterator[dict[str, MQObject]]:
        """Every place once. Generic words have no place of their own."""
        seen: set[int] = set()
        for places in self._places.values():
            for place in places:
                if id(place) not in seen:
                    seen.add(id(place))
                    yield place

    def _places_of(self, kind: str) -> tuple[dict[str, MQObject], ...]:
        places = self._places.get(kind)
        if places is None:
            raise mq_error(
                MQRC_OBJECT_TYPE_ERROR,
                detail=f"{kind} is not a type of object here; use {DEFINABLE}, QMGR",
            )
        return places

    def _existing(self, kind: str, name: str) -> MQObject:
        found = self.find("QMGR", name) if kind == "QMGR" else self.holder(kind, name)
        if found is None:
            raise mq_error(reasons(kind).unknown, object_name=name, detail=f"there is no {kind} of this name")
        if kind not in GENERIC_TYPES and kind != found.kind:
            raise mq_error(
                reasons(kind).wrong_type, object_name=name, detail=f"the object is a {found.kind}, not a {kind}"
            )
        return found

    # Changing

    def define(
        self,
        kind: str,
        name: str,
        attributes: Mapping[str, GivenValue] | None = None,
        *,
        like: str | None = None,
        replace: bool = False,
        now: float,
    ) -> MQObject:
        """Make an object, or give an existing one a whole new definition (`replace`).

        Attributes not given come from the object `like`, else from the SYSTEM.DEFAULT object of the type as
        it is now, else (if that was deleted) from the supplied defaults. That holds for `replace` too: it does
        not keep what the replaced definition said, only the object itself, with its messages and the date of its
        creation. To change some attributes and keep the others, use `alter`. A CHANNEL
        needs its CHLTYPE, an AUTHINFO its AUTHTYPE.
        """
        kind, attributes = typed(kind.upper(), attributes or {}, name)
        definable(kind, name)
        table, reason = TABLES[kind], reasons(kind)
        check_object_name(name, reason.name)
        if len(name) > table.name_length:
            raise mq_error(
                reason.name,
                object_name=name,
                detail=f"the name of a {kind} has at most {table.name_length} characters, this one has {len(name)}",
            )
        (place,) = self._places[kind]
        existing = place.get(name)
        if existing is not None:
            if not replace:
                raise mq_error(
                    reason.exists,
                    object_name=name,
                    detail=f"a {existing.kind} of this name exists; use REPLACE or another name",
                )
            if existing.kind != kind:
                raise mq_error(
                    reason.wrong_type,
                    object_name=name,
                    detail=f"a {existing.kind} cannot be replaced by a {kind}; delete it first",
                )
        given = table.convert_all(attributes, name)
        values = self._base_values(table, like, name)
        values.update(given)
        self._check(kind, values, name, existing)
        if existing is None:
            existing = new_object(CLASSES[kind], name, {**table.defaults, **values})
            if "crdate" in table.defaults:
                existing.__dict__["crdate"], existing.__dict__["crtime"] = date_and_time(now)
            place[name] = existing
        else:
            existing.__dict__.update(values)
        _stamp(existing, now)
        self._changed(existing)
        return existing

    def target(self, kind: str, name: str, attributes: Mapping[str, GivenValue]) -> MQObject | None:
        """The object that DEFINE or ALTER with these attributes would change, if there is one."""
        return self.find(typed(kind.upper(), attributes, name)[0], name)

    def _check(self, kind: str, values: dict[str, Value], name: str, existing: MQObject | None) -> None:
        """All that is about more than one value, or more than one object."""
        check_together(kind, values, name)
        if kind == "TOPIC":
            topics = cast("dict[str, Topic]", self.topics)
            before = existing.topicstr if isinstance(existing, Topic) else None
            others = {other: topic.topicstr for other, topic in topics.items() if other != name}
            check_topic_string(name, values["topicstr"], before, others)

    def _base_values(self, table: AttributeTable, like: str | None, name: str) -> dict[str, Value]:
        """What a new definition says where the command does not."""
        kind = table.object_type
        if like is not None:
            base = self.holder(kind, like)
            if base is None:
                raise mq_error(
                    reasons(kind).unknown, object_name=like, detail=f"LIKE names a {kind} that does not exist"
                )
            if base.kind != kind:
                raise mq_error(
                    MQRCCF_LIKE_OBJECT_WRONG_TYPE,
                    object_name=name,
                    detail=f"LIKE({like}) is a {base.kind}; it must be a {kind}",
                )
        else:
            base = self.find(kind, DEFAULT_OBJECTS[kind])
        source = table.defaults if base is None else base.__dict__
        values = {slot: source[slot] for slot in table.defined_slots}
        if kind == "TOPIC":
            # The one value that cannot be somebody else's: that of the object itself, if it is replaced
            replaced = self.topics.get(name)
            values["topicstr"] = replaced.topicstr if isinstance(replaced, Topic) else ""
        return values

    def alter(self, kind: str, name: str, attributes: Mapping[str, GivenValue], now: float) -> MQObject:
        """Change the given attributes of an object and keep the others. The name of QMGR may be blank."""
        kind, attributes = typed(kind.upper(), attributes, name)
        found = self._existing(kind, name)
        if isinstance(found, KeyedRecord):
            raise mq_error(MQRC_OBJECT_TYPE_ERROR, detail=f"{kind} cannot be altered; use SET {kind}")
        given = found.table.convert_all(attributes, found.name)
        check_enforced(given, found.name)
        if found.kind == "QMGR" and "ccsid" in given:
            check_queue_manager_ccsid(cast(int, given["ccsid"]), found.name)
        self._check(found.kind, {**found.__dict__, **given}, found.name, found)
        found.__dict__.update(given)
        _stamp(found, now)
        self._changed(found)
        return found

    def set_attributes(self, made: MQObject, values: Mapping[int, int | str]) -> None:
        """MQSET on an object of the catalogue."""
        set_attributes(made, values)
        self._changed(made)

    def _changed(self, made: MQObject) -> None:
        """An object is new, or has new values."""
        if isinstance(made, Queue):
            self.triggered.changed(made)

    def _count_change(self, kind: str) -> None:
        self.authrecs_version += kind == "AUTHREC"
        self.chlauths_version += kind == "CHLAUTH"

    def delete(self, kind: str, name: str) -> MQObject:
        """Take an object out of the catalogue. Whether it is open or holds messages is the caller's to ask."""
        kind = kind.upper()
        if kind == "QMGR":
            raise mq_error(MQRC_OBJECT_TYPE_ERROR, object_name=name, detail="QMGR cannot be deleted by a command")
        found = self._existing(kind, name)
        del self._places[found.kind][0][name]
        if isinstance(found, Queue):
            self.triggered.removed(name)
        self._count_change(kind)
        return found

    def add_dynamic(self, queue: LocalQueue) -> LocalQueue:
        """Take in a queue made by `from_model`, unless its name is in use."""
        if queue.name in self.queues:
            raise mq_error(
                MQRC_OBJECT_ALREADY_EXISTS, object_name=queue.name, detail="a queue of this name exists already"
            )
        self.queues[queue.name] = queue
        self._changed(queue)
        return queue

    def install(self, made: MQObject) -> MQObject:
        """Put in an object as it is, in place of any other of its name: for restart, which knows better.

        Returns the object now in the catalogue: the one there before with new values, if the type is the same.
        """
        if isinstance(made, QueueManagerObject):
            self.qmgr.__dict__.update(made.__dict__)
            return self.qmgr
        (place,) = self._places[made.kind]
        self._count_change(made.kind)
        existing = place.get(made.name)
        if existing is not None and existing.kind == made.kind:
            existing.__dict__.update(made.__dict__)
            made = existing
        else:
            place[made.name] = made
        self._changed(made)
        return made


def _stamp(made: MQObject, now: float) -> None:
    made.__dict__["altdate"], made.__dict__["alttime"] = date_and_time(now)


# Records


class RecordError(ValueError):
    """A stored definition that this version cannot read."""


def to_record(made: MQObject) -> dict[str, Any]:
    """The whole definition as plain JSON types."""
    values = made.__dict__
    attributes = {keyword: values[slot] for keyword, slot in made.table.stored}
    for keyword, value in attributes.items():
        if type(value) is tuple:
            attributes[keyword] = list(value)
    record = {"version": _RECORD_VERSION, "kind": made.kind, "name": made.name, "attributes": attributes}
    if isinstance(made, QueueManagerObject):
        record["system_level"] = made.system_level
    return record


def from_record(record: Mapping[str, Any]) -> MQObject:
    """The object of a record. Attributes the record lacks get the supplied defaults; unknown ones are refused."""
    kind, name, attributes = record.get("kind"), record.get("name"), record.get("attributes")
    if record.get("version") != _RECORD_VERSION:
        raise RecordError(
            f"definition of {kind} {name} has format version {record.get('version')}, "
            f"this is version {_RECORD_VERSION}: use the release that wrote it"
        )
    cls = CLASSES.get(kind) if isinstance(kind, str) else None
    keyed = cls is not None and issubclass(cls, KeyedRecord)
    if cls is None or not isinstance(name, str) or not (keyed or is_object_name(name)) or type(attributes) is not dict:
        raise RecordError(
            f"not the definition of an object that this release knows: kind {kind!r}, name {name!r}; "
            "if a later release wrote it, use that one"
        )
    if not keyed and len(name) > cls.table.name_length:
        raise RecordError(f"not the definition of a {kind}: the name {name!r} is too long")
    what = f"{kind} {name}"
    values = _as_written(cls.table, attributes, what) or _one_by_one(cls.table, attributes, what)
    if cls is QueueManagerObject:
        values["system_level"] = level = record.get("system_level", _FIRST_SYSTEM_LEVEL)
        if type(level) is not int:
            raise RecordError(f"definition of {kind} {name}: the level of its system objects cannot be {level!r}")
    made = new_object(cls, name, values)
    if isinstance(made, KeyedRecord) and made.key != name:
        raise RecordError(f"not the definition of a {kind}: its fields do not give the name {name!r}")
    return made


def _as_written(table: AttributeTable, attributes: dict[str, Any], what: str) -> dict[str, Value] | None:
    """The values of a record that has every attribute in its place and of its type, as nearly all do; else None.

    A start reads thousands, so no attribute is looked at alone.
    """
    if tuple(attributes) != table.record_keywords or list(map(type, attributes.values())) != table.record_types:
        return None
    values: dict[str, Value] = dict(zip(table.record_slots, attributes.values(), strict=True))
    for row in table.record_lists:
        values[row.slot] = _from_json(row, values[row.slot], what)
    return values


def _one_by_one(table: AttributeTable, attributes: dict[str, Any], what: str) -> dict[str, Value]:
    values = dict(table.defaults)
    unknown: list[str] = []
    for keyword, value in attributes.items():
        row = table.by_keyword.get(keyword)
        if row is None or not row.stored:
            unknown.append(str(keyword))
        else:
            values[row.slot] = _from_json(row, value, what)
    if unknown:
        raise RecordError(
            f"definition of {what} has attributes this release does not know: {', '.join(unknown)}; "
            "a later release wrote it, use that one"
        )
    return values


def _from_json(row: Attribute, value: object, what: str) -> Value:
    if isinstance(row.default, tuple):
        expected = int if row.is_integer else str
        if isinstance(value, list) and all(type(item) is expected for item in value):
            return cast(Value, tuple(value))
    elif type(value) is type(row.default):
        return cast(Value, value)
    raise RecordError(f"definition of {what}: {row.keyword} cannot be {value!r}")


# MQINQ and MQSET


class Inquired(list["int | str"]):
    """The values of MQINQ in the order of the selectors, with the completion of the call."""

    reason: int = MQRC_NONE

    @property
    def comp_code(self) -> int:
        return MQCC_OK if self.reason == MQRC_NONE else MQCC_WARNING


def inquire(made: MQObject, selectors: Sequence[int], live: Mapping[int, int] | None = None) -> Inquired:
    """The attributes MQINQ asks for. Text comes without trailing blanks; MQCA_NAMES as names of 48 each.

    `live` has the values counted at run time (depth, handles); what it lacks is 0. A selector of another
    type of queue gives "not applicable" and the warning MQRC_SELECTOR_NOT_FOR_TYPE; an unknown one fails.
    """
    if len(selectors) > _SELECTORS_MAX:
        raise mq_error(
            MQRC_SELECTOR_LIMIT_EXCEEDED,
            object_name=made.name,
            detail=f"{len(selectors)} selectors, at most {_SELECTORS_MAX} are allowed",
        )
    values = Inquired()
    rows = made.table.by_selector
    for selector in selectors:
        row = rows.get(selector)
        if row is not None and row.inquirable:
            values.append(_inquired_value(made, row, live))
            continue
        row = QUEUE_SELECTORS.get(selector) if isinstance(made, Queue) else None
        if row is None or not row.inquirable:
            raise mq_error(
                MQRC_SELECTOR_ERROR,
                object_name=made.name,
                detail=f"selector {selector} is not one that MQINQ knows for a {made.kind}",
            )
        values.append(MQIAV_NOT_APPLICABLE if row.is_integer else "*" * row.max_length)
        values.reason = MQRC_SELECTOR_NOT_FOR_TYPE
    return values


def _inquired_value(made: MQObject, row: Attribute, live: Mapping[int, int] | None) -> int | str:
    if row.source is Source.LIVE:
        return live.get(row.selector, 0) if live else 0
    if row.selector == MQCA_NAMES and isinstance(made, Namelist):
        return "".join(name.ljust(MQ_OBJECT_NAME_LENGTH) for name in made.names)
    return cast("int | str", row.shown(getattr(made, row.slot)))


def set_attributes(made: MQObject, values: Mapping[int, int | str]) -> None:
    """What MQSET does: change the few attributes of a queue that applications may change, all or none."""
    checked: dict[str, Value] = {}
    for selector, value in values.items():
        row = made.table.by_selector.get(selector)
        if row is None or not row.settable:
            raise mq_error(
                MQRC_SELECTOR_ERROR,
                object_name=made.name,
                detail=f"selector {selector} is not one that MQSET can set for a {made.kind}",
            )
        # The MQI has numbers where MQSC has words.
        if isinstance(value, str) is (row.kind is not Kind.STRING):
            raise mq_error(row.set_reason, object_name=made.name, detail=f"{row.keyword}({value!r})")
        try:
            checked[row.slot] = convert(row, value, made.name)
        except MQError as error:
            raise mq_error(row.set_reason, object_name=made.name, detail=error.detail) from None
    made.__dict__.update(checked)
