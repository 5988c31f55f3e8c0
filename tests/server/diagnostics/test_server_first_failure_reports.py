"""First-failure reports: what they hold, how many there are, and that writing one never fails."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from libremq.server.diagnostics import first_failure_reports
from libremq.server.diagnostics.first_failure_reports import REPORTS_MAX, Failure, write_report


@pytest.fixture(autouse=True)
def none_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_failure_reports, "_written", {})


def failure(probe: str = "QM001010", error: BaseException | None = None) -> Failure:
    return Failure(
        queue_manager="QM1",
        probe=probe,
        component="kernel",
        reason="the log could not be written, and that is a long story which does not fit in one line of the box",
        comment="end of the queue manager",
        error=error,
        error_log=["2026-11-14T10:00:00.000Z AMQ7472E: Object damaged"],
        figures={"log tail": 4711, "connections": 3},
        more={"Services": ["listener running"]},
    )


def raised() -> BaseException:
    try:
        raise OSError(5, "Input/output error")
    except OSError as error:
        return error


def test_a_report_has_what_one_needs(tmp_path: Path) -> None:
    path = Path(write_report(str(tmp_path), failure(error=raised()), now=1_794_700_000.0))
    assert re.fullmatch(r"AMQ\d+\.0\.FDC", path.name)
    assert path.parent == tmp_path / "errors"
    assert path.stat().st_mode & 0o777 == 0o600
    text = path.read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (\S.*?) +:- (.*?) +\|$", text, re.MULTILINE))
    assert rows["Date/Time"].startswith("2026-11-14T")
    assert (rows["Product"], rows["Queue Manager"], rows["Probe Id"]) == ("LibreMQ", "QM1", "QM001010")
    assert (rows["Component"], rows["Comment"]) == ("kernel", "end of the queue manager")
    assert (rows["Major Code"], rows["Minor Code"]) == ("OSError", "[Errno 5] Input/output error")
    assert {"Version", "Python", "System", "Process", "User", "Host Name"} <= rows.keys()
    box = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(line) for line in box} == {78}
    assert "does not fit in one line of the box" in " ".join(line.strip("| ") for line in box)
    assert "in raised" in text.partition("Traceback\n")[2]
    assert "AMQ7472E: Object damaged" in text.partition("\nError log\n")[2]
    assert re.search(r"^log tail +4711$", text.partition("\nFigures\n")[2], re.MULTILINE)
    assert "listener running" in text.partition("\nServices\n")[2]
    assert "Thread MainThread:" in text.partition("\nThreads\n")[2]
    assert "open files" in text.partition("\nProcess\n")[2]


def test_the_first_ones_tell_the_story(tmp_path: Path) -> None:
    paths = [write_report(str(tmp_path), failure("QM001020")) for _ in range(10)]
    assert [bool(path) for path in paths] == [True] * 3 + [False] * 7
    assert len(set(paths[:3])) == 3
    for number in range(2 * REPORTS_MAX):
        write_report(str(tmp_path), failure(f"QM9{number:05}"))
    assert len(list((tmp_path / "errors").iterdir())) == REPORTS_MAX


def test_a_report_of_long_ago_is_kept(tmp_path: Path) -> None:
    first = Path(write_report(str(tmp_path), failure()))
    first.write_text("of long ago")
    first_failure_reports._written.clear()
    second = write_report(str(tmp_path), failure())
    assert second not in ("", str(first))
    assert first.read_text() == "of long ago"


def test_it_never_raises(tmp_path: Path) -> None:
    (tmp_path / "errors").write_text("in the way")
    assert write_report(str(tmp_path), failure()) == ""
    assert write_report("/proc/nowhere", failure(error=raised())) == ""
    assert write_report("\0", failure()) == ""
