"""Every page of the documentation is found from its index, and every link leads somewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from helper_docs import INDEX, PAGES, ROOT, anchors_of, links_of, name_of


def target_of(page: Path, link: str) -> tuple[Path, str]:
    path, _, anchor = link.partition("#")
    return ((page.parent / path).resolve() if path else page), anchor


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    for link in links_of(page):
        target, anchor = target_of(page, link)
        assert target.exists(), link
        assert target.is_relative_to(ROOT), link
        assert not anchor or (target.suffix == ".md" and anchor in anchors_of(target)), link


def test_the_index_leads_to_every_page() -> None:
    listed = {target_of(INDEX, link)[0] for link in links_of(INDEX)}
    assert {name_of(page) for page in PAGES if page != INDEX} - {name_of(page) for page in listed} == set()


def test_the_readme_leads_to_the_index() -> None:
    assert INDEX in {target_of(ROOT / "README.md", link)[0] for link in links_of(ROOT / "README.md")}
