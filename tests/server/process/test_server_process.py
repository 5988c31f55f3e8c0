"""The processes of a queue manager: what happens when one of them, or a part of one, dies."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from helper_server import ANY_PORT, NAME, Served, is_alive, served, until

from libremq.common.files import queue_manager_files
from libremq.host.embedded import EmbeddedQueueManager
from libremq.server.diagnostics import first_failure_reports
from libremq.server.process.control_socket import ControlClient
from libremq.server.process.controller import FAILED, start_in_background
from libremq.server.process.run_state import current_run, load_end, load_run
from libremq.server.process.server_process import Server
from libremq.server.process.start_options import HostPort
from libremq.server.process.start_progress import LOCKED, ProgressWriter


@pytest.fixture
def qm(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path / "QM1") as found:
        yield found


def end(qm: Served, mode: str = "immediate") -> None:
    client = ControlClient(qm.run.control, 30)
    assert client.ask("end", mode=mode)["ok"]
    assert client.wait_closed(60)
    client.close()
    until(lambda: not qm.locked())


# ---- two processes ----


def test_it_starts_listens_and_ends(qm: Served) -> None:
    run = qm.start()
    assert (run.queue_manager, run.state, len(run.ports)) == (NAME, "Running", 1)
    assert run.listeners == (f"127.0.0.1:{run.ports[0]}",)
    assert is_alive(run.process_id) and is_alive(run.controller_id)
    socket.create_connection(("127.0.0.1", run.ports[0])).close()
    assert os.stat(run.socket).st_mode & 0o777 == 0o600
    assert qm.said[0] == "LibreMQ queue manager 'QM1' starting."
    assert qm.said[-1].startswith("LibreMQ queue manager 'QM1' started using V")
    for text in qm.said:
        assert f"{text}\n" in qm.log()
    assert f"\nAMQ8003I: {qm.said[-1]}\n" in qm.log()
    end(qm)
    until(lambda: not is_alive(run.controller_id))
    assert not os.path.exists(run.socket) and not os.path.exists(run.control)
    assert load_run(str(qm.folder)) is None
    assert (load_end(str(qm.folder)) or run).how == "Ended immediately"  # type: ignore[union-attr]
    assert "LibreMQ queue manager 'QM1' ended immediately." in qm.log()
    assert qm.reports() == []


def test_a_queue_manager_that_is_killed_is_noted_and_starts_again(qm: Served) -> None:
    run = qm.start()
    os.kill(run.process_id, signal.SIGKILL)
    until(lambda: not is_alive(run.controller_id))
    assert load_run(str(qm.folder)) is None
    assert not os.path.exists(run.socket)
    assert f"AMQ5008S: The process {run.process_id} of queue manager 'QM1' was killed by signal 9 (SIGKILL)" in qm.log()
    (report,) = qm.reports()
    assert "| Probe Id         :- EC001010 " in report
    assert "was killed by signal 9 (SIGKILL)" in report
    assert "LibreMQ queue manager 'QM1' started" in report.partition("\nError log\n")[2]
    again = qm.start()
    assert again.process_id != run.process_id
    end(qm)


def _sleeps(process_id: int) -> bool:
    """Has none of its threads anything to do? Python's own last words fail while one of them runs."""
    stats = [path.read_text() for path in Path(f"/proc/{process_id}/task").glob("*/stat")]
    return all(stat.rpartition(")")[2].split()[0] == "S" for stat in stats)


def test_a_crash_of_the_interpreter_leaves_its_last_words_in_the_report(qm: Served) -> None:
    run = qm.start()
    for _ in range(3):
        until(lambda: _sleeps(run.process_id))
        time.sleep(0.05)  # what is loaded after the start reads files, and sleeps for moments
    os.kill(run.process_id, signal.SIGABRT)
    until(lambda: not is_alive(run.controller_id))
    (report,) = qm.reports()
    assert "SIGABRT" in report
    assert "Fatal Python error: Aborted" in report.partition("\nStandard error\n")[2]


def test_without_its_controller_the_queue_manager_goes_on(qm: Served) -> None:
    run = qm.start()
    os.kill(run.controller_id, signal.SIGKILL)
    until(lambda: "AMQ5070W" in qm.log())
    assert f"AMQ5070W: The controller {run.controller_id} of queue manager 'QM1' is gone." in qm.log()
    assert qm.run.controller_id == 0
    socket.create_connection(("127.0.0.1", run.ports[0])).close()
    end(qm)
    until(lambda: not is_alive(run.process_id))
    assert load_run(str(qm.folder)) is None
    assert qm.reports() == []


