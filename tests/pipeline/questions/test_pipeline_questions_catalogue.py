"""Questions as data: all of the sources are there once, and what answers them exists."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from libremq.pipeline.questions.question import Figure, Question, Rows, problems
from libremq.pipeline.questions.question_catalogue import QUESTIONS, SUBJECTS, find_questions, listing, question
from libremq.pipeline.questions.question_inputs import INPUTS, checked, given
from libremq.pipeline.questions.questions_page import questions_page
from libremq.pipeline.rules.expressions import parse
from libremq.pipeline.tables.subjects import SUBJECTS as TABLES

ASKED = {f"1/Q-{n:02d}" for n in range(1, 64)} | {f"2/{n}" for n in range(1, 43)} | {f"3/{n}" for n in range(1, 25)}
PAGE = Path(__file__).parents[3] / "docs" / "pipeline" / "questions.md"

each_question = pytest.mark.parametrize("asked", QUESTIONS, ids=lambda asked: asked.id)


def test_every_question_of_the_sources_is_there_once() -> None:
    assert sorted(asked.source for asked in QUESTIONS) == sorted(ASKED)
    assert len({asked.id for asked in QUESTIONS}) == len(QUESTIONS)
    assert len({asked.text for asked in QUESTIONS}) == len(QUESTIONS)


@pytest.mark.skipif("LIBREMQ_FACTS" not in os.environ, reason="LIBREMQ_FACTS names no folder of fact files")
def test_the_fact_files_ask_no_other_questions() -> None:
    found: set[str] = set()
    for part in (1, 2, 3):
        text = (Path(os.environ["LIBREMQ_FACTS"]) / f"mp16-part{part}.md").read_text("utf-8")
        section = re.split(r"^#+ 6\. ", re.split(r"^#+ 5\. ", text, flags=re.M)[1], flags=re.M)[0]
        numbers = re.findall(r"^\| (Q-\d+) \|" if part == 1 else r"^(\d+)\. ", section, flags=re.M)
        found |= {f"{part}/{number}" for number in numbers}
    assert found == ASKED


@each_question
def test_what_answers_a_question_exists(asked: Question) -> None:
    assert problems(asked) == []
    assert asked.text.endswith("?")
    assert set(asked.tables) <= set(TABLES)
    assert re.fullmatch(r"L\d+(-L\d+)?(, L\d+(-L\d+)?)*", asked.lines)


def test_problems_are_found() -> None:
    wrong = Question(
        id="wrong",
        text="What?",
        source="1/Q-99",
        lines="L1",
        rules=("no-such-rule",),
        figures=(
            Figure("a", "no_such_input * 2", "bytes"),
            Figure("a", "message_bytes_typical / 2"),
            Figure("b", "log_buffers(outbuff_kb)", "buffers"),
            Figure("c", "no_such_model(1)", "bytes"),
        ),
        rows=(
            Rows("log", ("qmgr", "no_such_column"), "sum(log_bytes)"),
            Rows("log", ("x = log_bytes",), "1", by=("qmgr",)),
        ),
    )
    assert sorted(problems(wrong)) == sorted(
        [
            "no rule no-such-rule",
            "no_such_input is not described in inputs",
            "'a' has no unit",
            "'b' has the unit of its model, buffers: state none",
            "'no_such_model(1)': no_such_model is neither a function nor a model",
            "two figures are called 'a'",
            "log has no column no_such_column",
            "an aggregate over log without a group",
            "'log_bytes' is not the same in a group",
        ]
    )
    assert problems(Question(id="empty", text="What?", source="1/Q-99", lines="L1")) == ["nothing answers it"]


def test_every_input_is_used_and_measured_by_columns_there_are() -> None:
    assert set(INPUTS) == {name for asked in QUESTIONS for name in asked.inputs}
    for described in INPUTS.values():
        assert described.meaning and (described.unit or described.kind == "flag")
        assert isinstance(described.example, {"number": float, "flag": bool, "word": str}[described.kind])
        if described.measured:
            parsed = parse(described.expression)
            assert parsed.aggregates
            assert set(parsed.names) <= {column.name for column in TABLES[described.table].columns}


def test_questions_are_found_by_id_by_source_and_by_words() -> None:
    assert question("active-logs") is question("1/Q-06")
    with pytest.raises(ValueError, match="near it: active-logs"):
        question("active-log")
    with pytest.raises(ValueError, match="--list"):
        question("xyzzy")
    assert find_questions("active logs many")[0].id == "active-logs"
    assert "batch-settings" in {asked.id for asked in find_questions("NPMSPEED")}
    assert find_questions("xyzzy") == ()


def test_the_list_is_by_subject() -> None:
    lines = listing().splitlines()
    assert [line for line in lines if line and not line.startswith(" ")] == list(SUBJECTS)
    assert sum(line.startswith("  ") for line in lines) == len(QUESTIONS)
    assert listing([question("duplex")]) == (
        "Queue sharing\n  duplex  Should structures be duplexed, and at what cost?"
    )
    assert listing([]) == ""


def test_inputs_are_read_from_words() -> None:
    assert given(["active_logs=6", "mirrored=yes", "tls_cipher_name = ANY", "failure_rba=0x10", "users=1,500"]) == {
        "active_logs": 6.0,
        "mirrored": True,
        "tls_cipher_name": "ANY",
        "failure_rba": 16.0,
        "users": 1500.0,
    }
    assert checked({"active_logs": 6, "mirrored": False}) == {"active_logs": 6.0, "mirrored": False}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("active_logs", "given as name=value"),
        ("active_log=3", "near it: active_logs"),
        ("active_logs=many", "is a number, in data sets"),
        ("active_logs=inf", "is a number, in data sets"),
        ("mirrored=2", "is yes or no"),
    ],
)
def test_inputs_that_cannot_be_used_are_refused(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        given([text])


def test_the_page_is_up_to_date() -> None:
    told = "run python -m libremq.pipeline.questions.questions_page > docs/pipeline/questions.md"
    assert PAGE.read_text("utf-8") == questions_page(), told
