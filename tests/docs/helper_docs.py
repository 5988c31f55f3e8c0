"""The pages of the documentation as the tests read them: text, headings, links, and what stands in backticks."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
INDEX = ROOT / "docs" / "README.md"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

_FENCE = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_CODE = re.compile(r"`([^`\n]+)`")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@cache
def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def prose_of(page: Path) -> str:
    """The text without blocks of code."""
    return _FENCE.sub("", text_of(page))


def blocks_of(page: Path) -> list[str]:
    """The blocks of code."""
    return [found[0] for found in _FENCE.finditer(text_of(page))]


def code_in(page: Path) -> list[str]:
    """What stands in backticks, outside of blocks."""
    return _CODE.findall(prose_of(page))


def links_of(page: Path) -> list[str]:
    """Where links lead, but for those to other sites."""
    found = _LINK.findall(_CODE.sub("", prose_of(page)))
    return [link for link in found if not re.match(r"[a-z]+:", link)]


@cache
def anchors_of(page: Path) -> set[str]:
    """The names of the headings, as GitHub makes them; the second of a name has a number."""
    anchors: set[str] = set()
    for heading in re.findall(r"^#+ +(.*)$", prose_of(page), re.MULTILINE):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        slug = re.sub(r"[^\w\- ]", "", shown).replace(" ", "-")
        number = 0
        while (name := slug if not number else f"{slug}-{number}") in anchors:
            number += 1
        anchors.add(name)
    return anchors
