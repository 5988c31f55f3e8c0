"""Files of a queue manager are for its owner alone, and no name ever leads out of the folder it belongs in."""

from __future__ import annotations

import os
import signal
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest
from helper_cli import SMALL, Commands

import libremq
from libremq.client.urls import Address, parse
from libremq.common.names.object_names import fold, unfold
from libremq.mqi.errors import MQError
from libremq.server.process.run_state import load_run

LIMIT_S = 240.0
HOSTILE = (
    "..",
    ".",
    "../../x",
    "a/../../b",
    "/etc/passwd",
    "//",
    "./.",
    "x/..",
    "%2e%2e%2f",
    ".../...",
    "queues",
    "qm.lock",
    "con",
)
"""All of them are legal names of queues, and of queue managers."""
IMPOSSIBLE = ("..\\x", "~", "a\0b", "a\nb", "ü/..", "a b/..", "$HOME", "x" * 49, "")


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@pytest.fixture
def mq(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Commands]:
    monkeypatch.setenv("LIBREMQ_DATA", str(tmp_path / "data"))
    found = Commands(capsys, tmp_path / "data")
    yield found
    run = load_run(str(found.folder()))
    if run is not None:
        try:
            os.kill(run.process_id, signal.SIGCONT)
        except ProcessLookupError:
            pass
        found("endmqm", "-p", "QM1")


def modes(folder: Path) -> dict[str, str]:
    """All that is in a folder, with its mode, as far as it is not as it should be."""
    wrong = {}
    for path in (folder, *folder.rglob("*")):
        found = path.lstat().st_mode
        wanted = 0o700 if stat.S_ISDIR(found) else 0o600
        if stat.S_IMODE(found) != wanted or stat.S_ISLNK(found):
            wrong[str(path.relative_to(folder))] = stat.filemode(found)
    return wrong


def everything(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def use(qm: libremq.QueueManager) -> None:
    """Messages in memory, in files, and in units of work; queues of all kinds of life."""
    qm.define_local("APP.IN", defpsist="yes")
    qm.put("APP.IN", b"x" * 300_000)
    qm.put("APP.IN", b"y" * 300_000, persistent=False)
    with qm.transaction():
        qm.put("APP.IN", b"z")
    with qm.dynamic_queue() as replies:
        replies.put(b"reply")


@pytest.mark.parametrize("mask", [0, 0o002, 0o022, 0o077])
def test_all_files_of_a_queue_manager_are_for_its_owner_alone(mq: Commands, mask: int, tmp_path: Path) -> None:
    with umask(mask):
        mq.good("crtmqm", *SMALL, "-ll", "--dev", "QM1")
        ini = mq.folder() / "qm.ini"
        ini.write_text(ini.read_text() + "DiagnosticMessages:\n   Format=json\n")
        with libremq.connect("embedded:QM1") as qm:
            use(qm)
        assert modes(mq.folder()) == {}
        mq.good("strmqm", "-ns", "QM1")
        run = load_run(str(mq.folder()))
        assert run is not None
        for path in (run.socket, run.control):
            assert stat.filemode(os.stat(path).st_mode) == "srw-------"
            assert stat.filemode(os.stat(os.path.dirname(path)).st_mode) == "drwx------"
        with libremq.connect("local:QM1") as qm:
            qm.put("APP.IN", b"served" * 10_000)
        assert modes(mq.folder()) == {}
        mq.good("endmqm", "-i", "QM1")
        mq.good("rcdmqimg", "-m", "QM1", "-t", "all")
        mq.good("strmqm", "-ns", "QM1")
        run = load_run(str(mq.folder()))
        assert run is not None
        os.kill(run.process_id, signal.SIGKILL)  # a report of it is written
        deadline = time.monotonic() + LIMIT_S
        while not list((mq.folder() / "errors").glob("*.FDC")) and time.monotonic() < deadline:
            time.sleep(0.02)
        found = everything(mq.folder())
    assert {"errors/AMQERR01.LOG", "errors/AMQERR01.json", "qm.ini", "log", "queues/APP!IN"} <= found
    assert any(name.endswith(".FDC") for name in found)
    assert modes(mq.data) == {}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_folded_name_is_one_harmless_part_of_a_path(name: str) -> None:
    folded = fold(name)
    assert unfold(folded) == name
    assert not set(folded) & set("./\\\0")
    assert os.path.normpath(os.path.join("/a/b", folded)) == f"/a/b/{folded}"


def test_no_name_of_a_queue_leads_out_of_its_folder(mq: Commands, tmp_path: Path) -> None:
    mq.good("crtmqm", "-lf", "512", "QM1")
    with libremq.connect("embedded:QM1") as qm:
        for name in HOSTILE:
            qm.define_local(name, defpsist="yes")
            qm.put(name, name.encode() * 20_000)
        for name in ("../../../dynamic*", "..", "/tmp/x.*", "x/../../../y"):
            if name not in HOSTILE:
                qm.dynamic_queue(name=name).put(b"temporary" * 50_000)
        for name in HOSTILE:
            (answer,) = qm.mqsc(f"DEFINE QLOCAL('{name}') REPLACE")
            assert answer.state == "done"
            (answer,) = qm.mqsc(f"DEFINE QLOCAL('../mqsc/{name[:30]}')")
            assert answer.state == "done"
        for name in IMPOSSIBLE:
            assert not any(answer.state == "done" for answer in qm.mqsc(f"DEFINE QLOCAL('{name}')"))
            with pytest.raises((MQError, ValueError)):
                qm.define_local(name)
            with pytest.raises((MQError, ValueError)):
                qm.put(name, b"x")
    folder = mq.folder()
    assert everything(tmp_path) == {"data", "data/qmgrs", "data/qmgrs/QM1"} | {
        f"data/qmgrs/QM1/{name}" for name in everything(folder)
    }
    kept = {unfold(path.name) for path in (folder / "queues").iterdir()}
    assert set(HOSTILE) <= kept
    assert modes(mq.data) == {}
    with libremq.connect("embedded:QM1") as qm:
        for name in HOSTILE:
            assert qm.queue(name).get().data == name.encode() * 20_000
            qm.delete("QLOCAL", name)


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_of_a_queue_manager_leads_out_of_the_data_folder(mq: Commands, name: str, tmp_path: Path) -> None:
    before = everything(tmp_path)
    mq.good("crtmqm", *SMALL, "--", name)
    made = {path.split("/")[0] for path in everything(tmp_path) - before}
    assert made == {"data"}
    assert [path.name for path in (mq.data / "qmgrs").iterdir()] == [fold(name)]
    (line,) = mq.good("dspmq")
    assert line.startswith(f"QMNAME({name})")
    mq.good("strmqm", "--check", "--", name)
    mq.good("dltmqm", "--", name)
    assert everything(mq.data) <= {"qmgrs"}


@pytest.mark.parametrize("name", IMPOSSIBLE)
@pytest.mark.parametrize("command", ["crtmqm", "strmqm", "endmqm", "dltmqm"])
def test_an_impossible_name_makes_nothing(mq: Commands, command: str, name: str, tmp_path: Path) -> None:
    before = everything(tmp_path)
    assert mq.bad(command, "--", name)[0] != 0
    assert everything(tmp_path) == before


@pytest.mark.parametrize("name", HOSTILE)
def test_a_url_stays_in_the_data_folder(name: str) -> None:
    address = parse(f"embedded:{quote(name, safe='')}?data=/srv/mq")
    assert isinstance(address, Address)
    assert os.path.normpath(address.folder) == f"/srv/mq/qmgrs/{fold(name)}"
