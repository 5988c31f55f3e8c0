"""The layout of the source, by which a newcomer finds things: a name means one thing, files and folders have a size."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import libremq

SOURCE = Path(libremq.__file__).parent
LINES_MAX = 620
MODULES_MAX = 33
TABLES = ("mqi/constants.py", "mqi/reason_table.py", "kernel/objects/attribute_tables_")
"""Rows of tables, as long as there are rows."""

MODULES = {path.relative_to(SOURCE).as_posix(): path for path in SOURCE.rglob("*.py") if path.name != "__init__.py"}


def test_a_name_means_one_thing() -> None:
    """What is in `aio` is a twin of the module of that name, awaited."""
    places = defaultdict(list)
    for module, path in MODULES.items():
        if not module.startswith("aio/"):
            places[path.stem].append(module)
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_a_file_is_about_one_thing() -> None:
    lines = {module: path.read_text().count("\n") for module, path in MODULES.items() if not module.startswith(TABLES)}
    assert {module: count for module, count in lines.items() if count > LINES_MAX} == {}


def test_a_folder_can_be_looked_over() -> None:
    modules: dict[str, int] = defaultdict(int)
    for module in MODULES:
        modules[module.rpartition("/")[0]] += 1
    assert {folder: count for folder, count in modules.items() if count > MODULES_MAX} == {}
    assert modules[""] <= 3
