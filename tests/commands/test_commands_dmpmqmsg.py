"""`libremq dmpmqmsg`, `unload` and `load`: between queues and files, which messages, and what happens on the way."""

from __future__ import annotations

import io
import json
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from helper_cli import SMALL, Commands

import libremq
from helper_serving import Process, serving
from libremq.mqi import constants as C
from libremq.mqi.structs import MQDLH, MQMD, MQPMO


@pytest.fixture
def mq(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    """With five messages on Q, of which each differs."""
    monkeypatch.setenv("LIBREMQ_DATA", str(tmp_path / "data"))
    commands = Commands(capsys, tmp_path / "data")
    commands.good("crtmqm", *SMALL, "QM1")
    with libremq.connect("embedded:QM1") as qm:
        for name in ("Q", "OTHER"):
            qm.define_local(name, defpsist="yes")
        qm.define_local("TWO", maxdepth=2, defpsist="yes")
        with qm.queue("Q", open_options=C.MQOO_SET_ALL_CONTEXT) as queue:
            for number in range(1, 6):
                md = MQMD(
                    Version=2, UserIdentifier="alice", PutApplName="orders", PutApplType=28, Expiry=-1,
                    ApplIdentityData=f"id{number}", PutDate="20200101", PutTime="12000000",
                    CorrelId=f"c{number}".encode().ljust(24, b"\0"),
                )  # fmt: skip
                queue.put(
                    f"message {number}\n",
                    md=md,
                    pmo=MQPMO(Version=3, Options=C.MQPMO_SET_ALL_CONTEXT),
                    properties={"number": number, "half": number / 2, "flag": True, "name": "é"},
                    priority=number,
                )
    return commands


def messages(name: str) -> Iterator[tuple[object, ...]]:
    """All that must not change in a copy."""
    with libremq.connect("embedded:QM1") as qm:
        for message in qm.queue(name).browse():
            md = message.md
            yield (
                message.data, md.MsgId, md.CorrelId, md.Format, md.CodedCharSetId, md.UserIdentifier, md.PutApplName,
                md.PutApplType, md.ApplIdentityData, md.PutDate, md.PutTime, md.Persistence, md.Priority, md.Expiry,
                message.properties, md.BackoutCount,
            )  # fmt: skip


def numbers(name: str) -> list[int]:
    return sorted(int(str(row[0]).split()[1][0]) for row in messages(name))


@pytest.mark.parametrize("how", [(), ("-dA",), ("-da",), ("--form", "json"), ("-dA", "--form", "json"), ("-w", "1")])
def test_a_copy_through_a_file_is_the_same(mq: Commands, tmp_path: Path, how: tuple[str, ...]) -> None:
    before = list(messages("Q"))
    path = tmp_path / "messages"
    assert mq.good("dmpmqmsg", "-m", "QM1", "-i", "Q", "-f", str(path), *how) == ["5 messages, 50 bytes."]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert mq.good("dmpmqmsg", "-m", "QM1", "-f", str(path), "-o", "OTHER") == ["5 messages, 50 bytes."]
    assert list(messages("OTHER")) == before == list(messages("Q"))


def test_unload_and_load(mq: Commands, tmp_path: Path) -> None:
    before = list(messages("Q"))
    path = tmp_path / "messages"
    mq.good("unload", "Q", str(path), "-m", "QM1", "--move", "-t", "2")
    assert list(messages("Q")) == []
    assert mq.good("load", "Q", str(path), "-m", "QM1", "-q") == []
    assert list(messages("Q")) == before


def test_messages_move_from_queue_to_queue(mq: Commands) -> None:
    before = list(messages("Q"))
    mq.good("dmpmqmsg", "-m", "QM1", "-I", "Q", "-o", "OTHER", "-t", "2")
    assert (list(messages("OTHER")), list(messages("Q"))) == (before, [])
    mq.good("dmpmqmsg", "-m", "QM1", "-i", "OTHER", "-p", "-r", "2..3", "-o", "Q")
    assert (len(list(messages("OTHER"))), len(list(messages("Q")))) == (3, 2)


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (("-r", "#2"), [4, 5]),  # by priority, so the last come first
        (("-r", "2..4"), [2, 3, 4]),
        (("-r", "5"), [1]),
        (("-gcc3",), [3]),
        (("-gxc6334",), [4]),
        (("-gmnope",), []),
        (("-s", "age 2"), [2]),
        (("-S", "2032", "-s", "message"), [2]),
        (("-e", "age 2"), [1, 3, 4, 5]),
        (("-T", "60"), [1, 2, 3, 4, 5]),
        (("-T", ",60"), []),
        (("-T", "60,99999999"), [1, 2, 3, 4, 5]),
    ],
)
def test_which_messages(mq: Commands, flags: tuple[str, ...], expected: list[int]) -> None:
    mq.good("dmpmqmsg", "-m", "QM1", "-I", "Q", "-o", "OTHER", *flags)
    assert numbers("OTHER") == expected
    assert numbers("Q") == [number for number in range(1, 6) if number not in expected]


