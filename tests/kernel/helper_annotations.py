"""Writes the annotations of the object classes from the rows of the attribute tables: `make attributes`.

A row says what an attribute is and which kinds of object have it; that is all there is to know. Type checkers want it
said again, in the classes: so the lines `maxdepth: int` there are written by this, and a test holds them against the
rows. An attribute stands in the most general class whose kinds all have it. Everything else in the files stays as it
is, comments behind the lines included.
"""

from __future__ import annotations

import ast
import inspect
import sys
from pathlib import Path

from libremq.kernel.objects.attribute_tables import TABLES
from libremq.kernel.objects.attributes import Attribute, Kind
from libremq.kernel.objects.object_base import MQObject
from libremq.kernel.objects.object_types import CLASSES

_LISTS = {
    Kind.ENUM_LIST: "tuple[int, ...]",
    Kind.INTEGER_LIST: "tuple[int, ...]",
    Kind.NAME_LIST: "tuple[str, ...]",
    Kind.TEXT_LIST: "tuple[str, ...]",
}
_INDENT = "    "
_OF_EVERY_OBJECT = ("name", "system_level")


def annotation(row: Attribute) -> str:
    return _LISTS.get(row.kind) or type(row.default).__name__


def owners() -> list[type[MQObject]]:
    """The classes that declare attributes, the most general first in each line."""
    found = {cls: None for kind in TABLES for cls in reversed(CLASSES[kind].__mro__) if issubclass(cls, MQObject)}
    return list(found)


def in_common(cls: type[MQObject]) -> dict[str, str]:
    """What all kinds of a class have, by name, with its type."""
    kinds = [kind for kind in TABLES if issubclass(CLASSES[kind], cls)]
    tables = [{row.slot: annotation(row) for row in TABLES[kind] if row.stored} for kind in kinds]
    return dict(set.intersection(*(set(table.items()) for table in tables)))


def declared(cls: type[MQObject]) -> dict[str, str]:
    """What a class declares itself, by name: what its bases have not said already."""
    above = {slot for base in cls.__mro__[1:] if issubclass(base, MQObject) for slot in in_common(base)}
    return {slot: kind for slot, kind in sorted(in_common(cls).items()) if slot not in above}


def files() -> dict[Path, list[type[MQObject]]]:
    """The files of the classes."""
    found: dict[Path, list[type[MQObject]]] = {}
    for cls in owners():
        found.setdefault(Path(inspect.getfile(cls)), []).append(cls)
    return found


def written(text: str, classes: list[type[MQObject]]) -> str:
    """The text of a file with the annotations that the rows give its classes."""
    lines = text.splitlines(keepends=True)
    wanted = {cls.__name__: declared(cls) for cls in classes}
    for node in reversed(ast.parse(text).body):
        if isinstance(node, ast.ClassDef) and node.name in wanted:
            _write_class(lines, node, wanted[node.name])
    return "".join(lines)


def _write_class(lines: list[str], node: ast.ClassDef, attributes: dict[str, str]) -> None:
    old = {name: line for line in node.body if (name := _attribute(line))}
    comments = {name: _comment(lines[line.lineno - 1]) for name, line in old.items()}
    new = [f"{_INDENT}{name}: {kind}{comments.get(name, '')}\n" for name, kind in attributes.items()]
    if old:
        places = [line.lineno for line in old.values()]
        lines[places[0] - 1 : places[-1]] = new
    elif new:
        head = next((line for line in reversed(node.body) if not isinstance(line, ast.FunctionDef)), node)
        place = head.end_lineno or 0
        lines[place:place] = ["\n", *new]


def _attribute(line: ast.stmt) -> str:
    """The name of an annotation that this writes: of an instance, without a value. Empty for any other line."""
    if not isinstance(line, ast.AnnAssign) or line.value is not None or not isinstance(line.target, ast.Name):
        return ""
    is_ours = "ClassVar" not in ast.unparse(line.annotation) and line.target.id not in _OF_EVERY_OBJECT
    return line.target.id if is_ours else ""


def _comment(line: str) -> str:
    _, mark, text = line.rstrip("\n").partition("  #")
    return mark + text


if __name__ == "__main__":
    for path, classes in files().items():
        before = path.read_text()
        after = written(before, classes)
        if after != before:
            path.write_text(after)
            print(f"written: {path}", file=sys.stderr)
