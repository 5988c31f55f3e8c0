"""`libremq log`: the extents of a log listed as the log itself lists them, archived, deleted."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from helper_cli import SMALL, Commands, other_process

import libremq
from libremq.commands.own.log_command import extents
from libremq.common.files.read_only_files import ReadOnlyFiles


@pytest.fixture
def libremq_command(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    monkeypatch.setenv("LIBREMQ_DATA", str(tmp_path / "data"))
    return Commands(capsys, tmp_path / "data")


def fill(name: str, *, images: bool) -> None:
    """Have the log go through several extents; with images, the old ones are not needed afterwards."""
    with libremq.connect(f"embedded:{name}") as qm:
        for queue in ("FILLER", "KEPT"):
            qm.define_local(queue, defpsist="yes", replace=True)
        for number in range(60):
            qm.put("FILLER", bytes(20_000))
            qm.queue("FILLER").get()
            if number % 20 == 0:
                qm.put("KEPT", "stays")
        if images:
            qm.record_images()


@pytest.mark.parametrize("flags", [("-lc",), ("-lc", "-lp", "4"), ("-ll",), ("-lln",)])
def test_the_list_is_that_of_the_log(libremq_command: Commands, flags: tuple[str, ...]) -> None:
    libremq_command.good("crtmqm", *flags, *SMALL, "QM1")
    log = str(libremq_command.folder() / "log")
    for images in (False, "-lc" not in flags):
        fill("QM1", images=images)
        with libremq.connect("embedded:QM1") as qm:
            qm.checkpoint()
            # Of a linear log more may be formatted ahead at any moment
            shown = [one for one in qm.log_extents() if one.state != "free" or flags[0] == "-lc"]
            listed = extents(ReadOnlyFiles(), log)
            assert listed[: len(shown)] == shown
            assert {one.state for one in listed[len(shown) :]} <= {"free"}
            lines = libremq_command.good("log", "list", "-m", "QM1")  # also while it runs
        assert [line.split()[:2] for line in lines][: len(shown)] == [[one.name, one.state] for one in shown]
        as_json = json.loads("\n".join(libremq_command.good("log", "list", "-m", "QM1", "--json")))
        assert {one["name"] for one in as_json} >= {one.name for one in shown if one.state == "media"}
    assert len({one.state for one in listed}) > 1


def test_unneeded_extents_are_archived_and_deleted(libremq_command: Commands, tmp_path: Path) -> None:
    libremq_command.good("crtmqm", "-lln", *SMALL, "QM1")
    fill("QM1", images=True)
    folder = libremq_command.folder() / "log"
    unneeded = [one.name for one in extents(ReadOnlyFiles(), str(folder)) if one.state == "unneeded"]
    assert len(unneeded) > 2
    assert libremq_command.good("log", "delete", "-m", "QM1") == ["There are no extents that can be deleted."]
    contents = {name: (folder / name).read_bytes() for name in unneeded}
    archive = tmp_path / "archive"
    assert libremq_command.good("log", "archived", "-m", "QM1", unneeded[0]) == [f"{unneeded[0]} is archived."]
    lines = libremq_command.good("log", "archive", "-m", "QM1", str(archive))
    assert lines == [f"{name} archived to {archive}." for name in unneeded[1:]]
    assert {path.name: path.read_bytes() for path in archive.iterdir()} == {n: contents[n] for n in unneeded[1:]}
    # LogManagement=Archive: they went with the checkpoint at the end of the command
    assert not {path.name for path in folder.iterdir()} & set(unneeded)


def test_manual_management_deletes_by_command(libremq_command: Commands) -> None:
    libremq_command.good("crtmqm", "-ll", *SMALL, "QM1")
    fill("QM1", images=True)
    folder = libremq_command.folder() / "log"
    unneeded = [one.name for one in extents(ReadOnlyFiles(), str(folder)) if one.state == "unneeded"]
    assert libremq_command.good("log", "delete", "-m", "QM1") == [f"{name} deleted." for name in unneeded]
    assert not {path.name for path in folder.iterdir()} & set(unneeded)
    with libremq.connect("embedded:QM1") as qm:
        assert [message.text for message in qm.queue("KEPT")] == ["stays"] * 3


def test_the_second_copy_is_looked_at_if_the_first_is_lost(libremq_command: Commands, tmp_path: Path) -> None:
    libremq_command.good(
        "crtmqm", "-ll", *SMALL, "-ld", f"{tmp_path}/one", "--second-log", f"{tmp_path}/two", "QM1"
    )  # fmt: skip
    fill("QM1", images=False)
    before = libremq_command.good("log", "list", "-m", "QM1")
    dumped = libremq_command.good("dmpmqlog", "-m", "QM1")
    assert dumped[0].startswith(f"LOG {tmp_path}/one/QM1 - ")
    assert libremq_command.good("amqldmpa", "-m", "QM1", "-c", "H")[0].startswith("Logger of queue manager QM1, as of ")
    shutil.rmtree(tmp_path / "one")
    code, out, err = libremq_command("log", "list", "-m", "QM1")
    assert (code, out.splitlines()) == (0, before)
    assert "Looking at the second copy" in err
    code, out, err = libremq_command("dmpmqlog", "-m", "QM1")
    assert (code, out.splitlines()[1:]) == (0, dumped[1:])
    assert f"{tmp_path}/one/QM1: no log can be read there" in err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], 36),
        (["shrink", "-m", "QM1"], 36),
        (["list"], 36),
        (["list", "-m", "QM1", "more"], 36),
        (["archive", "-m", "QM1"], 36),
        (["archive", "-m", "QM1", ""], 36),
        (["archive", "-m", "QM1", "{log}"], 36),
        (["archived", "-m", "QM1"], 36),
        (["archived", "-m", "QM1", "S9999999.LOG"], 36),
        (["archived", "-m", "QM1", "../QM1"], 36),
        (["delete", "-m", "NOBODY"], 16),
        (["list", "-m", "NOBODY"], 16),
        (["list", "-m", "b@d"], 72),
        (["delete", "-m", "ROUND"], 68),
        (["archive", "-m", "ROUND", "{log}"], 68),
        (["archived", "-m", "ROUND", "S0000000.LOG"], 68),
    ],
)
def test_refused(libremq_command: Commands, words: list[str], expected: int) -> None:
    libremq_command.good("crtmqm", "-ll", *SMALL, "QM1")
    libremq_command.good("crtmqm", *SMALL, "ROUND")
    log = str(libremq_command.folder() / "log")
    assert libremq_command.bad("log", *(word.format(log=log) for word in words))[0] == expected


def test_what_changes_the_log_needs_the_queue_manager_for_itself(libremq_command: Commands, tmp_path: Path) -> None:
    libremq_command.good("crtmqm", "-ll", *SMALL, "QM1")
    with other_process("QM1", libremq_command.data) as process:
        assert libremq_command.good("log", "list", "-m", "QM1")
        for words in (["delete"], ["archive", f"{tmp_path}/a"], ["archived", "S0000000.LOG"]):
            code, err = libremq_command.bad("log", words[0], "-m", "QM1", *words[1:])
            assert (code, f"process {process} (python) has it open" in err) == (40, True)


def test_a_folder_that_cannot_take_the_archive(libremq_command: Commands) -> None:
    libremq_command.good("crtmqm", "-ll", *SMALL, "QM1")
    fill("QM1", images=True)
    code, err = libremq_command.bad("log", "archive", "-m", "QM1", "/dev/null/archive")
    assert (code, "not all extents were archived" in err) == (71, True)
    (libremq_command.folder() / "log" / "amqhlctl.lfh").write_bytes(b"noise")
    assert libremq_command.bad("log", "list", "-m", "QM1")[0] == 23