def test_a_pipe_gets_the_messages_and_nothing_else(mq: Commands) -> None:
    code, out, err = mq("unload", "Q", "-m", "QM1", "--form", "json", "-dA")
    assert (code, err) == (0, "5 messages, 50 bytes.\n")
    assert [json.loads(line)["text"] for line in out.splitlines()] == [f"message {n}\n" for n in (5, 4, 3, 2, 1)]
    assert (
        mq("dmpmqmsg", "-m", "QM1", "-i", "Q", "-dH", "-dN", "-dn", "-dA", "-r", "1", "-q")[1]
        == "N\n"
        + (next(line for line in mq("unload", "Q", "-m", "QM1", "-r1")[1].splitlines() if line.startswith("R")) + "\n")
        + 'T "message 5\\n"\n'
    )


def test_taken_messages_without_a_target_are_written_to_the_pipe(mq: Commands, tmp_path: Path) -> None:
    code, out, err = mq("dmpmqmsg", "-m", "QM1", "-I", "Q")
    assert (code, err, numbers("Q")) == (0, "5 messages, 50 bytes.\n", [])
    (tmp_path / "saved").write_text(out)
    mq.good("load", "Q", f"{tmp_path}/saved", "-m", "QM1")
    assert numbers("Q") == [1, 2, 3, 4, 5]


def test_a_summary_touches_nothing(mq: Commands) -> None:
    lines = mq.good("dmpmqmsg", "-m", "QM1", "-i", "Q", "-ds")
    assert (len(lines), lines[0].endswith("10 bytes"), lines[-1]) == (6, True, "5 messages, 50 bytes.")
    assert numbers("Q") == [1, 2, 3, 4, 5]


def test_one_file_a_message(mq: Commands, tmp_path: Path) -> None:
    mq.good("dmpmqmsg", "-m", "QM1", "-i", "Q", "-f", f"{tmp_path}/m%n.txt", "-r", "#3")
    assert sorted(path.name for path in tmp_path.glob("m*.txt")) == ["m1.txt", "m2.txt", "m3.txt"]
    mq.good("load", "OTHER", f"{tmp_path}/m2.txt", "-m", "QM1")
    assert numbers("OTHER") == [4]


def test_a_file_that_is_there_is_not_overwritten_by_accident(mq: Commands, tmp_path: Path) -> None:
    path = tmp_path / "thesis"
    path.write_text("mine")
    for words in (("dmpmqmsg", "-i", "Q", "-f", str(path)), ("unload", "Q", str(path), "--move")):
        code, err = mq.bad(*words, "-m", "QM1")
        assert (code, "is there already" in err) == (20, True)
    assert path.read_text() == "mine"
    assert numbers("Q") == [1, 2, 3, 4, 5]
    mq.good("dmpmqmsg", "-m", "QM1", "-i", "Q", "-F", str(path), "-r", "#1")
    mq.good("dmpmqmsg", "-m", "QM1", "-i", "Q", "-f", str(path), "-a", "a", "-r", "2..")
    assert mq.good("load", "OTHER", str(path), "-m", "QM1") == ["5 messages, 50 bytes."]


def test_a_queue_that_gets_full_keeps_whole_batches(mq: Commands, tmp_path: Path) -> None:
    mq.good("unload", "Q", f"{tmp_path}/m", "-m", "QM1")
    code, err = mq.bad("load", "TWO", f"{tmp_path}/m", "-m", "QM1", "-t", "2")
    assert (code, "2 messages were copied, then it stopped: MQRC_Q_FULL (2053)" in err) == (10, True)
    assert numbers("TWO") == [4, 5]
    code, err = mq.bad("dmpmqmsg", "-I", "Q", "-o", "TWO", "-m", "QM1")
    assert (code, "0 messages were copied" in err) == (20, True)
    assert numbers("Q") == [1, 2, 3, 4, 5]


def test_a_damaged_file_puts_nothing_of_its_batch(mq: Commands, tmp_path: Path) -> None:
    mq.good("unload", "Q", f"{tmp_path}/m", "-m", "QM1")
    with open(f"{tmp_path}/m", "a") as file:
        file.write("N 6\nA PRI much\n")
    code, err = mq.bad("load", "OTHER", f"{tmp_path}/m", "-m", "QM1")
    assert (code, "PRI (Priority) cannot be 'much'" in err) == (20, True)
    assert numbers("OTHER") == []


def test_a_disk_that_is_full_leaves_the_messages_on_the_queue(mq: Commands) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full here")
    code, err = mq.bad("dmpmqmsg", "-m", "QM1", "-I", "Q", "-F", "/dev/full")
    told = "0 messages were copied, then it stopped: No space left on device. Correct that, and go on with the rest."
    assert (code, err) == (20, f"libremq dmpmqmsg: {told}\n")
    assert numbers("Q") == [1, 2, 3, 4, 5]


def test_contexts(mq: Commands, tmp_path: Path) -> None:
    mq.good("unload", "Q", f"{tmp_path}/m", "-m", "QM1", "-r", "#1")
    found = {}
    for context in "AIdn":
        mq.good("load", "OTHER", f"{tmp_path}/m", "-m", "QM1", "-C", context)
        with libremq.connect("embedded:QM1") as qm:
            md = qm.queue("OTHER").get().md
        found[context] = (md.UserIdentifier == "alice", md.PutApplName == "orders", md.ApplIdentityData)
    assert found["A"] == (True, True, "id5")
    assert found["I"] == (True, False, "id5")
    assert found["d"][:2] == (False, False)
    assert found["n"] == (False, False, "")


