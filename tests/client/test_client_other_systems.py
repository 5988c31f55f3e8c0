"""A client over TCP needs nothing that Windows or macOS lack; what cannot be had there says so in one sentence."""

from __future__ import annotations

import getpass
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from libremq.commands.samples.sample_program import CLIENT_SAMPLES
from libremq.testing.serving import Served, served_queue_manager

_TESTS = Path(__file__).parents[1]
_COMPAT = _TESTS.parent / "packages" / "compat"

BLOCKING = """
import threading, libremq
with libremq.connect(URL) as qm:
    qm.define_local("Q", replace=True)
    queue = qm.queue("Q")
    with qm.transaction():
        queue.put("one", persistent=True)
        queue.put(b"x" * 3_000_000)
    assert [len(message.data) for message in queue.browse()] == [3, 3_000_000]
    assert queue.get(wait=5).text == "one" and len(queue.get().data) == 3_000_000
    try:
        queue.get(wait=0.2)
    except libremq.NoMessageAvailable:
        pass
    threading.Timer(0.2, lambda: qm.put("Q", "late")).start()
    assert queue.get(wait=60).text == "late"
    assert qm.mqsc("DISPLAY QLOCAL(Q) CURDEPTH")[0].rows[0]["curdepth"] == 0
with libremq.connect(URL + "?reconnect=yes") as qm:
    qm.put("Q", "again")
    assert qm.queue("Q").get().text == "again"
mqi = libremq.MQCONN(URL)
mqi.MQDISC()
"""
ASYNCIO = """
import libremq.aio
async def talk():
    async with libremq.aio.connect(URL) as qm:
        await qm.define_local("A", replace=True)
        queue = qm.queue("A")
        async with qm.transaction():
            await queue.put("one", persistent=True)
        assert (await queue.get(wait=5)).text == "one"
        try:
            await queue.get(wait=0.2)
        except libremq.NoMessageAvailable:
            pass
LOOP.run_until_complete(talk())
"""
COMPAT = """
sys.path.insert(0, COMPAT_FOLDER)
import ibmmqc, pymqe
for module in (ibmmqc, pymqe):
    hconn, comp_code, reason = module.MQCONN(URL.encode() if module is ibmmqc else URL)
    assert (comp_code, reason) == (0, 0), reason
    assert module.MQDISC(hconn)[-2:] == (0, 0)
"""
REFUSED = """
import libremq, libremq.aio
async def attempt(url):
    await libremq.aio.connect(url)
for url in ("embedded:QM1?create=1", "local:QM1", "embedded:QM1"):
    for connect in (libremq.connect, lambda url: LOOP.run_until_complete(attempt(url))):
        try:
            connect(url)
        except libremq.MQError as error:
            print(error)
"""
COMMANDS = """
import contextlib, io, tempfile
from libremq.commands import main
named = ["-m", "QM1"]
given = {"pipeline": ["--help"], "plan": ["--help"], "tls": ["init", "--qmgr", "QM1"], "completion": ["bash"],
         "mqrc": ["2012"], "link-commands": ["bin"], "dspmqver": [], "dspmq": [], "runmqdlq": ["DEAD", "QM1"],
         "log": ["list", *named], "dmpmqcfg": named, "dmpmqmsg": [*named, "-i", "Q"], "dspmqfls": [*named, "Q"],
         "unload": [*named, "Q", "f"], "load": [*named, "f", "Q"], "setmqusr": ["QM1", "u"],
         "rcdmqimg": [*named, "-t", "all", "*"], "rcrmqobj": [*named, "-t", "all", "*"], "dmpmqlog": named,
         "runmqtrm": named, "runmqlsr": [*named, "-t", "tcp"], "endmqlsr": named, "runmqchl": [*named, "-c", "C"],
         "runmqchi": named, "dspmqrte": [*named, "-q", "Q"], "dspmqtrn": named, "rsvmqtrn": [*named, "-a"],
         "setmqaut": [*named, "-t", "qmgr", "-p", "u", "+connect"], "dspmqaut": [*named, "-t", "qmgr", "-p", "u"],
         "dmpmqaut": named, "amqsblst": ["QM1", "Q", "-W"], "amqsevt": named, "strmqtrc": named,
         "endmqtrc": named, "amqldmpa": [*named, "-c", "H"]}
for command in main.COMMANDS:
    words = given.get(command.name, ["Q", "QM1"] if command.name.startswith("amqs") else ["QM1"])
    sys.stdin = io.TextIOWrapper(io.BytesIO(b"ACTION(DISCARD)\\n"))
    said = io.StringIO()
    with tempfile.TemporaryFile("w") as out, contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
        try:
            code = main.main([command.name, *words])
        except SystemExit as end:
            code = end.code
    text = said.getvalue()
    print(command.name, code, "usage" if "usage: " in text else "needs Linux or macOS" in text)
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served_queue_manager(folder=tmp_path_factory.mktemp("qm")) as one:
        yield one


def on(system: str, script: str, home: Path, url: str = "") -> str:
    """What a program prints in a process that lacks what another system lacks; it must end well."""
    start = f"import sys\nsys.path.insert(0, {str(_TESTS)!r})\nimport helper_other_system\n"
    start += f"LOOP = helper_other_system.{system}()\nURL = {url!r}\nCOMPAT_FOLDER = {str(_COMPAT)!r}\n"
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("LIBREMQ", "MQ"))}
    clean |= {"HOME": str(home), "USERNAME": getpass.getuser()}
    ran = subprocess.run(
        [sys.executable, "-c", start + script],
        capture_output=True, text=True, cwd=home, env=clean, timeout=240, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.mark.parametrize("script", [BLOCKING, ASYNCIO, COMPAT], ids=["blocking", "asyncio", "compat"])
@pytest.mark.parametrize("system", ["windows", "macos"])
def test_a_client_connection_works(system: str, script: str, served: Served, tmp_path: Path) -> None:
    on(system, script, tmp_path, served.url("mq"))


def test_on_macos_a_queue_manager_runs_inside_the_process(tmp_path: Path) -> None:
    on("macos", BLOCKING.replace("?reconnect=yes", ""), tmp_path, f"embedded:QM1?create=1&data={tmp_path}")


def test_a_queue_manager_on_this_machine_is_refused_in_one_sentence(tmp_path: Path) -> None:
    lines = on("windows", REFUSED, tmp_path).splitlines()
    assert len(lines) == 6
    for line in lines:
        assert line.startswith("MQRC_ENVIRONMENT_ERROR (2012) QM1: "), line
        assert "needs Linux or macOS, and Python for Windows has no fcntl: " in line and "mq://host:1414/QM1" in line
    assert not list(tmp_path.iterdir())


def test_commands_say_what_they_need_or_do_without(served: Served, tmp_path: Path) -> None:
    said = dict(line.split(" ", 1) for line in on("windows", COMMANDS, tmp_path).splitlines())
    without = {name for name, outcome in said.items() if outcome.endswith(" False")}
    clients = {name: said.pop(name) for name in CLIENT_SAMPLES}  # these want a channel before anything else
    assert not any(outcome.startswith("0 ") for outcome in clients.values()), clients
    assert without - clients.keys() == {"mqrc", "dspmqver", "link-commands", "completion", "pipeline", "plan", "tls"}, (
        said
    )
    refused = [outcome for outcome in said.values() if outcome.endswith(" True")]
    assert len(refused) > 30 and not any(outcome.startswith("0 ") for outcome in refused)


def test_a_sample_program_works_over_tcp(served: Served, tmp_path: Path) -> None:
    script = (
        "import io, libremq\nfrom libremq.commands import main\n"
        "with libremq.connect(URL) as qm: qm.define_local('S', replace=True)\n"
        "sys.stdin = io.TextIOWrapper(io.BytesIO(b'tea\\n\\n'))\n"
        "assert main.main(['amqsput', 'S', URL]) == 0 and main.main(['amqsget', 'S', URL, '-w', '0']) == 0"
    )
    assert "message <tea>" in on("windows", script, tmp_path, served.url("mq"))
