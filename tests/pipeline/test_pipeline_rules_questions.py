"""Questions: all are there, their data is sound, and they answer from facts, arguments and tables."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest

from libremq.pipeline.questions.ask import ask
from libremq.pipeline.questions.catalogue import QUESTIONS, question
from libremq.pipeline.questions.question import Question, problems
from libremq.pipeline.rules.settings import SETTINGS
from libremq.pipeline.rules.site import SiteFacts

ASKED = [f"1/Q-{n:02d}" for n in range(1, 64)] + [f"2/{n}" for n in range(1, 43)] + [f"3/{n}" for n in range(1, 25)]

each_question = pytest.mark.parametrize("asked", QUESTIONS, ids=lambda asked: asked.id)


def test_every_question_of_the_sources_is_there_once() -> None:
    assert sorted(asked.source for asked in QUESTIONS) == sorted(ASKED)
    assert len({asked.id for asked in QUESTIONS}) == len(QUESTIONS)
    assert len({asked.text for asked in QUESTIONS}) == len(QUESTIONS)


@each_question
def test_what_answers_a_question_exists(asked: Question) -> None:
    assert problems(asked) == []
    assert asked.text.endswith("?")


def _given(asked: Question) -> dict[str, Any]:
    """Any value of the right kind for all that its figures use."""
    words: dict[str, Any] = {"tls_cipher_name": "TLS_AES_256_GCM_SHA384", "compression": "ZLIBFAST"}
    words |= {"log_mb_per_second_peak": 9.0, "later_progress_rba": 8.0, "interested_queue_managers": 2.0}
    kinds = {"number": 7.0, "flag": True, "word": ""}
    names = [*asked.arguments, *asked.settings, *asked.measured]
    return {n: words.get(n, kinds[SETTINGS[n].kind] if n in SETTINGS else 7.0) for n in names}


@each_question
def test_figures_are_worked_out_from_what_is_given(asked: Question) -> None:
    answer = ask(asked, arguments=_given(asked))
    assert [figure.missing for figure in answer.figures] == [()] * len(asked.figures)
    assert all(figure.value is not None for figure in answer.figures)
    json.dumps(answer.as_dict())
    assert asked.text in answer.as_text()


def test_without_facts_an_answer_says_what_to_give() -> None:
    answer = ask(question("active-logs"))
    text = answer.as_text()
    assert "give log_mb_per_second_peak (or table log)" in text
    assert "give log_dataset_mb, log_mb_per_hour_typical" in text
    assert "not evaluated: active-logs-few" in text
    assert "found nothing wrong" not in text


def test_site_facts_answer_a_question() -> None:
    site = SiteFacts.of({"site": {"log_dataset_mb": 4096, "log_mb_per_hour_typical": 800, "active_logs": 5}})
    figures = {figure.label: figure.value for figure in ask(question("active-logs"), site=site).figures}
    assert figures["hours that all hold"] == pytest.approx(25.6)
    given = ask(question("active-logs"), site=site, arguments={"active_logs": 10})
    assert {figure.label: figure.value for figure in given.figures}["hours that all hold"] == pytest.approx(51.2)


def test_an_unknown_question_is_answered_with_ones_that_are_near() -> None:
    with pytest.raises(ValueError, match="active-logs"):
        question("active-log")


def test_tables_answer_a_question() -> None:
    pytest.importorskip("pyspark")
    from helper_spark import session

    moment = datetime(2024, 5, 6, 10)
    schema = (
        "qmgr string, system string, interval_start timestamp, interval_end timestamp, log_mb_per_second double,"
        " no_log_buffer_waits bigint, log_requests bigint"
    )
    rows = [(qmgr, "SYS1", moment, moment, rate, waits, 100) for qmgr, rate, waits in (("A", 5.0, 0), ("B", 9.0, 3))]
    tables = {"log": session().createDataFrame(rows, schema)}
    peak = {figure.label: figure.value for figure in ask(question("active-logs"), tables).figures}
    assert peak["size for half an hour at the peak, MB"] == pytest.approx(9 * 1800)
    narrowed = {figure.label: figure.value for figure in ask(question("active-logs"), tables, qmgr="A").figures}
    assert narrowed["size for half an hour at the peak, MB"] == pytest.approx(5 * 1800)
    answer = ask(question("log-buffers"), tables)
    assert [(found["qmgr"], found["rule"]) for found in answer.findings] == [("B", "log-buffers-short")]
    assert [row["qmgr"] for row in answer.rows] == ["B", "A"]
    assert answer.not_evaluated == {"log-buffers-short-at-maximum": ("site fact outbuff_kb",)}
    assert "[warning] B" in answer.as_text()
