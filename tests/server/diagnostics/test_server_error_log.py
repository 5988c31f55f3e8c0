"""The error log: what an entry looks like, how the files turn, and that it never gets in anybody's way."""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import copy_context
from pathlib import Path

import pytest

from libremq.common.configuration import parse
from libremq.common.messages.amq_messages import amq
from libremq.common.messages.spoken_of import speak_of
from libremq.server.diagnostics.error_entry import RULE, severity_of
from libremq.server.diagnostics.error_log import FILES, JSON_FILES, ErrorLog, configured_log, last_entries
from libremq.server.diagnostics.repeated_messages import ALL_MAX, SAME_MAX

JSON = "DiagnosticMessages:\n  Service=File\n  Name=JSONLogs\n  Format=json\n"


class Time:
    def __init__(self) -> None:
        self.at = 1_794_700_000.25

    def __call__(self) -> float:
        return self.at


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def log_in(folder: Path, size: int = 1 << 20, now: Time | None = None, settings: str = "") -> ErrorLog:
    log = ErrorLog(str(folder), "QM1", "queue manager", file_bytes_max=size, now=now or Time())
    if settings:
        log.configure(parse(settings))
    return log


def text_of(folder: Path, name: str = FILES[0]) -> str:
    return (folder / "errors" / name).read_text(encoding="utf-8")


def messages_of(folder: Path, *names: str) -> list[str]:
    """The lines with the texts of the messages, oldest first."""
    entries = "".join(text_of(folder, name) for name in names or FILES[:1]).split(f"{RULE}\n")
    assert entries.pop() == ""
    return [entry.split("\n\n")[1].splitlines()[0] for entry in entries]


def records_of(folder: Path, name: str = JSON_FILES[0]) -> list[dict[str, object]]:
    return [json.loads(line) for line in text_of(folder, name).splitlines()]


def test_an_entry_has_the_form_that_mq_gives_it(tmp_path: Path) -> None:
    log_in(tmp_path).write(amq(5053, "The listener failed.", 5))
    assert re.fullmatch(
        r"\d\d/\d\d/2026 \d\d:46:40 [AP]M - Process\(\d+\.1\) User\(\S+\) Program\(queue manager\)\n"
        r" {20}Host\(\S+\) Installation\(LibreMQ\)\n"
        r" {20}VRMF\(\S+\) QMgr\(QM1\)\n"
        r" {20}Time\(2026-11-14T\d\d:46:40\.250Z\)\n"
        r" {20}ArithInsert1\(5\)\n"
        r" {20}CommentInsert1\(The listener failed\.\)\n"
        r"\n"
        r"AMQ5053E: The listener failed\. It failed 5 times within a minute .*\n"
        r"\n"
        r"EXPLANATION:\n(.{1,79}\n)+"
        r"ACTION:\n(.{1,79}\n)+"
        r"-{79}\n",
        text_of(tmp_path),
    )


def test_a_text_without_an_id_is_an_entry_without_an_explanation(tmp_path: Path) -> None:
    log_in(tmp_path).write("LibreMQ queue manager 'QM1' starting.")
    assert messages_of(tmp_path) == ["LibreMQ queue manager 'QM1' starting."]
    assert "EXPLANATION" not in text_of(tmp_path)


@pytest.mark.parametrize("mask", [0, 0o022, 0o077])
def test_only_the_owner_may_read_it(tmp_path: Path, mask: int) -> None:
    with umask(mask):
        log = log_in(tmp_path, 600, settings=JSON + "QMErrorLog:\n  ErrorLogSize=32768\n")
        for _ in range(60):
            log.write(amq(7230, "Q" * 500))
    paths = sorted((tmp_path / "errors").iterdir())
    assert {"AMQERR01.LOG", "AMQERR02.LOG", "AMQERR01.json"} <= {path.name for path in paths}
    assert {path.stat().st_mode & 0o777 for path in paths} == {0o600}
    assert (tmp_path / "errors").stat().st_mode & 0o777 == 0o700


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


