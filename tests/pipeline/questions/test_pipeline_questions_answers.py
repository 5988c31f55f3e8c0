"""Answers without tables: figures from what is given, rules judged by facts of the site, and what to give for more."""

from __future__ import annotations

import json
import math
import shlex
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from helper_rows import over_rows
from libremq.pipeline.questions.answer import Answer, Measured, Shown, plain
from libremq.pipeline.questions.ask import ask
from libremq.pipeline.questions.question import Question
from libremq.pipeline.questions.question_catalogue import QUESTIONS, question
from libremq.pipeline.questions.question_inputs import INPUTS, given
from libremq.pipeline.questions.question_text import WIDTH, command_line, figure_text
from libremq.pipeline.rules.rule_catalogue import BY_ID
from libremq.pipeline.rules.site_facts import SiteFacts

each_question = over_rows("asked", QUESTIONS, ids=lambda asked: asked.id)


def figures(answer: Answer) -> dict[str, object]:
    return {each.figure.label: each.value for each in answer.figures}


@each_question
def test_the_example_command_works_out_every_figure(asked: Question) -> None:
    program, command, action, name, *words = shlex.split(command_line(asked))
    assert (program, command, action, name) == ("libremq", "pipeline", "ask", asked.id)
    answer = ask(asked, arguments=given(words))
    assert answer.missing == ()
    for each in answer.figures:
        assert isinstance(each.value, (int, float, str)), each.figure.label
        assert isinstance(each.value, str) or math.isfinite(each.value), each.figure.label
    told = json.loads(json.dumps(answer.as_dict(), allow_nan=False))
    assert [each["unit"] for each in told["figures"]] == [figure.unit for figure in asked.figures]
    assert told["missing"] == []


@each_question
def test_without_anything_an_answer_says_what_to_give(asked: Question) -> None:
    answer = ask(asked)
    text = answer.as_text()
    assert text.startswith(asked.text)
    assert answer.judgement.evaluated == () and answer.judgement.findings == ()
    assert set(answer.judgement.lacking) == set(asked.rules)
    assert "None" not in text and "{" not in text
    for name in answer.missing:
        assert f"  {name} (" in text
        assert f"{name}=" in text
    assert max(len(line) for line in text.splitlines()) <= WIDTH + 30
    json.dumps(answer.as_dict(), allow_nan=False)


def test_site_facts_answer_a_question_and_what_is_given_stands_before_them() -> None:
    site = SiteFacts.of({"site": {"log_dataset_mb": 4096, "log_mb_per_hour_typical": 800, "active_logs": 5}})
    assert figures(ask(question("active-logs"), site=site))["time all active logs hold"] == pytest.approx(25.6)
    answer = ask(question("active-logs"), site=site, arguments={"active_logs": 10})
    assert figures(answer)["time all active logs hold"] == pytest.approx(51.2)
    used = answer.figures[-1].inputs
    assert (used["active_logs"].origin, used["log_dataset_mb"].origin) == ("given", "site")


def test_facts_of_a_queue_manager_count_for_it_alone() -> None:
    site = SiteFacts.of({"site": {"outbuff_kb": 400}, "queue_managers": {"QM01": {"outbuff_kb": 4000}}})
    assert figures(ask(question("log-buffers"), site=site))["log buffers"] == 100
    assert figures(ask(question("log-buffers"), site=site, qmgr="QM01"))["log buffers"] == 1000


def test_rules_of_the_site_judge_without_tables() -> None:
    answer = ask(question("active-logs"), arguments={"active_logs": 2})
    assert [(found["rule"], found["qmgr"]) for found in answer.judgement.findings] == [
        ("active-logs-below-three-checkpoints", None),
        ("active-logs-few", None),
    ]
    assert {"active-logs-few", "active-logs-over-limit"} <= set(answer.judgement.evaluated)
    assert answer.judgement.lacking["log-data-set-tiny"] == ("site fact log_dataset_mb",)
    assert answer.judgement.lacking["log-data-set-fills-fast"] == ("table log",)
    text = answer.as_text()
    assert "WARNING the site  [active-logs-few]" in text
    assert "log-data-set-fills-fast: lacks table log" in text


