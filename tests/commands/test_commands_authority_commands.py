"""setmqaut, dspmqaut and dmpmqaut on a queue manager that runs: flags, output and exit codes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from helper_cli import Commands

import libremq
from libremq.commands import main
from libremq.common import users_file
from libremq.common.files.file_layer import RealFiles
from libremq.testing.serving import served_queue_manager


class Aut(Commands):
    def setmqaut(self, *words: str) -> tuple[int, str]:
        code, out, err = self("setmqaut", "-m", "QM1", *words)
        return code, out + err

    def dump(self, *words: str) -> list[dict[str, object]]:
        return list(json.loads("\n".join(self.good("dmpmqaut", "-m", "QM1", "--json", *words))))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("authorities") / "data"
    with served_queue_manager(folder=folder, secured=True) as served:
        users_file.set_password(RealFiles(), served.event_loop.folder, "app", "x")
        users_file.set_password(RealFiles(), served.event_loop.folder, "bob", "x")
        users_file.set_groups(RealFiles(), served.event_loop.folder, "app", ["orders"])
        with libremq.connect(served.url("local")) as qm:
            qm.define_local("Q")
            qm.define_local("A.B.C")
            yield folder


@pytest.fixture
def aut(data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Aut]:
    monkeypatch.setenv("LIBREMQ_DATA", str(data))
    monkeypatch.setenv("LIBREMQ_PLAIN", "1")
    made = Aut(capsys, data)
    yield made
    for record in made.dump():
        who = "-p" if record["entity_type"] == "principal" else "-g"
        name = () if record["type"] == "qmgr" else ("-n", str(record["profile"]))
        made.setmqaut(*name, "-t", str(record["type"]), who, str(record["entity"]), "-remove")


def shown(aut: Aut, *words: str) -> list[str]:
    return [line.strip() for line in aut.good("dspmqaut", "-m", "QM1", *words)[1:]]


def test_give_and_take(aut: Aut) -> None:
    assert aut.setmqaut("-n", "Q", "-t", "q", "-p", "app", "+put", "+get", "+inq")[0] == 0
    assert shown(aut, "-n", "Q", "-t", "queue", "-p", "app") == ["get", "put", "inq"]
    assert aut.setmqaut("-n", "Q", "-t", "queue", "-p", "app", "-get", "+browse")[0] == 0
    assert shown(aut, "-n", "Q", "-t", "q", "-p", "app") == ["browse", "put", "inq"]
    assert aut.setmqaut("-n", "Q", "-t", "queue", "-p", "app", "-all", "+put")[0] == 0
    assert shown(aut, "-n", "Q", "-t", "q", "-p", "app") == ["put"]
    assert aut.setmqaut("-n", "Q", "-t", "queue", "-p", "app", "-put", "+allmqi", "-set", "+none")[0] == 0
    expected = ["get", "browse", "put", "inq", "passid", "passall", "setid", "setall"]
    assert shown(aut, "-n", "Q", "-t", "q", "-p", "app") == expected
    assert aut.setmqaut("-n", "Q", "-t", "queue", "-p", "app", "-remove")[0] == 0
    assert aut.good("dspmqaut", "-m", "QM1", "-n", "Q", "-t", "q", "-p", "app") == [
        "Entity app has the following authorizations for object Q:"
    ]
    assert aut.dump() == []


def test_flags_that_begin_like_others(aut: Aut) -> None:
    """-passid is not -p assid, -set not -s et, -get not -g et."""
    assert aut.setmqaut("-n", "Q", "-t", "q", "-p", "app", "+all")[0] == 0
    assert aut.setmqaut("-n", "Q", "-t", "q", "-p", "app", "-passid", "-set", "-get", "-none", "-alladm")[0] == 0
    assert shown(aut, "-n", "Q", "-t", "q", "-p", "app") == ["browse", "put", "inq", "passall", "setid", "setall"]


def test_users_and_groups_together(aut: Aut) -> None:
    assert aut.setmqaut("-t", "qmgr", "-p", "app", "-p", "bob", "-g", "orders", "-g", "mqm", "+connect")[0] == 0
    assert [(one["entity"], one["entity_type"]) for one in aut.dump()] == [
        ("app", "principal"), ("bob", "principal"), ("mqm", "group"), ("orders", "group"),
    ]  # fmt: skip
    assert aut.setmqaut("-n", "A.**", "-t", "q", "-g", "orders", "+get", "+crt")[0] == 0
    assert aut.setmqaut("-n", "A.B.*", "-t", "q", "-p", "app", "+put")[0] == 0
    assert shown(aut, "-n", "A.B.C", "-t", "q", "-p", "app") == ["get", "put", "crt"]
    assert shown(aut, "-n", "A.B.C", "-t", "q", "-g", "orders") == ["get", "crt"]
    lines = aut.good("dspmqaut", "-m", "QM1", "-t", "qmgr", "-p", "app")
    assert lines == ["Entity app has the following authorizations for object QM1:", "\tconnect"]
    found = json.loads("\n".join(aut.good("dspmqaut", "-m", "QM1", "-t", "qmgr", "-p", "app", "--json")))
    assert found == {
        "entity": "app", "entity_type": "principal", "object": "QM1", "type": "qmgr", "authorities": ["connect"],
    }  # fmt: skip


def test_dmpmqaut(aut: Aut) -> None:
    aut.setmqaut("-n", "A.B.C", "-t", "q", "-p", "app", "+put", "+get")
    aut.setmqaut("-n", "A.**", "-t", "q", "-g", "orders", "+browse")
    aut.setmqaut("-n", "A.**", "-t", "topic", "-g", "orders", "+none")
    assert aut.good("dmpmqaut", "-m", "QM1", "-n", "A.B.C", "-t", "q") == [
        "profile:     A.**",
        "object type: queue",
        "entity:      orders",
        "entity type: group",
        "authority:   browse",
        "- - - - - - - -",
        "profile:     A.B.C",
        "object type: queue",
        "entity:      app",
        "entity type: principal",
        "authority:   get put",
    ]
    assert [one["profile"] for one in aut.dump("-n", "A.B.C", "-t", "q", "-x")] == ["A.B.C"]
    assert [one["profile"] for one in aut.dump("-n", "A.B.C", "-p", "app")] == ["A.B.C"]
    assert [one["profile"] for one in aut.dump("-n", "A.B.C", "-t", "q", "-p", "app", "-e")] == ["A.**", "A.B.C"]
    assert [one["type"] for one in aut.dump("-n", "A.**")] == ["queue", "topic"]
    assert aut.good("dmpmqaut", "-m", "QM1", "-l") == [
        "profile: A.**, type: queue", "profile: A.B.C, type: queue", "profile: A.**, type: topic",
    ]  # fmt: skip
    assert aut.good("dmpmqaut", "-m", "QM1", "-n", "X", "-t", "process") == ["There are no such authority records."]


def test_the_commands_of_a_dump_make_the_same_records(aut: Aut) -> None:
    aut.setmqaut("-n", "A.B.C", "-t", "q", "-p", "app", "+put", "+get")
    aut.setmqaut("-n", "A.**", "-t", "queue", "-g", "orders", "+alladm", "+crt")
    aut.setmqaut("-n", "**", "-t", "topic", "-g", "orders", "+none")
    aut.setmqaut("-t", "qmgr", "-g", "orders", "+connect", "+inq")
    before = aut.dump()
    commands = aut.good("dmpmqaut", "-m", "QM1", "-a")
    assert "setmqaut -m QM1 -n A.B.C -t queue -p app +get +put" in commands
    for command in commands:
        words = command.replace("'", "").split()
        remove = [word for word in words if word[0] != "+"]
        assert aut(*remove, "-remove")[0] == 0
    assert aut.dump() == []
    for command in commands:
        assert aut(*command.replace("'", "").split())[0] == 0
    assert aut.dump() == before


REFUSALS = [
    (["-n", "Q", "-p", "app", "+put"], 147),
    (["-n", "Q", "-t", "qlocal", "-p", "app", "+put"], 148),
    (["-t", "q", "-p", "app", "+put"], 146),
    (["-n", "Q", "-t", "qmgr", "-p", "app", "+connect"], 145),
    (["-n", "Q", "-t", "q", "+put"], 149),
    (["-n", "Q", "-t", "q", "-p", "app"], 150),
    (["-n", "Q", "-t", "q", "-p", "app", "-remove", "+put"], 150),
    (["-n", "Q", "-t", "q", "-p", "app", "+putt"], 151),
    (["-n", "Q", "-t", "q", "-p", "app", "-putt"], 151),
    (["-n", "Q", "-t", "q", "-p", "app", "+connect"], 151),
    (["-n", "NO.SUCH", "-t", "q", "-p", "app", "+put"], 133),
    (["-n", "NO.SUCH", "-t", "q", "-p", "app", "-remove"], 133),
    (["-n", "A**B", "-t", "q", "-p", "app", "+put"], 36),
    (["-n", "Q", "-t", "q", "-p", "nobody.here", "+put"], 36),
    (["-n", "Q", "-t", "q", "-p", "a'b\n)", "+put"], 36),
    (["-n", "Q", "-t", "q", "-p", "app", "put"], 36),
    (["-n", "Q", "-n", "R", "-t", "q", "-p", "app", "+put"], 36),
    (["-n", "Q", "-t", "q", "-s", "other", "-p", "app", "+put"], 36),
    (["-n", "Q", "-t", "q", "-p"], 149),
    (["-n"], 36),
]


@pytest.mark.parametrize(("words", "code"), REFUSALS)
def test_refusals_change_nothing(aut: Aut, words: list[str], code: int) -> None:
    found, text = aut.setmqaut(*words)
    assert found == code, text
    assert text.startswith(("AMQ", "libremq setmqaut: ")) and "Traceback" not in text
    assert aut.dump() == []


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["-n", "Q", "-p", "app"], 147),
        (["-n", "Q", "-t", "x", "-p", "app"], 148),
        (["-t", "q", "-p", "app"], 146),
        (["-n", "Q", "-t", "qmgr", "-p", "app"], 145),
        (["-n", "Q", "-t", "q"], 149),
        (["-n", "NO.SUCH.QUEUE", "-t", "q", "-p", "app"], 133),
        (["-n", "Q", "-t", "q", "-p", "nobody.here"], 36),
        (["-n", "Q", "-t", "q", "-p", "app", "-g", "orders"], 36),
    ],
)
def test_refusals_of_dspmqaut(aut: Aut, words: list[str], code: int) -> None:
    assert aut.bad("dspmqaut", "-m", "QM1", *words)[0] == code


def test_the_queue_manager_must_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIBREMQ_DATA", str(tmp_path))
    commands = Commands(capsys, tmp_path)
    commands.good("crtmqm", "-lf", "64", "QM2")
    for command in (["setmqaut", "+connect"], ["dspmqaut"]):
        code, text = commands.bad(command[0], "-m", "QM2", "-t", "qmgr", "-g", "mqm", *command[1:])
        assert (code, text[:9]) == (40, "AMQ8146E:")
    assert commands.bad("dmpmqaut", "-m", "QM2")[0] == 40
    assert commands.bad("dmpmqaut", "-m", "a b")[0] == 72


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["setmqaut", "-h"]) == 0
    assert "passid" in capsys.readouterr().out


def test_the_words_are_those_that_scripts_for_mq_look_for(aut: Aut) -> None:
    assert aut.setmqaut("-n", "Q", "-t", "q", "-p", "app", "+put", "+get") == (
        0, "The setmqaut command completed successfully.\n",
    )  # fmt: skip
    lines = aut.good("dspmqaut", "-m", "QM1", "-n", "Q", "-t", "q", "-p", "app")
    assert lines == ["Entity app has the following authorizations for object Q:", "\tget", "\tput"]
    lines = aut.good("dspmqaut", "-m", "QM1", "-t", "qmgr", "-p", "bob")
    assert lines == ["Entity bob has the following authorizations for object QM1:"]
    removed = aut.setmqaut("-n", "Q", "-t", "q", "-p", "app", "-remove")
    assert removed == (0, "The setmqaut command completed successfully.\n")
