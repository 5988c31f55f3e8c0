"""Inputs of a plan measured on conformed tables, through Spark."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")
import pyarrow as pa
from helper_spark import session
from helper_tables_conformed import write

from libremq.commands.main import main
from libremq.pipeline.planner.measuring import measured
from libremq.pipeline.planner.plan_catalogue import PLANS

MB = 1024 * 1024


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two queue managers with two intervals each; columns that no plan asks for are not there and read as null."""
    root = tmp_path_factory.mktemp("site")
    for qmgr, rates in (("QM01", (2.0, 4.0)), ("QM02", (1.0, 8.0))):
        rows: dict[str, list[Any]] = {
            "interval_seconds": [60.0, 60.0],
            "log_mb_per_second": list(rates),
            "log_bytes": [round(rate * 60 * MB) for rate in rates],
        }
        _write(root, "log", qmgr, rows)
    messages = {"persistent_puts": [100, 300], "persistent_put_bytes": [100_000, 900_000]}
    _write(root, "message_manager", "QM01", messages | {"persistent_puts_per_second": [100 / 60, 5.0]})
    return root


def _write(root: Path, table: str, qmgr: str, rows: dict[str, list[Any]]) -> None:
    length = len(next(iter(rows.values())))
    write(root, table, "2026-03-02", pa.table({**rows, "qmgr": [qmgr] * length}))


def test_tables_tell_the_inputs_of_a_plan(site: Path) -> None:
    plan = PLANS["log"]
    assert measured(session(), site, plan) == {
        "message_bytes": 2500.0,
        "messages_per_second": 5.0,
        "log_mb_per_second_peak": 8.0,
        "log_mb_per_hour": pytest.approx(3600 * (2 + 4 + 1 + 8) / 4),
    }
    one = measured(session(), site, plan, "QM02", leave_out=("log_mb_per_hour",))
    assert one == {"log_mb_per_second_peak": 8.0}


def test_the_command_measures_what_was_not_given(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session()
    words = ["plan", "log", "--tables", str(site), "--qmgr", "QM01", "--log-mb-per-hour", "100", "--json"]
    assert main(words) == 0
    answer = json.loads(capsys.readouterr().out)
    inputs = {each["name"]: (each["value"], each["from"]) for each in answer["inputs"]}
    assert inputs["log_mb_per_hour"] == (100.0, "command line")
    assert inputs["log_mb_per_second_peak"] == (4.0, "measured: highest(log_mb_per_second) of table log, QM01")
    assert inputs["log_copies"] == (2, "default")
    values = {step["name"]: step["value"] for step in answer["steps"]}
    assert values["log_rate"] == 4.0


def test_a_queue_manager_without_tables_is_told(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "log", "--tables", str(site), "--qmgr", "QM09"]) == 2
    assert capsys.readouterr().err == f"libremq plan: {site}: no tables of queue manager QM09; there are QM01, QM02\n"
