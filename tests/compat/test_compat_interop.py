"""The runner of `make interop`: how it judges; and the commands that fixtures of the packages send."""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from helper_compat import done, gmo, md, od, pmo

from libremq.client.queue_manager import QueueManager
from libremq.compat import pymqe
from libremq.mqi import constants as C
from libremq.mqi.pcf import MQCFH, MQCFIN, MQCFST, pack_message, unpack_message

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from interop import packages
from interop.outcomes import FAILED, NOT_YET, PASSED, Outcome, failure, passed, show
from interop.packages import Trouble, unpack

COMMAND_QUEUE = "SYSTEM.ADMIN.COMMAND.QUEUE"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("test_pubsub.py::TestPubSub::test_x", "MQI Error. Comp 2, Reason 3007"),
        ("subscribe.py", "MQI Error. Comp 2, Reason 2298"),
        ("test_new.py::test_x", "MQI Error. Comp: 2, Reason 2298: FAILED"),
    ],
)
def test_what_waits_for_a_part_is_not_a_failure(name: str, why: str) -> None:
    outcome = failure("tests", name, why)
    assert outcome.state == NOT_YET and outcome.why.startswith("publish/subscribe")


@pytest.mark.parametrize("name", ["test_pcf.py::TestPCF::test_x", "def_queue.py", "test_base_api.py::TestGet::test_x"])
def test_what_is_there_passes_and_fails(name: str) -> None:
    assert passed("tests", name).state == PASSED
    assert failure("tests", name, "AssertionError").state == FAILED


def test_anything_else_is(capsys: pytest.CaptureFixture[str]) -> None:
    failed = failure("tests", "test_base_api.py::test_x", "Traceback\nMQI Error. Comp 2, Reason 2035\n")
    assert failed.state == FAILED
    show([failed, Outcome("tests", "test_y", PASSED), failure("tests", "subscribe.py", "")])
    shown = capsys.readouterr().out
    assert "tests: 1 passed, 1 failed, 1 not yet, 0 skipped" in shown
    assert "Reason 2035" in shown and "subscribe.py: publish/subscribe" in shown
    assert shown.rstrip().endswith("1 passed, 1 failed, 0 skipped")


def test_the_command_server_carries_out_what_fixtures_ask_for(hconn: int, queue_manager: QueueManager) -> None:
    named = MQCFST(Parameter=C.MQCA_Q_NAME, String="NEW.QUEUE")
    of_type = MQCFIN(Parameter=C.MQIA_Q_TYPE, Value=C.MQQT_LOCAL)
    depth = MQCFIN(Parameter=C.MQIA_MAX_Q_DEPTH, Value=7)
    assert _asked(hconn, C.MQCMD_CREATE_Q, named, of_type, depth) == (C.MQCC_OK, C.MQRC_NONE)
    assert queue_manager.display("QLOCAL", "NEW.QUEUE")[0]["maxdepth"] == 7
    assert _asked(hconn, C.MQCMD_CREATE_Q, named, of_type)[0] == C.MQCC_FAILED
    assert _asked(hconn, C.MQCMD_DELETE_Q, named) == (C.MQCC_OK, C.MQRC_NONE)
    assert "NEW.QUEUE" not in queue_manager.queue_names()
    assert _asked(hconn, C.MQCMD_INQUIRE_Q)[0] == C.MQCC_FAILED
    assert _asked(hconn, C.MQCMD_INQUIRE_Q_MGR) == (C.MQCC_OK, C.MQRC_NONE)


def _asked(hconn: int, command: int, *parameters: MQCFST | MQCFIN) -> tuple[int, int]:
    """Send a command and read the answer, as the packages do."""
    model = od("SYSTEM.DEFAULT.MODEL.QUEUE", DynamicQName="PYMQPCF.*")
    hobj, described = done(pymqe.MQOPEN(hconn, model, C.MQOO_INPUT_EXCLUSIVE))
    header = MQCFH(Type=C.MQCFT_COMMAND_XR, Version=C.MQCFH_VERSION_3, Command=command)
    request = md(Format=C.MQFMT_ADMIN, MsgType=C.MQMT_REQUEST, ReplyToQ=described[12:60].decode().strip())
    sent_md, _ = done(pymqe.MQPUT1(hconn, od(COMMAND_QUEUE), request, pmo(), pack_message(header, parameters)))
    waiting = gmo(Options=C.MQGMO_WAIT, WaitInterval=60_000)
    reply = MQCFH()
    while reply.Control != C.MQCFC_LAST or reply.Type != C.MQCFT_RESPONSE:
        answer, got_md, _, _ = done(pymqe.MQGET(hconn, hobj, md(), waiting, 65536))
        assert got_md[72:96] == sent_md[48:72]  # CorrelId of the answer, MsgId of the command
        reply, _ = unpack_message(answer)
    assert pymqe.MQCLOSE(hconn, hobj, C.MQCO_NONE) == (0, 0)
    return reply.CompCode, reply.Reason


def archive(path: Path, *members: tuple[str, bytes]) -> Path:
    """A source archive with files, or with links, whose types are given by tarfile."""
    with tarfile.open(path, "w:gz") as tar:
        for name, kind in members:
            member = tarfile.TarInfo(name)
            member.type, member.size = kind, 3 if kind == tarfile.REGTYPE else 0
            member.linkname = "/etc/passwd" if kind == tarfile.SYMTYPE else ""
            tar.addfile(member, io.BytesIO(b"abc"))
    return path


def test_a_source_archive_is_unpacked(tmp_path: Path) -> None:
    given = (("p-1", tarfile.DIRTYPE), ("p-1/code/a.py", tarfile.REGTYPE), ("p-1/link", tarfile.SYMTYPE))
    unpack(archive(tmp_path / "p.tar.gz", *given), tmp_path / "out")
    found = [path for path in (tmp_path / "out").rglob("*") if not path.is_dir()]
    assert found == [tmp_path / "out" / "p-1" / "code" / "a.py"] and found[0].read_bytes() == b"abc"


@pytest.mark.parametrize("name", ["../a.py", "p-1/../../a.py", "/tmp/../../a.py"])
def test_an_archive_that_writes_elsewhere_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(Trouble, match=r"which is not below its own folder"):
        unpack(archive(tmp_path / "p.tar.gz", (name, tarfile.REGTYPE)), tmp_path / "out")
    assert not (tmp_path / "out").exists() and not (tmp_path / "a.py").exists()


def test_what_a_run_left_that_was_cut_short_is_no_trouble(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while pip works leaves the copy that it builds from."""
    found: list[list[str]] = []

    def pip(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        found.append(sorted(path.name for path in Path(command[-1]).iterdir()))
        if len(found) == 1:
            raise KeyboardInterrupt
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(subprocess, "run", pip)
    site = tmp_path / "site"
    site.mkdir()
    with pytest.raises(KeyboardInterrupt):
        packages._install_compat(site)
    (tmp_path / "compat" / "build").mkdir()
    packages._install_compat(site)
    assert found[0] == found[1] and "build" not in found[1]
    assert not (tmp_path / "compat").exists()