def test_objects_of_the_site_are_judged_one_by_one() -> None:
    content = {
        "objects": {
            "structure": [
                {"name": "APP1", "cflevel": 2},
                {"name": "APP2", "cflevel": 5},
                {"name": "APP3", "qmgr": "QM09", "cflevel": 1},
            ]
        }
    }
    answer = ask(question("which-cflevel"), site=SiteFacts.of(content))
    low = [found for found in answer.judgement.findings if found["rule"] == "structure-cflevel-low"]
    assert [found["object"] for found in low] == ["APP1", "APP3"]
    assert "structure APP1" in answer.as_text()
    only = ask(question("which-cflevel"), site=SiteFacts.of(content), qmgr="QM01")
    assert [found["object"] for found in only.judgement.findings if found["rule"] == "structure-cflevel-low"] == [
        "APP1"
    ]


def test_the_worst_findings_come_first() -> None:
    severities = ("severe", "warning", "info")
    facts = {**{name: each.example for name, each in INPUTS.items()}, "active_logs": 2.0, "log_dataset_mb": 5000.0}
    answer = ask(question("active-logs"), arguments={name: facts[name] for name in ("active_logs", "log_dataset_mb")})
    order = [severities.index(str(found["severity"])) for found in answer.judgement.findings]
    assert order == sorted(order) and len(set(order)) > 1


def test_a_site_may_set_its_own_threshold() -> None:
    rule = BY_ID["active-logs-few"]
    assert rule.threshold == 4
    site = SiteFacts.of({"site": {"active_logs": 5}, "thresholds": {"active-logs-few": 6}})
    assert "active-logs-few" in {found["rule"] for found in ask(question("active-logs"), site=site).judgement.findings}


def test_an_argument_that_is_no_input_is_refused() -> None:
    with pytest.raises(ValueError, match="near it: active_logs"):
        ask(question("active-logs"), arguments={"active_log": 3})


def test_what_a_model_has_no_answer_for_is_said() -> None:
    open_by_many = ask(question("shared-opens-hurt"), arguments={"interested_queue_managers": 9})
    assert "measured for 1 to 3 queue managers only" in open_by_many.as_text()
    given_by = {"active_logs": 6, "log_dataset_mb": 4096, "log_mb_per_second_peak": 10, "archive_mb_per_second": 50}
    assert (
        "never, archiving keeps up" in ask(question("active-logs-full-before-archived"), arguments=given_by).as_text()
    )


def test_tables_that_are_not_there_or_have_no_rows_are_named() -> None:
    asked = question("log-buffers")
    (rows,) = asked.rows
    start = datetime(2026, 3, 2, 10, tzinfo=UTC)
    there = Answer(
        asked, shown=(Shown(rows, there=True),), measured={"log": Measured(0, 0, None, None)}, with_tables=True
    )
    assert "Table log has no rows." in there.as_text()
    assert "Table log has no rows for it." in there.as_text()
    assert "not there" in Answer(asked, shown=(Shown(rows, there=False),), with_tables=True).as_text()
    assert "not there" not in Answer(asked, shown=(Shown(rows, there=False),)).as_text()
    held = Answer(asked, measured={"log": Measured(1234, 2, start, start)}).as_text()
    assert "Table log: 1,234 rows of 2 queue managers, 2026-03-02 10:00 to 2026-03-02 10:00." in held


def test_a_table_reads_as_one() -> None:
    asked = question("log-buffers")
    row: dict[str, object] = dict.fromkeys(asked.rows[0].expressions(), 1500)
    row |= {"qmgr": "QM01", "interval_start": datetime(2026, 3, 2, 10, 30), "no_log_buffer_wait_pct": None}
    lines = Answer(asked, shown=(Shown(asked.rows[0], True, (row,)),), with_tables=True).as_text().splitlines()
    assert "Table log; highest no log buffer waits first" in lines
    assert "QM01  2026-03-02 10:30" in lines[-1]
    assert lines[-1].count("1,500") == 4 and " - " in lines[-1]


def test_units_are_told_and_large_figures_twice() -> None:
    assert figure_text(16200.0, "MB") == "16,200 MB (15.8 GB)"
    assert figure_text(7200, "seconds") == "7,200 seconds (120 minutes)"
    assert figure_text(0.1234, "MB/s") == "0.123 MB/s"
    assert figure_text("A", "class A, B or C") == "A"
    assert figure_text(True) == "yes"


def test_json_has_no_values_of_its_own() -> None:
    moment = datetime(2026, 3, 2, 10, 30, tzinfo=UTC)
    assert plain({"a": Decimal("1.50"), "b": Decimal("3"), "c": (moment, float("nan")), "d": b"\x01"}) == {
        "a": 1.5,
        "b": 3,
        "c": ["2026-03-02T10:30:00+00:00", None],
        "d": "01",
    }
