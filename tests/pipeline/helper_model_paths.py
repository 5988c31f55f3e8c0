"""Every model through both of its paths: plain numbers, and columns of a small Spark session.

All cases of a test file go through one Spark job: a case of the same model and inputs is a row, a model is a column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from helper_spark import session

from libremq.pipeline.models.loaded_models import known_models

Case = tuple[str, Mapping[str, Any]]
"""A model and its inputs."""


def on_numbers(case: Case) -> Any:
    name, inputs = case
    return known_models()[name].function(**inputs)


def on_columns(cases: Sequence[Case]) -> list[Any]:
    """The answers of the cases, with each input as a column."""
    spark = session()
    from pyspark.sql import functions as F

    groups: dict[tuple[str, ...], list[int]] = {}
    for index, (name, inputs) in enumerate(cases):
        groups.setdefault((name, *inputs), []).append(index)
    height = max(len(indexes) for indexes in groups.values())

    columns: list[list[Any]] = []
    expressions = []
    for (name, *arguments), indexes in groups.items():
        handed = {}
        for argument in arguments:
            handed[argument] = F.col(f"c{len(columns)}")
            values = [cases[index][1][argument] for index in indexes]
            # Short columns are filled up with their last value, so that no null gets in the way.
            columns.append(_of_one_type(values + values[-1:] * (height - len(values))))
        answer = known_models()[name].function(**handed)
        # A model that was given nothing but its defaults answers with a plain number.
        expressions.append(answer if hasattr(answer, "isNotNull") else F.lit(answer))
    frame = spark.createDataFrame(list(zip(*columns, strict=True)), [f"c{number}" for number in range(len(columns))])
    rows = frame.coalesce(1).select(*expressions).collect()

    answers: list[Any] = [None] * len(cases)
    for position, indexes in enumerate(groups.values()):
        for row, index in zip(rows, indexes, strict=False):
            answers[index] = row[position]
    return answers


def same(number: Any, column: Any) -> bool:
    """Is it the same answer? Rounding of floats apart."""
    if number is None or isinstance(number, bool | str):
        return bool(number == column)
    return bool(column is not None and float(column) == pytest.approx(float(number), rel=1e-12, abs=1e-12))


def _of_one_type(values: list[Any]) -> list[Any]:
    return [float(value) for value in values] if any(isinstance(value, float) for value in values) else values
