"""Interrupts: Ctrl-C while a get waits, as a message comes, and in the middle of a call."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import libremq
from libremq.client.message import Message
from libremq.common.clock import SystemClock
from libremq.host.binding import GotItem
from libremq.host.embedded_access import EmbeddedAccess
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQOD
from libremq.testing import temporary_queue_manager

# Signals reach the main thread only, so these run in a process of their own. The helper thread sends the signal once
# the main thread waits.
PROLOGUE = """
import contextlib, signal, sys, tempfile, threading
import libremq
from libremq.testing import temporary_queue_manager
from libremq.testing.serving import served_queue_manager

@contextlib.contextmanager
def started():
    with contextlib.ExitStack() as stack:
        if sys.argv[1] == "embedded":
            yield stack.enter_context(temporary_queue_manager())
        else:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            served = stack.enter_context(served_queue_manager(folder=folder))
            yield stack.enter_context(libremq.connect(served.url(sys.argv[1])))

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have started us with interrupts ignored

def interrupt_when_it_waits(qm):
    main = threading.main_thread().ident
    def work():
        while not qm.statistics().waiting_gets:
            pass
        signal.pthread_kill(main, signal.SIGINT)
    threading.Thread(target=work).start()
"""

WAITING = """
with started() as qm:
    qm.define_local("Q")
    queue = qm.queue("Q")
    interrupt_when_it_waits(qm)
    try:
        queue.get(wait=float("inf"))
    except KeyboardInterrupt:
        print("interrupted")
    queue.put("after")
    print(queue.get(wait=0).text, queue.depth, qm.statistics().waiting_gets)
"""

TOGETHER = """
with started() as qm:
    qm.define_local("Q")
    queue = qm.queue("Q")
    with libremq.connect(qm.url) as other:
        def message_and_interrupt(number, frame):
            other.put("Q", "in the same moment", properties={"colour": "red"})
            raise KeyboardInterrupt
        signal.signal(signal.SIGINT, message_and_interrupt)
        interrupt_when_it_waits(qm)
        message = queue.get(wait=float("inf"))
        print(message.text, message.properties)
        try:
            queue.get(wait=0)
        except KeyboardInterrupt:
            print("interrupted")
        print(queue.depth)
"""


@pytest.mark.parametrize(
    ("script", "output"),
    [
        (WAITING, "interrupted\nafter 0 0\n"),
        (TOGETHER, "in the same moment {'colour': 'red'}\ninterrupted\n0\n"),
    ],
)
def test_an_interrupted_get_returns_the_message_or_leaves_it(script: str, output: str, binding: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", PROLOGUE + script, binding], capture_output=True, text=True, timeout=120, check=False
    )
    assert ran.stdout == output, ran.stderr


SEVERAL = TOGETHER.replace("message = queue.get(", "(message,) = queue.get_many(5, ")


@pytest.mark.embedded  # over a network the connection breaks, as the docstring says
def test_an_interrupt_during_a_get_of_many_loses_none_that_has_come() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", PROLOGUE + SEVERAL, "embedded"],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert ran.stdout == "in the same moment {'colour': 'red'}\ninterrupted\n0\n", ran.stderr


@pytest.mark.embedded
def test_a_message_reaches_its_program_though_the_queue_manager_fails_in_that_moment() -> None:
    with temporary_queue_manager() as qm:
        qm.define_local("Q")
        queue = qm.queue("Q")
        queue.put("taken", properties={"colour": "red"})
        md, gmo = MQMD(), MQGMO(Version=C.MQGMO_VERSION_4)
        session = qm._session()
        gmo.MsgHandle = session.binding.create_message_handle()
        got = session.binding.get(qm.mqi.MQOPEN(MQOD(ObjectName="Q"), C.MQOO_INPUT_AS_Q_DEF), md, gmo)
        access = qm._access
        assert isinstance(access, EmbeddedAccess)
        access.embedded.manager.fail("the disk has failed")
        message = Message(GotItem(md, gmo, got, session.binding.properties(gmo.MsgHandle)), qm)
        assert (message.text, message.properties) == ("taken", {"colour": "red"})


class TreacherousClock(SystemClock):
    """A clock in which an interrupt can strike: the kernel looks at it in the middle of a put."""

    def __init__(self) -> None:
        self.armed = False

    def now(self) -> float:
        if self.armed:
            self.armed = False
            raise KeyboardInterrupt
        return super().now()


@pytest.mark.embedded  # a served one is interrupted by nobody's Ctrl-C
def test_an_interrupt_in_the_middle_of_a_call_stops_the_queue_manager_and_loses_nothing(tmp_path: Path) -> None:
    clock = TreacherousClock()
    with temporary_queue_manager(folder=tmp_path / "qm", clock=clock, log_config=LogConfig(file_pages=64)) as qm:
        qm.define_local("Q", defpsist="yes")
        queue = qm.queue("Q")
        queue.put("acknowledged")
        clock.armed = True
        with pytest.raises(KeyboardInterrupt):
            queue.put("interrupted")
        with pytest.raises(libremq.ConnectionBroken, match="interrupted in the middle of a call"):
            queue.put("refused")
    with temporary_queue_manager(folder=tmp_path / "qm", clock=SystemClock()) as qm:
        assert [message.text for message in qm.queue("Q")] == ["acknowledged"]