@pytest.mark.parametrize(
    "hostile", ["a\n" + RULE + "\nAMQ8003I: all is well\r\n\x1b[2J\udcff' ", "\u2028\x85AMQ8003I: x"]
)
def test_nobody_can_forge_an_entry(tmp_path: Path, hostile: str) -> None:
    log = log_in(tmp_path, settings=JSON)
    log.write(f"user '{hostile}" + "x" * 9000)
    log.write(amq(9557, hostile + "y" * 9000, "192.0.2.1"))
    texts = messages_of(tmp_path)
    assert [text[:8] for text in texts] == ["user '" + texts[0][6:8], "AMQ9557E"]
    assert max(map(len, texts)) < 4100
    assert not re.search(r"^(AMQ8003I|-{79}.)", text_of(tmp_path), re.MULTILINE)
    assert "\x1b" not in text_of(tmp_path)
    assert [record["ibm_messageId"] for record in records_of(tmp_path)] == ["", "AMQ9557E"]


def test_the_files_turn_and_the_oldest_goes(tmp_path: Path) -> None:
    log = log_in(tmp_path, 1000)
    for number in range(40):
        log.write(f"message {number:03} of forty, each with some text so that few of them fill a file")
    found = [[int(text[8:11]) for text in messages_of(tmp_path, name)] for name in FILES]
    assert found[0][-1] == 39
    assert found[2] + found[1] + found[0] == list(range(found[2][0], 40))
    assert found[2][0] > 0
    assert all((tmp_path / "errors" / name).stat().st_size <= 1000 for name in FILES)
    assert not (tmp_path / "errors" / "AMQERR04.LOG").exists()


