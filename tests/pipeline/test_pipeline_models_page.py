"""The page that sets our figures beside the source's is what the fixtures say, and says nothing that fails."""

from __future__ import annotations

from pathlib import Path

from libremq.pipeline.models.page import FIXTURES, models_page
from libremq.pipeline.models.registry import MODELS
from libremq.pipeline.rules.models import known_models

PAGE = Path(__file__).parents[2] / "docs" / "pipeline" / "models.md"


def test_the_page_is_up_to_date() -> None:
    how = "run python -m libremq.pipeline.models.page > docs/pipeline/models.md"
    assert PAGE.read_text("utf-8") == models_page(), how


def test_every_model_is_on_the_page() -> None:
    page = models_page()
    assert len(MODELS) == len(known_models())
    assert [name for name in MODELS if f"`{name}`" not in page] == []
    assert [line for line in page.splitlines() if "FAILS" in line] == []
    for fixture in FIXTURES[::50]:
        assert f"`{fixture.model}`" in page
