"""Facts of a site that no SMF record carries: settings, definitions, figures of other monitors.

They come from one JSON or YAML file (`load`) or a mapping (`SiteFacts.of`):

    site: {environment: production, archive_to: tape}
    queue_managers: {QM01: {outbuff_kb: 4000}}
    objects:
      pool: [{qmgr: QM01, name: "0", pool_role: system}]
      structure: [{name: APP1, cflevel: 5}]
    thresholds: {pool-nearly-full: 20}

The nearest fact counts: an object's own, else its queue manager's, else the site's. A name that is not declared in
`settings` is refused, and so is a value it cannot have, so that a slip of the pen does not leave a rule silent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from libremq.pipeline.mapping_file import MappingFileError, read_mapping
from libremq.pipeline.rules.settings import OBJECT_KINDS, SETTINGS, Setting

Value = float | bool | str

_PARTS = ("site", "queue_managers", "objects", "thresholds")


class SiteFactsError(ValueError):
    """The file says something that cannot be used."""


@dataclass(frozen=True, slots=True)
class ObjectFacts:
    """What is known of one object, such as a buffer pool or a channel."""

    kind: str
    name: str
    qmgr: str | None
    """None: the same on every queue manager."""
    values: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class SiteFacts:
    everywhere: Mapping[str, Value] = field(default_factory=dict)
    queue_managers: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    objects: Sequence[ObjectFacts] = ()
    thresholds: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> SiteFacts:
        """Checked facts from a mapping; SiteFactsError names what is wrong."""
        for part in content:
            if part not in _PARTS:
                raise SiteFactsError(f"site facts have no part {part!r}; the parts are {', '.join(_PARTS)}")
        objects = []
        for kind, entries in _mapping("objects", content.get("objects")).items():
            if kind not in OBJECT_KINDS:
                raise SiteFactsError(f"objects of kind {kind!r} are not known; there are {', '.join(OBJECT_KINDS)}")
            objects += [_object(kind, entry) for entry in _sequence(kind, entries)]
        managers = _mapping("queue_managers", content.get("queue_managers"))
        return cls(
            _checked("site", content.get("site")),
            {str(name): _checked(f"queue manager {name}", values) for name, values in managers.items()},
            tuple(objects),
            {
                name: _threshold(name, value)
                for name, value in _mapping("thresholds", content.get("thresholds")).items()
            },
        )

    def knows(self, setting: str) -> bool:
        """Is it given anywhere?"""
        places = [self.everywhere, *self.queue_managers.values(), *(each.values for each in self.objects)]
        return any(setting in place for place in places)

    def objects_of(self, kind: str) -> list[ObjectFacts]:
        return [each for each in self.objects if each.kind == kind]

    def value(self, setting: str, qmgr: str | None = None, kind: str = "", name: str | None = None) -> Value | None:
        """The nearest fact: of the object, of the queue manager, of the site."""
        for each in self.objects:
            if each.kind == kind and each.name == name and each.qmgr in (None, qmgr) and setting in each.values:
                return each.values[setting]
        own = self.queue_managers.get(qmgr or "", {})
        return own.get(setting, self.everywhere.get(setting))


def load(path: Path) -> SiteFacts:
    """Site facts of a JSON file, or of a YAML file where PyYAML is installed."""
    try:
        return SiteFacts.of(read_mapping(path, "site: {environment: production}"))
    except MappingFileError as error:
        raise SiteFactsError(str(error)) from error
    except SiteFactsError as error:
        raise SiteFactsError(f"{path}: {error}") from error


def _mapping(part: str, value: Any) -> Mapping[Any, Any]:
    """A part that may be left out or empty, but not be anything else."""
    if value is not None and not isinstance(value, Mapping):
        raise SiteFactsError(f"{part}: names with values are wanted, not {value!r}")
    return value or {}


def _sequence(kind: str, value: Any) -> Sequence[Any]:
    if value is not None and not isinstance(value, list | tuple):
        raise SiteFactsError(f"objects of kind {kind!r}: a list is wanted, not {value!r}")
    return value or ()


def _object(kind: str, entry: Any) -> ObjectFacts:
    given = _mapping(f"one of the objects of kind {kind!r}", entry)
    if "name" not in given:
        raise SiteFactsError(f"one of the objects of kind {kind!r} has no name")
    rest = {key: value for key, value in given.items() if key not in ("qmgr", "name")}
    qmgr = given.get("qmgr")
    # YAML takes names that are all digits for numbers.
    return ObjectFacts(kind, str(given["name"]), None if qmgr is None else str(qmgr), _checked(kind, rest))


def _threshold(rule: str, value: Any) -> float:
    from libremq.pipeline.rules.rule_catalogue import BY_ID

    if rule not in BY_ID:
        raise SiteFactsError(f"thresholds name {rule!r}, which is no rule")
    if not _is_number(value):
        raise SiteFactsError(f"the threshold of {rule} is a number, not {value!r}")
    return float(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _checked(part: str, values: Any) -> dict[str, Value]:
    return {name: _converted(name, SETTINGS.get(name), value) for name, value in _mapping(part, values).items()}


def _converted(name: str, setting: Setting | None, value: Any) -> Value:
    if setting is None:
        raise SiteFactsError(f"site facts name {name!r}, which no rule uses")
    if setting.kind == "number":
        fits = _is_number(value) and value >= 0
    else:
        fits = isinstance(value, bool if setting.kind == "flag" else str)
    if not fits:
        raise SiteFactsError(f"{name} is a {setting.kind} ({setting.meaning}), not {value!r}")
    if setting.kind == "word":
        return _word(name, setting, value)
    return float(value) if setting.kind == "number" else bool(value)


def _word(name: str, setting: Setting, value: str) -> str:
    """The word as rules spell it; where `unit` lists the words there are, it must be one of them."""
    choices = {choice.lower(): choice for choice in setting.unit.split(", ")}
    if len(choices) > 1 and value.lower() not in choices:
        raise SiteFactsError(f"{name} ({setting.meaning}) is one of {setting.unit}, not {value!r}")
    return choices.get(value.lower(), value) if len(choices) > 1 else value