def test_what_both_left_behind_is_in_nobodys_way(qm: Served) -> None:
    run = qm.start()
    os.kill(run.controller_id, signal.SIGKILL)
    os.kill(run.process_id, signal.SIGKILL)
    until(lambda: not qm.locked())
    assert load_run(str(qm.folder)) is not None and os.path.exists(run.control)
    assert current_run(str(qm.folder)) is None
    qm.start()
    end(qm)


def test_a_signal_is_a_quiesced_end(qm: Served) -> None:
    for process in ("process_id", "controller_id"):
        run = qm.start()
        os.kill(getattr(run, process), signal.SIGTERM)
        until(lambda: not is_alive(run.controller_id))  # noqa: B023
        found = load_end(str(qm.folder))
        assert found is not None and found.how == "Ended normally" and found.process_id == run.process_id
    assert qm.reports() == []


def test_a_hangup_ends_nobody(qm: Served) -> None:
    run = qm.start()
    for process in (run.process_id, run.controller_id):
        os.kill(process, signal.SIGHUP)
    end(qm)
    assert "hangup" not in qm.log().lower()
    assert qm.reports() == []


# ---- starts that fail ----


def test_an_address_that_was_asked_for_must_be_free(qm: Served) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = HostPort("127.0.0.1", other.getsockname()[1])
        outcome = start_in_background(qm.options(listen=(ANY_PORT, taken)), qm.said.append)
    assert outcome.failure is not None
    assert outcome.failure.text.startswith(f"AMQ9218E: Nothing can listen on {taken}: ")
    assert not qm.locked() and load_run(str(qm.folder)) is None
    assert f"cannot be started: AMQ9218E: Nothing can listen on {taken}" in qm.log()
    assert qm.reports() == []
    qm.start()
    end(qm)


def test_an_address_that_is_only_configured_may_be_taken(qm: Served) -> None:
    ini = qm.folder / "qm.ini"
    settings = ini.read_text()
    listens = False
    while not listens:
        given_up = qm.log().count("AMQ5053E")
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            port = other.getsockname()[1]
            ini.write_text(f"{settings}TCP:\n   Port={port}\n")
            run = qm.start(listen=())
            assert run.ports == ()
            words = ("AMQ5052W", f"AMQ9218E: Nothing can listen on 127.0.0.1:{port}")
            assert any(all(word in text for word in words) for text in qm.said)
        # It is tried for some seconds: on a busy machine it may have given up before the port is free
        until(
            lambda: qm.run.ports == (port,) or qm.log().count("AMQ5053E") > given_up,  # noqa: B023
            "the listener is tried again",
        )
        listens = qm.run.ports == (port,)
        end(qm)


def test_only_local_applications(qm: Served) -> None:
    run = qm.start(listen=(), no_listener=True)
    assert (run.ports, run.listeners) == ((), ())
    with socket.socket(socket.AF_UNIX) as application:
        application.connect(run.socket)
    end(qm)


def test_one_that_runs_is_not_started_twice(qm: Served) -> None:
    run = qm.start()
    outcome = start_in_background(qm.options(), qm.said.append)
    assert outcome.failure is not None and outcome.failure.cause == LOCKED
    assert f"process {run.process_id} (libremq-QM1) has the queue manager" in outcome.failure.text
    assert qm.run == run
    end(qm)


def test_a_start_that_fails_says_why(qm: Served) -> None:
    ini = qm.folder / "qm.ini"
    good = ini.read_text()
    ini.write_text("Log:\n   LogPrimaryFiles=many\n")
    outcome = start_in_background(qm.options(), qm.said.append)
    assert outcome.failure is not None and "LogPrimaryFiles='many' is not a whole number" in outcome.failure.text
    ini.write_text(good)
    (qm.folder / "log" / "S0000000.LOG").rename(qm.folder / "aside")
    outcome = start_in_background(qm.options(), qm.said.append)
    assert outcome.failure is not None and "S0000000.LOG" in outcome.failure.text
    (qm.folder / "aside").rename(qm.folder / "log" / "S0000000.LOG")
    assert not qm.locked() and load_run(str(qm.folder)) is None
    assert qm.reports() == []
    qm.start()
    end(qm)


# ---- services, seen from inside ----


