"""The error log: what an entry looks like, how the files turn, and that it never gets in anybody's way."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import pytest

from libremq.server.error_log import FILES, SAME_MAX, ErrorLog, last_entries, severity_of


class Time:
    def __init__(self) -> None:
        self.at = 1_794_700_000.0

    def __call__(self) -> float:
        return self.at


def log_in(folder: Path, size: int = 1 << 20, now: Time | None = None) -> ErrorLog:
    return ErrorLog(str(folder), "QM1", "queue manager", file_bytes_max=size, now=now or Time())


def text_of(folder: Path, name: str = FILES[0]) -> str:
    return (folder / "errors" / name).read_text(encoding="utf-8")


def test_an_entry_has_time_process_and_severity(tmp_path: Path) -> None:
    log_in(tmp_path).write("AMQ9218E: The port is in use.")
    head, text, rule = text_of(tmp_path).splitlines()
    assert re.fullmatch(
        r"2026-11-14T\d\d:46:40\.000Z - Process\(\d+\) User\(\S+\) Program\(queue manager\) Host\(\S+\) QMgr\(QM1\) "
        r"Severity\(Error\)",
        head,
    )
    assert (text, set(rule)) == ("AMQ9218E: The port is in use.", {"-"})
    assert (tmp_path / "errors" / FILES[0]).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        ("AMQ5026I: x", "Information"),
        ("AMQ5052W: x", "Warning"),
        ("AMQ5050S: x", "Severe error"),
        ("AMQ5050T: x", "Termination"),
        ("no id at all", "Information"),
        ("AMQ12E: no id either", "Information"),
    ],
)
def test_the_severity_is_in_the_message_id(text: str, severity: str) -> None:
    assert severity_of(text) == severity


def test_nobody_can_forge_an_entry(tmp_path: Path) -> None:
    log_in(tmp_path).write("user 'a\nAMQ8003I: all is well\r\n\x1b[2J\udcff' " + "x" * 9000)
    lines = text_of(tmp_path).splitlines()
    assert len(lines) == 3
    assert lines[1].startswith("user 'a AMQ8003I: all is well [2J\\udcff' xxx")
    assert len(lines[1]) < 4100


def test_the_files_turn_and_the_oldest_goes(tmp_path: Path) -> None:
    log = log_in(tmp_path, 1000)
    for number in range(40):
        log.write(f"message {number:03} of forty, each with some text so that few of them fill a file")
    found = [[int(n) for n in re.findall(r"^message (\d+)", text_of(tmp_path, name), re.MULTILINE)] for name in FILES]
    assert found[0][-1] == 39
    assert found[2] + found[1] + found[0] == list(range(found[2][0], 40))
    assert found[2][0] > 0
    assert all((tmp_path / "errors" / name).stat().st_size <= 1000 for name in FILES)
    assert not (tmp_path / "errors" / "AMQERR04.LOG").exists()


def test_two_writers_do_not_disturb_each_other(tmp_path: Path) -> None:
    """Two objects stand for the two processes: they share nothing but the files."""
    logs = [log_in(tmp_path, 20_000), log_in(tmp_path, 20_000)]

    def write(who: int) -> None:
        for number in range(60):
            logs[who].write(f"writer {who} message {number:02}")

    threads = [threading.Thread(target=write, args=(who,)) for who in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = "".join(text_of(tmp_path, name) for name in (FILES[1], FILES[0])).splitlines()
    for who in (0, 1):
        assert [line for line in lines if line.startswith(f"writer {who}")] == [
            f"writer {who} message {number:02}" for number in range(60)
        ]
    assert len(lines) == 3 * 120


def test_what_repeats_itself_is_counted(tmp_path: Path) -> None:
    now = Time()
    log = log_in(tmp_path, now=now)
    for number in range(SAME_MAX + 25):
        log.write(f"AMQ9513E: refused {number}")
        log.note("AMQ5026I: something else") if number == 5 else None
    assert text_of(tmp_path).count("AMQ9513E") == SAME_MAX
    assert text_of(tmp_path).count("AMQ5026I") == 1
    now.at += 61
    log.write("AMQ9513E: refused again")
    assert text_of(tmp_path).endswith(
        "The message AMQ9513E came 25 more times within a minute.\n" + "-" * 79 + "\n"
    )
    log.write("AMQ9513E: and again")
    assert "AMQ9513E: and again" in text_of(tmp_path)


def test_without_a_place_to_write_nothing_breaks_and_nothing_is_lost(tmp_path: Path) -> None:
    (tmp_path / "errors").write_text("in the way")
    log = log_in(tmp_path)
    log.write("AMQ7472E: first")
    assert not log.flush()
    (tmp_path / "errors").unlink()
    log.write("AMQ7472E: second")
    assert [line for line in text_of(tmp_path).splitlines() if "AMQ7472E" in line] == [
        "AMQ7472E: first",
        "AMQ7472E: second",
    ]


def test_the_last_entries_are_found_also_just_after_a_turn(tmp_path: Path) -> None:
    log = log_in(tmp_path, 600)
    for number in range(9):
        log.write(f"message {number}")
    lines = last_entries(str(tmp_path), 700)
    assert lines[-1] == "message 8"
    assert [line for line in lines if line.startswith("message")] == ["message 6", "message 7", "message 8"]
    assert last_entries(str(tmp_path / "nowhere")) == []
