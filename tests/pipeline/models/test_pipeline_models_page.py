"""The page that sets our figures beside the source's is what the fixtures say, and says nothing that fails."""

from __future__ import annotations

from pathlib import Path

from libremq.pipeline.models.loaded_models import known_models
from libremq.pipeline.models.published.figures_page import FIXTURES, models_page

PAGE = Path(__file__).parents[3] / "docs" / "pipeline" / "models.md"


def test_the_page_is_up_to_date() -> None:
    how = "run python -m libremq.pipeline.models.published.figures_page > docs/pipeline/models.md"
    assert PAGE.read_text("utf-8") == models_page(), how


def test_every_model_is_on_the_page() -> None:
    page = models_page()
    assert [name for name in known_models() if f"`{name}`" not in page] == []
    assert [line for line in page.splitlines() if "FAILS" in line] == []
    for fixture in FIXTURES[::50]:
        assert f"`{fixture.model}`" in page
