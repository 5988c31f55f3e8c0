"""Who may reach where: rules that import-linter cannot say, as they are about attributes.

Outside kernel and host nobody touches the core of a queue manager, nor what is private to it: whoever needs to know
something asks a question (`kernel.manager_questions`), whoever wants a change has a verb. Nobody but the kernel writes
to the log either.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import libremq

SOURCE = Path(libremq.__file__).parent
INSIDE = ("kernel", "host")
OF_THE_KERNEL = ("admin", "channels", "server", "testing")
"""Packages in which `manager` is the kernel's; in the others it is that of the Python API."""
LOG_WRITES = frozenset({"append", "record_checkpoint", "set_media", "close", "abandon"})

MODULES = {path.relative_to(SOURCE).as_posix(): path for path in sorted(SOURCE.rglob("*.py"))}


@cache
def private_names() -> frozenset[str]:
    """Methods and attributes of the kernel's queue manager that are its own business."""
    found: set[str] = set()
    for name in ("running", "verb_calls", "manager_questions", "manager_administration", "manager"):
        for node in ast.walk(ast.parse((SOURCE / "kernel" / f"{name}.py").read_text())):
            if isinstance(node, ast.FunctionDef):
                found.add(node.name)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
                found.add(node.attr)
    return frozenset(name for name in found if name.startswith("_") and not name.endswith("__"))


def last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def reaches(module: str, source: str) -> Iterator[str]:
    package = module.partition("/")[0]
    private = private_names() if package in OF_THE_KERNEL else frozenset[str]()
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Attribute):
            continue
        of = last_name(node.value)
        if node.attr == "core":
            yield f"{module}:{node.lineno}: .core, ask the queue manager instead"
        elif node.attr in private and of in ("manager", "_manager"):
            yield f"{module}:{node.lineno}: {of}.{node.attr} is private"
        elif node.attr in LOG_WRITES and of == "log" and isinstance(node.value, ast.Attribute):
            yield f"{module}:{node.lineno}: only the kernel writes to the log"


def is_inside(module: str) -> bool:
    return module.partition("/")[0] in INSIDE


def test_nobody_outside_kernel_and_host_reaches_into_a_queue_manager() -> None:
    outside = [name for name in MODULES if not is_inside(name)]
    found = [reach for module in outside for reach in reaches(module, MODULES[module].read_text())]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "line", ["manager.core.queues", "self._manager.core", "manager._records_due", "self.manager.log.append(1)"]
)
def test_a_reach_is_noticed(line: str) -> None:
    assert list(reaches("server/net/one.py", line))
    assert not list(reaches("server/net/one.py", f"'{line}'"))
