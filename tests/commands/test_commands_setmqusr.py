"""`libremq setmqusr` and `libremq crtmqm --dev`: where passwords come from, and that none is shown."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from helper_cli import SMALL, Commands

import libremq
from libremq.commands.exit_codes import Parser
from libremq.commands.mq import setmqusr as cli_setmqusr
from libremq.common import configuration, users_file
from libremq.common.files.file_layer import RealFiles
from libremq.testing.serving import served_queue_manager

SECRET = "correct horse 4711"


@pytest.fixture
def libremq_command(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    monkeypatch.setenv("LIBREMQ_DATA", str(tmp_path / "data"))
    for name in ("MQ_ADMIN_PASSWORD", "MQ_APP_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(f"{name}_FILE", raising=False)
    return Commands(capsys, tmp_path / "data")


def knows(commands: Commands, user: str, password: str) -> bool:
    return users_file.check_password(RealFiles(), str(commands.folder()), user, password)


def setmqusr(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Exit code, standard output, standard error."""
    parser = Parser(prog="libremq setmqusr", allow_abbrev=False)
    cli_setmqusr.add_arguments(parser)
    try:
        code = cli_setmqusr.run(parser.parse_args(words))
    except SystemExit as stop:
        code = int(stop.code or 0)
    captured = capsys.readouterr()
    assert SECRET not in captured.out + captured.err
    return code, captured.out, captured.err


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def pipe(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))


# ---- setmqusr ----


