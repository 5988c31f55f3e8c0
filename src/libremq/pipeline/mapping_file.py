"""A file that someone wrote by hand, YAML or JSON, as the mapping it is; what is wrong with it is one line.

A name that ends in .json is JSON, any other YAML, of which JSON is a part. An empty file is an empty mapping.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FILE_BYTES_MAX = 1_000_000


class MappingFileError(ValueError):
    """The file cannot be read, or is no mapping; the text names it and says why."""


def read_mapping(path: Path, such_as: str) -> Mapping[Any, Any]:
    """What the file says; `such_as` is a line that shows what belongs in it."""
    try:
        if path.stat().st_size > FILE_BYTES_MAX:
            raise MappingFileError(f"{path}: may have at most {FILE_BYTES_MAX:,} bytes")
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not text in UTF-8"
        raise MappingFileError(f"{path}: cannot be read: {reason}") from error
    content = _parsed_json(path, text) if path.suffix == ".json" else _parsed_yaml(path, text)
    if content is None:
        return {}
    if not isinstance(content, Mapping):
        raise MappingFileError(f"{path}: not a mapping of `name: value`, such as `{such_as}`")
    return content


def _parsed_json(path: Path, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MappingFileError(f"{path}: not JSON: {error}") from error


def _parsed_yaml(path: Path, text: str) -> Any:
    try:
        import yaml  # type: ignore[import-untyped,unused-ignore]
    except ImportError as error:
        raise MappingFileError(
            f"{path}: YAML needs the package PyYAML; install it, or write JSON to a .json file"
        ) from error
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 1}" if mark is not None else ""
        problem = getattr(error, "problem", None) or "a value that makes no sense"
        raise MappingFileError(f"{path}: not YAML{where}: {problem}") from error
