"""A developer configuration, as people write it in MQSC: accepted whole, twice, and then an application works with it.

Lower and upper case, continued lines, comments in between, blanks before parentheses, quotes where they are not needed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import libremq
from helper_ports import free_port
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError

_LIMIT_S = 120.0
_PASSWORDS = {"app": "passw0rd", "admin": "Passw1rd"}

CONFIGURATION = """\
************************************************************
* What developers start with
************************************************************

stop listener('SYSTEM.DEFAULT.LISTENER.TCP') ignstate(yes)

* Queues
DEFINE QLOCAL('DEV.QUEUE.1') REPLACE
define qlocal ( 'DEV.QUEUE.2' ) replace
Define Qlocal(dev.queue.3) +
       Replace
DEF QL(DEV.DEAD.LETTER.QUEUE) +
* this one takes what cannot be delivered
  DESCR('What can''t be delivered') -
  REPLACE
DEFINE QMODEL('DEV.APP.MODEL.QUEUE') REPLACE
ALTER QMGR DEADQ ('DEV.DEAD.LETTER.QUEUE')

* Topics
DEFINE TOPIC('DEV.BASE.TOPIC') TOPICSTR('dev/') REPLACE

* Who is asked for a password
DEFINE AUTHINFO('DEV.AUTHINFO') AUTHTYPE(IDPWOS) CHCKCLNT(REQDADM) CHCKLOCL(OPTIONAL) ADOPTCTX(YES) REPLACE
ALTER QMGR CONNAUTH('DEV.AUTHINFO')
REFRESH SECURITY(*) TYPE(CONNAUTH)

* Channels: for administrators and for applications
DEFINE CHANNEL('DEV.ADMIN.SVRCONN') CHLTYPE(SVRCONN) REPLACE
DEFINE CHANNEL('DEV.APP.SVRCONN') +
       CHLTYPE(SVRCONN) +
       TRPTYPE(TCP) +
       MCAUSER('app') +
       REPLACE

* Who may come in
SET CHLAUTH('*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS) DESCR('Nobody else') ACTION(REPLACE)
SET CHLAUTH('DEV.APP.SVRCONN') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL) CHCKCLNT(REQUIRED) +
    DESCR('Applications') ACTION(REPLACE)
SET CHLAUTH('DEV.ADMIN.SVRCONN') TYPE(BLOCKUSER) USERLIST('nobody') DESCR('Administrators too') ACTION(REPLACE)
SET CHLAUTH('DEV.ADMIN.SVRCONN') TYPE(USERMAP) CLNTUSER('admin') USERSRC(CHANNEL) DESCR('He himself') ACTION(REPLACE)
set chlauth('DEV.ADMIN.SVRCONN') type(usermap) clntuser('admin') usersrc(map) mcauser ('mqm') +
    descr ('As mqm') action(replace)

* What applications may do
SET AUTHREC PRINCIPAL('app') OBJTYPE(QMGR) AUTHADD(CONNECT,INQ)
SET AUTHREC PROFILE('DEV.**') PRINCIPAL('app') OBJTYPE(QUEUE) AUTHADD(BROWSE,GET,INQ,PUT)
SET AUTHREC PROFILE('DEV.**') PRINCIPAL('app') OBJTYPE(TOPIC) AUTHADD( PUB, SUB )
set authrec profile('DEV.APP.MODEL.QUEUE') principal('app') objtype(queue) +
    authadd(browse,dsp,get,inq,put)