@pytest.mark.parametrize("line", [f"{SECRET}\n", f"{SECRET}\r\n", SECRET, f"{SECRET}\nmore\n"])
def test_the_password_is_the_first_line_of_standard_input(
    libremq_command: Commands, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    libremq_command.good("crtmqm", *SMALL, "QM1")
    pipe(monkeypatch, line.encode())
    code, out, err = setmqusr(capsys, "QM1", "app")
    assert (code, err) == (0, "")
    assert "'app'" in out
    assert knows(libremq_command, "app", SECRET)


def test_the_password_of_a_file(libremq_command: Commands, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    libremq_command.good("crtmqm", *SMALL, "QM1")
    (tmp_path / "pw").write_text(SECRET + "\n")
    assert setmqusr(capsys, "QM1", "app", "--password-file", str(tmp_path / "pw"))[0] == 0
    assert knows(libremq_command, "app", SECRET)
    for bad in (tmp_path / "none", tmp_path):
        code, _, err = setmqusr(capsys, "QM1", "app", "--password-file", str(bad))
        assert (code, "cannot be read" in err) == (36, True)
    (tmp_path / "pw").write_bytes(b"\xff\xfe\n")
    code, _, err = setmqusr(capsys, "QM1", "app", "--password-file", str(tmp_path / "pw"))
    assert (code, "UTF-8" in err) == (36, True)
    assert knows(libremq_command, "app", SECRET)


def test_on_a_terminal_the_password_is_asked_for_twice(
    libremq_command: Commands, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    libremq_command.good("crtmqm", *SMALL, "QM1")
    answers = [SECRET, SECRET, SECRET, "else"]
    monkeypatch.setattr("sys.stdin", Terminal())
    monkeypatch.setattr("getpass.getpass", lambda prompt: answers.pop(0))
    assert setmqusr(capsys, "QM1", "app")[0] == 0
    assert knows(libremq_command, "app", SECRET)
    code, _, err = setmqusr(capsys, "QM1", "app")
    assert (code, "not the same" in err) == (36, True)

    def gone(prompt: str) -> str:
        raise EOFError

    monkeypatch.setattr("getpass.getpass", gone)
    code, _, err = setmqusr(capsys, "QM1", "app")
    assert (code, "nothing is changed" in err) == (36, True)


def test_a_running_queue_manager_knows_it_at_once_and_removal_too(
    libremq_command: Commands, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    libremq_command.good("crtmqm", *SMALL, "QM1")
    with libremq.connect("embedded:QM1"):
        pipe(monkeypatch, SECRET.encode())
        assert setmqusr(capsys, "QM1", "app")[0] == 0
        assert knows(libremq_command, "app", SECRET)
        assert setmqusr(capsys, "QM1", "app", "--remove")[0] == 0
        assert not knows(libremq_command, "app", SECRET)
        code, _, err = setmqusr(capsys, "QM1", "app", "--remove")
        assert (code, "has no password" in err) == (128, True)


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (("QM2", "app"), 16, "AMQ8118E"),
        (("Q M", "app"), 72, "queue manager name"),
        (("QM1", "a b"), 36, "not the name of a user"),
        (("QM1", "x" * 13), 36, "1 to 12"),
        (("QM1", "app"), 36, "1 to 256"),
        (("QM1", "app", "--remove", "--password-file", "x"), 2, "not allowed"),
    ],
)
def test_what_setmqusr_refuses(
    libremq_command: Commands,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    code: int,
    text: str,
) -> None:
    libremq_command.good("crtmqm", *SMALL, "QM1")
    pipe(monkeypatch, b"")
    got, _, err = setmqusr(capsys, *words)
    assert (got, text in err) == (code, True), err
    assert not users_file.has_users(RealFiles(), str(libremq_command.folder()))


def test_a_broken_file_of_users_is_told_and_kept(
    libremq_command: Commands, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    libremq_command.good("crtmqm", *SMALL, "QM1")
    path = libremq_command.folder() / users_file.FILE_NAME
    path.write_text("{")
    pipe(monkeypatch, SECRET.encode())
    code, _, err = setmqusr(capsys, "QM1", "app")
    assert (code, str(path) in err) == (36, True)
    assert path.read_text() == "{"


def test_without_rights_it_says_so(
    libremq_command: Commands, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    libremq_command.good("crtmqm", *SMALL, "QM1")
    (libremq_command.folder() / f"{users_file.FILE_NAME}.lock").mkdir()
    pipe(monkeypatch, SECRET.encode())
    code, _, err = setmqusr(capsys, "QM1", "app")
    assert code != 0
    assert err.startswith(("libremq setmqusr:", "AMQ"))


# ---- crtmqm --dev, crtmqm -p ----


def test_crtmqm_dev(libremq_command: Commands, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MQ_APP_PASSWORD", SECRET)
    (tmp_path / "admin").write_text("passw0rd\n")
    monkeypatch.setenv("MQ_ADMIN_PASSWORD_FILE", str(tmp_path / "admin"))
    lines = libremq_command.good("crtmqm", *SMALL, "--dev", "QM1")
    assert not any(secret in line for line in lines for secret in (SECRET, "passw0rd"))
    assert knows(libremq_command, "app", SECRET)
    assert knows(libremq_command, "admin", "passw0rd")
    with libremq.connect("embedded:QM1") as qm:
        assert qm.attributes["deadq"] == "DEV.DEAD.LETTER.QUEUE"
        assert len(qm.queue_names("DEV.QUEUE.*")) == 3
        (shown,) = qm.display("channel", "DEV.APP.SVRCONN")
        assert (shown["chltype"], shown["mcauser"], shown["comphdr"]) == ("SVRCONN", "app", ("NONE",))
        assert [one["port"] for one in qm.display("listener", "DEV.*")] == [1414]
    for file in libremq_command.folder().rglob("*"):
        if file.is_file():
            assert SECRET.encode() not in file.read_bytes()


def test_crtmqm_dev_makes_passwords_and_shows_them_once(libremq_command: Commands) -> None:
    lines = "\n".join(libremq_command.good("crtmqm", *SMALL, "--dev", "QM1"))
    made = dict(re.findall(r"User '(\w+)' has the password (\S+) which is shown only now", lines))
    assert sorted(made) == ["admin", "app"]
    assert len(set(made.values())) == 2 and all(len(password) >= 16 for password in made.values())
    assert knows(libremq_command, "app", made["app"])
    assert knows(libremq_command, "admin", made["admin"])
    for file in libremq_command.folder().rglob("*"):
        if file.is_file():
            assert not any(password.encode() in file.read_bytes() for password in made.values())
    again = "\n".join(libremq_command.good("crtmqm", *SMALL, "--dev", "QM2"))
    assert not any(password in again for password in made.values())


def test_crtmqm_dev_makes_admin_an_administrator(libremq_command: Commands) -> None:
    libremq_command.good("crtmqm", *SMALL, "--dev", "QM1")
    libremq_command.good("crtmqm", *SMALL, "QM2")
    found = {one: configuration.load(RealFiles(), str(libremq_command.folder(one))) for one in ("QM1", "QM2")}
    assert [one.security.administrators for one in found.values()] == [{"admin"}, frozenset()]


def test_who_comes_in_by_the_channels_of_crtmqm_dev(libremq_command: Commands, tmp_path: Path) -> None:
    lines = "\n".join(libremq_command.good("crtmqm", *SMALL, "--dev", "QM1"))
    made = dict(re.findall(r"User '(\w+)' has the password (\S+) which", lines))
    with served_queue_manager("QM1", folder=tmp_path / "data", secured=True) as served:

        def url(user: str, channel: str, password: str = "") -> str:
            secret = password or made.get(user, "")
            return f"mq://{user}:{secret}@127.0.0.1:{served.port}/QM1?channel={channel}"

        with libremq.connect(url("app", "DEV.APP.SVRCONN")) as qm:
            qm.put("DEV.QUEUE.1", "x")
            for forbidden in (lambda: qm.put("SYSTEM.DEFAULT.LOCAL.QUEUE", "x"), lambda: qm.define_local("MINE")):
                with pytest.raises(libremq.NotAuthorized):
                    forbidden()
        with libremq.connect(url("admin", "DEV.ADMIN.SVRCONN")) as qm:
            qm.define_local("MINE")
        for refused in (
            url("app", "DEV.APP.SVRCONN", "a guess"),
            url("admin", "DEV.ADMIN.SVRCONN", "a guess"),
            url("app", "DEV.ADMIN.SVRCONN"),
            url("admin", "DEV.APP.SVRCONN"),
            url("admin", "SYSTEM.DEF.SVRCONN"),
            f"mq://admin@127.0.0.1:{served.port}/QM1?channel=DEV.ADMIN.SVRCONN",
            f"mq://app@127.0.0.1:{served.port}/QM1?channel=DEV.APP.SVRCONN",
            f"mq://127.0.0.1:{served.port}/QM1?channel=DEV.APP.SVRCONN",
        ):
            with pytest.raises(libremq.NotAuthorized):
                libremq.connect(refused)


def test_crtmqm_dev_keeps_the_dead_letter_queue_that_is_asked_for(libremq_command: Commands) -> None:
    libremq_command.good("crtmqm", *SMALL, "--dev", "-u", "MY.DEAD", "QM1")
    with libremq.connect("embedded:QM1") as qm:
        assert qm.attributes["deadq"] == "MY.DEAD"


def test_crtmqm_with_a_port(libremq_command: Commands) -> None:
    libremq_command.good("crtmqm", *SMALL, "-p", "1515", "QM1")
    libremq_command.good("crtmqm", *SMALL, "-p", "1616", "--dev", "QM2")
    for name, port, queues in (("QM1", 1515, 0), ("QM2", 1616, 3)):
        with libremq.connect(f"embedded:{name}") as qm:
            listeners = {one["listener"]: (one["port"], one["control"]) for one in qm.display("listener")}
            assert listeners == {
                "SYSTEM.DEFAULT.LISTENER.TCP": (0, "MANUAL"),
                "SYSTEM.LISTENER.TCP.1": (port, "QMGR"),
            }
            assert len(qm.queue_names("DEV.QUEUE.*")) == queues


@pytest.mark.parametrize(
    ("words", "variables", "text"),
    [
        (("-p", "0"), {}, "1 to 65535"),
        (("-p", "65536"), {}, "1 to 65535"),
        (("-p", "x"), {}, "invalid int"),
        (("--dev",), {"MQ_APP_PASSWORD": "x" * 257}, "MQ_APP_PASSWORD is not valid"),
        (("--dev",), {"MQ_ADMIN_PASSWORD_FILE": "/no/such/file"}, "MQ_ADMIN_PASSWORD_FILE is not valid"),
    ],
)
def test_what_crtmqm_refuses_leaves_nothing(
    libremq_command: Commands,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    variables: dict[str, str],
    text: str,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    code, err = libremq_command.bad("crtmqm", *SMALL, *words, "QM1")
    assert (code, text in err) == (39, True), err
    assert not libremq_command.folder().exists()


def test_a_backup_takes_no_developer_configuration(libremq_command: Commands, tmp_path: Path) -> None:
    libremq_command.good("crtmqm", *SMALL, "-ll", "QM1")
    source = str(libremq_command.folder())
    code, err = libremq_command.bad("crtmqm", "--backup-of", source, "--dev", "-p", "1", "-md", str(tmp_path), "QM1")
    assert (code, "--dev, -p cannot be given" in err) == (39, True)


def test_groups_are_set_without_a_password(libremq_command: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    libremq_command.good("crtmqm", *SMALL, "QM1")
    secret = libremq_command.data / "secret"
    secret.write_text(SECRET + "\n")
    libremq_command.good("setmqusr", "QM1", "app", "--groups", "orders, billing", "--password-file", str(secret))
    assert _groups(libremq_command) == {"app": ("billing", "orders")}
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"not this one\n")))
    libremq_command.good("setmqusr", "QM1", "app", "--groups", "orders")
    assert _groups(libremq_command) == {"app": ("orders",)}
    assert knows(libremq_command, "app", SECRET)
    assert libremq_command.bad("setmqusr", "QM1", "app", "--groups", "a b")[0] == 36
    assert _groups(libremq_command) == {"app": ("orders",)}
    libremq_command.good("setmqusr", "QM1", "app", "--groups", "")
    assert _groups(libremq_command) == {"app": ()}


def _groups(commands: Commands) -> dict[str, tuple[str, ...]]:
    return users_file.GroupReader(RealFiles(), str(commands.folder())).groups()
