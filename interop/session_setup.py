"""What set-up scripts of test suites do: make a queue manager with the bare commands, by their exit codes, and use it.

A script asks dspmq whether the queue manager is there (72: no), creates and starts it (5: it runs already), feeds
runmqsc from a pipe (10: some commands failed), and leaves it to applications, which connect through a channel without
channel authentication and administer it with PCF.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pymqi  # type: ignore[import-not-found]
import pytest

NAME = "MQTEST"
TIMEOUT_S = 120
OBJECTS = """
DEFINE CHL(CH1) CHLTYPE(SVRCONN)
DEFINE LISTENER(TCP.LISTENER.1) TRPTYPE(TCP) IPADDR(127.0.0.1) PORT({port}) CONTROL(QMGR) REPLACE
START LISTENER(TCP.LISTENER.1)
DEFINE QL(FIRST.QUEUE) REPLACE
DEFINE QL(SECOND.QUEUE) REPLACE
"""
AUTHENTICATION = """
ALTER QMGR CONNAUTH(USE.PW)
DEFINE AUTHINFO(USE.PW) AUTHTYPE(IDPWOS) FAILDLAY(0) CHCKLOCL(OPTIONAL) CHCKCLNT(OPTIONAL)
REFRESH SECURITY TYPE(CONNAUTH)
"""


class Commands:
    """The bare commands, in a folder of their own that is first on the path."""

    def __init__(self, folder: Path) -> None:
        bare = folder / "bin"
        data = folder / "data"
        data.mkdir()
        path = f"{bare}{os.pathsep}{os.environ['PATH']}"
        self.environment = {**os.environ, "LIBREMQ_DATA": str(data), "PATH": path}
        made = [sys.executable, "-m", "libremq.commands.main", "link-commands", str(bare)]
        subprocess.run(made, env=self.environment, check=True, capture_output=True, timeout=TIMEOUT_S)
        self.folder = folder

    def run(self, name: str, *arguments: str, given: str = "") -> tuple[int, str]:
        """Exit code, and what was printed: to a file, because a server in the background would keep a pipe open."""
        command = shutil.which(name, path=self.environment["PATH"])
        assert command is not None
        output, script = self.folder / "output", self.folder / "input"
        script.write_text(given)
        with output.open("w") as out, script.open() as read:
            ended = subprocess.run(
                [command, *arguments], env=self.environment, stdin=read, stdout=out, stderr=out, timeout=TIMEOUT_S
            )
        return ended.returncode, output.read_text()


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Commands:
    return Commands(tmp_path_factory.mktemp("setup"))


@pytest.fixture(scope="module")
def address(commands: Commands) -> Iterator[str]:
    """A queue manager as the scripts leave it: where its channel is."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    assert commands.run("dspmq", f"-m{NAME}")[0] == 72
    assert commands.run("crtmqm", NAME)[0] == 0
    assert commands.run("strmqm", NAME)[0] == 0
    try:
        assert commands.run("strmqm", NAME)[0] == 5
        code, output = commands.run("dspmq", f"-m{NAME}")
        assert code == 0 and f"QMNAME({NAME})" in output
        for script in (OBJECTS.format(port=port), AUTHENTICATION, "ALTER QMGR CHLAUTH(DISABLED)\n"):
            code, output = commands.run("runmqsc", NAME, given=script)
            assert code == 0, output
        yield f"127.0.0.1({port})"
    finally:
        ended = commands.run("endmqm", "-i", NAME)[0]
    assert ended == 0
    assert commands.run("dltmqm", NAME)[0] == 0
    assert commands.run("dspmq", f"-m{NAME}")[0] == 72


@pytest.fixture
def connection(address: str) -> Iterator[Any]:
    made = pymqi.connect(NAME, "CH1", address)
    yield made
    made.disconnect()


def test_setup_runs_again_with_some_failures(commands: Commands, address: str) -> None:
    code, output = commands.run("runmqsc", NAME, given="DEFINE QL(FIRST.QUEUE)\nDEFINE QL(THIRD.QUEUE)\n")
    assert code == 10
    assert "AMQ8150E" in output and "AMQ8006I" in output


def test_setup_leaves_queues_that_work(connection: Any) -> None:
    queue = pymqi.Queue(connection, "FIRST.QUEUE", pymqi.CMQC.MQOO_OUTPUT | pymqi.CMQC.MQOO_INPUT_SHARED)
    queue.put(b"hello")
    assert queue.get() == b"hello"
    queue.close()


def test_setup_leaves_a_command_server(connection: Any) -> None:
    assert connection.is_connected
    pcf = pymqi.PCFExecute(connection)
    names = pcf.MQCMD_INQUIRE_Q_NAMES({pymqi.CMQC.MQCA_Q_NAME: b"FIRST*"})
    assert [name.strip() for name in names[0][pymqi.CMQCFC.MQCACF_Q_NAMES]] == [b"FIRST.QUEUE"]
    found = pcf.MQCMD_INQUIRE_Q(
        [
            pymqi.CFST(Parameter=pymqi.CMQC.MQCA_Q_NAME, String=b"*"),
            pymqi.CFIN(Parameter=pymqi.CMQC.MQIA_Q_TYPE, Value=pymqi.CMQC.MQQT_LOCAL),
        ],
        [pymqi.CFIF(Parameter=pymqi.CMQC.MQIA_CURRENT_Q_DEPTH, Operator=pymqi.CMQCFC.MQCFOP_GREATER, FilterValue=0)],
    )
    assert found and all(row[pymqi.CMQC.MQIA_CURRENT_Q_DEPTH] > 0 for row in found)
    with pytest.raises(pymqi.MQMIError) as refused:
        pcf.MQCMD_DELETE_Q({pymqi.CMQC.MQCA_Q_NAME: b"NO.SUCH.QUEUE"})
    assert refused.value.reason == pymqi.CMQC.MQRC_UNKNOWN_OBJECT_NAME
    pcf.disconnect()


def test_setup_lets_programs_be_administered(connection: Any) -> None:
    """Connections by their channel and application type, and records of channel authentication."""
    pcf = pymqi.PCFExecute(connection)
    found = pcf.MQCMD_INQUIRE_CONNECTION(
        {pymqi.CMQCFC.MQBACF_GENERIC_CONNECTION_ID: pymqi.ByteString(b"")},
        [pymqi.Filter(pymqi.CMQC.MQIA_APPL_TYPE).equal(pymqi.CMQC.MQAT_USER)],
    )
    assert b"CH1" in [row[pymqi.CMQCFC.MQCACH_CHANNEL_NAME].strip() for row in found]
    rule = {
        pymqi.CMQCFC.MQCACH_CHANNEL_NAME: b"CH1",
        pymqi.CMQCFC.MQIACF_CHLAUTH_TYPE: pymqi.CMQCFC.MQCAUT_BLOCKUSER,
        pymqi.CMQCFC.MQCACH_MCA_USER_ID_LIST: b"nobody",
        pymqi.CMQCFC.MQIACF_ACTION: pymqi.CMQCFC.MQACT_REPLACE,
    }
    pcf.MQCMD_SET_CHLAUTH_REC(rule)
    (row,) = pcf.MQCMD_INQUIRE_CHLAUTH_RECS({pymqi.CMQCFC.MQCACH_CHANNEL_NAME: b"CH1"})
    assert [user.strip() for user in row[pymqi.CMQCFC.MQCACH_MCA_USER_ID_LIST]] == [b"nobody"]
    pcf.disconnect()
