"""The example of the pipeline does what it says: with the session of the test process, which it may not end."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

pytest.importorskip("pyspark")
from helper_spark import session
from pyspark.sql import SparkSession

_EXAMPLE = Path(__file__).parents[2] / "examples" / "smf_findings.py"


def test_an_example(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    session()
    ended: list[SparkSession] = []
    monkeypatch.setattr(SparkSession, "stop", lambda ending: ended.append(ending))
    runpy.run_path(str(_EXAMPLE), run_name="__main__")
    assert capsys.readouterr().out.splitlines() == [
        "all records accounted for: True",
        "intervals that waited for log buffers: 3",
        "QM01 warning log-buffers-short 3",
    ]
    assert ended == [session()]
