"""The language of conditions: what it refuses, and that unknown values stay unknown."""

from __future__ import annotations

from typing import Any

import pytest

from libremq.pipeline.models import sql
from libremq.pipeline.models.sql import Sql
from libremq.pipeline.rules.expressions import ExpressionError, parse, work_out
from libremq.pipeline.rules.rule_columns import SqlAlgebra


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "open('/etc/passwd')",
        "a.b.c",
        "a[0]",
        "[a for a in b]",
        "lambda: 1",
        "a := 1",
        "f'{a}'",
        "a ** 2",
        "a is None",
        "a in b",
        "min(a)",
        "matches(a, b)",
        "sum(sum(a))",
        "sum()",
        "days(a)",
        "no_such_model(a)",
        "pages_per_message(**a)",
        "a +",
        "b'x'",
    ],
)
def test_what_is_not_in_the_language_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        parse(text)


ON_VALUES: list[tuple[str, dict[str, Any], object]] = [
    ("a + b * 2 - 1", {"a": 1, "b": 3}, 6),
    ("-a", {"a": 2}, -2),
    ("a / b", {"a": 1, "b": 0}, None),
    ("a % b", {"a": 7, "b": 4}, 3),
    ("a > 1", {"a": None}, None),
    ("1 < a <= 3", {"a": 3}, True),
    ("1 < a <= 3", {"a": 1}, False),
    ("a > 1 and b > 1", {"a": None, "b": 0}, False),
    ("a > 1 and b > 1", {"a": None, "b": 2}, None),
    ("a > 1 or b > 1", {"a": None, "b": 2}, True),
    ("a > 1 or b > 1", {"a": None, "b": 0}, None),
    ("not a", {"a": None}, None),
    ("a in ('x', 'y')", {"a": "y"}, True),
    ("a not in ('x', 'y')", {"a": "z"}, True),
    ("max(a, b)", {"a": 1, "b": None}, None),
    ("min(a, b, 5)", {"a": 9, "b": 7}, 5),
    ("either(a, 4)", {"a": None}, 4),
    ("known(a)", {"a": None}, False),
    ("matches(a, 'SYSTEM.*')", {"a": "SYSTEM.ADMIN"}, True),
    ("matches(a, 'SYSTEM.*')", {"a": "SYSTEMXADMIN"}, False),
    ("1 if a else 2", {"a": None}, 2),
    ("ceil(a) + floor(a) + abs(0 - a)", {"a": 1.5}, 4.5),
    ("log_fill_seconds(a, b)", {"a": 100, "b": 10}, 10),
    ("log_fill_seconds(a, b)", {"a": 100, "b": 0}, None),
    ("log_fill_seconds(a, b)", {"a": None, "b": 10}, None),
]

ON_ROWS = [
    ("sum(a)", 6),
    ("mean(a)", 2),
    ("highest(a) - lowest(a)", 2),
    ("count()", 4),
    ("count(a > 1)", 2),
    ("days()", 4),
    ("share(a > 1)", 2 / 3),
    ("distinct(a)", 3),
    ("first(a)", 1),
    ("last(a)", 3),
    ("trend(a)", 1),
    ("sum(a * k) / k", 6),
]
ROWS: list[dict[str, Any]] = [{"a": 1, "k": 2}, {"a": 2, "k": 2}, {"a": 3, "k": 2}, {"a": None, "k": 2}]


@pytest.mark.parametrize(("text", "values", "answer"), ON_VALUES)
def test_expressions_on_plain_values(text: str, values: dict[str, Any], answer: object) -> None:
    assert parse(text).on(values) == answer


@pytest.mark.parametrize(("text", "answer"), ON_ROWS)
def test_aggregates_pass_over_unknown_rows(text: str, answer: float) -> None:
    assert parse(text).on(ROWS[0], ROWS) == pytest.approx(answer)


def test_names_inside_either_and_known_are_optional() -> None:
    expression = parse("a > 1 and either(b, 0) > 1 and known(c) and log.x > 0 and either(a, 1) > 0")
    assert expression.names == ("a", "b", "c", "log.x")
    assert expression.optional == {"b", "c"}


def test_both_meanings_agree_on_values_and_on_rows() -> None:
    pytest.importorskip("pyspark")
    from helper_spark import session

    def worked(text: str, values: dict[str, Any]) -> str:
        def bind(name: str) -> Sql:
            flag = text in ("not a", "1 if a else 2")
            kind = "boolean" if flag else "string" if isinstance(values[name], str) else "double"
            return sql.cast(values[name], kind)

        return sql.lit(work_out(parse(text).tree, SqlAlgebra(bind))).text

    values = [f"{worked(text, values)} AS c{place}" for place, (text, values, _) in enumerate(ON_VALUES)]
    (row,) = session().range(1).selectExpr(*values).collect()
    assert list(row) == [answer for _, _, answer in ON_VALUES]
    rows = [(float(day), None if each["a"] is None else float(each["a"]), 2.0) for day, each in enumerate(ROWS)]
    frame = session().createDataFrame(rows, "day double, a double, k double")
    algebra = SqlAlgebra(sql.name, day=sql.name("day"))
    texts = [sql.lit(work_out(parse(text).tree, algebra)).text for text, _ in ON_ROWS if "/ k" not in text]
    (row,) = frame.selectExpr(*texts).collect()
    assert list(row) == pytest.approx([answer for text, answer in ON_ROWS if "/ k" not in text])


def test_words_are_quoted_and_choices_in_a_model_stay_choices() -> None:
    assert sql.lit("it's \\ fine").text == "'it\\'s \\\\ fine'"
    with pytest.raises(TypeError, match="row by row"):
        bool(sql.name("a") > 1)
