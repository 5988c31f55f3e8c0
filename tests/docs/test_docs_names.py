"""What the documentation names is there: files and folders of this repository, modules, commands, targets of make."""

from __future__ import annotations

import ast
import importlib.util
import re
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from helper_docs import PAGES, ROOT, blocks_of, code_in, name_of, text_of

from libremq.commands.main import COMMANDS

SOURCES = [path for path in (ROOT / "src" / "libremq", *sorted(ROOT.glob("packages/*/src/*"))) if path.is_dir()]
FOLDERS = ("bench", "examples", "interop", "packages", "soak", "src", "tests")
NOT_OURS = {
    "cafe.py": "a program that the reader writes",
    "client.py": "a program that the reader writes",
    "kitchen.py": "a program that the reader writes",
    "module.py": "an exit that the reader writes",
    "test_orders.py": "a test that the reader writes",
    "worker.py": "a program that holds a lock",
}
_PATH = re.compile(r"[\w.*-]+(?:/[\w.*-]+)+/?|\w+\.py")


@cache
def python_files() -> set[str]:
    folders = [*SOURCES, *(ROOT / folder for folder in FOLDERS)]
    return {path.name for folder in folders for path in folder.rglob("*.py")}


def is_ours(path: str) -> bool:
    """Does it begin with a folder of the repository, or of the package?"""
    first = path.split("/")[0]
    return first in (*FOLDERS, "docs") or (first != "." and any((source / first).is_dir() for source in SOURCES))


def is_there(path: str) -> bool:
    if "/" not in path:
        return path in python_files() or path in NOT_OURS
    places = [ROOT, *SOURCES, *(source.parent for source in SOURCES)]
    return any(next(place.glob(path.rstrip("/")), None) is not None for place in places)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_files_and_folders_exist(page: Path) -> None:
    named = [code for code in code_in(page) if _PATH.fullmatch(code) and ("/" not in code or is_ours(code))]
    assert [code for code in named if not is_there(code)] == []


def is_known(dotted: str) -> bool:
    """A module, or what a module has."""
    try:
        if importlib.util.find_spec(dotted) is not None:
            return True
    except ModuleNotFoundError:
        pass  # its parent is no package
    parent, _, name = dotted.rpartition(".")
    if not parent:
        return False
    try:
        return hasattr(import_module(parent), name)
    except ModuleNotFoundError:
        outer, _, kind = parent.rpartition(".")
        return bool(outer) and hasattr(getattr(import_module(outer), kind, None), name)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_modules_exist(page: Path) -> None:
    named = re.findall(r"\b(?<![./-])libremq(?:\.[a-zA-Z_]\w*)+", text_of(page))
    named = [dotted for dotted in named if not re.fullmatch(r"libremq\.QM\d", dotted)]  # the logger of a queue manager
    assert [dotted for dotted in named if not is_known(dotted)] == []


@cache
def words() -> set[str]:
    """Every name in the source."""
    return {word for path in SOURCES[0].rglob("*.py") for word in re.findall(r"[A-Za-z_]\w+", path.read_text("utf-8"))}


@pytest.mark.parametrize("page", [page for page in PAGES if page.parent.name == "internals"], ids=name_of)
def test_classes_exist(page: Path) -> None:
    named = [code for code in code_in(page) if re.fullmatch(r"[A-Z][a-z]+[A-Za-z]*(\.\w+)?", code)]
    assert [code for code in named if not set(code.split(".")) <= words()] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_exist(page: Path) -> None:
    known = {command.name for command in COMMANDS} | {"COMMAND", "NAME"}
    typed = [code for code in code_in(page) if code.startswith("libremq ")]
    typed += [line for block in blocks_of(page) for line in re.findall(r"^(?:\$ )?(libremq .*)", block, re.MULTILINE)]
    for line in typed:
        assert re.match(r"libremq ([\w-]+)", line)[1] in known, line  # type: ignore[index]


def test_targets_of_make_exist() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for page in PAGES:
        named = [match[1] for code in code_in(page) if (match := re.match(r"make ([\w-]+)$", code))]
        assert set(named) <= targets, name_of(page)


@cache
def docstrings(path: Path) -> str:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return "\n".join(ast.get_docstring(node) or "" for node in ast.walk(tree) if isinstance(node, kinds))


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_files_that_docstrings_name_exist(source: Path) -> None:
    """A bare name is that of a neighbour; pages and files elsewhere are named with their folders."""
    wrong = []
    for path in source.rglob("*.py"):
        for named in re.findall(r"(?<![\w/.*-])[\w/-]+\.(?:py|md)\b", docstrings(path)):
            if not (is_there(named) if "/" in named else named in NOT_OURS or (path.parent / named).exists()):
                wrong.append(f"{path.relative_to(ROOT)}: {named}")
    assert sorted(wrong) == []


def test_modules_that_docstrings_name_exist() -> None:
    """`aio.pending_calls` and the like: a package of ours, and what is in it. The pipeline knows none of them."""
    source = SOURCES[0]
    packages = "|".join(sorted(path.parent.name for path in source.glob("*/__init__.py")))
    wrong = []
    for path in source.rglob("*.py"):
        if path.is_relative_to(source / "pipeline"):
            continue
        for dotted in re.findall(rf"`(?:libremq\.)?((?:{packages})(?:\.\w+)+)`", docstrings(path)):
            if dotted != "host.example.com" and not is_known(f"libremq.{dotted}"):
                wrong.append(f"{path.relative_to(ROOT)}: {dotted}")
    assert sorted(wrong) == []