@asynccontextmanager
async def inside(qm: Served, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Server, asyncio.Task[int]]]:
    """A queue manager in this process, started. What is in the block breaks it, or asks it to end."""
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    monkeypatch.setattr(first_failure_reports, "_written", {})
    monkeypatch.setattr("libremq.server.process.server_process._stop_hard_after", lambda seconds, status: None)
    before = signal.getsignal(signal.SIGHUP)
    server = Server(qm.options(), ProgressWriter(-1))
    task = asyncio.create_task(server.run())
    try:
        await eventually(lambda: (found := current_run(str(qm.folder))) is not None and found.state == "Running")
        yield server, task
    finally:
        signal.signal(signal.SIGHUP, before)
        if not task.done():
            os.kill(os.getpid(), signal.SIGTERM)
            async with asyncio.timeout(60):
                await task


async def eventually(condition: object) -> None:
    async with asyncio.timeout(60):
        while not condition():  # type: ignore[operator]
            await asyncio.sleep(0.005)


def state_of(server: Server, name: str) -> tuple[str, int]:
    return next((one.state, one.failures) for one in server.services.status() if one.name.startswith(name))


def test_a_listener_that_dies_comes_back_on_its_port(qm: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        async with inside(qm, monkeypatch) as (server, _):
            assert server.event_loop is not None
            (port,) = qm.run.ports
            for listener in server.event_loop._sockets:
                if listener.family == socket.AF_INET:
                    server.event_loop.loop.remove_reader(listener.fileno())
                    listener.close()
            await eventually(lambda: state_of(server, "listener")[1] == 1)
            await eventually(lambda: server.event_loop is not None and server.event_loop.ports == [port])
            (await asyncio.open_connection("127.0.0.1", port))[1].close()
            await eventually(lambda: "It is started again." in qm.log())
            assert qm.run.ports == (port,)

    asyncio.run(run())
    assert f"AMQ5052W: The queue manager task 'listener {ANY_PORT}' failed: nothing listens on" in qm.log()
    assert qm.reports() == []


def test_a_service_with_a_bug_is_reported_and_comes_back(qm: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        async with inside(qm, monkeypatch) as (server, _):
            await server.services.stop("statistics")
            calls = []

            async def broken() -> None:
                calls.append(1)
                if len(calls) == 1:
                    raise ZeroDivisionError("a bug")
                await asyncio.Event().wait()

            server.services.start("statistics", broken, critical=False)
            await eventually(lambda: len(calls) == 2)

    asyncio.run(run())
    (report,) = qm.reports()
    assert "QM001020" in report and "ZeroDivisionError: a bug" in report
    assert load_end(str(qm.folder)) is not None


@pytest.mark.parametrize("how", ["kernel", "log", "service", "thread"])
def test_a_critical_failure_ends_the_queue_manager(qm: Served, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    def broken(*_: object) -> None:
        raise OSError(5, "the disk is gone")

    async def run() -> int:
        async with inside(qm, monkeypatch) as (server, task):
            assert server.event_loop is not None
            if how == "kernel":
                server.event_loop.manager.fail("the disk is gone")
            elif how == "log":
                server.event_loop.fail("the disk is gone")
            elif how == "service":
                await server.services.stop("kernel")
                server.services.start("kernel", broken, critical=True)  # type: ignore[arg-type]
            else:
                threading.Thread(target=broken, name="libremq-checkpoint-QM1").start()
            async with asyncio.timeout(60):
                ended = await task
            server._listeners_changed()  # as a listener does that finds out late
            return ended

    assert asyncio.run(run()) == FAILED
    assert not qm.locked() and load_run(str(qm.folder)) is None
    assert load_end(str(qm.folder)) is None
    assert "AMQ5050S: Queue manager 'QM1' ends because '" in qm.log()
    (report,) = qm.reports()
    assert "QM001010" in report and "the disk is gone" in report
    assert re.search(r"^log records +\d+$", report.partition("\nFigures\n")[2], re.MULTILINE)
    assert "LibreMQ queue manager 'QM1' started using V" in report.partition("\nError log\n")[2]
    EmbeddedQueueManager.start(str(qm.folder), NAME, say=qm.said.append).end()  # nothing is in the way


def test_the_folder_can_be_used_embedded_in_between(qm: Served) -> None:
    qm.start()
    end(qm)
    EmbeddedQueueManager.start(str(qm.folder), NAME, say=qm.said.append).end()
    assert (qm.folder / queue_manager_files.LOCK).exists()
    qm.start()
    end(qm)