def test_dead_letter_headers_are_taken_off(mq: Commands) -> None:
    header = MQDLH(Reason=2053, DestQName="X", Format="MQSTR", CodedCharSetId=1208, Encoding=546)
    with libremq.connect("embedded:QM1") as qm:
        qm.clear("Q")
        qm.put("Q", header.pack() + b"tea", md=MQMD(Version=2, Format="MQDEAD", CodedCharSetId=819))
    mq.good("dmpmqmsg", "-m", "QM1", "-I", "Q", "-o", "OTHER", "-h")
    with libremq.connect("embedded:QM1") as qm:
        message = qm.queue("OTHER").get()
        assert (message.text, message.format) == ("tea", "MQSTR")


@pytest.mark.parametrize(
    "words",
    [
        ["dmpmqmsg"],
        ["dmpmqmsg", "-m", "QM1"],
        ["dmpmqmsg", "-m", "QM1", "-i", "Q", "-I", "Q"],
        ["dmpmqmsg", "-m", "QM1", "-i", "Q", "-o", "OTHER", "-f", "x"],
        ["dmpmqmsg", "-m", "QM1", "-i", "Q", "-o", "Q"],
        ["dmpmqmsg", "-m", "QM1", "-p", "-f", "x", "-o", "Q"],
        ["dmpmqmsg", "-m", "QM1", "-I", "Q", "-ds"],
        ["dmpmqmsg", "-m", "QM1", "-i", "Q", "-p", "-ds"],
        ["dmpmqmsg", "-m", "QM1", "-i", "NOPE"],
        ["dmpmqmsg", "-m", "NOBODY", "-i", "Q"],
        ["dmpmqmsg", "-m", "QM1", "-i", "Q", "-r", "x"],
        ["dmpmqmsg", "-m", "QM1", "-i", "Q", "-g", "zz"],
        ["dmpmqmsg", "-m", "QM1", "-i", "Q", "-dZ"],
        ["dmpmqmsg", "-m", "QM1", "-i", "Q", "-T", "old"],
        ["dmpmqmsg", "-m", "QM1", "-i", "Q", "-c"],
        ["load", "Q", "/nowhere/at/all", "-m", "QM1"],
        ["unload", "Q", "/nowhere/at/all", "-m", "QM1"],
    ],
)
def test_refused(mq: Commands, words: list[str]) -> None:
    assert mq.bad(*words)[0] == 20
    assert numbers("Q") == [1, 2, 3, 4, 5]


def test_a_move_that_is_killed_loses_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIBREMQ_DATA", str(tmp_path / "served"))
    path = tmp_path / "moved"
    wanted = {f"{number:04}" for number in range(300)}
    with serving(Commands(capsys, tmp_path / "served"), "QM1") as url, libremq.connect(url) as qm:
        qm.define_local("Q", defpsist="yes")
        with qm.transaction():
            for text in sorted(wanted):
                qm.put("Q", text)
        mover = Process("unload", "Q", str(path), "-m", "QM1", "--move", "-t", "3", "-dA", "-D", "1")
        while not path.exists() or path.read_text().count("\nT ") < 30:
            assert mover.process.poll() is None, mover.end()
        mover.process.kill()
        mover.end()
        in_file = set(re.findall(r'^T "(\d{4})"$', path.read_text(), re.MULTILINE))
        on_queue = {message.text for message in qm.queue("Q")}
        assert in_file | on_queue == wanted
        assert len(in_file & on_queue) <= 3  # those of the batch that was not committed
        assert len(in_file) >= 30


def test_stdout_and_stdin_are_no_files(mq: Commands, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = mq("dmpmqmsg", "-m", "QM1", "-i", "Q", "-f", "stdout", "-dN")
    assert (code, err) == (0, "5 messages, 50 bytes.\n")
    assert "X 6D657373616765" in out
    code, out, err = mq("dmpmqmsg", "-m", "QM1", "-i", "Q", "-F", "stdout")
    assert (code, os.listdir(tmp_path)) == (0, ["data"])
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(out.encode())))
    assert mq.good("dmpmqmsg", "-m", "QM1", "-f", "stdin", "-o", "OTHER") == ["5 messages, 50 bytes."]
    assert list(messages("OTHER")) == list(messages("Q"))


@pytest.mark.parametrize("words", ["unload NOPE -", "load NOPE {file}", "dmpmqmsg -i NOPE -f -"])
def test_what_is_not_there_is_named(mq: Commands, tmp_path: Path, words: str) -> None:
    mq.good("unload", "Q", f"{tmp_path}/m", "-m", "QM1")
    code, err = mq.bad(*words.format(file=f"{tmp_path}/m").split(), "-m", "QM1")
    assert (code, err) == (20, f"libremq {words.split()[0]}: NOPE: no queue of this name is defined\n")
