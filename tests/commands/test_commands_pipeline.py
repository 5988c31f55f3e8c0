"""`libremq pipeline` as a user meets it: wrong words, missing tables, and one session from dumps to a report."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from libremq.commands import main


class Pipeline:
    """`libremq pipeline` in a folder of its own."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *words: str) -> tuple[int, str, str]:
        try:
            code = main.main(("pipeline", *words))
        except SystemExit as stop:
            code = int(stop.code or 0)
        told = self._capsys.readouterr()
        return code, told.out, told.err

    def good(self, *words: str) -> str:
        code, out, err = self(*words, "--quiet")
        assert (code, err) == (0, ""), err
        return out

    def bad(self, *words: str) -> tuple[int, str]:
        code, out, err = self(*words, "--quiet")
        assert out == ""
        assert "Traceback" not in err
        return code, err


@pytest.fixture
def pipeline(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pipeline:
    pytest.importorskip("pyspark")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LIBREMQ_TABLES", raising=False)
    return Pipeline(capsys)


@pytest.fixture
def no_pyspark(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installation without the extra."""
    for name in [name for name in sys.modules if name.split(".")[0] == "pyspark" or "cli_pipeline_actions" in name]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyspark", None)
    yield


def test_without_the_extra_it_says_what_to_install(
    no_pyspark: None, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main.main(["pipeline", "tables", "--tables", str(tmp_path)]) == 1
    assert "pip install 'libremq[pipeline]'" in capsys.readouterr().err


def test_every_action_without_tables_says_how_to_get_some(pipeline: Pipeline) -> None:
    for action in ("tables", "findings", "forecast", "report"):
        code, err = pipeline.bad(action)
        assert code == 1
        assert err == (
            "libremq pipeline: no tables in mq-tables: run `libremq pipeline ingest DUMP... --tables mq-tables` first\n"
        )


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        ((), 2, "the following arguments are required: ACTION"),
        (("dance",), 2, "invalid choice: 'dance'"),
        (("ingest",), 2, "DUMP"),
        (("ingest", "nowhere.dat"), 1, "no dump at nowhere.dat"),
        (("ask",), 2, "ask --list"),
        (("ask", "log-rate-neded"), 1, "log-rate-needed"),
        (("ask", "log-rate-needed", "bytes"), 1, "'bytes': inputs are given as name=value"),
        (("ask", "--search", "zzzz"), 1, "no question has the words 'zzzz'"),
        (("forecast", "--days", "0"), 2, "0 days is not between 1 and 730"),
        (("report", "--days", "100000"), 2, "100000 days is not between 1 and 730"),
        (("generate", "x", "--sick", "flu"), 1, "no sickness flu"),
        (("generate", "x", "--days", "0"), 2, "--days 0"),
        (("generate", "x", "--queue-managers", "-1"), 2, "-1 is less than nothing"),
    ],
)
def test_wrong_words_are_a_line_and_a_code(pipeline: Pipeline, words: tuple[str, ...], code: int, told: str) -> None:
    found, err = pipeline.bad(*words)
    assert (found, told in err) == (code, True), err


def test_dumps_go_into_a_new_folder_only(pipeline: Pipeline) -> None:
    Path("full").mkdir()
    Path("full", "letter").write_text("keep me")
    assert "full is not empty" in pipeline.bad("generate", "full")[1]
    assert [path.name for path in Path("full").iterdir()] == ["letter"]


def test_the_sicknesses_can_be_listed(pipeline: Pipeline) -> None:
    assert "log-buffers-short" in pipeline.good("generate", "x", "--sick", "list")
    assert not Path("x").exists()


def test_questions_are_listed_and_searched(pipeline: Pipeline) -> None:
    everything = pipeline.good("ask", "--list")
    assert "log-rate-needed" in everything
    some = pipeline.good("ask", "--search", "log rate")
    assert "log-rate-needed" in some and len(some) < len(everything)
    listed = json.loads(pipeline.good("ask", "--list", "--json"))
    assert {"id", "text", "source"} <= set(listed[0])


def test_a_question_is_answered_from_what_is_given(pipeline: Pipeline) -> None:
    out = pipeline.good("ask", "persistent-rate-of-devices", "message_bytes_typical=1024", "log_mb_per_second_max=100")
    assert "messages a second at most" in out and "not known" not in out


@pytest.mark.timeout(900)  # all of the pipeline, which may be the first to start Spark
def test_from_dumps_to_a_report(pipeline: Pipeline) -> None:
    """The whole way, in the order in which a user goes it."""
    from helper_spark import session

    session()
    made = pipeline.good(
        "generate", "site", "--days", "1", "--queue-managers", "2", "--interval", "60", "--sick", "log-buffers-short"
    )
    assert "QM01: log records wait for a free log buffer" in made

    first = pipeline.good("ingest", "site/dumps")
    assert " 0 quarantined" in first
    again = pipeline.good("ingest", "site/dumps")
    assert all("nothing added" in line for line in again.splitlines())

    tables = pipeline.good("tables")
    assert "conformed/" in tables and "buffer_pool" in tables
    rows = pipeline.good("tables", "log", "--columns", "qmgr,no_log_buffer_waits", "--limit", "0", "--csv")
    assert rows.startswith("qmgr,no_log_buffer_waits")
    counted = sum(len(file.read_bytes()) > 0 for file in Path("site/dumps").iterdir())
    assert len(first.splitlines()) == counted
    assert "no table bufferpool; buffer_pool" in pipeline.bad("tables", "bufferpool")[1]
    assert "`foo` cannot be resolved" in pipeline.bad("tables", "log", "--where", "foo = 1")[1]

    found = pipeline.good("findings", "--site", "site/site.json")
    assert "WARNING QM01: log-buffers-short" in found
    assert "rules were evaluated" in found
    each = json.loads(pipeline.good("findings", "--site", "site/site.json", "--rule", "log-buffers-short", "--json"))
    assert {row["qmgr"] for row in each} == {"QM01"}
    assert "site fact" in pipeline.good("findings", "--coverage")

    assert "QM01 log rate is not forecast: too little history" in pipeline.good("forecast", "--site", "site/site.json")
    pipeline.good("report", "--site", "site/site.json", "-o", "out.html")  # of Markdown: test_pipeline_report_page.py
    page = Path("out.html").read_text(encoding="utf-8")
    assert page.lower().startswith("<!doctype html>") and "log-buffers-short" in page
    assert pipeline.bad("report", "-o", "no/such/folder/out.html")[0] == 2
    assert "site is a folder" in pipeline.bad("report", "-o", "site")[1]
    for action in (("findings",), ("forecast",), ("ask", "log-rate-needed")):
        told = pipeline.bad(*action, "--qmgr", "QM99")
        assert told == (1, "libremq pipeline: no records of queue manager QM99; there are QM01, QM02\n")
    every = pipeline.good("tables", "log", "--columns", "qmgr", "--limit", "9999999999", "--csv")
    assert len(every.splitlines()) == len(rows.splitlines())


def test_the_command_line_and_the_forecast_agree_how_far_it_goes() -> None:
    pytest.importorskip("pyspark")
    from libremq.commands.pipeline.pipeline_command import HORIZON_DAYS_MAX
    from libremq.pipeline.forecast import build

    assert HORIZON_DAYS_MAX == build.HORIZON_DAYS_MAX


def test_of_a_worker_that_failed_the_reason_is_told() -> None:
    from libremq.commands.pipeline.pipeline_command import _first_lines

    told = (
        "An exception was thrown from the Python worker:\nTraceback (most recent call last):\n"
        '  File "raw.py", line 212, in task\n    self.close()\n'
        "OSError: [Errno 28] No space left on device\n\n\tat org.apache.spark.Task.run(Task.scala:1)\n"
    )
    assert _first_lines(RuntimeError(told)) == "a worker failed: [Errno 28] No space left on device"
