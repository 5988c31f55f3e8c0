"""Facts of a site that no SMF record carries: settings, definitions, figures of other monitors.

They come from one JSON or YAML file (`load`) or a mapping (`SiteFacts.of`):

    site: {environment: production, archive_to: tape}
    queue_managers: {QM01: {outbuff_kb: 4000}}
    objects:
      pool: [{qmgr: QM01, name: "0", pool_role: system}]
      structure: [{name: APP1, cflevel: 5}]
    thresholds: {pool-short-of-pages: 20}

The nearest fact counts: an object's own, else its queue manager's, else the site's. A name that is not declared in
`settings` is refused, so that a slip of the pen does not leave a rule silent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

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
        for kind, entries in (content.get("objects") or {}).items():
            if kind not in OBJECT_KINDS:
                raise SiteFactsError(f"objects of kind {kind!r} are not known; there are {', '.join(OBJECT_KINDS)}")
            for entry in entries:
                rest = {key: value for key, value in entry.items() if key not in ("qmgr", "name")}
                if "name" not in entry:
                    raise SiteFactsError(f"one of the objects of kind {kind!r} has no name")
                objects.append(ObjectFacts(kind, str(entry["name"]), entry.get("qmgr"), _checked(rest)))
        return cls(
            _checked(content.get("site") or {}),
            {name: _checked(values) for name, values in (content.get("queue_managers") or {}).items()},
            tuple(objects),
            {name: float(value) for name, value in (content.get("thresholds") or {}).items()},
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
    text = path.read_text("utf-8")
    if path.suffix in (".yaml", ".yml"):
        try:
            import yaml  # type: ignore[import-untyped,unused-ignore]
        except ImportError as error:
            raise SiteFactsError(f"{path}: YAML needs the package PyYAML; write the same as JSON instead") from error
        content = yaml.safe_load(text)
    else:
        content = json.loads(text)
    if not isinstance(content, Mapping):
        raise SiteFactsError(f"{path}: not a mapping of {', '.join(_PARTS)}")
    return SiteFacts.of(content)


def _checked(values: Mapping[str, Any]) -> dict[str, Value]:
    return {name: _converted(name, SETTINGS.get(name), value) for name, value in values.items()}


def _converted(name: str, setting: Setting | None, value: Any) -> Value:
    if setting is None:
        raise SiteFactsError(f"site facts name {name!r}, which no rule uses")
    wanted = {"number": (int, float), "flag": (bool,), "word": (str,)}[setting.kind]
    if not isinstance(value, wanted) or (setting.kind == "number" and isinstance(value, bool)):
        raise SiteFactsError(f"{name} is a {setting.kind} ({setting.meaning}), not {value!r}")
    return float(value) if setting.kind == "number" else value
