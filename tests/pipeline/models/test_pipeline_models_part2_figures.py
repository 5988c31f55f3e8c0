"""The models of the guide's second part give the source's figures back, on numbers and on columns alike."""

from __future__ import annotations

from typing import Any

import pytest
from helper_model_paths import on_columns, on_numbers, same

from helper_rows import over_rows
from libremq.pipeline.models.published.fixtures_part2 import FIXTURES_PART_2

_NAMES = [f"{fixture.model}-{fixture.lines}" for fixture in FIXTURES_PART_2]


@pytest.fixture(scope="module")
def answers_of_columns() -> list[Any]:
    return on_columns([(fixture.model, fixture.inputs) for fixture in FIXTURES_PART_2])


@pytest.mark.parametrize("path", ["number", "column"])
@over_rows("index", range(len(FIXTURES_PART_2)), ids=_NAMES)
def test_the_model_gives_the_source_figure(index: int, path: str, request: pytest.FixtureRequest) -> None:
    fixture = FIXTURES_PART_2[index]
    number = on_numbers((fixture.model, fixture.inputs))
    answer = number if path == "number" else request.getfixturevalue("answers_of_columns")[index]
    assert fixture.agrees(answer), (answer, fixture.source, fixture.allowed)
    assert same(number, answer), (number, answer)
