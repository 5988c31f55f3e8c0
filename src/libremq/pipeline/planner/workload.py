"""A workload from a file: YAML, or JSON, with the names of inputs as keys.

    message_bytes: 5k
    messages_per_second: 200
    restart:                 # only for `libremq plan restart`
      checkpoints_per_log: 3

Several plans may share a file: a key that another plan uses is left to that one, a key that none uses is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from libremq.pipeline.mapping_file import MappingFileError, read_mapping
from libremq.pipeline.planner.plan import Plan, Value
from libremq.pipeline.planner.reading import PlanError, nearest, read_value


def from_file(path: Path, plan: Plan, plans: Mapping[str, Plan]) -> dict[str, Value]:
    """What a file says for a plan; PlanError if it cannot be read or names what no plan knows."""
    try:
        content = read_mapping(path, "message_bytes: 5000")
    except MappingFileError as error:
        raise PlanError(str(error)) from error
    every = {each.name for other in plans.values() for each in other.inputs}
    values: dict[str, Value] = {}
    own: Mapping[Any, Any] = {}
    for key, given in content.items():
        name = _name(path, key)
        if name in plans and isinstance(given, Mapping):
            own = given if name == plan.name else own
            _check_section(path, name, given, plans[name])
        elif name not in every:
            raise PlanError(f"{path}: no plan has an input {key!r}{nearest(name, every)}")
        else:
            _take(path, plan, name, given, values)
    for key, given in own.items():
        _take(path, plan, _name(path, key), given, values)
    return values


def _check_section(path: Path, section: str, given: Mapping[Any, Any], plan: Plan) -> None:
    names = [each.name for each in plan.inputs]
    for key in given:
        if _name(path, key) not in names:
            raise PlanError(f"{path}: plan {section} has no input {key!r}{nearest(_name(path, key), names)}")


def _take(path: Path, plan: Plan, name: str, given: Any, values: dict[str, Value]) -> None:
    each = plan.input(name)
    if each is None or given is None:
        return
    try:
        values[name] = read_value(each, given)
    except PlanError as error:
        raise PlanError(f"{path}: {error}") from error


def _name(path: Path, key: Any) -> str:
    if not isinstance(key, str):
        raise PlanError(f"{path}: {key!r} is not the name of an input")
    return key.strip().lower().replace("-", "_")