* Where clients connect
DEFINE LISTENER('DEV.LISTENER.TCP') TRPTYPE(TCP) PORT(1414) CONTROL(QMGR) REPLACE
START LISTENER('DEV.LISTENER.TCP') IGNSTATE(YES)
"""
_COMMANDS = 24


class Machine:
    """The commands of a shell, on a data folder of its own."""

    def __init__(self, data: Path) -> None:
        clean = {key: value for key, value in os.environ.items() if not key.startswith(("LIBREMQ", "MQ", "PYTEST"))}
        self._environment = {**clean, "LIBREMQ_DATA": str(data), "LIBREMQ_PLAIN": "1", "PYTHONUTF8": "1"}

    def __call__(self, *words: str, typed: str = "", **variables: str) -> tuple[int, str]:
        ran = subprocess.run(
            [sys.executable, "-m", "libremq.commands.main", *words], input=typed, capture_output=True, text=True,
            env={**self._environment, **variables}, timeout=_LIMIT_S, check=False,
        )  # fmt: skip
        return ran.returncode, ran.stdout + ran.stderr

    def good(self, *words: str, typed: str = "", **variables: str) -> str:
        code, said = self(*words, typed=typed, **variables)
        assert code == 0, said
        return said


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory, port: int) -> Iterator[Machine]:
    found = Machine(tmp_path_factory.mktemp("developer") / "data")
    found.good("crtmqm", "-lf", "64", "QM1")
    for user, password in _PASSWORDS.items():
        found.good("setmqusr", "QM1", user, typed=f"{password}\n")
    found.good("strmqm", "-ns", "QM1")
    try:
        script = CONFIGURATION.replace("PORT(1414)", f"PORT({port})")
        for _ in range(2):
            said = found.good("runmqsc", "QM1", typed=script)
            assert said.splitlines()[-3:] == [
                f"{_COMMANDS} MQSC commands read.",
                "No commands have a syntax error.",
                "All valid MQSC commands were processed.",
            ]
        yield found
    finally:
        found("endmqm", "-p", "QM1")


def connect(port: int, channel: str, user: str, password: str | None) -> libremq.QueueManager:
    return libremq.connect(f"mq://127.0.0.1:{port}/QM1?channel={channel}", user=user, password=password)


def reason_of(port: int, channel: str, user: str, password: str | None) -> int:
    with pytest.raises(MQError) as refused, connect(port, channel, user, password):
        pass
    return refused.value.reason


def test_no_command_says_anything_but_that_it_is_done(machine: Machine) -> None:
    asked = "DISPLAY QLOCAL(DEV.*)\nDISPLAY CHLAUTH('DEV.ADMIN.SVRCONN') ALL\n"
    said = machine.good("runmqsc", "-e", "QM1", typed=asked)
    for name in ("DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3", "DEV.DEAD.LETTER.QUEUE"):
        assert f"QUEUE({name})" in said
    # One rule for a user of a channel: the last one has replaced the first
    assert said.count("TYPE(USERMAP)") == 1
    assert "MCAUSER(mqm)" in said


def test_an_application_works(machine: Machine, port: int) -> None:
    with connect(port, "DEV.APP.SVRCONN", "app", _PASSWORDS["app"]) as qm:
        queue = qm.queue("DEV.QUEUE.1")
        queue.put("two espressos")
        assert queue.get().text == "two espressos"
        for name in ("DEV.QUEUE.2", "DEV.QUEUE.3", "DEV.DEAD.LETTER.QUEUE"):
            qm.queue(name).put(b"")
            qm.queue(name).get()
        with qm.dynamic_queue(model="DEV.APP.MODEL.QUEUE", name="DEV.MINE.*") as mine:
            mine.put("x")
            assert mine.get().text == "x"


@pytest.mark.parametrize("name", ["SYSTEM.DEFAULT.LOCAL.QUEUE", "SYSTEM.ADMIN.COMMAND.QUEUE", "NOT.DEV"])
def test_an_application_is_refused_elsewhere(machine: Machine, port: int, name: str) -> None:
    machine.good("runmqsc", "QM1", typed="DEFINE QLOCAL(NOT.DEV) REPLACE")
    with connect(port, "DEV.APP.SVRCONN", "app", _PASSWORDS["app"]) as qm:
        with pytest.raises(MQError) as put:
            qm.queue(name).put(b"x")
        with pytest.raises(MQError) as got:
            qm.queue(name).get()
        with pytest.raises(MQError) as defined:
            qm.define_local("DEV.NEW")
    assert [one.value.reason for one in (put, got, defined)] == [C.MQRC_NOT_AUTHORIZED] * 3


def test_who_comes_in(machine: Machine, port: int) -> None:
    refused = C.MQRC_NOT_AUTHORIZED
    assert reason_of(port, "DEV.APP.SVRCONN", "app", "wrong") == refused
    assert reason_of(port, "DEV.APP.SVRCONN", "app", None) == refused
    assert reason_of(port, "DEV.ADMIN.SVRCONN", "app", _PASSWORDS["app"]) == refused
    assert reason_of(port, "DEV.ADMIN.SVRCONN", "admin", None) == refused
    assert reason_of(port, "SYSTEM.DEF.SVRCONN", "admin", _PASSWORDS["admin"]) == refused


def test_the_administrator_comes_in_by_his_own_channel(machine: Machine, port: int) -> None:
    with connect(port, "DEV.ADMIN.SVRCONN", "admin", _PASSWORDS["admin"]) as qm:
        answers = qm.mqsc("DEFINE QLOCAL(ADMINS) REPLACE\nDISPLAY QMGR DEADQ CONNAUTH\n")
        assert [one.state for one in answers] == ["done", "done"]
        assert answers[1].rows[0]["connauth"] == "DEV.AUTHINFO"
        assert answers[1].rows[0]["deadq"] == "DEV.DEAD.LETTER.QUEUE"


def test_commands_as_a_client(machine: Machine, port: int) -> None:
    admin = {"MQSERVER": f"DEV.ADMIN.SVRCONN/TCP/127.0.0.1({port})"}
    typed = f"{_PASSWORDS['admin']}\nDEFINE QLOCAL(FROM.AFAR) REPLACE\n"
    for words in (("runmqsc", "-c", "-u", "admin", "QM1"), ("runmqsc", "-c", "-u", "admin", "-w", "30", "QM1")):
        said = machine.good(*words, typed=typed, **admin)
        assert "AMQ8006I" in said
        assert _PASSWORDS["admin"] not in said
    asked = ("dmpmqcfg", "-c", "-m", "QM1", "-u", "admin", "-n", "FROM.AFAR", "-t", "queue")
    assert "DEFINE QLOCAL('FROM.AFAR') +" in machine.good(*asked, typed=f"{_PASSWORDS['admin']}\n", **admin)
    app = {"MQSERVER": f"DEV.APP.SVRCONN/TCP/127.0.0.1({port})"}
    typed = f"{_PASSWORDS['app']}\nDELETE QLOCAL(FROM.AFAR)\nDISPLAY QLOCAL(FROM.AFAR)\n"
    code, said = machine("runmqsc", "-c", "-u", "app", "QM1", typed=typed, **app)
    assert code in (10, 20)
    assert "AMQ8135E" in said
    assert "QUEUE(FROM.AFAR)" in machine.good("runmqsc", "QM1", typed="DISPLAY QLOCAL(FROM.AFAR)")
