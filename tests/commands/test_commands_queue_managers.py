"""`libremq crtmqm`, `strmqm`, `dltmqm` and `dspmq`: what they make, say and refuse, and their exit codes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from helper_cli import SMALL, Commands, other_process

import libremq
from libremq.commands.exit_codes import ExitCode
from libremq.commands.main import COMMANDS
from libremq.commands.queue_manager_folders import code_of
from libremq.common import configuration
from libremq.common.files.file_layer import RealFiles
from libremq.log import LogError
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error


@pytest.fixture
def libremq_command(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    monkeypatch.setenv("LIBREMQ_DATA", str(tmp_path / "data"))
    return Commands(capsys, tmp_path / "data")


def log_of(folder: Path) -> configuration.LogSettings:
    return configuration.load(RealFiles(), str(folder)).log


# ---- crtmqm ----


def test_crtmqm_makes_a_queue_manager_that_can_be_used(libremq_command: Commands) -> None:
    lines = libremq_command.good("crtmqm", *SMALL, "-u", "SYSTEM.DEAD.LETTER.QUEUE", "-c", "for tea", "-x", "77", "QM1")
    folder = libremq_command.folder()
    assert lines[:3] == [
        "LibreMQ queue manager 'QM1' created.",
        f"Directory '{folder}' created.",
        f"Log: CIRCULAR, 3 primary and 2 secondary extents of 0.25 MiB in {folder}/log.",
    ]
    assert lines[-1] == "Setup completed."
    with libremq.connect("embedded:QM1") as qm:
        shown = qm.attributes
        assert (shown["deadq"], shown["descr"], shown["maxumsgs"]) == ("SYSTEM.DEAD.LETTER.QUEUE", "for tea", 77)
        kinds = ("queue", "process", "namelist", "channel", "listener", "service", "topic", "authinfo", "comminfo")
        made = sum(len(qm.display(kind)) for kind in kinds)
    assert f"Default objects of 'QM1': {made} created, 0 replaced, 0 failed." in lines


@pytest.mark.parametrize(
    ("flag", "kind", "management"),
    [
        ("-lc", "CIRCULAR", "Manual"),
        ("-ll", "LINEAR", "Manual"),
        ("-lla", "LINEAR", "Automatic"),
        ("-lln", "LINEAR", "Archive"),
    ],
)
def test_crtmqm_log_types(libremq_command: Commands, flag: str, kind: str, management: str) -> None:
    libremq_command.good("crtmqm", flag, *SMALL, "-lp", "4", "-ls", "5", "QM1")
    log = log_of(libremq_command.folder())
    assert (log.type, log.log_management, log.primary_files, log.secondary_files) == (kind, management, 4, 5)
    assert log.file_pages == 64


def test_crtmqm_log_elsewhere_and_twice(libremq_command: Commands, tmp_path: Path) -> None:
    libremq_command.good("crtmqm", *SMALL, "-ld", f"{tmp_path}/one", "--second-log", f"{tmp_path}/two", "A.B")
    for copy in ("one", "two"):
        assert (tmp_path / copy / "A!B" / "S0000000.LOG").exists()
    assert not (libremq_command.folder("A!B") / "log").exists()
    with libremq.connect("embedded:A.B") as qm:
        assert qm.log_statistics().copies == 2
    code, err = libremq_command.bad("crtmqm", *SMALL, "-ld", f"{tmp_path}/x", "--second-log", f"{tmp_path}/x", "QM2")
    assert (code, "same folder" in err) == (100, True)


def test_crtmqm_sizes_out_of_range(libremq_command: Commands) -> None:
    code, out, err = libremq_command("crtmqm", "-lp", "1", "-ls", "-3", *SMALL, "QM1")
    assert (code, out.splitlines()[0]) == (0, "LibreMQ queue manager 'QM1' created.")
    assert err.splitlines() == [
        "libremq crtmqm: warning: LogPrimaryFiles=1 is less than 2: the default, 3, applies",
        "libremq crtmqm: warning: LogSecondaryFiles=-3 is less than 1: the default, 2, applies",
    ]
    log = log_of(libremq_command.folder())
    assert (log.primary_files, log.secondary_files) == (3, 2)
    for sizes in (("-lp", "511"), ("-ls", "510"), ("-lf", "65536"), ("-lp", "300", "-ls", "300")):
        code, err = libremq_command.bad("crtmqm", *sizes, "QM2")
        assert (code, "log size not valid" in err) == (115, True)
        assert not libremq_command.folder("QM2").exists()


def test_crtmqm_of_one_that_exists(libremq_command: Commands) -> None:
    libremq_command.good("crtmqm", *SMALL, "QM1")
    code, err = libremq_command.bad("crtmqm", *SMALL, "QM1")
    assert (code, err) == (8, f"AMQ7008E: The queue manager 'QM1' exists already, in {libremq_command.folder()}.\n")
    code, out, err = libremq_command("crtmqm", "-z", *SMALL, "QM1")
    assert (code, out, err) == (8, "", "")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], 39),
        (["--nope", "QM1"], 39),
        (["-lc", "-ll", "QM1"], 39),
        (["-lp", "many", "QM1"], 39),
        (["-lp", "9" * 5000, "QM1"], 39),
        (["-lp"], 39),
        (["QM1", "QM2"], 39),
        (["-u", "no name!", "QM1"], 39),
        (["-c", "x" * 65, "QM1"], 39),
        (["-x", "0", "QM1"], 39),
        (["-t", "soon", "QM1"], 39),
        (["b@d"], 72),
        ([""], 72),
        (["x" * 49], 72),
        (["QM 1"], 72),
        (["\udcff"], 72),
        (["-ld", "", "QM1"], 100),
        (["-ld", "/dev/null", "QM1"], 100),
        (["-ld", "/dev/null/deeper", "QM1"], 100),
        (["-ld", "a\nb", "QM1"], 100),
        (["--second-log", "/dev/null", "QM1"], 100),
        (["--second-log", "/" + "x/" * 600, "QM1"], 100),
        (["--backup-of", "/nowhere", "QM1"], 16),
        (["--backup-of", "/nowhere", "-ll", "-lp", "3", "QM1"], 39),
        (["--data", "/dev/null", "QM1"], 71),
    ],
)
def test_crtmqm_refuses_and_leaves_nothing(libremq_command: Commands, words: list[str], expected: int) -> None:
    code, _ = libremq_command.bad("crtmqm", *words)
    assert code == expected
    qmgrs = libremq_command.data / "qmgrs"
    assert not qmgrs.exists() or list(qmgrs.iterdir()) == []


def test_crtmqm_a_folder_for_the_log_that_is_in_use(libremq_command: Commands, tmp_path: Path) -> None:
    (tmp_path / "logs" / "QM1").mkdir(parents=True)
    (tmp_path / "logs" / "QM1" / "mine").write_text("kept")
    code, err = libremq_command.bad("crtmqm", *SMALL, "-ld", f"{tmp_path}/logs", "QM1")
    assert (code, "it is not empty" in err) == (100, True)
    assert (tmp_path / "logs" / "QM1" / "mine").read_text() == "kept"


def test_crtmqm_that_fails_on_the_way_cleans_up(libremq_command: Commands) -> None:
    """/proc looks like a folder, and nothing can be made in it, not even by those who may do everything."""
    for flag in ("-ld", "--second-log"):
        code, err = libremq_command.bad("crtmqm", *SMALL, flag, "/proc/libremq", "QM1")
        assert (code, "log location not valid" in err) == (100, True)
        assert not libremq_command.folder().exists()


def test_crtmqm_makes_the_default_queue_manager(libremq_command: Commands) -> None:
    libremq_command.good("crtmqm", *SMALL, "QM0")
    assert libremq_command.bad("strmqm", "--check")[0] == 39  # there is one, and it is not the default
    libremq_command.good("crtmqm", "-q", *SMALL, "QM1")
    assert (libremq_command.data / "mqs.ini").read_text().endswith("DefaultQueueManager:\n   Name=QM1\n")
    assert libremq_command.good("strmqm", "--check")[-1] == "LibreMQ queue manager 'QM1' ended."
    shown = [line.split()[-1] for line in libremq_command.good("dspmq", "-o", "default")]
    assert shown == ["DEFAULT(no)", "DEFAULT(yes)"]
    told = libremq_command.good("crtmqm", "-q", *SMALL, "QM2")
    assert told[-1] == "'QM2' is the default queue manager now, and 'QM1' no longer."
    assert libremq_command.good("strmqm", "--check")[-1] == "LibreMQ queue manager 'QM2' ended."
    libremq_command.good("dltmqm", "QM1")  # which is not the default any more
    libremq_command.good("strmqm", "--check")
    libremq_command.good("dltmqm", "QM2")
    assert libremq_command.bad("strmqm", "--check")[0] == 39
    libremq_command.good("crtmqm", "-q", *SMALL, "QM3")
    assert libremq_command.good("strmqm", "--check")[-1] == "LibreMQ queue manager 'QM3' ended."


def test_strmqm_c_defines_the_system_objects_again(libremq_command: Commands) -> None:
    libremq_command.good("crtmqm", *SMALL, "QM1")
    url = f"embedded:QM1?data={libremq_command.data}"
    shown = "DISPLAY QUEUE(SYSTEM.*) ALL", "DISPLAY CHANNEL(SYSTEM.*) ALL", "DISPLAY AUTHINFO(SYSTEM.*) ALL"
    moments = ("altdate", "alttime", "crdate", "crtime")

    def definitions(qm: libremq.QueueManager) -> list[dict[str, object]]:
        rows = [row for command in shown for row in qm.mqsc(command)[0].rows]
        return [{key: value for key, value in row.items() if key not in moments} for row in rows]

    with libremq.connect(url) as qm:
        before = definitions(qm)
        for command in (
            "ALTER QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE) MAXDEPTH(7) DESCR('mine')",
            "ALTER CHANNEL(SYSTEM.DEF.SVRCONN) CHLTYPE(SVRCONN) MCAUSER('me')",
            "ALTER QLOCAL(SYSTEM.DEFAULT.INITIATION.QUEUE) DEFPSIST(YES)",
            "DELETE QMODEL(SYSTEM.DEFAULT.MODEL.QUEUE)",
            "DEFINE QLOCAL(MINE)",
        ):
            assert qm.mqsc(command)[0].state == "done", command
        qm.put("SYSTEM.DEFAULT.INITIATION.QUEUE", b"stays")
        qm.put("MINE", b"stays", persistent=True)
    told = libremq_command.good("strmqm", "-c", "QM1")
    assert "Default objects of 'QM1': 1 created, 82 replaced, 0 failed." in told
    with libremq.connect(url) as qm:
        for name in ("MINE", "SYSTEM.DEFAULT.INITIATION.QUEUE"):
            with qm.queue(name) as queue:
                assert queue.get().data == b"stays"
        assert definitions(qm) == before
        assert qm.mqsc("DISPLAY QLOCAL(MINE) MAXDEPTH")[0].rows[0]["maxdepth"] == 7  # what was made with it keeps it


def test_what_else_is_in_mqs_ini_stays(libremq_command: Commands) -> None:
    libremq_command.data.mkdir()
    before = "# ours\nAllQueueManagers:\n   DefaultPrefix=/x\nDefaultQueueManager:\n   # none yet\n   Name=\n"
    (libremq_command.data / "mqs.ini").write_text(before)
    libremq_command.good("crtmqm", "-q", *SMALL, "QM1")
    assert (libremq_command.data / "mqs.ini").read_text() == before.replace("Name=", "Name=QM1")


def test_crtmqm_sets_maxhands(libremq_command: Commands) -> None:
    libremq_command.good("crtmqm", "-h", "99", *SMALL, "QM1")
    with libremq.connect("embedded:QM1") as qm:
        assert qm.attributes["maxhands"] == 99
    assert libremq_command.bad("crtmqm", "-h", "-1", *SMALL, "QM2")[0] == 39
    assert "--help" in libremq_command("crtmqm", "--help")[1]


# ---- backups ----


@pytest.mark.parametrize("given", ["data", "data/qmgrs/QM1"])
def test_a_backup_is_made_replayed_and_activated(libremq_command: Commands, tmp_path: Path, given: str) -> None:
    libremq_command.good("crtmqm", "-ll", *SMALL, "QM1")
    standby = ("--data", f"{tmp_path}/standby")
    lines = libremq_command.good("crtmqm", "--backup-of", f"{tmp_path}/{given}", *standby, "QM1")
    assert lines[0] == f"LibreMQ backup queue manager 'QM1' created from {libremq_command.folder()}."
    assert libremq_command.good("dspmq", *standby)[0].endswith(" STATUS(Backup)")
    with libremq.connect("embedded:QM1") as qm:
        qm.define_local("ORDERS", defpsist="yes")
        qm.put("ORDERS", "shipped")
    for extent in (libremq_command.folder() / "log").glob("S*.LOG"):
        (tmp_path / "standby" / "qmgrs" / "QM1" / "log" / extent.name).write_bytes(extent.read_bytes())
    code, err = libremq_command.bad("strmqm", "--check", *standby, "QM1")
    assert (code, err[:8]) == (39, "AMQ7027E")
    assert err.endswith(": 'QM1' is a backup queue manager: use -r to replay, -a to activate.\n")
    assert libremq_command.bad("rcdmqimg", *standby, "-m", "QM1", "-t", "all")[0] == 40
    lines = libremq_command.good("strmqm", "-r", *standby, "QM1")
    assert any(line.startswith("AMQ7229I: ") for line in lines)
    assert lines[-1].startswith("LibreMQ backup queue manager 'QM1': ")
    assert libremq_command.good("strmqm", "-a", *standby, "QM1")[-1].startswith("LibreMQ queue manager 'QM1' activated")
    assert libremq_command.good("dspmq", *standby)[0].endswith(" STATUS(Ended normally)")
    with libremq.connect(f"embedded:QM1?data={tmp_path}/standby") as qm:
        assert qm.queue("ORDERS").get().text == "shipped"
    for flag in ("-r", "-a"):
        code, err = libremq_command.bad("strmqm", flag, *standby, "QM1")
        assert (code, "is no backup" in err) == (39, True)


def test_backups_that_cannot_be(libremq_command: Commands, tmp_path: Path) -> None:
    libremq_command.good("crtmqm", *SMALL, "QM1")
    standby = ("--data", f"{tmp_path}/standby")
    code, err = libremq_command.bad("crtmqm", "--backup-of", str(libremq_command.data), *standby, "QM1")
    assert (code, err.startswith("AMQ7044E: ")) == (68, True)
    with other_process("QM1", libremq_command.data) as process:
        code, err = libremq_command.bad("crtmqm", "--backup-of", str(libremq_command.data), *standby, "QM1")
        assert (code, f"process {process} (python) has it open" in err) == (5, True)
    code, err = libremq_command.bad("crtmqm", "--backup-of", str(libremq_command.data), "QM1")
    assert code == 8  # it would be in the place of the live one


# ---- strmqm ----


def test_strmqm_check_recovers_after_a_crash(libremq_command: Commands) -> None:
    libremq_command.good("crtmqm", *SMALL, "QM1")
    with other_process("QM1", libremq_command.data) as process:
        code, err = libremq_command.bad("strmqm", "--check", "QM1")
        assert (code, f"AMQ7005E: The queue manager 'QM1' is running: process {process} (python)" in err) == (5, True)
        assert libremq_command.good("dspmq", "-o", "default", "-c", "-g")[0].endswith(
            f" PROCESS({process} (python)) DEFAULT(no)"
        )
    assert libremq_command.good("dspmq")[0].endswith(" STATUS(Ended unexpectedly)")
    assert libremq_command.good("dspmq", "-n")[0].endswith(" STATUS(ENDED UNEXPECTEDLY)")
    lines = libremq_command.good("strmqm", "--check", "QM1")
    assert lines[0] == "LibreMQ queue manager 'QM1' starting."
    assert [line.partition(":")[0] for line in lines[1:5]] == ["AMQ7229I", "AMQ7230I", "AMQ7231I", "AMQ7232I"]
    assert lines[-2:] == ["LibreMQ queue manager 'QM1' started.", "LibreMQ queue manager 'QM1' ended."]
    assert libremq_command.good("dspmq")[0].endswith(" STATUS(Ended normally)")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], 39),
        (["-r", "-a", "QM1"], 39),
        (["--nope", "QM1"], 39),
        (["NOBODY"], 16),
        (["b@d"], 72),
        (["-x", "QM1"], 39),
        (["-p", "65536", "QM1"], 39),
        (["-p", "1", "--listen", "*:1", "QM1"], 39),
        (["--listen", "::1:1414", "QM1"], 39),
        (["--listen", "nowhere", "QM1"], 39),
        (["-ns", "-p", "1", "QM1"], 39),
        (["-tp", "soon", "QM1"], 39),
        (["--check", "--foreground", "QM1"], 39),
    ],
)
def test_strmqm_refuses(libremq_command: Commands, words: list[str], expected: int) -> None:
    libremq_command.good("crtmqm", *SMALL, "QM1")
    assert libremq_command.bad("strmqm", *words)[0] == expected


def test_strmqm_says_why_it_cannot(libremq_command: Commands) -> None:
    libremq_command.good("crtmqm", *SMALL, "QM1")
    folder = libremq_command.folder()
    ini = (folder / "qm.ini").read_text()
    (folder / "qm.ini").write_text("Log:\n  LogPrimaryFiles=9999\n")
    code, err = libremq_command.bad("strmqm", "--check", "QM1")
    assert (code, "LogPrimaryFiles=9999" in err) == (71, True)
    (folder / "qm.ini").write_text(ini)
    (folder / "log" / "amqhlctl.lfh").unlink()
    code, err = libremq_command.bad("strmqm", "--check", "QM1")
    assert (code, "amqhlctl.lfh" in err) == (23, True)
    (folder / "amqalchk.fil").unlink()
    assert libremq_command.bad("strmqm", "--check", "QM1")[0] == 16


# ---- dltmqm ----


def test_dltmqm_removes_all_that_is_its_own(libremq_command: Commands, tmp_path: Path) -> None:
    libremq_command.good("crtmqm", "-ll", *SMALL, "-ld", f"{tmp_path}/one", "--second-log", f"{tmp_path}/two", "QM1")
    libremq_command.good("crtmqm", *SMALL, "QM2")
    (tmp_path / "two" / "QM1" / "notes.txt").write_text("mine")
    lines = libremq_command.good("dltmqm", "QM1")
    assert lines == [
        "LibreMQ queue manager 'QM1' deleted.",
        f"The folder {tmp_path}/two/QM1 holds other files than those of its log and stays.",
    ]
    assert not libremq_command.folder().exists()
    assert not (tmp_path / "one" / "QM1").exists()
    assert [path.name for path in (tmp_path / "two" / "QM1").iterdir()] == ["notes.txt"]
    assert libremq_command.folder("QM2").exists()
    libremq_command.good("crtmqm", *SMALL, "-ld", f"{tmp_path}/one", "QM1")


def test_dltmqm_refuses(libremq_command: Commands) -> None:
    libremq_command.good("crtmqm", *SMALL, "QM1")
    with other_process("QM1", libremq_command.data) as process:
        code, err = libremq_command.bad("dltmqm", "QM1")
        assert (code, f"process {process} (python) has it open" in err) == (5, True)
    for words, expected in ((["NOBODY"], 16), (["b@d"], 72), ([], 36), (["-z"], 36)):
        assert libremq_command.bad("dltmqm", *words)[0] == expected
    (libremq_command.folder("QM9")).mkdir()
    (libremq_command.folder("QM9") / "diary").write_text("kept")
    assert libremq_command.bad("dltmqm", "QM9")[0] == 16
    assert (libremq_command.folder("QM9") / "diary").exists()
    with libremq.connect("embedded:QM1") as qm:  # also in this very process
        assert libremq_command.bad("dltmqm", "QM1")[0] == 5
        assert qm.queue_names() == []


def test_dltmqm_finishes_what_was_begun(libremq_command: Commands) -> None:
    libremq_command.good("crtmqm", *SMALL, "QM1")
    ini = libremq_command.folder() / "qm.ini"
    good = ini.read_text()
    ini.write_text(good.replace("Log:\n", "Log:\n   LogSecondPath=/dev/null\n"))  # where no folder can be
    code, err = libremq_command.bad("dltmqm", "QM1")
    assert (code, "not all files of 'QM1' could be deleted" in err) == (33, True)
    assert libremq_command.good("dspmq")[0].endswith(" STATUS(Being created or deleted)")
    assert libremq_command.bad("strmqm", "--check", "QM1")[0] == 16
    ini.write_text(good)
    libremq_command.good("dltmqm", "QM1")
    assert libremq_command.good("dspmq") == []


# ---- dspmq ----


def test_dspmq_lists_by_name_with_who_has_it(libremq_command: Commands) -> None:
    for name in ("QM2", "A.B", "QM1"):
        libremq_command.good("crtmqm", *SMALL, name)
    (libremq_command.data / "qmgrs" / "no.queue.manager").mkdir()
    (libremq_command.data / "qmgrs" / "EMPTY").mkdir()
    assert libremq_command.good("dspmq") == [
        "QMNAME(A.B)".ljust(58) + "STATUS(Ended normally)",
        "QMNAME(QM1)".ljust(58) + "STATUS(Ended normally)",
        "QMNAME(QM2)".ljust(58) + "STATUS(Ended normally)",
    ]
    assert libremq_command("dspmq", "-a") == (0, "", "")
    with other_process("QM1", libremq_command.data) as process:
        running = "QMNAME(QM1)".ljust(58) + f"STATUS(Running) PROCESS({process} (python))"
        assert libremq_command.good("dspmq", "-m", "QM1") == [running]
        assert libremq_command("dspmq", "-a") == (5, running + "\n", "")
    shown = libremq_command.good("dspmq", "-m", "A.B", "-o", "all")[0]
    assert f" LOGTYPE(CIRCULAR) FOLDER({libremq_command.folder('A!B')}) DEFAULT(no) STANDBY(Not permitted) " in shown


def test_dspmq_refuses(libremq_command: Commands) -> None:
    assert libremq_command.good("dspmq") == []
    assert libremq_command.bad("dspmq", "-m", "NOBODY")[0] == 72
    assert libremq_command.bad("dspmq", "-o", "everything")[0] == 36
    assert libremq_command.bad("dspmq", "surplus")[0] == 36


def test_what_cannot_be_looked_into_is_not_said_to_be_missing(libremq_command: Commands, tmp_path: Path) -> None:
    """Folders of somebody else; links to themselves stand for them, which root cannot follow either."""
    libremq_command.good("crtmqm", *SMALL, "QM1")
    libremq_command.folder("QM2").symlink_to("QM2")
    assert [line.split() for line in libremq_command.good("dspmq")] == [
        ["QMNAME(QM1)", "STATUS(Ended", "normally)"],
        ["QMNAME(QM2)", "STATUS(Status", "not", "available)"],
    ]
    for words in (("endmqm", "QM2"), ("dltmqm", "QM2"), ("strmqm", "QM2"), ("runmqsc", "QM2"), ("crtmqm", "QM2")):
        _, told = libremq_command.bad(*words)
        assert "symbolic links" in told, (words, told)
        assert "does not exist" not in told and "there is no" not in told, told
    for url in ("embedded:QM2", "embedded:QM2?create=1", "local:QM2"):
        with pytest.raises(libremq.MQError, match="symbolic links"):
            libremq.connect(url)
    qmgrs = tmp_path / "data" / "qmgrs"
    qmgrs.rename(tmp_path / "aside")
    qmgrs.symlink_to("qmgrs")
    _, told = libremq_command.bad("dspmq")
    assert "symbolic links" in told


def test_dspmq_does_not_disturb(libremq_command: Commands) -> None:
    libremq_command.good("crtmqm", *SMALL, "QM1")
    with libremq.connect("embedded:QM1"):
        before = {path: path.read_bytes() for path in libremq_command.folder().rglob("*") if path.is_file()}
        assert " STATUS(Running) " in libremq_command.good("dspmq", "-o", "all")[0]
        assert {path: path.read_bytes() for path in libremq_command.folder().rglob("*") if path.is_file()} == before


def test_a_reader_that_goes_away_does_not_harm_the_queue_manager(libremq_command: Commands) -> None:
    libremq_command.good("crtmqm", *SMALL, "QM1")
    writer = subprocess.Popen(
        [sys.executable, "-m", "libremq.commands.main", "strmqm", "--check", "QM1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert writer.stdout is not None and writer.stderr is not None
    writer.stdout.close()
    assert b"Traceback" not in writer.stderr.read()
    writer.stderr.close()
    writer.wait()
    assert libremq_command.good("dspmq")[0].endswith(" STATUS(Ended normally)")


def test_an_error_of_the_log_has_its_code() -> None:
    error = mq_error(C.MQRC_Q_MGR_NOT_AVAILABLE, "QM1", "the log is gone")
    error.__cause__ = LogError("gone")
    assert code_of(error) == 23
    error.__cause__ = PermissionError(13, "Permission denied")
    assert code_of(error) == 119
    error.__cause__ = OSError(28, "No space left on device")
    assert code_of(error) == 69
    assert code_of(ValueError("odd")) == 71
    not_here = mq_error(C.MQRC_ENVIRONMENT_ERROR, "QM1", "not on this machine")
    assert [code_of(not_here, command) for command in ("rcdmqimg", "rcrmqobj", "dspmqtrn", "setmqaut")] == [
        68, 68, 71, 71,
    ]  # fmt: skip


def test_every_exit_code_is_on_the_page_of_the_commands() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "log-commands.md").read_text(encoding="utf-8")
    table = page.partition("## Exit codes")[2]
    first_cells = " ".join(row.split("|")[1] for row in table.splitlines() if row.startswith("|"))
    numbers = {int(number) for number in re.findall(r"\d+", first_cells)}
    assert numbers == set(map(int, ExitCode))
    more = page + (Path(__file__).parents[2] / "docs" / "reference" / "control-commands.md").read_text(encoding="utf-8")
    for command in COMMANDS:
        assert f"`{command.name}" in more or command.name in ("pipeline", "plan")