def test_two_writers_do_not_disturb_each_other(tmp_path: Path) -> None:
    """Two objects stand for the two processes: they share nothing but the files."""
    logs = [log_in(tmp_path, 50_000, settings=JSON), log_in(tmp_path, 50_000, settings=JSON)]

    def write(who: int) -> None:
        for number in range(60):
            logs[who].write(f"writer {who} message {number:02}")

    threads = [threading.Thread(target=write, args=(who,)) for who in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    texts = messages_of(tmp_path)
    for who in (0, 1):
        assert [text for text in texts if text.startswith(f"writer {who}")] == [
            f"writer {who} message {number:02}" for number in range(60)
        ]
    assert [record["message"] for record in records_of(tmp_path)] == texts


def test_what_repeats_itself_is_counted(tmp_path: Path) -> None:
    now = Time()
    log = log_in(tmp_path, now=now)
    for number in range(SAME_MAX + 25):
        log.write(amq(9513, f"refused {number}"))
        log.note(amq(5026, "something else")) if number == 5 else None
    texts = messages_of(tmp_path)
    assert sum(text.startswith("AMQ9513E") for text in texts) == SAME_MAX
    assert sum(text.startswith("AMQ5026I") for text in texts) == 1
    now.at += 61
    log.write(amq(9513, "refused again"))
    log.write(amq(9513, "and again"))
    assert messages_of(tmp_path)[-3:] == [
        amq(6290, "AMQ9513E", 25, 60),
        amq(9513, "refused again"),
        amq(9513, "and again"),
    ]


def test_what_one_address_repeats_does_not_hide_what_another_does(tmp_path: Path) -> None:
    now = Time()
    log = log_in(tmp_path, 8 << 20, now=now)
    for number in range(SAME_MAX + 25):
        log.note(amq(9999, f"192.0.2.1({number})", "noise"))
    log.note(amq(9999, "192.0.2.2(1)", "once"))
    log.note(amq(9777, "CH", "2001:db8:0:1::7(9)", "user 'x'"))
    now.at += 61
    log.write(amq(5026, "anything"))
    texts = messages_of(tmp_path)
    assert sum("noise" in text for text in texts) == SAME_MAX
    assert texts[SAME_MAX:] == [
        amq(9999, "192.0.2.2(1)", "once"),
        amq(9777, "CH", "2001:db8:0:1::7(9)", "user 'x'"),
        amq(6290, "AMQ9999E about 192.0.2.1", 25, 60),
        amq(5026, "anything"),
    ]


def test_whom_it_is_about_says_who_is_served_and_not_what_he_calls_himself(tmp_path: Path) -> None:
    now = Time()
    log = log_in(tmp_path, 8 << 20, now=now)

    def mallory() -> None:
        speak_of("192.0.2.66(4711)")
        for number in range(ALL_MAX + 5):
            user = f"10.0.{number >> 8}.{number & 255}"
            log.note(amq(9557, f"'{user}'", "192.0.2.66(4711)"))
            log.note(amq(5543, "noise"))

    copy_context().run(mallory)
    log.note(amq(9557, "'alice'", "192.0.2.1(1)"))
    log.note(amq(5543, "CHCKCLNT"))
    now.at += 61
    log.write(amq(5026, "anything"))
    texts = messages_of(tmp_path)
    assert texts[2 * SAME_MAX :] == [
        amq(9557, "'alice'", "192.0.2.1(1)"),
        amq(5543, "CHCKCLNT"),
        amq(6290, "AMQ9557E about 192.0.2.66", ALL_MAX + 5 - SAME_MAX, 60),
        amq(6290, "AMQ5543I about 192.0.2.66", ALL_MAX + 5 - SAME_MAX, 60),
        amq(5026, "anything"),
    ]


def test_how_many_were_left_out_is_told_though_nobody_says_anything_more(tmp_path: Path) -> None:
    now = Time()
    log = log_in(tmp_path, now=now)
    for number in range(SAME_MAX + 25):
        log.note(amq(9513, f"refused {number}"))
    log.tell_left_out()
    log.flush()
    assert len(messages_of(tmp_path)) == SAME_MAX
    now.at += 61
    log.tell_left_out()
    log.tell_left_out()
    log.flush()
    assert messages_of(tmp_path)[SAME_MAX:] == [amq(6290, "AMQ9513E", 25, 60)]
    for number in range(SAME_MAX + 3):
        log.note(amq(9513, f"refused {number}"))
    log.tell_left_out(all_of_them=True)  # it is the end
    log.flush()
    assert messages_of(tmp_path)[-1] == amq(6290, "AMQ9513E", 3, 60)


def test_who_has_many_addresses_or_makes_them_up_does_not_fill_the_log(tmp_path: Path) -> None:
    """The name of a user may look like an address, and an IPv6 network has as many as anybody wants."""
    now = Time()
    log = log_in(tmp_path, 8 << 20, now=now)
    for number in range(SAME_MAX + 7):
        log.note(amq(9999, f"[2001:db8::{number:x}](1)", "of one network"))
    log.flush()
    for number in range(ALL_MAX + 5):
        log.note(amq(5534, f"10.0.{number >> 8}.{number & 255}", "the user id or the password is wrong"))
    log.flush()
    now.at += 61
    log.write("the end")
    texts = messages_of(tmp_path)
    assert sum(text.startswith("AMQ9999E") for text in texts) == SAME_MAX
    assert sum(text.startswith("AMQ5534E") for text in texts) == ALL_MAX
    assert texts[-3:] == [
        amq(6290, "AMQ9999E about 2001:db8:0:0::/64", 7, 60), amq(6290, "AMQ5534E", 5, 60), "the end"
    ]  # fmt: skip


def test_nor_do_so_many_addresses_that_not_all_are_remembered(tmp_path: Path) -> None:
    """Each refusal says several things: what is kept of one address goes, but never the limit on all together."""
    log = log_in(tmp_path, 32 << 20, now=Time())
    for number in range(10_000):
        where = f"10.{number % 5000 >> 8}.{number % 5000 & 255}.1"
        log.note(amq(9999, f"{where}(1)", "refused"))
        log.note(amq(9557, "'guess'", f"{where}(1)"))
        log.note(amq(9777, "CH", f"{where}(1)", "user 'guess'"))
        if number % 100 == 99:
            log.flush()
    texts = messages_of(tmp_path)
    assert [sum(text.startswith(which) for text in texts) for which in ("AMQ9999E", "AMQ9557E", "AMQ9777E")] == [
        ALL_MAX, ALL_MAX, ALL_MAX
    ]  # fmt: skip


def test_a_message_is_excluded_or_suppressed_as_qm_ini_says(tmp_path: Path) -> None:
    now = Time()
    stanza = "QMErrorLog:\n  ExcludeMessage=9001,AMQ9002\n  SuppressMessage = 9999 , 9513\n  SuppressInterval=10\n"
    log = log_in(tmp_path, now=now, settings=stanza + JSON)
    for second in range(25):
        now.at += 1
        log.write(amq(9001, "A"))
        log.write(amq(9002, "A"))
        log.write(amq(9999, "peer", second))
        if second == 0:
            log.write(amq(5026, "x"))
    told = [
        amq(9999, "peer", 0),
        amq(5026, "x"),
        amq(6290, "AMQ9999E", 9, 10),
        amq(9999, "peer", 10),
        amq(6290, "AMQ9999E", 9, 10),
        amq(9999, "peer", 20),
    ]
    assert messages_of(tmp_path) == told
    assert [record["message"] for record in records_of(tmp_path)] == told


@pytest.mark.parametrize("wrong", ["x", "12", "9001;9002", "9001,,9002", "9001," * 21 + "9001"])
def test_a_list_of_messages_that_is_none_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match="line 2: ExcludeMessage="):
        parse(f"QMErrorLog:\n  ExcludeMessage={wrong}\n")


