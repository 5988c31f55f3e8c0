"""Everything here runs on Python 3.11.0: nothing uses what came with a later 3.11, or with a later Python.

mypy and ruff know that 3.11 is the oldest one, but not of which patch: Python adds to its library in those, too, when
security asks for it. And they do not look into every folder.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("src", "tests", "bench", "soak", "interop", "packages", "examples")

# By the name of a function, its keywords that are newer
KEYWORDS = {
    "extract": {"filter"}, "extractall": {"filter"}, "unpack_archive": {"filter"},  # 3.11.4
    "getaddresses": {"strict"}, "parseaddr": {"strict"},  # 3.11.10
    "rmtree": {"onexc"}, "NamedTemporaryFile": {"delete_on_close"}, "TemporaryDirectory": {"delete"},
    "relative_to": {"walk_up"}, "glob": {"case_sensitive"}, "rglob": {"case_sensitive"}, "match": {"case_sensitive"},
    "run": {"loop_factory"}, "shutdown": {"immediate"},
}  # fmt: skip
MODULES_OF = {"run": "asyncio"}  # for names that others have, too

# Of modules and classes
NAMES = {
    "data_filter", "tar_filter", "fully_trusted_filter", "extraction_filter",  # tarfile, 3.11.4
    "SetReparseDeferralEnabled",  # xml.parsers.expat, 3.11.9
    "batched", "sumprod", "process_cpu_count", "markcoroutinefunction", "eager_task_factory", "full_match",
    "from_uri", "close_clients", "abort_clients",
}  # fmt: skip


def newer(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = node.func
            name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            owner = getattr(getattr(function, "value", None), "id", "")
            if name in MODULES_OF and owner != MODULES_OF[name]:
                continue
            for keyword in node.keywords:
                if keyword.arg in KEYWORDS.get(name, ()):
                    yield f"line {node.lineno}: {name}({keyword.arg}=)"
        elif isinstance(node, ast.Attribute) and node.attr in NAMES:
            yield f"line {node.lineno}: {node.attr}"
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield from (f"line {node.lineno}: {one.name}" for one in node.names if one.name in NAMES)


@pytest.mark.parametrize("folder", FOLDERS)
def test_nothing_is_newer_than_the_oldest_python(folder: str) -> None:
    paths = sorted((ROOT / folder).rglob("*.py"))
    assert paths
    for path in paths:
        text = path.read_text(encoding="utf-8")
        found = list(newer(ast.parse(text, feature_version=(3, 11))))
        assert not found, f"{path.relative_to(ROOT)}: {', '.join(found)}"


@pytest.mark.parametrize(
    "text",
    [
        "tar.extractall(folder, filter='data')", "shutil.unpack_archive(path, filter='data')",
        "from itertools import batched", "tarfile.data_filter", "shutil.rmtree(path, onexc=print)",
        "asyncio.run(main(), loop_factory=uvloop.new_event_loop)",
    ],
)  # fmt: skip
def test_what_is_newer_is_found(text: str) -> None:
    assert list(newer(ast.parse(text)))
