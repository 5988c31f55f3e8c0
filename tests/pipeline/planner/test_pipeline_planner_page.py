"""The page of the planner is what the plans say."""

from __future__ import annotations

from pathlib import Path

from libremq.pipeline.planner.planner_page import planner_page

PAGE = Path(__file__).parents[3] / "docs" / "pipeline" / "planner.md"


def test_the_page_is_up_to_date() -> None:
    how = "run python -m libremq.pipeline.planner.planner_page > docs/pipeline/planner.md"
    assert PAGE.read_text("utf-8") == planner_page(), how
