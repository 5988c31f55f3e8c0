"""`libremq dmpmqlog` and `libremq amqldmpa`: on queue managers that run, have ended, were damaged, or never were."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import libremq
from libremq.commands import main
from libremq.commands.mq.dmpmqlog import lsn
from libremq.common.files.file_layer import RealFiles
from libremq.log import LogConfig
from libremq.log.statistics_file import save_statistics


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    try:
        code = main.main(words)
    except SystemExit as stop:
        code = int(stop.code or 0)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A queue manager QM1 with some messages in its log, running."""
    monkeypatch.setenv("LIBREMQ_DATA", str(tmp_path))
    with libremq.connect("embedded:QM1?create=1", log_config=LogConfig(file_pages=64)) as qm:
        qm.define_local("ORDERS")
        orders = qm.queue("ORDERS")
        with qm.transaction():
            for text in ("first", "second"):
                orders.put(text, persistent=True)
        yield tmp_path / "qmgrs" / "QM1"


def objects(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def lsns(text: str) -> list[int]:
    return [int(str(line["lsn"])) for line in objects(text) if line["line"] == "record"]


def test_the_log_of_a_running_queue_manager(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    code, out, err = run(capsys, "dmpmqlog", "-m", "QM1")
    assert (code, err) == (0, "")
    assert out.startswith(f"LOG {folder}/log - id ")
    assert out.count("RECORD PUT") == 2
    assert "queue ORDERS (id" in out
    assert "RECORD COMMIT" in out
    assert "first" not in out
    assert out.splitlines()[-1].startswith("END - LSN ")
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_data_on_request(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    code, out, _ = run(capsys, "dmpmqlog", "-m", "QM1", "--data")
    assert code == 0
    assert "  first" in out and "  second" in out


def test_json_lines(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    code, out, _ = run(capsys, "dmpmqlog", "-m", "QM1", "--json")
    assert code == 0
    lines = objects(out)
    assert (lines[0]["line"], lines[-1]["line"]) == ("log", "end")
    puts = [line for line in lines if line.get("type") == "PUT"]
    assert [put["queue"] for put in puts] == ["ORDERS", "ORDERS"]
    assert "data_hex" not in puts[0]


def test_ranges(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    everything = lsns(run(capsys, "dmpmqlog", "-m", "QM1", "--json")[1])
    based = lsns(run(capsys, "dmpmqlog", "-m", "QM1", "-b", "--json")[1])
    assert based[-len(everything) :] == everything
    assert based[0] == 40
    start, end = based[1], based[-2]
    out = run(capsys, "dmpmqlog", "-m", "QM1", "-s", str(start), "-e", hex(end), "--json")[1]
    assert lsns(out) == based[1:-1]
    assert lsns(run(capsys, "dmpmqlog", "-m", "QM1", "-n", "0", "--json")[1]) == based
    assert lsns(run(capsys, "dmpmqlog", "-m", "QM1", "-n", "0", "--only", "--json")[1]) == based
    assert lsns(run(capsys, "dmpmqlog", "-m", "QM1", "-n", "1", "--json")[1]) == []


def test_a_folder_instead_of_a_queue_manager(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    code, out, err = run(capsys, "dmpmqlog", "-f", f"{folder}/log")
    assert (code, err) == (0, "")
    assert out.count("RECORD PUT") == 2
    code, out, err = run(capsys, "dmpmqlog", "-m", "NOBODY", "-f", f"{folder}/log")
    assert (code, err) == (0, "")


def test_damage_is_shown_and_is_an_exit_code(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    with libremq.connect("embedded:QM1") as qm:
        qm.put("ORDERS", bytes(20_000), persistent=True)  # pages that are full, and so in one place only
        qm.put("ORDERS", "third", persistent=True)  # whose page says that those before were on disk
    long = max(
        objects(run(capsys, "dmpmqlog", "-m", "QM1", "--json")[1]),
        key=lambda line: int(str(line.get("payload_bytes", 0))),
    )
    at = int(str(long["lsn"])) + 10_000
    with (folder / "log" / "S0000000.LOG").open("r+b") as file:
        file.seek(at)
        file.write(b"noise")
    code, out, err = run(capsys, "dmpmqlog", "-m", "QM1")
    assert (code, err) == (10, "")
    assert f"DAMAGE - LSN {long['lsn']} to " in out
    assert out.count("RECORD PUT") == 3


def test_the_log_where_qm_ini_says_it_is(capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path) -> None:
    (folder / "qm.ini").write_text(f"Log:\n  LogPath={tmp_path}/elsewhere\n")
    code, _, err = run(capsys, "dmpmqlog", "-m", "QM1")
    assert code == 20
    assert f"{tmp_path}/elsewhere: no log can be read there" in err
    (folder / "qm.ini").write_text("Log:\n  LogPrimaryFiles=9999\n")
    code, out, err = run(capsys, "dmpmqlog", "-m", "QM1")
    assert code == 0
    assert "LogPrimaryFiles=9999" in err
    assert out.count("RECORD PUT") == 2


@pytest.mark.parametrize(
    "words",
    [
        ["dmpmqlog"],
        ["dmpmqlog", "-m", "NOBODY"],
        ["dmpmqlog", "-m", "../QM1"],
        ["dmpmqlog", "-m", ""],
        ["dmpmqlog", "-f", "/nowhere/at/all"],
        ["dmpmqlog", "-m", "QM1", "-s", "x"],
        ["dmpmqlog", "-m", "QM1", "-s", "1:2"],
        ["dmpmqlog", "-m", "QM1", "-s", "-5"],
        ["dmpmqlog", "-m", "QM1", "-s", "9" * 30],
        ["dmpmqlog", "-m", "QM1", "-n", "77"],
        ["dmpmqlog", "-m", "QM1", "-n", "x"],
        ["dmpmqlog", "-m", "QM1", "-b", "-n", "0"],
        ["dmpmqlog", "-m", "QM1", "--only"],
        ["amqldmpa"],
        ["amqldmpa", "-m", "QM1"],
        ["amqldmpa", "-m", "QM1", "-c", "X"],
        ["amqldmpa", "-m", "NOBODY", "-c", "H"],
        ["amqldmpa", "-m", "\udcff", "-c", "H"],
    ],
)
def test_bad_input_is_a_message_and_an_exit_code(
    capsys: pytest.CaptureFixture[str], folder: Path, words: list[str]
) -> None:
    code, out, err = run(capsys, *words)
    assert code in (1, 2, 20)
    assert out == ""
    assert err.startswith(("libremq", "usage: libremq"))


def test_an_lsn_has_three_spellings() -> None:
    assert lsn("4136") == lsn("0x1028") == lsn("0:0:0:4136") == 4136
    assert lsn("1:2:3:4") == (1 << 48) + (2 << 32) + (3 << 16) + 4


# ---- amqldmpa ----


def written(folder: Path, *, event: str = "checkpoint") -> None:
    with libremq.connect("embedded:QM1") as qm:
        statistics = qm.statistics().log
    assert save_statistics(RealFiles(), str(folder), statistics, queue_manager="QM1", at=1700000000.0, event=event)


def test_the_counters_under_their_names(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    written(folder)
    code, out, err = run(capsys, "amqldmpa", "-m", "QM1", "-c", "H")
    assert (code, err) == (0, "")
    first, *lines = out.splitlines()
    assert first == "Logger of queue manager QM1, as of 2023-11-14 22:13:20 UTC, written at a checkpoint"
    if "  Advice:" in lines:  # on a slow machine there is some
        lines = lines[: lines.index("  Advice:")]
    named = dict(line.split(maxsplit=1) for line in lines)
    for name in (
        "logactive", "loginactive", "FileCount", "filenum", "logBufSz", "WriteSizeShort", "WriteSizeLong",
        "WriteSizeMax", "WriteTimeShort", "WriteTimeLong", "WriteTimeMax", "staLogicalBytes", "staPhysicalBytes",
        "staLogicalWrites", "staPhysicalWrites",
    ):  # fmt: skip
        assert name in named
    assert (named["logactive"], named["loginactive"], named["FileCount"], named["filenum"]) == ("3", "2", "3", "0 1 2")
    assert int(named["staPhysicalBytes"]) >= int(named["staLogicalBytes"]) > 0
    assert int(named["S0000000.LOG"]) >= 0


def test_the_counters_in_a_file_and_as_json(capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path) -> None:
    written(folder, event="end")
    target = tmp_path / "report"
    target.write_text("x" * 100_000)
    code, out, err = run(capsys, "amqldmpa", "-m", "QM1", "-c", "h", "-f", str(target))
    assert (code, out, err) == (0, "", "")
    assert "written when the queue manager ended" in target.read_text()
    assert "xxx" not in target.read_text()
    code, out, _ = run(capsys, "amqldmpa", "-m", "QM1", "-c", "H", "--json")
    figures = json.loads(out)
    assert (code, figures["event"], figures["primary_files"]) == (0, "end", 3)
    code, out, err = run(capsys, "amqldmpa", "-m", "QM1", "-c", "H", "-f", f"{tmp_path}/no/such/folder")
    assert (code, out) == (1, "")
    assert "No such file" in err


def test_figures_that_cannot_be_used_are_a_message(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    written(folder)
    path = folder / "logger-statistics.json"
    content = json.loads(path.read_text())
    content["figures"]["file_numbers"] = 5
    for text in (json.dumps(content), "noise", ""):
        path.write_text(text)
        code, out, err = run(capsys, "amqldmpa", "-m", "QM1", "-c", "H")
        assert (code, out) == (1, "")
        assert err.startswith("libremq amqldmpa: ")
    path.unlink()
    code, out, err = run(capsys, "amqldmpa", "-m", "QM1", "-c", "H")
    assert (code, out) == (1, "")
    assert "no statistics yet" in err
