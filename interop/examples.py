"""ibmmq's example programs, each in a process of its own.

They are run as they are, but for the port, which is 1414 in their text, and for the place of a key repository. What an
example takes for granted besides the developer configuration is prepared, as a user would do it: a message on the queue
it reads, an authority that it says it needs, a channel with TLS and a rule that lets clients in there.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

from interop import certificates
from interop.outcomes import SKIPPED, Outcome, failure, passed
from interop.packages import Packages
from interop.running import run
from interop.server import Server
from libremq.client.connecting import connect
from libremq.client.queue_manager import QueueManager
from libremq.mqi import constants as C
from libremq.mqi.structs import MQDLH

GROUP = "ibmmq's examples"
QUEUE = "DEV.QUEUE.1"
TIMEOUT_S = 60.0

_NOT_RUN = {
    "check_mq_version_rpm.py": "asks the RPM database for IBM's packages",
    "check_mq_version_windows.py": "asks the registry of Windows for IBM's packages",
}
_TLS_EXAMPLE = "connect_client_tls.py"
_TLS_CHANNEL = "SYSTEM.SSL.SVRCONN.1"
_TLS_RULE = f"SET CHLAUTH({_TLS_CHANNEL}) TYPE(ADDRESSMAP) ADDRESS('127.0.0.1') USERSRC(CHANNEL)"
_KEY_REPOSITORY = "/var/mqm/ssl/key"
_NEEDS_PYTHON_312 = ("get_wait_truncated_message.py",)
_ARGUMENTS = {"hdr_browse.py": [QUEUE]}
_AUTHORITIES = f"""
* alternate_user_id.py, set_identity.py
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('app') AUTHADD(ALTUSR,SETID)
SET AUTHREC PROFILE({QUEUE}) OBJTYPE(QUEUE) PRINCIPAL('altusr') AUTHADD(PUT)
* put_async_message.py, inq_set.py. The profile of one queue stands in for that of all
SET AUTHREC PROFILE({QUEUE}) OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(PUT,GET,BROWSE,INQ,SET,SETID)
"""
_WITHOUT_CREDENTIALS = ("put_get_correl_id.py", "set_identity.py")
"""Examples that show no user id and password."""
_ENDLESS = {"put_get_correl_id.py": ("Got response message", 8.0)}
"""Examples that go on until they are interrupted: what they print when they work, and for how long they may."""


def _one_message(queue_manager: QueueManager) -> None:
    queue_manager.put(QUEUE, "a message for the example")


def _headers(queue_manager: QueueManager) -> None:
    queue_manager.put(QUEUE, "with properties", properties={"colour": "green"})


def _dead_letter(queue_manager: QueueManager) -> None:
    header = MQDLH(Reason=2085, DestQName="NO.SUCH.QUEUE", DestQMgrName="QM1", Format=C.MQFMT_STRING)
    data = header.pack() + b"undeliverable"
    queue_manager.put("SYSTEM.DEAD.LETTER.QUEUE", data, format=C.MQFMT_DEAD_LETTER_HEADER)
    queue_manager.put("SYSTEM.DEAD.LETTER.QUEUE", "without a header")


_PREPARE: dict[str, Callable[[QueueManager], None]] = {
    "async_consume.py": _one_message,
    "dlq_browse.py": _dead_letter,
    "get_message.py": _one_message,
    "get_wait_multiple_messages.py": _one_message,
    "get_wait_single_message.py": _one_message,
    "get_wait_truncated_message.py": _one_message,
    "hdr_browse.py": _headers,
}


def run_all(packages: Packages, server: Server, folder: Path, values: dict[str, str], only: str) -> list[Outcome]:
    copies = folder / "examples"
    shutil.rmtree(copies, ignore_errors=True)
    copies.mkdir(parents=True)
    outcomes = []
    server.add_user("altusr")
    server.run(_AUTHORITIES)
    with connect(server.url) as queue_manager:
        for example in sorted(packages.examples.glob("*.py")):
            if only in example.name:
                copy = copies / example.name
                text = example.read_text().replace("1414", str(server.port))
                copy.write_text(text.replace(_KEY_REPOSITORY, str(folder / "trusted")))
                queue_manager.clear(QUEUE)
                if copy.name == _TLS_EXAMPLE and not _secured(server, queue_manager, folder / "trusted"):
                    why = "needs certificates, and the command openssl, which makes them, is not here"
                    outcomes.append(Outcome(GROUP, copy.name, SKIPPED, why))
                    continue
                with server.app_without_password() if copy.name in _WITHOUT_CREDENTIALS else nullcontext():
                    outcomes.append(_run(copy, queue_manager, values))
    return outcomes


def _secured(server: Server, queue_manager: QueueManager, trusted: Path) -> bool:
    """A channel with TLS, if certificates can be made. Its rule asks nobody of this machine for a password."""
    label = str(queue_manager.attributes["certlabl"])
    if not certificates.make(Path(queue_manager.folder) / "ssl", label, trusted):
        return False
    cipher = "ANY_TLS12_OR_HIGHER"
    queue_manager.define("CHANNEL", _TLS_CHANNEL, chltype="SVRCONN", sslciph=cipher, sslcauth="OPTIONAL", mcauser="app")
    server.run(_TLS_RULE)
    return True


def _newer_python() -> str:
    """A Python of 3.12 or later that runs here, if there is one: an entry on the path may be only a way to one."""
    if sys.version_info >= (3, 12):
        return sys.executable
    for name in ("python3.12", "python3.13", "python3.14"):
        found = shutil.which(name)
        if found and subprocess.run([found, "-c", ""], stderr=subprocess.DEVNULL).returncode == 0:
            return found
    return ""


def _run(example: Path, queue_manager: QueueManager, values: dict[str, str]) -> Outcome:
    name = example.name
    if name in _NOT_RUN:
        return Outcome(GROUP, name, SKIPPED, _NOT_RUN[name])
    python = _newer_python() if name in _NEEDS_PYTHON_312 else sys.executable
    if not python:
        return Outcome(GROUP, name, SKIPPED, "is written for Python 3.12, which is not here")
    if name in _PREPARE:
        _PREPARE[name](queue_manager)
    expected, timeout_s = _ENDLESS.get(name, ("", TIMEOUT_S))
    command = [python, "-u", str(example), *_ARGUMENTS.get(name, [])]
    ended = run(command, example.parent, values, timeout_s)
    if ended.code == 0 or (name in _ENDLESS and ended.code is None and expected in ended.output):
        return passed(GROUP, name)
    late = f"\nit did not end in {timeout_s:.0f} s" if ended.code is None else ""
    return failure(GROUP, name, ended.output.rstrip() + late)
