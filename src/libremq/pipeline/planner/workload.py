"""A workload from a file: YAML, or JSON, with the names of inputs as keys.

    message_bytes: 5k
    messages_per_second: 200
    restart:                 # only for `libremq plan restart`
      checkpoints_per_log: 3

Several plans may share a file: a key that another plan uses is left to that one, a key that none uses is refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from libremq.pipeline.planner.plan import Plan, Value
from libremq.pipeline.planner.reading import PlanError, nearest, read_value

FILE_BYTES_MAX = 1_000_000


def from_file(path: Path, plan: Plan, plans: Mapping[str, Plan]) -> dict[str, Value]:
    """What a file says for a plan; PlanError if it cannot be read or names what no plan knows."""
    content = _content(path)
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


def _content(path: Path) -> Mapping[Any, Any]:
    try:
        if path.stat().st_size > FILE_BYTES_MAX:
            raise PlanError(f"{path}: a workload has at most {FILE_BYTES_MAX:,} bytes")
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not text in UTF-8"
        raise PlanError(f"{path}: cannot be read: {reason}") from error
    content = _parsed_json(path, text) if path.suffix == ".json" else _parsed_yaml(path, text)
    if content is None:
        return {}
    if not isinstance(content, Mapping):
        raise PlanError(f"{path}: not a list of `name: value`, such as `message_bytes: 5000`")
    return content


def _parsed_json(path: Path, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise PlanError(f"{path}: not JSON: {error}") from error


def _parsed_yaml(path: Path, text: str) -> Any:
    try:
        import yaml  # type: ignore[import-untyped,unused-ignore]
    except ImportError as error:
        raise PlanError(f"{path}: YAML needs the package PyYAML; install it, or write JSON to a .json file") from error
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 1}" if mark is not None else ""
        problem = getattr(error, "problem", None) or "a value that makes no sense"
        raise PlanError(f"{path}: not YAML{where}: {problem}") from error