def test_json_has_a_line_for_each_entry_with_the_names_that_mq_has(tmp_path: Path) -> None:
    log = log_in(tmp_path, settings=JSON)
    log.write(amq(7231, 3, "QM1", 1))
    log.write(amq(9633, "ü"))
    first, second = records_of(tmp_path)
    process = str(os.getpid())
    assert first == {
        "ibm_messageId": "AMQ7231I",
        "ibm_arithInsert1": 3,
        "ibm_arithInsert2": 1,
        "ibm_commentInsert1": "QM1",
        "ibm_datetime": "2026-11-14T23:46:40.250Z",
        "ibm_serverName": "QM1",
        "type": "mq_log",
        "host": first["host"],
        "loglevel": "INFO",
        "module": "queue manager",
        "ibm_sequence": "1794700000_250000000",
        "ibm_processId": process,
        "ibm_threadId": "1",
        "ibm_version": first["ibm_version"],
        "ibm_processName": "queue manager",
        "ibm_userName": first["ibm_userName"],
        "ibm_installationName": "LibreMQ",
        "message": amq(7231, 3, "QM1", 1).line,
    }
    assert (second["loglevel"], second["ibm_arithInsert1"], second["ibm_commentInsert1"]) == ("ERROR", 0, "ü")
    assert messages_of(tmp_path) == [first["message"], second["message"]]


def test_without_being_asked_for_there_is_no_json(tmp_path: Path) -> None:
    log_in(tmp_path, settings="DiagnosticMessages:\n  Format=text\n").write("x")
    assert not (tmp_path / "errors" / JSON_FILES[0]).exists()


def test_the_other_process_reads_qm_ini_by_itself(tmp_path: Path) -> None:
    (tmp_path / "qm.ini").write_text(JSON)
    configured_log(str(tmp_path), "QM1", "controller").write(amq(5009, 4711, "QM1"))
    assert records_of(tmp_path)[0]["ibm_processName"] == "controller"
    (tmp_path / "qm.ini").write_text("QMErrorLog:\n  ErrorLogSize=much\n")
    configured_log(str(tmp_path), "QM1", "controller").write(amq(5009, 4711, "QM1"))
    assert len(messages_of(tmp_path)) == 2


def test_without_a_place_to_write_nothing_breaks_and_nothing_is_lost(tmp_path: Path) -> None:
    (tmp_path / "errors").write_text("in the way")
    log = log_in(tmp_path, settings=JSON)
    log.write(amq(7474, "first"))
    assert not log.flush()
    (tmp_path / "errors").unlink()
    log.write(amq(7474, "second"))
    assert messages_of(tmp_path) == [amq(7474, "first"), amq(7474, "second")]
    assert len(records_of(tmp_path)) == 2


def test_a_link_in_the_way_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "errors").mkdir()
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / "errors" / FILES[0]).symlink_to(victim)
    log_in(tmp_path).write("x")
    assert victim.read_text() == "mine"


def test_the_last_entries_are_found_also_just_after_a_turn(tmp_path: Path) -> None:
    log = log_in(tmp_path, 1300)
    for number in range(9):
        log.write(f"message {number}")
    found = last_entries(str(tmp_path), 1500)
    assert all(re.fullmatch(r"2026-11-14T23:46:40\.250Z message \d", line) for line in found)
    assert [line[-1] for line in found][-1] == "8"
    assert len(found) >= 3
    assert [int(line[-1]) for line in found] == list(range(9 - len(found), 9))
    assert last_entries(str(tmp_path / "nowhere")) == []
